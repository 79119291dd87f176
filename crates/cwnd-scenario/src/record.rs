// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[record]`: which rows are recorded, and how many are expected; parsed, validated and printed.

use crate::invalid::{Invalid, TableReader, nearest, shown};
use crate::kernel_names::set_with_rules_of;
use crate::keys::flow::FlowGroup;
use crate::keys::link::LinkRate;
use crate::keys::record::{FLOWS, FlowRef, InnerVariables, RecordSpec, RecordedFlows};
use crate::keys::{Keyed, Scope};
use crate::model::{ActionKind, Scenario};
use crate::units::{HEADER_BYTES, write_size, write_time};
use cwnd::registry;
use cwnd_traffic::{Direction, Model};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Bytes that a capture has beside each packet, padding included.
const PACKET_BLOCK: u32 = 34;

/// Reads `[record]`.
pub(crate) fn parse(value: &Value) -> Result<RecordSpec, Invalid> {
    let mut table = TableReader::new("record", value)?;
    let record = RecordSpec::defaults().parse_keys(&mut table, &Scope::default())?;
    table.finish()?;
    Ok(record)
}

/// `[record]`, every default written out.
pub(crate) fn print(record: &RecordSpec) -> Value {
    Value::Object(record.print_keys())
}

/// Expected numbers of rows of the tables of samples. The rows of other tables depend on algorithms and queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExpectedRows {
    /// Of the table `cwnd`. With a row at every acknowledgement: as many acknowledgements as the links can carry.
    pub cwnd: u128,
    /// Of the table `queue`.
    pub queue: u128,
    /// Of the table `inner`.
    pub inner: u128,
}

/// What a run costs at most, before it is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Packets that its links can carry, of full size.
    pub packets: u128,
    /// Rows of its tables of samples.
    pub rows: u128,
}

impl Scenario {
    /// Checks what `[record]` names.
    pub(crate) fn check_record(&self) -> Result<(), Invalid> {
        self.check_inner()?;
        let RecordedFlows::Only(picks) = &self.record.flows else { return Ok(()) };
        let labels = self.labels();
        let names = crate::flow_labels::names(&self.flows, &labels);
        let groups =
            || labels.iter().map(String::as_str).chain(self.flows.iter().map(|group| group.cc.as_str()));
        for pick in picks {
            let (value, near) = match pick {
                FlowRef::Number(number) if (*number as usize) < names.len() => continue,
                FlowRef::Name(name) if !self.flows_named(name, &labels, &names).is_empty() => continue,
                FlowRef::Number(number) => (json!(number), Vec::new()),
                FlowRef::Name(name) => {
                    (json!(name), nearest(name, names.iter().map(String::as_str).chain(groups())))
                }
            };
            let expected = match (names.len(), near.first()) {
                (0, _) => "\"none\", because there is no [[flow]]".to_owned(),
                (_, Some(near)) => format!("{FLOWS} (did you mean {near}?)"),
                (flows, None) => format!("{FLOWS}; the numbers are 0 to {}", flows - 1),
            };
            return Err(Invalid { field: "record.flows".into(), value: Some(shown(&value)), expected });
        }
        Ok(())
    }

    /// Refuses names of variables that no flow's algorithm has.
    fn check_inner(&self) -> Result<(), Invalid> {
        let InnerVariables::Only(names) = &self.record.inner else { return Ok(()) };
        let switched = self.actions.iter().filter_map(|action| match &action.what {
            ActionKind::Switch(_, cc, _) => Some(cc),
            _ => None,
        });
        let mut shown: Vec<&str> = self
            .flows
            .iter()
            .map(|group| &group.cc)
            .chain(switched)
            .filter_map(|cc| registry::find(&set_with_rules_of(cc)))
            .flat_map(|(algorithm, _)| algorithm.inner())
            .collect();
        shown.sort_unstable();
        shown.dedup();
        let Some(unknown) = names.iter().find(|name| !shown.contains(&name.as_str())) else { return Ok(()) };
        Err(Invalid {
            field: "record.inner".into(),
            value: Some(format!("\"{unknown}\"")),
            expected: if shown.is_empty() {
                "no name, because the flows' algorithms show no inner variables".into()
            } else {
                format!("names of what the flows' algorithms show: {}", shown.join(", "))
            },
        })
    }

