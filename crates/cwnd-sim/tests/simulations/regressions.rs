// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of docs/reference/algorithms/regressions.toml that need a path, not hooks alone.

use crate::common::run;

/// Share of the link that one flow of `cc` has beside one of standard TCP, 100 Mbit/s and 4 ms, one BDP of buffer.
/// Both with RFC 6675 alone, which takes what each algorithm asks for at once: of proportional reduction the one that asks for less
/// profits (0.55 for `cubic` then, 0.40 for the kernel's).
fn share_beside_reno(cc: &str) -> f64 {
    let simulation = run(&format!(
        r#"
        duration = "60s"
        [link]
        rate = "100Mbit/s"
        rtt = "4ms"
        queue = {{ kind = "droptail", limit = "1bdp" }}
        [[flow]]
        cc = "{cc}"
        recovery = "sack"
        [[flow]]
        cc = "reno"
        recovery = "sack"
        "#
    ));
    let flows = simulation.summary().flows;
    flows[0].throughput_mbps / (flows[0].throughput_mbps + flows[1].throughput_mbps)
}

// Row LR1: on a short path CUBIC is standard TCP, α = 1 beyond the window before the loss; the kernel's α stays 0.53, and it
// falls behind.
#[test]
fn on_a_short_path_cubic_shares_evenly_and_the_kernels_does_not() {
    let (rfc, linux) = (share_beside_reno("cubic"), share_beside_reno("cubic-linux"));
    println!("cubic {rfc:.3}, cubic-linux {linux:.3}");
    assert!((0.45..=0.55).contains(&rfc), "{rfc}");
    assert!(linux < 0.45, "{linux}");
}
