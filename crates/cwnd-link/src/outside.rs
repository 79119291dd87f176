// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link whose queue is outside of this crate, such as a qdisc of a kernel: that queue decides which packet is sent next and which are dropped;
//! the link has losses, rate, delay and counters. The link's own queue is drop-tail without a limit, and stays empty.

use crate::aqm::DropCause;
use crate::counters::PacketClass;
use crate::link::{Link, Server, Transit};
use crate::offer_result::OfferResult;

impl<P> Link<P> {
    /// Whether the loss process loses a packet that comes to the link at `now`, ns, before it comes to the queue.
    pub fn loses(&mut self, now: u64) -> bool {
        let lost = self.loss.loses_next();
        if lost {
            self.drop_at(now, DropCause::Loss);
        }
        lost
    }

    /// Sends a packet that the queue gives it at `now`, ns, and that came to the queue at `arrived`; `mark`: the queue has marked it. It may
    /// send the next one when this one [departs](Transit::departs). `None` where it has a queue of its own.
    pub fn send(
        &mut self,
        now: u64,
        arrived: u64,
        (size, class): (u32, PacketClass),
        mark: bool,
    ) -> Option<Transit> {
        let Server::Fifo(fifo) = &mut self.server else { return None };
        match fifo.offer(now, size, class.ecn()) {
            OfferResult::Departs { begins, at, .. } => {
                Some(self.depart((size, class), begins.saturating_sub(arrived), at, mark))
            }
            OfferResult::Dropped(_) => None,
        }
    }

    /// Counts a packet that the queue drops at `now`, ns.
    pub fn count_drop(&mut self, now: u64) -> DropCause {
        self.drop_at(now, DropCause::Kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use crate::{DelayConfig, FifoConfig, Limit, LinkConfig, Loss, QueueConfig, Rate, Steps};

    // 1500 bytes at 12 Mbit/s take 1 ms. The second packet came at 0.2 ms and is sent at 1 ms: it waited 0.8 ms. The third is dropped.
    #[test]
    fn waits_count_from_the_arrival_at_the_other_queue() {
        let config = LinkConfig {
            delay: (DelayConfig::constant(5_000_000), RandomStream::new(0, 0)),
            ..LinkConfig::queue_only(FifoConfig {
                rate: Rate::Constant(12_000_000),
                limit: Steps::constant(Limit::Packets(u64::MAX)),
                queue: QueueConfig::DropTail,
            })
        };
        assert_eq!(config.loss.0, Loss::None);
        let mut link = Link::<()>::new(config, (0, u64::MAX), u64::MAX);
        assert!(!link.loses(0));
        let packet = (1500, PacketClass::MarkableData);
        let first = link.send(0, 0, packet, false).expect("it has no other queue");
        let second = link.send(first.departs, 200_000, packet, true).expect("it has no other queue");
        link.count_drop(1_500_000);
        assert_eq!((first.departs, first.arrives, first.mark), (1_000_000, 6_000_000, false));
        assert_eq!((second.departs, second.arrives, second.mark), (2_000_000, 7_000_000, true));
        assert_eq!((link.count.wait_sum, link.count.wait_max, link.count.marks), (800_000, 800_000, 1));
        assert_eq!((link.count.drops[DropCause::Kernel], link.count.drops.total()), (1, 1));
    }
}
