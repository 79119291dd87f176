// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time t of the curve: idle of any length, epochs of any length, and the stage that begins after idle slow start.

use super::parameter_sets::*;
use super::virtual_flow::VirtualFlow;
use super::*;
use crate::registration::Registered;
use crate::slow_start;

const MINUTE_US: u64 = 60_000_000;
const DAY_US: u64 = 24 * 60 * MINUTE_US;

/// Below and above half of the 71.6 minutes that 32 bits of microseconds hold, that itself, multiples, and days; whole milliseconds, so that a clock of ticks moves alike.
const PAUSES_US: [u64; 14] = [
    1_000_000,
    10_000_000,
    600_000_000,
    35 * MINUTE_US,
    36 * MINUTE_US,
    60 * MINUTE_US,
    70 * MINUTE_US,
    4_294_967_000, // 71.6 minutes, 2³² µs, to the millisecond below and above
    4_294_968_000,
    80 * MINUTE_US,
    110 * MINUTE_US,
    DAY_US,
    12 * DAY_US + 11 * 60 * MINUTE_US,
    400 * DAY_US,
];

/// Every set of this file's mechanism, with standard slow start.
fn sets() -> impl Iterator<Item = (&'static str, CubicParams)> {
    Cubic::SETS.iter().map(|set| (set.name, CubicParams { slow_start: slow_start::STANDARD, ..set.params }))
}

/// A flow 3 s after a loss at 1000 segments.
fn running(params: CubicParams) -> VirtualFlow {
    let mut flow = VirtualFlow::new(params, 1000, 100_000);
    flow.lose();
    flow.seconds(3.0, 1);
    flow
}

/// Windows of the next twenty round trips.
fn windows(flow: &mut VirtualFlow) -> Vec<u32> {
    (0..20)
        .map(|_| {
            flow.round(1);
            flow.conn.cwnd
        })
        .collect()
}

fn pause(flow: &mut VirtualFlow, us: u64) {
    flow.conn.now_us += us;
    flow.conn.ticks = (flow.conn.now_us * u64::from(flow.conn.tick_hz) / 1_000_000) as u32;
}

// RFC 9438 §4.2 MUST NOT: t does not include idle time. Both bounds: the windows after the pause are those of a flow that
// had none. Rows L1, K1.
#[test]
fn idle_time_of_any_length_leaves_the_curve_where_it_was() {
    for (name, params) in sets() {
        let busy = windows(&mut running(params));
        assert!(busy[19] > busy[0], "{name} grows: {busy:?}");
        for idle_us in PAUSES_US {
            let mut flow = running(params);
            pause(&mut flow, idle_us);
            flow.cubic.cwnd_event(&mut flow.conn, CaEvent::TxStart, &flow.params);
            assert_eq!(windows(&mut flow), busy, "{name}, {} minutes idle", idle_us / MINUTE_US);
        }
    }
}

// The same for time in which the application limits the flow: an acknowledgement every 10 s says so.
// R9438-4.2-a
#[test]
fn application_limited_time_of_any_length_leaves_the_curve_where_it_was() {
    for (name, params) in sets() {
        let busy = windows(&mut running(params));
        for idle_us in PAUSES_US {
            let mut flow = running(params);
            flow.conn.is_cwnd_limited = false;
            flow.conn.max_packets_out = 1;
            let end = flow.conn.now_us + idle_us;
            while flow.conn.now_us < end {
                // No more than 20 000 acknowledgements, the last of them at the end.
                let step = (idle_us / 20_000).max(10_000_000).min(end - flow.conn.now_us);
                pause(&mut flow, step);
                flow.ack(1);
            }
            flow.conn.is_cwnd_limited = true;
            assert_eq!(windows(&mut flow), busy, "{name}, {} minutes limited", idle_us / MINUTE_US);
        }
    }
}

// Application-limited every other acknowledgement, 100 µs apart: half of the time counts, to the microsecond.
#[test]
fn short_pauses_lose_no_part_of_the_time_between_them() {
    let params = CubicParams { slow_start: slow_start::STANDARD, ..RFC9438 };
    let mut flow = VirtualFlow::new(params, 1_000_000, 100_000);
    flow.lose();
    flow.ack(1);
    for _ in 0..100_000 {
        for limited in [false, true] {
            pause(&mut flow, 101);
            flow.conn.is_cwnd_limited = limited;
            flow.conn.max_packets_out = 1;
            flow.ack(1);
        }
    }
    assert_eq!(flow.cubic.t_us(&flow.conn, &flow.params), 100_000 * 101);
}

// RFC 5681 §4.1, RFC 9438 §4.2: after an idle period the transport restarts from 10 segments; slow start ends at ssthresh,
// and a new stage begins there. A form that limits the target adds half of the window in a round trip at most. One without that limit
// is on its curve: K² of it, ∛(W_max (1 − β) / C), is largest where the stage begins, and so is the slope there, 3 C K²; that of 2005
// adds S_max = 160 a second at most. One segment more where the estimate is followed, and one for fractions.
#[test]
fn after_an_idle_restart_nothing_doubles_past_ssthresh() {
    for (name, params) in sets() {
        for rtt_us in [5_000, 100_000] {
            let mut flow = VirtualFlow::new(params, 1000, rtt_us);
            flow.lose();
            let ssthresh = flow.conn.ssthresh;
            while flow.conn.cwnd < 1900 {
                flow.round(1);
            }
            let (c, kept) = (f64::from(params.c) / 65_536.0, f64::from(params.beta) / 65_536.0);
            let slope = 3.0 * c * (1000.0 * (1.0 - kept) / c).cbrt().powi(2);
            let slope = if params.max_increment > 0 { slope.min(params.max_increment.into()) } else { slope };
            pause(&mut flow, 10_000_000);
            flow.conn.cwnd = 10;
            flow.cubic.cwnd_event(&mut flow.conn, CaEvent::CwndRestart, &flow.params);
            flow.cubic.cwnd_event(&mut flow.conn, CaEvent::TxStart, &flow.params);
            for _ in 0..20 {
                let before = flow.conn.cwnd;
                flow.round(1);
                let after = flow.conn.cwnd;
                let base = before.max(ssthresh);
                let most = if params.limit_target == 1 {
                    base + base / 2 + 1
                } else {
                    base + (slope * rtt_us as f64 / 1e6) as u32 + 2
                };
                assert!(after <= most, "{name}, RTT {rtt_us} µs, ssthresh {ssthresh}: {before} to {after}");
            }
            assert!(flow.conn.cwnd >= ssthresh, "{name}, RTT {rtt_us} µs: {}", flow.conn.cwnd);
        }
    }
}

