// SPDX-License-Identifier: MIT OR Apache-2.0
//! The slow starts by name, and their settings: one struct for every algorithm that carries a slow start.

use crate::conn::{Conn, INFINITE_SSTHRESH};
use crate::params::ParamKind;

/// Names of the choices, in the order of their numbers.
pub const NAMES: &[&str] = &["standard", "hystart++", "hystart", "rfc5681"];
const STANDARD_KIND: u32 = 0;
const HYSTART_PP_KIND: u32 = 1;
const HYSTART_KIND: u32 = 2;
const RFC5681_KIND: u32 = 3;

crate::params! {
    /// Settings of slow start, the same for every algorithm that carries one.
    ///
    /// ```
    /// use cwnd::algorithms::cubic::Cubic;
    ///
    /// let cubic = Cubic::builder().slow_start("hystart++").css_rounds(3).build()?;
    /// assert_eq!((cubic.params.slow_start.css_rounds, cubic.params.slow_start.l), (3, 8));
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct SlowStartParams for _ {
        slow_start: ParamKind::Choice(NAMES), "", 0 => 3, "RFC 3465 §2.2; RFC 9438 §4.10; RFC 9406; Linux; RFC 5681 §3.1",
            "slow start: standard, hystart++ (RFC 9406), hystart (Linux) or rfc5681 (a segment per ACK)";
        min_rtt_thresh: ParamKind::Whole, "us", 0 => 10_000_000, "RFC 9406 §4.3 (MIN_RTT_THRESH)",
            "with slow_start=hystart++: min RTT increase of a round that counts; if above max_rtt_thresh, it applies";
        max_rtt_thresh: ParamKind::Whole, "us", 0 => 10_000_000, "RFC 9406 §4.3 (MAX_RTT_THRESH)",
            "with slow_start=hystart++: RTT increase of a round that counts at any RTT";
        min_rtt_divisor: ParamKind::Whole, "", 1 => 1_000, "RFC 9406 §4.3 (MIN_RTT_DIVISOR)",
            "with slow_start=hystart++: between the two, the increase that counts is the last round's RTT divided by this";
        n_rtt_sample: ParamKind::Whole, "samples", 1 => 255, "RFC 9406 §4.3 (N_RTT_SAMPLE)",
            "with slow_start=hystart++: RTT samples per round before a decision";
        css_growth_divisor: ParamKind::Whole, "", 2 => 255, "RFC 9406 §4.3 (CSS_GROWTH_DIVISOR)",
            "with slow_start=hystart++: divisor of slow start's growth in conservative slow start"; // R9406-4.3-c
        css_rounds: ParamKind::Whole, "rounds", 1 => 255, "RFC 9406 §4.3 (CSS_ROUNDS)",
            "with slow_start=hystart++: rounds of conservative slow start before congestion avoidance begins";
        l: ParamKind::Whole, "segments", 0 => 1_000_000, "RFC 9406 §4.3 (L)",
            "with slow_start=hystart++: max growth per ACK of an unpaced flow; 0: no limit";
    }
}

/// A slow start, described.
///
/// ```
/// use cwnd::slow_start::CHOICES;
///
/// assert_eq!((CHOICES[1].name, CHOICES[1].source), ("hystart++", "RFC 9406"));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Choice {
    /// Name, as `slow_start` takes it.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// The choice with its settings.
    pub params: SlowStartParams,
}

/// Every slow start, in the order of [`NAMES`].
pub const CHOICES: &[Choice] = &[
    Choice {
        name: "standard",
        summary: "a segment per acknowledged segment, up to ssthresh or a loss",
        source: "RFC 3465 §2.2 without its limit, as Linux",
        params: STANDARD,
    },
    Choice {
        name: "hystart++",
        summary: "leaves the first slow start when the RTT of a round rises, after rounds of slower growth that test the rise",
        source: "RFC 9406",
        params: HYSTART_PP,
    },
    Choice {
        name: "hystart",
        summary: "leaves slow start when a round's train of ACKs lasts half the smallest RTT, or its RTT rises by an eighth",
        source: "Ha and Rhee 2011; Linux 6.x",
        params: HYSTART,
    },
    Choice {
        name: "rfc5681",
        summary: "a segment per acknowledgement, however much it acknowledges, up to ssthresh or a loss",
        source: "RFC 5681 §3.1 eq 2",
        params: RFC5681,
    },
];

