// SPDX-License-Identifier: MIT OR Apache-2.0
//! RACK (RFC 8985 §6) and proportional rate reduction (RFC 9937).

use super::super::entry::Transmission;
use super::super::log::SegmentLog;
use super::super::rack::Rack;
use super::{LATE, play};
use crate::tcp::sender::Sender;
use crate::tcp::sender::scoreboard::Scoreboard;

// RFC 8985 §6.2, step 4: while no reordering was seen and three segments are reported, the window is 0: 1 was sent before 4 and at least
// 40 ms ago. ssthresh: half of a window of 11.
#[test]
fn three_reports_make_a_loss_while_no_reordering_was_seen() {
    let trace = "
        0  > 0-9
        40 < ack 1
        40 > 10-11
        41 < sack 2
        41 > 12
        42 < sack 3
        42 > 13
        42 = Disorder 11 none
        43 < sack 4
        43 > 1
        43 = Recovery 10 5
    ";
    play("reno", None, trace);
}

// RFC 8985 §6.2, step 5: one report. 8 may come until 40 ms after it was sent and a quarter of 40 ms; the timer has 2 ms to spare (Linux).
// ssthresh: 2 segments out, 1 of them counts.
#[test]
fn with_one_report_a_loss_is_found_when_the_reordering_window_is_over() {
    let trace = "
        0  > 0-9
        40 < ack 8
        40 < sack 9
        52 > 8
        52 = Recovery 1 2
        92 < ack 10
        92 = Open 2 2
    ";
    play("reno", Some(10), trace);
}

// RFC 8985 §6.2, steps 3 to 5. 1 comes 5 ms late: the third report makes it a loss, its timestamp undoes that (RFC 3522), and reordering
// has been seen. 5 comes 5 ms late, too: after 45 ms and 10 more it would be lost, and at 50 it is there. Nothing is sent again. 1 came after
// four others: where it is more than three, reports grow the window like acknowledgements (Linux), two segments go for each.
#[test]
fn reordering_within_the_window_costs_one_retransmission() {
    let rest = "
        45 < ack 5 echo 0
        45 > 14-16
        45 = Open 12 none
        45 < sack 6 7 8
        45 > 17-22
        50 < ack 9
        50 = Open 16 none
        50 > 23-24
    ";
    let sender = play("reno", None, &[LATE, rest].concat());
    assert_eq!(sender.sent.retransmits, 1);
}

// RFC 8985 §6.2, step 5: a retransmission is lost when something arrives that was sent after it. RFC 9937: RecoverFS is 11, Linux's window
// before (13 are out, with limited transmit), the target 5: after n segments have arrived, 5 n / 11 may have gone, rounded up, while more than
// five are out. Then one for each, up to five.
#[test]
fn a_lost_retransmission_is_found_by_what_was_sent_after_it() {
    let rest = "
        // PRR: 1 has arrived, 5/11 is 1.
        44 < sack 5     // 10/11
        45 < sack 6     // 15/11 is 2
        45 > 14
        46 < sack 7     // 20/11
        47 < sack 8     // 25/11 is 3
        47 > 15
        48 < sack 9     // 30/11
        80 < sack 10    // 35/11 is 4
        80 > 16
        80 < sack 11    // 40/11
        81 < sack 12    // 1, 13 to 16 are out: five
        82 < sack 13
        82 > 17
        85 < sack 14    // sent at 45, and 1 again at 43: it is lost, three are out
        85 > 1 18
        125 < ack 19
        125 = Open 6 5  // five have arrived: one more
        125 > 19-24
    ";
    play("reno", None, &[LATE, rest].concat());
}

// RFC 8985 §6.2, step 2: of a segment sent twice either transmission may have arrived. It was the first where less than the smallest
// round trip has passed, or where the echo is older.
#[test]
fn an_ambiguous_arrival_is_not_the_newest_transmission() {
    let mut board = Scoreboard::default();
    let mut log = SegmentLog::default();
    log.extend(0, 2, 1000);
    log.retransmit(0, 50_000, true, &mut board);
    let again = log.get(0).expect("out");
    let sent = Transmission { sent_us: 50_000, position: 0 };
    for (now_us, echo_us, is_newest) in [
        (89_999, None, false),
        (90_000, None, true),
        (90_000, Some(1000), false),
        (90_000, Some(50_000), true),
    ] {
        let mut rack = Rack::default();
        rack.on_arrival(now_us, (sent, again), 40_000, echo_us);
        assert_eq!(rack.advanced, is_newest, "at {now_us}, {echo_us:?}");
        assert_eq!(rack.rtt_us, is_newest.then_some(40_000));
    }
    let once = (Transmission { sent_us: 1000, position: 1 }, log.get(1).expect("out"));
    let mut rack = Rack { newest: sent, ..Rack::default() };
    rack.on_arrival(41_000, once, 50_000, None);
    assert_eq!((rack.newest, rack.rtt_us), (sent, Some(40_000)), "a round trip of something older");
}

