// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the functions of the module do.

use crate::run::{Run, to_ns};
use crate::{completion, curves};
use cwnd_record::{Curves, Lane, mean_interval};
use cwnd_scenario::{Builder, FlowRef, InnerVariables, Invalid, Keywords, RecordedFlows, Scenario, catalog};
use cwnd_sim::{PacketPlace, Simulation, hook_calls_document};
use serde_json::{Value, json};

/// Samples per column of a picture.
const SAMPLES: u64 = 4;
/// The inner variables that are drawn: those of the curves of CUBIC's forms, as they call them.
const INNER: [&str; 8] =
    ["w_max", "origin", "k_s_x1024", "w_est", "in_epoch", "epoch_start_ticks", "last_max", "w_tcp"];
/// The most flows that a page simulates.
const MOST_FLOWS: u64 = 5000;
/// Rows at which a step hands its samples to the curves.
const ROWS: usize = 4096;

/// A scenario, its simulation, and the buffers.
#[derive(Debug, Default)]
pub struct Page {
    /// Text that the caller writes.
    pub input: Vec<u8>,
    /// Text that the last call gave.
    pub output: String,
    /// Numbers that the last call gave.
    pub data: Vec<f32>,
    scenario: Option<Scenario>,
    run: Option<Run>,
}

impl Page {
    /// Reads the input: JSON if it begins with a brace, settings of a comparison if that has `flows`; a scenario's text under another seed
    /// if it has `scenario` and `seed`; else TOML.
    pub fn describe(&mut self) -> bool {
        match read(&String::from_utf8_lossy(&self.input)).and_then(for_a_page) {
            Ok((scenario, command)) => {
                self.output = description(&scenario, command).to_string();
                self.scenario = Some(scenario);
                true
            }
            Err(invalid) => self.refuse(&invalid),
        }
    }

    fn refuse(&mut self, invalid: &Invalid) -> bool {
        let Invalid { field, value, expected } = invalid;
        self.output = json!({ "field": field, "value": value, "expected": expected }).to_string();
        false
    }

    /// Sets up the described scenario, with curves of `columns` columns between two times, s.
    pub fn load(&mut self, from_s: f64, to_s: f64, columns: usize) -> bool {
        let Some(scenario) = &self.scenario else { return false };
        let span = (to_ns(from_s), to_ns(to_s).min(scenario.duration));
        let columns = columns.clamp(1, 10_000);
        let mut sampled = scenario.clone();
        let counts: Vec<usize> = scenario.flows.iter().map(|group| group.count as usize).collect();
        let drawn = curves::drawn(&counts);
        // Whole samples in a column: else rates would differ from column to column. Recording changes no result.
        sampled.record.interval = (span.1.saturating_sub(span.0) / columns as u64 / SAMPLES).max(1000);
        sampled.record.per_ack = false;
        sampled.record.inner = InnerVariables::Only(INNER.map(str::to_owned).to_vec());
        sampled.record.flows = RecordedFlows::Only(drawn.iter().copied().map(FlowRef::Number).collect());
        let mut simulation = Simulation::new(&sampled);
        simulation.pause_at(ROWS);
        let curves = Curves::new(span, columns, drawn, scenario.links.len());
        self.run = Some(Run { simulation, curves, scenario: sampled, transfers: Vec::new() });
        true
    }

    /// Handles up to `events` events; whether the run is over, or there is none.
    pub fn step(&mut self, events: u64) -> bool {
        let Some(run) = &mut self.run else { return true };
        let over = run.simulation.step(events);
        run.draw(if over { 0 } else { ROWS });
        over
    }

    /// Handles every event up to a time; whether the run is over, or there is none.
    pub fn step_to(&mut self, time_s: f64) -> bool {
        let Some(run) = &mut self.run else { return true };
        let over = run.simulation.step_to(to_ns(time_s));
        run.draw(0);
        over
    }

    /// Simulated time, s.
    #[must_use]
    pub fn now_s(&self) -> f64 {
        self.run.as_ref().map_or(0.0, |run| run.simulation.now() as f64 / 1e9)
    }

    /// The curves so far; rates are means over `mean_s`.
    pub fn curves(&mut self, mean_s: f64) {
        if let Some(run) = &mut self.run {
            run.draw(0);
            let names = curves::fill(run, to_ns(mean_s), &mut self.data);
            self.output = names.to_string();
        }
    }

    /// Where the packets are: four numbers each, its flow, its place (0 in a queue, 1 on its way, 2 an acknowledgement on its way back), and
    /// how long it has been and will be there, ms.
    pub fn packets(&mut self) {
        self.data.clear();
        let Some(run) = &self.run else { return };
        let now = run.simulation.now();
        let ms = |ns: u64| ns as f32 / 1e6;
        for position in run.simulation.packet_positions() {
            let place = match position.place {
                PacketPlace::Queued => 0.0,
                PacketPlace::Propagating => 1.0,
                PacketPlace::Returning => 2.0,
            };
            let (been, left) = (now.saturating_sub(position.since), position.until.saturating_sub(now));
            self.data.extend([position.flow as f32, place, ms(been), ms(left)]);
        }
    }

