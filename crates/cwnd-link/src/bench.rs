// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue bench: packets arrive at a link at given times, and each has its fate. No sender answers, so two queues get the same arrivals.
//!
//! The queue is the link's own, or outside of this process (see [`Link::send`]): then the caller passes the bench's [requests](BenchAsk) on to
//! that queue, and reports what it sends and drops.

use crate::counters::PacketClass;
use crate::link::{Link, Offered};
use crate::service::NEVER;
use std::collections::VecDeque;

/// A packet that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchArrival {
    /// When, ns; not before the previous arrival.
    pub at: u64,
    /// Size, bytes.
    pub bytes: u32,
    /// Whether it may be marked instead of dropped.
    pub is_markable: bool,
    /// Whether it has a mark when it arrives.
    pub is_marked: bool,
}

/// What happened to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It has not arrived, or is in the queue.
    Waits,
    /// The link lost it, or the queue dropped it, at this time, ns.
    Dropped(u64),
    /// The link sent it.
    Sent {
        /// When its last bit left, ns.
        departs: u64,
        /// Whether the queue marked it.
        mark: bool,
    },
}

/// Bytes of a fate that is handed over.
pub const FATE_BYTES: usize = 16;

impl Fate {
    /// As bytes: what it is (0 waits, 1 dropped, 2 sent, 3 sent with a mark) and when, ns, two numbers of 64 bits.
    #[must_use]
    pub fn to_bytes(self) -> [u8; FATE_BYTES] {
        let (what, at) = match self {
            Self::Waits => (0, 0),
            Self::Dropped(at) => (1, at),
            Self::Sent { departs, mark } => (2 + u64::from(mark), departs),
        };
        let mut bytes = [0; FATE_BYTES];
        bytes[..8].copy_from_slice(&u64::to_le_bytes(what));
        bytes[8..].copy_from_slice(&u64::to_le_bytes(at));
        bytes
    }
}

/// Bytes of an arrival that is handed over.
pub const ARRIVAL_BYTES: usize = 32;

/// An arrival as it is handed over, with what makes its headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenArrival {
    /// When, and how large it is.
    pub arrival: BenchArrival,
    /// Number of its flow.
    pub flow: u32,
    /// The byte of its header with DSCP and ECN codepoint.
    pub traffic_class: u8,
    /// Numbers of the hosts that it is from and to.
    pub hosts: [u16; 2],
}

impl GivenArrival {
    /// From bytes: the time, ns (64 bits), then flow, bytes, traffic class, hosts (32 bits each).
    #[must_use]
    pub fn from_bytes(bytes: &[u8; ARRIVAL_BYTES]) -> Self {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let traffic_class = word(16) as u8;
        // ECT(1), ECT(0) and CE, which stays as it is. // RFC 3168 §5
        let is_markable = traffic_class & 3 != 0;
        Self {
            arrival: BenchArrival {
                at: u64::from(word(0)) | u64::from(word(4)) << 32,
                bytes: word(12),
                is_markable,
                is_marked: traffic_class & 3 == 3,
            },
            flow: word(8),
            traffic_class,
            hosts: [word(20) as u16, word(24) as u16],
        }
    }
}

/// A request to the queue outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchAsk {
    /// The packet of this number arrives at the queue.
    Enqueue(u32),
    /// The link can send the next packet.
    Ready,
}

/// A link, the packets that arrive there, and their fates.
#[derive(Debug)]
pub struct Bench {
    link: Link<u32>,
    /// Whether the queue is outside.
    is_outside: bool,
    arrivals: Vec<BenchArrival>,
    fates: Vec<Fate>,
    /// The next arrival.
    next: usize,
    /// When the link can send the next packet of the queue outside, ns.
    ready: u64,
    /// Packets without a fate, the next arrivals included.
    left: usize,
    asks: VecDeque<BenchAsk>,
}

impl Bench {
    /// These arrivals at this link.
    #[must_use]
    pub fn new(link: Link<u32>, arrivals: Vec<BenchArrival>, is_outside: bool) -> Self {
        let fates = vec![Fate::Waits; arrivals.len()];
        let left = arrivals.len();
        Self { link, is_outside, arrivals, fates, next: 0, ready: NEVER, left, asks: VecDeque::new() }
    }

    /// When something is due next, ns; [`NEVER`] for nothing.
    #[must_use]
    pub fn next(&self) -> u64 {
        let arrival = self.arrivals.get(self.next).map_or(NEVER, |arrival| arrival.at);
        arrival.min(self.ready).min(self.link.next_event())
    }

    /// Lets everything happen that is due by `now`, ns. At one instant the link is ready before a packet arrives.
    pub fn advance(&mut self, now: u64) {
        loop {
            let at = self.next();
            if at > now || at == NEVER {
                return;
            }
            if self.ready <= at {
                self.ready = NEVER;
                self.asks.push_back(BenchAsk::Ready);
            } else if self.link.next_event() <= at {
                self.pop(at);
            } else {
                self.arrive(at);
            }
        }
    }

    /// The next request to the queue outside.
    pub fn ask(&mut self) -> Option<BenchAsk> {
        self.asks.pop_front()
    }