    /// Whether each flow, in the order of their numbers, has rows in the tables `cwnd` and `inner`.
    #[must_use]
    pub fn recorded(&self) -> Vec<bool> {
        let flows = || self.flows.iter().flat_map(|group| std::iter::repeat_n(group, group.count as usize));
        match &self.record.flows {
            RecordedFlows::All => flows().map(|_| true).collect(),
            RecordedFlows::Nothing => flows().map(|_| false).collect(),
            RecordedFlows::Only(picks) => {
                let labels = self.labels();
                let names = crate::flow_labels::names(&self.flows, &labels);
                let mut recorded = vec![false; names.len()];
                for pick in picks {
                    let numbers = match pick {
                        FlowRef::Number(number) => vec![*number],
                        FlowRef::Name(name) => self.flows_named(name, &labels, &names),
                    };
                    for number in numbers {
                        if let Some(flow) = recorded.get_mut(number as usize) {
                            *flow = true;
                        }
                    }
                }
                recorded
            }
        }
    }

    /// Expected numbers of rows of the tables of samples.
    #[must_use]
    pub fn expected_rows(&self) -> ExpectedRows {
        let interval = u128::from(self.record.interval);
        let samples = u128::from(self.duration).checked_div(interval).map_or(0, |samples| samples + 1);
        let mut rows = ExpectedRows { queue: samples * self.links.len() as u128, ..ExpectedRows::default() };
        let mut inner = 0;
        for (group, flows) in self.recorded_groups() {
            let shown = registry::find(&set_with_rules_of(&group.cc)).map_or(0, |(algorithm, _)| {
                algorithm.inner().filter(|name| self.record.inner.has(name)).count() as u128
            });
            if !self.record.per_ack {
                rows.cwnd += flows * samples;
                rows.inner += flows * samples * shown;
            }
            inner = inner.max(shown);
        }
        if self.record.per_ack {
            rows.cwnd = self.expected_segments().1;
            rows.inner = rows.cwnd * inner;
        }
        rows
    }

    /// Expected size of the captures, bytes: those of `record.packets`, of what the links can carry.
    #[must_use]
    pub fn expected_capture(&self) -> u128 {
        let hosts =
            self.record.packets.sides().into_iter().filter(|is_captured| *is_captured).count() as u128;
        if hosts == 0 {
            return 0;
        }
        let (data, acks) = self.expected_segments();
        let stored = |bytes: u32| u128::from(PACKET_BLOCK + self.record.snap_length.min(bytes));
        hosts * (data * stored(self.packet_size) + acks * stored(HEADER_BYTES))
    }

    /// The groups that have recorded flows, and how many of these.
    fn recorded_groups(&self) -> Vec<(&FlowGroup, u128)> {
        let recorded = self.recorded();
        let mut first = 0;
        let groups = self.flows.iter().map(|group| {
            let flows = &recorded[first..first + group.count as usize];
            first += group.count as usize;
            (group, flows.iter().filter(|is_recorded| **is_recorded).count() as u128)
        });
        groups.filter(|(_, flows)| *flows > 0).collect()
    }

