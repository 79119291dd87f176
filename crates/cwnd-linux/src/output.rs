// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the host hands in and gets back: descriptors that the process has from its parent, whose numbers are in variables. Nothing has a
//! name, so nothing is left behind.
//!
//! | variable | what it has |
//! | --- | --- |
//! | `CWND_LINUX_SCENARIO` | the scenario: a JSON object with its text (TOML) and the files that it names, by their paths |
//! | `CWND_LINUX_PROGRESS` | time of the scenario, ns, and packets so far: two numbers of 64 bits |
//! | `CWND_LINUX_RESULT` | the length of a JSON object (64 bits), the object, and the tables, whose places it has |
//! | `CWND_LINUX_HOOKS`, `CWND_LINUX_PACKETS`, `CWND_LINUX_WINDOWS` | of a trace only: its tables in pieces, each an Arrow stream |
//! | `CWND_LINUX_ARRIVALS` | of a queue bench only: what arrives, as [`cwnd_link::GivenArrival`] reads it |
//! | `CWND_LINUX_PLUGINS` | the libraries of the plugins that it uses: descriptors, separated by commas |
//! | `CWND_LINUX_SENDERS`, `CWND_LINUX_RECEIVERS` | the packets that were captured there (pcapng) |

use crate::plugins::load_all;
use cwnd_arrow::{stream, table};
use cwnd_live::message::{Given, GivenScenario, GuestReport};
use cwnd_live::{Counters, Outcome};
use cwnd_plugin_loader::Fault;
use cwnd_record::{Lane, tables};
use cwnd_scenario::{Flow, Invalid, Scenario};
use cwnd_sim::Tables;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;

/// The descriptor in this variable.
pub fn given(name: &str) -> Option<File> {
    let number = std::env::var(format!("CWND_LINUX_{name}")).ok()?.parse().ok()?;
    // SAFETY: the host's descriptor for this, which nobody else has.
    let file = unsafe { File::from_raw_fd(number) };
    debug_assert!(file.as_raw_fd() > 2, "it is none of the kernel's own");
    Some(file)
}

/// The host's descriptors.
pub struct Output {
    progress: Option<File>,
    result: Option<File>,
    packets: [Option<File>; 2],
}

/// Reads what the host has handed in.
pub fn given_scenario() -> Result<Given, String> {
    let mut text = String::new();
    let mut file = given("SCENARIO").ok_or("no scenario was handed in")?;
    file.read_to_string(&mut text).map_err(|why| why.to_string())?;
    GivenScenario::read(&text, |_| load_all())
}

impl Output {
    /// Those of this process.
    pub fn new() -> Self {
        let packets = ["SENDERS", "RECEIVERS"].map(given);
        Self { progress: given("PROGRESS"), result: given("RESULT"), packets }
    }

    /// Tells how far the run is.
    pub fn progress(&self, now: u64, packets: u64) {
        let bytes = [now.to_le_bytes(), packets.to_le_bytes()].concat();
        // Nobody depends on it.
        let _ = self.progress.as_ref().map(|file| file.write_at(&bytes, 0));
    }

    /// Tells why there is no result.
    pub fn failed(&self, why: &str) {
        let _ = self.write(&json!({ "error": why }), &[]);
    }

    /// Tells what of the scenario the kernel does not have.
    pub fn refused(&self, refusal: &Invalid) {
        let Invalid { field, value, expected } = refusal;
        let refused = json!({ "field": field, "value": value, "expected": expected });
        let _ = self.write(&json!({ "error": refusal.to_string(), "refused": refused }), &[]);
    }

    /// Tells that a plugin has panicked.
    pub fn panicked(&self, fault: &Fault) {
        let panic = json!({
            "algorithm": fault.algorithm,
            "hook": fault.hook,
            "message": fault.message,
            "file": fault.file,
            "line": fault.line,
            "flow": fault.flow,
            "time_s": fault.time_s(),
        });
        let _ = self.write(&json!({ "error": fault.to_string(), "panic": panic }), &[]);
    }

