// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link of constant rate behind a DropTail queue.
//!
//! First in, first out, and never idle while packets wait: a packet's departure is known when it arrives, so the link
//! needs no events of its own. The limit counts the packets that wait, not the one being sent (ns-2's counts
//! that one too).

use std::collections::VecDeque;

/// Size of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Waiting packets.
    Packets(u64),
    /// Bytes of waiting packets.
    Bytes(u64),
}

/// What is in a queue at some instant, the packet being sent included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

/// The link and its queue.
#[derive(Clone, Debug)]
pub struct Fifo {
    rate: u64,
    limit: Limit,
    /// When the last accepted packet has left, ns, and the part of a nanosecond beyond it, in 1/rate ns.
    free_at: u64,
    free_rest: u64,
    /// Departures and sizes of what is queued or being sent; those in the past are dropped when somebody looks.
    queued: VecDeque<(u64, u32)>,
    bytes: u64,
    /// Serialisation time of the last size asked for: (bytes, whole ns, rest in 1/rate ns).
    serial: (u32, u64, u64),
}

impl Fifo {
    /// An idle link of `rate` bit/s, at least 1.
    #[must_use]
    pub fn new(rate: u64, limit: Limit) -> Self {
        Self {
            rate: rate.max(1),
            limit,
            free_at: 0,
            free_rest: 0,
            queued: VecDeque::with_capacity(1024),
            bytes: 0,
            serial: (0, 0, 0),
        }
    }

    /// Offers a packet of `size` bytes at time `now`, which must not run backwards. Returns when its last bit leaves,
    /// or `None` when the queue is full and the packet is dropped.
    #[inline]
    pub fn push(&mut self, now: u64, size: u32) -> Option<u64> {
        if size != self.serial.0 {
            let scaled = u128::from(size) * 8_000_000_000;
            let rate = u128::from(self.rate);
            self.serial = (size, (scaled / rate) as u64, (scaled % rate) as u64);
        }
        if self.free_at <= now {
            self.queued.clear();
            self.bytes = 0;
            self.free_at = now;
            self.free_rest = 0;
        } else {
            self.forget(now);
            // One of the queued packets is being sent; the others wait.
            let sending = self.queued.front().map_or(0, |&(_, bytes)| u64::from(bytes));
            let full = match self.limit {
                Limit::Packets(most) => self.queued.len() as u64 > most,
                Limit::Bytes(most) => self.bytes - sending + u64::from(size) > most,
            };
            if full {
                return None;
            }
        }
        self.free_at += self.serial.1;
        self.free_rest += self.serial.2;
        if self.free_rest >= self.rate {
            self.free_rest -= self.rate;
            self.free_at += 1;
        }
        self.queued.push_back((self.free_at, size));
        self.bytes += u64::from(size);
        Some(self.free_at)
    }

    /// Time that a packet of the last offered size needs on the wire, ns, rounded down.
    #[inline]
    #[must_use]
    pub const fn serialisation(&self) -> u64 {
        self.serial.1
    }

    /// What is queued or being sent at `now`, which must not run backwards.
    pub fn backlog(&mut self, now: u64) -> Backlog {
        self.forget(now);
        Backlog { packets: self.queued.len() as u64, bytes: self.bytes }
    }

    #[inline]
    fn forget(&mut self, now: u64) {
        while let Some(&(departure, size)) = self.queued.front()
            && departure <= now
        {
            self.queued.pop_front();
            self.bytes -= u64::from(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 1500 bytes at 12 Mbit/s take 1 ms.
    #[test]
    fn packets_leave_one_after_the_other() {
        let mut link = Fifo::new(12_000_000, Limit::Packets(10));
        assert_eq!(link.push(0, 1500), Some(1_000_000));
        assert_eq!(link.push(0, 1500), Some(2_000_000));
        assert_eq!(link.push(1_500_000, 1500), Some(3_000_000));
        assert_eq!(link.push(9_000_000, 1500), Some(10_000_000), "idle since 3 ms");
    }

    #[test]
    fn the_limit_counts_waiting_packets() {
        let mut link = Fifo::new(12_000_000, Limit::Packets(2));
        let accepted = (0..5).filter(|_| link.push(0, 1500).is_some()).count();
        assert_eq!(accepted, 3, "one on the wire and two waiting");
        assert_eq!(link.backlog(0), Backlog { packets: 3, bytes: 4500 });
        assert_eq!(link.push(999_999, 1500), None);
        assert!(link.push(1_000_000, 1500).is_some(), "the first has left");
    }

    #[test]
    fn a_limit_in_bytes_counts_waiting_bytes() {
        let mut link = Fifo::new(12_000_000, Limit::Bytes(2000));
        assert!(link.push(0, 1500).is_some());
        assert!(link.push(0, 1500).is_some());
        assert!(link.push(0, 501).is_none());
        assert!(link.push(0, 500).is_some());
    }

    // 1500 bytes at 7 Mbit/s take 12000/7 µs = 1 714 285.714… ns: 7 packets take 12 000 000 ns exactly.
    #[test]
    fn fractions_of_a_nanosecond_are_not_lost() {
        let mut link = Fifo::new(7_000_000, Limit::Packets(10));
        let last = (0..7).filter_map(|_| link.push(0, 1500)).last();
        assert_eq!(last, Some(12_000_000));
    }
}
