// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which links a scenario has: those of a dumbbell, of a parking lot, of any graph.

use crate::invalid::{Invalid, Table, shown};
use crate::link::{parse as parse_link, print as print_link, time};
use crate::model::{Dumbbell, Link, Scenario};
use crate::units::{self, TIME, write_size, write_time};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Most links of a scenario.
const MAX_LINKS: usize = 10_000;
/// Most bottlenecks of a parking lot.
const MAX_HOPS: u64 = 1000;
const PACKET: &str = "a size from 100B to 64kB";
const REVERSE: &str = "true, false, or a table with keys of the link";

/// The links as they are written, their sizes in BDP not yet known.
pub(crate) struct Network<'a> {
    pub links: Vec<Link>,
    pub dumbbell: Option<Dumbbell>,
    pub packet_size: u32,
    /// Of each link: where its keys are, and the queue that is written there.
    written: Vec<(String, Option<&'a Value>)>,
    /// Of each link: whether its RTT is known.
    rtt: Vec<bool>,
}

impl<'a> Network<'a> {
    /// Reads `link` or `parking_lot`, and `packet_size`, of the document.
    pub fn parse(document: &mut Table<'a>) -> Result<Self, Invalid> {
        let packet = document.read("packet_size", PACKET, packet_size)?;
        let mut network = Self {
            links: Vec::new(),
            dumbbell: None,
            packet_size: packet.unwrap_or(1500),
            written: Vec::new(),
            rtt: Vec::new(),
        };
        match (document.get("link"), document.get("parking_lot")) {
            (Some(_), Some(lot)) => {
                return document.refuse("parking_lot", Some(lot), "either link or parking_lot, not both");
            }
            (None, Some(lot)) => network.parking_lot(lot)?,
            (Some(Value::Array(links)), None) if !links.is_empty() => network.graph(links)?,
            (Some(link @ Value::Object(_)), None) => network.dumbbell(link, packet)?,
            (link, None) => {
                let expected =
                    "a table with rate, rtt and queue, several [[link]] of a graph, or a [parking_lot]";
                return document.refuse("link", link, expected);
            }
        }
        Ok(network)
    }

    /// Adds a link, whose keys are at `path`.
    fn add(&mut self, link: Link, path: &str, keys: Option<&'a Value>, rtt: bool) {
        self.links.push(link);
        self.written.push((format!("{path}.queue"), keys.and_then(|keys| keys.get("queue"))));
        self.rtt.push(rtt);
    }

    fn dumbbell(&mut self, value: &'a Value, packet: Option<u32>) -> Result<(), Invalid> {
        let mut table = Table::new("link", value)?;
        let forward = parse_link(&mut table, None)?;
        let rtt = table.required("rtt", TIME, time)?;
        match (table.read("packet_size", PACKET, packet_size)?, packet) {
            (Some(_), Some(_)) => {
                let value = table.get("packet_size");
                return table.refuse("packet_size", value, "it here or at the top, not both");
            }
            (Some(packet), None) => self.packet_size = packet,
            (None, _) => {}
        }
        let named = |link: Link, name: &str, ends: [&str; 2]| Link {
            name: name.into(),
            from: ends[0].into(),
            to: ends[1].into(),
            rtt,
            ..link
        };
        let forward = named(forward, "link", ["left", "right"]);
        let reverse = parse_reverse(&mut table, &forward)?;
        table.finish()?;
        self.dumbbell = Some(Dumbbell { forward: 0, reverse: None });
        self.add(forward, "link", Some(value), true);
        if let Some((reverse, keys)) = reverse {
            self.add_reverse(named(reverse, "reverse", ["right", "left"]), keys);
        }
        Ok(())
    }

    fn add_reverse(&mut self, reverse: Link, keys: Option<&'a Value>) {
        self.add(reverse, "link.reverse", keys, true);
        self.dumbbell = Some(Dumbbell { forward: 0, reverse: Some(1) });
    }

    /// Sees to it that a dumbbell's way back is a link: like the forward one, and without losses.
    pub fn need_reverse(&mut self) {
        if let (Some(Dumbbell { reverse: None, .. }), Some(forward)) = (self.dumbbell, self.links.first()) {
            let link =
                Link { name: "reverse".into(), from: "right".into(), to: "left".into(), ..plain(forward) };
            self.add_reverse(link, None);
        }
    }

