// SPDX-License-Identifier: MIT OR Apache-2.0
//! One flow: sender, receiver, and what lies between them.
//!
//! The path behind the bottleneck has a constant delay, and the way back loses nothing, so a packet's arrival and the
//! arrival of its acknowledgement at the sender are one event, at the latter's time; everything the receiver does is
//! shifted by the constant way back.

use crate::host::Host;
use crate::pipe::{Packet, Pipe};
use crate::receiver::Receiver;
use crate::sender::Sender;
use cwnd_scenario::Flow;

/// State of one flow.
#[derive(Debug)]
pub struct FlowState {
    /// The sender.
    pub sender: Sender,
    /// The receiver.
    pub receiver: Receiver,
    /// Accepted by the bottleneck, not yet at the receiver.
    pub pipe: Pipe,
    /// Decided on by the sender, not yet sent.
    pub host: Host,
    rtt: u64,
    ack_every: u32,
    ack_delay: u64,
    /// When a delayed acknowledgement reaches the sender, ns; `u64::MAX` when none is delayed.
    ack_at: u64,
    /// When the flow starts, ns; `u64::MAX` once it has.
    start_at: u64,
    /// Counters and integrals.
    pub count: Count,
}

/// What a flow's summary is made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Packets that left the bottleneck in the measured interval.
    pub forwarded_measured: u64,
    /// Packets accepted by the bottleneck.
    pub accepted: u64,
    /// Distinct segments that reached the receiver in the measured interval.
    pub distinct_measured: u64,
    /// Packets dropped by the queue, and by the loss process.
    pub dropped: [u64; 2],
    /// ∫ cwnd dt over the measured interval so far, segment · ns.
    pub cwnd_ns: u128,
    /// Window since `cwnd_since`.
    cwnd: u32,
    cwnd_since: u64,
}

/// What an event of a flow was.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// An acknowledgement reached the sender.
    Ack,
    /// A packet reached the receiver, which acknowledges it later.
    Packet,
    /// A packet leaves the host.
    Departure,
    /// The retransmission timer fired.
    Timeout,
    /// The flow started.
    Start,
}

impl FlowState {
    pub fn new(flow: &Flow, mss: u32) -> Self {
        Self {
            sender: Sender::new(flow, mss),
            receiver: Receiver::default(),
            pipe: Pipe::default(),
            host: Host::new(flow.group.overhead, flow.overhead_stream),
            rtt: flow.rtt,
            ack_every: flow.group.ack_every,
            ack_delay: flow.group.ack_delay,
            ack_at: u64::MAX,
            start_at: flow.start,
            count: Count { cwnd_since: flow.start, ..Count::default() },
        }
    }

    /// When something next happens to the flow, ns.
    #[inline]
    pub fn next_event(&self) -> u64 {
        let data = self.pipe.get(0).map_or(u64::MAX, |packet| packet.due);
        data.min(self.ack_at).min(self.sender.timer()).min(self.start_at).min(self.host.next())
    }

    /// Handles the event at `now`.
    #[inline]
    pub fn on_event(&mut self, now: u64, measure: (u64, u64)) -> Happened {
        if let Some(&packet) = self.pipe.get(0)
            && packet.due <= now
        {
            self.pipe.pop();
            let before = self.receiver.distinct;
            let happened = match self.receiver.on_packet(&packet, self.ack_every) {
                Some(ack) => {
                    self.ack_at = u64::MAX;
                    self.sender.on_ack(now, &ack);
                    Happened::Ack
                }
                None => {
                    if self.ack_at == u64::MAX {
                        self.ack_at = now + self.ack_delay;
                    }
                    Happened::Packet
                }
            };
            // At the receiver it was half a round trip ago.
            let arrived = now - self.rtt / 2;
            if measure.0 <= arrived && arrived < measure.1 {
                self.count.distinct_measured += self.receiver.distinct - before;
            }
            return happened;
        }
        if self.host.next() <= now {
            return Happened::Departure;
        }
        if self.start_at <= now {
            self.start_at = u64::MAX;
            return Happened::Start;
        }
        if self.ack_at <= now {
            self.ack_at = u64::MAX;
            let ack = self.receiver.on_delay_over();
            self.sender.on_ack(now, &ack);
            return Happened::Ack;
        }
        self.sender.on_timer(now);
        Happened::Timeout
    }

    /// The bottleneck accepted a packet, sent at `sent`, that will have left at `departs`.
    #[inline]
    pub fn accept(&mut self, sent: u64, departs: u64, position: u64, measure: (u64, u64)) {
        self.count.accepted += 1;
        if measure.0 <= departs && departs < measure.1 {
            self.count.forwarded_measured += 1;
        }
        self.pipe.push(Packet {
            due: departs + self.rtt,
            position: position as u32,
            sent_us: (sent / 1000) as u32,
        });
    }

    /// Notes the window at `now`, for the mean over the measured interval.
    #[inline]
    pub fn note_window(&mut self, now: u64, measure: (u64, u64)) {
        let cwnd = self.sender.driver.conn.cwnd;
        if cwnd != self.count.cwnd {
            self.close_window(now, measure);
            self.count.cwnd = cwnd;
        }
    }

    /// Adds the time up to `now` to the mean's integral.
    pub fn close_window(&mut self, now: u64, measure: (u64, u64)) {
        let from = self.count.cwnd_since.max(measure.0);
        let to = now.min(measure.1);
        if to > from {
            self.count.cwnd_ns += u128::from(to - from) * u128::from(self.count.cwnd);
        }
        self.count.cwnd_since = now;
    }

    /// Packets of the flow that have left the bottleneck by `now`.
    pub fn forwarded_by(&self, now: u64) -> u64 {
        self.count.accepted - self.queued_at(now)
    }

    /// Packets of the flow that are in the bottleneck at `now`.
    pub fn queued_at(&self, now: u64) -> u64 {
        // Departures rise along the pipe: a binary search for the first one still to come.
        let (mut low, mut high) = (0, self.pipe.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let left = self.pipe.get(middle).is_some_and(|packet| packet.due - self.rtt <= now);
            if left { low = middle + 1 } else { high = middle }
        }
        (self.pipe.len() - low) as u64
    }
}
