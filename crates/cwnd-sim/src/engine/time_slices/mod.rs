// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time slices: flows that share one bottleneck queue and no other run one after the other, on one thread or several.
//!
//! Whatever the other flows do, what a flow sends comes back to it after the *lookahead* at the earliest. So when a time slice of at most
//! that length begins, all arrivals in it are known. The engine runs each flow's arrivals and timers in the time slice without
//! interruption (`flow_slice`), while the flow's state is in the cache, and notes what the flow sends. Then it offers what all flows have
//! sent to the queue (`merge`), in the order of the events that sent it: by time, then by the order of [`crate::schedule`]. Each flow
//! applies the outcomes at the beginning of its next slice. So the results are those of one event after the other, and do not depend on
//! the number of threads.
//!
//! Samples, actions, boundaries and starts of transfers end a time slice. In this mode each flow has its own delay line, and only a
//! transfer that has not started has an entry among the timers.

mod chunk;
mod flow_slice;
mod line;
mod merge;
mod outbox;
mod run;
mod state;
mod threads;

use super::Simulation;
use crate::network::Packet;
use crate::schedule::{ASLEEP, Entry, EventClass};
use crate::tcp::{AckPath, Handshake};
use cwnd_link::NEVER;
use line::OwnLine;
use merge::Merge;
use state::SharedBottleneck;
pub(super) use state::TimeSlices;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use threads::Threads;

/// The most flows for which time slices are faster on one thread: with more, neither the states nor a time slice fit the cache.
const MOST_FLOWS: usize = 4000;
/// They are faster if packets arrive on at least `LINES` delay lines, so that trains on each are short, and if a time slice has at least
/// `OF_A_FLOW` packets of each flow.
const LINES: usize = 4;
const OF_A_FLOW: u64 = 2;
/// On fewer lines they are faster with at least so many flows, time slices of at least so many ns, and so many packets of a flow in each;
/// else trains are long without them.
const ON_FEW_LINES: (usize, u64, RangeInclusive<u64>) = (64, 45_000_000, 2..=20);

/// Several threads are faster with so many flows, and at least so many packets in a lookahead.
const ON_THREADS: (RangeInclusive<usize>, u64) = (64..=20_000, 2000);

/// The result of a step in time slices.
pub(super) struct Stepped {
    /// How many events it had.
    pub events: u64,
    /// Whether it was a sample.
    pub has_sampled: bool,
}

impl Simulation {
    /// Lets the simulation, before its first event, use up to `threads` threads. It uses them if its flows share one queue and no other.
    /// The results are the same.
    #[must_use]
    pub const fn with_threads(mut self, threads: u32) -> Self {
        debug_assert!(!self.has_begun);
        self.threads = threads;
        self
    }

    /// How many of the `asked` threads this run uses. Algorithms that are not built in stay on the caller's thread, by which their faults
    /// are found.
    fn threads_of(&self, bottleneck: &SharedBottleneck, asked: u32) -> u32 {
        let processors = std::thread::available_parallelism().map_or(1, |number| number.get() as u32);
        let (flows, packets) = ON_THREADS;
        if asked < 2 || self.has_custom_algorithms() {
            1
        } else if cfg!(debug_assertions) {
            asked
        } else if flows.contains(&self.flows.len()) && bottleneck.lookahead / bottleneck.spacing >= packets {
            asked.min(processors)
        } else {
            1
        }
    }

    /// How many threads it uses; before [`Simulation::begin`], how many it may use.
    #[must_use]
    pub const fn threads(&self) -> u32 {
        self.threads
    }

