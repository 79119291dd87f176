// SPDX-License-Identifier: MIT OR Apache-2.0
//! CUBIC's window over time, against its own closed form.

use crate::common::LossLimited;
use cwnd_sim::{CwndRow, EventKind, Simulation};

const OPEN: u64 = 0;
const RECOVERY: u64 = 3;

/// An epoch of congestion avoidance as the trace shows it, times in s.
struct Epoch {
    begin: f64,
    /// Window at the beginning.
    from: f64,
    /// W_max as RFC 9438 §4.7 has it, from the windows at all losses so far.
    w_max: f64,
    /// Whether fast convergence lowered it.
    lowered: bool,
    rows: Vec<(f64, f64)>,
}

/// The epochs between recoveries, the last one left out.
fn epochs(simulation: &Simulation) -> Vec<Epoch> {
    let rows: &[CwndRow] = &simulation.tables().cwnd;
    let states = simulation.tables().events.iter().filter(|e| e.kind == EventKind::State);
    let before = |time: u64| rows[rows.partition_point(|row| row.time_ns < time) - 1].cwnd;
    let (mut w_max, mut lowered, mut opened) = (0.0, false, None);
    let mut epochs = Vec::new();
    for state in states {
        if state.value == OPEN {
            opened = Some(state.time_ns);
        }
        if state.value != RECOVERY {
            continue;
        }
        if let Some(begin) = opened.take().filter(|_| w_max > 0.0) {
            let from = rows.partition_point(|r| r.time_ns < begin);
            let slice = &rows[from..rows.partition_point(|r| r.time_ns < state.time_ns)];
            epochs.push(Epoch {
                begin: begin as f64 / 1e9,
                from: f64::from(slice[0].cwnd),
                w_max,
                lowered,
                rows: slice.iter().map(|r| (r.time_ns as f64 / 1e9, f64::from(r.cwnd))).collect(),
            });
        }
        let lost_at = f64::from(before(state.time_ns));
        lowered = lost_at < w_max;
        w_max = if lowered { (0.85 * lost_at).round() } else { lost_at };
    }
    epochs
}

// RFC 9438 §4.2: with t = s·K, W(t)/W_max = 1 + 0.3 (s − 1)³ for every W_max. The window aims at W(t + RTT), so it
// lies between W(t − RTT) and W(t + RTT), within one segment. Recovery `linux` compresses ACKs by up to 1 ms, which the RFC does
// not have.
#[test]
#[ignore = "slow, make test-all runs it"]
fn after_one_loss_the_window_follows_the_curve() {
    for w_max in [100_u64, 1000, 10_000] {
        let k = (0.75 * w_max as f64).cbrt();
        let simulation = LossLimited {
            flow: &format!(
                "cc = 'cubic'\nrecovery = 'sack-prr'\nslow_start = 'standard'\nfriendliness = 'off'\ninitial_cwnd = {w_max}\ninitial_ssthresh = {w_max}"
            ),
            rtt_ms: 100,
            loss: &format!("at:{},{}", w_max, 1_u64 << 40),
            duration_s: 2.0 * k + 1.0,
            measure_from_s: 0.0,
            per_ack: true,
        }
        .run();
        let events = &simulation.tables().events;
        let begin =
            events.iter().rfind(|e| e.kind == EventKind::State && e.value == OPEN).expect("recovered");
        let begin_s = begin.time_ns as f64 / 1e9;
        let plateau = f64::from(begin.cwnd) / 0.7; // what was lost at, from the window that it left
        let curve = |t: f64| {
            let k = (0.75 * plateau).cbrt();
            plateau * (1.0 + 0.3 * (t / k - 1.0).powi(3))
        };
        let mut rows = 0;
        for row in &simulation.tables().cwnd {
            let t = row.time_ns as f64 / 1e9 - begin_s;
            if row.time_ns <= begin.time_ns || t > 2.0 * k {
                continue;
            }
            let (low, high) = (curve((t - 0.1).max(0.0)) - 1.0, curve(t + 0.1) + 1.0);
            let w = f64::from(row.cwnd);
            assert!(low <= w && w <= high, "W_max {w_max}, t = {t:.3}: {w} is not in {low:.2}..{high:.2}");
            rows += 1;
        }
        assert!(rows as f64 > 15.0 * k * w_max as f64, "the trace covers the curve: {rows} rows");
    }
}

// With fast convergence on, the mean over time depends on history, but every epoch keeps to its own curve: mean of
// C(t − K)³ + W_max over the epoch's length T is W_max + C((T − K)⁴ − K⁴)/(4T).
#[test]
#[ignore = "slow, make test-all runs it"]
fn with_fast_convergence_every_epoch_keeps_to_its_own_curve() {
    for (p, table) in [(1e-4, 187.0), (1e-5, 1054.0)] {
        let simulation = LossLimited {
            flow: "cc = 'cubic'",
            rtt_ms: 100,
            loss: &format!("every:{:.0}", 1.0 / p),
            duration_s: 400.0,
            measure_from_s: 0.0,
            per_ack: true,
        }
        .run();
        let epochs = epochs(&simulation);
        assert!(epochs.len() >= 20, "{} epochs", epochs.len());
        let (mut area, mut time, mut shortened, mut judged) = (0.0, 0.0, 0, 0);
        for epoch in &epochs {
            shortened += u32::from(epoch.lowered);
            let length = epoch.rows.last().expect("rows").0 - epoch.begin;
            let sum: f64 = epoch.rows.windows(2).map(|w| w[0].1 * (w[1].0 - w[0].0)).sum();
            if epoch.begin > 200.0 {
                area += sum;
                time += length;
            }
            let plateau = epoch.w_max.max(epoch.from);
            let k = ((plateau - epoch.from) / 0.4).cbrt();
            let closed = plateau + 0.4 * ((length - k).powi(4) - k.powi(4)) / (4.0 * length);
            // Where Reno's estimate is the larger one, the window is that (RFC 9438 §4.3): such an epoch is no curve.
            let reno = epoch.from + 3.0 * 0.3 / 1.7 * length / 0.1;
            if length < 1.0 || reno > plateau + 0.4 * (length - k).powi(3) {
                continue;
            }
            judged += 1;
            assert!(
                (sum / length / closed - 1.0).abs() <= 0.02,
                "p = {p}, epoch at {:.1} s, {length:.1} s long: mean {:.1}, closed form {closed:.1}",
                epoch.begin,
                sum / length,
            );
        }
        assert!(judged * 2 >= epochs.len(), "{judged} of {} epochs are curves", epochs.len());
        assert!(shortened > 0, "fast convergence took part");
        println!(
            "cubic with fast convergence, the second 200 s, p = {p}: {:.1}, the table says {table}: {:+.1} % (reported)",
            area / time,
            (area / time / table - 1.0) * 100.0
        );
    }
}