    /// The queue outside gives the link this packet at `now`, ns.
    pub fn taken(&mut self, now: u64, number: u32, mark: bool) {
        let Some(arrival) = self.waiting(number) else { return };
        let what = (arrival.bytes, class(&arrival));
        if let Some(transit) = self.link.send(now, arrival.at, what, mark) {
            self.ready = transit.departs;
            self.settle(number, Fate::Sent { departs: transit.departs, mark });
        }
    }

    /// The queue outside drops this packet at `now`, ns.
    pub fn dropped(&mut self, now: u64, number: u32) {
        if self.waiting(number).is_some() {
            self.link.count_drop(now);
            self.settle(number, Fate::Dropped(now));
        }
    }

    /// Whether every packet has its fate.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.left == 0
    }

    /// The fates, in the order of the arrivals.
    #[must_use]
    pub fn fates(&self) -> &[Fate] {
        &self.fates
    }

    fn waiting(&self, number: u32) -> Option<BenchArrival> {
        let waits = self.fates.get(number as usize) == Some(&Fate::Waits);
        self.arrivals.get(number as usize).copied().filter(|_| waits)
    }

    fn settle(&mut self, number: u32, fate: Fate) {
        self.fates[number as usize] = fate;
        self.left -= 1;
    }

    fn arrive(&mut self, now: u64) {
        let number = self.next as u32;
        let arrival = self.arrivals[self.next];
        self.next += 1;
        if self.is_outside {
            if self.link.loses(now) {
                self.settle(number, Fate::Dropped(now));
            } else {
                self.asks.push_back(BenchAsk::Enqueue(number));
            }
            return;
        }
        let what = class(&arrival);
        match self.link.offer(now, arrival.bytes, what) {
            Offered::Departs(transit) => self.departs(number, transit.departs, transit.mark),
            Offered::Dropped(_) => self.settle(number, Fate::Dropped(now)),
            Offered::Holds => match self.link.enqueue(now, arrival.bytes, what, number) {
                Ok(Some(transit)) => self.departs(number, transit.departs, transit.mark),
                // What it has taken or dropped by now is known at once.
                Ok(None) => self.pop(now),
                Err(_) => self.settle(number, Fate::Dropped(now)),
            },
        }
    }

    /// What the link's own queue has taken or dropped by `now`, ns.
    fn pop(&mut self, now: u64) {
        while let Some((number, result)) = self.link.pop(now) {
            match result {
                Ok(transit) => self.departs(number, transit.departs, transit.mark),
                Err(_) => self.settle(number, Fate::Dropped(now)),
            }
        }
    }

    fn departs(&mut self, number: u32, departs: u64, mark: bool) {
        let mark = mark && !self.arrivals[number as usize].is_marked;
        self.settle(number, Fate::Sent { departs, mark });
    }
}

const fn class(arrival: &BenchArrival) -> PacketClass {
    if arrival.is_markable { PacketClass::MarkableData } else { PacketClass::Data }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FifoConfig, Limit, LinkConfig, QueueConfig, Rate, Steps};

    fn link(limit: u64) -> Link<u32> {
        let config = FifoConfig {
            rate: Rate::Constant(12_000_000),
            limit: Steps::constant(Limit::Packets(limit)),
            queue: QueueConfig::DropTail,
        };
        Link::new(LinkConfig::queue_only(config), (0, u64::MAX), u64::MAX)
    }

    fn packets(times: &[u64]) -> Vec<BenchArrival> {
        times
            .iter()
            .map(|&at| BenchArrival { at, bytes: 1500, is_markable: false, is_marked: false })
            .collect()
    }

    const MS: u64 = 1_000_000;

    // A packet takes 1 ms. Three at once in a queue of one: one is sent, one waits, one is dropped. At 1 ms the second is sent, before the
    // fourth arrives, which waits; at 2 ms that is sent.
    #[test]
    fn a_drop_tail_queue_of_one_gives_and_drops_as_by_hand() {
        let times = [0, 0, 0, MS];
        let mut own = Bench::new(link(1), packets(&times), false);
        own.advance(10 * MS);
        let departures = |bench: &Bench| -> Vec<_> {
            let departs = |fate: &Fate| match fate {
                Fate::Sent { departs, .. } => Ok(departs / MS),
                Fate::Dropped(at) => Err(at / MS),
                Fate::Waits => panic!("it has a fate"),
            };
            bench.fates().iter().map(departs).collect()
        };
        assert_eq!(departures(&own), [Ok(1), Ok(2), Err(0), Ok(3)]);
        assert!(own.is_over());

        // The same by a queue outside, which has one place, too.
        let mut other = Bench::new(link(u64::MAX), packets(&times), true);
        let (mut waiting, mut is_ready) = (VecDeque::new(), true);
        while !other.is_over() {
            let now = other.next();
            if now != NEVER {
                other.advance(now);
            }
            while let Some(ask) = other.ask() {
                match ask {
                    BenchAsk::Enqueue(number) if waiting.len() == 1 => other.dropped(now, number),
                    BenchAsk::Enqueue(number) => waiting.push_back(number),
                    BenchAsk::Ready => is_ready = true,
                }
                if is_ready && let Some(number) = waiting.pop_front() {
                    is_ready = false;
                    other.taken(now, number, false);
                }
            }
        }
        assert_eq!(departures(&other), departures(&own));
    }
}
