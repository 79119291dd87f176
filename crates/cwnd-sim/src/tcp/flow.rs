// SPDX-License-Identifier: MIT OR Apache-2.0
//! One flow: sender, receiver, and the engine's state of it.
//!
//! Where the delay behind a flow's last queue is constant, and the reverse path neither queues nor loses packets, a packet's arrival at
//! the receiver and the arrival of its acknowledgement at the sender are one event, at the time of the latter. The receiver then runs
//! late by the constant delay of the reverse path. Such a flow is *fused*.

use super::ecn::Ecn;
use super::hosts::Hosts;
use super::interface::Interface;
use super::receiver::Receiver;
use super::send_host::Host;
use super::sender::{ENDLESS, Sender};
use crate::index::OptionIndex;
use crate::network::FlowPath;
use crate::schedule::{EventClass, EventId, Wheel};
use cwnd::CaState;
use cwnd::registry::Recovery;
use cwnd_link::{NEVER, OwnDrops};
use cwnd_record::FlowCounts;
use cwnd_scenario::{Flow, HEADER_BYTES};
use cwnd_traffic::Direction;

/// State of one flow.
#[derive(Debug)]
pub struct FlowState {
    /// Time of the retransmission timer's entry among the timers, ns; [`NEVER`] when it has none, [`ASLEEP`](crate::schedule::ASLEEP) when it needs none. Every acknowledgement moves this
    /// timer, so it has an entry of its own: else each nearer timer would leave a stale far entry behind.
    pub rto_armed: u64,
    /// Time of the entry of all other timers, ns; the same.
    pub armed: u64,
    /// When a delayed acknowledgement is sent (of a fused flow: reaches the sender), ns; [`NEVER`] when none is delayed. With an interface the
    /// earlier of that and of when it works off what waits.
    pub ack_at: u64,
    /// When the flow starts, or in its handshake when that is over, ns; [`NEVER`] once it may send.
    pub start_at: u64,
    /// Its handshake.
    pub handshake: Handshake,
    /// The receiver's next position when the current transfer is complete; [`ENDLESS`] without a transfer that ends.
    pub goal: u64,
    /// Delay from the far end of the last link to the receiver, ns.
    pub access_delay_fwd: u64,
    /// Delay from the far end of the last reverse link (without one: from the receiver) to the sender, ns.
    pub access_delay_rev: u64,
    /// Delay from the far end of the last link to the packet's next event, ns.
    pub to_next_event: u64,
    /// The delay line behind the last link.
    pub delivery_line: u32,
    /// The delay line to the sender.
    pub ack_line: u32,
    /// The last segment that has been written: low half of its position, and its size on the wire, bytes.
    pub last: (u32, u32),
    /// Index into [`crate::network::Network::routes`].
    pub route: u32,
    /// The flow's only link, if every packet enters it the moment the sender sends and it holds no packets.
    pub direct: OptionIndex,
    /// The receiver acknowledges at least every n-th segment; up to 1000.
    pub ack_every: u16,
    pub ack_delay: u64,
    /// Acknowledgements in the network, of a flow that is not fused.
    pub acks_out: u32,
    /// Its current transfer, a row of the table.
    pub transfer: OptionIndex,
    /// Its owner.
    pub owner: Owner,
    /// How its acknowledgements come to the sender.
    pub acks: AckPath,
    /// Whether its delay lines are private.
    pub private: bool,
    /// What is recorded of it.
    pub recorded: FlowRecord,
    /// Whether more is done with its packets than with most: it is captured, has ECN, or its receiver's interface holds segments back.
    pub is_watched: bool,
    /// The receiver.
    pub receiver: Receiver,
    /// The sender.
    pub sender: Sender,
    /// Its hosts, if they hold packets back or have ECN.
    pub hosts: Option<Box<Hosts>>,
    /// Counters and integrals.
    pub count: FlowCounters,
}

