// SPDX-License-Identifier: MIT OR Apache-2.0
//! The emulator in virtual time: what it delivers and when, by hand arithmetic.

use cwnd_link::{DropCause, PacketClass};
use cwnd_live::{Emulator, Header, HostSide, Paths};
use cwnd_scenario::{Flow, Scenario};
use cwnd_traffic::Direction;

const MS: u64 = 1_000_000;

fn network(toml: &str) -> Emulator<u32> {
    let scenario = Scenario::from_toml(toml).expect("a scenario");
    let (links, paths) = Paths::of_scenario(&scenario, &scenario.expand());
    Emulator::new(links, paths, scenario.measure, scenario.duration)
}

fn data(flow: u32) -> Header {
    let class = Some(PacketClass::Data);
    Header {
        flow,
        path: flow,
        from: HostSide::Senders,
        bytes: 1500,
        class,
        position: 0,
        payload: 1448,
        marked: false,
    }
}

fn ack(flow: u32) -> Header {
    Header { from: HostSide::Receivers, bytes: 52, class: Some(PacketClass::Ack), ..data(flow) }
}

/// What arrives by `until`, with its time.
fn arrivals(emulator: &mut Emulator<u32>, until: u64) -> Vec<(u64, HostSide, u32)> {
    let mut all = Vec::new();
    emulator.advance(until, |at, header, packet| all.push((at, header.from.other(), packet)));
    all
}

// 12 Mbit/s: a packet of 1500 bytes takes 1 ms. Two wait and one is sent, so the fourth of four at once is dropped; half of the 20 ms
// lies behind the link. The acknowledgement passes no link.
#[test]
fn a_link_queues_drops_and_delays() {
    let mut emulator = network(
        "duration = '1s'\n[link]\nrate = '12Mbit/s'\nrtt = '20ms'\nqueue = { kind = 'droptail', limit = '2packets' }\n[[flow]]\ncc = 'reno'",
    );
    (0..4).for_each(|number| emulator.accept(0, data(0), number));
    let dropped: Vec<_> =
        emulator.take_dropped().map(|dropped| (dropped.at, dropped.link, dropped.cause)).collect();
    assert_eq!(dropped, [(0, 0, DropCause::Full)]);
    assert_eq!(emulator.next(), 11 * MS);
    let receivers = HostSide::Receivers;
    let expected = [(11 * MS, receivers, 0), (12 * MS, receivers, 1), (13 * MS, receivers, 2)];
    assert_eq!(arrivals(&mut emulator, 13 * MS), expected);
    emulator.accept(13 * MS, ack(0), 9);
    assert_eq!(arrivals(&mut emulator, u64::MAX - 1), [(23 * MS, HostSide::Senders, 9)]);
    emulator.count_departures(2 * MS);
    assert_eq!(emulator.forwarded(0).packets, 2, "the third leaves at 3 ms");
    emulator.count_departures(3 * MS);
    assert_eq!(emulator.forwarded(0).packets, 3);
}

// Ticks of 4 ms: the packets that have been sent by 4 ms leave then, here all that the limit of three takes, the one being sent included.
#[test]
fn a_link_that_ticks_moves_packets_at_its_ticks() {
    let mut emulator = network(
        "duration = '1s'\n[link]\nrate = '12Mbit/s'\nrtt = '20ms'\ntick = '4ms'\ncount_in_service = true\nqueue = { kind = 'droptail', limit = '3packets' }\n[[flow]]\ncc = 'reno'",
    );
    (0..4).for_each(|number| emulator.accept(MS, data(0), number));
    assert_eq!(emulator.take_dropped().map(|dropped| dropped.at).collect::<Vec<_>>(), [MS]);
    let receivers = HostSide::Receivers;
    let expected = [0, 1, 2].map(|number| (14 * MS, receivers, number));
    assert_eq!(arrivals(&mut emulator, u64::MAX - 1), expected);
}

