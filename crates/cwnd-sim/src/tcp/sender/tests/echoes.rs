// SPDX-License-Identifier: MIT OR Apache-2.0
//! Echoes of congestion marks (RFC 3168 §6.1.2) with the recoveries of the RFCs.

use super::{MS, MSS, Sender, ack, flow, sends};
use crate::tcp::receiver::AckPacket;
use cwnd::CaState;

const KINDS: [&str; 5] = ["sack-prr", "sack", "newreno", "reno", "tahoe"];

/// A sender with ten segments out.
fn ten_out(recovery: &str) -> Sender {
    let mut sender = Sender::new(&flow(&format!("cc = 'reno'\nrecovery = '{recovery}'")), MSS);
    assert_eq!(sends(&mut sender, 0, 0).len(), 10);
    sender
}

fn state(sender: &Sender) -> (CaState, u32, u32) {
    let conn = &sender.driver.conn;
    (conn.ca_state, conn.cwnd, conn.ssthresh)
}

// Half of ten is 5, and half of five 2. Marks of the ten are one reduction; the acknowledgement of all of them ends it.
#[test]
fn marks_of_a_window_are_one_reduction() {
    for recovery in KINDS {
        let mut sender = ten_out(recovery);
        for cumulative in [2, 4, 6, 8] {
            sender.on_echo(20 * MS, &ack(cumulative, 0), None);
            assert_eq!((state(&sender).0, state(&sender).2), (CaState::Cwr, 5), "{recovery}");
            sends(&mut sender, 20 * MS, 20 * MS);
        }
        sender.on_echo(20 * MS, &ack(10, 0), None);
        assert_eq!(state(&sender), (CaState::Open, 5, 5), "{recovery}");
        sends(&mut sender, 20 * MS, 20 * MS);
        sender.on_echo(40 * MS, &ack(11, 20 * MS), None);
        assert_eq!((state(&sender).0, state(&sender).2), (CaState::Cwr, 2), "{recovery}");
    }
}

// Segment 2 is lost in the reduction: it is sent again after three acknowledgements of later ones, and the threshold stays. Tahoe collapses.
#[test]
fn a_loss_in_the_reduction_is_repaired_without_another() {
    for recovery in KINDS {
        let mut sender = ten_out(recovery);
        sender.on_echo(20 * MS, &ack(2, 0), None);
        sends(&mut sender, 20 * MS, 20 * MS);
        for position in 3..6 {
            let packet = AckPacket { sacked: Some(position), ..ack(2, 0) };
            sender.on_echo(21 * MS, &packet, None);
        }
        let sent = sends(&mut sender, 21 * MS, 21 * MS);
        assert!(sent.iter().any(|(_, position)| *position == 2), "{recovery}: {sent:?}");
        let (now, _, ssthresh) = state(&sender);
        if recovery == "tahoe" {
            assert_eq!(now, CaState::Loss);
        } else {
            assert_eq!((now, ssthresh), (CaState::Recovery, 5), "{recovery}");
        }
    }
}

// Of data sent after the reduction the first segment, 10, is lost. No retransmission can have brought the duplicates about: it is sent again.
#[test]
fn a_loss_right_behind_the_reduction_is_found() {
    for recovery in KINDS {
        let mut sender = ten_out(recovery);
        sender.on_echo(20 * MS, &ack(2, 0), None);
        for cumulative in [4, 6, 8, 10] {
            sender.on_ack(20 * MS, &ack(cumulative, 0));
            sends(&mut sender, 20 * MS, 20 * MS);
        }
        for position in 11..14 {
            sender.on_ack(40 * MS, &AckPacket { sacked: Some(position), ..ack(10, 0) });
        }
        let sent = sends(&mut sender, 40 * MS, 40 * MS);
        assert!(sent.iter().any(|(_, position)| *position == 10), "{recovery}: {sent:?}");
        assert_eq!(state(&sender).2, 2, "{recovery}");
    }
}
