// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Linux's recovery is for: packets that are late, retransmissions that are lost, tails that are lost.
//! 20 Mbit/s, 40 ms, a queue of one BDP: the figures of docs/reference/recovery-linux.md.

mod common;

use common::run;
use cwnd_sim::FlowSummary;

fn flow(cc: &str, recovery: &str, link: &str, seed: u32) -> FlowSummary {
    let scenario = format!(
        "duration = '20s'\nseed = {seed}\n[link]\nrate = '20Mbit/s'\nrtt = '40ms'\nqueue = {{ kind = 'droptail', limit = '1bdp' }}\n{link}\n\
         [[flow]]\ncc = '{cc}'\nrecovery = '{recovery}'"
    );
    run(&scenario).summary().flows.remove(0)
}

// RFC 8985 §6.2 and the undo of the first recoveries. Of 20 Mbit/s 19.3 are payload. Linux 6.18: 19.1, 19.0, 18.9, 16.4 Mbit/s. RFC 6675
// takes each late packet for a loss: below a third.
#[test]
fn late_packets_cost_no_throughput() {
    for cc in ["cubic-linux", "reno-linux"] {
        for reorder in ["share = 0.01, extra = '5ms'", "share = 0.05, extra = '10ms'"] {
            let of = |recovery| flow(cc, recovery, &format!("reorder = {{ {reorder} }}"), 1).goodput_mbps;
            let (linux, prr) = (of("linux"), of("sack-prr"));
            assert!(linux > 19.0 && prr < 20.0 / 3.0, "{cc}, {reorder}: {linux} and {prr} Mbit/s");
        }
    }
}

// RFC 8985 §6.2: lost retransmissions are found by what was sent after them. Six seeds: at 5 and 10 % of losses less than a third of the
// timeouts, at 20 % less than two thirds, and no less throughput.
#[test]
fn lost_retransmissions_cost_fewer_timeouts() {
    for (loss, least) in [(0.02, 3.0), (0.05, 3.0), (0.1, 3.0), (0.2, 1.5)] {
        let sum = |recovery| {
            let flows =
                (1..=6).map(|seed| flow("reno-linux", recovery, &format!("loss = 'random:{loss}'"), seed));
            flows.fold((0, 0.0), |(timeouts, mbps), flow| {
                (timeouts + flow.run.timeouts, mbps + flow.goodput_mbps)
            })
        };
        let (linux, prr) = (sum("linux"), sum("sack-prr"));
        assert!(linux.0 as f64 * least < prr.0 as f64 && linux.1 > prr.1, "{loss}: {linux:?} and {prr:?}");
    }
}

// RFC 8985 §7: the last two of ten packets are lost. The last acknowledgement comes 44.8 ms after the start, and says 43.2 ms or so; 2 · SRTT
// and 2 ms later the probe goes, a round trip after that the other packet, and half a round trip later it is there: 44.8 + 87 + 41 + 21.
// With the timer it takes twice as long.
#[test]
fn a_lost_tail_costs_what_a_probe_costs() {
    let end_ns = |recovery| {
        let simulation = run(&format!(
            "duration = '5s'\n[link]\nrate = '20Mbit/s'\nrtt = '40ms'\nloss = 'at:9,10'\n[[flow]]\ncc = 'reno-linux'\nrecovery = '{recovery}'\nsize = '14480B'"
        ));
        simulation.tables().transfers[0].end_ns.expect("complete")
    };
    let (linux, prr) = (end_ns("linux"), end_ns("sack-prr"));
    assert!((188_000_000..200_000_000).contains(&linux), "{linux} ns");
    assert!(prr > 380_000_000, "{prr} ns");
}
