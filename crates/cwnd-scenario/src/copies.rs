// SPDX-License-Identifier: MIT OR Apache-2.0
//! Copies of a scenario that differ from it in one setting.

use crate::invalid::{Invalid, TableReader, shown};
use crate::keys::document::SEED;
use crate::keys::flow::FlowGroup;
use crate::keys::formats::Frequency;
use crate::keys::link::LinkRate;
use crate::keys::record::CapturedHosts;
use crate::keys::{RowFormat, Scope, ValueFormat};
use crate::model::Scenario;
use cwnd_traffic::Model;
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Scenario {
    /// The scenario under another seed, given as a document would write it.
    ///
    /// # Errors
    /// [`Invalid`] if a document's `seed` may not be that.
    pub fn with_seed(&self, seed: &Value) -> Result<Self, Invalid> {
        let keys = json!({ "seed": seed });
        let read = SEED.parse(&mut TableReader::new("", &keys)?, "seed", &Scope::default())?;
        Ok(Self { seed: read.unwrap_or(self.seed), ..self.clone() })
    }

    /// The scenario with these hosts' packets captured.
    #[must_use]
    pub fn with_packets(&self, packets: CapturedHosts) -> Self {
        let mut copy = self.clone();
        copy.record.packets = packets;
        copy
    }

    /// The scenario with hosts of another clock, those of traffic too, given as a document would write it.
    ///
    /// # Errors
    /// [`Invalid`] if a document's `host_clock` may not be that.
    pub fn with_host_clock(&self, clock: &Value) -> Result<Self, Invalid> {
        let scope = Scope::default();
        let Some(hz) = Frequency.read(clock, &scope) else {
            let expected = Frequency.expected(&scope).into();
            return Err(Invalid { field: "host_clock".into(), value: Some(shown(clock)), expected });
        };
        let mut copy = self.clone();
        for group in &mut copy.flows {
            group.host_clock = Some(hz);
        }
        for group in &mut copy.traffic {
            // Datagrams have no timers.
            if !matches!(group.model, Model::Udp(_)) {
                group.sender.host_clock = Some(hz);
            }
        }
        Ok(copy)
    }

    /// The tick rates of its hosts' clocks, Hz, each once. Real stacks and datagrams have no such clock.
    #[must_use]
    pub fn host_clocks(&self) -> BTreeSet<u32> {
        let of_flows = self.flows.iter().filter(|group| group.stack.is_none());
        let of_traffic = self
            .traffic
            .iter()
            .filter(|group| !matches!(group.model, Model::Udp(_)))
            .map(|group| &group.sender);
        of_flows.chain(of_traffic).map(FlowGroup::clock_hz).collect()
    }

    /// The scenario with another name.
    #[must_use]
    pub fn with_name(&self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self.clone() }
    }

    /// The scenario with other paths to the files that it names; `path` is given each and returns the new one.
    #[must_use]
    pub fn with_paths(&self, path: impl Fn(&str) -> String) -> Self {
        let mut copy = self.clone();
        for link in &mut copy.links {
            match &mut link.rate {
                Some(LinkRate::Trace(_, file)) => *file = path(file),
                Some(LinkRate::Series(_, source)) => source.path = path(&source.path),
                Some(LinkRate::Constant(_) | LinkRate::Steps(..)) | None => {}
            }
            if let Some((_, source)) = &mut link.delay.series {
                source.path = path(&source.path);
            }
        }
        copy
    }
}
