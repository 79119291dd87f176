// SPDX-License-Identifier: MIT OR Apache-2.0
//! The links of a scenario: a dumbbell, a parking lot, or any graph.

use crate::buffer::Buffer;
use crate::files::Files;
use crate::invalid::{Invalid, TableReader, shown};
use crate::keys::KnownLinks;
use crate::keys::link::{
    DumbbellTable, GraphTable, LinkSpec, ParkingLotTable, QueueSpec, RttTable, parse as parse_link, plain,
    print as print_link,
};
use crate::keys::rate_formats::NO_RATE;
use crate::keys::{Keyed, Scope};
use crate::model::{Dumbbell, Scenario};
use crate::routes::check_ends;
use crate::traffic::Traffic;
use crate::units::write_time;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Max number of links of a scenario.
const MAX_LINKS: usize = 10_000;
const REVERSE: &str = "true, false, or a table with keys of the link";

/// Where the RTT of a link comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RttSource {
    /// The document.
    Written,
    /// The flows that use the link.
    Flows,
}

impl RttSource {
    const fn of(written: Option<u64>) -> Self {
        if written.is_some() { Self::Written } else { Self::Flows }
    }
}

/// The links as parsed; sizes in BDP are not yet resolved.
pub(crate) struct Topology<'a> {
    pub links: Vec<LinkSpec>,
    pub dumbbell: Option<Dumbbell>,
    pub packet_size: u32,
    /// Of each link: the path of its keys, and the table that they are in.
    written: Vec<(String, Option<&'a Value>)>,
    /// Of each link: where its RTT comes from.
    rtt: Vec<RttSource>,
    files: Files<'a>,
}

impl<'a> Topology<'a> {
    /// Reads `link` or `parking_lot` of the document, whose `packet_size` is `packet`.
    pub fn parse(
        document: &mut TableReader<'a>,
        packet: Option<u32>,
        files: Files<'a>,
    ) -> Result<Self, Invalid> {
        let mut topology = Self {
            links: Vec::new(),
            dumbbell: None,
            packet_size: packet.unwrap_or(1500),
            written: Vec::new(),
            rtt: Vec::new(),
            files,
        };
        match (document.get("link"), document.get("parking_lot")) {
            (Some(_), Some(lot)) => {
                return document.refuse("parking_lot", Some(lot), "either link or parking_lot, not both");
            }
            (None, Some(lot)) => topology.parking_lot(lot)?,
            (Some(Value::Array(links)), None) if !links.is_empty() => topology.graph(links)?,
            (Some(link @ Value::Object(_)), None) => topology.dumbbell(link, packet)?,
            (link, None) => {
                let expected =
                    "a table with rate, rtt and queue, several [[link]] of a graph, or a [parking_lot]";
                return document.refuse("link", link, expected);
            }
        }
        Ok(topology)
    }

    /// Adds a link, whose keys are at `path`.
    fn add(&mut self, link: LinkSpec, path: &str, keys: Option<&'a Value>, rtt: RttSource) {
        self.links.push(link);
        self.written.push((path.to_owned(), keys));
        self.rtt.push(rtt);
    }

    fn dumbbell(&mut self, value: &'a Value, packet: Option<u32>) -> Result<(), Invalid> {
        let mut table = TableReader::new("link", value)?;
        let forward = parse_link(&mut table, None, self.files)?;
        let DumbbellTable { rtt, packet_size } =
            DumbbellTable::defaults().parse_keys(&mut table, &Scope::default())?;
        match (packet_size, packet) {
            (Some(_), Some(_)) => {
                let value = table.get("packet_size");
                return table.refuse("packet_size", value, "it here or at the top level, not both");
            }
            (Some(packet), None) => self.packet_size = packet,
            (None, _) => {}
        }
        let named = |link: LinkSpec, name: &str, ends: [&str; 2]| LinkSpec {
            name: name.into(),
            from: ends[0].into(),
            to: ends[1].into(),
            rtt,
            ..link
        };
        let forward = named(forward, "link", ["left", "right"]);
        let reverse = parse_reverse(&mut table, &forward, self.files)?;
        table.finish()?;
        self.dumbbell = Some(Dumbbell { forward: 0, reverse: None });
        self.add(forward, "link", Some(value), RttSource::Written);
        if let Some((reverse, keys)) = reverse {
            self.add_reverse(named(reverse, "reverse", ["right", "left"]), keys);
        }
        Ok(())
    }

    fn add_reverse(&mut self, reverse: LinkSpec, keys: Option<&'a Value>) {
        self.add(reverse, "link.reverse", keys, RttSource::Written);
        self.dumbbell = Some(Dumbbell { forward: 0, reverse: Some(1) });
    }

