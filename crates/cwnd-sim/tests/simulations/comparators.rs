// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the papers of CUBIC's comparators claim for them, in the simulator.

use crate::common::{known, run};
use cwnd_link::DropCause;
use cwnd_sim::Summary;

/// Flows of `cc` on a link, measured in the second half of 60 s.
fn on_link(cc: &str, rate: &str, rtt: &str, extra: &str) -> Summary {
    run(&format!(
        "duration = '60s'\nmeasure = ['30s', '60s']\nseed = 5\n[link]\nrate = '{rate}'\nrtt = '{rtt}'\n{extra}\n[[flow]]\ncc = '{cc}'\nstart = '10ms'\n"
    ))
    .summary()
}

// Wei et al. 2006 §III: at rest α = 100 segments wait. At 100 Mbit/s each takes 0.12 ms: 12 ms of queue, and the window is
// 333 + 100 segments. A buffer of one BDP (333 packets) is more than that: no packet is dropped.
#[test]
fn fast_keeps_a_hundred_segments_in_the_queue_and_loses_none() {
    let summary = on_link("fast", "100Mbit/s", "40ms", "queue = { kind = 'droptail', limit = '1bdp' }");

    assert_eq!((summary.link().drops[DropCause::Full], summary.flows[0].run.timeouts), (0, 0));
    assert!(known(summary.link().utilization) > 0.999, "{}", known(summary.link().utilization));
    assert!((summary.link().queue_mean_ms / 12.0 - 1.0).abs() < 0.05, "{} ms", summary.link().queue_mean_ms);
    assert!((summary.flows[0].cwnd_mean / 433.0 - 1.0).abs() < 0.03, "{}", summary.flows[0].cwnd_mean);
}

// Grieco and Mascolo 2004 §4: random losses say nothing of the path's capacity, and do not shrink what it carried.
#[test]
fn westwood_is_faster_than_standard_tcp_at_random_losses() {
    let goodput = |cc| on_link(cc, "10Mbit/s", "60ms", "loss = 'random:0.01'").flows[0].goodput_mbps;
    let (reno, westwood, linux) = (goodput("newreno"), goodput("westwood"), goodput("westwood-linux"));
    println!("newreno {reno:.2}, westwood {westwood:.2}, westwood-linux {linux:.2} Mbit/s");
    assert!(westwood > 1.2 * reno, "{westwood} Mbit/s beside {reno}");
    assert!(linux > 1.2 * reno, "{linux} Mbit/s beside {reno}");
}

// Liu et al. 2008: a long fat path is filled where standard TCP does not grow back between losses.
#[test]
fn illinois_uses_a_long_fat_path_better_than_standard_tcp() {
    let used = |cc| known(on_link(cc, "200Mbit/s", "100ms", "loss = 'random:0.00001'").link().utilization);
    let (reno, illinois, linux) = (used("reno"), used("illinois"), used("illinois-linux"));
    println!("reno {reno:.3}, illinois {illinois:.3}, illinois-linux {linux:.3}");
    assert!(illinois > 1.2 * reno && linux > 1.2 * reno, "{illinois}, {linux} beside {reno}");
}
