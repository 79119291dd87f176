// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recoveries and timeouts that were for nothing.

use super::{LATE, play};

/// 1 to 3 are missing. 1 goes again at 43 ms, 2 and 3 while five go for 13 that arrive.
const THREE: &str = "
    0  > 0-9
    40 < ack 1
    40 > 10-11
    41 < sack 4
    41 > 12
    42 < sack 5
    42 > 13
    43 < sack 6
    43 > 1
    43 = Recovery 8 5
    44 < sack 7
    45 < sack 8
    45 > 2
";

/// All of a flight is late. After the probe at 122 ms and the timeout at 362 ms 10 goes again.
const TIMEOUT: &str = "
    0   > 0-9
    40  < ack 10
    40  > 10-29
    122 > 30
    362 > 10
    362 = Loss 1 10
";

// RFC 3522 §3.2: the echo is older than the first retransmission, so the original arrived. The window is what it was, and one more segment
// of slow start.
#[test]
fn a_timestamp_undoes_a_recovery() {
    let rest = "
        45 < ack 5 echo 0
        45 = Open 12 none
        45 > 14-16
    ";
    play("reno", None, &[LATE, rest].concat());
}

// RFC 3522 §3.2: all that was out is acknowledged. An echo of the retransmission undoes nothing, the window is 5; an echo of the
// original does. Until then the recovery sends 5 for 11 that arrive (RFC 9937).
#[test]
fn only_the_timestamp_of_an_original_undoes_a_recovery_at_its_end() {
    let recovery = "
        44 < sack 5
        45 < sack 6
        45 > 14
        46 < sack 7
        47 < sack 8
        47 > 15
        48 < sack 9
        80 < sack 10
        80 > 16
        80 < sack 11
        81 < sack 12
        82 < sack 13
        82 > 17
    ";
    let of_the_copy = "
        83 < ack 14 echo 43
        83 = Open 5 5
        83 > 18
    ";
    play("reno", None, &[LATE, recovery, of_the_copy].concat());
    let of_the_original = "
        83 < ack 14 echo 0
        83 = Open 12 none
        83 > 18-25
    ";
    play("reno", None, &[LATE, recovery, of_the_original].concat());
}

// RFC 2883 §5, RFC 3708 §2: the only retransmission is reported as a duplicate; no timestamp told (it was echoed as sent in the same
// millisecond).
#[test]
fn duplicates_of_all_retransmissions_undo_a_recovery() {
    let rest = "
        45 < ack 5 echo 43
        45 = Recovery 9 5
        83 < dsack 1
        83 = Open 11 none
        83 > 14-15
    ";
    play("reno", None, &[LATE, rest].concat());
}

// The network may duplicate packets by itself: more D-SACKs than retransmissions prove nothing, and one of something that this recovery
// did not send again proves nothing either.
#[test]
fn a_duplicate_from_before_the_recovery_undoes_nothing() {
    let rest = "
        44 < dsack 0
        44 = Recovery 10 5
    ";
    play("reno", None, &[LATE, rest].concat());
}

// RFC 3522 §3.2, after a timeout: the first acknowledgement is the original's. Window and threshold are what they were before, with slow
// start's one more; nothing is lost any more, so nothing goes again.
#[test]
fn a_timestamp_undoes_a_timeout() {
    let rest = "
        370 < ack 11 echo 40
        370 = Open 21 none
        370 > 31
    ";
    play("reno", None, &[TIMEOUT, rest].concat());
}

// RFC 5682 §3.1, steps 1 and 3.b: something of the flight that was sent once is reported: the timeout was spurious. 21 segments are
// out, 10 of them twice, one has arrived: the window is full.
#[test]
fn a_report_of_the_flight_undoes_a_timeout() {
    let rest = "
        370 < sack 12
        370 = Disorder 20 none
    ";
    play("reno", None, &[TIMEOUT, rest].concat());
}

// RFC 5682 §3.1, step 2.b: the retransmission arrives: two new segments go. Step 3.a: the first of them is reported, and nothing of
// the flight: the timeout was no mistake, and the flight goes again.
#[test]
fn new_data_shows_that_a_timeout_was_right() {
    let rest = "
        402 < ack 11
        402 > 31-32
        402 = Loss 2 10
        442 < sack 31
        442 > 11
        442 = Loss 2 10
    ";
    play("reno", None, &[TIMEOUT, rest].concat());
}

// RFC 5682 §3.1, step 2.b and 3.b: new data has gone; then the next acknowledgement is of data sent once: undone. 21 segments are out.
#[test]
fn an_acknowledgement_of_data_sent_once_undoes_a_timeout() {
    let rest = "
        402 < ack 11
        402 > 31-32
        403 < ack 12 echo 402
        403 = Open 21 none
    ";
    play("reno", None, &[TIMEOUT, rest].concat());
}

// RFC 5682 §3.1, step 2.a: without new data the flight goes again at once.
#[test]
fn without_new_data_a_timeout_is_repaired_as_ever() {
    let trace = "
        0   > 0-9
        40  < ack 10
        40  > 10-12
        122 > 12
        362 > 10
        362 = Loss 1 2
        402 < ack 11 echo 362
        402 > 11-12
        402 = Loss 2 2
        442 < ack 13 echo 402
        442 = Open 3 2
    ";
    play("reno", Some(13), trace);
}

