// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simulator for a web page: plain C functions, no imports, no threads.
//!
//! Text goes in through the buffer of `input` and comes out of that of `output`, curves come out of `data` as 32-bit floats. The buffers
//! belong to the module; a call may move them, and makes the memory grow, so the caller looks their places up after every call. What is
//! refused leaves everything as it was: the function returns 0, and the output is `{ field, value, expected }`.
//!
//! | function | takes | gives |
//! | --- | --- | --- |
//! | `input(len)` | | where `len` bytes of text are to be written |
//! | `output()`, `output_len()` | | the text of the last call |
//! | `data()`, `data_len()` | | the floats of the last call that gives some, and how many |
//! | `describe()` | a scenario: TOML or JSON | its document, names, cost |
//! | `load(from_s, to_s, columns)` | the scenario that was described | a simulation of it at its beginning; curves between two times |
//! | `step(events)` | | 1 when the run is over |
//! | `now_s()` | | simulated time |
//! | `step_to(time_s)` | | 1 when the run is over |
//! | `curves(mean_s)` | | the curves in `data`, their names in the output |
//! | `packets()` | | where each packet is, in `data`: flow, place, the parts of its way |
//! | `set_window(flow, segments)` | | 0 if there is no such flow |
//! | `hooks(time_s, flow, count)` | | the calls of a flow's hooks from a time on, of a run of its own |
//! | `summary()` | | the summary, as `--json` has it, with the transfers so far |
//! | `catalog()` | | every algorithm with its parameters |
//! | `interval()` | numbers, JSON | their mean with its 95 % confidence interval |

mod completion;
mod curves;
mod exports;
mod page;
mod run;

pub use page::Page;
