// SPDX-License-Identifier: MIT OR Apache-2.0
//! The links of lane linux: a library that a user-mode kernel in virtual time loads into its process, which is one of the host.
//!
//! | part | what it does |
//! | --- | --- |
//! | `kernel/` | the driver, in C, which becomes a part of the kernel when that is built |
//! | `interface` | what driver and library call of each other |
//! | `run` | the scenario's network between the kernel's two hosts, and what is recorded of it |
//! | `output` | the files of the result, in a folder of the host |

#[cfg(target_os = "linux")]
mod interface;
#[cfg(target_os = "linux")]
mod output;
#[cfg(target_os = "linux")]
mod run;
