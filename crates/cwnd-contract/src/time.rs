// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clocks and round trips: any RTT, time that stands still, runs backwards or wraps.

use crate::promise;
use crate::support::{DrivenFlow, MSS};
use cwnd::Conn;
use cwnd::registry::SetDescription;

/// A life in short: slow start, a loss, avoidance, a timeout, avoidance; returns the window after each part.
fn life(flow: &mut DrivenFlow) -> [u32; 4] {
    let mut windows = [0; 4];
    let rounds = |flow: &mut DrivenFlow, count| {
        for _ in 0..count {
            flow.round((flow.cwnd() / 50).max(1));
        }
    };
    rounds(flow, 4);
    windows[0] = flow.cwnd();
    flow.lose();
    rounds(flow, 20);
    windows[1] = flow.cwnd();
    flow.time_out();
    flow.repair();
    windows[2] = flow.cwnd();
    rounds(flow, 20);
    windows[3] = flow.cwnd();
    windows
}

/// An RTT of 0, 1 µs or 10 s divides by nothing and leaves a window that lives.
///
/// # Errors
/// What was seen instead.
pub fn any_round_trip_time_leaves_a_window_that_lives(set: &SetDescription) -> Result<(), String> {
    for rtt_us in [0, 1, 10, 1_000_000, 10_000_000] {
        let windows = life(&mut DrivenFlow::new(set, 10, rtt_us));
        promise!(windows[1] >= 5 && windows[3] >= 3, "{rtt_us} µs: {windows:?}");
    }
    Ok(())
}

/// Without a valid RTT sample, from the first round on, the window grows.
///
/// # Errors
/// What was seen instead.
pub fn without_a_single_rtt_sample_it_grows(set: &SetDescription) -> Result<(), String> {
    let mut flow = DrivenFlow::new(set, 10, 50_000);
    let mut grow = |rounds: u32| {
        let before = flow.cwnd();
        for _ in 0..rounds {
            for _ in 0..flow.cwnd() {
                flow.pace(1);
                flow.ack_with(1, None);
            }
        }
        (before, flow.cwnd())
    };
    let (before, after) = grow(3);
    promise!(after > before, "{before} to {after} in slow start");
    flow.lose();
    let before = flow.cwnd();
    for _ in 0..100 * before {
        flow.pace(1);
        flow.ack_with(1, None);
    }
    promise!(flow.cwnd() > before, "{before} to {} in avoidance", flow.cwnd());
    Ok(())
}

/// While the clock stands still or has jumped back, an ACK is worth no more than a segment, and when the clock goes on the
/// window does too. (Algorithms keep 32 bits of the clock: half of that, 35 minutes, is as far as it may jump.)
///
/// # Errors
/// What was seen instead.
pub fn a_clock_that_stands_or_runs_backwards_makes_no_jump(set: &SetDescription) -> Result<(), String> {
    for back_us in [0, 1, 50_000, 50_000_000, 2_000_000_000] {
        let mut flow = DrivenFlow::after_loss(set, 100, 100_000);
        flow.rounds(3);
        flow.driver.conn.now_us -= back_us;
        flow.driver.conn.ticks = flow.driver.conn.ticks.wrapping_sub((back_us / 1000) as u32);
        let before = flow.cwnd();
        for _ in 0..before {
            flow.ack(1);
        }
        let stood = flow.cwnd();
        promise!((before..=before + before / 2).contains(&stood), "{before} to {stood}");
        for _ in 0..100 {
            flow.round((flow.cwnd() / 100).max(1));
        }
        promise!(flow.cwnd() > before, "{back_us} µs back: {before} to {}", flow.cwnd());
    }
    Ok(())
}

/// Neither the low 32 bits of the clock, nor the tick counter, nor sequence numbers show where they wrap.
///
/// # Errors
/// What was seen instead.
pub fn clocks_and_sequence_numbers_wrap_unseen(set: &SetDescription) -> Result<(), String> {
    let from = |now_us: u64, ticks: u32| {
        let mut flow = DrivenFlow::with(set, Conn { now_us, ticks, ..Conn::new(MSS, 10) }, 100_000);
        (life(&mut flow), flow.driver.conn.ssthresh)
    };
    // A whole number of milliseconds, so that the tick counter moves at the same moments.
    let plain = from(9_000_000_000, 1 << 20);
    // In the first avoidance, and in the second, the clock passes 2³² (or 2³¹, where signs turn), then the ticks do.
    for early_ms in [1_200_u32, 3_500] {
        let (wrap_ms, turn_ms) = ((1_u64 << 34) / 1000, ((1_u64 << 34) + (1 << 31)) / 1000);
        for (now_us, ticks) in [
            ((wrap_ms - u64::from(early_ms)) * 1000, 1 << 20),
            ((turn_ms - u64::from(early_ms)) * 1000, 1 << 20),
            (9_000_000_000, u32::MAX - early_ms),
            (9_000_000_000, (1 << 31) - early_ms),
        ] {
            let seen = from(now_us, ticks);
            promise!(seen == plain, "clock {now_us}, ticks {ticks}: {seen:?}, not {plain:?}");
        }
    }
    Ok(())
}