// Two hops of 12 and 6 Mbit/s with 5 and 3 ms: 1 + 5 + 2 + 3 ms, and of the round trip of 30 ms, 30 - 8 - 8 = 14 ms are left, half on
// each way: 18 ms. The way back has the reverse links' 8 ms, and 52 bytes take 34,666 and 69,333 ns there.
#[test]
fn a_path_has_all_its_links_and_half_of_the_delay_that_is_left() {
    let link = |name: &str, rate: u32, delay: u32, from: &str, to: &str| {
        format!(
            "[[link]]\nname = '{name}'\nfrom = '{from}'\nto = '{to}'\nrate = '{rate}Mbit/s'\ndelay = '{delay}ms'\nqueue = {{ kind = 'droptail', limit = '9packets' }}\n"
        )
    };
    let text = format!(
        "duration = '1s'\n{}{}{}{}[[flow]]\ncc = 'reno'\nfrom = 'a'\nto = 'c'\nrtt = '30ms'",
        link("1", 12, 5, "a", "b"),
        link("2", 6, 3, "b", "c"),
        link("3", 12, 3, "c", "b"),
        link("4", 6, 5, "b", "a"),
    );
    let mut emulator = network(&text);
    emulator.accept(0, data(0), 1);
    assert_eq!(arrivals(&mut emulator, MS * 100), [(18 * MS, HostSide::Receivers, 1)]);
    emulator.accept(100 * MS, ack(0), 2);
    let back = arrivals(&mut emulator, MS * 200);
    assert_eq!(back, [(115 * MS + 34_666 + 69_333, HostSide::Senders, 2)]);
}

// Every third data packet is lost. What opens and closes connections does not count and takes the delay alone: 10 ms.
#[test]
fn the_kth_data_packet_is_lost_whatever_else_passes() {
    let mut emulator = network(
        "duration = '1s'\n[link]\nrate = '12Mbit/s'\nrtt = '20ms'\nloss = 'every:3'\nqueue = { kind = 'droptail', limit = '99packets' }\n[[flow]]\ncc = 'reno'",
    );
    let opening = Header { class: None, bytes: 60, ..data(0) };
    for number in 0..9 {
        emulator.accept(0, data(0), number);
        emulator.accept(0, opening, 100 + number);
    }
    let lost: Vec<_> = emulator.take_dropped().map(|dropped| dropped.cause).collect();
    assert_eq!(lost, [DropCause::Loss; 3]);
    let all = arrivals(&mut emulator, u64::MAX - 1);
    let opened: Vec<_> = all.iter().filter(|arrival| arrival.2 >= 100).collect();
    assert!(opened.len() == 9 && opened.iter().all(|arrival| arrival.0 == 10 * MS));
    let passed: Vec<u32> = all.iter().map(|arrival| arrival.2).filter(|number| *number < 100).collect();
    assert_eq!(passed, [0, 1, 3, 4, 6, 7]);
}

/// Numbers that look random, from a seed (Numerical Recipes' generator).
fn random(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) & 0xffff_ffff;
    (*state >> 8) % below
}

// A caller that looks every 7 µs and one that looks only when a packet comes: the same arrivals at the same times, and the same drops.
#[test]
fn coming_late_changes_nothing() {
    let queues = [
        "{ kind = 'droptail', limit = '5packets' }",
        "{ kind = 'codel', limit = '9packets' }",
        "{ kind = 'red', min = '2packets', max = '6packets', limit = '9packets' }",
    ];
    for (queue, seed) in queues.into_iter().flat_map(|queue| (1..20).map(move |seed| (queue, seed))) {
        let text = format!(
            "duration = '10s'\nseed = {seed}\n[link]\nrate = '12Mbit/s'\nrtt = '20ms'\nloss = 'random:0.02'\njitter = '3ms'\nreorder = {{ share = 0.05, extra = '4ms' }}\nqueue = {queue}\nreverse = true\n[[flow]]\ncc = 'reno'\ncount = 2"
        );
        let outcome = |step: Option<u64>| {
            let (mut emulator, mut state, mut now, mut all, mut drops) =
                (network(&text), seed, 0, Vec::new(), Vec::new());
            let mut look = 0;
            for number in 0..2000 {
                now += random(&mut state, 1_600_000);
                while let Some(step) = step
                    && look + step < now
                {
                    look += step;
                    all.extend(arrivals(&mut emulator, look));
                }
                all.extend(arrivals(&mut emulator, now));
                let flow = random(&mut state, 2) as u32;
                emulator.accept(now, if random(&mut state, 3) == 0 { ack(flow) } else { data(flow) }, number);
                drops
                    .extend(emulator.take_dropped().map(|dropped| (dropped.at, dropped.link, dropped.cause)));
            }
            all.extend(arrivals(&mut emulator, u64::MAX - 1));
            drops.extend(emulator.take_dropped().map(|dropped| (dropped.at, dropped.link, dropped.cause)));
            assert_eq!(
                all.len() + drops.len(),
                2000,
                "seed {seed}, {queue}: every packet arrives or is dropped"
            );
            (all, drops)
        };
        let (late, early) = (outcome(None), outcome(Some(7_000)));
        assert!(!late.1.is_empty(), "seed {seed}, {queue}: some are dropped");
        assert!(late == early, "seed {seed}, {queue}");
    }
}

