// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast a link sends: at a constant rate, at one that changes at given times, or by a trace of opportunities.
//!
//! All three are known for the whole future, which is what lets a queue say at a packet's arrival when it will have left.
//! A rate in bit/s sends that many units of 10⁻⁹ bit in each nanosecond, so a position in time is a whole nanosecond and
//! the units already used of it, and nothing is ever rounded but the departure that is reported (down).

use crate::steps::{Stepping, Steps};
use crate::trace::{Opportunities, Trace};

/// A time that never comes, ns: the departure of a packet on a link that stays at rate 0, a timer that is off.
pub const NEVER: u64 = u64::MAX;

/// Units of 10⁻⁹ bit in a byte.
const UNITS_PER_BYTE: u64 = 8_000_000_000;

/// What a link can send, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rate {
    /// bit/s, at least 1.
    Constant(u64),
    /// bit/s from given times on; 0 is an outage, during which everything waits.
    Steps(Steps<u64>),
    /// Opportunities of 1500 bytes.
    Trace(Trace),
}

/// The running server of a link.
#[derive(Clone, Debug)]
pub(crate) enum Service {
    Constant(u64),
    Steps(Stepping<u64>),
    Trace(Opportunities, u64),
}

/// A position in time: whole nanoseconds, and units used of the one that follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Instant {
    pub ns: u64,
    pub units: u64,
}

impl Instant {
    /// Moves on by `span`, at a constant rate.
    #[inline]
    pub const fn advance(&mut self, span: Self, rate: u64) {
        self.ns += span.ns;
        self.units += span.units;
        if self.units >= rate {
            self.units -= rate;
            self.ns += 1;
        }
    }
}

/// Work of `size` bytes, in units of 10⁻⁹ bit; sizes above 2³⁰ bytes count as that.
#[inline]
pub(crate) const fn work(size: u32) -> u64 {
    const MOST: u32 = 1 << 30;
    UNITS_PER_BYTE * if size < MOST { size as u64 } else { MOST as u64 }
}

impl Service {
    pub fn new(rate: Rate) -> Self {
        match rate {
            Rate::Constant(rate) => Self::Constant(rate.max(1)),
            Rate::Steps(steps) if steps.changes().is_empty() && steps.first() > 0 => {
                Self::Constant(steps.first())
            }
            Rate::Steps(steps) => Self::Steps(Stepping::new(steps)),
            Rate::Trace(trace) => {
                let mean = trace.mean_rate();
                Self::Trace(Opportunities::new(trace), mean)
            }
        }
    }

    /// Rate at the end of what has been accepted, bit/s; of a trace the mean.
    #[inline]
    pub const fn rate(&self) -> u64 {
        match self {
            Self::Constant(rate) | Self::Trace(_, rate) => *rate,
            Self::Steps(steps) => steps.value(),
        }
    }

    /// Time that `size` bytes take at a constant rate; 0 at any other.
    pub fn serialisation(&self, size: u32) -> Instant {
        match self {
            Self::Constant(rate) => Instant { ns: work(size) / rate, units: work(size) % rate },
            Self::Steps(_) | Self::Trace(..) => Instant::default(),
        }
    }

    /// When the first bit of a packet that arrives at `now` can be sent, ns, if all before it have left at `free`: what
    /// [`Service::serve`] returns for it.
    pub fn ready(&self, now: u64, free: Instant) -> u64 {
        match self {
            Self::Constant(_) => free.ns.max(now),
            Self::Steps(steps) => steps.first_at(free.ns.max(now), |rate| rate > 0),
            Self::Trace(opportunities, _) => opportunities.next_at((free.ns <= now).then_some(now)),
        }
    }

    /// Sends `size` bytes as soon as all before them have left, at `free`, but not before `now`. Returns when the first
    /// bit leaves, ns, and sets `free` to when the last one has. At a constant rate they take `serial`.
    #[inline]
    pub fn serve(&mut self, now: u64, free: &mut Instant, size: u32, serial: Instant) -> u64 {
        let idle = free.ns <= now;
        // What ends within the nanosecond that begins now is reported as over, but its fraction still has to pass.
        if free.ns < now {
            *free = Instant { ns: now, units: 0 };
        }
        match self {
            Self::Constant(rate) => {
                let begins = free.ns;
                free.advance(serial, *rate);
                begins
            }
            Self::Steps(steps) => serve_steps(steps, free, size),
            Self::Trace(opportunities, _) => {
                if idle {
                    opportunities.waste_until(now);
                }
                let (begins, ends) = opportunities.take(size);
                *free = Instant { ns: ends, units: 0 };
                begins
            }
        }
    }
}

fn serve_steps(steps: &mut Stepping<u64>, free: &mut Instant, size: u32) -> u64 {
    if free.ns == NEVER {
        return NEVER;
    }
    let mut left = work(size);
    let mut begins = NEVER;
    steps.at(free.ns);
    loop {
        let until = steps.next_at();
        if let Some(ends) = end_of(*free, left, steps.value()) {
            begins = begins.min(free.ns);
            if ends.ns < until || (ends.ns == until && ends.units == 0) {
                *free = ends;
                return begins;
            }
            // What is sent before the rate changes is less than what was left, so it fits.
            left -= steps.value() * (until - free.ns) - free.units;
        }
        *free = Instant { ns: until, units: 0 };
        if !steps.step() {
            return begins; // at rate 0, and for ever: `free` is NEVER
        }
    }
}