    /// The link that all flows share, if this run can use time slices.
    fn shared_bottleneck(&self) -> Option<SharedBottleneck> {
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
                    // A timer that is set for the present comes after the event that set it: the order by (time, class, number) cannot say
                    // so.
                    && flow.ack_delay > 0
            });
        let nearest = self.flows.iter().map(|flow| flow.to_next_event).min()?;
        let farthest = self.flows.iter().map(|flow| flow.to_next_event).max()?;
        propagation.checked_add(farthest)?;
        // A time slice's length fits 32 bits.
        let lookahead = (propagation + nearest).min(u32::MAX.into());
        // What the link sends in a nanosecond, and the size of a packet, in the same unit.
        let (per_ns, packet) =
            (link.rate()?.capacity(0, 1), u128::from(self.scenario.packet_size) * 8_000_000_000);
        let spacing = packet.checked_div(per_ns)?.clamp(1, u64::MAX.into()) as u64;
        (is_plain && lookahead > 0).then_some(SharedBottleneck {
            link: first as usize,
            propagation,
            lookahead,
            spacing,
        })
    }

    /// Whether time slices are faster on one thread.
    fn gains(&self, bottleneck: &SharedBottleneck) -> bool {
        let lines: BTreeSet<u32> = self.flows.iter().map(|flow| flow.delivery_line).collect();
        let flows = self.flows.len();
        let of_a_flow = bottleneck.lookahead / bottleneck.spacing / flows as u64;
        let (least, length, packets) = ON_FEW_LINES;
        let on_few = flows >= least && bottleneck.lookahead >= length && packets.contains(&of_a_flow);
        flows <= MOST_FLOWS && (lines.len() >= LINES && of_a_flow >= OF_A_FLOW || on_few)
    }

    /// Makes the simulation, before its first event, run without time slices, on one thread. The results are the same; tests compare them.
    #[must_use]
    pub const fn without_time_slices(mut self) -> Self {
        (self.has_begun, self.threads) = (true, 1);
        self
    }

    /// Decides whether to use time slices and how many threads, unless that is decided. Otherwise the first step does so.
    #[cold]
    pub fn begin(&mut self) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let asked = std::mem::replace(&mut self.threads, 1);
        let Some(bottleneck) = self.shared_bottleneck().filter(|_| self.trains) else { return };
        let threads = self.threads_of(&bottleneck, asked);
        // Debug builds use time slices wherever possible, so that tests cover them.
        if threads == 1 && !cfg!(debug_assertions) && !self.gains(&bottleneck) {
            return;
        }
        let pool = Threads::new(threads);
        self.threads = pool.count();
        // The start of a transfer takes its place in a table, so it must be an event of its own.
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
        self.time_slices = Some(Box::new(TimeSlices {
            bottleneck,
            lines: self.flows.iter().map(|_| OwnLine::default()).collect(),
            outcomes: Vec::new(),
            done: run::start_of(self.now),
            merge: Merge::new(bottleneck.link as u32, chunks.len()),
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
        let Some(time_slices) = &mut self.time_slices else { return };
        for line in &mut self.network.lines {
            while let Some((packet, departure)) = line.pop() {
                time_slices.lines[packet.number() as usize].take_over(&packet, departure);
            }
        }
    }

    /// Packets on the flows' own delay lines.
    pub(super) fn packets_in_time_slices(&self) -> impl Iterator<Item = Packet> {
        self.time_slices.iter().flat_map(|time_slices| {
            let flows = self.flows.iter().zip(&time_slices.lines).zip(0..);
            flows.flat_map(|((flow, line), number)| line.packets(number, time_slices.delay(flow)))
        })
    }

    /// Counts the packets that have left the link by `now`, ns.
    pub(super) fn count_forwarded_in_time_slices(&mut self, now: u64) {
        let Some(time_slices) = self.time_slices.as_mut() else { return };
        for (number, flow) in self.flows.iter_mut().enumerate() {
            let delay = time_slices.delay(flow);
            flow.count.forwarded += u64::from(time_slices.lines[number].pass(now, delay));
        }
    }

    /// At the end of the run: moves packets from the flows' own delay lines back to the shared ones.
    pub(super) fn leave_time_slices(&mut self) {
        let mut packets: Vec<Packet> = self.packets_in_time_slices().collect();
        packets.sort_by_key(Packet::due);
        for packet in packets {
            let line = self.flows[packet.number() as usize].delivery_line;
            self.network.lines[line as usize].push(packet);
        }
        self.time_slices = None;
    }

    /// Time of the next event, ns; [`NEVER`] after the last.
    pub(super) fn next_event(&self) -> u64 {
        let of_flows = self.time_slices.as_ref().map_or(NEVER, |time_slices| time_slices.earliest());
        self.network.event_queue.first().min(self.timers.first()).time.min(of_flows)
    }

    /// Runs time slices until `events` packets have been handled, none of them beyond `before`, ns; or handles the first of the timers.
    /// Returns the number of events, or nothing when the run is over.
    pub(super) fn step_in_time_slices(&mut self, before: u64, events: u64) -> Option<Stepped> {
        let time_slices = self.time_slices.as_ref()?;
        let last = Entry { time: self.scenario.duration, ..Entry::NEVER };
        let timer = self.timers.first().min(last);
        let limit = timer.min(run::start_of(before));
        if time_slices.done < limit {
            return Some(Stepped { events: self.run_time_slices(limit, events), has_sampled: false });
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
            EventClass::Flow => self.start_in_time_slices(now, number),
            EventClass::Source | EventClass::Rto | EventClass::Departure | EventClass::Line => {
                debug_assert!(false, "no such event in time slices: {timer:?}");
                self.timers.remove_first();
            }
        }
        Some(Stepped { events: 1, has_sampled: timer.id.class() == EventClass::Sampler })
    }

    /// The start timer of a flow is due.
    fn start_in_time_slices(&mut self, now: u64, number: u32) {
        self.timers.remove_first();
        let flow = &mut self.flows[number as usize];
        if flow.armed == now && flow.start_at <= now {
            self.fire(now, number);
            self.look_again(number);
        }
    }

    /// Computes the time of a flow's next event again, after its state has changed outside of a time slice.
    fn look_again(&mut self, number: u32) {
        self.move_packets();
        let flow = &mut self.flows[number as usize];
        let Some(time_slices) = &mut self.time_slices else { return };
        if flow.start_at == NEVER || flow.handshake == Handshake::GoesOn {
            flow.armed = ASLEEP; // it has started: its slices check its timers
        }
        let mut next = NEVER;
        if flow.armed == ASLEEP {
            next = time_slices.lines[number as usize].next().min(flow.next_event()).min(flow.sender.rto_at());
        }
        chunk::look_again(&mut time_slices.chunks, number, next);
    }
}

#[cfg(test)]
mod tests;