// 12 Mbit/s until 5 ms, then nothing for good: of ten packets at once the four that begin by 4 ms leave by 5 ms and arrive by 15 ms, and
// nothing else does, ever.
#[test]
fn an_outage_without_an_end_keeps_what_it_has() {
    let mut emulator = network(
        "duration = '1s'\n[link]\nrate = [['0s', '12Mbit/s'], ['5ms', '0bit/s']]\nrtt = '20ms'\nqueue = { kind = 'droptail', limit = '99packets' }\n[[flow]]\ncc = 'reno'",
    );
    (0..10).for_each(|number| emulator.accept(0, data(0), number));
    let arrived = arrivals(&mut emulator, u64::MAX - 1);
    assert_eq!(
        arrived.iter().map(|arrival| arrival.0).collect::<Vec<_>>(),
        [11, 12, 13, 14, 15].map(|ms| ms * MS)
    );
    emulator.count_departures(u64::MAX - 1);
    assert_eq!((emulator.take_dropped().count(), emulator.forwarded(0).packets), (0, 5));
}

// Behind one flow a group has the ways 1 and 2, by direction, and a connection with a round trip of 50 ms has one of its own: 1 ms for 1500 bytes
// at 12 Mbit/s, and half of the round trip. What it carries is counted for its group.
#[test]
fn traffic_has_ways_by_direction_and_connections_of_their_own() {
    let text = "duration = '1s'\n[link]\nrate = '12Mbit/s'\nrtt = '20ms'\nqueue = { kind = 'droptail', limit = '9packets' }\n[[flow]]\ncc = 'reno'\n[[traffic]]\nmodel = 'long'\nflows = 1\ndirection = 'both'";
    let scenario = Scenario::from_toml(text).expect("a scenario");
    let mut emulator = network(text);
    let [forward, reverse] = Direction::ALL.map(|direction| {
        let flow = scenario.traffic_flow(&scenario.traffic[0], direction).expect("it has a route");
        Flow { rtt: 50 * MS, ..flow }
    });
    assert_ne!(forward.path, reverse.path);
    emulator.set_path(9, Paths::of_connection(&scenario, &forward));
    for (number, flow, path) in [(0, 1, 1), (1, 2, 2), (2, 1, 9)] {
        emulator.accept(0, Header { path, ..data(flow) }, number);
    }
    let receivers = HostSide::Receivers;
    // The second one is on the reverse link; the third one waits for the first.
    let expected = [(11 * MS, receivers, 0), (11 * MS, receivers, 1), (27 * MS, receivers, 2)];
    assert_eq!(arrivals(&mut emulator, MS * 100), expected);
    emulator.count_departures(MS * 100);
    assert_eq!([0, 1, 2].map(|flow| emulator.forwarded(flow).packets), [0, 2, 1]);
}

// The link is free at 1, 2 and 3 ms: of five packets of 1 ms that are due every ms none waits, though all are taken at once. At once, of
// the five, one is sent, two wait, and two are dropped.
#[test]
fn packets_that_are_taken_early_enter_when_they_are_due() {
    let toml = "duration = '1s'\n[link]\nrate = '12Mbit/s'\nrtt = '20ms'\nqueue = { kind = 'droptail', limit = '2packets' }\n[[flow]]\ncc = 'reno'";
    let mut paced = network(toml);
    (0..5).for_each(|number| paced.accept_later(u64::from(number) * MS, data(0), number));
    let expected: Vec<_> = (0..5).map(|n| (11 * MS + u64::from(n) * MS, HostSide::Receivers, n)).collect();
    assert_eq!(arrivals(&mut paced, 100 * MS), expected);
    assert_eq!(paced.take_dropped().count(), 0);
    let mut at_once = network(toml);
    (0..5).for_each(|number| at_once.accept(0, data(0), number));
    assert_eq!((arrivals(&mut at_once, 100 * MS).len(), at_once.take_dropped().count()), (3, 2));
}
