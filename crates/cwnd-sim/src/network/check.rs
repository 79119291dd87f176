// SPDX-License-Identifier: MIT OR Apache-2.0
//! An independent look at what links did, in runs with foreign stacks: no link sends faster than its rate. Of a queue that decides at
//! arrival, no packet leaves before it came, and where it is limited in packets it holds no more. Of one that decides at the head only
//! departures are known, so that its rate is checked over the time since the last one. It knows the links' settings and nothing of how
//! they compute.

use cwnd_link::{Limit, LinkConfig, Rate, ServerConfig, Steps};
use std::collections::VecDeque;

/// What one link may do, and what it did.
#[derive(Clone, Debug)]
pub struct LinkCheck {
    rate: Rate,
    /// Packets that may wait; `None` where the limit is of another kind, or changes.
    most: Option<u64>,
    /// When the packets leave that a FIFO has accepted and that have not left when the last one came.
    inside: VecDeque<u64>,
    left: u64,
    /// The first thing that cannot be.
    broken: Option<String>,
}

impl LinkCheck {
    /// A link of these settings that has done nothing.
    pub fn new(config: &LinkConfig) -> Self {
        let most = match &config.server {
            ServerConfig::Fifo(fifo, _) => constant_packets(&fifo.limit),
            ServerConfig::Head(_) => None,
        };
        Self { rate: config.server.rate().clone(), most, inside: VecDeque::new(), left: 0, broken: None }
    }

    /// A FIFO accepts a packet of `size` bytes at `now`, ns; it will leave at `departs`.
    pub fn accepts(&mut self, now: u64, size: u32, departs: u64) {
        while self.inside.front().is_some_and(|at| *at <= now) {
            self.inside.pop_front();
        }
        // Of those inside one is being sent, the others wait; this one waits, too, where there is one.
        let inside = self.inside.len() as u64;
        if let Some(most) = self.most.filter(|most| inside > *most) {
            self.fault(now, || {
                format!("it has accepted a packet behind {inside} others, and {most} may wait")
            });
        }
        if departs < now {
            self.fault(now, || format!("a packet leaves at {departs} ns, before it has come"));
        }
        self.sends(now, size, departs);
        self.inside.push_back(departs);
    }

    /// A packet of `size` bytes that had come by `now`, ns, leaves at `departs`.
    pub fn sends(&mut self, now: u64, size: u32, departs: u64) {
        let begins = self.left.max(now.min(departs));
        if departs < self.left {
            let left = self.left;
            self.fault(now, || format!("a packet leaves at {departs} ns, after one that left at {left} ns"));
        }
        if let Some(bits) = self.capacity(begins, departs.saturating_add(1))
            && bits < u128::from(size) * 8
        {
            self.fault(now, || {
                format!(
                    "{size} bytes were sent from {begins} ns to {departs} ns, in which it carries {bits} bits"
                )
            });
        }
        self.left = self.left.max(departs);
    }

    /// A packet that is held leaves at `departs`; when it came is not known.
    pub fn sends_held(&mut self, size: u32, departs: u64) {
        self.sends(self.left, size, departs);
    }

    /// The first thing that cannot be, if there is one.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Bits between two times, ns, rounded up; `None` for a trace, whose opportunities are packets.
    fn capacity(&self, from: u64, to: u64) -> Option<u128> {
        let bits_ns = match &self.rate {
            Rate::Constant(rate) => u128::from(*rate) * u128::from(to.saturating_sub(from)),
            Rate::Steps(steps) => {
                let mut sum = 0;
                let mut rows = steps.changes().iter().copied().peekable();
                let (mut begins, mut rate) = (0, steps.first());
                loop {
                    let ends = rows.peek().map_or(u64::MAX, |row| row.0);
                    let within = ends.min(to).saturating_sub(begins.max(from));
                    sum += u128::from(rate) * u128::from(within);
                    let Some(row) = rows.next() else { break sum };
                    (begins, rate) = row;
                }
            }
            Rate::Trace(_) => return None,
        };
        Some(bits_ns.div_ceil(1_000_000_000))
    }

    #[cold]
    fn fault(&mut self, now: u64, words: impl FnOnce() -> String) {
        if self.broken.is_none() {
            self.broken = Some(format!("at {now} ns: {}", words()));
        }
    }
}

/// A limit in packets that never changes.
fn constant_packets(limit: &Steps<Limit>) -> Option<u64> {
    match (limit.changes(), limit.first()) {
        ([], Limit::Packets(packets)) => Some(packets),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd_link::{FifoConfig, QueueConfig};

    /// 12 Mbit/s: 1500 bytes take 1 ms. Two may wait.
    fn check() -> LinkCheck {
        let fifo = FifoConfig {
            rate: Rate::Constant(12_000_000),
            limit: Steps::constant(Limit::Packets(2)),
            queue: QueueConfig::DropTail,
        };
        LinkCheck::new(&LinkConfig::queue_only(fifo))
    }

    const MS: u64 = 1_000_000;

    #[test]
    fn what_a_link_may_do_is_no_fault() {
        let mut check = check();
        // One is sent, two wait; one more when the first has left.
        for (now, departs) in [(0, MS), (0, 2 * MS), (0, 3 * MS), (MS, 4 * MS), (9 * MS, 10 * MS)] {
            check.accepts(now, 1500, departs);
        }
        assert_eq!(check.broken(), None);
    }

    #[test]
    fn each_thing_that_cannot_be_is_found() {
        for (what, wrong) in [
            ("faster than the rate", [(0, MS), (0, 2 * MS - 1000)]),
            ("faster after an idle time", [(0, MS), (5 * MS, 6 * MS - 1000)]),
            ("before it came", [(0, MS), (5 * MS, 4 * MS)]),
            ("out of order", [(0, 5 * MS), (0, 3 * MS)]),
        ] {
            let mut check = check();
            for (now, departs) in wrong {
                check.accepts(now, 1500, departs);
            }
            assert!(check.broken().is_some(), "{what}");
        }
        let mut full = check();
        for packet in 1..=4 {
            full.accepts(0, 1500, packet * MS);
        }
        assert!(
            full.broken().is_some_and(|words| words.contains("behind 3 others, and 2 may wait")),
            "{full:?}"
        );
    }

    // 12 Mbit/s until 10 ms, then 6: a packet that begins at 9.5 ms has half of it sent by 10 ms and leaves at 11 ms.
    #[test]
    fn a_rate_that_changes_is_integrated() {
        let rate = Steps::new(12_000_000, vec![(10 * MS, 6_000_000)]).expect("rising");
        let steps = |departs| {
            let mut check = LinkCheck { rate: Rate::Steps(rate.clone()), ..check() };
            check.accepts(19 * MS / 2, 1500, departs);
            check.broken().is_some()
        };
        assert!(!steps(11 * MS) && steps(11 * MS - 1000));
    }
}
