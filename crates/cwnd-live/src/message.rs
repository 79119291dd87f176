// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the guest's program of lane linux says to the library that has the links.

use crate::application::FlowReport;
use crate::classify::Announced;
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
}

impl GivenScenario {
    /// Reads one: the scenario, and the algorithm whose connections are recorded.
    ///
    /// # Errors
    /// A line that says why it is none.
    pub fn read(text: &str) -> Result<(Scenario, Option<String>), String> {
        let Self { scenario, files, traced } = serde_json::from_str(text).map_err(|why| why.to_string())?;
        let file = |path: &str| files.get(path).cloned().ok_or_else(|| "it was not handed in".to_owned());
        let scenario = Scenario::from_toml_with(&scenario, &file).map_err(|invalid| invalid.to_string())?;
        Ok((scenario, traced))
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
        /// Whether what its connections do is recorded.
        is_recorded: bool,
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
    /// The run is over.
    Over(Box<GuestReport>),
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
    /// Packets that the hosts' devices have dropped.
    pub dropped: u64,
    /// How late one in a hundred of the applications' starts, stops and looks was, ns.
    pub late_applications: u64,
}
