// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explicit Congestion Notification (RFC 3168) from the queue to the window and back, as it is on the wire.

use crate::capture::{Captured, captured};
use crate::common::run;
use cwnd_record::EventKind;
use cwnd_sim::Simulation;

const ECT: u8 = 0b10;
const CE: u8 = 0b11;
/// Linux's number of the state.
const CWR: u64 = 2;

/// ECN field of the IP header.
fn field(packet: &Captured) -> u8 {
    packet.packet[1] & 3
}

/// The flags ECE and CWR.
fn flags(packet: &Captured) -> (bool, bool) {
    (packet.packet[33] & 0x40 != 0, packet.packet[33] & 0x80 != 0)
}

/// Reno on 20 Mbit/s and 40 ms, where `queue` marks. It leaves slow start before the queue could be full.
fn marked(queue: &str, recovery: &str, more: &str) -> Simulation {
    run(&format!(
        "duration = '10s'\n[link]\nrate = '20Mbit/s'\nrtt = '40ms'\nqueue = {{ limit = '100packets', ecn = true, {queue} }}\n\
         {more}\n[record]\npackets = 'receivers'\n[[flow]]\ncc = 'reno'\nrecovery = '{recovery}'\ninitial_ssthresh = 60\necn = true"
    ))
}

const QUEUES: [&str; 2] = ["kind = 'codel'", "kind = 'red', min = '5packets', max = '40packets'"];
const RECOVERIES: [&str; 6] = ["linux", "sack-prr", "sack", "newreno", "reno", "tahoe"];
/// Without a reverse link, and with one that queues.
const REVERSE: [&str; 2] =
    ["", "reverse = { rate = '1Mbit/s', queue = { kind = 'droptail', limit = '50packets' } }"];

// RFC 3168 §6.1.3: every acknowledgement has ECE from the first mark on until a segment has CWR. §6.1.2: one reduction, one CWR. What the link
// counts as marked arrives with CE, and nothing is lost: the queues never drop what they can mark.
#[test]
fn marks_are_echoed_until_the_sender_has_reduced_once() {
    for queue in QUEUES {
        for (recovery, reverse) in RECOVERIES.iter().flat_map(|kind| REVERSE.map(|reverse| (kind, reverse))) {
            let what = format!("{queue}, {recovery}, {reverse}");
            let mut simulation = marked(queue, recovery, reverse);
            let packets = captured(&mut simulation, "receivers");
            let summary = simulation.summary();
            let (mut echoes, mut marks, mut answers) = (false, 0, 0);
            for packet in &packets {
                if packet.is_data {
                    let cwr = flags(packet).1;
                    answers += u64::from(cwr);
                    marks += u64::from(field(packet) == CE);
                    echoes = (echoes && !cwr) || field(packet) == CE;
                } else {
                    assert_eq!((field(packet), flags(packet)), (0, (echoes, false)), "{what}");
                }
            }
            let link = &summary.links[0];
            assert!(marks > 2 && link.marks_run.abs_diff(marks) <= 1, "{what}: {marks}, {}", link.marks_run);
            let counts = summary.flows[0].run;
            assert_eq!((counts.drops.total(), counts.retransmits, counts.timeouts), (0, 0, 0), "{what}");
            let events = &simulation.tables().events;
            let reductions =
                events.iter().filter(|event| event.kind == EventKind::State && event.value == CWR).count();
            assert!(
                answers.abs_diff(reductions as u64) <= 1,
                "{what}: {answers} CWR, {reductions} reductions"
            );
        }
    }
}

