// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run has to do with the run of another scenario that follows from its own. The fuzzer has one more: an idle flow and
//! an idle link change nothing.

use crate::common::{general, run};
use cwnd_link::random::RandomStream;
use cwnd_record::{CwndRow, EventKind, EventRow, QueueRow};
use cwnd_scenario::Scenario;
use cwnd_sim::{Simulation, Tables};

/// One flow of a random scenario, by its label. Times in ns.
struct Flow {
    label: String,
    cc: &'static str,
    rtt: u64,
    start: u64,
    size: Option<u64>,
}

/// Six flows whose times are multiples of `unit` ns, and whose algorithms know no other time than round trips: no curve over time, no HyStart,
/// no ticks.
fn flows(draw: &mut RandomStream, unit: u64) -> Vec<Flow> {
    let time = |draw: &mut RandomStream, from: u64, to: u64| unit * ((from + draw.below(to - from)) / unit);
    let mut flow = |number| Flow {
        label: format!("f{number}"),
        cc: ["reno", "scalable", "highspeed", "bic", "sack"][draw.below(5) as usize],
        rtt: time(draw, 20_000_000, 50_000_000),
        start: time(draw, 0, 300_000_000),
        size: (draw.below(3) == 0).then(|| 1448 * (20 + draw.below(3000)) + 8),
    };
    (0..6).map(&mut flow).collect()
}

/// A scenario of these flows in which all times are `times` as long: 8 s at 120 Mbit/s, where 1500 bytes take 100 µs. Timeouts have a floor of
/// their own, so that they are `times` as long, too; a handshake gives them a round trip time to begin with.
fn scenario(flows: &[Flow], times: u64) -> String {
    let ns = |ns: u64| format!("'{}ns'", ns * times);
    let ms = |ms: u64| ns(ms * 1_000_000);
    let one = |flow: &Flow| {
        let Flow { label, cc, rtt, start, size } = flow;
        let size = size.map_or(String::new(), |bytes| format!("size = '{bytes}B'\n"));
        format!(
            "[[flow]]\nlabel = '{label}'\ncc = '{cc}'\nrecovery = 'sack'\nhandshake = true\nrtt = {}\nstart = {}\nack_delay = {}\nmin_rto = {}\n{size}",
            ns(*rtt),
            ns(*start),
            ms(40),
            ms(200)
        )
    };
    format!(
        "duration = {}\nmeasure = [{}, {}]\n[record]\ninterval = {}\n[link]\nrate = '{}bit/s'\nrtt = {}\n\
         queue = {{ kind = 'droptail', limit = '150packets' }}\n{}",
        ms(8000),
        ms(2000),
        ms(8000),
        ms(37),
        120_000_000 / times,
        ms(20),
        flows.iter().map(one).collect::<String>()
    )
}

// Three times as long and three times as slow: the same packets, windows, drops and events, at three times the time. 1500 bytes take 100 and
// 300 µs, the short last segments of 60 bytes 4 and 12, and all other times are whole microseconds, so nothing is rounded but smoothed round trips: until
// the first timeout, which depends on these.
#[test]
fn times_and_rates_scale_together() {
    let mut drops = 0;
    for seed in 0..20 {
        let flows = flows(&mut RandomStream::new(seed, 0), 1000);
        let [one, slow] = [1, 3].map(|times| run(&scenario(&flows, times)));
        let (one, slow) = (one.tables(), slow.tables());
        let later = |ns: u64| 3 * ns;
        let timeout = |tables: &Tables| {
            let event = tables.events.iter().find(|row| row.kind == EventKind::Timeout);
            event.map_or(u64::MAX, |row| row.time_ns)
        };
        let until = timeout(one).min(timeout(slow) / 3);
        let windows = one.cwnd.iter().filter(|row| row.time_ns < until);
        let windows = windows.map(|row| CwndRow { time_ns: later(row.time_ns), srtt_us8: 0, ..*row });
        let queues = one.queue.iter().filter(|row| row.time_ns < until);
        let queues = queues.map(|row| QueueRow { time_ns: later(row.time_ns), ..*row });
        let events = one.events.iter().filter(|row| row.time_ns < until);
        drops += events.clone().filter(|row| row.link.is_some()).count();
        let events = events.map(|row| EventRow { time_ns: later(row.time_ns), ..*row });
        let slow_windows = slow.cwnd.iter().filter(|row| row.time_ns < later(until));
        let slow_queues = slow.queue.iter().filter(|row| row.time_ns < later(until));
        let slow_events = slow.events.iter().filter(|row| row.time_ns < later(until));
        assert!(events.eq(slow_events.copied()), "seed {seed}: events");
        assert!(windows.eq(slow_windows.map(|row| CwndRow { srtt_us8: 0, ..*row })), "seed {seed}: windows");
        assert!(queues.eq(slow_queues.copied()), "seed {seed}: queues");
    }
    assert!(drops > 5000, "{drops} drops before any timeout: too few to say anything");
}

/// Rows of the tables of one flow before this time, in their order, without its number.
fn rows_of(simulation: &Simulation, label: &str, before: u64) -> (Vec<CwndRow>, Vec<EventRow>) {
    let number = simulation.flows().iter().position(|flow| flow.name == label).expect("it is there") as u32;
    let tables = simulation.tables();
    let windows = tables.cwnd.iter().filter(|row| row.flow == number && row.time_ns < before);
    let events = tables.events.iter().filter(|row| row.flow == number && row.time_ns < before);
    (
        windows.map(|row| CwndRow { flow: 0, ..*row }).collect(),
        events.map(|row| EventRow { flow: 0, ..*row }).collect(),
    )
}

// The flows in another order: each does the same, until packets of two of them come to the queue at one nanosecond, where that on the line
// which a flow needed first goes first.
#[cfg(debug_assertions)]
#[test]
fn permuted_flows_permute_the_tables() {
    let mut drops = 0;
    for seed in 0..20 {
        let mut draw = RandomStream::new(seed, 1);
        let mut flows = flows(&mut draw, 1);
        let first_text = scenario(&flows, 1);
        let first = run(&first_text);
        for place in (1..flows.len()).rev() {
            flows.swap(place, draw.below(place as u64 + 1) as usize);
        }
        let second = run(&scenario(&flows, 1));
        // Only the general path looks for ties.
        let [tie, other] = [first_text, scenario(&flows, 1)]
            .map(|text| general(&Scenario::from_toml(&text).expect("valid")).first_tie());
        assert_eq!(tie, other, "seed {seed}");
        for flow in &flows {
            let [one, other] = [&first, &second].map(|simulation| rows_of(simulation, &flow.label, tie));
            assert!(one == other, "seed {seed}, flow {}, before {tie} ns", flow.label);
            drops += one.1.iter().filter(|row| row.link.is_some()).count();
        }
    }
    assert!(drops > 1000, "{drops} drops before any tie: too few to say anything");
}