/// A connection's handshake: a round trip that meets no queue. Its packets are not simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// The flow has not started.
    Ahead,
    /// It goes on.
    GoesOn,
    /// It is over, or there is none.
    Over,
}

/// How the acknowledgements of a flow come to its sender, in rising order: each way has the conditions of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AckPath {
    /// As packets, or at least as events of their own.
    Packets,
    /// With their data: the flow is fused.
    Fused,
    /// No more is done with them: the flow is neither captured nor has ECN. Its receiver may still hold segments back (`is_watched`).
    AtOnce,
    /// They may come in trains (`engine/trains`); the flow has a link that it sends to directly.
    Trains,
}

/// What is recorded of a flow, each with what stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowRecord {
    /// Its events.
    Events,
    /// Rows in the tables of samples.
    Samples,
    /// Its packets.
    Packets,
}

/// Who a flow belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The scenario: it has a number in the tables.
    Scenario,
    /// A source of traffic, by its number, and the direction of its data.
    Source(u32, Direction),
    /// None: its place is free.
    Free,
}

/// A sum of 128 bits in two halves: one number would be aligned to 16 bytes, and each flow larger.
#[derive(Clone, Copy, Debug, Default)]
pub struct Integral([u64; 2]);

impl Integral {
    /// The sum.
    pub const fn get(self) -> u128 {
        (self.0[0] as u128) << 64 | self.0[1] as u128
    }

    /// A value is there for a time.
    const fn add(&mut self, time: u64, value: u32) {
        let sum = self.get() + time as u128 * value as u128;
        self.0 = [(sum >> 64) as u64, sum as u64];
    }
}

/// Counters for a flow's summary.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowCounters {
    /// Packets that left the last link in the measured interval.
    pub forwarded_measured: u64,
    /// Packets that left the last link, as counted so far: see [`crate::network::DelayLine::pass`].
    pub forwarded: u64,
    /// Distinct segments that reached the receiver in the measured interval.
    pub distinct_measured: u64,
    /// Bytes by which the segments of either count are smaller than full ones: last segments of transfers are short.
    pub forwarded_short: u64,
    pub distinct_short: u64,
    /// Packets dropped.
    pub dropped: OwnDrops,
    /// ∫ cwnd dt over the measured interval so far, segment · ns.
    pub cwnd_ns: Integral,
    /// Window since `cwnd_since`.
    cwnd: u32,
    cwnd_since: u64,
}

/// A flow's recovery state: the state, and the end of the recovery. A loss behind that end begins another recovery in the same state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryState(pub CaState, u64);

impl RecoveryState {
    #[inline]
    pub const fn of(flow: &FlowState) -> Self {
        Self(flow.sender.driver.conn.ca_state, flow.sender.driver.recovery_end())
    }

    /// Whether the window was reduced after `before`: each reduction is of other data, but for a timeout in a recovery.
    pub fn is_reduction_after(self, before: Self) -> bool {
        let times_out = self.0 == CaState::Loss && before.0 != CaState::Loss;
        matches!(self.0, CaState::Cwr | CaState::Recovery | CaState::Loss)
            && (self.1 != before.1 || times_out)
    }
}