    /// Makes sure that a dumbbell has a reverse link: a copy of the forward one, without random losses, jitter and reordering.
    pub fn ensure_reverse(&mut self) {
        if let (Some(Dumbbell { reverse: None, .. }), Some(forward)) = (self.dumbbell, self.links.first()) {
            let link = LinkSpec {
                name: "reverse".into(),
                from: "right".into(),
                to: "left".into(),
                ..plain(forward)
            };
            self.add_reverse(link, None);
        }
    }

    fn graph(&mut self, list: &'a [Value]) -> Result<(), Invalid> {
        if list.len() > MAX_LINKS {
            return Err(Invalid {
                field: "link".into(),
                value: Some(format!("{} links", list.len())),
                expected: format!("at most {MAX_LINKS}"),
            });
        }
        let mut names = HashSet::new();
        for (index, value) in list.iter().enumerate() {
            let path = format!("link[{index}]");
            let mut table = TableReader::new(&path, value)?;
            let GraphTable { name, from, to } =
                GraphTable::defaults().parse_keys(&mut table, &Scope::default())?;
            if from == to {
                let value = table.get("to");
                return table.refuse("to", value, "a node other than from");
            }
            let name = name.unwrap_or_else(|| format!("{from}-{to}"));
            if !names.insert(name.clone()) {
                let value = table.get("name").cloned().unwrap_or_else(|| json!(name));
                return table.refuse("name", Some(&value), "a name that no other link has");
            }
            let link = parse_link(&mut table, None, self.files)?;
            let RttTable { rtt } = RttTable::defaults().parse_keys(&mut table, &Scope::default())?;
            table.finish()?;
            let link = LinkSpec { name, from, to, rtt: rtt.unwrap_or(0), ..link };
            self.add(link, &path, Some(value), RttSource::of(rtt));
        }
        Ok(())
    }

    fn parking_lot(&mut self, value: &'a Value) -> Result<(), Invalid> {
        let mut table = TableReader::new("parking_lot", value)?;
        let ParkingLotTable { hops } =
            ParkingLotTable::defaults().parse_keys(&mut table, &Scope::default())?;
        let link = parse_link(&mut table, None, self.files)?;
        let RttTable { rtt } = RttTable::defaults().parse_keys(&mut table, &Scope::default())?;
        let link = LinkSpec { rtt: rtt.unwrap_or(0), ..link };
        let reverse = parse_reverse(&mut table, &link, self.files)?;
        table.finish()?;
        let hop = |link: &LinkSpec, name: &str, [from, to]: [u32; 2]| LinkSpec {
            name: format!("{name}{}", from.max(to)),
            from: format!("n{from}"),
            to: format!("n{to}"),
            ..link.clone()
        };
        for number in 1..=hops {
            self.add(hop(&link, "hop", [number - 1, number]), "parking_lot", Some(value), RttSource::of(rtt));
        }
        if let Some((link, keys)) = reverse {
            for number in 1..=hops {
                let link = hop(&link, "back", [number, number - 1]);
                self.add(link, "parking_lot.reverse", keys, RttSource::of(rtt));
            }
        }
        Ok(())
    }

    /// Resolves the missing RTTs of the links of `scenario`, and validates their queues.
    ///
    /// The RTT of a link is the longest round trip time of the flows that use it, forward or in reverse; without flows, twice its delay.
    pub fn resolve(&self, scenario: &mut Scenario) -> Result<(), Invalid> {
        let mut longest: Vec<Option<u64>> = vec![None; scenario.links.len()];
        for group in &scenario.flows {
            let (path, reverse_path) = scenario.links_of(&group.route);
            let rtt = group.rtt.unwrap_or_else(|| scenario.default_rtt(group, &path, &reverse_path));
            for &link in path.iter().chain(&reverse_path) {
                let rtts = &mut longest[link as usize];
                *rtts = Some(rtts.map_or(rtt, |longest| longest.max(rtt)));
            }
        }
        for (number, link) in scenario.links.iter_mut().enumerate() {
            if self.rtt[number] == RttSource::Flows {
                link.rtt = longest[number].unwrap_or_else(|| link.delay.first.saturating_mul(2));
            }
            let (path, keys) = &self.written[number];
            let jitter_mean = link.jitter.mean_within_delay();
            if jitter_mean > link.delay.first {
                return Err(Invalid {
                    field: format!("{path}.delay"),
                    value: Some(shown(&json!(write_time(link.delay.first)))),
                    expected: format!(
                        "at least {}, the mean of its jitter, which is centered",
                        write_time(jitter_mean)
                    ),
                });
            }
            let queue = keys.and_then(|keys| keys.get("queue"));
            let checked = crate::queue::check(link, scenario.packet_size, &format!("{path}.queue"), queue);
            let is_own = self.rtt[number] == RttSource::Written;
            let of_bdp = matches!(link.queue, Some(QueueSpec { limit: Buffer::Bdp(1.., _), .. }));
            if checked.is_err() && of_bdp && is_own && link.rtt == 0 {
                let field = format!("{}.rtt", path.trim_end_matches(".reverse"));
                let expected = "more than 0, because the queue's limit is a multiple of the BDP".into();
                return Err(Invalid { field, value: Some(shown(&json!(write_time(0)))), expected });
            }
            checked?;
        }
        let delays = scenario.links.iter().map(|link| link.delay.first).fold(0, u64::saturating_add);
        if scenario.dumbbell.is_some() && delays > scenario.links[0].rtt {
            return Err(Invalid {
                field: "link.rtt".into(),
                value: Some(shown(&json!(write_time(scenario.links[0].rtt)))),
                expected: format!(
                    "at least {}, the delay of the link in both directions",
                    write_time(delays)
                ),
            });
        }
        Ok(())
    }
}

