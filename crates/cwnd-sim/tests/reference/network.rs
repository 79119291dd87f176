// SPDX-License-Identifier: MIT OR Apache-2.0
//! One flow over two links: a queue of events in a heap, drop-tail queues that store their packets, losses by number.

use crate::linux::LinuxSender;
use crate::receiver::{AckSegment, Receiver};
use crate::sender::Sender;
use cwnd::Conn;
use cwnd::registry::Recovery;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// A link.
#[derive(Clone, Debug)]
pub struct LinkSetup {
    /// bit/s.
    pub rate: u64,
    /// Packets that wait, beside the one that is sent.
    pub limit: usize,
    /// Numbers of the packets that it loses, from 1.
    pub losses: BTreeSet<u64>,
    /// Numbers of the packets that come later than they should, among those that it sends, and by how much, ns.
    pub late: (BTreeSet<u64>, u64),
    /// Times between which its delay is larger, and by how much, ns.
    pub step: Option<(u64, u64, u64)>,
}

/// A flow and its network.
#[derive(Clone, Debug)]
pub struct Setup {
    pub cc: &'static str,
    pub recovery: Recovery,
    pub mss: u32,
    pub initial_cwnd: u32,
    pub initial_ssthresh: Option<u32>,
    pub segments: u64,
    pub ack_every: u32,
    /// ns.
    pub ack_delay: u64,
    pub min_rto_us: u32,
    pub limited_transmit: bool,
    /// Segments that the receiver has place for.
    pub rwnd: u64,
    /// Whether the connection opens with a round trip, which meets no queue.
    pub handshake: bool,
    /// Propagation there and back, ns.
    pub rtt: u64,
    pub forward: LinkSetup,
    /// The way of acknowledgements; without one they meet no queue.
    pub reverse: Option<LinkSetup>,
    /// ns.
    pub duration: u64,
    /// Of thousand packets so many are late, by so many ns; the seed says which.
    pub reorder: Option<(u32, u64, u64)>,
}

/// A sender.
pub trait Endpoint: std::fmt::Debug {
    /// The connection is open at `now`, ns, after a handshake of a round trip.
    fn on_open(&mut self, now: u64);
    /// An acknowledgement arrives at `now`, ns.
    fn on_ack(&mut self, now: u64, ack: &AckSegment);
    /// Its timer fires; whether that is a retransmission timeout.
    fn on_timer(&mut self, now: u64) -> bool;
    /// Sends what may be sent: positions, and whether each was sent before.
    fn send(&mut self, now: u64) -> Vec<(u64, bool)>;
    /// When its timer fires.
    fn due(&self) -> Option<u64>;
    /// The variables that its algorithm reads.
    fn conn(&self) -> &Conn;
}

/// What happened at the sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A segment left.
    Sent { position: u64, again: bool },
    /// An acknowledgement came; the window, … when what it allowed was sent.
    Ack {
        cumulative: u64,
        blocks: Vec<(u64, u64)>,
        cwnd: u32,
        ssthresh: u32,
        in_flight: u32,
        state: u8,
        srtt_us: u32,
    },
    /// The retransmission timer fired.
    Timeout { cwnd: u32, ssthresh: u32 },
}

/// An event at the sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub time_ns: u64,
    pub what: What,
}

/// A link: when each packet in it has left, in 10⁻⁹ of 1/rate s.
#[derive(Debug)]
struct Link {
    setup: LinkSetup,
    offered: u64,
    departed: u64,
    departures: VecDeque<u128>,
    free: u128,
    /// When the last packet that is not late is at its far end.
    arrived: u64,
}

impl Link {
    const fn new(setup: LinkSetup) -> Self {
        Self { setup, offered: 0, departed: 0, departures: VecDeque::new(), free: 0, arrived: 0 }
    }

    /// A packet of `bytes` comes at `now`; when it is at the far end, ns, if that is reached in no time but for a step.
    fn push(&mut self, now: u64, bytes: u64) -> Option<u64> {
        self.offered += 1;
        if self.setup.losses.contains(&self.offered) {
            return None;
        }
        let rate = u128::from(self.setup.rate);
        // What leaves within a nanosecond is reported as having left at its beginning.
        self.departures.retain(|&at| at / rate > u128::from(now));
        if self.departures.len() > self.setup.limit {
            return None;
        }
        if self.free / rate < u128::from(now) {
            self.free = u128::from(now) * rate;
        }
        self.free += u128::from(bytes) * 8_000_000_000;
        self.departures.push_back(self.free);
        let departs = (self.free / rate) as u64;
        let step = self.setup.step.filter(|step| (step.0..step.1).contains(&departs));
        // Where the delay falls again, nothing overtakes.
        self.arrived = self.arrived.max(departs + step.map_or(0, |step| step.2));
        self.departed += 1;
        let is_late = self.setup.late.0.contains(&self.departed);
        Some(self.arrived + if is_late { self.setup.late.1 } else { 0 })
    }
}

