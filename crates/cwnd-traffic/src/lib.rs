// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traffic models of the papers: generators that decide when to send what. They do not depend on the network.
//!
//! A [`TrafficGroup`] is prepared from a [`GroupConfig`]: a [`Model`] with its [`Distribution`]s, a direction, starts. (A scenario's
//! `[[traffic]]` is parsed into one; `cwnd_scenario::traffic` holds the keys and the named sets of numbers.) It creates its
//! [`TrafficSource`]s, small states that only it can advance. An engine drives a source as follows:
//!
//! * [`TrafficGroup::starts`] and [`TrafficGroup::source`] create the sources.
//! * [`TrafficGroup::next`] at the beginning, and again when the transfer or datagram that it returned last has started.
//! * [`TrafficGroup::finished`] when a transfer of the source has finished, if [`TrafficGroup::closed`]; not called
//!   for the sources of open groups.
//! * The last two return one [`SourceEvent`]: a start at a given time; nothing before a transfer finishes; or nothing any more.
//!
//! So a source has at most one pending start, and an engine needs one place per source in its queue. The times of a source never
//! decrease.
//!
//! **Randomness.** Random numbers come in as arguments ([`Random`]). Each source has a stream of its own, which the engine keeps beside
//! it, and draws in an order that depends on its own decisions only. So pages, objects and sizes of a session do not depend on the
//! network, the algorithm or other sources; only their times do.
//!
//! **Sources and unverified numbers.** See `cwnd_scenario::traffic::PRESETS`. Where the papers state nothing, we chose: a session
//! begins with a pause, so that sessions that start together do not fetch at the same time; sizes are drawn in bytes, also where a mean
//! is given in packets; a transfer has at least one byte, a page at least one object; a `mix` begins without transfers, so its load
//! builds up within the longest common transfer time; the share counts data with headers, but not acknowledgements, which load the
//! other direction with about 52 bytes for every second segment.
#![forbid(unsafe_code)]

mod cdf;
mod direction;
mod distribution;
mod group;
mod load;
mod model;
mod normal_and_gamma;
mod random;
mod sampler;
mod source;
mod source_models;

pub use cdf::{CERTAIN, Cdf, CdfError, CdfPoints, Interpolation};
pub use direction::{Direction, Directions};
pub use distribution::*;
pub use group::{LinkFacts, TrafficGroup};
pub use load::{AskedLoad, Load, SegmentSize, TrafficCounts};
pub use model::{
    Arrivals, FlowList, GapFrom, GroupConfig, Long, Mix, Model, RequestResponse, Sessions, Starts, Udp,
};
pub use random::Random;
pub use sampler::Sampler;
pub use source::{Connection, Datagram, SourceEvent, TrafficSource, Transfer};
