// SPDX-License-Identifier: MIT OR Apache-2.0
//! Clocks and round trips: any RTT, time that stands still, runs backwards or wraps.

use crate::every_set;
use crate::support::{DrivenFlow, sets};
use cwnd_contract::time;

// RFC 5681 §3.1: a new connection is in slow start. (Vegas grows in one round trip and holds in the next: 40 of 10 after three.)
#[test]
fn every_algorithm_starts_in_slow_start() {
    for set in sets() {
        let mut flow = DrivenFlow::new(&set, 10, 25_000);
        // Linux's Hybla begins with ρ segments, 1 where no round trip is known yet, and takes one to learn it.
        let (start, rounds) = if set.name == "hybla-linux" { (1, 4) } else { (10, 3) };
        assert_eq!(flow.cwnd(), start, "{}", set.name);
        flow.rounds(rounds);
        assert!(flow.cwnd() >= 2 * start && flow.driver.conn.ssthresh >= 20, "{}: {}", set.name, flow.cwnd());
    }
}

// Rows S5, M5, GV4: an RTT of 0, 1 µs or 10 s divides by nothing and leaves a window that lives.
#[test]
fn any_round_trip_time_leaves_a_window_that_lives() {
    every_set(time::any_round_trip_time_leaves_a_window_that_lives);
}

// Row NS4: no valid RTT sample, from the first round on.
#[test]
fn without_a_single_rtt_sample_every_algorithm_grows() {
    every_set(time::without_a_single_rtt_sample_it_grows);
}

// Rows S2, N5: while the clock stands still or has jumped back, an ACK is worth no more than a segment, and when the clock
// goes on the window does too. (Algorithms keep 32 bits of the clock: half of that, 35 minutes, is as far as it may jump.)
#[test]
fn a_clock_that_stands_or_runs_backwards_makes_no_jump() {
    every_set(time::a_clock_that_stands_or_runs_backwards_makes_no_jump);
}

// Row FB3: neither the low 32 bits of the clock, nor the tick counter, nor sequence numbers show where they wrap.
#[test]
fn clocks_and_sequence_numbers_wrap_unseen() {
    every_set(time::clocks_and_sequence_numbers_wrap_unseen);
}
