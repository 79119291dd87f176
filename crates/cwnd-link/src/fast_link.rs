// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link while packets of one size are offered to it, several at a time: what does not change between them is asked once.

use crate::counters::LinkCounters;
use crate::fifo::Fifo;
use crate::link::{Link, Server};
use crate::loss::LossProcess;
use crate::waits::WaitHistogram;

/// A link whose queue is on its fast path. It gives what [`Link::offer`] gives.
#[derive(Debug)]
pub struct FastLink<'link> {
    fifo: &'link mut Fifo,
    loss: &'link mut LossProcess,
    count: &'link mut LinkCounters,
    waits: &'link mut WaitHistogram,
    measure: (u64, u64),
    size: u32,
    /// From a departure to the next event of the packet, ns.
    delay_to_next_event: u64,
    /// Whether all departures until `last`, ns, are in the measured interval, or none is.
    is_measured: bool,
    last: u64,
}

/// Whether small code comes before fast code.
const SMALL: bool = cfg!(target_arch = "wasm32");

/// So many packets at most are offered at once, and, while the link measures, until this time, ns (52 days): a
/// measuring link adds up their waits, which fit 64 bits so.
const MOST: u32 = 1 << 12;
const LATEST: u64 = 1 << 52;

impl<P> Link<P> {
    /// Whether it ever has a fast path: its queue decides by its length at a packet's arrival, and its rate and delay are constant.
    #[must_use]
    pub fn may_be_fast(&self) -> bool {
        matches!(&self.server, Server::Fifo(fifo) if fifo.may_be_fast()) && self.delay.constant().is_some()
    }

    /// Its fast path for packets of data of `size` bytes, from `now` on, if it takes that: its queue holds packets of this size only.
    /// Their next event is `delay_behind_link` ns behind its far end.
    #[inline(always)]
    pub fn fast(&mut self, now: u64, size: u32, delay_behind_link: u64) -> Option<FastLink<'_>> {
        let Server::Fifo(fifo) = &mut self.server else { return None };
        let propagation = self.delay.constant().filter(|_| fifo.is_fast(size))?;
        let delay_to_next_event = propagation.saturating_add(delay_behind_link);
        let free = fifo.free_at().max(now);
        let (is_measured, last) = if free < self.measure.0 {
            (false, self.measure.0 - 1)
        } else if free < self.measure.1 {
            (true, self.end.min(self.measure.1 - 1).min(LATEST))
        } else {
            (false, self.end)
        };
        last.checked_add(delay_to_next_event)?;
        let (loss, count, waits, measure) = (&mut self.loss, &mut self.count, &mut self.waits, self.measure);
        Some(FastLink { fifo, loss, count, waits, measure, size, delay_to_next_event, is_measured, last })
    }
}

impl FastLink<'_> {
    /// Whether what is sent leaves in the measured interval.
    #[inline(always)]
    #[must_use]
    pub const fn is_measured(&self) -> bool {
        self.is_measured
    }

    /// Offers `count` packets at `now`: calls `each` with the departure of each that is sent and its next event, ns,
    /// and returns their number; the others are dropped, the queue being full. `None`, and nothing that anyone sees has
    /// happened, if random losses may be near, or the measured interval or the run might end between two of the departures.
    #[inline(always)]
    pub fn offer(&mut self, now: u64, count: u32, each: impl FnMut(u64, u64)) -> Option<u32> {
        if !self.loss.spares(count) || count > MOST {
            return None;
        }
        let sent = self.fifo.room(now, count, self.last)?;
        self.loss.skip_n(count);
        // Whether it measures is asked once, where the code may be as large as that makes it: the web page has less.
        match (self.fifo.is_whole(), self.is_measured) {
            (true, measures) if SMALL => self.send::<true>(now, sent, measures, each),
            (false, measures) if SMALL => self.send::<false>(now, sent, measures, each),
            (true, true) => self.send::<true>(now, sent, true, each),
            (true, false) => self.send::<true>(now, sent, false, each),
            (false, true) => self.send::<false>(now, sent, true, each),
            (false, false) => self.send::<false>(now, sent, false, each),
        }
        if sent < count {
            self.count.drop_full(count - sent, self.measure.0 <= now && now < self.measure.1);
        }
        Some(sent)
    }

    #[inline(always)]
    fn send<const WHOLE: bool>(
        &mut self,
        now: u64,
        count: u32,
        is_measured: bool,
        mut each: impl FnMut(u64, u64),
    ) {
        let (mut sum, mut wait) = (0_u64, 0);
        let delay = self.delay_to_next_event;
        let waits = &mut *self.waits;
        self.fifo.send::<WHOLE>(now, count, |begins, departs| {
            if is_measured {
                wait = begins - now;
                sum += wait;
                waits.note(wait);
            }
            each(departs, departs + delay);
        });
        let counters = &mut *self.count;
        counters.data_packets += u64::from(count);
        if is_measured {
            counters.measured_packets += u64::from(count);
            counters.measured_bytes += u64::from(count) * u64::from(self.size);
            counters.wait_sum += u128::from(sum);
            counters.wait_max = counters.wait_max.max(wait);
        }
    }
}