// RFC 9438 §4.2, §4.3: a congestion avoidance stage begins where slow start ends: t = 0, cwnd_epoch = W_est = ssthresh = 700,
// K = ∛((1000 − 700) / 0.4) = 9.0856 s, as after the loss itself. RTT 5 ms: W_est grows by 0.529 a round trip from 700.
#[test]
fn after_an_idle_restart_a_new_stage_begins_at_ssthresh() {
    let params = CubicParams { slow_start: slow_start::STANDARD, ..RFC9438 };
    let after_loss = |rounds: u32| {
        let mut flow = VirtualFlow::new(params, 1000, 5_000);
        flow.lose();
        (0..rounds).for_each(|_| flow.round(1));
        flow.conn.cwnd
    };
    let mut flow = VirtualFlow::new(params, 1000, 5_000);
    flow.lose();
    while flow.conn.cwnd < 1900 {
        flow.round(1);
    }
    pause(&mut flow, 10_000_000);
    flow.conn.cwnd = 10;
    flow.cubic.cwnd_event(&mut flow.conn, CaEvent::CwndRestart, &flow.params);
    flow.cubic.cwnd_event(&mut flow.conn, CaEvent::TxStart, &flow.params);
    // 10 20 40 … 640 700: seven round trips, the last of which has 60 of 640 acknowledgements below the threshold.
    (0..6).for_each(|_| flow.round(1));
    assert_eq!(flow.conn.cwnd, 640);
    flow.round(1);
    assert!((700..=701).contains(&flow.conn.cwnd), "{}", flow.conn.cwnd);
    assert!(flow.cubic.k_x1024.abs_diff(9303) <= 1, "{}", flow.cubic.k_x1024); // 9.0856 · 1024
    (0..200).for_each(|_| flow.round(1));
    assert!(flow.conn.cwnd.abs_diff(after_loss(201)) <= 1, "{} beside {}", flow.conn.cwnd, after_loss(201));
}

// No slow start where the restart window lies above ssthresh: W_est of the large window is regained by half a window per
// round trip, as the curve would be.
#[test]
fn a_window_lowered_above_ssthresh_is_regained_by_half_of_it_per_round_trip() {
    for (name, params) in sets() {
        let mut flow = VirtualFlow::new(CubicParams { limit_target: 1, ..params }, 10, 1_000);
        flow.lose();
        while flow.conn.cwnd < 300 {
            flow.round(1);
        }
        flow.conn.cwnd = 10;
        for _ in 0..12 {
            let before = flow.conn.cwnd;
            flow.round(1);
            assert!(flow.conn.cwnd <= before + before / 2 + 1, "{name}: {before} to {}", flow.conn.cwnd);
        }
        assert!(flow.conn.cwnd > 20, "{name}: {}", flow.conn.cwnd); // NewReno's growth alone gives 22
    }
}

// An epoch of 100 minutes without a loss; every 100 s as many acknowledgements as the window needs to reach its target.
// C = 66/65 536, W_max = 10⁶: K = ∛(3·10⁵ / C) = 667.9 s, and the window is 10⁶ + C (t − K)³. (32 bits of microseconds end at
// 4295 s.)
#[test]
fn beyond_71_minutes_the_curve_goes_on() {
    let params =
        CubicParams { slow_start: slow_start::STANDARD, friendliness: FRIENDLY_OFF, c: 66, ..RFC9438 };
    let mut flow = VirtualFlow::new(params, 1_000_000, 100_000);
    flow.lose();
    flow.ack(1);
    let c = 66.0 / 65_536.0;
    let k = (300_000.0_f64 / c).cbrt();
    for hundred in 1..=60 {
        pause(&mut flow, 100_000_000);
        // Each closes 65 536 / cwnd of the gap: eight windows leave e⁻⁸, 0.03 %, of it.
        for _ in 0..8 + 8 * flow.conn.cwnd / 65_536 * 3 / 2 {
            flow.ack(65_536);
        }
        let ahead = f64::from(hundred) * 100.0 + 0.1 - k; // the target is read a round trip ahead
        let (expected, slope) = (1e6 + c * ahead.powi(3), 3.0 * c * ahead.powi(2));
        // What is left of the growth of 100 s, two units of K's rounding and one of t's, and a segment.
        let off = 0.0005 * 150.0 * slope + slope * 3.0 / 1024.0 + 2.0;
        let cwnd = f64::from(flow.conn.cwnd);
        assert!((cwnd - expected).abs() <= off, "t = {hundred}00 s: {cwnd} beside {expected} ± {off}");
    }
    assert!(flow.conn.cwnd > 150_000_000, "{}", flow.conn.cwnd); // 10⁶ + C · 5332³ = 1.54·10⁸
}
