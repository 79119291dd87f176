// SPDX-License-Identifier: MIT OR Apache-2.0
//! Inner variables mean what their names say: on a path whose RTT, losses and rate are known.

use crate::support::{DrivenFlow, MSS, algorithm, decimal, sets};

const RTT_US: u64 = 40_000;

/// The variable `name`, if this algorithm shows it.
fn shown(flow: &DrivenFlow, name: &str) -> Option<f64> {
    flow.info(name).map(|value| value as f64)
}

// 200 segments lost at, 40 ms, two seconds of avoidance. A clock of ticks knows 40 ms to a tick; some add a microsecond so
// that they never divide by 0.
#[test]
fn inner_variables_mean_what_their_names_say() {
    let mut meanings = 0;
    for set in sets() {
        let mut flow = DrivenFlow::after_loss(&set, 200, RTT_US);
        let kept = flow.driver.conn.ssthresh;
        flow.seconds(2.0);
        let rate = f64::from(flow.cwnd()) * f64::from(MSS) / (RTT_US as f64 / 1e6);
        let mut is = |name: &str, expected: f64, tolerance: f64| {
            if let Some(value) = shown(&flow, name) {
                let off = (value - expected).abs();
                assert!(off <= tolerance, "{}: {name} is {value}, not {expected}", set.name);
                meanings += 1;
            }
        };
        for name in ["base_rtt_us", "min_rtt_us", "rtt_min_us", "max_rtt_us", "mean_rtt_us"] {
            is(name, 40_000.0, 1_000.0);
        }
        is("min_srtt_us_x8", 320_000.0, 8.0);
        is("active", 1.0, 0.0);
        is("bandwidth_bytes_per_s", rate, 0.15 * rate);
        is("cwnd_prior", 200.0, 0.0);
        if algorithm(&set).name == "cubic" && set.name != "cubic-freebsd" {
            is("w_max", 200.0, 0.0);
            let beta = decimal(&set, "beta").expect("CUBIC has one");
            is("alpha_x64k", 65_536.0 * 3.0 * (1.0 - beta) / (1.0 + beta), 3.0);
            let (missing, c) = (200.0 - f64::from(kept), decimal(&set, "c").expect("CUBIC has one"));
            is("k_s_x1024", 1024.0 * (missing / c).cbrt(), 40.0);
            is("in_epoch", 1.0, 0.0);
        }
        if algorithm(&set).name == "cubic-linux" {
            is("last_max", 200.0, 0.0);
            is("origin", f64::from(flow.cwnd().max(200)), 0.0);
        }
    }
    assert!(meanings >= 60, "{meanings} variables were judged");
}

// Nothing but standard TCP and Scalable TCP is without inner variables.
#[test]
fn every_other_algorithm_shows_its_inner_variables() {
    for set in sets() {
        let flow = DrivenFlow::after_loss(&set, 200, RTT_US);
        let names: Vec<_> = flow.driver.cc.info(&flow.driver.conn).fields.map(|field| field.0).into();
        let bare = ["reno", "scalable"].contains(&algorithm(&set).name);
        assert!(bare || !names[0].is_empty(), "{}: {names:?}", set.name);
    }
}