    /// Data segments of the recorded flows that their slowest links allow, and their acknowledgements.
    fn expected_segments(&self) -> (u128, u128) {
        // By link: what each flow could send alone, and its acknowledgements. Flows over no rate do not limit each other.
        let mut at_link: BTreeMap<Option<u32>, (u128, u128, u32)> = BTreeMap::new();
        for (group, flows) in self.recorded_groups() {
            let (path, reverse_path) = self.links_of(&group.route);
            let rated = path.iter().filter_map(|&link| Some((self.fastest(link)?, link)));
            let slowest = rated.min_by_key(|(rate, _)| *rate);
            let most = |bits_per_s: u64| self.packets_at(bits_per_s, u64::from(self.packet_size));
            let rate = slowest.map_or_else(|| self.own_rate(group, &path, &reverse_path), |(rate, _)| rate);
            let slowest = slowest.map(|(_, link)| link);
            let alone = most(rate)
                .min(group.app_rate.map_or(u128::MAX, |rate| self.packets_at(rate, u64::from(self.mss()))))
                .min(group.size.map_or(u128::MAX, |bytes| u128::from(bytes.div_ceil(u64::from(self.mss())))));
            let entry = at_link.entry(slowest).or_insert((0, 0, u32::MAX));
            entry.0 += flows * alone;
            entry.1 += flows * alone.div_ceil(u128::from(group.ack_every));
            entry.2 = entry.2.min(group.ack_every);
        }
        at_link.into_iter().fold((0, 0), |(data, acks), (link, (alone, alone_acks, ack_every))| {
            let together = link
                .and_then(|link| self.fastest(link))
                .map_or(u128::MAX, |rate| self.packets_at(rate, u64::from(self.packet_size)));
            (data + alone.min(together), acks + alone_acks.min(together.div_ceil(u128::from(ack_every))))
        })
    }

    /// Refuses a run whose tables and captures are expected to be larger than `record.limit`, given the size of the tables in bytes.
    ///
    /// # Errors
    /// [`Invalid`], with the rows, the bytes and the keys that change them.
    pub fn check_size(&self, tables: u128) -> Result<(), Invalid> {
        let captures = self.expected_capture();
        let bytes = tables + captures;
        let Some(limit) = self.record.limit.filter(|limit| u128::from(*limit) < bytes) else { return Ok(()) };
        if captures > tables {
            return Err(self.too_large(&format!("about {}B of packets", about(captures)), limit));
        }
        let rows = self.expected_rows();
        let counts = [("cwnd", rows.cwnd), ("queue", rows.queue), ("inner", rows.inner)];
        let counts: Vec<String> = counts
            .into_iter()
            .filter(|(_, rows)| *rows > 0)
            .map(|(table, rows)| format!("{} of {table}", about(rows).trim_end()))
            .collect();
        let less = if self.record.per_ack {
            "no record.per_ack".to_owned()
        } else {
            format!("a longer record.interval than {}", write_time(self.record.interval))
        };
        Err(Invalid {
            field: "record".into(),
            value: Some(format!("about {}B of tables (rows: {})", about(bytes), counts.join(", "))),
            expected: format!(
                "at most {} (record.limit): {less}, fewer record.flows, or a larger record.limit",
                write_size(limit)
            ),
        })
    }

    /// Refuses captures of this many bytes, if that is more than `record.limit`.
    ///
    /// # Errors
    /// [`Invalid`], with the keys that change it.
    pub fn check_captured(&self, bytes: u64) -> Result<(), Invalid> {
        let limit = self.record.limit.filter(|limit| *limit < bytes);
        limit.map_or(Ok(()), |limit| {
            Err(self.too_large(&format!("{} of packets so far", write_size(bytes)), limit))
        })
    }

    fn too_large(&self, captures: &str, limit: u64) -> Invalid {
        Invalid {
            field: "record.packets".into(),
            value: Some(captures.to_owned()),
            expected: format!(
                "at most {} (record.limit): a shorter run, fewer record.flows, record.snap_length = \"80B\", or a larger record.limit",
                write_size(limit)
            ),
        }
    }

    /// Packets of `bytes` that this rate carries within the run.
    fn packets_at(&self, bits_per_s: u64, bytes: u64) -> u128 {
        u128::from(bits_per_s) * u128::from(self.duration) / (8_000_000_000 * u128::from(bytes.max(1)))
    }

