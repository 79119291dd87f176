// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the emulator knows of the queues of links that a kernel keeps: which packets are in them, and what the kernel is to be told.

use cwnd_link::Backlog;
use std::collections::HashMap;

/// What the kernel is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The packet in this slot arrives at the queue of this link.
    Enqueue {
        /// The link.
        link: u32,
        /// Its slot, which is its number there.
        slot: u32,
    },
    /// This link can send the next packet.
    Ready {
        /// The link.
        link: u32,
    },
}

/// A packet in such a queue.
#[derive(Clone, Copy, Debug)]
struct Held {
    arrived: u64,
    bytes: u32,
}

/// The queue of a link.
#[derive(Debug, Default)]
struct KernelQueue {
    /// By their slots.
    held: HashMap<u32, Held>,
    bytes: u64,
}

/// The queues that the kernel keeps.
#[derive(Debug, Default)]
pub struct KernelQueues {
    /// By the links' numbers; none where a link has a queue of its own.
    queues: Vec<Option<KernelQueue>>,
    asks: Vec<Ask>,
}

impl KernelQueues {
    /// Empty ones, of the links for which this says so.
    pub fn new(are_kernels: impl IntoIterator<Item = bool>) -> Self {
        let queues = are_kernels.into_iter().map(|is_kernels| is_kernels.then(KernelQueue::default));
        Self { queues: queues.collect(), asks: Vec::new() }
    }

    /// Whether the kernel has the queue of this link.
    pub fn has(&self, link: u32) -> bool {
        self.queues.get(link as usize).is_some_and(Option::is_some)
    }

    /// A packet arrives at the queue of a link at `now`, ns.
    pub fn enqueue(&mut self, link: u32, slot: u32, now: u64, bytes: u32) {
        if let Some(Some(queue)) = self.queues.get_mut(link as usize) {
            queue.held.insert(slot, Held { arrived: now, bytes });
            queue.bytes += u64::from(bytes);
            self.asks.push(Ask::Enqueue { link, slot });
        }
    }

    /// A packet leaves the queue of a link; when it came, ns. `None` where the kernel was not told of it.
    pub fn leaves(&mut self, link: u32, slot: u32) -> Option<u64> {
        let queue = self.queues.get_mut(link as usize)?.as_mut()?;
        let Held { arrived, bytes } = queue.held.remove(&slot)?;
        queue.bytes -= u64::from(bytes);
        Some(arrived)
    }

    /// A link can send the next packet of its queue.
    pub fn ready(&mut self, link: u32) {
        self.asks.push(Ask::Ready { link });
    }

    /// What waits in the queue of a link.
    pub fn backlog(&self, link: u32) -> Backlog {
        let queue = self.queues.get(link as usize).and_then(Option::as_ref);
        queue.map_or_else(Backlog::default, |queue| Backlog {
            packets: queue.held.len() as u64,
            bytes: queue.bytes,
        })
    }

    /// What the kernel is to be told, in this order.
    pub fn take_asks(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.asks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_arrived_and_not_left_waits_there() {
        let mut queues = KernelQueues::new([false, true]);
        assert_eq!((queues.has(0), queues.has(1), queues.has(2)), (false, true, false));
        queues.enqueue(1, 7, 100, 1500);
        queues.enqueue(1, 8, 200, 40);
        assert_eq!(queues.backlog(1), Backlog { packets: 2, bytes: 1540 });
        assert_eq!((queues.leaves(1, 8), queues.leaves(1, 8), queues.leaves(0, 7)), (Some(200), None, None));
        queues.ready(1);
        let asked =
            [Ask::Enqueue { link: 1, slot: 7 }, Ask::Enqueue { link: 1, slot: 8 }, Ask::Ready { link: 1 }];
        assert_eq!(queues.take_asks(), asked);
        assert_eq!((queues.take_asks(), queues.backlog(1)), (vec![], Backlog { packets: 1, bytes: 1500 }));
    }
}
