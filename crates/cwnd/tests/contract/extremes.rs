// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes: ten years without a loss, windows to 2³⁰, windows of one to three segments.

use crate::every_set;
use crate::exceptions::excused;
use crate::random_history::ContractPromise;
use crate::support::{DrivenFlow, sets};
use cwnd::registry::SetDescription;
use cwnd_contract::extremes;

// Rows Q6, GV3, X7, QG2, NG4, K9: an ACK an hour for ten years, no loss: never smaller, never beyond the clamp.
#[test]
fn ten_years_without_a_loss_neither_panic_nor_shrink() {
    every_set(extremes::ten_years_without_a_loss_neither_panic_nor_shrink);
}

// Rows S6, X8, P5: at windows to 2³⁰ a loss still reduces, undo still restores, an ACK still does not shrink.
#[test]
fn windows_to_a_billion_segments_keep_their_arithmetic() {
    every_set(|set| {
        extremes::windows_to_a_billion_segments_keep_their_arithmetic(set, &|promise| excused(promise, set))
    });
}

// A loss costs a few per cent at least. SQRT gives away β√w (Bansal and Balakrishnan 2001): of a billion only 20 thousand.
#[test]
fn a_loss_of_a_large_window_costs_a_thirtieth() {
    for set in sets().into_iter().filter(|set| set.name != "sqrt") {
        for cwnd in [1 << 16, 1 << 30] {
            let mut flow = DrivenFlow::in_avoidance(&set, cwnd, 100_000);
            flow.driver.conn.cwnd_clamp = 1 << 30;
            flow.declare_lost();
            assert!(
                f64::from(flow.cwnd()) < 0.97 * f64::from(cwnd),
                "{}: {} of {cwnd}",
                set.name,
                flow.cwnd()
            );
        }
    }
}

// Rows F1, L1: an idle restart at 10 segments spends no credit of 480.
#[test]
fn credit_of_a_large_window_is_no_burst() {
    let bound = |set: &SetDescription| !excused(ContractPromise::GrowthIsBackedByAcknowledgements, set);
    every_set(|set| if bound(set) { extremes::credit_of_a_large_window_is_no_burst(set) } else { Ok(()) });
}

// Rows S4, NG2: losses one after the other down to the floor and there; no division by a window of nothing, and from the
// floor the window grows.
#[test]
fn losses_at_the_smallest_windows_leave_a_window_that_grows() {
    every_set(extremes::losses_at_the_smallest_windows_leave_a_window_that_grows);
}
