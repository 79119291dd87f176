// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes: ten years without a loss, windows to 2³⁰, windows of one to three segments.

use crate::exceptions::excused;
use crate::play::Promise;
use crate::support::{Flow, algorithm, sets};

const YEAR_US: u64 = 365 * 24 * 3600 * 1_000_000;

// Rows Q6, GV3, X7, QG2, NG4, K9: an ACK an hour for ten years, no loss: never smaller, never beyond the clamp.
#[test]
fn ten_years_without_a_loss_neither_panic_nor_shrink() {
    for set in sets() {
        let mut flow = Flow::after_loss(&set, 1000, 100_000);
        flow.driver.conn.cwnd_clamp = 1 << 30;
        let (begin, mut last) = (flow.cwnd(), flow.cwnd());
        for hour in 0..10 * YEAR_US / 3_600_000_000 {
            flow.wait(3_600_000_000);
            flow.ack(last.clamp(1, 1000));
            assert!(flow.cwnd() >= last, "{}, hour {hour}: {last} to {}", set.name, flow.cwnd());
            assert!(flow.cwnd() <= 1 << 30, "{}", set.name);
            last = flow.cwnd();
        }
        assert!(last > begin, "{}: {begin} to {last} in ten years", set.name);
    }
}

// Rows S6, X8, P5: at windows to 2³⁰ a loss still reduces, undo still restores, an ACK still does not shrink.
#[test]
fn windows_to_a_billion_segments_keep_their_arithmetic() {
    for set in sets() {
        for cwnd in [1 << 16, 1 << 20, 1 << 24, 1 << 26, (1 << 30) - 1, 1 << 30] {
            let mut flow = Flow::in_avoidance(&set, cwnd, 100_000);
            flow.driver.conn.cwnd_clamp = 1 << 30;
            flow.ack(1);
            assert!(flow.cwnd() >= cwnd, "{}: an ACK at {cwnd} gave {}", set.name, flow.cwnd());
            let before = flow.cwnd();
            flow.declare_lost();
            let kept = f64::from(flow.cwnd()) / f64::from(before);
            // SQRT gives away β√w (Bansal and Balakrishnan 2001): a loss still costs, but of a billion only 20 thousand.
            assert!(kept < 0.97 || set.name == "sqrt", "{}: {kept} of {before}", set.name);
            assert!(flow.cwnd() < before, "{}: {} of {before}", set.name, flow.cwnd());
            assert!(
                kept >= 0.49 || excused(Promise::ALossKeepsAHalf, &set),
                "{}: {kept} of {before}",
                set.name
            );
            assert!(flow.spurious());
            assert_eq!(flow.cwnd(), before, "{}", set.name);
            flow.declare_lost();
            flow.repair();
            let low = flow.cwnd();
            for _ in 0..1000 {
                flow.pace(1000);
                flow.ack(1000);
            }
            assert!((low..=1 << 30).contains(&flow.cwnd()), "{}: {low} to {}", set.name, flow.cwnd());
        }
    }
}

// Rows S4, NG2: losses one after the other down to the floor and there; no division by a window of nothing, and from the
// floor the window grows.
#[test]
fn losses_at_the_smallest_windows_leave_a_window_that_grows() {
    for set in sets() {
        for cwnd in [1, 2, 3, 4] {
            let mut flow = Flow::in_avoidance(&set, cwnd, 20_000);
            for _ in 0..50 {
                flow.lose();
                flow.ack(1);
                assert!(flow.driver.conn.ssthresh >= 2, "{}", set.name);
            }
            flow.rounds(20);
            assert!(flow.cwnd() > 2, "{} ({}): {}", set.name, algorithm(&set).name, flow.cwnd());
        }
    }
}
