// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fast path for several packets of one size that arrive at once ([`crate::FastLink`]).

use super::{Fifo, KnownSize};
use crate::service::Instant;

impl Fifo {
    /// Whether it ever takes the fast path.
    pub(crate) const fn may_be_fast(&self) -> bool {
        self.fast_path
    }

    /// Whether its rate is constant, and packets of `size` bytes take a nanosecond at least.
    pub(crate) const fn takes_a_nanosecond(&self, size: u32) -> bool {
        self.rate > 0 && self.rate <= crate::service::work(size)
    }

    /// Whether it takes the fast path for packets of `size` bytes.
    #[inline(always)]
    pub(crate) const fn is_fast(&self, size: u32) -> bool {
        self.uniform_size.bytes == size as u64
    }

    /// Whether transmissions take whole nanoseconds on the fast path, from now on.
    #[inline(always)]
    pub(crate) const fn is_whole(&self) -> bool {
        self.free.units | self.uniform_size.serial.units == 0
    }

    /// On the fast path: how many of `most` packets that arrive at `now`, ns, find room; `None` if one of them might leave after `last`, ns.
    #[inline(always)]
    pub(crate) fn room(&mut self, now: u64, most: u32, last: u64) -> Option<u32> {
        #[cfg(debug_assertions)]
        self.check_time(now);
        if self.free.ns < now {
            self.free = Instant { ns: now, units: 0 };
        }
        let KnownSize { serial, full, .. } = self.uniform_size;
        // Each takes `serial.ns` or one more.
        let longest = serial.ns + 1;
        let bound = longest.saturating_mul(most.into()).saturating_add(self.free.ns);
        if bound > last {
            None
        } else if bound - longest <= now + full.ns {
            Some(most)
        } else {
            Some(self.counted_room(now, most))
        }
    }

    #[cold]
    fn counted_room(&self, now: u64, most: u32) -> u32 {
        let KnownSize { serial, full, .. } = self.uniform_size;
        let (mut free, mut accepted) = (self.free, 0);
        while accepted < most && free.ns <= now + full.ns + u64::from(free.units < full.units) {
            free.advance(serial, self.rate);
            accepted += 1;
        }
        accepted
    }

    /// Sends so many packets that have found room at `now`, ns: calls `each` with the begin and the end of each transmission, ns. `WHOLE` is
    /// [`Fifo::is_whole`].
    #[inline(always)]
    pub(crate) fn send<const WHOLE: bool>(&mut self, now: u64, count: u32, mut each: impl FnMut(u64, u64)) {
        let (mut free, serial, rate) = (self.free, self.uniform_size.serial, self.rate);
        for _ in 0..count {
            let begins = free.ns;
            if WHOLE {
                free.ns += serial.ns
            } else {
                free.advance(serial, rate)
            }
            each(begins, free.ns);
        }
        self.free = free;
        #[cfg(debug_assertions)]
        self.check(now, free.ns);
        #[cfg(not(debug_assertions))]
        let _ = now; // only the check asks for it
    }
}
