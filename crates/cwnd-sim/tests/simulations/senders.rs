// SPDX-License-Identifier: MIT OR Apache-2.0
//! The senders of traffic take what a flow takes: algorithm, parameters, host and its settings.

use cwnd_record::{LinkSummary, TrafficSummary};
use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;

/// A second of what `table` sends into 20 Mbit/s; the link's and the traffic's summary.
fn run(table: &str) -> (LinkSummary, Vec<TrafficSummary>) {
    let toml = format!(
        "duration = '4s'\n[link]\nrate = '20Mbit/s'\nrtt = '30ms'\nqueue = {{ kind = 'droptail', limit = '20packets' }}\n{table}"
    );
    let scenario = Scenario::from_toml(&toml).unwrap_or_else(|error| panic!("{error}\n{toml}"));
    let mut simulation = Simulation::new(&scenario);
    while !simulation.step(1_000_000) {}
    let mut summary = simulation.summary();
    (summary.links.swap_remove(0), summary.traffic)
}

#[test]
fn one_endless_transfer_is_one_flow_with_the_same_keys() {
    let plain = run("[[flow]]\ncc = 'sack'").0;
    assert_eq!(run("[[traffic]]\nmodel = 'long'").0, plain, "the default is sack");
    for keys in [
        // The phases of their clocks are drawn, each its own.
        "cc = 'cubic'\nhost_clock_phase = '0s'",
        "cc = 'cubic'\nbeta = 0.85\nslow_start = 'standard'\nhost_clock_phase = '0s'",
        "cc = 'cubic'\nhost = 'linux-2.6'",
        "cc = 'cubic'\nhost = 'linux'\ninitial_cwnd = 3\nhost_clock_phase = '0s'",
        "cc = 'reno'\nack_every = 1\nack_delay = '10ms'\nhost_clock_phase = '0s'",
        "cc = 'cubic-linux'\npacing = true\nhost_clock_phase = '0s'",
        "cc = 'reno'\nrecovery = 'newreno'\nburst = 4",
        "cc = 'reno'\naccess = '25Mbit/s'\ninitial_ssthresh = 30\nhost_clock_phase = '0s'",
    ] {
        let (link, traffic) = run(&format!("[[traffic]]\nmodel = 'long'\n{keys}"));
        assert_eq!(link, run(&format!("[[flow]]\n{keys}")).0, "{keys}");
        assert_ne!(link, plain, "{keys}: it has an effect");
        assert!(traffic[0].senders.starts_with(&keys[6..10]), "{keys}: {}", traffic[0].senders);
    }
}

// A delay of up to 5 ms before each packet: every transfer of 21 packets has its own draws, so that no two take the same time.
#[test]
fn connections_draw_their_overheads_apart() {
    let took = |overhead: &str| -> Vec<u64> {
        let toml = format!(
            "duration = '4s'\n[link]\nrate = '100Mbit/s'\nrtt = '30ms'\n[[traffic]]\nmodel = 'mix'\narrivals = '500ms'\nsize = '30kB'\noverhead = '{overhead}'\n"
        );
        let mut simulation = Simulation::new(&Scenario::from_toml(&toml).expect("valid"));
        while !simulation.step(1_000_000) {}
        let rows = &simulation.tables().transfers;
        let mut times: Vec<_> = rows.iter().filter_map(|row| Some(row.end_ns? - row.start_ns)).collect();
        times.sort_unstable();
        times.dedup();
        times
    };
    assert_eq!(took("0s").len(), 1, "all alike");
    assert!(took("5ms").len() >= 6, "{:?}", took("5ms"));
    assert_eq!(took("5ms"), took("5ms"));
}
