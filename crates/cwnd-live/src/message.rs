// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the guest's program of lane linux says to the library that has the links.

use crate::application::FlowReport;
use crate::classify::Announced;
use crate::counters::Counters;
use crate::described_plugin::DescribedPlugin;
use cwnd_record::{CwndRow, EventRow, TransferRow};
use cwnd_scenario::Scenario;
use cwnd_traffic::Load;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A scenario as the host hands it in, in JSON: to the guest's program, and to the library that has the links.
#[derive(Debug, Serialize, Deserialize)]
pub struct GivenScenario {
    /// Its text, in TOML.
    scenario: String,
    /// The files that it names, by their paths.
    files: BTreeMap<String, String>,
    /// The algorithm whose connections are recorded, call by call.
    #[serde(default)]
    traced: Option<String>,
    /// The plugins that it uses.
    #[serde(default)]
    plugins: Vec<DescribedPlugin>,
    /// The program `tc` of the guest, where a link has a queue of the kernel.
    #[serde(default)]
    tc: Option<String>,
    /// Whether it is a queue bench: packets arrive at the first link, and the hosts send nothing.
    #[serde(default)]
    is_bench: bool,
}

/// What it comes to.
#[derive(Debug)]
pub struct Given {
    /// The scenario.
    pub scenario: Scenario,
    /// The algorithm whose connections are recorded.
    pub traced: Option<String>,
    /// See [`GivenScenario`].
    pub tc: Option<String>,
    /// See [`GivenScenario`].
    pub is_bench: bool,
}

impl GivenScenario {
    /// Reads one. `add` adds the plugins that it uses to the registry.
    ///
    /// # Errors
    /// A line that says why it is none.
    pub fn read(
        text: &str,
        add: impl FnOnce(Vec<DescribedPlugin>) -> Result<(), String>,
    ) -> Result<Given, String> {
        let Self { scenario, files, traced, plugins, tc, is_bench } =
            serde_json::from_str(text).map_err(|why| why.to_string())?;
        add(plugins)?;
        let file = |path: &str| files.get(path).cloned().ok_or_else(|| "it was not handed in".to_owned());
        let scenario = Scenario::from_toml_with(&scenario, &file).map_err(|invalid| invalid.to_string())?;
        Ok(Given { scenario, traced, tc, is_bench })
    }
}

/// A message.
#[derive(Debug, Serialize, Deserialize)]
pub enum Message {
    /// Adds an algorithm to the kernel under this name.
    Algorithm {
        /// The parameter set; or `kernel/NAME`, an algorithm that the kernel has.
        cc: String,
        /// Parameters that differ from it.
        params: Vec<(String, String)>,
        /// The name.
        name: String,
        /// Whether the driver tells what its connections do.
        is_recorded: bool,
        /// Whether that goes into the tables of a trace.
        is_traced: bool,
    },
    /// Traffic opens a connection or sends a datagram.
    Announced(Announced),
    /// Samples of the windows. What has left the links is not known there.
    Windows(Vec<CwndRow>),
    /// Events. Those of drops are not known there.
    Events(Vec<EventRow>),
    /// Transfers that have ended, or have not when the run has.
    Transfers(Vec<TransferRow>),
    /// What a flow's application has seen, in the order of the flows.
    Flow(FlowReport),
    /// What a group of traffic has offered, in the order of the groups.
    Load(Load),
    /// The guest waits for the end of a queue bench; refused before it.
    Waits,
    /// The run is over.
    Over(Box<GuestReport>),
    /// The kernel does not have what the scenario asks for: the key, its value, what was expected.
    Refused(String, Option<String>, String),
    /// The run has failed; why, in a line.
    Failed(String),
}

/// What the guest says of itself at the end.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct GuestReport {
    /// The kernel's release.
    pub kernel: String,
    /// Name of each flow's algorithm in the kernel.
    pub algorithms: Vec<String>,
    /// Of each group of traffic the same; none where it sends datagrams.
    pub traffic_algorithms: Vec<Option<String>>,
    /// Settings of the senders' host, and so on: names and values.
    pub settings: Vec<(String, String)>,
    /// The kernel's counters of the senders' and the receivers' host.
    pub counters: [Counters; 2],
    /// Packets that the hosts' devices have dropped.
    pub dropped: u64,
    /// What `tc -s` says of the kernel's queue of each link that has one, in JSON, by the link's number.
    pub queues: Vec<(u32, String)>,
    /// How late one in a hundred of the applications' starts, stops and looks was, ns.
    pub late_applications: u64,
}
