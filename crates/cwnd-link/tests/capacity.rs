// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a link can send between two times, for every kind of rate, against a count nanosecond by nanosecond or opportunity by opportunity.

use cwnd_link::{Rate, Steps, Trace};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
/// Bits of an opportunity, in units of 10⁻⁹ bit.
const OPPORTUNITY: u128 = 12_000 * 1_000_000_000;

fn steps(first: u64, changes: &[(u64, u64)]) -> Rate {
    Rate::Steps(Steps::new(first, changes.to_vec()).expect("rising"))
}

fn trace(lines: &[u64]) -> Rate {
    let text: String = lines.iter().map(|ms| format!("{ms}\n")).collect();
    Rate::Trace(Trace::parse(&text).expect("a trace"))
}

// 5 s at 10 Mbit/s, 3 s of outage, 2 s at 4 Mbit/s; of that 4 s to 9 s: 10 + 0 + 4 Mbit.
#[test]
fn the_capacity_of_steps_is_the_integral_of_the_rate() {
    let rate = steps(10_000_000, &[(5_000 * MS, 0), (8_000 * MS, 4_000_000)]);
    let mbit = 1_000_000 * 1_000_000_000_u128;
    assert_eq!(rate.capacity(4_000 * MS, 9_000 * MS), 14 * mbit);
    assert_eq!(rate.capacity(0, 10_000 * MS), 58 * mbit);
    assert_eq!(Rate::Constant(10_000_000).capacity(0, 5_000 * MS), 50 * mbit);
    assert_eq!(rate.capacity(7, 7), 0);
}

// Lines 0, 1, 1, 3, 5: opportunities at 1, 1, 3, 5, then at 5 (the line 0 of the next round), 6, 6, 8, 10 and 10 ms. That at 0 of the first
// round cannot be used.
#[test]
fn the_capacity_of_a_trace_is_its_opportunities_in_the_interval() {
    let rate = trace(&[0, 1, 1, 3, 5]);
    for (from, to, opportunities) in [
        (0, 0, 0),
        (0, MS, 0),
        (0, MS + 1, 2),
        (MS, 3 * MS, 2),
        (MS + 1, 3 * MS + 1, 1),
        (0, 5 * MS, 3),
        (0, 5 * MS + 1, 5),
        (5 * MS, 10 * MS, 5),
        (5 * MS, 10 * MS + 1, 7),
        (0, 5_000 * MS, 4_998),
    ] {
        assert_eq!(rate.capacity(from, to), opportunities * OPPORTUNITY, "{from} to {to} ns");
    }
}

// 1 and 2 opportunities in turn: 12 and 24 Mbit/s, then 2 ms without.
#[test]
fn the_steps_of_a_trace_are_the_rates_of_its_milliseconds() {
    let rate = trace(&[1, 2, 2, 5]);
    let (one, two) = (12_000_000, 24_000_000);
    let first = vec![(0, 0), (MS, one), (2 * MS, two), (3 * MS, 0), (5 * MS, one)];
    assert_eq!(rate.steps(6 * MS), first);
    // The opportunity at 6 ms follows that at 5 at once, with the same rate.
    assert_eq!(rate.steps(8 * MS), [first, vec![(7 * MS, two)]].concat());
    assert_eq!(rate.steps(5 * MS), [(0, 0), (MS, one), (2 * MS, two), (3 * MS, 0)]);
    assert_eq!(steps(5, &[(3, 7), (9, 1)]).steps(9), [(0, 5), (3, 7)]);
    assert_eq!(Rate::Constant(5).steps(9), [(0, 5)]);
}

// 2 000 s are two million milliseconds: bins of ten. One opportunity in each millisecond is 12 Mbit/s whatever the bin; the first bin lacks that at 0.
#[test]
fn the_steps_of_a_long_run_are_few() {
    assert_eq!(trace(&[1]).steps(2_000_000 * MS), [(0, 10_800_000), (10 * MS, 12_000_000)]);
    let sparse = trace(&[7, 1009]).steps(100_000_000 * MS);
    assert!(sparse.len() <= 2_000_001, "{}", sparse.len());
}

