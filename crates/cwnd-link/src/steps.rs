// SPDX-License-Identifier: MIT OR Apache-2.0
//! A quantity that changes at given times: a rate, a delay, the size of a buffer.

use std::fmt;

/// A value from time 0 on, and others from later times on, ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps<T> {
    first: T,
    changes: Vec<(u64, T)>,
}

/// Times of a schedule that do not rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepsError {
    /// Which change, from 0.
    pub index: usize,
    /// Its time, ns.
    pub time: u64,
    /// The time that it has to be after, ns.
    pub after: u64,
}

impl fmt::Display for StepsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {} ns: expected a time after {} ns", self.index + 1, self.time, self.after)
    }
}

impl std::error::Error for StepsError {}

impl<T: Copy> Steps<T> {
    /// Never changes.
    #[must_use]
    pub const fn constant(value: T) -> Self {
        Self { first: value, changes: Vec::new() }
    }

    /// `first` from time 0, then each of `changes` from its time on.
    ///
    /// # Errors
    /// When the times are not above 0 and rising.
    pub fn new(first: T, changes: Vec<(u64, T)>) -> Result<Self, StepsError> {
        let mut after = 0;
        for (index, &(time, _)) in changes.iter().enumerate() {
            if time <= after {
                return Err(StepsError { index, time, after });
            }
            after = time;
        }
        Ok(Self { first, changes })
    }

    /// The value at time 0.
    #[must_use]
    pub const fn first(&self) -> T {
        self.first
    }

    /// The value at `time`.
    #[must_use]
    pub fn at(&self, time: u64) -> T {
        let passed = self.changes.partition_point(|change| change.0 <= time);
        passed.checked_sub(1).and_then(|last| self.changes.get(last)).map_or(self.first, |change| change.1)
    }

    /// The changes behind it.
    #[must_use]
    pub fn changes(&self) -> &[(u64, T)] {
        &self.changes
    }
}

/// A schedule that is read in the order of time.
#[derive(Clone, Debug)]
pub(crate) struct Stepping<T> {
    value: T,
    /// When the value next changes, ns; `u64::MAX` for never.
    next_at: u64,
    index: usize,
    steps: Steps<T>,
}

impl<T: Copy> Stepping<T> {
    pub fn new(steps: Steps<T>) -> Self {
        let next_at = steps.changes.first().map_or(u64::MAX, |change| change.0);
        Self { value: steps.first, next_at, index: 0, steps }
    }

    /// The value at `time`, which must not run backwards.
    #[inline]
    pub fn at(&mut self, time: u64) -> T {
        let since = self.index.checked_sub(1).and_then(|index| self.steps.changes.get(index));
        debug_assert!(since.is_none_or(|change| change.0 <= time), "asked for a time that has passed");
        while self.next_at <= time && self.step() {}
        self.value
    }

    /// The schedule.
    pub const fn steps(&self) -> &Steps<T> {
        &self.steps
    }

    /// The value at the time of the last call.
    pub const fn value(&self) -> T {
        self.value
    }

    /// When it changes next, ns; `u64::MAX` for never.
    pub const fn next_at(&self) -> u64 {
        self.next_at
    }

    /// The first time from `time` on, not before the last call's, at which the value is as `wanted`; `u64::MAX` for never.
    pub fn first_at(&self, time: u64, wanted: impl Fn(T) -> bool) -> u64 {
        let mut value = self.value;
        for &(at, next) in &self.steps.changes[self.index..] {
            if at > time && wanted(value) {
                return time;
            }
            if at > time && wanted(next) {
                return at;
            }
            value = next;
        }
        if wanted(value) { time } else { u64::MAX }
    }

    /// Takes the next step; false when there is none.
    #[cold]
    pub fn step(&mut self) -> bool {
        let Some(&(_, value)) = self.steps.changes.get(self.index) else { return false };
        self.value = value;
        self.index += 1;
        self.next_at = self.steps.changes.get(self.index).map_or(u64::MAX, |change| change.0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_holds_from_its_time_on() {
        let mut steps =
            Stepping::new(Steps::new('a', vec![(10, 'b'), (11, 'c'), (20, 'd')]).expect("rising"));
        let seen: String = [0, 9, 10, 11, 19, 25, u64::MAX].map(|time| steps.at(time)).iter().collect();
        assert_eq!(seen, "aabccdd");
    }

    #[test]
    fn the_first_time_of_a_value_is_found_without_going_there() {
        let steps = Stepping::new(Steps::new(7, vec![(10, 0), (11, 0), (20, 3), (30, 0)]).expect("rising"));
        let got = [0, 9, 10, 19, 20, 29, 30, 99].map(|time| steps.first_at(time, |value| value > 0));
        assert_eq!(got, [0, 9, 20, 20, 20, 29, u64::MAX, u64::MAX]);
    }

    #[test]
    fn times_that_do_not_rise_are_refused_by_number() {
        let error = Steps::new(1, vec![(5, 2), (5, 3)]).expect_err("5 twice");
        assert_eq!(error.to_string(), "step 2: 5 ns: expected a time after 5 ns");
        assert_eq!(Steps::new(1, vec![(0, 2)]).expect_err("0 is the first value's").index, 0);
    }
}