// RFC 8985 §6.3: at a timeout, the first segment is lost, and those sent as long ago as a round trip and the window. 12 has just gone.
#[test]
fn a_timeout_takes_only_old_segments_for_lost() {
    let mut board = Scoreboard::default();
    let mut log = SegmentLog::default();
    for (to, at_us) in [(3, 0), (5, 10_000), (6, 50_000)] {
        log.extend(0, to, at_us);
    }
    log.report(1, &mut board);
    log.time_out(Some(20_000), &mut board);
    assert_eq!((board.sacked_out, board.lost_out), (1, 4), "0, 2, 3, 4");
    assert_eq!(log.next_lost(&board), Some(0));
    let (mut board, mut log) = (Scoreboard::default(), SegmentLog::default());
    log.extend(0, 2, 50_000);
    log.time_out(Some(20_000), &mut board);
    assert_eq!(board.lost_out, 1, "the first in any case");
}

// Linux: the window after a timeout is what is still out and one more. RFC 6298 §5.5: 240 ms after the probe, then twice as much.
#[test]
fn timeouts_back_off() {
    let trace = "
        0    > 0-9
        40   < ack 10
        40   > 10-29
        122  > 30      // probe
        362  > 10
        362  = Loss 1 10
        842  > 10
        1802 > 10
        1802 = Loss 1 10
    ";
    play("reno", None, trace);
}

// RFC 8985 §6.3: 10 and 11 left 6 ms before the timeout: they are not lost, and the window leaves place for one more. After a round trip of 40 ms
// and eight of 41 the smoothed one is 40.656.
#[test]
fn what_has_just_left_survives_a_timeout() {
    let trace = "
        0   > 0-9
        40  < ack 1
        41  < sack 2-4
        41  > 1
        41  < sack 5-9
        275 + 2
        275 > 10-11
        281.656 > 1
        281.656 = Loss 3 4
    ";
    play("reno", Some(10), trace);
}

// Linux: in the repair after a timeout, a retransmission that is lost begins another recovery. 11, sent at 442 ms, is missing when 12,
// sent after it, has arrived.
#[test]
fn a_retransmission_lost_after_a_timeout_begins_a_recovery() {
    let trace = "
        0   > 0-9
        40  < ack 10
        40  > 10-29
        122 > 30
        362 > 10
        402 < ack 11
        402 > 31-32
        442 < sack 31
        442 > 11
        443 < sack 32
        443 > 12
        443 = Loss 2 10
        483 < sack 12
        483 > 11
        483 = Recovery 1 2  // nothing is out, one has arrived
    ";
    play("reno", None, trace);
}

// 1 and 5 are sent again. Both transmissions of 5 arrive while 1 is missing: the second report says that one of the two came behind the nine
// segments from 5 up to 13, the newest report. (The retransmission of 5 arrives 40 ms after it left, that of 1, which left before it, does not: it is lost.) // Linux: tcp_sacktag_one
#[test]
fn a_duplicate_beyond_the_hole_is_reordering() {
    let rest = "
        44 < sack 6 7 8 9
        44 > 5 14
        82 < sack 10 11 12 13
        82 > 15-16
        84 < sack 5
        84 > 1 17
    ";
    let trace = |last: &str| play("reno", None, &[LATE, rest, last].concat());
    let degree = |sender: &Sender| sender.linux.as_ref().map(|linux| linux.window.degree);
    assert_eq!(degree(&trace("")), Some(3));
    assert_eq!(degree(&trace("85 < dsack 5")), Some(9));
}

// 0 and 1 are late, 2 and 3 are reported, and the acknowledgement that covers all of them and three more is the next that comes: 0 came behind
// up to seven segments. Nothing is reported any more. // Linux: tcp_check_sack_reordering, tcp_highest_sack_seq
#[test]
fn reordering_is_measured_to_what_an_acknowledgement_covers() {
    let sender = play(
        "reno",
        None,
        "
        0  > 0-9
        40 < sack 2
        40 > 10
        41 < sack 3
        41 > 11
        42 < ack 7
        42 > 12-21
    ",
    );
    assert_eq!(sender.linux.as_ref().map(|linux| linux.window.degree), Some(7));
}
