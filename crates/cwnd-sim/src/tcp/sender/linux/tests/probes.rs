// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tail loss probes (RFC 8985 §7). The smoothed round trip is 40 ms, the timeout 240 ms.

use super::{LATE, play};

// RFC 8985 §7.2: 2 · SRTT after the last transmission, 2 ms more in Linux. §7.3: new data, where the window would allow none. One probe
// in a flight; the timeout starts at the probe.
#[test]
fn a_probe_is_new_data_where_there_is_any() {
    let trace = "
        0   > 0-9
        40  < ack 10
        40  > 10-29
        122 > 30
        361 = Open 20 none
        362 > 10
    ";
    play("reno", None, trace);
}

// RFC 8985 §7.3: else the last segment. It is not in the pipe twice.
#[test]
fn a_probe_is_the_last_segment_where_nothing_is_new() {
    let trace = "
        0   > 0-9
        40  < ack 10
        40  > 10-11
        122 > 11
        122 = Open 20 none
        130 < duplicate
    ";
    let sender = play("reno", Some(12), trace);
    assert_eq!((sender.driver.conn.in_flight, sender.sent.retransmits), (2, 1));
}

// RFC 8985 §7.2: one segment out: its acknowledgement may be delayed, by up to 200 ms for Linux. 40 + 80 + 200 is after the timeout at
// 280, so the probe goes then, and the timeout is 240 ms after it.
#[test]
fn a_probe_for_one_segment_waits_for_its_delayed_acknowledgement_but_not_beyond_the_timeout() {
    let trace = "
        0   > 0-9
        40  < ack 10
        40  > 10
        280 > 10
        280 = Open 20 none
        520 > 10
        520 = Loss 1 2
    ";
    let sender = play("reno", Some(11), trace);
    assert_eq!(sender.sent.timeouts, 1);
}

// RFC 8985 §7.2: without a round trip time the probe goes after a second.
#[test]
fn without_a_round_trip_time_a_probe_goes_after_a_second() {
    let trace = "
        0    > 0-9
        1000 > 9
        2000 > 0
        2000 = Loss 1 5
    ";
    play("reno", Some(10), trace);
}

// RFC 8985 §7.4.1: the probe shows what is missing. 10 was sent before 11's probe and is lost after its round trip; then recovery repairs
// it, and nothing has to time out.
#[test]
fn a_probe_that_arrives_lets_a_recovery_repair_the_rest() {
    let trace = "
        0   > 0-9
        40  < ack 10
        40  > 10-11
        122 > 11
        162 < sack 11
        162 > 10
        202 < ack 12
        202 = Open 2 2
    ";
    let sender = play("reno", Some(12), trace);
    assert_eq!(sender.sent.timeouts, 0);
}

// The same where acknowledgements of two segments are the only round trips, 0.6 ms longer than a packet's alone: the handshake's, 40 ms, tells
// that the probe, after 40.2, has arrived, and not its original. 2 · 40.6 ms and 2 are 83.2.
#[test]
fn a_probes_round_trip_is_compared_with_the_paths() {
    let trace = "
        0     > 0-9
        40.6  < ack 8
        123.8 > 9
        164   < sack 9
        164   > 8
        204.6 < ack 10
    ";
    let sender = play("reno", Some(10), trace);
    assert_eq!(sender.sent.timeouts, 0);
}

// RFC 8985 §7.4.2: data sent after the probe is acknowledged and no duplicate came: the probe has repaired a loss, and the window is
// halved, once. The probe's own acknowledgement does not tell yet.
#[test]
fn a_loss_that_the_probe_repaired_reduces_the_window() {
    let trace = "
        0   > 0-9
        40  < ack 10
        40  > 10-11
        80  < ack 11
        320 > 11
        330 + 2
        330 > 12-13
        360 < ack 12
        360 = Open 20 none
        370 < ack 14
        370 = Open 10 10
    ";
    play("reno-linux", Some(12), trace);
}

// RFC 8985 §7.4.2: a D-SACK of the probe, or without D-SACK a pure duplicate: the original arrived, there was no loss.
#[test]
fn a_probe_that_arrives_beside_its_original_reduces_nothing() {
    for duplicate in ["dsack 11", "duplicate"] {
        let trace = "
            0   > 0-9
            40  < ack 10
            40  > 10-11
            122 > 11
            125 < ack 12 echo 40
            162 < DUPLICATE
            170 + 2
            170 > 12-13
            210 < ack 14
            210 = Open 20 none
        ";
        play("reno-linux", Some(12), &trace.replace("DUPLICATE", duplicate));
    }
}

// RFC 2883 §4: what lies below the acknowledgement is a duplicate, though the sender hears of it for the first time: the receiver had delayed the
// original's acknowledgement when the probe came. RFC 8985 §7.4.2: so there was no loss.
#[test]
fn a_probe_that_meets_a_delayed_acknowledgement_reduces_nothing() {
    let trace = "
        0   > 0-9
        40  < ack 10
        40  > 10-11
        122 > 11
        162 < ack 12 dsack 11
        170 + 2
        170 > 12-13
        210 < ack 14
        210 = Open 20 none
    ";
    play("reno-linux", Some(12), trace);
}

// RFC 8985 §7.4.2: a probe of new data repairs nothing, and its acknowledgement ends the episode: the next tail has a probe of its own.
// In slow start 21 acknowledged segments make a window of 20 one of 41.
#[test]
fn a_probe_of_new_data_is_over_when_it_is_acknowledged() {
    let trace = "
        0   > 0-9
        40  < ack 10
        40  > 10-29
        122 > 30
        130 < ack 31
        130 = Open 41 none
        130 > 31-71
        224.5 > 72      // the round trips were 40 and 90 ms, smoothed 46.25: 92.5 ms and 2
    ";
    play("reno", None, trace);
}

// RFC 8985 §7.2: one probe in a flight. 11 is acknowledged, 12 is not, nor the probe: 94.5 ms later, where another one would go, nothing does.
#[test]
fn no_second_probe_goes_before_the_first_is_acknowledged() {
    let trace = "
        0   > 0-9
        40  < ack 10
        40  > 10-29
        122 > 30
        130 < ack 11
        130 > 31
        286.25 > 11
        286.25 = Loss 1 10
    ";
    play("reno", None, trace);
}

// RFC 8985 §7.2: no probe while something is missing. 14 is new, sent in a recovery; 2 · SRTT later nothing goes. The timeout, 200 ms above the smoothed
// round trip, begins anew with what arrives of before 1 went again.
#[test]
fn no_probe_goes_in_a_recovery() {
    let rest = "
        44 < sack 5
        45 < sack 6
        45 > 14
        286.59 > 1
    ";
    play("reno", None, &[LATE, rest].concat());
}
