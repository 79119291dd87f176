// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults that other implementations had, row by row (`docs/reference/algorithms/regressions.toml`), as probes that run over every
//! parameter set. A probe says what must hold, and for whom; a historic form that has the fault is named with its source
//! and must show it. `tools/docs/generate.py` makes docs/reference/regressions.md of what `the_matrix` prints.

mod acks;
mod curve;
mod idle;
mod loss;
mod slow_start;
mod undo;

use cwnd::registry::SetDescription;
use cwnd_contract::support;
use support::{is_called, sets};

/// `None`: the row is not about this algorithm. An error says what was seen instead.
type ProbeResult = Option<Result<(), String>>;

/// The claim holds if `kept`.
fn claim(kept: bool, seen: impl Fn() -> String) -> ProbeResult {
    Some(if kept { Ok(()) } else { Err(seen()) })
}

/// Who has to pass a probe. The others are reported, with what they do.
enum For {
    Everyone,
    Only(&'static [&'static str]),
}

struct FaultProbe {
    name: &'static str,
    rows: &'static [&'static str],
    check: fn(&SetDescription) -> ProbeResult,
    bound: For,
    /// Sets that have the fault on purpose, and the source that says so.
    historic: &'static [(&'static str, &'static str)],
}

impl FaultProbe {
    /// Why this set may fail, if it may.
    fn excuse(&self, set: &SetDescription) -> Option<&'static str> {
        self.historic.iter().find(|(name, _)| is_called(set, name)).map(|(_, why)| *why)
    }

    fn judge(&self) {
        let bound = |set: &SetDescription| match self.bound {
            For::Everyone => true,
            For::Only(names) => names.iter().any(|name| is_called(set, name)),
        };
        let mut passed = 0;
        for set in sets() {
            match ((self.check)(&set), self.excuse(&set)) {
                (Some(Ok(())), Some(why)) => panic!("{} passes, though: {why}", set.name),
                (Some(Err(seen)), None) if bound(&set) => {
                    panic!("rows {:?}: {}: {seen}", self.rows, set.name)
                }
                (Some(Ok(())), None) => passed += 1,
                _ => {}
            }
        }
        assert!(passed > 0, "nobody passes");
    }
}

/// Makes the list of probes, and a test of each.
macro_rules! probes {
    ($($module:ident::$name:ident: $rows:expr, $bound:expr, $historic:expr;)+) => {
        const PROBES: &[FaultProbe] = &[$(FaultProbe {
            name: concat!(stringify!($module), "::", stringify!($name)),
            rows: &$rows,
            check: $module::$name,
            bound: $bound,
            historic: &$historic,
        }),+];

        $(
            #[test]
            fn $name() {
                let name = concat!(stringify!($module), "::", stringify!($name));
                PROBES.iter().find(|probe| probe.name == name).expect("listed").judge();
            }
        )+
    };
}

/// Forms in which the window follows the curve as published.
const ON_THE_CURVE: For = For::Only(&["cubic", "cubic-2.2", "cubic-linux"]);
/// Forms of CUBIC that return to the window before the loss in the time of the curve.
const CURVES: For = For::Only(&[
    "cubic",
    "cubic-2.2",
    "cubic-rfc8312",
    "cubic-2005",
    "cubic-linux",
    "cubic-2.2-linux",
    "cubic-2.1",
    "cubic-2.0",
]);
const MOVES_EPOCH: &str = "the epoch moves with every moment in which nothing is in flight, golden traces: there the window stands still";
const IDLE_COUNTS: &str = "idle time is part of the epoch, as in the kernel before 2015";
const RFC: For = For::Only(&["cubic"]);
const CSS: &str = "HyStart++ judges a round by its smallest RTT and adds five rounds at a quarter of the growth: where the buffer loses nothing it goes far beyond, RFC 9406 §4.2";
const CENTS: &str = "the fraction of a segment outlives a loss in the kernel, golden traces";
const BY_MEAN: &str = "judges by the mean RTT, which follows slowly, Wei et al. 2006 §III";
const K_OF_8312: &str = "K of the unlowered window: RFC 8312 §4.1";
const NEWRENOS: &str = "the estimate is NewReno's own window, FreeBSD review D46546";
const BY_RATE: &str =
    "bandwidth × smallest RTT, which a loss on an empty path does not lower, Mascolo et al. 2001";
const SINCE_THE_LOSS: &str =
    "growth rises with the time since the last loss, whatever was sent, golden traces";
const BY_ACKS: &str = "acknowledgements count, whatever they acknowledge: Ha et al. 2008, Algorithm 1";
const BY_RHO: &str =
    "an acknowledgement in slow start adds 2^ρ - 1 segments, 15 at 100 ms, and so passes twice the flight";
const BY_DELAY: &str = "judges by the RTT, whoever limits the flow: Brakmo and Peterson 1995 §4";