// RFC 5681 §3.1 and Linux: a second timeout for the same segment reduces nothing; one after progress does. The timeout is 240 ms again.
#[test]
fn a_timeout_after_progress_reduces_again() {
    let rest = "
        842 > 10
        842 = Loss 1 10
        882 < ack 11
        882 > 31-32
        882 = Loss 2 10
        1122 > 11
        1122 = Loss 1 2
    ";
    play("reno", None, &[TIMEOUT, rest].concat());
}

// RFC 3522 §3.2, step 4: the echo is compared with the first retransmission. 2's overtakes 1's, which acknowledges both with the echo of
// 43 ms: older than all later retransmissions, but no original's.
#[test]
fn the_first_retransmission_tells_originals_from_copies() {
    let rest = "
        46 < sack 9
        82 < sack 10-13
        82 > 3 14-15
        85 < sack 2         // 1's was sent before it and is taken for lost
        85 > 1 16
        90 < ack 3 echo 43
        90 = Recovery 5 5
        90 > 17
        130 < ack 16 echo 43
        130 = Open 5 5
        130 > 18-20
    ";
    play("reno", None, &[THREE, rest].concat());
}

// RFC 3708 §2: two segments have gone again; that one was needless says nothing of the other.
#[test]
fn a_duplicate_of_one_of_two_retransmissions_undoes_nothing() {
    let rest = "
        46 < ack 2 echo 43
        47 < dsack 1        // seven deliveries: 5 · 7/11 is 4, three have gone
        47 > 3
        47 = Recovery 7 5
    ";
    play("reno", None, &[THREE, rest].concat());
}

// RFC 3708 §2: duplicates beyond the retransmissions are the network's, and prove nothing.
#[test]
fn the_networks_own_duplicates_prove_nothing() {
    let rest = "
        44 < dsack 0
        45 < ack 5 echo 43  // the third of 13: two may have gone
        45 > 14
        46 < dsack 1
        46 = Recovery 10 5
    ";
    play("reno", None, &[LATE, rest].concat());
}

// Linux (tcp_try_undo_partial): 1's original arrives while 2 is out again: the hole was reordering, so 3 does not go again, but new data does.
#[test]
fn an_original_stops_retransmissions_until_the_others_are_back() {
    let rest = "
        80 < sack 10
        81 < ack 2 echo 0
        81 > 14
    ";
    play("reno", None, &[THREE, rest].concat());
}

// RFC 5682 §3.1, step 3.a: that the timeout was right is decided. What arrives of the flight then undoes nothing.
#[test]
fn data_of_the_flight_after_new_data_undoes_nothing() {
    let rest = "
        402 < ack 11
        402 > 31-32
        442 < sack 31
        442 > 11
        450 < sack 13       // out of order by 18: reports grow the window
        450 > 12
        450 = Loss 3 10
    ";
    play("reno", None, &[TIMEOUT, rest].concat());
}

// RFC 5682 §3.1, step 1: not in a recovery that goes on: when 1 arrives, the flight goes again, and no new data. RFC 8985 §7.2: no probe goes
// in a recovery.
#[test]
fn a_timeout_within_a_recovery_sends_the_flight_again() {
    let rest = "
        283.689 > 1
        283.689 = Loss 1 5
        323.689 < ack 5 echo 283.689
        323.689 > 5-6
    ";
    play("reno", None, &[LATE, rest].concat());
}

/// The flight goes again after the timeout, until an original of it is acknowledged.
const TWICE: &str = "
    402 < ack 11
    402 > 31-32
    442 < sack 31
    442 > 11
    482 < ack 12
    482 > 12-14
    483 < ack 13 echo 442
    483 > 15-16
    484 < ack 14 echo 40
    484 > 17
";

fn in_flight(sender: &super::Sender) -> (u32, u32) {
    (sender.driver.conn.in_flight, sender.board.retrans_out)
}

// Linux (tcp_sacktag_one): 14 to 32 are out. 31 is reported, 17 to 30 are lost, 17 is out again, and so are 14 to 16, which are not lost any more: 19 - 1 - 14 + 4
// are in flight. 15 is reported, and may be the original: its retransmission is out still, so one goes. A duplicate is that one: another goes.
#[test]
fn a_retransmission_of_what_is_not_lost_is_out_until_a_duplicate_reports_it() {
    let play = |rest| in_flight(&play("reno", None, &[TIMEOUT, TWICE, rest].concat()));
    assert_eq!(play(""), (8, 4));
    let reported = "
        485 < sack 15
        485 > 18
    ";
    assert_eq!(play(reported), (8, 5));
    let duplicate = "
        486 < dsack 15
        486 > 19
    ";
    assert_eq!(play(&[reported, duplicate].concat()), (8, 5));
}

// Linux (tcp_try_undo_recovery): 14 went in the recovery, and is lost behind it when an original of the flight proves the recovery needless. It
// stays lost, so another recovery begins.
#[test]
fn what_is_lost_behind_a_recovery_stays_lost_when_that_is_undone() {
    let rest = "
        44 < sack 5
        45 < sack 6
        45 > 14
        46 < sack 7
        47 < sack 8
        47 > 15
        48 < sack 9
        80 < sack 10
        80 > 16
        80 < sack 11
        81 < sack 12
        82 < sack 13
        82 > 17
        87 < sack 15
        87 > 1 14 18
        88 < ack 14 echo 0  // five are out: half of them; one is delivered, one goes
        88 > 19
        88 = Recovery 5 2
    ";
    play("reno", None, &[LATE, rest].concat());
}
