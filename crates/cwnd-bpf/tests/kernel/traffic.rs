// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every algorithm of the registry under a real connection.

use cwnd::CaState;
use cwnd::registry::ALGORITHMS;
use cwnd_bpf::{Hook, Load as _};

use crate::network::{TestNetwork, run};
use crate::{MEGABYTE, kernel_is_ours, module, none_of, registered};

/// 20 MB on the algorithm's default parameter set, as a user would load it.
fn carry_20_mb(algorithm: &str, kernel_name: &str, network: &TestNetwork) -> Vec<String> {
    let loaded = match module(algorithm).load(kernel_name) {
        Ok(loaded) => loaded,
        Err(why) => return vec![format!("{algorithm}: {why}")],
    };
    let mut transfer = network.transfer(kernel_name, 20 * MEGABYTE);
    let mut connections = 1;
    // How many segments an acknowledgement covers is the machine's affair: as many transfers as it takes to a hundred.
    while loaded.counters().expect("counters").calls(Hook::PktsAcked) <= 100 && connections < 10 {
        transfer = network.transfer(kernel_name, 20 * MEGABYTE);
        connections += 1;
    }
    let counters = loaded.counters().expect("counters");
    println!("{kernel_name}: {counters}\n{}", transfer.info.trim_end());
    [
        ("moved 20 MB", transfer.received == 20 * MEGABYTE),
        ("kept the socket's algorithm", transfer.congestion == kernel_name),
        ("is named by TCP_INFO", transfer.info.contains(&format!(" {kernel_name} "))),
        ("initialised each connection once", counters.calls(Hook::Init) == connections),
        ("was asked for ssthresh", counters.calls(Hook::Ssthresh) >= 1),
        ("entered recovery", counters.entered(CaState::Recovery) >= 1),
        ("grew its window", counters.calls(Hook::CongAvoid) > 50),
        ("saw acknowledgements", counters.calls(Hook::PktsAcked) > 100),
        ("recorded nothing", counters.recorded() == 0 && counters.lost() == 0),
    ]
    .into_iter()
    .filter(|(_, is_so)| !is_so)
    .map(|(what, _)| format!("{algorithm}: not so: {what} ({counters})"))
    .collect()
}

#[test]
fn every_algorithm_carries_20_mb_through_losses_and_leaves_nothing_behind() {
    if !kernel_is_ours() {
        return;
    }
    let mut failures = Vec::new();
    let network = TestNetwork::new("traffic", "200mbit", 30);
    for algorithm in ALGORITHMS {
        failures.extend(carry_20_mb(algorithm.name, "cwnd_traffic", &network));
        if registered().contains(&"cwnd_traffic".to_owned()) {
            failures.push(format!("{}: is left in the kernel", algorithm.name));
        }
    }
    let prefix = network.prefix().to_owned();
    drop(network);
    assert!(!run("ip netns list").contains(&prefix), "a namespace is left");
    none_of(&failures);
}
