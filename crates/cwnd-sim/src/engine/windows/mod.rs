// SPDX-License-Identifier: MIT OR Apache-2.0
//! Windows: many flows that meet in one queue only, worked off flow by flow, on one thread or several.
//!
//! What a flow sends comes back to it after the *lookahead*, or later, whatever the others do. So all arrivals in a window of that length, or less, are known
//! when it begins. Each flow's arrivals and timers in it are worked off in one go (`turn`), while the flow's state is at hand, and what it sends is
//! noted. Then what all have sent is offered to the queue in the order of the events that sent it (`merge`): by time, then as anywhere
//! ([`crate::schedule`]). Each flow takes what became of it into its next turn. So the results are those of one event after the other, and do
//! not depend on the number of threads.
//!
//! Samples, actions, boundaries and starts of transfers cut windows. Each flow has a delay line of its own meanwhile. Among the timers it has no
//! entry but, where it is a transfer, that of its start.

mod chunk;
mod line;
mod merge;
mod outbox;
mod run;
mod threads;
mod turn;

use super::Simulation;
use crate::network::Packet;
use crate::schedule::{ASLEEP, Entry, EventClass, EventId};
use crate::tcp::{AckPath, FlowState, Handshake};
use chunk::Chunk;
use cwnd_link::NEVER;
use line::OwnLine;
use merge::Merge;
use outbox::Fate;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use threads::Threads;

/// One thread gains by windows with at most so many flows: of more, neither the states nor a window fit the cache.
const MOST_FLOWS: usize = 4000;
/// It gains where packets come on so many delay lines or more, so that trains on each are short, and in a window so many packets of a flow.
const LINES: usize = 4;
const OF_A_FLOW: u64 = 2;
/// On fewer lines it gains with so many flows, windows of so many ns, and so many packets of a flow in one; else trains are long anyway.
const ON_FEW_LINES: (usize, u64, RangeInclusive<u64>) = (64, 45_000_000, 2..=20);

/// Several threads gain with so many flows, and so many packets in a lookahead.
const ON_THREADS: (RangeInclusive<usize>, u64) = (64..=20_000, 2000);

/// When something happens, as it is ordered: its time, ns, and the event that it comes of.
type Moment = (u64, EventId);

/// What a step in windows was.
pub(super) struct Stepped {
    /// How many events it had.
    pub events: u64,
    /// Whether it was a sample.
    pub has_sampled: bool,
}

/// The link at which all flows meet.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// Its number.
    link: usize,
    /// Its propagation, ns.
    propagation: u64,
    /// Time from a transmission to what comes of it, ns, at least.
    lookahead: u64,
    /// Time that the link takes for a full segment, ns.
    spacing: u64,
}

/// The state of a run in windows.
#[derive(Debug)]
pub(super) struct Windows {
    meeting: Meeting,
    /// The flows' own delay lines, in the order of the flows.
    lines: Vec<OwnLine>,
    /// Everything that comes before this is done.
    done: Entry,
    chunks: Vec<Chunk>,
    merge: Merge,
    /// What has become of what was sent and merged last.
    fates: Vec<Fate>,
    threads: Threads,
    /// How many packets the last window had.
    last: u64,
}

impl Windows {
    /// Time from a departure of a flow's segment to its next event, ns.
    const fn delay(&self, flow: &FlowState) -> u64 {
        self.meeting.propagation + flow.to_next_event
    }

    /// When the first of the flows has its next event, ns.
    fn earliest(&self) -> u64 {
        chunk::earliest(&self.chunks)
    }
}

impl Simulation {
    /// The same simulation, before its first event, on so many threads, where the scenario allows: its flows meet in one queue only. Its results
    /// are the same.
    #[must_use]
    pub const fn with_threads(mut self, threads: u32) -> Self {
        debug_assert!(!self.has_begun);
        self.threads = threads;
        self
    }

    /// How many of the threads that it was given this run takes, where its flows meet. Algorithms that are not built in stay on the caller's thread, by which they note
    /// their faults.
    fn threads_of(&self, meeting: &Meeting, asked: u32) -> u32 {
        let processors = std::thread::available_parallelism().map_or(1, |number| number.get() as u32);
        let (flows, packets) = ON_THREADS;
        if asked < 2 || self.has_custom_algorithms() {
            1
        } else if cfg!(debug_assertions) {
            asked
        } else if flows.contains(&self.flows.len()) && meeting.lookahead / meeting.spacing >= packets {
            asked.min(processors)
        } else {
            1
        }
    }

