// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running link: loss process, queue, delay, and its counters.

use crate::counts::{Drops, EventKind};

use cwnd_link::random::RandomStream;
use cwnd_link::{
    Backlog, Delay, DelayConfig, DropCause, Ecn, Fifo, FifoConfig, Limit, Loss, LossProcess, OfferResult,
    Rate, Steps,
};
use cwnd_scenario::AccessLink;

/// A running link.
#[derive(Debug)]
pub struct Link {
    fifo: Fifo,
    rate: Rate,
    loss: LossProcess,
    delay: Delay,
    /// Whether packets may leave it in another order than they entered.
    pub disordered: bool,
    measure: (u64, u64),
    end: u64,
    /// Its counters.
    pub count: LinkCounters,
    /// Queueing delays of the packets that left in the measured interval.
    pub waits: WaitHistogram,
}

/// Counters of a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinkCounters {
    /// Drops in the measured interval, and over the whole run.
    pub drops_measured: Drops,
    pub drops: Drops,
    /// Data packets that left before the end of the run.
    pub packets: u64,
    /// Of all packets that left in the measured interval: their number, their bytes, the sum of their waits and the longest wait, ns.
    pub measured: u64,
    pub measured_bytes: u64,
    pub wait_sum: u128,
    pub wait_max: u64,
}

/// What a link counts a packet as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketClass {
    /// Data of a flow, or a datagram.
    Data,
    /// An acknowledgement.
    Ack,
}

/// When a packet that a link accepted passes it.
#[derive(Clone, Copy, Debug)]
pub struct Transit {
    /// When its last bit leaves, ns.
    pub departs: u64,
    /// When it arrives at the other end, ns.
    pub arrives: u64,
}

impl Link {
    /// An idle link.
    pub fn new(config: cwnd_scenario::LinkConfig, measure: (u64, u64), end: u64) -> Self {
        Self {
            disordered: !config.delay.0.keeps_order(),
            rate: config.fifo.0.rate.clone(),
            fifo: Fifo::from_config(config.fifo.0, config.fifo.1),
            loss: LossProcess::new(config.loss.0, config.loss.1),
            delay: Delay::new(config.delay.0, config.delay.1),
            measure,
            end,
            count: LinkCounters::default(),
            waits: WaitHistogram::default(),
        }
    }

    /// The idle access link of one flow: no delay, no random loss.
    pub fn access(access: AccessLink, measure: (u64, u64), end: u64) -> Self {
        let stream = RandomStream::new(0, 0); // nothing is drawn
        let fifo = FifoConfig {
            rate: Rate::Constant(access.rate),
            limit: Steps::constant(Limit::Packets(access.limit)),
            queue: cwnd_link::QueueConfig::DropTail,
        };
        let config = cwnd_scenario::LinkConfig {
            fifo: (fifo, stream),
            loss: (Loss::None, stream),
            delay: (DelayConfig::constant(0), stream),
        };
        Self::new(config, measure, end)
    }

    /// Its capacity between two times, ns, in bits; for a trace, by the trace's mean rate.
    pub fn capacity_bits(&self, from: u64, to: u64) -> f64 {
        match &self.rate {
            Rate::Constant(rate) => *rate as f64 * (to - from) as f64 / 1e9,
            Rate::Trace(trace) => trace.mean_rate() as f64 * (to - from) as f64 / 1e9,
            Rate::Steps(steps) => {
                let ends = steps.changes().iter().map(|step| step.0).chain([u64::MAX]);
                let starts = [(0, steps.first())].into_iter().chain(steps.changes().iter().copied());
                let part = |((start, rate), end): ((u64, u64), u64)| {
                    rate as f64 * end.min(to).saturating_sub(start.max(from)) as f64 / 1e9
                };
                starts.zip(ends).map(part).sum()
            }
        }
    }

    /// Packets queued or being sent at `now`.
    pub fn backlog(&mut self, now: u64) -> Backlog {
        self.fifo.backlog(now)
    }

