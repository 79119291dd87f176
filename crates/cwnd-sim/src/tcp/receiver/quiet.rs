// SPDX-License-Identifier: MIT OR Apache-2.0
//! The receiver while nothing is missing: what segments in order come to, for `engine/trains`.

use super::Receiver;

impl Receiver {
    /// Whether nothing is missing, and every `ack_every`-th segment is acknowledged and no other.
    #[inline(always)]
    pub fn is_quiet(&self) -> bool {
        self.out_of_order.is_none() && self.quick == 0 && !self.keeps_recent && !self.is_opening()
    }

    /// How many segments in order are not acknowledged yet.
    #[inline(always)]
    pub const fn pending(&self) -> u32 {
        self.pending as u32
    }

    /// `count` segments in order have arrived, in quiet mode; the first and the last were sent then, µs. They are fewer than the next
    /// acknowledgement waits for. [`Receiver::count_in_order`] counts them.
    #[inline(always)]
    pub fn take_in_order(&mut self, count: u32, (first_sent_us, newest_sent_us): (u32, u32)) {
        debug_assert!(self.is_quiet() && count > 0);
        if self.pending == 0 {
            self.first_sent_us = first_sent_us;
        }
        self.newest_sent_us = newest_sent_us;
        self.pending += count as u16;
        self.next += u64::from(count);
    }

    /// The same for `count` segments that the next acknowledgement has waited for: when the first and the last segment that it acknowledges
    /// were sent, µs.
    #[inline(always)]
    pub fn send_ack_in_order(
        &mut self,
        count: u32,
        (first_sent_us, newest_sent_us): (u32, u32),
    ) -> (u32, u32) {
        if self.pending == 0 {
            self.first_sent_us = first_sent_us;
        } else {
            self.pending = 0;
        }
        self.newest_sent_us = newest_sent_us;
        self.next += u64::from(count);
        (self.first_sent_us, newest_sent_us)
    }

    /// So many segments have arrived by these two; called once for a train.
    #[inline(always)]
    pub const fn count_in_order(&mut self, count: u64) {
        self.distinct += count;
        self.arrived += count;
    }
}