    /// On how many threads it goes; before [`Simulation::begin`], on how many it may.
    #[must_use]
    pub const fn threads(&self) -> u32 {
        self.threads
    }

    /// Where all flows meet, if this run may go in windows.
    fn meeting(&self) -> Option<Meeting> {
        let first = self.flows.first()?.direct.get()?;
        let link = &self.network.links[first as usize];
        let propagation = link.propagation_of_single_packets()?;
        let is_plain = self.scenario.traffic.is_empty()
            && self.stacks.is_none()
            && self.captures.is_none()
            && !self.scenario.record.per_ack
            && self.flows.len() > 1
            && self.flows.iter().all(|flow| {
                flow.direct.get() == Some(first)
                    && self.network.lines[flow.delivery_line as usize].keeps_order()
                    && flow.acks >= AckPath::AtOnce
                    && !flow.is_watched
                    && flow.hosts.is_none()
                    // A timer that is set for the present comes after what set it, which no order by (time, class, number) says.
                    && flow.ack_delay > 0
            });
        let nearest = self.flows.iter().map(|flow| flow.to_next_event).min()?;
        let farthest = self.flows.iter().map(|flow| flow.to_next_event).max()?;
        propagation.checked_add(farthest)?;
        // A window's length fits 32 bits.
        let lookahead = (propagation + nearest).min(u32::MAX.into());
        // What it sends in a nanosecond, and a packet, in the same unit.
        let (per_ns, packet) =
            (link.rate()?.capacity(0, 1), u128::from(self.scenario.packet_size) * 8_000_000_000);
        let spacing = packet.checked_div(per_ns)?.clamp(1, u64::MAX.into()) as u64;
        (is_plain && lookahead > 0).then_some(Meeting {
            link: first as usize,
            propagation,
            lookahead,
            spacing,
        })
    }

    /// Whether one thread gains by windows.
    fn gains(&self, meeting: &Meeting) -> bool {
        let lines: BTreeSet<u32> = self.flows.iter().map(|flow| flow.delivery_line).collect();
        let flows = self.flows.len();
        let of_a_flow = meeting.lookahead / meeting.spacing / flows as u64;
        let (least, length, packets) = ON_FEW_LINES;
        let on_few = flows >= least && meeting.lookahead >= length && packets.contains(&of_a_flow);
        flows <= MOST_FLOWS && (lines.len() >= LINES && of_a_flow >= OF_A_FLOW || on_few)
    }

    /// The same simulation, before its first event, without windows; on one thread. Its results are the same, which tests compare.
    #[must_use]
    pub const fn without_windows(mut self) -> Self {
        (self.has_begun, self.threads) = (true, 1);
        self
    }

