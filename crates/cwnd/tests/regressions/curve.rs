// SPDX-License-Identifier: MIT OR Apache-2.0
//! The curve, Reno's estimate, fast convergence, fractions. Table `curve`, and what of `arithmetic` belongs to the curve.

use crate::support::{DrivenFlow, MSS, algorithm, decimal, set as named, whole};
use crate::{ProbeResult, claim};
use cwnd::Conn;
use cwnd::registry::SetDescription;

/// Whether this is a form of CUBIC: only those have a curve.
pub fn is_cubic(set: &SetDescription) -> bool {
    algorithm(set).name.starts_with("cubic")
}

/// α = 3 (1 − β) / (1 + β).
fn alpha(set: &SetDescription) -> f64 {
    let beta = decimal(set, "beta").expect("CUBIC has one");
    3.0 * (1.0 - beta) / (1.0 + beta)
}

/// Two losses, the second at nine tenths of the first: the curve begins where the window is, so two round trips bring two
/// segments (their slope at K before the plateau is 3·C·K²: four segments per round trip and more).
pub fn growth_starts_at_once_after_fast_convergence(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    let mut flow = DrivenFlow::after_loss(set, 1000, 100_000);
    flow.driver.conn.cwnd = 900;
    flow.lose();
    let begin = flow.cwnd();
    flow.rounds(2);
    claim(flow.cwnd() >= begin + 2, || format!("{begin} to {} in two round trips", flow.cwnd()))
}

/// Sixty seconds beyond the plateau, where the curve is 86 000 segments up, a round trip grows the window by half.
pub fn a_round_trip_grows_by_half_at_most(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    let mut flow = DrivenFlow::after_loss(set, 100, 100_000);
    flow.rounds(2);
    flow.wait(64_000_000);
    flow.ack(1);
    let before = flow.cwnd();
    flow.round(1);
    claim(flow.cwnd() <= before + before / 2 + 1, || format!("{before} to {}", flow.cwnd()))
}

/// W(t) against the closed form: how late the window is, on average over both regions, in round trips. It aims at
/// W(t + RTT) and arrives there a round trip later.
pub fn the_curve_is_read_at_its_time(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    let (plateau, rtt_s) = (1000.0, 0.2);
    let mut flow = DrivenFlow::after_loss(set, 1000, 200_000);
    let c = decimal(set, "c")?;
    let k = ((plateau - f64::from(flow.cwnd())) / c).cbrt();
    let begin = flow.now_s();
    let (mut sum, mut count) = (0.0, 0.0);
    while flow.now_s() - begin < 1.7 * k {
        flow.round(1);
        let t = flow.now_s() - begin;
        let read = k + ((f64::from(flow.cwnd()) - plateau) / c).cbrt();
        // Near the plateau a window says little about the time.
        if (read - k).abs() > 1.5 {
            sum += t - read;
            count += 1.0;
        }
    }
    let late = sum / f64::max(count, 1.0) / rtt_s;
    claim(late.abs() <= 0.6, || format!("{late:.1} round trips late"))
}

/// 536, 1200, 1448 and 9000 bytes: the same windows in segments after 50 round trips, within 1 %.
pub fn segments_of_any_size_make_the_same_windows(set: &SetDescription) -> ProbeResult {
    let windows = [MSS, 536, 1200, 9000].map(|mss| {
        let mut flow = DrivenFlow::with(set, Conn { ssthresh: 200, ..Conn::new(mss, 200) }, 50_000);
        (flow.driver.conn.cwnd, flow.driver.conn.ssthresh) = (200, 200);
        flow.rounds(5);
        flow.driver.conn.cwnd = 200;
        flow.lose();
        flow.rounds(50);
        flow.cwnd()
    });
    let same = windows.iter().all(|w| w.abs_diff(windows[0]) * 100 <= windows[0]);
    claim(same, || format!("{windows:?}"))
}

/// RTT 1 ms, W_max 100: Reno's estimate rules, α per round trip, 60 of them, within 2 %.
pub fn the_estimate_grows_by_alpha(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    let mut flow = DrivenFlow::after_loss(set, 100, 1_000);
    let begin = f64::from(flow.cwnd());
    flow.rounds(40);
    let expected = 40.0 * alpha(set);
    let grown = f64::from(flow.cwnd()) - begin;
    claim((grown - expected).abs() <= 1.5 + 0.02 * expected, || {
        format!("{grown} segments, not {expected:.1}")
    })
}

/// The same with acknowledgements of 1, 3, 2 and 4 segments in turn.
pub fn mixed_acknowledgements_do_not_inflate_the_estimate(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    let grown = |sizes: &[u32]| {
        let mut flow = DrivenFlow::after_loss(set, 100, 1_000);
        let begin = flow.cwnd();
        let end = flow.driver.conn.now_us + 40_000;
        for acked in sizes.iter().cycle() {
            flow.pace(*acked);
            flow.ack(*acked);
            if flow.driver.conn.now_us >= end {
                break;
            }
        }
        f64::from(flow.cwnd() - begin)
    };
    let (single, mixed) = (grown(&[1]), grown(&[1, 3, 2, 4]));
    claim((mixed - single).abs() <= 2.0, || format!("{mixed} segments, {single} with ACKs of one"))
}

