// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lean path: trains of quiet acknowledgements. It does what the general path does (`events`, `transmit`: read these first), for most
//! packets of most runs, with fewer checks.
//!
//! A *train* is the packets of one flow that stand next to each other at the front of a delay line. It is *quiet* while each of them
//! arrives in order at a receiver that misses nothing, and its acknowledgements come to a sender limited only by its window, which sends
//! new segments directly to a link. What makes a flow quiet is checked once for each train: no acknowledgement of a train can change it.
//! What may change with each acknowledgement is checked with each. What is not quiet is left where it is, to the general path.
//!
//! Nothing is taken ahead of its time: a train ends before the next event of anything else. So at each simulated time both paths show
//! the same, and tests and the fuzzer hold them against each other ([`Simulation::without_trains`]). How many events lie before it may
//! differ: two segments that are acknowledged together need no timer between them.

use super::Simulation;
use super::events::{AHEAD, MANY};
use super::prefetch::prefetch;
use super::record::Tables;
use super::transmit::offer;
use crate::network::{DelayLine, EcnMarks, Network, Packet, PathIndex, Segment};
use crate::schedule::Wheel;
use crate::tcp::{AckPath, FlowState, Owner};
use cwnd_link::{DropCause, FastLink, NEVER};
use cwnd_record::EventKind;
use cwnd_scenario::Scenario;
use std::ops::Range;

/// Whether a packet that is due at `due`, ns, reaches its receiver, which runs late by `lag`, in the measured interval, and until when that holds,
/// ns.
fn is_measured_until(due: u64, lag: u64, measure: (u64, u64)) -> (bool, u64) {
    let at = due - lag;
    if at < measure.0 {
        (false, measure.0 + lag)
    } else if at < measure.1 {
        (true, measure.1.saturating_add(lag))
    } else {
        (false, NEVER)
    }
}

/// Whether the next packets of `flow` in order are quiet.
#[inline(always)]
pub(super) fn is_quiet(flow: &FlowState) -> bool {
    flow.acks == AckPath::Trains && flow.sender.is_quiet() && flow.receiver.is_quiet()
}

impl Simulation {
    /// The same simulation, before its first event, without the lean path: every packet takes the general one. Its results are the same,
    /// which tests compare.
    #[must_use]
    pub fn without_trains(mut self) -> Self {
        self.trains = false;
        for number in 0..self.flows.len() as u32 {
            self.choose_ack_path(number);
        }
        for line in &mut self.network.lines {
            line.has_trains = false;
        }
        self
    }

    /// Decides whether the acknowledgements of a flow may come in trains at all. Its delay line keeps in mind that those of some flow may.
    pub(super) fn choose_ack_path(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        let takes_trains = flow.direct.get().is_some_and(|link| {
            self.trains
                // What it sends waits in a queue whose departures are known for many packets at once.
                && self.network.links[link as usize].may_be_fast()
                && self.network.lines[flow.delivery_line as usize].keeps_order()
                // Its data and its acknowledgements meet nothing behind that: no reverse path, no capture, no ECN, no interface.
                && flow.acks >= AckPath::AtOnce
                && !flow.is_watched
                // Nothing but its window limits the sender: no pacing, no application with a rate; nor has it timers of its own.
                && flow.sender.has_only_window()
                // No row is recorded with each of its acknowledgements.
                && !(self.scenario.record.per_ack && flow.is_recorded())
        });
        flow.acks = if takes_trains { AckPath::Trains } else { flow.acks.min(AckPath::AtOnce) };
        if takes_trains {
            self.network.lines[flow.delivery_line as usize].has_trains = true;
        }
    }

    /// Takes quiet trains from the front of a delay line, as far as they are due before every other event, and at most `most` packets.
    /// Returns how many packets these were; time is that of the last.
    #[inline(never)]
    pub(super) fn take_trains(&mut self, line: u32, most: u64) -> u64 {
        let Self { flows, network, timers, scenario, tables, .. } = self;
        let Network { lines, links, event_queue, .. } = network;
        let line = &mut lines[line as usize];
        let mut others =
            event_queue.second().min(timers.first().time).min(scenario.duration.saturating_add(1));
        let is_many = flows.len() > MANY;
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let mut left = most;
        while let Some(&Packet::Data { flow: number, next: PathIndex::END, due, .. }) = line.get(0) {
            if is_many
                && let Some(next) = line.get(AHEAD)
                && let Some(flow) = flows.get(next.number() as usize)
            {
                prefetch(flow);
            }
            let flow = &mut flows[number as usize];
            let Some(link) = flow.direct.get().filter(|_| is_quiet(flow)) else { break };
            let fast = links[link as usize].fast(due, scenario.packet_size, flow.to_next_event);
            let Some(fast) = fast else { break };
            let mut exit = ToLink { fast, timers, tables, scenario, others, sent: 0, left_over: None };
            let taken = take_train((number, due), flow, line, (others, left), &mut exit);
            let ToLink { fast, sent, left_over, others: until, .. } = exit;
            flow.count.forwarded_measured += if fast.is_measured() { u64::from(sent) } else { 0 };
            others = until;
            left -= taken.count;
            self.now = taken.at.max(self.now);
            if let Some((now, positions)) = left_over {
                let link = &mut links[link as usize];
                for position in positions {
                    if let Some(packet) = offer((now, number, position), flow, link, scenario, tables) {
                        line.push(packet);
                    }
                }
                end_burst(now, flow, scenario);
                if flow.sender.rto_at() < flow.rto_armed {
                    flow.arm(timers, number);
                    others = others.min(timers.first().time);
                }
            } else if taken.count == 0 {
                break;
            }
        }
        u64::from(most - left)
    }
}

