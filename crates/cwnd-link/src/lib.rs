// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links and queues without input, output or clock: time comes in as nanoseconds, what happens comes out.
//!
//! The pieces of a one-way hop, in the order in which a packet meets them:
//!
//! | piece | question | answer |
//! | --- | --- | --- |
//! | [`Overhead`] | when does the sender's packet really leave it? | a time |
//! | [`LossProcess`] | is this packet lost, whatever the queue? | yes or no |
//! | [`Fifo`] | does the queue take it, and when has it left the wire? | a [`Verdict`] |
//! | [`Delay`] | when is it at the other end? | a time |
//!
//! Each is a value that is asked in the order of time, draws from a [random stream](random::Stream) of its own, and
//! never looks ahead of what it was asked. None knows what a packet is: sizes in bytes go in, so simulator and emulator keep
//! whatever they like in queues of their own, in the order of the times that they were given.
//!
//! # Two kinds of queue discipline
//!
//! **Decided at arrival** (DropTail, RED; PIE would be one). Whether a packet stays depends on what came before it, so on a
//! link that is never idle while packets wait, and whose rate is known for the future (constant, steps, a trace), its
//! departure is known when it arrives. [`Fifo::offer`] answers at once: no event of the link's own, and two integers
//! to remember per waiting packet, or nothing at all while all packets are of one size.
//!
//! **Decided at the head** (CoDel, FQ-CoDel; any link whose rate is changed unforeseen). What happens to a packet depends on
//! later arrivals. Such a queue has to keep the packets and be woken; it will be a type beside [`Fifo`] with three verbs,
//! `push(now, packet)`, `next_event()` and `pop(now)`, and `pop` will answer in the same [`Verdict`]: what a caller does with
//! [`Verdict::Departs`], namely to put the packet on the delay line behind the link, is the same in both. The whole is in
//! `docs/adr/0005-queues-at-arrival-and-at-the-head.md`.
#![forbid(unsafe_code)]

mod delay;
mod fifo;
mod gilbert;
mod loss;
mod overhead;
mod queue;
pub mod random;
mod red;
mod service;
mod steps;
mod trace;

pub use delay::{Delay, DelaySpec, Jitter, Reorder};
pub use fifo::{Fifo, FifoSpec};
pub use gilbert::GilbertElliott;
pub use loss::{Loss, LossProcess};
pub use overhead::Overhead;
pub use queue::{Backlog, Cause, Limit, Queue, Verdict};
pub use red::{RedParams, RedUnit};
pub use service::{NEVER, Rate};
pub use steps::{Steps, StepsError};
pub use trace::{OPPORTUNITY_BYTES, Trace, TraceError};
