// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links and queues without input, output or clock: time comes in as nanoseconds, what happens comes out.
//!
//! The parts of a one-way link, in the order in which a packet passes them:
//!
//! | part | question | answer |
//! | --- | --- | --- |
//! | [`SendOverhead`] | when does the sender's packet really leave it? | a time |
//! | [`LossProcess`] | is this packet lost, whatever the queue? | yes or no |
//! | [`Fifo`], [`HeadQueue`] | does the queue take it, and when has it left the wire? | a [`OfferResult`] |
//! | [`Delay`] | when is it at the other end? | a time |
//!
//! A [`Link`] is the last three in one piece, with counters of drops and waits. It may have no rate: then it has no queue, a packet takes no
//! time to send, and it has no capacity.
//!
//! Each is a value whose calls are in the order of time, draws from its own [random stream](random::RandomStream), and never looks
//! ahead. None depends on what a packet is: only sizes in bytes are passed in, so a simulator and an emulator can store packets as they
//! like, in the order of the returned times.
//!
//! # Two kinds of queue discipline
//!
//! **Decided at arrival** (DropTail, RED; PIE would be one). Whether a packet stays depends on what came before it, so on a
//! link that is never idle while packets wait, and whose rate is known for the future (constant, steps, a trace), its
//! departure is known when it arrives. [`Fifo::offer`] returns it at once: the link has no events, and stores two integers per
//! waiting packet, or none while all packets are of one size.
//!
//! **Decided at the head** (CoDel; any link whose rate is changed unforeseen). What happens to a packet depends on later
//! arrivals, so [`HeadQueue`] holds the packets and has an event per packet. It has three methods, `push(now, packet)`, `next_event()`
//! and `pop(now)`, and `pop` returns the same [`OfferResult`]: the caller puts a packet that [departs](OfferResult::Departs) on the delay
//! line behind the link in both cases. See `docs/adr/0005-queues-at-arrival-and-at-the-head.md`.
#![forbid(unsafe_code)]

mod aqm;
mod bench;
mod capacity;
mod counters;
mod delay;
mod drops;
mod ecn;
mod fast_link;
mod fifo;
mod gilbert;
mod head_queue;
mod limit;
mod link;
mod loss;
mod no_rate;
mod offer_result;
mod outside;
mod packet_queue;
pub mod random;
mod send_overhead;
mod service;
mod steps;
mod tick;
mod trace;
mod waits;

pub use aqm::*;
pub use bench::{ARRIVAL_BYTES, Bench, BenchArrival, BenchAsk, FATE_BYTES, Fate, GivenArrival};
pub use counters::{LinkCounters, PacketClass};
pub use delay::{Delay, DelayConfig, Jitter, PacketOrder, Reorder};
pub use drops::{Drops, OwnDrops};
pub use ecn::Ecn;
pub use fast_link::FastLink;
pub use fifo::{Fifo, FifoConfig};
pub use gilbert::GilbertElliott;
pub use head_queue::{HeadQueue, HeadQueueConfig, Taken};
pub use limit::Limit;
pub use link::{Link, LinkConfig, Offered, ServerConfig, Transit};
pub use loss::{Loss, LossProcess};
pub use offer_result::OfferResult;
pub use send_overhead::SendOverhead;
pub use service::{NEVER, Rate};
pub use steps::{Steps, StepsError};
pub use tick::Tick;
pub use trace::{OPPORTUNITY_BYTES, Trace, TraceError};
pub use waits::WaitHistogram;
