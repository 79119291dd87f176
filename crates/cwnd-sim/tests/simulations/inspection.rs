// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looking into a simulation changes nothing, and shows what is there.

use crate::common::FIG6;
use cwnd::Controller;
use cwnd::replay::{After, Replay, Row};
use cwnd_scenario::Scenario;
use cwnd_sim::{HookCall, PacketPlace, Simulation};

const SHORT: &str = r#"
    duration = "8s"
    [link]
    rate = "20Mbit/s"
    rtt = "40ms"
    [[flow]]
    cc = "cubic"
    recovery = "linux"
    [[flow]]
    cc = "reno"
    start = "1s"
"#;

fn simulation(toml: &str) -> Simulation {
    Simulation::new(&Scenario::from_toml(toml).expect("valid"))
}

fn digest(mut simulation: Simulation) -> u64 {
    while !simulation.step(1_000_000) {}
    simulation.digest()
}

#[test]
fn a_run_that_stops_at_instants_and_is_observed_gives_the_same_bytes() {
    for toml in [SHORT, FIG6] {
        let plain = digest(simulation(toml));
        let mut looked_at = simulation(toml);
        for ms in (0..4000).step_by(137) {
            assert!(!looked_at.step_to(ms * 1_000_000));
            assert!(looked_at.now() <= ms * 1_000_000);
            if ms == 137 * 5 {
                let _calls = looked_at.observe(1);
            }
            let _positions = looked_at.packet_positions();
        }
        assert_eq!(digest(looked_at), plain);
    }
}

/// The calls of a flow's hooks in one run.
fn calls(toml: &str, flow: usize) -> Vec<HookCall> {
    let mut observed = simulation(toml);
    let calls = observed.observe(flow);
    while !observed.step(1_000_000) {}
    calls.take()
}

// What was observed is what `cwnd replay` is given of a kernel: a fresh algorithm makes the same of the same calls.
#[test]
fn observed_calls_replay_on_a_fresh_algorithm_without_a_difference() {
    for (flow, cc) in [(0, "cubic"), (1, "reno")] {
        let calls = calls(SHORT, flow);
        assert!(calls.len() > 1000, "{} calls", calls.len());
        let mut fresh = Controller::by_name(cc).expect("an algorithm");
        // The flow's algorithm was started before it was observed.
        let mut conn = calls[0].before;
        fresh.init(&mut conn);
        let mut replay = Replay::new(fresh, None);
        for (number, HookCall { call, before, after, returned, .. }) in calls.iter().enumerate() {
            let after = After {
                returned: *returned,
                cwnd: after.cwnd,
                ssthresh: after.ssthresh,
                cwnd_cnt: after.cwnd_cnt,
                pacing: Some((after.pacing_rate, after.pacing_status)),
                state: None,
            };
            let row = Row { call: *call, before: *before, ticks_after: before.ticks, after };
            assert_eq!(replay.step(&row), None, "{cc}, call {number}: {call:?}");
        }
    }
}

#[test]
fn every_packet_in_the_network_has_a_position() {
    let mut standing = simulation(SHORT);
    let (mut queued, mut others) = (0, 0);
    for ms in (500..8000).step_by(250) {
        standing.step_to(ms * 1_000_000);
        let now = standing.now();
        let positions = standing.packet_positions();
        for (number, at) in standing.packet_locations().iter().enumerate() {
            let of = |place| {
                positions.iter().filter(|p| p.flow as usize == number && p.place == place).count() as u64
            };
            assert_eq!(of(PacketPlace::Queued), at.queued, "flow {number} at {ms} ms");
            // The locations of a fused flow count an acknowledgement on its way back with its data.
            let under_way = of(PacketPlace::Propagating) + of(PacketPlace::Returning);
            assert_eq!(under_way, at.propagating, "flow {number} at {ms} ms");
            queued += at.queued;
            others += at.propagating;
        }
        for position in positions {
            assert!(position.since <= now && now <= position.until, "{position:?} at {now}");
            // 20 ms each way.
            assert!(position.place == PacketPlace::Queued || position.until - position.since <= 20_000_001);
        }
    }
    assert!(queued > 100 && others > 100, "{queued} queued, {others} under way: too few to show anything");
}

// Within a millisecond, an acknowledgement of two segments may come, by which slow start grows it.
#[test]
fn a_window_that_is_set_is_what_the_flow_sends_with() {
    let mut held = simulation(&SHORT.replace("cc = \"cubic\"", "cc = \"sack\""));
    for ms in 1000..3000 {
        held.step_to(ms * 1_000_000);
        held.set_window(0, 5);
    }
    let (conn, _) = held.connection(0);
    assert!(conn.cwnd <= 7 && conn.in_flight <= 7, "{} segments, {} in flight", conn.cwnd, conn.in_flight);
    held.set_window(0, 0);
    assert_eq!(held.connection(0).0.cwnd, 1, "a window is a segment at least");
}