/// Times of opportunities, ms, with repetitions, and a period above 0.
fn lines() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(0_u64..40, 1..60).prop_map(|mut lines| {
        lines.sort_unstable();
        let last = lines.last_mut().expect("at least one");
        *last = (*last).max(1);
        lines
    })
}

/// The times of a trace's opportunities below `end`, ns, walked line by line.
fn walked(lines: &[u64], end: u64) -> Vec<u64> {
    let period = lines.last().expect("a line") * MS;
    let rounds = (0..).map(|round| round * period).take_while(|begin| *begin < end);
    let times = rounds.flat_map(|begin| lines.iter().map(move |ms| begin + ms * MS));
    times.filter(|at| (1..end).contains(at)).collect()
}

/// The integral of steps between two times.
fn integral(steps: &[(u64, u64)], from: u64, to: u64) -> u128 {
    let ends = steps.iter().skip(1).map(|step| step.0).chain([u64::MAX]);
    let part = |((begin, rate), end): (&(u64, u64), u64)| {
        u128::from(*rate) * u128::from(end.min(to).saturating_sub((*begin).max(from)))
    };
    steps.iter().zip(ends).map(part).sum()
}

proptest! {
    #[test]
    fn a_trace_offers_what_a_walk_over_its_lines_counts(
        lines in lines(), a in 0_u64..300 * MS, b in 0_u64..300 * MS, whole in any::<bool>(),
    ) {
        let round = |at: u64| if whole { at / MS * MS } else { at };
        let (from, to) = (round(a.min(b)), round(a.max(b)));
        let rate = trace(&lines);
        let all = walked(&lines, 400 * MS);
        let count = all.iter().filter(|at| (from..to).contains(at)).count();
        prop_assert_eq!(rate.capacity(from, to), count as u128 * OPPORTUNITY, "{} to {} ns of {:?}", from, to, &lines);
        if whole {
            prop_assert_eq!(rate.capacity(from, to), integral(&rate.steps(400 * MS), from, to), "steps of {:?}", &lines);
        }
    }

    // Rates in whole packets a millisecond, each for a millisecond: as steps, and as a trace with a line a packet.
    #[test]
    fn steps_and_a_trace_of_the_same_rates_have_the_same_capacity(
        counts in prop::collection::vec(0_u64..4, 2..60), a in 1_usize..200, b in 1_usize..200,
    ) {
        let period = counts.len();
        // The trace ends with a line at its period, so the count at 0 of later rounds stands there: at least one.
        let at = |ms: usize| if ms.is_multiple_of(period) { counts[0] + 1 } else { counts[ms % period] };
        let lines: Vec<u64> =
            (1..=period).flat_map(|ms| std::iter::repeat_n(ms as u64, at(ms) as usize)).collect();
        let changes: Vec<(u64, u64)> = (1..200).map(|ms| (ms as u64 * MS, at(ms) * 12_000_000)).collect();
        let (from, to) = (a.min(b) as u64 * MS, a.max(b) as u64 * MS);
        prop_assert_eq!(trace(&lines).capacity(from, to), steps(1, &changes).capacity(from, to), "{:?}", counts);
    }

    #[test]
    fn a_constant_rate_is_steps_that_do_not_change(rate in 1_u64..1_000_000_000_000, a in any::<u32>(), b in any::<u32>(), cut in 1_u64..1 << 32) {
        let (from, to) = (u64::from(a.min(b)), u64::from(a.max(b)));
        let expected = u128::from(rate) * u128::from(to - from);
        prop_assert_eq!(Rate::Constant(rate).capacity(from, to), expected);
        prop_assert_eq!(steps(rate, &[(cut, rate)]).capacity(from, to), expected);
    }
}
