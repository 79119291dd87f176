// SPDX-License-Identifier: MIT OR Apache-2.0
//! What comes of a run.

use super::{Finished, Lab};
use crate::counters::Counters;
use crate::host::kernel_release;
use crate::outcome::Outcome;
use crate::scenario_clock::Pauses;
use cwnd_record::{Summary, WaitRow};

/// What the emulator says of itself, and of the machine that it ran on.
#[derive(Clone, Debug)]
pub struct Report {
    /// The kernel's release.
    pub kernel: String,
    /// Name of each flow's algorithm in the kernel.
    pub algorithms: Vec<String>,
    /// Of each group of traffic the same; none where it sends datagrams.
    pub traffic_algorithms: Vec<Option<String>>,
    /// Settings of the senders' host, offloads of its device, parameters of the kernel's own algorithms that were used: names and values.
    pub settings: Vec<(String, String)>,
    /// The kernel's counters of the senders' and the receivers' host, those that are not 0: names and values.
    pub counters: [Counters; 2],
    /// Packets delivered to a host.
    pub packets: u64,
    /// Lateness of their delivery, ns: p50, p99, p99.9, worst.
    pub lateness: [u64; 4],
    /// Pauses of the machine.
    pub pauses: Pauses,
    /// How late one in a hundred of the applications' starts, stops and looks was, ns.
    pub late_applications: u64,
    /// CPU time of the emulator's thread, s.
    pub cpu_s: f64,
    /// Whether the emulator's thread ran in the real-time class.
    pub real_time: bool,
    /// Packets of no flow, which were not delivered.
    pub foreign: u64,
    /// Duplicates that receivers have told of by D-SACK.
    pub duplicates: u64,
}

impl Lab {
    /// The summary of the measured interval; `None` before the run is over.
    #[must_use]
    pub fn summary(&self) -> Option<Summary> {
        Some(self.finished.as_ref()?.outcome.summary(&self.scenario, &self.flows))
    }

    /// Queueing delays, as the simulator's; empty before the run is over.
    #[must_use]
    pub fn waits(&self) -> Vec<WaitRow> {
        self.finished.as_ref().map_or_else(Vec::new, |finished| finished.outcome.waits(&self.scenario))
    }

    /// What the emulator says of itself; `None` before the run is over.
    #[must_use]
    pub fn report(&self) -> Option<Report> {
        let Finished { outcome, cpu_s, real_time, late_applications, settings, counters } =
            self.finished.as_ref()?;
        let Outcome { crossing, flows, .. } = outcome;
        let late = &crossing.lateness;
        Some(Report {
            kernel: kernel_release(),
            algorithms: self.algorithms.names().map(str::to_owned).collect(),
            traffic_algorithms: self
                .algorithms
                .names_of_traffic()
                .map(|name| name.map(str::to_owned))
                .collect(),
            settings: settings.clone(),
            counters: counters.clone(),
            packets: late.packets(),
            pauses: crossing.pauses,
            lateness: [late.per_mille(500), late.per_mille(990), late.per_mille(999), late.worst()],
            late_applications: *late_applications,
            cpu_s: *cpu_s,
            real_time: *real_time,
            foreign: crossing.foreign,
            duplicates: flows.iter().map(|flow| u64::from(flow.duplicates)).sum(),
        })
    }
}