/// The key `reverse`: a reverse link like `forward`, with its own keys where it has some.
fn parse_reverse<'a>(
    table: &mut TableReader<'a>,
    forward: &LinkSpec,
    files: Files<'_>,
) -> Result<Option<(LinkSpec, Option<&'a Value>)>, Invalid> {
    match table.get("reverse") {
        None | Some(Value::Bool(false)) => Ok(None),
        Some(Value::Bool(true)) => Ok(Some((plain(forward), None))),
        Some(value @ Value::Object(_)) => {
            let mut keys = TableReader::new(&table.field("reverse"), value)?;
            let link = parse_link(&mut keys, Some(forward), files)?;
            if let Some(rtt) = keys.get("rtt") {
                return keys.refuse("rtt", Some(rtt), "no rtt: the forward link sets it");
            }
            keys.finish()?;
            Ok(Some((link, Some(value))))
        }
        Some(value) => table.refuse("reverse", Some(value), REVERSE),
    }
}

/// Refuses a traffic group whose path does not exist, and adds the reverse link to a dumbbell that needs one.
pub(crate) fn check_traffic(
    index: usize,
    value: &Value,
    traffic: &Traffic,
    topology: &mut Topology<'_>,
) -> Result<(), Invalid> {
    let table = TableReader::new(&format!("traffic[{index}]"), value)?;
    match (&traffic.ends, topology.dumbbell.is_some()) {
        (None, true) => {
            if traffic.sends().has_reverse() {
                topology.ensure_reverse();
            }
            Ok(())
        }
        (Some((from, _)), true) => {
            let from = json!(from);
            table.refuse("from", Some(&from), "no from: with one [link] traffic has a direction")
        }
        (None, false) => {
            table.refuse("from", None, "from and to, the names of two nodes, because the links are a graph")
        }
        (Some(ends), false) => check_ends(&table, &topology.links.ends(), ends, traffic.sends()),
    }
}

/// Prints `link`, and `packet_size` next to it, into a document.
pub(crate) fn print(scenario: &Scenario, document: &mut Map<String, Value>) {
    let packet_size = Some(scenario.packet_size);
    let Some(dumbbell) = scenario.dumbbell else {
        let link = |link: &LinkSpec| {
            let LinkSpec { from, to, .. } = link.clone();
            let mut map = GraphTable { name: Some(link.name.clone()), from, to }.print_keys();
            print_link(link, &mut map);
            map.extend(RttTable { rtt: Some(link.rtt) }.print_keys());
            Value::Object(map)
        };
        document.insert("link".into(), scenario.links.iter().map(link).collect());
        return;
    };
    let mut map = Map::new();
    let forward = &scenario.links[dumbbell.forward as usize];
    print_link(forward, &mut map);
    map.extend(DumbbellTable { rtt: forward.rtt, packet_size }.print_keys());
    if let Some(reverse) = dumbbell.reverse {
        let mut keys = Map::new();
        let reverse = &scenario.links[reverse as usize];
        print_link(reverse, &mut keys);
        // What is not written elsewhere, a rate that is none and a flag that is off, would here be that of the link forward.
        if forward.rate.is_some() && reverse.rate.is_none() {
            keys.insert("rate".into(), json!(NO_RATE));
        }
        if forward.count_in_service && !reverse.count_in_service && reverse.rate.is_some() {
            keys.insert("count_in_service".into(), json!(false));
        }
        map.insert("reverse".into(), Value::Object(keys));
    }
    document.insert("link".into(), Value::Object(map));
}
