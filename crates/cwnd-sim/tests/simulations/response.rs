// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two paths to one number: the simulator's mean window under deterministic loss, and the closed forms.

use crate::common::{LossLimited, losses};
use cwnd_link::DropCause;

/// Mean window of one flow that loses every 1/p-th packet, from its first loss at `w_max` on.
fn mean_window(cc: &str, p: f64, rtt_ms: u64, w_max: f64, mean: f64, epochs: u64) -> f64 {
    let every = (1.0 / p).round() as u64;
    let w_max = w_max.round() as u64;
    let seconds = epochs as f64 * every as f64 / mean * rtt_ms as f64 / 1e3;
    let simulation = LossLimited {
        flow: &format!("{cc}\ninitial_cwnd = {w_max}\ninitial_ssthresh = {w_max}"),
        rtt_ms,
        loss: &losses(w_max, every, epochs + 10),
        duration_s: seconds,
        measure_from_s: seconds / 5.0,
        per_ack: false,
    }
    .run();
    let summary = simulation.summary();
    assert_eq!(summary.flows[0].run.timeouts, 0);
    assert!(
        summary.link().drops[DropCause::Loss] >= epochs / 2,
        "{} losses",
        summary.link().drops[DropCause::Loss]
    );
    summary.flows[0].cwnd_mean
}

// Standard TCP: a sawtooth from W/2 to W, 3/8 W² packets to a loss: mean √(3/2)/√p.
#[test]
fn standard_tcps_mean_window_is_root_three_halves_over_root_p() {
    for (p, tolerance) in [(1e-3, 0.05), (1e-4, 0.03), (1e-5, 0.03)] {
        let formula = (1.5_f64 / p).sqrt();
        let mean = mean_window("cc = 'sack'", p, 100, formula * 4.0 / 3.0, formula, 40);
        println!("sack, p = {p}: {mean:.1} beside {formula:.1}: {:+.2} %", (mean / formula - 1.0) * 100.0);
        assert!((mean / formula - 1.0).abs() <= tolerance, "p = {p}: {mean}, not {formula}");
    }
}

// Bansal and Balakrishnan 2001 §II: between losses √w round trips for each of the 2/3 √w segments given away, 2/3 w² packets:
// mean √(α/β)/√p = √1.5/√p, standard TCP's.
#[test]
fn sqrts_mean_window_is_standard_tcps() {
    for (p, tolerance) in [(1e-3, 0.05), (1e-4, 0.03), (1e-5, 0.03)] {
        let formula = (1.5_f64 / p).sqrt();
        let mean = mean_window("cc = 'sqrt'", p, 100, formula + formula.sqrt() / 3.0, formula, 40);
        println!("sqrt, p = {p}: {mean:.1} beside {formula:.1}: {:+.2} %", (mean / formula - 1.0) * 100.0);
        assert!((mean / formula - 1.0).abs() <= tolerance, "p = {p}: {mean}, not {formula}");
    }
}

// RFC 9438, tables 1 (RTT 0.1 s) and 2 (0.01 s), column C = 0.4. The mean of a concave epoch is 0.925 W_max. Recovery
// `linux` has a lower mean (−3.3 % at RTT 10 ms and p = 10⁻⁵): by the time a loss is known, compressed ACKs and a full send
// buffer have taken packets out of flight.
#[test]
#[ignore = "slow, make test-all runs it"]
fn cubics_mean_window_is_that_of_rfc_9438s_tables() {
    let tables = [
        (100, [(1e-3, 38.0, 0.03), (1e-4, 187.0, 0.03), (1e-5, 1054.0, 0.03), (1e-6, 5926.0, 0.03)]),
        // At p = 10⁻⁶ both regions mix.
        (10, [(1e-3, 38.0, 0.03), (1e-4, 120.0, 0.03), (1e-5, 379.0, 0.03), (1e-6, 1200.0, 0.06)]),
    ];
    for (rtt_ms, rows) in tables {
        for (p, table, tolerance) in rows {
            let epochs = if p < 1e-5 { 16 } else { 40 };
            let cc = "cc = 'cubic'\nrecovery = 'sack-prr'\nslow_start = 'standard'\nfast_convergence = false";
            let mean = mean_window(cc, p, rtt_ms, table / 0.925, table, epochs);
            println!(
                "cubic, RTT {rtt_ms} ms, p = {p}: {mean:.1} beside {table}: {:+.2} %",
                (mean / table - 1.0) * 100.0
            );
            assert!((mean / table - 1.0).abs() <= tolerance, "RTT {rtt_ms} ms, p = {p}: {mean}, not {table}");
        }
    }
}
