// SPDX-License-Identifier: MIT OR Apache-2.0
//! Receivers whose interface holds segments back (key `gro`).

use crate::common::run;
use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;

/// One packet a millisecond, 5 ms each way; a flow of so many segments without a handshake.
fn few(segments: u64, flow: &str) -> Simulation {
    run(&format!(
        "duration = '1s'\nmeasure = ['0s', '1s']\n[link]\nrate = '12Mbit/s'\nrtt = '10ms'\n[record]\ninterval = '0s'\nper_ack = true\n[[flow]]\ncc = 'reno'\nrecovery = 'sack-prr'\nsize = '{}B'\n{flow}",
        1448 * segments
    ))
}

/// When the last byte arrived, and when the acknowledgements did, µs.
fn times(simulation: &Simulation) -> (u64, Vec<u64>) {
    let end = simulation.tables().transfers[0].end_ns.expect("it is complete");
    let acks = simulation.tables().cwnd.iter().map(|row| row.time_ns / 1000);
    (end / 1000, acks.collect())
}

// The only segment leaves its link after 1 ms and is at its receiver at 6 ms. Its acknowledgement is delayed by 40 ms from then on, and takes 5 ms:
// 51 ms. Held back for 2.5 ms, it is there at 8.5 ms, and the acknowledgement at 53.5 ms.
#[test]
fn a_lone_segment_is_late_by_the_time() {
    assert_eq!(times(&few(1, "")), (6_000, vec![51_000]));
    assert_eq!(times(&few(1, "gro = '2500us'")), (8_500, vec![53_500]));
}

// Five segments, at 6, 7, 8, 9 and 10 ms. Those of the first 2.5 ms are worked off at 8.5 ms, as one with one acknowledgement, 5 ms later at the sender; so are the
// other two at 11.5 ms. Without it the second and the fourth are acknowledged at once, at 12 and 14 ms.
#[test]
fn what_arrives_within_the_time_has_one_acknowledgement() {
    let (end, acks) = times(&few(5, ""));
    assert_eq!((end, &acks[..2]), (10_000, &[12_000, 14_000][..]));
    assert_eq!(times(&few(5, "gro = '2500us'")), (11_500, vec![13_500, 16_500]));
}

// With `ack_every = 4` the first three wait for what comes at 11.5 ms.
#[test]
fn fewer_than_are_acknowledged_at_once_wait_for_more() {
    assert_eq!(times(&few(5, "gro = '2500us'\nack_every = 4")), (11_500, vec![16_500]));
}

fn busy(flow: &str, link: &str) -> Simulation {
    run(&format!(
        "duration = '10s'\nmeasure = ['2s', '10s']\n[link]\nrate = '100Mbit/s'\nrtt = '40ms'\n{link}\n[record]\ninterval = '0s'\nper_ack = true\n[[flow]]\ncc = 'cubic-linux'\nlabel = 'flow'\n{flow}"
    ))
}

fn acks_per_segment(simulation: &Simulation) -> f64 {
    simulation.tables().cwnd.len() as f64 / simulation.summary().flows[0].run.packets_sent as f64
}

// 8.3 segments a millisecond. Buffers of a millisecond end the merged segments, and so does the time: with 2 ms there are about two of them in 16.7 segments, and
// between two they are cut. Measured with the kernel's own receiver: 0.171 of 2 ms, 0.247 of 0.5 ms.
#[test]
fn there_are_fewer_acknowledgements_the_longer_segments_wait() {
    let of = |flow| acks_per_segment(&busy(flow, ""));
    let (without, half, two) = (of(""), of("gro = '500us'"), of("gro = '2ms'"));
    assert!((0.48..0.52).contains(&without), "{without}");
    assert!((0.22..0.28).contains(&half), "{half}");
    assert!((0.15..0.2).contains(&two), "{two}");
}

// The last segment of each buffer bears the mark PSH. Without offload there is none, and only the sender's millisecond and the time end a merged segment:
// one for each of the 2 ms, which lets as much go at once again.
#[test]
fn a_buffer_ends_what_is_merged() {
    let of = |flow| acks_per_segment(&busy(flow, ""));
    let (with, without) = (of("gro = '2ms'"), of("gro = '2ms'\ngso = false"));
    assert!(without < 0.75 * with, "{without} {with}");
}

// A reverse link, which delays acknowledgements, makes a flow whose receiver is simulated at its own time.
#[test]
fn acknowledgements_with_a_queue_of_their_own_are_merged_too() {
    let simulation = busy("gro = '2ms'", "reverse = { rate = '5Mbit/s' }");
    assert!((0.15..0.2).contains(&acks_per_segment(&simulation)), "{}", acks_per_segment(&simulation));
}

// Packets that wait at the interface are accounted for, with losses and reordering too, for every kind of recovery.
#[test]
fn no_packet_is_lost_at_the_interface() {
    for recovery in ["linux", "sack", "newreno", "tahoe"] {
        for reverse in ["", "reverse = { rate = '5Mbit/s' }\n"] {
            let toml = format!(
                "duration = '5s'\n[link]\nrate = '50Mbit/s'\nrtt = '20ms'\nloss = 'random:0.001'\njitter = '2ms'\n{reverse}[[flow]]\ncc = 'reno'\nrecovery = '{recovery}'\ngro = '700us'\ncount = 2"
            );
            let scenario = Scenario::from_toml(&toml).unwrap_or_else(|error| panic!("{error}\n{toml}"));
            let mut simulation = Simulation::new(&scenario);
            while !simulation.step(97) {
                for flow in simulation.packet_locations() {
                    let accounted =
                        flow.at_host + flow.arrived + flow.queued + flow.propagating + flow.dropped;
                    assert_eq!(flow.sent, accounted, "{recovery} at {} ns: {flow:?}", simulation.now());
                }
            }
            let summary = simulation.summary();
            assert!(summary.flows.iter().all(|flow| flow.goodput_mbps > 0.5), "{recovery} {summary:?}");
        }
    }
}
