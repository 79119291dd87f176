// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running link: loss process, queue, delay, and its counters.

use crate::admission::{Backlog, Ecn};
use crate::delay::{Delay, DelayConfig};
use crate::drops::{DropCause, Drops};
use crate::fifo::{Fifo, FifoConfig};
use crate::loss::{Loss, LossProcess};
use crate::queue::OfferResult;
use crate::random::RandomStream;
use crate::service::Rate;
use crate::waits::WaitHistogram;

/// What a [`Link`] is built from: its parts, each with its random stream.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// Queue and serialisation.
    pub fifo: (FifoConfig, RandomStream),
    /// Random losses.
    pub loss: (Loss, RandomStream),
    /// Delay from departure to the other end.
    pub delay: (DelayConfig, RandomStream),
}

impl LinkConfig {
    /// A link without random loss and delay.
    #[must_use]
    pub fn queue_only(fifo: FifoConfig) -> Self {
        let stream = RandomStream::new(0, 0); // nothing is drawn
        Self { fifo: (fifo, stream), loss: (Loss::None, stream), delay: (DelayConfig::constant(0), stream) }
    }
}

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
    /// Drops in the measured interval.
    pub drops_measured: Drops,
    /// Drops over the whole run.
    pub drops: Drops,
    /// Data packets that left before the end of the run.
    pub packets: u64,
    /// Packets of all classes that left in the measured interval.
    pub measured: u64,
    /// Their bytes.
    pub measured_bytes: u64,
    /// The sum of their waits, ns.
    pub wait_sum: u128,
    /// The longest of their waits, ns.
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
    /// An idle link of a run up to `end`, ns, that measures in the interval `measure`, ns.
    #[must_use]
    pub fn new(config: LinkConfig, measure: (u64, u64), end: u64) -> Self {
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
    pub fn offer(&mut self, now: u64, size: u32, class: PacketClass) -> Result<Transit, DropCause> {
        if self.loss.loses_next() {
            return Err(self.drop_at(now, DropCause::Loss));
        }
        let (begins, departs) = match self.fifo.offer(now, size, Ecn::NotCapable) {
            OfferResult::Departs { begins, at, .. } => (begins, at),
            OfferResult::Dropped(cause) => return Err(self.drop_at(now, cause)),
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
    fn drop_at(&mut self, now: u64, cause: DropCause) -> DropCause {
        self.count.drops.count(cause);
        if self.measure.0 <= now && now < self.measure.1 {
            self.count.drops_measured.count(cause);
        }
        cause
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limit, QueueConfig, Steps};

    // 5 s at 10 Mbit/s, 3 s of outage, 2 s at 4 Mbit/s; of that 4 s to 9 s: 10 + 0 + 4 Mbit.
    #[test]
    fn a_links_capacity_is_the_integral_of_its_rate() {
        let steps =
            Steps::new(10_000_000, vec![(5_000_000_000, 0), (8_000_000_000, 4_000_000)]).expect("rising");
        let fifo = FifoConfig {
            rate: Rate::Steps(steps),
            limit: Steps::constant(Limit::Packets(1)),
            queue: QueueConfig::DropTail,
        };
        let link = Link::new(LinkConfig::queue_only(fifo), (0, 1), 1);
        assert!((link.capacity_bits(4_000_000_000, 9_000_000_000) - 14e6).abs() < 1e-3);
        assert!((link.capacity_bits(0, 10_000_000_000) - 58e6).abs() < 1e-3);
    }
}