/// Packets of one flow, one behind the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InOrder {
    /// How many; with none, the rest says nothing.
    count: u32,
    /// When the first and the last of them were sent, µs, low 32 bits.
    first_sent_us: u32,
    newest_sent_us: u32,
    /// When the first and the last of them are due, ns.
    first_due: u64,
    due: u64,
}

/// Where a train comes from: a delay line.
pub(super) trait Arrivals {
    /// A packet on it.
    type Arrival;

    /// The packets from the front on that follow each other in memory.
    fn front(&self) -> &[Self::Arrival];

    /// When a packet was sent, µs, and when it is due, ns; if it is at the end of its path, this flow's, and at this position.
    fn times(arrival: &Self::Arrival, flow: u32, position: u32) -> Option<(u32, u64)>;

    /// Takes the first `count` packets.
    fn skip(&mut self, count: u32);

    /// So many packets were skipped: how many of them were not counted yet as having left the link.
    fn count_skipped(&mut self, count: u32) -> u32;

    /// Packets at the front that are at the end of their path, this flow's, in order from `position` on, and due before `before`; up to
    /// `most`. They may be fewer than there are.
    #[inline(always)]
    fn in_order(&self, flow: u32, position: u32, most: u32, before: u64) -> InOrder {
        let mut found = InOrder::default();
        let front = self.front();
        let times = |arrival: &Self::Arrival, count: u32| {
            Self::times(arrival, flow, position.wrapping_add(count)).filter(|(_, due)| *due < before)
        };
        let Some((first, others)) = front[..front.len().min(most as usize)].split_first() else {
            return found;
        };
        let Some((sent_us, due)) = times(first, 0) else { return found };
        (found.first_sent_us, found.first_due) = (sent_us, due);
        (found.newest_sent_us, found.due, found.count) = (sent_us, due, 1);
        for other in others {
            let Some(next) = times(other, found.count) else { break };
            (found.newest_sent_us, found.due) = next;
            found.count += 1;
        }
        found
    }
}

impl Arrivals for DelayLine {
    type Arrival = Packet;

    #[inline(always)]
    fn front(&self) -> &[Packet] {
        self.front()
    }

    #[inline(always)]
    fn times(packet: &Packet, flow: u32, position: u32) -> Option<(u32, u64)> {
        let &Packet::Data { flow: of, position: at, sent_us, next, due, .. } = packet else { return None };
        (of == flow && at == position && next == PathIndex::END).then_some((sent_us, due))
    }

    #[inline(always)]
    fn skip(&mut self, count: u32) {
        self.skip(count);
    }

    #[inline(always)]
    fn count_skipped(&mut self, count: u32) -> u32 {
        self.count_skipped(count)
    }
}

/// Where what a train sends goes.
pub(super) trait Exit {
    /// What the train stands on.
    type Line: Arrivals;

    /// A quiet flow sends `count` segments from position `first` on at this time, ns; they go on its delay line behind what is there. Returns whether
    /// they have found their way. If not, the train ends here, and the rest of this event is the caller's.
    fn send(
        &mut self,
        at: (u64, u32),
        flow: &mut FlowState,
        line: &mut Self::Line,
        segments: (u64, u32),
    ) -> bool;

    /// The flow's timers may have been moved: when the first event is due that is not a packet of its line, ns, if that may be earlier than before.
    fn settle(&mut self, number: u32, flow: &mut FlowState) -> Option<u64>;

    /// The scenario.
    fn scenario(&self) -> &Scenario;
}

/// What was taken of a train.
pub(super) struct Taken {
    /// How many packets.
    pub count: u32,
    /// When the last of them was due, ns.
    pub at: u64,
}

