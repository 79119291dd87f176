// SPDX-License-Identifier: MIT OR Apache-2.0
//! What today's Linux does with segments that had arrived, and with those that it drops.

use super::*;

// Linux: tcp_send_dupack. The late 2 is refused and answered: no other acknowledgement is quick. A late 0, which had arrived, makes them quick.
#[test]
fn a_refused_segment_makes_acknowledgements_quick_only_if_it_had_arrived() {
    let mut receiver = patient();
    let mut next =
        |position, sent_ms| receiver.on_segment(sent_at(position, sent_ms), 2, NOW).map(|ack| ack.cumulative);
    assert_eq!([next(0, 30), next(1, 30), next(2, 10)], [None, Some(2), Some(2)]);
    assert_eq!([next(2, 40), next(3, 40)], [None, Some(4)]);
    assert_eq!([next(0, 10), next(4, 50)], [Some(4), Some(5)]);
}

// Linux: tcp_replace_ts_recent. 0 comes again, sent at 106 ms: it touches what is acknowledged, and its timestamp is echoed. So 1, sent at 104, is refused.
// What lies behind the last acknowledgement is dropped before (tcp_sequence): of 0, when 2 is acknowledged, no timestamp is kept.
#[test]
fn a_segment_that_arrives_again_leaves_its_timestamp_if_it_touches_what_is_acknowledged() {
    let mut receiver = patient();
    receiver.reading = Receiver::linux(1448, None, false, 0).reading;
    let echo = |ack: Option<AckPacket>| ack.and_then(|ack| ack.sent_us).map(|(first, _)| first);
    receiver.on_segment(sent_at(0, 103), 1, NOW);
    assert_eq!(echo(receiver.on_segment(sent_at(0, 106), 1, NOW)), Some(106_000));
    receiver.on_segment(sent_at(1, 104), 1, NOW);
    assert_eq!(receiver.next(), 1, "refused");
    receiver.on_segment(sent_at(1, 107), 1, NOW);
    assert_eq!(echo(receiver.on_segment(sent_at(0, 120), 1, NOW)), Some(107_000));
}

// Linux: tcp_data_queue_ofo, __tcp_ack_snd_check. 0 is missing; 1, 1 again and 2 are answered at once; the second copy of 2 is the fourth, and waits. The timer
// reports it; but if 3 comes before, which waits too, its report is lost (rx_opt.dsack).
#[test]
fn a_segment_beyond_a_hole_that_had_arrived_waits_as_a_new_one_does() {
    for (then, reported) in [(None, Some(2)), (Some(3), None)] {
        let mut receiver = patient();
        assert_eq!(acknowledged_at_once(&mut receiver, [1, 1, 2, 2]), [1, 1, 2]);
        assert!(acknowledged_at_once(&mut receiver, then).is_empty());
        let ack = receiver.on_delay_over();
        assert_eq!(receiver.blocks(&ack).duplicate(0), reported);
    }
}

// Linux: tcp_sequence, tcp_dec_quickack_mode. Sixteen acknowledgements are quick, and none was due for 0, which lies before what is acknowledged. One is due for 1.
#[test]
fn what_lies_before_the_last_acknowledgement_costs_no_quick_one() {
    let mut receiver = patient();
    receiver.on_segment(segment(0), 1, NOW);
    receiver.on_segment(segment(1), 1, NOW);
    receiver.on_segment(segment(0), 1, NOW);
    assert_eq!(receiver.quick, 16);
    receiver.on_segment(segment(1), 1, NOW);
    assert_eq!(receiver.quick, 15);
}
