// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files of a run, in a folder of the host.
//!
//! | file | what it has |
//! | --- | --- |
//! | `guest/scenario.toml`, `guest/files/…` | the scenario, and the files that it names |
//! | `progress` | time of the scenario, ns, and packets so far, two numbers of 64 bits |
//! | `error` | why there is no result, in a line |
//! | `summary.json`, `report.json` | the summary of the measured interval; what the kernel and the links say of themselves |
//! | `flows.arrow`, … | the tables, as streams of Arrow IPC |
//! | `senders.pcapng`, … | packets that were captured |
//!
//! `report.json` is written last: a folder that has it has everything.

use cwnd_arrow::{stream, table};
use cwnd_live::Outcome;
use cwnd_live::message::GuestReport;
use cwnd_record::{Lane, tables};
use cwnd_scenario::{Flow, Scenario};
use cwnd_sim::Tables;
use serde_json::json;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The folder of a run.
pub struct Output {
    folder: PathBuf,
    progress: Option<File>,
}

impl Output {
    /// That folder.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.into(), progress: File::create(folder.join("progress")).ok() }
    }

    /// Reads the scenario.
    pub fn scenario(&self) -> Result<Scenario, String> {
        let guest = self.folder.join("guest");
        let text = fs::read_to_string(guest.join("scenario.toml")).map_err(|why| why.to_string())?;
        let files =
            |path: &str| fs::read_to_string(guest.join("files").join(path)).map_err(|why| why.to_string());
        Scenario::from_toml_with(&text, &files).map_err(|invalid| invalid.to_string())
    }

    /// Tells how far the run is.
    pub fn progress(&self, now: u64, packets: u64) {
        let bytes = [now.to_le_bytes(), packets.to_le_bytes()].concat();
        // Nobody depends on it.
        let _ = self.progress.as_ref().map(|file| file.write_at(&bytes, 0));
    }

    /// Tells why there is no result.
    pub fn failed(&self, why: &str) {
        let _ = fs::write(self.folder.join("error"), why);
    }

    /// Appends to the capture of a host.
    pub fn packets(&self, host: &str, piece: &[u8]) {
        let file =
            OpenOptions::new().create(true).append(true).open(self.folder.join(format!("{host}.pcapng")));
        if let Err(why) = file.and_then(|mut file| file.write_all(piece)) {
            self.failed(&format!("write the packets of {host}: {why}"));
        }
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
            for (name, table) in all {
                let bytes = stream(table).map_err(io::Error::other)?;
                fs::write(self.folder.join(format!("{name}.arrow")), bytes)?;
            }
            fs::write(self.folder.join("summary.json"), summary.document().to_string())?;
            fs::write(self.folder.join("report.json"), document(outcome, report).to_string())
        };
        if let Err(why) = write() {
            self.failed(&format!("write the result: {why}"));
        }
    }
}

fn document(outcome: &Outcome, report: &GuestReport) -> serde_json::Value {
    let late = &outcome.crossing.lateness;
    let ms = |ns: u64| ns as f64 / 1e6;
    let settings: serde_json::Map<_, _> =
        report.settings.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    json!({
        "kernel": report.kernel,
        "algorithms": report.algorithms,
        "traffic_algorithms": report.traffic_algorithms,
        "packets_delivered": late.packets(),
        "late_worst_ms": ms(late.worst()),
        "late_applications_p99_ms": ms(report.late_applications),
        "packets_foreign": outcome.crossing.foreign,
        "packets_dropped_by_devices": report.dropped,
        "dsack_duplicates": outcome.flows.iter().map(|flow| u64::from(flow.duplicates)).sum::<u64>(),
        "settings": settings,
    })
}
