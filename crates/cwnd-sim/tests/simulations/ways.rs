// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time slices, on one thread and on three, trains and the general path give the same results: [`run`] goes all of these ways. The scenarios here are drawn so
//! that they meet what the lean path and time slices take apart.

#![cfg(debug_assertions)]

use crate::common::run;
use cwnd_link::random::RandomStream;
use std::fmt::Write;

/// Flows in one queue: with one round trip time or several, from milliseconds on, transfers and endless ones, that start and stop, and whose
/// acknowledgements wait.
fn scenario(seed: u64) -> String {
    let mut draw = RandomStream::new(seed, 7);
    let mut one_of = |texts: &[&'static str]| texts[draw.below(texts.len() as u64) as usize];
    let queue = one_of(&[
        "kind = 'droptail', limit = '1bdp, at least 4packets'",
        "kind = 'droptail', limit = '9packets'",
        "kind = 'red', limit = '60packets', min = '10packets', max = '30packets'",
    ]);
    let mut text = format!(
        "duration = '2s'\nmeasure = ['0.7s', '1.6s']\nseed = {}\n[record]\ninterval = '130ms'\n[link]\nrate = '{}'\nrtt = '10ms'\n{}queue = {{ {queue} }}\n",
        seed + 1,
        one_of(&["6Mbit/s", "12Mbit/s", "77Mbit/s"]),
        one_of(&["", "", "loss = 'random:0.002'\n"]),
    );
    let shared = one_of(&["10ms", "35ms", "different"]);
    for number in 0..5 {
        let rtt = match shared {
            "different" => ["10ms", "11.3ms", "25ms", "60ms", "61ms"][number],
            same => same,
        };
        let keys = [
            one_of(&["", "size = '30kB'", "size = '700kB'", "stop = '1.3s'"]),
            one_of(&["", "", "ack_delay = '1ms'", "ack_every = 1", "ack_every = 3"]),
            one_of(&["", "handshake = true", "host_clock = '100Hz'"]),
            one_of(&["", "recovery = 'linux'", "recovery = 'newreno'"]),
        ];
        let (cc, start) = (one_of(&["cubic", "reno", "cubic-linux"]), one_of(&["0s", "0.1s", "0.4s"]));
        let _ =
            writeln!(text, "[[flow]]\ncc = '{cc}'\nrtt = '{rtt}'\nstart = '{start}'\n{}", keys.join("\n"));
    }
    text
}

#[test]
fn random_scenarios_give_the_same_by_every_way() {
    let mut events = 0;
    for seed in 0..60 {
        events += run(&scenario(seed)).tables().events.len();
    }
    assert!(events > 3000, "{events} events");
}

// Two minutes with nothing out, longer than the timeout: the restart lowers the window before the second segment.
#[test]
fn a_restart_with_nothing_out_lowers_the_window_by_every_way() {
    run(
        "duration = '1200s'\n[link]\nrate = '100Mbit/s'\nrtt = '120.05s'\nqueue = { kind = 'droptail', limit = '100packets' }\n\
         [record]\ninterval = '10s'\n[[flow]]\ncc = 'reno'\nrecovery = 'sack'\nhandshake = true\nhost_clock = '1Hz'\ninitial_cwnd = 2",
    );
}

// Two flows of which one acknowledges at once, by a timer for the present, which comes after what set it.
#[test]
fn acknowledgements_at_once_are_the_same_by_every_way() {
    run(
        "duration = '10s'\n[link]\nrate = '12Mbit/s'\nrtt = '20ms'\nqueue = { kind = 'droptail', limit = '5packets' }\n\
         [[flow]]\ncc = 'reno'\n[[flow]]\ncc = 'reno'\nrtt = '30ms'\nack_delay = '0s'",
    );
}
