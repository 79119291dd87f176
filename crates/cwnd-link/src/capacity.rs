// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a link can send between two times: the integral of its rate.
//!
//! Every quantity of a link over an interval divides by this, whatever the rate is: constant, in steps, or a trace. All of it is in units
//! of 10⁻⁹ bit, that is bit/s times ns, so that nothing is rounded.

use crate::service::Rate;
use crate::steps::Steps;
use crate::trace::{NS_PER_MS, OPPORTUNITY_BYTES, Trace};

/// Bits of an opportunity.
const OPPORTUNITY_BITS: u64 = OPPORTUNITY_BYTES * 8;
/// Units of 10⁻⁹ bit in a bit.
const UNITS_PER_BIT: u128 = 1_000_000_000;
const NS_PER_S: u64 = 1_000_000_000;
/// Most bins that a trace has in the steps of a run.
const MOST_BINS: u64 = 1_000_000;

impl Rate {
    /// What a link at this rate can send from `from` up to `to`, ns, without `to` itself, in units of 10⁻⁹ bit.
    ///
    /// A trace offers what its opportunities within the interval carry. One at time 0 of its first round is not counted, because no packet
    /// can use it.
    #[must_use]
    pub fn capacity(&self, from: u64, to: u64) -> u128 {
        match self {
            Self::Constant(rate) => u128::from(*rate) * u128::from(to.saturating_sub(from)),
            Self::Steps(steps) => integral(steps, from, to),
            Self::Trace(trace) => {
                let opportunities =
                    opportunities_before(trace, to).saturating_sub(opportunities_before(trace, from));
                opportunities * u128::from(OPPORTUNITY_BITS) * UNITS_PER_BIT
            }
        }
    }

    /// The rate before `end`, ns, as steps: the times from which on it is another, ns, rising from 0, and the rate from then on, bit/s.
    ///
    /// The bits of an opportunity of a trace are those of the millisecond that begins at its time; where `end` is above 1000 s, of ten
    /// milliseconds, above 10 000 s of a hundred, and so on. Over whole multiples of these the steps integrate to [`Rate::capacity`].
    #[must_use]
    pub fn steps(&self, end: u64) -> Vec<(u64, u64)> {
        match self {
            Self::Constant(rate) => vec![(0, *rate)],
            Self::Steps(steps) => {
                let changes = steps.changes().iter().copied().take_while(|change| change.0 < end);
                std::iter::once((0, steps.first())).chain(changes).collect()
            }
            Self::Trace(trace) => trace_steps(trace, end),
        }
    }
}

/// The sum of rate times time between two times, bit/s · ns.
fn integral(steps: &Steps<u64>, from: u64, to: u64) -> u128 {
    let begins = std::iter::once((0, steps.first())).chain(steps.changes().iter().copied());
    let ends = steps.changes().iter().map(|change| change.0).chain([u64::MAX]);
    let part = |((begin, rate), end): ((u64, u64), u64)| {
        u128::from(rate) * u128::from(end.min(to).saturating_sub(begin.max(from)))
    };
    begins.zip(ends).map(part).sum()
}

/// How many opportunities a trace has after time 0 and before `time`, ns.
fn opportunities_before(trace: &Trace, time: u64) -> u128 {
    let Some(last) = time.checked_sub(1) else { return 0 };
    let count = |until: u64| -> u128 {
        trace.times().take_while(|(at, _)| *at <= until).map(|(_, count)| u128::from(count)).sum()
    };
    let (rounds, within) = (last / trace.period(), last % trace.period());
    u128::from(rounds) * u128::from(trace.opportunities()) + count(within) - count(0)
}

/// The steps of a trace: its opportunities, each spread over the millisecond that begins at its time, or over a longer bin of a long run.
fn trace_steps(trace: &Trace, end: u64) -> Vec<(u64, u64)> {
    let width = bin_width(end);
    let rate = OPPORTUNITY_BITS * NS_PER_S / width;
    let rounds = (0_u64..).map(|round| round * trace.period()).take_while(|begin| *begin < end);
    let times = rounds.flat_map(|begin| trace.times().map(move |(at, count)| (begin + at, count)));
    let mut bins: Vec<(u64, u64)> = Vec::new();
    for (at, count) in times.filter(|(at, _)| *at > 0).take_while(|(at, _)| *at < end) {
        let (begin, more) = (at / width * width, u64::from(count) * rate);
        match bins.last_mut() {
            Some((last, rate)) if *last == begin => *rate += more,
            _ => bins.push((begin, more)),
        }
    }
    let (mut steps, mut ended) = (Vec::with_capacity(2 * bins.len() + 1), 0);
    for (begin, rate) in bins {
        if begin > ended {
            steps.push((ended, 0));
        }
        steps.push((begin, rate));
        ended = begin + width;
    }
    if ended < end {
        steps.push((ended, 0));
    }
    steps.dedup_by_key(|step| step.1);
    steps
}

/// Width of the bins of a trace in a run up to `end`, ns: a millisecond, ten times as much for every factor of ten by which the run has more bins than [`MOST_BINS`].
fn bin_width(end: u64) -> u64 {
    let mut width = NS_PER_MS;
    while end / width > MOST_BINS {
        width *= 10;
    }
    width
}
