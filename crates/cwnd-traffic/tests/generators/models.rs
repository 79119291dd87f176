// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each model announces, event by event.

use crate::driver::{SECOND, group, run, sources};
use cwnd_traffic::{Connection, Datagram, Direction, SourceEvent, Transfer};

const MS: u64 = SECOND / 1000;

fn starts(trace: &[Vec<SourceEvent>]) -> Vec<u64> {
    trace
        .iter()
        .flatten()
        .map(|event| match event {
            SourceEvent::Start(transfer) => transfer.at,
            SourceEvent::Send(packet) => packet.at,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn transfer(event: SourceEvent) -> Transfer {
    match event {
        SourceEvent::Start(transfer) => transfer,
        other => panic!("{other:?}"),
    }
}

#[test]
fn long_flows_start_where_they_are_told_and_never_end() {
    let at = |start: &str| {
        let group =
            group(&format!("model = 'long'\nflows = 5\nstart = {start}\nwindow = '64kB'\nrtt = '80ms'"));
        let (load, trace) = run(&group, 1, 1000 * SECOND, |_| 0);
        assert_eq!(
            (load.measured(Direction::Forward).transfers, load.measured(Direction::Forward).endless),
            (5, 5)
        );
        let first = transfer(trace[0][0]);
        assert_eq!(
            (first.bytes, first.rtt, first.window, first.connection),
            (None, Some(80 * MS), Some(64_000), Connection::New)
        );
        starts(&trace)
    };
    assert_eq!(at("'2s'"), [2 * SECOND; 5]);
    assert_eq!(at("{ every = '1s', from = '3s' }"), [3, 4, 5, 6, 7].map(|s| s * SECOND));
    let uniform = at("{ uniform = ['1s', '2s'] }");
    assert!(uniform.iter().all(|t| (SECOND..2 * SECOND).contains(t)) && uniform[0] != uniform[1]);
    let poisson = at("{ poisson = '1s', from = '10s' }");
    assert!(poisson[0] > 10 * SECOND && poisson.windows(2).all(|pair| pair[0] < pair[1]), "{poisson:?}");
}

// 10⁴ starts with gaps of 10 ms: the last at 100 s ± 4 · 10 ms · √10⁴ = ± 4 s.
#[test]
fn poisson_starts_have_their_rate() {
    let group = group("model = 'long'\nflows = 10000\nstart = { poisson = '10ms' }");
    let last = *starts(&run(&group, 1, u64::MAX, |_| 0).1).last().expect("starts");
    assert!(last.abs_diff(100 * SECOND) < 4 * SECOND, "{last}");
}

#[test]
fn both_directions_alternate() {
    let group = group("model = 'sessions'\nsessions = 200\ndirection = 'both'");
    let (load, trace) = run(&group, 1, 10 * SECOND, |_| MS);
    for (number, source) in trace.iter().enumerate() {
        let direction = Direction::ALL[number % 2];
        assert!(source.iter().all(|event| transfer(*event).direction == direction));
    }
    // 100 sessions a way, a page a second: 1000 ± 4 √1000 in ten seconds.
    for direction in Direction::ALL {
        assert!(load.measured(direction).transfers.abs_diff(1000) < 127, "{load:?}");
    }
}

// Pages of three objects, 10 ms apart from start to start, that take 50 ms: 0, 10, 20; the page ends at 70, the next
// is 1 s later.
#[test]
fn a_page_is_over_when_its_last_object_is() {
    let group = group(
        "model = 'sessions'\npages = 2\ngap = '1s'\nobjects = 3\nobject_gap = '10ms'\nobject_gap_from = 'start'\nsize = '1kB'",
    );
    let (_, trace) = run(&group, 1, u64::MAX, |_| 50 * MS);
    assert_eq!(starts(&trace), [1000, 1010, 1020, 2070, 2080, 2090].map(|t| t * MS));
}

// The same with objects one after another: 0, 60, 120; over at 170.
#[test]
fn objects_may_wait_for_each_other() {
    let group = group(
        "model = 'sessions'\npages = 2\ngap = '1s'\nobjects = 3\nobject_gap = '10ms'\nsize = '1kB'\nkeep = true",
    );
    let (_, trace) = run(&group, 1, u64::MAX, |_| 50 * MS);
    assert_eq!(starts(&trace), [1000, 1060, 1120, 2170, 2230, 2290].map(|t| t * MS));
    let connections: Vec<_> = trace[0].iter().map(|event| transfer(*event).connection).collect();
    assert_eq!(connections[0], Connection::New);
    assert_eq!(connections[1..], [Connection::Last; 5]);
}

// Gaps from start to start: a page a second, though each takes ten.
#[test]
fn gaps_from_the_start_wait_for_nothing() {
    let group = group("model = 'sessions'\npages = 4\ngap = '1s'\ngap_from = 'start'\nsize = '1kB'");
    let (load, trace) = run(&group, 1, u64::MAX, |_| 10 * SECOND);
    assert_eq!(starts(&trace), [1, 2, 3, 4].map(|t| t * SECOND));
    assert_eq!(load.measured(Direction::Forward).bytes, 4000);
}

#[test]
fn nothing_starts_at_the_stop_or_later() {
    let group = group("model = 'sessions'\ngap = '1s'\nsize = '1kB'\nstop = '3s'");
    let mut source = sources(&group, 1, 0).remove(0);
    assert_eq!(transfer(source.next(&group)).at, SECOND);
    assert_eq!(source.next(&group), SourceEvent::Wait);
    assert_eq!(transfer(source.finished(&group, SECOND)).at, 2 * SECOND);
    assert_eq!(source.next(&group), SourceEvent::Wait);
    assert_eq!(source.finished(&group, 2 * SECOND), SourceEvent::Done);
    assert_eq!(source.next(&group), SourceEvent::Done);
    for model in [
        "model = 'mix'\narrivals = '1s'\nsize = '1kB'",
        "model = 'udp'\nrate = '8kbit/s'\npacket_size = '1kB'",
    ] {
        let group = crate::driver::group(&format!("{model}\nstop = '3s'"));
        let (_, trace) = run(&group, 1, u64::MAX, |_| 0);
        assert!(starts(&trace).iter().all(|at| *at < 3 * SECOND) && starts(&trace).len() >= 2);
    }
}

// Request at the think time, response 5 ms after it ends, in the other direction; the connection is kept.
#[test]
fn a_response_follows_its_request() {
    let group = group(
        "model = 'request-response'\nexchanges = 2\nrequest = '100B'\nresponse = '10kB'\nserver = '5ms'\nthink = '1s'",
    );
    let (load, trace) = run(&group, 1, u64::MAX, |_| 20 * MS);
    assert_eq!(starts(&trace), [1000, 1025, 2045, 2070].map(|t| t * MS));
    let shape: Vec<_> = trace[0]
        .iter()
        .map(|event| transfer(*event))
        .map(|transfer| (transfer.bytes, transfer.direction, transfer.connection))
        .collect();
    let (up, down) = (Direction::Reverse, Direction::Forward);
    use Connection::{Last, New};
    let expected =
        [(Some(100), up, New), (Some(10_000), down, Last), (Some(100), up, Last), (Some(10_000), down, Last)];
    assert_eq!(shape, expected);
    assert_eq!((load.measured(up).bytes, load.measured(down).bytes), (200, 20_000));
}

// 1500 bytes at 7 Mbit/s take 12 000/7 µs: the k-th leaves at k · 12 000 000/7 ns, rounded down, also after a
// million.
#[test]
fn constant_rates_do_not_drift() {
    let group = group("model = 'udp'\nrate = '7Mbit/s'\nstart = '1s'");
    let mut source = sources(&group, 1, 0).remove(0);
    for k in 0..1_000_000_u64 {
        let at = SECOND + k * 12_000_000 / 7;
        let expected = Datagram { at, bytes: 1500, direction: Direction::Forward };
        assert_eq!(source.next(&group), SourceEvent::Send(expected));
    }
}

// Bursts of 100 ms at 10 ms a datagram, pauses of 1 s: ten from 1.0 s, ten from 2.1 s.
#[test]
fn bursts_and_pauses_alternate() {
    let group = group("model = 'udp'\nrate = '800kbit/s'\npacket_size = '1kB'\non = '100ms'\noff = '1s'");
    let (_, trace) = run(&group, 1, 3 * SECOND, |_| 0);
    let expected: Vec<u64> = (0..10).map(|k| 1000 + 10 * k).chain((0..10).map(|k| 2100 + 10 * k)).collect();
    assert_eq!(starts(&trace)[..20], expected.iter().map(|t| t * MS).collect::<Vec<_>>());
}

// RTTs: one per session, one per transfer of a mix.
#[test]
fn round_trip_times_are_drawn_per_session_or_per_transfer() {
    let rtts = |model: &str| {
        let rtt = "rtt = { kind = 'exponential', mean = '100ms', at_least = '1ms', at_most = '1s' }";
        let (_, trace) = run(&group(&format!("{model}\n{rtt}")), 1, 100 * SECOND, |_| MS);
        let of = |source: &Vec<SourceEvent>| {
            source.iter().map(|event| transfer(*event).rtt.expect("drawn")).collect()
        };
        trace.iter().map(of).collect::<Vec<Vec<u64>>>()
    };
    let sessions = rtts("model = 'sessions'\nsessions = 10");
    assert!(sessions.iter().all(|source| source.iter().all(|rtt| *rtt == source[0])));
    assert_ne!(sessions[0][0], sessions[1][0]);
    let mix = &rtts("model = 'mix'\narrivals = '100ms'\nsize = '1kB'")[0];
    assert!(mix[0] != mix[1] && mix.iter().all(|rtt| (MS..=SECOND).contains(rtt)));
}