// RFC 3168 §6.1.5: new data is ECT(0), or CE where it was marked; retransmissions are not ECN-capable.
#[test]
fn new_data_can_be_marked_and_retransmissions_cannot() {
    for recovery in RECOVERIES {
        let mut simulation = run(&format!(
            "duration = '5s'\n[link]\nrate = '20Mbit/s'\nrtt = '40ms'\nloss = 'every:200'\nqueue = {{ kind = 'codel', limit = '100packets', ecn = true }}\n\
             [record]\npackets = 'senders'\n[[flow]]\ncc = 'reno'\nrecovery = '{recovery}'\necn = true"
        ));
        let (mut highest, mut again) = (0, 0);
        for packet in captured(&mut simulation, "senders").iter().filter(|packet| packet.is_data) {
            let is_new = packet.sequence() > highest;
            again += u64::from(!is_new);
            assert_eq!(field(packet), if is_new { ECT } else { 0 }, "{recovery}: {}", packet.sequence());
            assert!(is_new || flags(packet) == (false, false), "{recovery}");
            highest = highest.max(packet.sequence());
        }
        assert_eq!(again, simulation.summary().flows[0].run.retransmits, "{recovery}");
        assert!(again > 5, "{recovery}: {again}");
    }
}

// Where nothing is marked ECN changes nothing, but for receivers of Linux and a retransmission, which is not ECN-capable: the two
// acknowledgements after it are not delayed.
#[test]
fn without_marks_it_is_as_if_there_were_none() {
    let tables = |recovery: &str, loss: &str, reverse: &str, ecn: bool| {
        let simulation = run(&format!(
            "duration = '5s'\n[link]\nrate = '20Mbit/s'\nrtt = '40ms'\nqueue = {{ kind = 'droptail', limit = '2bdp' }}\n{loss}\n{reverse}\n\
             [[flow]]\ncc = 'cubic'\nrecovery = '{recovery}'\nrwnd = 60\ncount = 2\necn = {ecn}"
        ));
        (simulation.tables().clone(), format!("{:?}", simulation.summary()))
    };
    for (recovery, reverse) in RECOVERIES.iter().flat_map(|kind| REVERSE.map(|reverse| (kind, reverse))) {
        let loss = if *recovery == "linux" { "" } else { "loss = 'random:0.001'" };
        assert!(
            tables(recovery, loss, reverse, true) == tables(recovery, loss, reverse, false),
            "{recovery}, {reverse}"
        );
    }
}

// The queue marks what asks for it only: one flow of two.
#[test]
fn a_flow_without_ecn_is_dropped_from_where_others_are_marked() {
    let simulation = run(
        "duration = '20s'\n[link]\nrate = '20Mbit/s'\nrtt = '40ms'\nqueue = { kind = 'codel', limit = '100packets', ecn = true }\n\
         [[flow]]\ncc = 'reno'\ninitial_ssthresh = 40\necn = true\n[[flow]]\ncc = 'reno'\ninitial_ssthresh = 40\n[[traffic]]\nmodel = 'sessions'\necn = true",
    );
    let summary = simulation.summary();
    let drops: Vec<_> = summary.flows.iter().map(|flow| flow.run.drops.total()).collect();
    assert!(drops[0] == 0 && drops[1] > 0 && summary.links[0].marks_run > 0, "{drops:?}");
}

// Linux's tcp_ecn_withdraw_cwr. Late packets begin a recovery at segment 370, which is undone before segment 430, the next new one, leaves.
// Lane linux sends CWR with these segments and with no other.
#[test]
fn the_receiver_is_not_told_of_a_reduction_that_was_undone() {
    let mut simulation = run("duration = '3s'\nseed = 3\n[link]\nrate = '9.71Mbit/s'\nrtt = '61.9ms'\n\
         reorder = { share = 0.02, extra = '23.7ms' }\nqueue = { kind = 'codel', limit = '200packets', ecn = true }\n\
         [record]\npackets = 'senders'\n[[flow]]\ncc = 'cubic-linux'\nhost_clock_phase = '1234us'\necn = true");
    let packets = captured(&mut simulation, "senders");
    let told = packets.iter().filter(|packet| packet.is_data && flags(packet).1);
    let told: Vec<u32> = told.map(|packet| (packet.sequence() - 1) / 1448).collect();
    assert_eq!(told, [52, 242, 355, 1933]);
}