probes! {
    idle::two_segments_without_loss_grow: ["K1", "T1"], For::Everyone, [];
    idle::a_window_that_is_acknowledged_at_once_grows: ["K1"], CURVES, [("cubic-linux", MOVES_EPOCH)];
    idle::an_idle_period_makes_no_jump: ["L1", "X1"], For::Everyone, [
        ("htcp-linux", SINCE_THE_LOSS), ("cubic-2.2-linux", IDLE_COUNTS), ("cubic-2.1", IDLE_COUNTS), ("cubic-2.0", IDLE_COUNTS)];
    idle::a_stalled_slow_start_makes_no_jump: ["F1"], For::Everyone, [("htcp-linux", SINCE_THE_LOSS)];
    idle::an_application_limited_flow_keeps_to_twice_its_flight:
        ["N2", "Q1", "G1", "MV1", "NX1", "P1", "Q7"], For::Everyone, [("vegas*", BY_DELAY), ("hybla-growth*", BY_RHO)];
    idle::a_paced_flow_grows_as_an_unpaced_one: ["N2"], For::Everyone, [];
    idle::growth_stops_when_bulk_becomes_a_trickle: ["NG1", "N1"], For::Everyone, [];
    idle::alternating_limits_do_not_stop_the_curve: ["S1"], For::Everyone, [];
    idle::after_a_pause_growth_goes_on: ["M0"], For::Everyone, [];
    idle::a_small_flight_after_a_loss_stops_no_growth: ["K3"], For::Everyone, [];

    curve::growth_starts_at_once_after_fast_convergence: ["Q4", "X2"], For::Everyone, [("cubic-rfc8312", K_OF_8312), ("cubic-freebsd", K_OF_8312)];
    curve::a_round_trip_grows_by_half_at_most: ["RF2"], ON_THE_CURVE, [];
    curve::the_curve_is_read_at_its_time: ["FB1", "CC1", "QG1"], ON_THE_CURVE, [];
    curve::segments_of_any_size_make_the_same_windows: ["SM1"], For::Everyone, [];
    curve::the_estimate_grows_by_alpha: ["X3", "LQ1"], RFC, [];
    curve::mixed_acknowledgements_do_not_inflate_the_estimate: ["M3"], ON_THE_CURVE, [("cubic-2.2", BY_ACKS)];
    curve::small_windows_are_no_smaller_than_renos: ["NE1"], For::Everyone, [("cubic-freebsd-newreno", NEWRENOS)];
    curve::a_lossless_exit_grows_convexly: ["S3", "M4"], For::Everyone, [];
    curve::fast_convergence_remembers_the_window_at_the_loss: ["RF3", "K7", "NS2"], For::Everyone, [];
    curve::alpha_stays_low_up_to_the_window_before: ["RF1"], RFC, [];
    curve::alpha_becomes_one_beyond_it: ["LR1"], RFC, [];
    curve::no_fraction_is_lost_on_the_way_to_the_plateau: ["GV1", "SM2", "Q2"], ON_THE_CURVE, [];
    curve::beyond_347_seconds_the_curve_goes_on: ["X7", "L2", "QG2"], RFC, [];
    curve::credit_does_not_outlive_a_loss: ["K8"], For::Everyone, [("hybla-growth*", CENTS)];

    acks::the_ack_ratio_does_not_change_the_growth: ["A1", "A2", "A3"], For::Only(&["cubic", "reno"]), [];
    acks::a_burst_of_acknowledgements_is_no_train: ["A6"], For::Everyone, [];

    loss::fast_convergence_leaves_the_reduction_alone: ["Q3"], For::Everyone, [("cubic-freebsd-newreno", NEWRENOS)];
    loss::timeouts_reduce_once: ["M1", "Q5", "SM3"], For::Everyone, [];
    loss::a_window_of_losses_is_one_reduction: ["N4"], For::Everyone, [];
    loss::after_a_timeout_the_window_grows_again: ["X4", "K5"], For::Everyone, [];
    loss::slow_start_stops_at_the_threshold: ["M2"], For::Everyone, [];
    loss::the_flight_is_what_a_loss_reduces: ["NS3"], For::Only(&["cubic", "reno"]), [];
    loss::after_a_timeout_avoidance_begins_gently: ["RL1"], For::Only(&["cubic", "cubic-2.2"]), [];
    loss::real_losses_stay_reductions: ["K4"], For::Everyone, [("westwood*", BY_RATE)];
    loss::recovery_ends_by_position_not_by_time: ["MV2"], For::Everyone, [];

    undo::a_spurious_timeout_is_taken_back: ["FB2"], For::Everyone, [];
    undo::nested_reductions_return_to_the_first: ["P3"], For::Everyone, [];
    undo::only_the_last_epoch_is_taken_back: ["NQ1"], For::Everyone, [];
    undo::growth_continues_as_if_nothing_had_been: ["L5", "RF5"], For::Only(&["cubic", "cubic-2.2"]), [];

    slow_start::idle_before_the_first_round_ends_nothing: ["L3"], For::Everyone, [];
    slow_start::a_falling_minimum_ends_nothing: ["L7"], For::Everyone, [("fast", BY_MEAN)];
    slow_start::pacing_ends_nothing: ["L8"], For::Everyone, [];
    slow_start::a_first_outlier_ends_nothing: ["L9"], For::Everyone, [("fast", BY_MEAN)];
    slow_start::a_filling_pipe_ends_it_near_the_bdp: ["K6", "P4"], For::Only(&["cubic-linux"]), [("cubic", CSS)];
}

// One line per probe and set: rows, test, set, verdict, what was seen or why it is historic.
#[test]
#[ignore = "prints what tools/docs/generate.py reads; the probes have their own tests"]
fn the_matrix() {
    for probe in PROBES {
        for set in sets() {
            let (verdict, text) = match (probe.check)(&set) {
                None => continue,
                Some(Ok(())) => ("passes", String::new()),
                Some(Err(seen)) => {
                    ("fault", probe.excuse(&set).map_or(seen.clone(), |why| format!("{seen} ({why})")))
                }
            };
            println!("matrix\t{}\t{}\t{}\t{verdict}\t{text}", probe.rows.join(","), probe.name, set.name);
        }
    }
}