    fn graph(&mut self, list: &'a [Value]) -> Result<(), Invalid> {
        const NODE: &str = "the name of a node";
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
            let mut table = Table::new(&path, value)?;
            let name = table.text("name", "a name for the link", |text| !text.is_empty())?;
            let mut end = |key| match table.text(key, NODE, |text| !text.is_empty())? {
                Some(node) => Ok(node),
                None => table.refuse(key, None, NODE),
            };
            let (from, to) = (end("from")?, end("to")?);
            if from == to {
                let value = table.get("to");
                return table.refuse("to", value, "another node than from");
            }
            let name = name.unwrap_or_else(|| format!("{from}-{to}"));
            if !names.insert(name.clone()) {
                let value = table.get("name").cloned().unwrap_or_else(|| json!(name));
                return table.refuse("name", Some(&value), "a name that no other link has");
            }
            let link = parse_link(&mut table, None)?;
            let rtt = table.read("rtt", TIME, time)?;
            table.finish()?;
            let link = Link { name, from, to, rtt: rtt.unwrap_or(0), ..link };
            self.add(link, &path, Some(value), rtt.is_some());
        }
        Ok(())
    }

    fn parking_lot(&mut self, value: &'a Value) -> Result<(), Invalid> {
        let mut table = Table::new("parking_lot", value)?;
        let expected = format!("a whole number from 1 to {MAX_HOPS}");
        let hops =
            table.required("hops", &expected, |v| v.as_u64().filter(|n| (1..=MAX_HOPS).contains(n)))?;
        let link = parse_link(&mut table, None)?;
        let rtt = table.read("rtt", TIME, time)?;
        let link = Link { rtt: rtt.unwrap_or(0), ..link };
        let reverse = parse_reverse(&mut table, &link)?;
        table.finish()?;
        let hop = |link: &Link, name: &str, [from, to]: [u64; 2]| Link {
            name: format!("{name}{}", from.max(to)),
            from: format!("n{from}"),
            to: format!("n{to}"),
            ..link.clone()
        };
        for number in 1..=hops {
            self.add(hop(&link, "hop", [number - 1, number]), "parking_lot", Some(value), rtt.is_some());
        }
        if let Some((link, keys)) = reverse {
            for number in 1..=hops {
                let link = hop(&link, "back", [number, number - 1]);
                self.add(link, "parking_lot.reverse", keys, rtt.is_some());
            }
        }
        Ok(())
    }

    /// Gives the links of `scenario`, which are these, the RTTs that are left open and checks their queues.
    ///
    /// A link's sizes in BDP are for the longest round trip of the flows that cross it, there or back; where none does, for
    /// twice its own delay.
    pub fn settle(&self, scenario: &mut Scenario) -> Result<(), Invalid> {
        let mut longest: Vec<Option<u64>> = vec![None; scenario.links.len()];
        for group in &scenario.flows {
            let (path, back) = scenario.links_of(&group.route);
            let rtt = group.rtt.unwrap_or_else(|| scenario.default_rtt(group, &path, &back));
            for &link in path.iter().chain(&back) {
                let one = &mut longest[link as usize];
                *one = Some(one.map_or(rtt, |other| other.max(rtt)));
            }
        }
        for (number, link) in scenario.links.iter_mut().enumerate() {
            if !self.rtt[number] {
                link.rtt = longest[number].unwrap_or_else(|| link.delay.saturating_mul(2));
            }
            let (path, written) = &self.written[number];
            crate::queue::check(link, scenario.packet_size, path, *written)?;
        }
        let delays = scenario.links.iter().map(|link| link.delay).fold(0, u64::saturating_add);
        if scenario.dumbbell.is_some() && delays > scenario.links[0].rtt {
            return Err(Invalid {
                field: "link.rtt".into(),
                value: Some(shown(&json!(write_time(scenario.links[0].rtt)))),
                expected: format!("at least {}, the delay of the link there and back", write_time(delays)),
            });
        }
        Ok(())
    }
}

/// A link like this one that loses and disturbs nothing.
fn plain(link: &Link) -> Link {
    Link {
        loss: cwnd_link::Loss::None,
        jitter: cwnd_link::Jitter::None,
        overtaking: false,
        reorder: None,
        ..link.clone()
    }
}

/// The key `reverse`: a way back like `forward`, and its own keys where it has some.
fn parse_reverse<'a>(
    table: &mut Table<'a>,
    forward: &Link,
) -> Result<Option<(Link, Option<&'a Value>)>, Invalid> {
    match table.get("reverse") {
        None | Some(Value::Bool(false)) => Ok(None),
        Some(Value::Bool(true)) => Ok(Some((plain(forward), None))),
        Some(value @ Value::Object(_)) => {
            let mut keys = Table::new(&table.field("reverse"), value)?;
            let link = parse_link(&mut keys, Some(forward))?;
            if let Some(rtt) = keys.get("rtt") {
                return keys.refuse("rtt", Some(rtt), "no rtt: it is that of the link forward");
            }
            keys.finish()?;
            Ok(Some((link, Some(value))))
        }
        Some(value) => table.refuse("reverse", Some(value), REVERSE),
    }
}

fn packet_size(value: &Value) -> Option<u32> {
    value.as_str().and_then(units::read_size).filter(|n| (100..=64_000).contains(n)).map(|n| n as u32)
}

/// `link`, and `packet_size` where it stands beside it, into a document.
pub(crate) fn print(scenario: &Scenario, document: &mut Map<String, Value>) {
    let packet_size = json!(write_size(u64::from(scenario.packet_size)));
    let Some(dumbbell) = scenario.dumbbell else {
        document.insert("packet_size".into(), packet_size);
        let link = |link: &Link| {
            let mut map = Map::new();
            for (key, text) in [("name", &link.name), ("from", &link.from), ("to", &link.to)] {
                map.insert(key.into(), json!(text));
            }
            print_link(link, &mut map);
            map.insert("rtt".into(), json!(write_time(link.rtt)));
            Value::Object(map)
        };
        document.insert("link".into(), scenario.links.iter().map(link).collect());
        return;
    };
    let mut map = Map::new();
    let forward = &scenario.links[dumbbell.forward as usize];
    print_link(forward, &mut map);
    map.insert("rtt".into(), json!(write_time(forward.rtt)));
    map.insert("packet_size".into(), packet_size);
    if let Some(reverse) = dumbbell.reverse {
        let mut keys = Map::new();
        print_link(&scenario.links[reverse as usize], &mut keys);
        map.insert("reverse".into(), Value::Object(keys));
    }
    document.insert("link".into(), Value::Object(map));
}