/// A path of 10 ms that holds 18 segments: the mean window over a loss cycle is 0.95 of standard TCP's at least.
pub fn small_windows_are_no_smaller_than_renos(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    let mean = |set: &SetDescription| {
        let mut flow = DrivenFlow::after_loss(set, 18, 10_000);
        let (begin, mut sum, mut rounds) = (flow.now_s(), 0.0, 0.0);
        while flow.now_s() - begin < 20.0 {
            flow.round(1);
            sum += f64::from(flow.cwnd());
            rounds += 1.0;
            if flow.cwnd() > 18 {
                flow.lose();
            }
        }
        sum / rounds
    };
    let (own, reno) = (mean(set), mean(&named("reno")));
    claim(own >= 0.95 * reno, || format!("{own:.1} segments, Reno {reno:.1}"))
}

/// Slow start left without a loss at 100 segments: the window never falls, and has grown by 0.4 · 8³ = 205 after 8 s.
pub fn a_lossless_exit_grows_convexly(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    let mut flow = DrivenFlow::in_avoidance(set, 100, 100_000);
    let begin = flow.now_s();
    let mut last = 100;
    while flow.now_s() - begin < 8.0 {
        flow.round(1);
        if flow.cwnd() < last {
            return claim(false, || format!("{last} to {}", flow.cwnd()));
        }
        last = flow.cwnd();
    }
    claim(last >= 100 + 185, || format!("100 to {last} in 8 s"))
}

/// Losses at 100, 80 and 50: 80 · (1 + β)/2 and 50 · (1 + β)/2 are remembered, not parts of the old maximum.
pub fn fast_convergence_remembers_the_window_at_the_loss(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    if whole(set, "fast_convergence") == Some(0) {
        return None;
    }
    let factor = f64::midpoint(1.0, decimal(set, "beta")?);
    let mut flow = DrivenFlow::after_loss(set, 100, 100_000);
    for cwnd in [80, 50] {
        flow.driver.conn.cwnd = cwnd;
        flow.lose();
        let kept = flow.info("w_max").or(flow.info("last_max"))? as f64;
        let expected = f64::from(cwnd) * factor;
        if (kept - expected).abs() > 1.0 {
            return claim(false, || format!("{kept} after a loss at {cwnd}, not {expected:.1}"));
        }
    }
    claim(true, String::new)
}

/// A flow at 1 ms whose last two losses came at 100 and 90, once it has reached `from`.
fn converged(set: &SetDescription, from: u32) -> DrivenFlow {
    let mut flow = DrivenFlow::after_loss(set, 100, 1_000);
    flow.driver.conn.cwnd = 90;
    flow.lose();
    for _ in 0..2000 {
        if flow.cwnd() >= from {
            break;
        }
        flow.round(1);
    }
    flow
}

/// Between W_max (76) and the window before the loss (90) α is still 0.53: ten segments take 10/α round trips.
pub fn alpha_stays_low_up_to_the_window_before(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    let mut flow = converged(set, 79);
    let mut rounds = 0.0;
    while flow.cwnd() < 89 && rounds < 500.0 {
        flow.round(1);
        rounds += 1.0;
    }
    let expected = 10.0 / alpha(set);
    claim(rounds >= 0.85 * expected, || format!("{rounds} round trips, not {expected:.0}"))
}

/// Beyond it α is 1: twenty segments take twenty round trips.
pub fn alpha_becomes_one_beyond_it(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    let mut flow = converged(set, 92);
    let mut rounds = 0.0_f64;
    while flow.cwnd() < 112 && rounds < 500.0 {
        flow.round(1);
        rounds += 1.0;
    }
    claim((rounds - 20.0).abs() <= 2.0, || format!("{rounds} round trips for 20 segments"))
}

/// At K the window is back at W_max, within a segment and 0.5 %, from 10 to 10 000 segments.
pub fn no_fraction_is_lost_on_the_way_to_the_plateau(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    let c = decimal(set, "c")?;
    for plateau in [10_u32, 100, 1000, 10_000] {
        let mut flow = DrivenFlow::after_loss(set, plateau, 20_000);
        let k = (f64::from(plateau - flow.cwnd()) / c).cbrt();
        flow.seconds(k + 0.02);
        if flow.cwnd() + 1 + plateau / 200 < plateau {
            return claim(false, || format!("{} at K, W_max {plateau}", flow.cwnd()));
        }
    }
    claim(true, String::new)
}

/// 346, 348, 400 and 4000 s beyond the plateau the curve is far above: a round trip grows the window by 30 % at least.
pub fn beyond_347_seconds_the_curve_goes_on(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    for beyond_s in [346_u64, 348, 400, 700, 4000] {
        let mut flow = DrivenFlow::after_loss(set, 1000, 100_000);
        flow.rounds(2);
        // One acknowledgement every ten seconds.
        for _ in 0..beyond_s.div_ceil(10) {
            flow.wait(10_000_000);
            flow.ack(1);
        }
        flow.wait((beyond_s + 9) % 10 * 1_000_000);
        flow.ack(1);
        let before = flow.cwnd();
        flow.round(1);
        if flow.cwnd() < before + before * 3 / 10 {
            return claim(false, || format!("{before} to {} at {beyond_s} s", flow.cwnd()));
        }
    }
    claim(true, String::new)
}

/// One ACK before the window would grow, a loss: the first ACK after it brings nothing.
pub fn credit_does_not_outlive_a_loss(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::after_loss(set, 200, 20_000);
    flow.rounds(3);
    for _ in 0..100_000 {
        let mut next = flow.twin();
        next.pace(1);
        next.ack(1);
        if next.cwnd() > flow.cwnd() {
            break;
        }
        flow = next;
    }
    flow.declare_lost();
    flow.repair();
    let before = flow.driver.conn.ssthresh;
    flow.ack(1);
    claim(flow.cwnd() <= before, || format!("{before} to {} by the first ACKs", flow.cwnd()))
}