    /// Decides whether it goes in windows, and on how many threads, if that is not decided yet. Its first step does so otherwise.
    #[cold]
    pub fn begin(&mut self) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let asked = std::mem::replace(&mut self.threads, 1);
        let Some(meeting) = self.meeting().filter(|_| self.trains) else { return };
        let threads = self.threads_of(&meeting, asked);
        // Debug builds go in windows wherever they may, so that tests do.
        if threads == 1 && !cfg!(debug_assertions) && !self.gains(&meeting) {
            return;
        }
        let pool = Threads::new(threads);
        self.threads = pool.count();
        // The start of a transfer has its place in a table.
        let cuts = |flow: u32| self.scenario_flows[flow as usize].group.size.is_some();
        self.timers.keep(|id| id.class() != EventClass::Flow || cuts(id.number()));
        for (number, flow) in (0..).zip(&mut self.flows) {
            flow.rto_armed = ASLEEP;
            if !cuts(number) {
                flow.armed = ASLEEP;
            }
        }
        for line in &mut self.network.lines {
            line.armed = ASLEEP;
        }
        let chunks = chunk::chunks(self.flows.len());
        self.windows = Some(Box::new(Windows {
            meeting,
            lines: self.flows.iter().map(|_| OwnLine::default()).collect(),
            fates: Vec::new(),
            done: run::start_of(self.now),
            merge: Merge::new(meeting.link as u32, chunks.len()),
            threads: pool,
            chunks,
            last: 0,
        }));
        for number in 0..self.flows.len() as u32 {
            self.look_again(number);
        }
    }

    /// Moves the packets of shared delay lines to the flows' own.
    fn move_packets(&mut self) {
        let Some(windows) = &mut self.windows else { return };
        for line in &mut self.network.lines {
            while let Some((packet, departure)) = line.pop() {
                windows.lines[packet.number() as usize].take_over(&packet, departure);
            }
        }
    }

    /// Packets on the flows' own delay lines.
    pub(super) fn packets_in_windows(&self) -> impl Iterator<Item = Packet> {
        self.windows.iter().flat_map(|windows| {
            let flows = self.flows.iter().zip(&windows.lines).zip(0..);
            flows.flat_map(|((flow, line), number)| line.packets(number, windows.delay(flow)))
        })
    }

    /// Counts the packets that have left the link by `now`, ns.
    pub(super) fn count_forwarded_in_windows(&mut self, now: u64) {
        let Some(windows) = self.windows.as_mut() else { return };
        for (number, flow) in self.flows.iter_mut().enumerate() {
            let delay = windows.delay(flow);
            flow.count.forwarded += u64::from(windows.lines[number].pass(now, delay));
        }
    }

    /// The run is over: what is on the flows' own delay lines goes back to the shared ones.
    pub(super) fn leave_windows(&mut self) {
        let mut packets: Vec<Packet> = self.packets_in_windows().collect();
        packets.sort_by_key(Packet::due);
        for packet in packets {
            let line = self.flows[packet.number() as usize].delivery_line;
            self.network.lines[line as usize].push(packet);
        }
        self.windows = None;
    }

    /// When the next event is, ns; [`NEVER`] behind the last.
    pub(super) fn next_event(&self) -> u64 {
        let of_flows = self.windows.as_ref().map_or(NEVER, |windows| windows.earliest());
        self.network.event_queue.first().min(self.timers.first()).time.min(of_flows)
    }

    /// Handles what comes next: windows, which do not go beyond `before`, ns, until `events` packets have been handled, or the first of the timers.
    /// Returns how many events these were, or nothing when the run is over.
    pub(super) fn step_in_windows(&mut self, before: u64, events: u64) -> Option<Stepped> {
        let windows = self.windows.as_ref()?;
        let last = Entry { time: self.scenario.duration, ..Entry::NEVER };
        let timer = self.timers.first().min(last);
        let limit = timer.min(run::start_of(before));
        if windows.done < limit {
            return Some(Stepped { events: self.take_windows(limit, events), has_sampled: false });
        }
        if timer == last {
            return None;
        }
        let (now, number) = (timer.time, timer.id.number());
        self.now = now;
        match timer.id.class() {
            EventClass::Boundary => self.on_boundary(number),
            EventClass::Sampler => self.on_sampler(timer),
            EventClass::Action => {
                self.on_action(now, number);
                self.look_again(self.actions[number as usize].1);
            }
            EventClass::Flow => self.start_in_windows(now, number),
            EventClass::Source | EventClass::Rto | EventClass::Departure | EventClass::Line => {
                debug_assert!(false, "no such event in windows: {timer:?}");
                self.timers.remove_first();
            }
        }
        Some(Stepped { events: 1, has_sampled: timer.id.class() == EventClass::Sampler })
    }

    /// A flow waits for its start: its timer is due.
    fn start_in_windows(&mut self, now: u64, number: u32) {
        self.timers.remove_first();
        let flow = &mut self.flows[number as usize];
        if flow.armed == now && flow.start_at <= now {
            self.fire(now, number);
            self.look_again(number);
        }
    }

    /// A flow's state has changed outside of a window.
    fn look_again(&mut self, number: u32) {
        self.move_packets();
        let flow = &mut self.flows[number as usize];
        let Some(windows) = &mut self.windows else { return };
        if flow.start_at == NEVER || flow.handshake == Handshake::GoesOn {
            flow.armed = ASLEEP; // it has started: its turns look at its timers
        }
        let mut next = NEVER;
        if flow.armed == ASLEEP {
            next = windows.lines[number as usize].next().min(flow.next_event()).min(flow.sender.rto_at());
        }
        chunk::look_again(&mut windows.chunks, number, next);
    }
}

#[cfg(test)]
mod tests;
