// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes: ten years without a loss, windows to 2³⁰, windows of one to three segments.

use crate::promise;
use crate::random_history::ContractPromise;
use crate::support::DrivenFlow;
use cwnd::registry::SetDescription;

const YEAR_US: u64 = 365 * 24 * 3600 * 1_000_000;

/// An ACK an hour for ten years, no loss: never smaller, never beyond the clamp, larger in the end.
///
/// # Errors
/// What was seen instead.
pub fn ten_years_without_a_loss_neither_panic_nor_shrink(set: &SetDescription) -> Result<(), String> {
    let mut flow = DrivenFlow::after_loss(set, 1000, 100_000);
    flow.driver.conn.cwnd_clamp = 1 << 30;
    let (begin, mut last) = (flow.cwnd(), flow.cwnd());
    for hour in 0..10 * YEAR_US / 3_600_000_000 {
        flow.wait(3_600_000_000);
        flow.ack(last.clamp(1, 1000));
        promise!(flow.cwnd() >= last, "hour {hour}: {last} to {}", flow.cwnd());
        promise!(flow.cwnd() <= 1 << 30, "hour {hour}: {} beyond the clamp", flow.cwnd());
        last = flow.cwnd();
    }
    promise!(last > begin, "{begin} to {last} in ten years");
    Ok(())
}

/// At windows to 2³⁰ a loss still reduces, undo still restores, an ACK still does not shrink.
///
/// # Errors
/// What was seen instead.
pub fn windows_to_a_billion_segments_keep_their_arithmetic(
    set: &SetDescription,
    excused: &dyn Fn(ContractPromise) -> bool,
) -> Result<(), String> {
    for cwnd in [1 << 16, 1 << 20, 1 << 24, 1 << 26, (1 << 30) - 1, 1 << 30] {
        let mut flow = DrivenFlow::in_avoidance(set, cwnd, 100_000);
        flow.driver.conn.cwnd_clamp = 1 << 30;
        flow.ack(1);
        promise!(flow.cwnd() >= cwnd, "an ACK at {cwnd} gave {}", flow.cwnd());
        let before = flow.cwnd();
        flow.declare_lost();
        let kept = f64::from(flow.cwnd()) / f64::from(before);
        promise!(flow.cwnd() < before, "a loss at {before} left {}", flow.cwnd());
        promise!(
            kept >= 0.49 || excused(ContractPromise::ALossKeepsAHalf),
            "a loss at {before} left {}",
            flow.cwnd()
        );
        promise!(flow.spurious(), "the loss at {before} could not be undone");
        promise!(flow.cwnd() == before, "undone, {before} is {}", flow.cwnd());
        flow.declare_lost();
        flow.repair();
        let low = flow.cwnd();
        for _ in 0..1000 {
            flow.pace(1000);
            flow.ack(1000);
        }
        promise!((low..=1 << 30).contains(&flow.cwnd()), "{low} to {}", flow.cwnd());
    }
    Ok(())
}

/// What was saved up towards the next segment at a large window is no burst at a small one, to which an idle time has taken it.
///
/// # Errors
/// What was seen instead.
pub fn credit_of_a_large_window_is_no_burst(set: &SetDescription) -> Result<(), String> {
    // However far an algorithm is from its next segment: the window drops after every ACK but the last of a round trip.
    for acked in [1, 100, 300, 479] {
        let mut flow = DrivenFlow::in_avoidance(set, 480, 25_000);
        for _ in 0..acked {
            flow.pace(1);
            flow.ack(1);
        }
        flow.driver.conn.cwnd = 10;
        flow.driver.conn.ssthresh = 10;
        flow.ack(1);
        promise!(flow.cwnd() <= 12, "{acked} ACKs at 480 segments, then one at 10: {}", flow.cwnd());
    }
    Ok(())
}

/// Losses one after the other down to the floor and there; no division by a window of nothing, and from the floor the
/// window grows.
///
/// # Errors
/// What was seen instead.
pub fn losses_at_the_smallest_windows_leave_a_window_that_grows(set: &SetDescription) -> Result<(), String> {
    for cwnd in [1, 2, 3, 4] {
        let mut flow = DrivenFlow::in_avoidance(set, cwnd, 20_000);
        for _ in 0..50 {
            flow.lose();
            flow.ack(1);
            promise!(flow.driver.conn.ssthresh >= 2, "ssthresh {}", flow.driver.conn.ssthresh);
        }
        for _ in 0..20 {
            // A window that is as large as can be takes no more than a thousand acknowledgements.
            flow.round((flow.cwnd() / 1000).max(1));
        }
        promise!(flow.cwnd() > 2, "{} after 20 round trips from the floor", flow.cwnd());
    }
    Ok(())
}