/// One segment per segment acknowledged, up to `ssthresh` or a loss: RFC 3465 with no limit on what one ACK adds, as Linux has it.
pub const STANDARD: SlowStartParams = SlowStartParams { slow_start: STANDARD_KIND, ..HYSTART_PP };
/// RFC 9406, with the values that its §4.3 recommends.
pub const HYSTART_PP: SlowStartParams = SlowStartParams {
    slow_start: HYSTART_PP_KIND,
    min_rtt_thresh: 4_000,
    max_rtt_thresh: 16_000,
    min_rtt_divisor: 8,
    n_rtt_sample: 8,
    css_growth_divisor: 4, // R9406-4.3-a
    css_rounds: 5,
    l: 8,
};
/// RFC 5681 §3.1 eq 2: an acknowledgement adds a segment at most.
pub const RFC5681: SlowStartParams = SlowStartParams { slow_start: RFC5681_KIND, ..HYSTART_PP };
/// Hybrid slow start as Linux has it.
pub const HYSTART: SlowStartParams = SlowStartParams { slow_start: HYSTART_KIND, ..HYSTART_PP };

impl SlowStartParams {
    /// Whether this is standard slow start, which needs no RTT.
    ///
    /// ```
    /// use cwnd::slow_start::{HYSTART, STANDARD};
    ///
    /// assert!(STANDARD.is_standard() && !HYSTART.is_standard());
    /// ```
    #[inline]
    #[must_use]
    pub const fn is_standard(&self) -> bool {
        self.slow_start == STANDARD_KIND
    }

    /// Whether an acknowledgement adds a segment at most.
    #[inline]
    pub(super) const fn is_rfc5681(&self) -> bool {
        self.slow_start == RFC5681_KIND
    }

    /// Whether this is Linux's HyStart.
    #[inline]
    pub(super) const fn is_hystart(&self) -> bool {
        self.slow_start == HYSTART_KIND
    }

    /// Whether HyStart++ is at work on `conn`: only in the initial slow start, while `ssthresh` has its initial, arbitrarily high
    /// value. A loss that is undone gives that value back, and HyStart++ goes on. // RFC 9406 §4.3, RFC 9438 §4.9.2
    #[inline]
    pub(super) const fn is_hystart_pp(&self, conn: &Conn) -> bool {
        self.slow_start == HYSTART_PP_KIND && conn.ssthresh >= INFINITE_SSTHRESH // R9406-4.2-g, R9406-4.3-d
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    #[test]
    fn every_name_is_described_and_chosen_by_its_number() {
        assert_eq!(CHOICES.len(), NAMES.len());
        for (number, (choice, name)) in CHOICES.iter().zip(NAMES).enumerate() {
            assert_eq!((choice.name, choice.params.get(0)), (*name, number as u32));
        }
    }

    // A setting that says "with slow_start=…" names a slow start that exists.
    #[test]
    fn conditions_name_a_slow_start() {
        let named: Vec<_> = SlowStartParams::SPECS.iter().filter_map(|spec| spec.condition()).collect();
        assert_eq!(named.len(), 7);
        assert!(
            named.iter().all(|(name, value)| *name == "slow_start" && NAMES.contains(value)),
            "{named:?}"
        );
    }

    // RFC 9406 §4.3, the values in its list.
    // R9406-4.3-a
    #[test]
    fn the_constants_are_those_recommended() {
        let SlowStartParams {
            min_rtt_thresh,
            max_rtt_thresh,
            min_rtt_divisor,
            n_rtt_sample,
            css_growth_divisor,
            css_rounds,
            l,
            ..
        } = HYSTART_PP;
        assert_eq!((min_rtt_thresh, max_rtt_thresh, min_rtt_divisor, n_rtt_sample), (4_000, 16_000, 8, 8));
        assert_eq!((css_growth_divisor, css_rounds, l), (4, 5, 8));
    }

    // RFC 9406 §4.3: "The minimum value of CSS_GROWTH_DIVISOR MUST be at least 2".
    // R9406-4.3-c
    #[test]
    fn conservative_slow_start_is_half_as_fast_at_least() {
        let divisor = SlowStartParams::SPECS.iter().find(|spec| spec.name == "css_growth_divisor");
        assert_eq!(divisor.map(|spec| spec.min), Some(2));
    }
}
