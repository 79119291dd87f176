// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths over links without a rate: what flows get there, what limits them, and what has no capacity.

use crate::common::run;
use cwnd_scenario::{LARGEST_WINDOW, Scenario};
use cwnd_sim::Simulation;

const MS: u64 = 1_000_000;

// Ten packets of 1500 bytes in each round trip of 100 ms: 10 · 1500 · 8 / 0.1 s = 1.2 Mbit/s.
#[test]
fn a_window_per_round_trip_is_all_that_a_path_without_a_rate_says() {
    let simulation = run("duration = '11s'\nmeasure = ['1s', '11s']\nlink = { rtt = '100ms' }\n\
                          [[flow]]\ncc = 'cubic'\nrecovery = 'sack-prr'\nrwnd = 10\n");
    let summary = simulation.summary();
    let (link, flow) = (summary.link(), &summary.flows[0]);
    assert!((flow.throughput_mbps - 1.2).abs() < 1e-9, "{}", flow.throughput_mbps);
    assert_eq!((link.capacity_mbps, link.utilization, flow.share), (None, None, None));
    assert_eq!((link.packets, link.queue_mean_ms, link.queue_max_ms), (1000, 0.0, 0.0));
    assert_eq!((flow.measured.packets_sent, flow.run.drops.total()), (1000, 0));
    assert_eq!(summary.receive_limits.len(), 1, "its receive window is what limits it");
    let scenario =
        Scenario::from_toml("duration = '1s'\nlink = { rtt = '9ms' }\n[[flow]]\ncc = 'reno'\nrwnd = 1\n");
    assert!(cwnd_sim::rates(&scenario.expect("good")).is_empty(), "no rate, no row");
}

// 100 segments of 1448 bytes, ten in each round trip: the last ten leave after nine round trips, and arrive half of one later.
#[test]
fn a_transfer_over_no_rate_takes_whole_round_trips() {
    let simulation = run("duration = '5s'\nlink = { rate = 'none', rtt = '100ms' }\n\
                          [[flow]]\ncc = 'cubic'\nrecovery = 'sack-prr'\nrwnd = 10\nsize = '144800B'\n");
    let transfer = simulation.tables().transfers[0];
    assert_eq!(transfer.end_ns, Some((900 + 50) * MS));
}

// All of the round trip is on the link: 300 packets in 100 ms are 36 Mbit/s at most, and nothing else limits the window.
#[test]
fn a_delay_limit_fills_at_most_its_packets_per_round_trip() {
    let simulation = run("duration = '20s'\nmeasure = ['5s', '20s']\n\
                          link = { rtt = '100ms', netem = 'delay 100ms limit 300' }\n[[flow]]\ncc = 'cubic'\n");
    let summary = simulation.summary();
    let flow = &summary.flows[0];
    assert!((20.0..=36.0).contains(&flow.throughput_mbps), "{}", flow.throughput_mbps);
    assert!(flow.run.drops.total() > 0 && summary.link().queue_max_ms == 0.0, "{flow:?}");
}

// Of a path of two links the one with a rate limits: its capacity is what the flow has a share of.
#[test]
fn one_link_with_a_rate_is_enough() {
    let simulation = run("duration = '20s'\nmeasure = ['10s', '20s']\n\
         [[link]]\nfrom = 'a'\nto = 'b'\ndelay = '10ms'\n\
         [[link]]\nfrom = 'b'\nto = 'c'\nrate = '10Mbit/s'\ndelay = '10ms'\n\
         [[flow]]\ncc = 'cubic'\nfrom = 'a'\nto = 'c'\n");
    let summary = simulation.summary();
    let [first, second] = &summary.links[..] else { panic!("two links") };
    assert_eq!((first.capacity_mbps, first.utilization), (None, None));
    assert_eq!(second.capacity_mbps, Some(10.0));
    let share = summary.flows[0].share.expect("of the second link");
    assert!(share > 0.95 && (share - second.utilization.expect("it has a rate")).abs() < 1e-9, "{share}");
}

// A loss in a million packets does not limit a window before TCP does: 65 535 shifted by 14 are 16 790 full segments of 63 948 bytes. Linux's
// send buffer would limit it before.
#[test]
fn where_only_losses_limit_a_window_it_is_at_most_the_largest_that_tcp_states() {
    let simulation = run("duration = '3s'\nmeasure = ['2s', '3s']\npacket_size = '64000B'\n\
                          link = { rtt = '100ms', loss = 'every:1000000' }\n[[flow]]\ncc = 'reno'\nrecovery = 'rfc'\n");
    let segments = u64::from(LARGEST_WINDOW / 63_948);
    assert_eq!((segments, simulation.summary().flows[0].measured.packets_sent), (16_790, 167_900));
}

// An outage is a rate of 0: nothing could be sent, so there is no part of it, but the capacity is known.
#[test]
fn an_outage_has_a_capacity_of_nothing_and_no_utilization() {
    let simulation = run("duration = '3s'\nmeasure = ['1s', '2s']\n\
         link = { rate = [['0s', '1Mbit/s'], ['900ms', '0bit/s'], ['2500ms', '1Mbit/s']], rtt = '20ms' }\n\
         [[flow]]\ncc = 'cubic'\n");
    let summary = simulation.summary();
    assert_eq!((summary.link().capacity_mbps, summary.link().utilization), (Some(0.0), None));
    assert_eq!(summary.flows[0].share, None);
}

// Losses, jitter that reorders, reordering, acknowledgements over no rate, traffic: the three paths through the simulator give the same (`run`), and
// nothing is lost but what the link loses.
#[test]
fn losses_jitter_reordering_and_traffic_work_without_a_rate() {
    let link = "rtt = '60ms', delay = '20ms', loss = 'random:0.01', reorder = { share = 0.1, extra = '3ms' }, \
                jitter = { kind = 'exponential', mean = '2ms', overtaking = true }, tick = '1ms', reverse = true";
    let simulation = run(&format!(
        "duration = '10s'\nlink = {{ {link} }}\n[[flow]]\ncc = 'cubic'\ncount = 3\nsize = '300kB'\n\
         [[flow]]\ncc = 'cubic-linux'\nrecovery = 'linux'\napp_rate = '1Mbit/s'\n\
         [[traffic]]\nmodel = 'udp'\nrate = '1Mbit/s'\n\
         [[traffic]]\nmodel = 'sessions'\nsize = '20kB'\ngap = '50ms'\n"
    ));
    let summary = simulation.summary();
    assert!(simulation.tables().transfers.iter().take(3).all(|row| row.end_ns.is_some()));
    let link = summary.link();
    assert_eq!(link.drops.total(), link.drops[cwnd_link::DropCause::Loss]);
    assert!(link.drops.total() > 0, "{link:?}");
    assert!((0.95..1.1).contains(&summary.flows[3].throughput_mbps), "{:?}", summary.flows[3]);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let scenario = Scenario::from_toml("duration = '5s'\nlink = { rtt = '50ms', loss = 'random:0.001' }\n[[flow]]\ncc = 'cubic'\ncount = 2\n").expect("good");
    let digest = || {
        let mut simulation = Simulation::new(&scenario);
        while !simulation.step(1_000_000) {}
        simulation.digest()
    };
    assert_eq!(digest(), digest());
}
