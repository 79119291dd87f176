// SPDX-License-Identifier: MIT OR Apache-2.0
//! Window after window, up to the next event of anything else. On several threads one window is merged while the next is worked off: windows are half
//! as long then, so that nothing of the one arrives in the other.

use super::chunk::{CHUNK, Chunk, earliest};
use super::line::OwnLine;
use super::merge::Merge;
use super::outbox::{Common, Fate};
use super::threads::side_by_side;
use super::{Meeting, Windows};
use crate::engine::Simulation;
use crate::engine::record::Tables;
use crate::network::Packet;
use crate::schedule::{Entry, EventClass, EventId};
use crate::tcp::FlowState;
use cwnd_link::Link;
use cwnd_scenario::Scenario;
use std::mem::swap;

/// A window of fewer packets than this is worked off sooner by one thread.
const FEW: u64 = if cfg!(debug_assertions) { 1 } else { 400 };

/// So many packets of a flow in a window are enough.
const FOR_EACH: u64 = 8;
/// So many packets of all flows fit the cache.
const ENOUGH: u64 = 2048;

/// It comes before anything at this time, ns.
pub(super) const fn start_of(time: u64) -> Entry {
    Entry { time, id: EventId::new(EventClass::Boundary, 0) }
}

/// Window after window.
struct Run<'a> {
    flows: &'a mut [FlowState],
    lines: &'a mut [OwnLine],
    chunks: &'a mut [Chunk],
    merge: &'a mut Merge,
    /// What has become of what was sent and merged last.
    fates: &'a mut Vec<Fate>,
    link: &'a mut Link<Packet>,
    tables: &'a mut Tables,
    scenario: &'a Scenario,
    meeting: Meeting,
    /// How many packets a window has at most, about.
    most: u64,
    /// The window whose bursts are to be merged: its begin and its length, ns; if there is one.
    unmerged: Option<(u64, u32)>,
}

impl Run<'_> {
    /// Works off what comes before `limit`, from `done` on, until `events` packets have been handled; returns how far it came, and their number.
    /// The window before had `last` packets.
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
            let is_beside = on_threads && *last >= FEW && self.meeting.lookahead > 1;
            let length = if is_beside { self.meeting.lookahead / 2 } else { self.meeting.lookahead };
            // As long as so many packets take.
            let most = (events - packets).min(self.most).saturating_mul(self.meeting.spacing).max(1);
            let length = length.min(most);
            // It is merged beside this window if nothing of it arrives in this one, or else before.
            let is_long = |(_, length_before)| u64::from(length_before) + length > self.meeting.lookahead;
            if !is_beside || self.unmerged.is_some_and(is_long) {
                self.merge_last();
            }
            // What is on its way from a window before does not arrive before this one.
            let is_waiting = self.unmerged.is_some() || self.chunks.iter().any(Chunk::has_mail);
            let earliest = earliest(self.chunks);
            let begin = if is_waiting { done.time } else { earliest.max(done.time) };
            done = start_of(begin.saturating_add(length)).min(limit);
            if begin > done.time {
                break;
            }
            if is_beside {
                self.take_turns_beside(begin, done);
            } else {
                self.take_turns(begin, done);
            }
            self.pass_on();
            self.unmerged = Some((begin, (done.time - begin) as u32));
            *last = self.chunks.iter().map(|chunk| chunk.packets).sum();
            packets += *last;
        }
        self.merge_last();
        self.take_mail();
        (done, packets)
    }

    /// Merges what was sent last, and passes it on.
    fn merge_last(&mut self) {
        if let Some(window) = self.unmerged.take() {
            self.take_mail(); // what was merged before
            self.merge.run(window, self.scenario.packet_size, self.link, self.tables);
            self.pass_on();
        }
    }

    /// Each flow takes what became of what it has sent, and does nothing.
    fn take_mail(&mut self) {
        self.take_turns(0, start_of(0));
    }

    /// Each flow takes its turn, up to `limit`.
    fn take_turns(&mut self, begin: u64, limit: Entry) {
        let common =
            Common { scenario: self.scenario, propagation: self.meeting.propagation, fates: self.fates };
        let turns = self.flows.chunks_mut(CHUNK).zip(self.lines.chunks_mut(CHUNK));
        for (chunk, (flows, lines)) in self.chunks.iter_mut().zip(turns) {
            chunk.work(flows, lines, common, (begin, limit));
        }
    }

    /// The same on several threads, while what was sent last is merged.
    fn take_turns_beside(&mut self, begin: u64, limit: Entry) {
        let Self { flows, lines, link, tables, chunks, merge, fates, scenario, meeting, unmerged, .. } = self;
        let common = Common { scenario, propagation: meeting.propagation, fates };
        let turns = flows.chunks_mut(CHUNK).zip(lines.chunks_mut(CHUNK));
        let merge = || {
            if let Some(window) = *unmerged {
                merge.run(window, common.scenario.packet_size, link, tables);
            }
        };
        side_by_side(merge, chunks.iter_mut().zip(turns), |(chunk, (flows, lines))| {
            chunk.work(flows, lines, common, (begin, limit));
        });
    }

    /// What has been merged goes to the flows; what they have sent is merged next.
    fn pass_on(&mut self) {
        for (chunk, outbox) in self.chunks.iter_mut().zip(&mut self.merge.outboxes) {
            swap(&mut chunk.merged, outbox);
            swap(&mut chunk.sent, outbox);
        }
        swap(self.fates, &mut self.merge.fates);
    }
}

impl Simulation {
    /// Works off what comes before `limit`, window by window, until `events` packets have been handled; returns how many these were.
    pub(super) fn take_windows(&mut self, limit: Entry, events: u64) -> u64 {
        let Some(mut windows) = self.windows.take() else { return 0 };
        let Windows { meeting, lines, fates, chunks, merge, threads, last, done } = &mut *windows;
        // More gain nothing, and take room in the cache.
        let most = (FOR_EACH * self.scenario_flows.len() as u64).max(ENOUGH);
        let mut run = Run {
            flows: &mut self.flows,
            lines,
            chunks,
            merge,
            fates,
            link: &mut self.network.links[meeting.link],
            tables: &mut self.tables,
            scenario: &self.scenario,
            meeting: *meeting,
            most,
            unmerged: None,
        };
        let on_threads = threads.are_several();
        self.finished = true; // if an algorithm panics: no step follows
        let (end, packets) = threads.run(|| run.run(*done, limit, events, last, on_threads));
        self.finished = false;
        *done = end;
        self.now = self.now.max(end.time.saturating_sub(1)).min(self.scenario.duration);
        self.windows = Some(windows);
        packets
    }
}