impl FlowState {
    pub fn new(flow: &Flow, mss: u32, path: FlowPath, owner: Owner) -> Self {
        let has_stack = flow.group.stack.is_some();
        // The ECN of a foreign stack is its own matter.
        let (overhead, has_ecn) = (flow.group.overhead, flow.group.ecn && !has_stack);
        let as_linux = flow.recovery == Recovery::Linux;
        // Other recoveries' clocks have no phase.
        let phases_us = if as_linux { flow.clock_phases_us } else { [0; 2] };
        let hosts = Hosts {
            sender: (overhead > 0).then(|| Host::new(overhead, flow.overhead_stream)),
            interface: flow.group.gro.map(|gro| Interface::new(gro, mss, flow.timestamp_clock(), phases_us)),
            ecn: has_ecn.then(Ecn::default),
            has_stack,
        };
        // A window that has come down to half is opened again, and acknowledges, as soon as the data is read. // Linux: tcp_cleanup_rbuf
        let soonest = flow.group.rwnd.filter(|_| as_linux).map_or(u32::MAX, |rwnd| rwnd.div_ceil(2));
        let reads_at_once = flow.group.size.is_some();
        Self {
            rto_armed: NEVER,
            armed: NEVER,
            ack_at: NEVER,
            start_at: flow.start,
            handshake: if flow.has_handshake() { Handshake::Ahead } else { Handshake::Over },
            goal: ENDLESS,
            access_delay_fwd: path.access_delay_fwd,
            access_delay_rev: path.access_delay_rev,
            to_next_event: path.access_delay_fwd + if path.fused { path.access_delay_rev } else { 0 },
            delivery_line: path.delivery_line,
            ack_line: path.ack_line,
            last: (0, mss + HEADER_BYTES),
            route: path.route,
            direct: if overhead > 0 || has_ecn { OptionIndex::NONE } else { path.direct },
            ack_every: flow.group.ack_every.min(soonest) as u16,
            ack_delay: flow.group.ack_delay,
            acks_out: 0,
            transfer: OptionIndex::NONE,
            owner,
            acks: match path.fused {
                true if has_ecn => AckPath::Fused,
                true => AckPath::AtOnce,
                false => AckPath::Packets,
            },
            private: false,
            recorded: FlowRecord::Events,
            is_watched: hosts.interface.is_some() || has_ecn,
            receiver: if as_linux {
                Receiver::linux(mss, flow.group.rwnd, reads_at_once, flow.clock_phases_us[0])
            } else {
                Receiver::default()
            },
            sender: Sender::new(flow, mss),
            hosts: (hosts.sender.is_some() || hosts.interface.is_some() || has_ecn || has_stack)
                .then(|| Box::new(hosts)),
            count: FlowCounters { cwnd_since: flow.start, ..FlowCounters::default() },
        }
    }

    /// Whether its receiver's application reads at once.
    pub fn set_reading(&mut self, at_once: bool) {
        self.receiver.set_reading(at_once);
    }

    /// Its packets are captured from now on: they take the general path, which comes to the same.
    pub fn capture(&mut self) {
        (self.recorded, self.direct) = (FlowRecord::Packets, OptionIndex::NONE);
        self.acks = self.acks.min(AckPath::Fused);
        self.is_watched = true;
    }

    /// Whether its acknowledgements echo a congestion mark.
    #[inline]
    pub fn echoes(&self) -> bool {
        self.hosts.as_ref().and_then(|hosts| hosts.ecn).is_some_and(|ecn| ecn.echoes())
    }

    /// Its ECN, where it has been negotiated.
    pub fn ecn_mut(&mut self) -> Option<&mut Ecn> {
        self.hosts.as_mut()?.ecn.as_mut()
    }

    /// Whether it has rows in the tables of samples.
    #[inline]
    pub const fn is_recorded(&self) -> bool {
        !matches!(self.recorded, FlowRecord::Events)
    }

    /// Adds timers for its next events, where it has none that is early enough; `number` is its own.
    #[inline(never)]
    pub fn arm(&mut self, timers: &mut Wheel, number: u32) {
        let (next, rto) = (self.next_event(), self.sender.rto_at());
        if next < self.armed {
            self.armed = next;
            timers.push(next, EventId::new(EventClass::Flow, number));
        }
        if rto < self.rto_armed {
            self.rto_armed = rto;
            timers.push(rto, EventId::new(EventClass::Rto, number));
        }
    }

    /// Whether its packets are captured.
    #[inline]
    pub const fn is_captured(&self) -> bool {
        crate::CAPTURES && matches!(self.recorded, FlowRecord::Packets)
    }