    /// What the run will cost at most, without traffic over paths on which no link has a rate.
    #[must_use]
    pub fn cost(&self) -> Cost {
        let links = (0..self.links.len() as u32).filter_map(|link| self.fastest(link));
        // Flows over no rate are counted by themselves.
        let flows = self.flows.iter().filter_map(|group| {
            let (path, reverse_path) = self.links_of(&group.route);
            let has_rate = path.iter().any(|&link| self.links[link as usize].rate.is_some());
            (!has_rate).then(|| (self.own_rate(group, &path, &reverse_path), u128::from(group.count)))
        });
        let packets = links
            .map(|rate| (rate, 1))
            .chain(flows)
            .map(|(rate, count)| count * self.packets_at(rate, u64::from(self.packet_size)))
            .sum();
        let ExpectedRows { cwnd, queue, inner } = self.expected_rows();
        Cost { packets, rows: cwnd + queue + inner }
    }

    /// Packets per second that the slowest link on the path of a flow, or of a connection of traffic, lets through: the most of all. Of traffic over a
    /// path without a rate none are counted.
    #[must_use]
    pub fn packets_per_s(&self) -> u64 {
        let flows = self.flows.iter().map(|group| {
            let (path, reverse_path) = self.links_of(&group.route);
            let own = self.own_rate(group, &path, &reverse_path);
            (path, group.app_rate, own)
        });
        let traffic = self.traffic.iter().filter(|traffic| !matches!(traffic.model, Model::Udp(_)));
        let connections = traffic.flat_map(|traffic| {
            Direction::ALL.into_iter().filter_map(|direction| self.traffic_flow(traffic, direction))
        });
        let paths = flows.chain(connections.map(|flow| (flow.path.to_vec(), None, 0)));
        let rate = |(path, app_rate, own): (Vec<u32>, Option<u64>, u64)| {
            let slowest = path.into_iter().filter_map(|link| self.fastest(link)).chain(app_rate).min();
            slowest.unwrap_or(own) / (8 * u64::from(self.packet_size))
        };
        paths.map(rate).max().unwrap_or(0)
    }

    /// The rate of a flow of this group where no link has one, bit/s: of its application, or else of its window.
    fn own_rate(&self, group: &FlowGroup, path: &[u32], reverse_path: &[u32]) -> u64 {
        let rtt = group.rtt.unwrap_or_else(|| self.default_rtt(group, path, reverse_path));
        self.window_rate(group, path, rtt).min(group.app_rate.unwrap_or(u64::MAX))
    }

    /// The highest rate that a link has at any time, bit/s; of a trace its mean; `None` of a link without a rate.
    fn fastest(&self, link: u32) -> Option<u64> {
        let link = &self.links[link as usize];
        let rate = link.rate.as_ref()?;
        let steps = match rate {
            LinkRate::Steps(_, steps) => steps.as_slice(),
            _ => &[],
        };
        let actions = self.actions.iter().filter_map(|action| match &action.what {
            ActionKind::Rate(name, rate) if *name == link.name => Some(*rate),
            _ => None,
        });
        let fastest = if let LinkRate::Series(series, _) = rate { series.max() } else { rate.nominal() };
        Some(steps.iter().map(|step| step.1).chain(actions).fold(fastest, u64::max))
    }
}

/// A count in two digits and the prefix of its thousands.
fn about(count: u128) -> String {
    let mut value = count as f64;
    for prefix in ["", " k", " M", " G", " T", " P"] {
        if value < 999.5 {
            let digits = usize::from(value < 9.95 && !prefix.is_empty());
            return format!("{value:.digits$}{}", if prefix.is_empty() { " " } else { prefix });
        }
        value /= 1000.0;
    }
    format!("{value:.0} E")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_said_in_two_digits() {
        assert_eq!(about(7), "7 ");
        assert_eq!(about(1000), "1.0 k");
        assert_eq!(about(12_345), "12 k");
        assert_eq!(about(60_000_000_000), "60 G");
        assert_eq!(about(2_880_000_000_000), "2.9 T");
    }
}
