// SPDX-License-Identifier: MIT OR Apache-2.0
//! In which packets reported segments are (Linux's `tcp_shift_skb_data`).

use super::super::super::tests::flow;
use super::super::entry::JOINED;
use super::super::log::SegmentLog;
use super::super::writer::packets;
use super::{MS, MSS, Sender};
use crate::tcp::receiver::{AckPacket, SackBlocks};
use crate::tcp::sender::scoreboard::Scoreboard;

/// Twelve segments in packets of two, one each `spacing_us`, of which these are reported, some by each acknowledgement.
fn reported(spacing_us: u64, acknowledgements: &[&[u64]]) -> (SegmentLog, Scoreboard) {
    let (mut log, mut board) = (SegmentLog::default(), Scoreboard::default());
    for packet in 1..=6 {
        log.extend(0, 2 * packet, 1000 + spacing_us * packet);
    }
    for reports in acknowledgements {
        let mut apart_end = 0;
        for &position in *reports {
            let (_, entry) = log.report(position, &mut board).expect("news");
            log.join(position, entry, &mut apart_end, || position % 2 == 0);
        }
    }
    (log, board)
}

fn count(log: &SegmentLog) -> u64 {
    packets(log, (0..6).map(|packet| 2 * packet..2 * packet + 2), 0)
}

fn packets_after(acknowledgements: &[&[u64]]) -> u64 {
    let [apart, at_once] = [1000, 0].map(|spacing_us| count(&reported(spacing_us, acknowledgements).0));
    assert_eq!(apart, at_once, "when they left does not count");
    apart
}

// A report splits a packet of two.
#[test]
fn a_reported_segment_joins_a_reported_packet_before_it_and_the_one_behind_it_then() {
    assert_eq!(packets_after(&[]), 6);
    assert_eq!(packets_after(&[&[5]]), 7);
    // From the front, 4, 5 and 6 become one packet, and 7 is what is left of the last one's.
    assert_eq!(packets_after(&[&[4], &[5], &[6]]), 6);
    // From the back, each stays alone: nothing before it is reported.
    assert_eq!(packets_after(&[&[6], &[5], &[4]]), 8);
    // 5 joins 4, and 6 joins them.
    assert_eq!(packets_after(&[&[6], &[4], &[5]]), 6);
    // One acknowledgement reports a packet before a reported one: it stays alone, as nothing before it is reported.
    assert_eq!(packets_after(&[&[6], &[4, 5]]), 7);
    // Of two packets, the second joins the first, and takes the one behind it.
    assert_eq!(packets_after(&[&[8], &[4, 5, 6, 7]]), 5);
}

// 6, 5 and 4 stay alone, eight packets with their rests. Gone through again, 5 joins 4, and 6 those.
#[test]
fn what_is_gone_through_again_joins() {
    let (mut log, _) = reported(1000, &[&[6], &[5], &[4]]);
    log.join_again(4);
    assert_eq!(count(&log), 8, "nothing before it is reported");
    log.join_again(5);
    assert_eq!(count(&log), 6);
    log.join_again(6);
    assert_eq!(count(&log), 6);
}

// 4 to 8 are one packet, beside 9 and three of two. 8 is the last of it. A duplicate of 6 cuts off 7 and 8, and one of 7 cuts off 8, but joins 7 to 6. Then
// 8 joins, too.
#[test]
fn a_duplicate_is_cut_off_what_is_behind_it() {
    let (mut log, mut board) = reported(1000, &[&[4, 5, 6, 7, 8]]);
    for (duplicate, packets) in [(8, 5), (6, 6), (7, 6), (8, 5)] {
        log.report_duplicate(duplicate, &mut board);
        assert_eq!(count(&log), packets, "{duplicate}");
    }
}

// A retransmission of what is not lost is out still when 5 is reported: 5 joins nothing, and 6 does not join it.
#[test]
fn nothing_joins_a_segment_with_a_retransmission_that_is_out() {
    let (mut log, mut board) = reported(1000, &[&[4]]);
    log.retransmit(5, 9000, true, &mut board);
    for position in [5, 6] {
        let (_, entry) = log.report(position, &mut board).expect("news");
        log.join(position, entry, &mut 0, || position % 2 == 0);
    }
    // Four packets, 4, 5, and 6 and 7 alone.
    assert_eq!(count(&log), 4 + 4);
}

// 5 is reported, then 4 with it. Linux does not go through the block of the last acknowledgement again, so that 5 stays alone; where three blocks have
// pushed that out, 5 joins 4. // Linux: recv_sack_cache
#[test]
fn a_block_that_the_last_acknowledgement_left_out_joins() {
    for (between, joins) in [(&[][..], false), (&[(20, 21), (15, 16), (10, 11)], true)] {
        let mut flow = flow("cc = 'reno'\nrecovery = 'linux'\ninitial_cwnd = 60");
        flow.rtt = 20 * MS;
        let mut sender = Sender::new(&flow, MSS);
        while sender.send(0).is_some() {}
        sender.end_burst();
        let mut ack = |ranges: &[(u64, u64)]| {
            let packet = AckPacket { cumulative: 2, sacked: None, sent_us: Some((0, 0)), waited: true };
            sender.on_ack_with(20 * MS, &packet, Some(&SackBlocks::of(2, ranges, None)));
        };
        ack(&[(5, 6)]);
        if !between.is_empty() {
            ack(between);
        }
        ack(&[(4, 6)]);
        let entry = sender.linux.as_ref().and_then(|linux| linux.log.get(5)).expect("out");
        assert_eq!(entry.has(JOINED), joins, "{between:?}");
    }
}