    /// When its hosts next have an event other than a retransmission timeout, ns.
    #[inline]
    pub fn next_event(&self) -> u64 {
        let host = self.hosts.as_ref().map_or(NEVER, |hosts| hosts.next_to_leave());
        self.sender.wake_at().min(self.ack_at).min(self.start_at).min(host)
    }

    /// The application has written `bytes`, in segments of `mss`: sets the size of the last one.
    pub fn set_last_segment(&mut self, bytes: u64, mss: u32) {
        let rest = (bytes % u64::from(mss)) as u32;
        let payload = if rest == 0 { mss } else { rest };
        self.last = ((self.goal as u32).wrapping_sub(1), payload + HEADER_BYTES);
    }

    /// Whether the `count` segments from position `first` on are full: only the last one of a transfer may be shorter.
    #[inline(always)]
    pub const fn are_full(&self, first: u64, count: u32) -> bool {
        self.last.0.wrapping_sub(first as u32) >= count
    }

    /// Size of the segment at `position` (low half), bytes on the wire: `full` unless it is a transfer's last one.
    #[inline]
    pub const fn size(&self, position: u32, full: u32) -> u32 {
        if position == self.last.0 { self.last.1 } else { full }
    }

    /// Counts a segment of `size` bytes that leaves the last link in the measured interval.
    #[inline]
    pub const fn count_forwarded(&mut self, size: u32, full: u32) {
        self.count.forwarded_measured += 1;
        self.count.forwarded_short += (full - size) as u64;
    }

    /// Its counts so far.
    pub const fn counts(&self) -> FlowCounts {
        let sent = &self.sender.sent;
        FlowCounts {
            packets_sent: sent.packets,
            retransmits: sent.retransmits,
            timeouts: sent.timeouts,
            drops: self.count.dropped.of_all(),
        }
    }

    /// Wire bytes that left the last link in the measured interval; full segments have `full` bytes.
    pub const fn forwarded_bytes(&self, full: u32) -> u64 {
        self.count.forwarded_measured * full as u64 - self.count.forwarded_short
    }

    /// Whether it is fused, see above.
    #[inline(always)]
    pub const fn is_fused(&self) -> bool {
        !matches!(self.acks, AckPath::Packets)
    }

    /// By how much the receiver runs late, ns: see above.
    #[inline]
    pub const fn lag(&self) -> u64 {
        if self.is_fused() { self.access_delay_rev } else { 0 }
    }

    /// Data packets in its hosts: they have not left the sender's yet, or wait at the receiver's interface.
    pub fn at_hosts(&self) -> u64 {
        self.hosts.as_ref().map_or(0, |hosts| hosts.len())
    }

    /// The receiver's interface, if it holds segments back.
    pub fn interface(&mut self) -> Option<&mut Interface> {
        self.hosts.as_mut()?.interface.as_mut()
    }

    /// Data packets in links and delay lines.
    pub fn in_network(&self) -> u64 {
        self.sender.sent.packets - self.receiver.arrived - self.at_hosts() - self.count.dropped.total()
    }

    /// Whether none of its packets is left.
    pub fn has_drained(&self) -> bool {
        self.acks_out == 0 && self.in_network() == 0 && self.at_hosts() == 0
    }

    /// Records the window at `now`, for its mean over the measured interval.
    #[inline]
    pub fn record_window(&mut self, now: u64, measure: (u64, u64)) {
        let cwnd = self.sender.driver.conn.cwnd;
        if cwnd != self.count.cwnd {
            self.integrate_window(now, measure);
            self.count.cwnd = cwnd;
        }
    }

    /// Adds the time up to `now` to the integral of the window.
    pub fn integrate_window(&mut self, now: u64, measure: (u64, u64)) {
        let from = self.count.cwnd_since.max(measure.0);
        let to = now.min(measure.1);
        if to > from {
            self.count.cwnd_ns.add(to - from, self.count.cwnd);
        }
        self.count.cwnd_since = now;
    }
}