/// What is on its way.
#[derive(Debug)]
enum Event {
    Start,
    Data { position: u64, sent_us: u64 },
    Ack(AckSegment),
}

/// A run.
pub struct Run {
    pub records: Vec<Record>,
    pub sender: Box<dyn Endpoint>,
    /// Up to when the records go, ns.
    pub end: u64,
}

/// The size of an acknowledgement, bytes: Linux's has room for its blocks, in whole words. // RFC 2018 §3
fn ack_bytes(setup: &Setup, ack: &AckSegment) -> u64 {
    let blocks = ack.blocks.len() as u64 + u64::from(ack.duplicate.is_some());
    52 + if setup.recovery == Recovery::Linux && blocks > 0 { 4 + 8 * blocks } else { 0 }
}

/// Runs a network until its sender has `most` records. It ends early where two of a packet and the hosts' timers are due in the same
/// nanosecond, and either may come first.
pub fn run(setup: &Setup, most: usize) -> Run {
    let is_linux = setup.recovery == Recovery::Linux;
    let mut sender: Box<dyn Endpoint> =
        if is_linux { Box::new(LinuxSender::new(setup)) } else { Box::new(Sender::new(setup)) };
    let mut receiver = Receiver::new(setup);
    let mut forward = Link::new(setup.forward.clone());
    let mut reverse = setup.reverse.clone().map(Link::new);
    // Where nothing happens to acknowledgements, the receiver answers when they are at the sender: its one use of the sender's round trip
    // time is as late as the simulator's.
    let back = if reverse.is_some() { setup.rtt - setup.rtt / 2 } else { 0 };
    let there = setup.rtt - back;
    let start = if setup.handshake { setup.rtt } else { 0 };
    let (mut heap, mut events) = (BinaryHeap::from([Reverse((start, 0))]), vec![Some(Event::Start)]);
    let mut records: Vec<Record> = Vec::new();
    loop {
        let next = heap.peek().map(|Reverse((at, _))| *at);
        let due = [next, receiver.due, sender.due()];
        let now = due.into_iter().flatten().min().unwrap_or(u64::MAX);
        if now > setup.duration
            || records.len() >= most
            || due.iter().filter(|at| **at == Some(now)).count() > 1
        {
            return Run { records, sender, end: now };
        }
        let (mut answer, mut came) = (None, None);
        if receiver.due == Some(now) {
            answer = Some(receiver.send_due());
        } else if sender.due() == Some(now) {
            if sender.on_timer(now) {
                let &Conn { cwnd, ssthresh, .. } = sender.conn();
                records.push(Record { time_ns: now, what: What::Timeout { cwnd, ssthresh } });
            }
        } else if let Some(Reverse((_, number))) = heap.pop() {
            match events[number].take() {
                Some(Event::Data { position, sent_us }) => {
                    answer = receiver.on_segment(now, position, sent_us, sender.conn().min_rtt_us)
                }
                Some(Event::Ack(ack)) => {
                    sender.on_ack(now, &ack);
                    came = Some((records.len(), ack));
                }
                Some(Event::Start) if setup.handshake => sender.on_open(now),
                Some(Event::Start) | None => {}
            }
        }
        if let Some(ack) = answer
            && let Some(at) =
                reverse.as_mut().map_or(Some(now), |link| link.push(now, ack_bytes(setup, &ack)))
        {
            heap.push(Reverse((at + back, events.len())));
            events.push(Some(Event::Ack(ack)));
        }
        for (position, again) in sender.send(now) {
            records.push(Record { time_ns: now, what: What::Sent { position, again } });
            if let Some(at) = forward.push(now, u64::from(setup.mss) + 52) {
                heap.push(Reverse((at + there, events.len())));
                events.push(Some(Event::Data { position, sent_us: now / 1000 }));
            }
        }
        if let Some((place, ack)) = came {
            let conn = sender.conn();
            let what = What::Ack {
                cumulative: ack.cumulative,
                blocks: ack
                    .duplicate
                    .map(|position| (position, position + 1))
                    .into_iter()
                    .chain(ack.blocks)
                    .collect(),
                cwnd: conn.cwnd,
                ssthresh: conn.ssthresh,
                in_flight: conn.in_flight,
                state: conn.ca_state as u8,
                srtt_us: conn.srtt_us8 / 8,
            };
            records.insert(place, Record { time_ns: now, what });
        }
    }
}
