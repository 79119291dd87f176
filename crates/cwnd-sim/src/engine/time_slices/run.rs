// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs time slices until the next event outside of them. On several threads, one time slice is merged while the next one runs: then time
//! slices are half as long, so that nothing of the one arrives in the other.

use super::chunk::{CHUNK, Chunk, earliest};
use super::line::OwnLine;
use super::merge::Merge;
use super::outbox::{Common, QueueOutcome};
use super::state::{SharedBottleneck, TimeSlices};
use super::threads::side_by_side;
use crate::engine::Simulation;
use crate::engine::record::Tables;
use crate::network::Packet;
use crate::schedule::{Entry, EventClass, EventId};
use crate::tcp::FlowState;
use cwnd_link::Link;
use cwnd_scenario::Scenario;
use std::mem::swap;

/// With fewer packets in a time slice, one thread is faster.
const FEW: u64 = if cfg!(debug_assertions) { 1 } else { 400 };

/// A longer time slice gains nothing if it has this many packets of each flow.
const FOR_EACH: u64 = 8;
/// This many packets fit the cache.
const ENOUGH: u64 = 2048;

/// An entry before all others of this time, ns.
pub(super) const fn start_of(time: u64) -> Entry {
    Entry { time, id: EventId::new(EventClass::Boundary, 0) }
}

/// A run of time slices.
struct Run<'a> {
    flows: &'a mut [FlowState],
    lines: &'a mut [OwnLine],
    chunks: &'a mut [Chunk],
    merge: &'a mut Merge,
    /// Outcomes of the last merge.
    outcomes: &'a mut Vec<QueueOutcome>,
    link: &'a mut Link<Packet>,
    tables: &'a mut Tables,
    scenario: &'a Scenario,
    bottleneck: SharedBottleneck,
    /// About the most packets of a time slice.
    most: u64,
    /// Beginning and length, ns, of the time slice whose bursts are to be merged, if there is one.
    unmerged: Option<(u64, u32)>,
}

impl Run<'_> {
    /// Runs what comes before `limit`, from `done` on, until `events` packets have been handled. Returns where it ended, and the number of
    /// packets. `last` is the number of packets in the time slice before.
    fn run(
        &mut self,
        mut done: Entry,
        limit: Entry,
        events: u64,
        last: &mut u64,
        on_threads: bool,
    ) -> (Entry, u64) {
        let mut packets = 0;
        while done < limit && packets < events {
            let is_beside = on_threads && *last >= FEW && self.bottleneck.lookahead > 1;
            let length = if is_beside { self.bottleneck.lookahead / 2 } else { self.bottleneck.lookahead };
            // The time that the link takes for `most` packets.
            let most = (events - packets).min(self.most).saturating_mul(self.bottleneck.spacing).max(1);
            let length = length.min(most);
            // The last time slice can be merged while this one runs if nothing of it arrives in this one; else it is merged before.
            let is_long = |(_, length_before)| u64::from(length_before) + length > self.bottleneck.lookahead;
            if !is_beside || self.unmerged.is_some_and(is_long) {
                self.merge_last();
            }
            // What was sent in an earlier time slice does not arrive before this one.
            let is_waiting = self.unmerged.is_some() || self.chunks.iter().any(Chunk::has_pending_outcomes);
            let earliest = earliest(self.chunks);
            let begin = if is_waiting { done.time } else { earliest.max(done.time) };
            done = start_of(begin.saturating_add(length)).min(limit);
            if begin > done.time {
                break;
            }
            if is_beside {
                self.run_slices_in_parallel(begin, done);
            } else {
                self.run_slices(begin, done);
            }
            self.pass_on();
            self.unmerged = Some((begin, (done.time - begin) as u32));
            *last = self.chunks.iter().map(|chunk| chunk.packets).sum();
            packets += *last;
        }
        self.merge_last();
        self.apply_outcomes();
        (done, packets)
    }

    /// Merges the last time slice, and hands the outcomes to the flows.
    fn merge_last(&mut self) {
        if let Some(slice) = self.unmerged.take() {
            self.apply_outcomes(); // of the merge before
            self.merge.run(slice, self.scenario.packet_size, self.link, self.tables);
            self.pass_on();
        }
    }

    /// Each flow applies the outcomes of what it has sent, and runs no event.
    fn apply_outcomes(&mut self) {
        self.run_slices(0, start_of(0));
    }

    /// Runs each flow up to `limit`.
    fn run_slices(&mut self, begin: u64, limit: Entry) {
        let common = Common {
            scenario: self.scenario,
            propagation: self.bottleneck.propagation,
            outcomes: self.outcomes,
        };
        let slices = self.flows.chunks_mut(CHUNK).zip(self.lines.chunks_mut(CHUNK));
        for (chunk, (flows, lines)) in self.chunks.iter_mut().zip(slices) {
            chunk.work(flows, lines, common, (begin, limit));
        }
    }

    /// Runs each flow up to `limit` on several threads, while the last time slice is merged.
    fn run_slices_in_parallel(&mut self, begin: u64, limit: Entry) {
        let Self {
            flows, lines, link, tables, chunks, merge, outcomes, scenario, bottleneck, unmerged, ..
        } = self;
        let common = Common { scenario, propagation: bottleneck.propagation, outcomes };
        let slices = flows.chunks_mut(CHUNK).zip(lines.chunks_mut(CHUNK));
        let merge = || {
            if let Some(slice) = *unmerged {
                merge.run(slice, common.scenario.packet_size, link, tables);
            }
        };
        side_by_side(merge, chunks.iter_mut().zip(slices), |(chunk, (flows, lines))| {
            chunk.work(flows, lines, common, (begin, limit));
        });
    }

    /// Hands what has been merged to the flows, and what they have sent to the next merge.
    fn pass_on(&mut self) {
        for (chunk, outbox) in self.chunks.iter_mut().zip(&mut self.merge.outboxes) {
            swap(&mut chunk.merged, outbox);
            swap(&mut chunk.sent, outbox);
        }
        swap(self.outcomes, &mut self.merge.outcomes);
    }
}

impl Simulation {
    /// Runs time slices up to `limit`, until `events` packets have been handled; returns their number.
    pub(super) fn run_time_slices(&mut self, limit: Entry, events: u64) -> u64 {
        let Some(mut time_slices) = self.time_slices.take() else { return 0 };
        let TimeSlices { bottleneck, lines, outcomes, chunks, merge, threads, last, done } =
            &mut *time_slices;
        // More packets gain nothing, and take room in the cache.
        let most = (FOR_EACH * self.scenario_flows.len() as u64).max(ENOUGH);
        let mut run = Run {
            flows: &mut self.flows,
            lines,
            chunks,
            merge,
            outcomes,
            link: &mut self.network.links[bottleneck.link],
            tables: &mut self.tables,
            scenario: &self.scenario,
            bottleneck: *bottleneck,
            most,
            unmerged: None,
        };
        let on_threads = threads.are_several();
        self.finished = true; // if an algorithm panics, no step follows
        let (end, packets) = threads.run(|| run.run(*done, limit, events, last, on_threads));
        self.finished = false;
        *done = end;
        self.now = self.now.max(end.time.saturating_sub(1)).min(self.scenario.duration);
        self.time_slices = Some(time_slices);
        packets
    }
}
