// SPDX-License-Identifier: MIT OR Apache-2.0
//! Retransmissions of each recovery, compared with the losses of the path and the acknowledgements.

use super::{MS, SECOND, Sender, TestPath, ack, flow};
use std::collections::BTreeSet;
use std::sync::Arc;

// Ten segments go, of which 0 is lost; the arrivals of 1 to 3 let 10 and 11 go and begin a recovery that ends at 12. In it 12 and
// more go; 11 and 12 are lost, found so by the arrivals of 13 to 15, and sent again together. The acknowledgement of 11 ends this
// recovery and begins the next, because of 12, whose retransmission is on its way.
#[test]
fn a_recovery_does_not_send_again_what_the_one_before_it_sent_again() {
    for recovery in ["sack", "sack-prr", "linux"] {
        let mut path = TestPath::new(&flow(&format!("cc = 'cubic'\nrecovery = '{recovery}'")), 1);
        path.first_lost = vec![0, 11, 12];
        path.run(200 * MS);
        let mut seen = BTreeSet::new();
        let again: Vec<u64> =
            path.sent.iter().map(|sent| sent.1).filter(|&position| !seen.insert(position)).collect();
        assert_eq!((again, path.sender.sent.timeouts), (vec![0, 11, 12], 0), "{recovery}");
        assert!(path.sender.driver.recovery_end() > 13, "{recovery}: a second recovery began");
    }
}

// A queue of 15 to 34 packets and random losses of up to 1.5 %, acknowledgements all in order: with data left to send, only what was
// lost is retransmitted.
#[test]
fn sack_recoveries_retransmit_only_what_was_lost() {
    for recovery in ["sack", "sack-prr", "linux"] {
        let mut retransmits = 0;
        for seed in 0..20 {
            let mut path = TestPath::new(&flow(&format!("cc = 'cubic'\nrecovery = '{recovery}'")), seed);
            (path.loss, path.limit) = ((seed % 4 * 5, 0), 15 + seed);
            path.run(20 * SECOND);
            assert_eq!(path.needless, [], "{recovery}, seed {seed}");
            assert_eq!(path.receiver.arrived, path.receiver.distinct, "{recovery}, seed {seed}");
            retransmits += path.sender.sent.retransmits;
        }
        assert!(retransmits > 1000, "{recovery}: {retransmits}");
    }
}

// RFC 6675 §4, NextSeg rules 3 and 4: a recovery in which nothing new is left to send sends again what may have arrived.
#[test]
fn sack_recoveries_retransmit_what_was_not_lost_at_the_end_of_the_data() {
    for recovery in ["sack", "sack-prr"] {
        let mut needless = 0;
        for seed in 0..100 {
            let mut flow = flow(&format!("cc = 'cubic'\nrecovery = '{recovery}'"));
            Arc::make_mut(&mut flow.group).size = Some(100 * 1448);
            let mut path = TestPath::new(&flow, seed);
            path.loss = (30, 0);
            path.run(60 * SECOND);
            assert!(path.needless.iter().all(|&(_, new)| new == 100), "{recovery}, seed {seed}");
            needless += path.needless.len();
        }
        assert!(needless > 0, "{recovery}");
    }
}

// Ten segments, of which four arrive: 14 more go. Three duplicates of 4 begin a recovery. An acknowledgement of 2, overtaken by that
// of 4, says nothing: three more duplicates are of the same recovery, and each lets at most one segment go.
#[test]
fn an_acknowledgement_that_was_overtaken_changes_nothing() {
    for recovery in ["newreno", "reno"] {
        let run = |late: bool| {
            let mut sender = Sender::new(&flow(&format!("cc = 'reno'\nrecovery = '{recovery}'")), super::MSS);
            let mut sent = Vec::new();
            let mut now = 0;
            let acks: &[u64] = if late { &[0, 4, 4, 4, 4, 2, 4, 4, 4, 2] } else { &[0, 4, 4, 4, 4, 4, 4, 4] };
            for (number, &cumulative) in acks.iter().enumerate() {
                if number > 0 {
                    sender.on_ack(now, &ack(cumulative, 0));
                }
                sent.extend(std::iter::from_fn(|| sender.send(now)));
                sender.end_burst();
                now += MS;
            }
            let conn = &sender.driver.conn;
            (sent, conn.ssthresh, conn.ca_state, sender.driver.recovery_end())
        };
        assert_eq!(run(true), run(false), "{recovery}");
    }
}
