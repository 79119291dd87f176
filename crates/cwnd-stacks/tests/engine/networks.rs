// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random networks with flows of both stacks: what their links do is looked at as they run, and no packet is lost from sight.

use super::{scenario, set_up};
use cwnd_link::random::RandomStream;

/// A network and its flows from a seed: rates, delays, queues, losses; flows of both stacks and of TCP.
fn random_network(seed: u64) -> String {
    let mut random = RandomStream::new(seed, 1);
    let mut below = |bound: u64| random.below(bound);
    let rate = [1, 5, 20, 100][below(4) as usize];
    let rtt = 2 + below(150);
    let limit = 5 + below(200);
    let room = match below(4) {
        0 => format!("{}kB", 2 * limit),
        1 => format!("{}ms", 5 + limit),
        _ => format!("{limit}packets"),
    };
    let queue = match below(4) {
        0 | 1 => format!("kind = 'codel', limit = '{room}'"),
        2 => format!("kind = 'red', limit = '{limit}packets', min = '3packets', max = '{limit}packets'"),
        _ => format!("kind = 'droptail', limit = '{room}'"),
    };
    // A rate that never changes, one that does, a trace.
    let rates = match below(4) {
        0 => format!(
            "[['0s', '{rate}Mbit/s'], ['1s', '0bit/s'], ['1500ms', '3Mbit/s'], ['2s', '{rate}Mbit/s']]"
        ),
        1 => "{ trace = 'some.trace' }".to_owned(),
        _ => format!("'{rate}Mbit/s'"),
    };
    // dummynet's: what is being sent is counted, and times are ticks.
    let more = ["", "count_in_service = true\n", "tick = '1ms'\n"][below(5).saturating_sub(2) as usize];
    let loss = if below(2) == 0 { String::new() } else { format!("loss = 'random:0.00{}'\n", 1 + below(9)) };
    let jitter = if below(3) == 0 { "jitter = '3ms'\n" } else { "" };
    let mut text = format!(
        "seed = {seed}\nduration = '4s'\n[link]\nrate = {rates}\nrtt = '{rtt}ms'\nqueue = {{ {queue} }}\n{loss}{jitter}{more}"
    );
    for _ in 0..1 + below(3) {
        let cc = ["cubic", "reno", "cubic-linux", "vegas", "stock-cubic", "stock-newreno"][below(6) as usize];
        let stack = ["quinn", "noq"][below(2) as usize];
        let start = below(1000);
        text += &format!("[[flow]]\ncc = '{cc}'\nstack = '{stack}'\nstart = '{start}ms'\n");
        if below(3) == 0 {
            text += "[[flow]]\ncc = 'cubic'\n";
        }
    }
    text
}

/// Runs a network; the links' record is checked as it goes on, and here that no packet is lost from sight.
fn audited(text: &str) -> u64 {
    let mut simulation = set_up(&scenario(text));
    while !simulation.step(5_000) {
        for places in simulation.packet_locations() {
            let known = places.arrived + places.at_host + places.queued + places.propagating + places.dropped;
            assert_eq!(places.sent, known, "{places:?}\n{text}");
        }
    }
    simulation.digest()
}

#[test]
fn twenty_random_networks_lose_no_packet_from_sight_and_repeat() {
    for seed in 1..=20 {
        let text = random_network(seed);
        assert_eq!(audited(&text), audited(&text), "{text}");
    }
}
