// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is told of a run's links beside the engine's own summary.

use cwnd_link::Rate;
use cwnd_scenario::Scenario;
use cwnd_sim::{LinkSummary, Summary};

/// A row of the table `rates`: how fast a link sends from a time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateRow {
    /// Number of the link.
    pub link: u32,
    /// From when on, ns.
    pub from_ns: u64,
    /// bit/s; 0 is an outage; of a trace its mean.
    pub rate: u64,
}

/// The rates of a scenario's links over the time of the run, link by link; each has one from time 0 on.
pub fn rates(scenario: &Scenario) -> Vec<RateRow> {
    let mut rows = Vec::new();
    for (link, config) in (0..).zip(scenario.link_configs()) {
        let mut push = |from_ns, rate| rows.push(RateRow { link, from_ns, rate });
        match config.server.rate() {
            Rate::Constant(rate) => push(0, *rate),
            Rate::Trace(trace) => push(0, trace.mean_rate()),
            Rate::Steps(steps) => {
                push(0, steps.first());
                let within = steps.changes().iter().filter(|step| step.0 < scenario.duration);
                within.for_each(|&(at, rate)| push(at, rate));
            }
        }
    }
    rows
}

/// A link, and what the packets that left it had waited.
pub type LinkRow = (LinkSummary, Waits);

/// What the packets that left a link in the measured interval had waited, ns, and how many had.
#[derive(Debug)]
pub struct Waits(Vec<(u64, u64)>);

impl Waits {
    /// Those of a link whose longest wait is known; no class of waits stands for a longer one.
    pub fn of(simulation: &cwnd_sim::Simulation, link: usize, longest_ms: f64) -> Self {
        let longest = (longest_ms * 1e6).round() as u64;
        Self(simulation.waits(link).map(|(wait, packets)| (wait.min(longest), packets)).collect())
    }

    /// Of every link.
    pub fn of_all(simulation: &cwnd_sim::Simulation, summary: &Summary) -> Vec<Self> {
        let links = summary.links.iter().enumerate();
        links.map(|(number, link)| Self::of(simulation, number, link.queue_max_ms)).collect()
    }

    /// The summary's links, each with its own.
    pub fn with_links(simulation: &cwnd_sim::Simulation, summary: &Summary) -> Vec<LinkRow> {
        summary.links.iter().cloned().zip(Self::of_all(simulation, summary)).collect()
    }

    /// Wait, ns, and packets that had it; the waits rise.
    pub fn rows(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// How many packets left.
    pub fn packets(&self) -> u64 {
        self.0.iter().map(|row| row.1).sum()
    }

    /// The wait that at least this many of 100 packets did not exceed, ms: the nearest rank. 0 when none left.
    pub fn percentile_ms(&self, part: u64) -> f64 {
        let rank = (self.packets() * part).div_ceil(100).max(1);
        let mut so_far = 0;
        let found = self.0.iter().find(|(_, packets)| {
            so_far += packets;
            so_far >= rank
        });
        found.map_or(0.0, |row| row.0 as f64 / 1e6)
    }
}