    /// Offers a packet of `size` bytes at `now`. Returns when it passes the link, or why it is dropped.
    #[inline(always)]
    pub fn offer(&mut self, now: u64, size: u32, class: PacketClass) -> Result<Transit, EventKind> {
        if self.loss.loses_next() {
            return Err(self.drop_at(now, EventKind::DropLoss));
        }
        let (begins, departs) = match self.fifo.offer(now, size, Ecn::NotCapable) {
            OfferResult::Departs { begins, at, .. } => (begins, at),
            OfferResult::Dropped(DropCause::Full) => return Err(self.drop_at(now, EventKind::DropQueue)),
            OfferResult::Dropped(DropCause::Early) => return Err(self.drop_at(now, EventKind::DropEarly)),
        };
        let count = &mut self.count;
        count.packets += u64::from(class == PacketClass::Data && departs <= self.end);
        if self.measure.0 <= departs && departs < self.measure.1 {
            let wait = begins - now;
            count.measured += 1;
            count.measured_bytes += u64::from(size);
            count.wait_sum += u128::from(wait);
            count.wait_max = count.wait_max.max(wait);
            self.waits.note(wait);
        }
        Ok(Transit { departs, arrives: self.delay.arrival(departs) })
    }

    #[cold]
    fn drop_at(&mut self, now: u64, kind: EventKind) -> EventKind {
        self.count.drops.count(kind);
        if self.measure.0 <= now && now < self.measure.1 {
            self.count.drops_measured.count(kind);
        }
        kind
    }
}

/// Classes per power of two, as a power of two: a wait is known to within 1/128.
const PARTS_BITS: u32 = 6;
const PARTS: u64 = 1 << PARTS_BITS;

/// A histogram of queueing delays, with 64 classes per power of two.
#[derive(Clone, Debug, Default)]
pub struct WaitHistogram {
    counts: Vec<u64>,
}

impl WaitHistogram {
    #[inline]
    fn note(&mut self, wait: u64) {
        let class = Self::class(wait);
        if let Some(count) = self.counts.get_mut(class) { *count += 1 } else { self.first(class) }
    }

    #[cold]
    fn first(&mut self, class: usize) {
        self.counts.resize((class + 1).next_power_of_two(), 0);
        self.counts[class] = 1;
    }

    #[inline]
    const fn class(wait: u64) -> usize {
        if wait < PARTS {
            return wait as usize;
        }
        let shift = wait.ilog2() - PARTS_BITS;
        (((shift + 1) as u64 * PARTS) + (wait >> shift) - PARTS) as usize
    }

    /// The middle of a class, ns.
    const fn middle(class: usize) -> u64 {
        let class = class as u64;
        if class < PARTS {
            return class;
        }
        let shift = class / PARTS - 1;
        ((class % PARTS + PARTS) << shift) + ((1 << shift) >> 1)
    }

    /// Waits, ns, each within 1/128 of those it stands for, and how many packets had them.
    pub fn rows(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter().enumerate().filter(|(_, n)| **n > 0).map(|(class, &n)| (Self::middle(class), n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_known_to_within_a_part_in_128() {
        for wait in (0..100_000).chain((0..50).map(|n| ((1 << 56) / 3) >> n)) {
            let middle = WaitHistogram::middle(WaitHistogram::class(wait));
            assert!(middle.abs_diff(wait) * 128 <= wait, "{wait}: {middle}");
        }
        for wait in 1..100_000 {
            let (last, next) = (WaitHistogram::class(wait - 1), WaitHistogram::class(wait));
            assert!(next == last || next == last + 1, "{wait}");
        }
    }

    // 5 s at 10 Mbit/s, 3 s of outage, 2 s at 4 Mbit/s; of that 4 s to 9 s: 10 + 0 + 4 Mbit.
    #[test]
    fn a_links_capacity_is_the_integral_of_its_rate() {
        let steps =
            Steps::new(10_000_000, vec![(5_000_000_000, 0), (8_000_000_000, 4_000_000)]).expect("rising");
        let mut link = Link::access(AccessLink { rate: 1, limit: 1 }, (0, 1), 1);
        link.rate = Rate::Steps(steps);
        assert!((link.capacity_bits(4_000_000_000, 9_000_000_000) - 14e6).abs() < 1e-3);
        assert!((link.capacity_bits(0, 10_000_000_000) - 58e6).abs() < 1e-3);
    }

    #[test]
    fn waits_are_counted_by_their_class() {
        let mut waits = WaitHistogram::default();
        for wait in [0, 5, 5, 1000, 1001, 4000] {
            waits.note(wait);
        }
        // 1000 lies in 512..1024, in parts of 8: 1000..1008, so 1001 is with it.
        assert_eq!(waits.rows().collect::<Vec<_>>(), [(0, 1), (5, 2), (1004, 2), (4016, 1)]);
    }
}
