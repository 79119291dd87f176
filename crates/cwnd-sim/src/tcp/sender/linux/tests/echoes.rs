// SPDX-License-Identifier: MIT OR Apache-2.0
//! Echoes of congestion marks (RFC 3168 §6.1.2) with Linux's recovery.

use super::play;

// Half of ten is 5, in proportion to what arrives: of every two segments acknowledged one is replaced, until five are out. The echo lasts until
// the segment that says CWR, which is 10, has arrived: at its acknowledgement the reduction is over, and a mark is another one, half of five.
#[test]
fn an_echo_halves_the_window_once_a_round_trip() {
    let once = "
        0  > 0-9
        40 < ece ack 2
        40 = Cwr 9 5
        40 > 10
        41 < ece ack 4
        41 > 11
        42 < ece ack 6
        42 > 12
        43 < ece ack 8
        43 = Cwr 5 5
        44 < ece ack 10
        44 > 13-14
        44 = Cwr 5 5
    ";
    play(
        "reno-linux",
        None,
        &format!("{once} 80 < ack 11 \n 80 > 15 \n 80 = Open 5 5 \n 81 < ack 12 \n 81 > 16"),
    );
    play("reno-linux", None, &format!("{once} 80 < ece ack 11 \n 80 > 15 \n 80 = Cwr 5 2"));
}

// Two is lost in the reduction: its repair is no second one. // RFC 3168 §6.1.2; Linux: tcp_enter_recovery
#[test]
fn a_loss_in_the_reduction_is_repaired_without_another() {
    let trace = "
        0  > 0-9
        40 < ece ack 2
        40 > 10
        41 < ece sack 3
        41 > 11
        42 < ece sack 4
        42 = Cwr 8 5
        43 < ece sack 5
        43 > 2
        43 = Recovery 7 5
    ";
    play("reno-linux", None, trace);
}

// A loss and an echo in one acknowledgement are one reduction: the loss's. // Linux: tcp_fastretrans_alert
#[test]
fn a_loss_that_comes_with_an_echo_is_the_reduction() {
    play("reno-linux", None, &super::LATE.replace("43 < sack 4", "43 < ece sack 4"));
}

// 1 was late, not lost: its acknowledgement echoes the original. Without the mark the window of 11 is given back, and grows by the ten that have
// arrived. With it the recovery ends at 5, and the mark halves that: nothing is out, and 2 may go. // Linux: tcp_fastretrans_alert
#[test]
fn what_a_mark_came_with_is_not_given_back() {
    let late = |ack: &str, then: &str| format!("{} 44 < {ack} ack 14 echo 0 \n {then}", super::LATE);
    play("reno-linux", None, &late("", "44 = Open 21 none \n 44 > 14-34"));
    play("reno-linux", None, &late("ece", "44 = Cwr 2 2 \n 44 > 14-15"));
}