    /// Appends to the capture of a host.
    pub fn packets(&mut self, host: &str, piece: &[u8]) -> io::Result<()> {
        let file = &mut self.packets[usize::from(host == "receivers")];
        file.as_mut().map_or(Ok(()), |file| file.write_all(piece))
    }

    /// Writes everything.
    pub fn finish(
        &self,
        scenario: &Scenario,
        flows: &[Flow],
        outcome: &Outcome,
        recorded: &Tables,
        report: &GuestReport,
    ) {
        let lane = Lane::Linux;
        let summary = outcome.summary(scenario, flows);
        let all = [
            ("flows", table(lane, &*tables::FLOWS, &summary.flows)),
            ("links", table(lane, &*tables::LINKS, &summary.links)),
            ("rates", table(lane, &*tables::RATES, &cwnd_sim::rates(scenario))),
            ("waits", table(lane, &*tables::WAITS, &outcome.waits(scenario))),
            ("cwnd", table(lane, &*tables::CWND, &recorded.cwnd)),
            ("queue", table(lane, &*tables::QUEUE, &recorded.queue)),
            ("events", table(lane, &*tables::EVENTS, &recorded.events)),
            ("inner", table(lane, &*tables::INNER, &recorded.inner)),
            ("transfers", table(lane, &*tables::TRANSFERS, &recorded.transfers)),
        ];
        let write = || -> io::Result<()> {
            let (mut places, mut bytes) = (Map::new(), Vec::new());
            for (name, table) in all {
                let table = stream(table).map_err(io::Error::other)?;
                places.insert(name.into(), json!([bytes.len(), table.len()]));
                bytes.extend(table);
            }
            let report = document(scenario, outcome, report);
            self.write(
                &json!({ "summary": summary.document(lane), "report": report, "tables": places }),
                &bytes,
            )
        };
        if let Err(why) = write() {
            self.failed(&format!("write the result: {why}"));
        }
    }

    /// Writes the fates of a queue bench.
    pub fn finish_bench(&self, fates: &[u8], report: &GuestReport) {
        let queue = report.queues.first().map(|(_, counters)| parsed(counters));
        let header = json!({ "kernel": report.kernel, "qdisc": queue, "fates": fates.len() });
        if let Err(why) = self.write(&header, fates) {
            self.failed(&format!("write the result: {why}"));
        }
    }

    fn write(&self, header: &Value, bytes: &[u8]) -> io::Result<()> {
        let Some(file) = &self.result else { return Ok(()) };
        let header = header.to_string();
        let all = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), bytes].concat();
        file.write_all_at(&all, 0)
    }
}

/// JSON of a program; its text where it is none.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn document(scenario: &Scenario, outcome: &Outcome, report: &GuestReport) -> Value {
    let name =
        |link: u32| scenario.links.get(link as usize).map_or_else(String::new, |link| link.name.clone());
    let qdiscs: Map<_, _> = report.queues.iter().map(|(link, text)| (name(*link), parsed(text))).collect();
    let late = &outcome.crossing.lateness;
    let ms = |ns: u64| ns as f64 / 1e6;
    let packets: u64 = outcome.crossing.emulator.all_forwarded().map(|forwarded| forwarded.packets).sum();
    let settings: Map<_, _> =
        report.settings.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    let [senders, receivers] = &report.counters;
    let counters = |all: &Counters| -> Map<_, _> {
        all.iter().map(|(name, value)| (name.clone(), (*value).into())).collect()
    };
    json!({
        "kernel": report.kernel,
        "algorithms": report.algorithms,
        "traffic_algorithms": report.traffic_algorithms,
        "packets": packets,
        "packets_delivered": late.packets(),
        "late_worst_ms": ms(late.worst()),
        "late_applications_p99_ms": ms(report.late_applications),
        "packets_foreign": outcome.crossing.foreign,
        "packets_dropped": report.dropped,
        "dsack_duplicates": outcome.flows.iter().map(|flow| u64::from(flow.duplicates)).sum::<u64>(),
        "settings": settings,
        "qdiscs": qdiscs,
        "counters": { "senders": counters(senders), "receivers": counters(receivers) },
    })
}