    /// Sets a flow's window; whether there is such a flow.
    pub fn set_window(&mut self, flow: usize, segments: u32) -> bool {
        match &mut self.run {
            Some(run) if flow < run.simulation.flows().len() => {
                run.simulation.set_window(flow, segments);
                true
            }
            _ => false,
        }
    }

    /// The described scenario anew up to a time, then up to `count` calls of a flow's hooks.
    pub fn hooks(&mut self, time_s: f64, flow: usize, count: usize) -> bool {
        let Some(scenario) = &self.scenario else { return false };
        let calls = hook_calls_document(scenario, to_ns(time_s), flow, count);
        self.output = calls.to_string();
        true
    }

    /// The summary of the run.
    pub fn summary(&mut self) {
        if let Some(run) = &mut self.run {
            run.draw(0);
            let simulation = &run.simulation;
            let summary = simulation.summary();
            let mut document = summary.document(Lane::Sim);
            let rows = [&run.transfers[..], &simulation.tables().transfers].concat();
            document["transfers"] = completion::transfers(&run.scenario, &summary, &rows).into();
            document["packets"] = simulation.packets().into();
            document["digest"] = format!("{:016x}", simulation.digest()).into();
            self.output = document.to_string();
        }
    }

    /// Every algorithm, and the slow starts.
    pub fn catalog(&mut self) {
        let version = env!("CARGO_PKG_VERSION");
        let all = json!({ "version": version, "algorithms": catalog::algorithms(), "slow_starts": catalog::slow_starts() });
        self.output = all.to_string();
    }

    /// The mean of the input's numbers with its interval; `null` for fewer than two, or where the input is no list of numbers.
    pub fn interval(&mut self) {
        let values: Option<Vec<f64>> = serde_json::from_slice(&self.input).ok();
        let interval = values.as_deref().and_then(mean_interval);
        self.output =
            json!(interval.map(|(mean, low, high)| json!({ "mean": mean, "low": low, "high": high })))
                .to_string();
    }

    /// The digest of a run of the described scenario with the tables that it asks for.
    pub fn digest(&mut self) -> bool {
        let Some(scenario) = &self.scenario else { return false };
        let mut simulation = Simulation::new(scenario);
        while !simulation.step(1_000_000) {}
        self.output = format!("{:016x}", simulation.digest());
        true
    }
}

/// Refuses what a page would simulate on and on, and what it does not draw.
fn for_a_page(read: (Scenario, Option<String>)) -> Result<(Scenario, Option<String>), Invalid> {
    read.0.without_stacks("in a page")?;
    read.0.without_kernels_own("in a page")?;
    if read.0.links.iter().any(|link| link.rate.is_none()) {
        let expected = "a rate, which pages draw; the command line runs links without one".to_owned();
        return Err(Invalid { field: "link.rate".to_owned(), value: None, expected });
    }
    let flows: u64 = read.0.flows.iter().map(|group| u64::from(group.count)).sum();
    if flows <= MOST_FLOWS {
        return Ok(read);
    }
    Err(Invalid {
        field: "flow".to_owned(),
        value: Some(flows.to_string()),
        expected: format!("at most {MOST_FLOWS} flows in a page; the command line has no such limit"),
    })
}

/// A scenario from its text, and the command that runs it, where one suffices.
fn read(text: &str) -> Result<(Scenario, Option<String>), Invalid> {
    if !text.trim_start().starts_with('{') {
        return Ok((Scenario::from_toml(text)?, None));
    }
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    if let (Some(of), Some(seed)) = (value["scenario"].as_str(), value["seed"].as_u64()) {
        let (mut scenario, _) = read(of)?;
        scenario.seed = seed;
        return Ok((scenario, None));
    }
    if value.get("flows").is_none() {
        return Ok((Scenario::from_json(text)?, None));
    }
    let compare = Keywords::from_json(Builder::Compare, text)?;
    let no_file = |_: &str| Err("a page has no files".to_owned());
    Ok((compare.scenario(&no_file)?, compare.command()))
}

/// What a page asks of a scenario before it runs.
fn description(scenario: &Scenario, command: Option<String>) -> Value {
    let flows: Vec<Value> = scenario
        .expand()
        .iter()
        .map(|flow| json!({ "name": flow.name, "label": &*flow.label, "cc": flow.group.cc, "rtt_ms": flow.rtt as f64 / 1e6, "start_s": flow.start as f64 / 1e9 }))
        .collect();
    let links: Vec<Value> = scenario
        .links
        .iter()
        .map(|link| {
            json!({
                "name": link.name,
                "rate_mbps": link.rate.as_ref().map(|rate| rate.nominal() as f64 / 1e6),
                "bdp_packets": link.bdp_packets(scenario.packet_size),
                "queue": link.queue_in_words().map(|(kind, _)| kind),
                "limit": link.queue_in_words().map(|(_, limit)| limit),
            })
        })
        .collect();
    let cost = scenario.cost();
    json!({
        "name": scenario.name,
        "duration_s": scenario.duration as f64 / 1e9,
        "measured_s": [scenario.measure.0 as f64 / 1e9, scenario.measure.1 as f64 / 1e9],
        "seed": scenario.seed,
        "packet_size": scenario.packet_size,
        "flows": flows,
        "links": links,
        "cost": { "packets": cost.packets as f64, "rows": cost.rows as f64 },
        "toml": scenario.to_toml(),
        "command": command,
    })
}