/// When `work` that begins at `from` is done, if ever.
#[inline]
fn end_of(from: Instant, work: u64, rate: u64) -> Option<Instant> {
    // Past 2⁶⁴ units of rate and packet, saturated, a packet takes years.
    let units = from.units.saturating_add(work);
    let whole = units.checked_div(rate)?;
    Some(Instant { ns: from.ns.saturating_add(whole), units: units % rate })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn departures(rate: Rate, packets: &[(u64, u32)]) -> Vec<(u64, u64)> {
        let mut service = Service::new(rate);
        let mut free = Instant::default();
        packets
            .iter()
            .map(|&(now, size)| (service.serve(now, &mut free, size, Instant::default()), free.ns))
            .collect()
    }

    fn ms(times: &[(u64, u64)]) -> Vec<(f64, f64)> {
        times.iter().map(|&(a, b)| (a as f64 / 1e6, b as f64 / 1e6)).collect()
    }

    // 1500 bytes take 1 ms at 12 Mbit/s, 2 ms at 6, 0.5 ms at 24. From 1.5 ms on it is 6: the second packet has sent half
    // by then, and its other half takes 1 ms. From 4 ms on it is 24: the third has sent three quarters at 4 ms
    // (1.5 of 2 ms), the rest takes an eighth of a ms.
    #[test]
    fn a_change_of_rate_catches_packets_half_sent() {
        let steps =
            Steps::new(12_000_000, vec![(1_500_000, 6_000_000), (4_000_000, 24_000_000)]).expect("rising");
        let got = departures(Rate::Steps(steps), &[(0, 1500), (0, 1500), (0, 1500), (0, 1500)]);
        assert_eq!(ms(&got), [(0.0, 1.0), (1.0, 2.5), (2.5, 4.125), (4.125, 4.625)]);
    }

    // The link is dead from 0.25 to 10 ms: a quarter of the first packet is sent, three quarters follow at 10 ms. The
    // change to 0 at 20 ms is for good.
    #[test]
    fn everything_waits_for_the_end_of_an_outage() {
        let changes = vec![(250_000, 0), (10_000_000, 12_000_000), (20_000_000, 0)];
        let steps = Steps::new(12_000_000, changes).expect("rising");
        let got = departures(
            Rate::Steps(steps),
            &[(0, 1500), (300_000, 1500), (18_000_000, 1500), (19_500_000, 1500), (99_000_000, 1)],
        );
        assert_eq!(ms(&got[..3]), [(0.0, 10.75), (10.75, 11.75), (18.0, 19.0)]);
        assert_eq!(got[3], (19_500_000, NEVER));
        assert_eq!(got[4], (NEVER, NEVER));
    }

    // A packet that ends exactly where the outage begins has left then.
    #[test]
    fn a_packet_that_ends_at_a_step_is_not_held_by_it() {
        let steps = Steps::new(12_000_000, vec![(1_000_000, 0), (3_000_000, 12_000_000)]).expect("rising");
        assert_eq!(ms(&departures(Rate::Steps(steps), &[(0, 1500), (0, 1500)])), [(0.0, 1.0), (3.0, 4.0)]);
    }

    // 7 packets of 1500 bytes at 7 Mbit/s are 12 ms; a change to the same rate in the middle of one changes nothing, and
    // at 3 Mbit/s the eighth takes 4 ms.
    #[test]
    fn fractions_of_a_nanosecond_survive_a_step() {
        let steps =
            Steps::new(7_000_000, vec![(5_000_000, 7_000_000), (12_000_000, 3_000_000)]).expect("rising");
        let got = departures(Rate::Steps(steps), &[(0, 1500); 8]);
        assert_eq!((got[6].1, got[7].1), (12_000_000, 16_000_000));
    }

    // At 7 Mbit/s 5/7 ns of 1500 bytes are left at 1 714 285 ns, 5·10⁶ units; from then on it is 1 kbit/s, 1000 units per ns.
    #[test]
    fn the_last_fraction_of_a_nanosecond_goes_at_the_new_rate() {
        let steps = Steps::new(7_000_000, vec![(1_714_285, 1000)]).expect("rising");
        assert_eq!(departures(Rate::Steps(steps), &[(0, 1500)]), [(0, 1_719_285)]);
    }

    // Trace of 1, 1, 3, 5 ms; a period of 5 ms.
    //   0 ms: 1500 bytes leave at 1; 2000 take the other opportunity of 1 ms and 500 of the one at 3; 1000 fill that up.
    //   3 ms: 100 bytes arrive at the instant of an opportunity and leave at 5, which has 1400 left for
    //   4 ms: 1500, whose last 100 go at 6 (5 + 1).
    //   6 ms: that time's 2900 bytes left are lost to a packet arriving then: 3000 bytes go at 8 and 10.
    //  5003.2 ms: far later, the same pattern: next at 5005; an empty round has wasted all before.
    #[test]
    fn a_trace_is_counted_in_bytes_and_begins_again() {
        let trace = Trace::parse("1\n1\n3\n5").expect("a trace");
        let packets = [
            (0, 1500),
            (0, 2000),
            (0, 1000),
            (3_000_000, 100),
            (4_000_000, 1500),
            (6_000_000, 3000),
            (5_003_200_000, 1),
        ];
        let got = ms(&departures(Rate::Trace(trace), &packets));
        let expected =
            [(1.0, 1.0), (1.0, 3.0), (3.0, 3.0), (5.0, 5.0), (5.0, 6.0), (8.0, 10.0), (5005.0, 5005.0)];
        assert_eq!(got, expected);
    }
}