/// Takes the train of a quiet flow whose first packet is at the front of `line` and due at `due`, ns: what is due before `horizon`, ns, and at most
/// `most` packets.
#[inline(always)]
pub(super) fn take_train<E: Exit>(
    (number, due): (u32, u64),
    flow: &mut FlowState,
    line: &mut E::Line,
    (horizon, most): (u64, u32),
    exit: &mut E,
) -> Taken {
    let mut taken = Taken { count: 0, at: 0 };
    let (is_measured, until) = is_measured_until(due, flow.lag(), exit.scenario().measure);
    // A sender that stops sends nothing more.
    let stops_at = flow.sender.stops_at();
    if due >= stops_at {
        return taken;
    }
    let mut horizon = horizon.min(until).min(stops_at);
    loop {
        // What the next acknowledgement waits for, or as much of it as has come.
        let wanted = u32::from(flow.ack_every) - flow.receiver.pending();
        let next = flow.receiver.next();
        let left = most - taken.count;
        let mut found = line.in_order(number, next as u32, wanted.min(left), horizon);
        // An acknowledgement that is delayed for so long has a timer, which is due first.
        if found.due - found.first_due >= flow.ack_delay {
            found = line.in_order(number, next as u32, left.min(1), horizon);
        }
        let next = next + u64::from(found.count);
        // What leaves nothing out, such as the end of a transfer, is for the general path: the next transmission may restart the window.
        if found.count == 0 || next >= flow.sender.nxt() {
            break;
        }
        debug_assert!(next < flow.goal, "a transfer ends with nothing out");
        let now = found.due;
        taken.at = now;
        taken.count += found.count;
        line.skip(found.count);
        let sent_us = (found.first_sent_us, found.newest_sent_us);
        if found.count < wanted {
            flow.receiver.take_in_order(found.count, sent_us);
            if flow.ack_at == NEVER {
                flow.ack_at = flow.sender.on_tick(found.first_due + flow.ack_delay);
            }
        } else {
            flow.ack_at = NEVER;
            let sent_us = flow.receiver.send_ack_in_order(found.count, sent_us);
            flow.sender.on_ack_in_quiet_mode(now, next, sent_us);
            let count = flow.sender.room();
            if count > 0 {
                let first = flow.sender.send_quietly(now, count);
                if !exit.send((now, number), flow, line, (first, count)) {
                    break;
                }
            }
            end_burst(now, flow, exit.scenario());
        }
        if let Some(earlier) = exit.settle(number, flow) {
            horizon = horizon.min(earlier);
        }
    }
    // Until here these counts were behind.
    flow.count.forwarded += u64::from(line.count_skipped(taken.count));
    flow.count.distinct_measured += if is_measured { u64::from(taken.count) } else { 0 };
    flow.receiver.count_in_order(taken.count.into());
    taken
}

/// A quiet flow has sent what it may.
#[inline(always)]
fn end_burst(now: u64, flow: &mut FlowState, scenario: &Scenario) {
    flow.sender.end_quiet_burst(now);
    if flow.owner == Owner::Scenario {
        flow.record_window(now, scenario.measure);
    }
}

/// What is sent goes to the link at once.
struct ToLink<'a> {
    fast: FastLink<'a>,
    timers: &'a mut Wheel,
    tables: &'a mut Tables,
    scenario: &'a Scenario,
    /// When the first event of anything else is due, ns.
    others: u64,
    /// How many packets the link has sent.
    sent: u32,
    /// What was sent at this time, ns, and cannot be offered by the link's fast path.
    left_over: Option<(u64, Range<u64>)>,
}

impl Exit for ToLink<'_> {
    type Line = DelayLine;

    #[inline(always)]
    fn send(
        &mut self,
        (now, number): (u64, u32),
        flow: &mut FlowState,
        line: &mut DelayLine,
        (first, count): (u64, u32),
    ) -> bool {
        let mut segment = Segment { position: first as u32, sent_us: (now / 1000) as u32 };
        let places = if flow.are_full(first, count) { line.spare(count) } else { None };
        let run = places.and_then(|places| {
            let mut places = places.iter_mut();
            self.fast.offer(now, count, |departs, due| {
                if let Some(place) = places.next() {
                    *place = Packet::data(number, segment, EcnMarks::NOTHING).on_line(
                        departs,
                        due,
                        PathIndex::END,
                    );
                    segment.position = segment.position.wrapping_add(1);
                }
            })
        });
        let Some(run) = run else {
            self.left_over = Some((now, first..first + u64::from(count)));
            return false;
        };
        line.append(run);
        self.sent += run;
        if run < count {
            let dropped = first + u64::from(run)..first + u64::from(count);
            note_drops((now, number), flow, dropped, self.tables);
        }
        true
    }

    #[inline(always)]
    fn settle(&mut self, number: u32, flow: &mut FlowState) -> Option<u64> {
        if flow.ack_at >= flow.armed && flow.sender.rto_at() >= flow.rto_armed {
            return None;
        }
        flow.arm(self.timers, number);
        self.others = self.others.min(self.timers.first().time);
        Some(self.others)
    }

    #[inline(always)]
    fn scenario(&self) -> &Scenario {
        self.scenario
    }
}

/// The queue was full for these segments.
#[cold]
fn note_drops((now, number): (u64, u32), flow: &mut FlowState, dropped: Range<u64>, tables: &mut Tables) {
    for position in dropped {
        flow.count.dropped.count(DropCause::Full);
        if flow.owner == Owner::Scenario {
            tables.event((now, number), EventKind::Drop(DropCause::Full), flow.direct.get(), position, flow);
        }
    }
}
