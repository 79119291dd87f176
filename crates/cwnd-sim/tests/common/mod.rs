// SPDX-License-Identifier: MIT OR Apache-2.0
//! Set-ups that several tests share.
#![allow(dead_code, clippy::allow_attributes, reason = "each test binary uses a part of them")]

use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;

/// Reads a scenario, runs it to its end; in debug builds also without time slices, by the general path alone, and on three threads: all have to give the
/// same.
pub fn run(toml: &str) -> Simulation {
    let scenario = Scenario::from_toml(toml).unwrap_or_else(|error| panic!("{error}\n{toml}"));
    let simulation = finished(Simulation::new(&scenario));
    if cfg!(debug_assertions) {
        assert_same(&simulation, &general(&scenario), &format!("the general path\n{toml}"));
        let in_trains = finished(Simulation::new(&scenario).without_time_slices());
        assert_same(&simulation, &in_trains, &format!("no time slices\n{toml}"));
        let on_threads = finished(Simulation::new(&scenario).with_threads(3));
        assert_same(&simulation, &on_threads, &format!("three threads\n{toml}"));
    }
    simulation
}

/// A run of which every packet takes the general path.
pub fn general(scenario: &Scenario) -> Simulation {
    finished(Simulation::new(scenario).without_trains())
}

fn finished(mut simulation: Simulation) -> Simulation {
    while !simulation.step(1_000_000) {}
    simulation
}

/// Two runs that have to be the same: every table, every number of the summary, every wait.
pub fn assert_same(one: &Simulation, other: &Simulation, what: &str) {
    let [of_one, of_other] = [one, other].map(|run| format!("{:#?}{:?}", run.summary(), run.waits()));
    let lines = of_one.lines().zip(of_other.lines());
    let differing: Vec<_> = lines.filter(|(one, other)| one != other).take(10).collect();
    assert!(of_one == of_other, "summaries differ: {differing:#?}\n{what}");
    let (one, other) = (one.tables(), other.tables());
    assert!(one.events == other.events, "events differ\n{what}");
    assert!(one == other, "tables differ\n{what}");
}

/// One flow whose only limit are its losses: the link is so fast, and its buffer so large, that neither matters.
pub struct LossLimited<'a> {
    pub flow: &'a str,
    pub rtt_ms: u64,
    pub loss: &'a str,
    pub duration_s: f64,
    pub measure_from_s: f64,
    pub per_ack: bool,
}

impl LossLimited<'_> {
    pub fn run(&self) -> Simulation {
        run(&format!(
            r#"
            duration = "{:.0}ms"
            measure = ["{:.0}ms", "{:.0}ms"]
            [link]
            rate = "100Gbit/s"
            rtt = "{}ms"
            loss = "{}"
            queue = {{ kind = "droptail", limit = "100000000packets" }}
            [record]
            interval = "0s"
            per_ack = {}
            [[flow]]
            ack_every = 1
            {}
            "#,
            self.duration_s * 1e3,
            self.measure_from_s * 1e3,
            self.duration_s * 1e3,
            self.rtt_ms,
            self.loss,
            self.per_ack,
            self.flow,
        ))
    }
}

/// Loss of packet `first`, then of every `every`-th after it.
pub fn losses(first: u64, every: u64, count: u64) -> String {
    let list: Vec<String> = (0..count).map(|n| (first + n * every).to_string()).collect();
    format!("at:{}", list.join(","))
}

/// The flows of the CUBIC paper's figure 6 for ten seconds, with random losses on top.
pub const FIG6: &str = include_str!("../every_build/fig6.toml");

/// A number that only a link with a rate has.
pub fn known(number: Option<f64>) -> f64 {
    number.expect("the link has a rate")
}
