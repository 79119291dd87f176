// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel tells about an object's cost.

use cwnd_bpf::{Hook, HookCost, Load as _, Timing};

use crate::network::TestNetwork;
use crate::{MEGABYTE, kernel_is_ours, module};

fn instructions(costs: &[HookCost]) -> usize {
    costs.iter().map(|cost| cost.instructions).sum()
}

#[test]
fn recording_that_is_off_is_not_in_the_programs() {
    if !kernel_is_ours() {
        return;
    }
    let module = module("reno");
    let off = module.load("cwnd_cost_off").expect("loaded").costs().expect("costs");
    let (loaded, _recorder) = module.load_recording("cwnd_cost_on", 1).expect("loaded");
    let on = loaded.costs().expect("costs");
    // All but `cong_control`, which this algorithm does not have.
    assert_eq!(off.len(), Hook::ALL.len() - 1);
    println!("{} instructions, {} when recording", instructions(&off), instructions(&on));
    assert!(off.iter().all(|cost| cost.verified > 0 && cost.machine_bytes > 0));
    // A record's two halves are more than 100 instructions, in each program.
    assert!(instructions(&off) + 100 * Hook::ALL.len() < instructions(&on));
}

/// A hundred acknowledgements come long before: one covers 90 segments at most, two of the largest packets.
const TRANSFERS: u32 = 100;

#[test]
fn times_are_taken_only_while_asked_for() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("times", "200mbit", 30);
    let loaded = module("reno").load("cwnd_times").expect("loaded");
    let before = std::fs::read_to_string("/proc/sys/kernel/bpf_stats_enabled").expect("a sysctl");
    let timing = Timing::start().expect("rights");
    // 1 MB are 700 segments, of which an acknowledgement covers two, or more.
    let calls = || loaded.counters().expect("counters").calls(Hook::CongAvoid);
    for _ in 0..TRANSFERS {
        network.transfer("cwnd_times", MEGABYTE);
        if calls() > 100 {
            break;
        }
    }
    assert!(calls() > 100, "{} calls of cong_avoid in {TRANSFERS} transfers of 1 MB", calls());
    drop(timing);
    let costs = loaded.costs().expect("costs");
    let calls = loaded.counters().expect("counters");
    for cost in &costs {
        // `init` and `release` sleep between the two: a program that begins when no time is taken is not counted.
        assert!(cost.runs <= calls.calls(cost.hook), "{cost:?}");
        assert_eq!(cost.runs == 0, cost.run_ns == 0, "{cost:?}");
    }
    assert!(costs[Hook::CongAvoid as usize].runs > 100);
    let after = std::fs::read_to_string("/proc/sys/kernel/bpf_stats_enabled").expect("a sysctl");
    assert_eq!(before, after);
}
