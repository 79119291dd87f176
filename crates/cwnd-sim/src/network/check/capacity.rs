// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a link can carry between two times, from its settings alone.

use cwnd_link::{OPPORTUNITY_BYTES, Rate, Steps};

const NS_PER_S: u128 = 1_000_000_000;

/// The rate of a link.
#[derive(Clone, Debug)]
pub(super) enum Capacity {
    /// bit/s from given times on; a constant rate has no changes.
    Rate(Steps<u64>),
    /// A trace: its period, ns, and by time within it, ns, how many opportunities there are up to then.
    Trace(u64, Vec<(u64, u128)>),
}

impl Capacity {
    pub fn new(rate: &Rate) -> Self {
        match rate {
            Rate::Constant(rate) => Self::Rate(Steps::constant(*rate)),
            Rate::Steps(steps) => Self::Rate(steps.clone()),
            Rate::Trace(trace) => {
                let mut so_far = 0;
                let sums = trace.times().map(|(at, count)| {
                    so_far += u128::from(count);
                    (at, so_far)
                });
                Self::Trace(trace.period(), sums.collect())
            }
        }
    }

    /// Bits that it carries for a packet that comes at `from` until one has left at `to`, ns, which is rounded down to whole ns; rounded up.
    pub fn bits(&self, from: u64, to: u64) -> u128 {
        match self {
            Self::Rate(steps) => integral(steps, from, to.saturating_add(1)).div_ceil(NS_PER_S),
            // An opportunity at the very instant of its arrival is missed.
            Self::Trace(period, sums) => {
                let until = |at: u64| {
                    let within = sums.partition_point(|row| row.0 <= at % period);
                    let all = sums.last().map_or(0, |row| row.1);
                    u128::from(at / period) * all + within.checked_sub(1).map_or(0, |row| sums[row].1)
                };
                until(to).saturating_sub(until(from)) * u128::from(OPPORTUNITY_BYTES) * 8
            }
        }
    }
}

/// The sum of rate times time between two times, bit/s · ns.
fn integral(steps: &Steps<u64>, from: u64, to: u64) -> u128 {
    let begins = [(0, steps.first())].into_iter().chain(steps.changes().iter().copied());
    let ends = steps.changes().iter().map(|change| change.0).chain([u64::MAX]);
    let part = |((begin, rate), end): ((u64, u64), u64)| {
        u128::from(rate) * u128::from(end.min(to).saturating_sub(begin.max(from)))
    };
    begins.zip(ends).map(part).sum()
}
