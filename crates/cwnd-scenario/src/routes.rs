// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which way a flow or a group of traffic goes: read, checked against the links, written.

use crate::invalid::{Invalid, Table, nearest, shown};
use crate::model::{Link, Route};
use crate::network::route;
use crate::topology::Network;
use crate::traffic::{Traffic, parse_ends};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

const DIRECTION: &str = "forward or reverse";
const LINKS: &str = "a list of names of links, each beginning where the one before ends";

/// Reads `direction`, or `from` and `to`, or `path` and `back` of a flow.
pub(crate) fn parse(table: &mut Table<'_>, network: &Network<'_>) -> Result<Route, Invalid> {
    let direction = table.get("direction");
    let ends = parse_ends(table)?;
    let (path, back) = (table.get("path"), table.get("back"));
    if network.dumbbell.is_some() {
        for key in ["from", "to", "path", "back"] {
            if let Some(value) = table.get(key) {
                let expected =
                    format!("no {key}: with one [link] a flow has a direction, forward or reverse");
                return table.refuse(key, Some(value), expected);
            }
        }
        return match direction.map(Value::as_str) {
            None | Some(Some("forward")) => Ok(Route::Forward),
            Some(Some("reverse")) => Ok(Route::Reverse),
            _ => table.refuse("direction", direction, DIRECTION),
        };
    }
    if let Some(value) = direction {
        return table.refuse(
            "direction",
            Some(value),
            "no direction: in a graph a flow has from and to, or path",
        );
    }
    match (ends, path) {
        (Some(_), Some(path)) => table.refuse("path", Some(path), "either from and to, or path, not both"),
        (Some(_), None) if back.is_some() => table.refuse("back", back, "no back, which goes with path"),
        (Some(ends), None) => {
            check_ends(table, &network.links, &ends, [true, false])?;
            Ok(Route::Ends(ends.0, ends.1))
        }
        (None, Some(path)) => parse_path(table, &network.links, path, back),
        (None, None) => {
            table.refuse("from", None, "from and to, the names of two nodes, or path, names of links")
        }
    }
}

fn parse_path(
    table: &Table<'_>,
    links: &[Link],
    path: &Value,
    back: Option<&Value>,
) -> Result<Route, Invalid> {
    let there = named(table, links, "path", path)?;
    let (Some(first), Some(last)) = (there.first(), there.last()) else {
        return table.refuse("path", Some(path), LINKS);
    };
    let back = match back {
        Some(value) => {
            let back = named(table, links, "back", value)?;
            let ends = back.first().zip(back.last());
            if ends.is_some_and(|(begin, end)| begin.from != last.to || end.to != first.from) {
                let expected = format!("a way from {} to {}, against the path", last.to, first.from);
                return table.refuse("back", Some(value), expected);
            }
            back
        }
        None => {
            let way = route(links, &last.to, &first.from).unwrap_or_default();
            way.into_iter().map(|number| &links[number as usize]).collect()
        }
    };
    let names = |way: Vec<&Link>| way.into_iter().map(|link| link.name.clone()).collect();
    Ok(Route::Links(names(there), names(back)))
}

/// The links of this list, each beginning where the one before ends.
fn named<'l>(
    table: &Table<'_>,
    links: &'l [Link],
    key: &str,
    value: &Value,
) -> Result<Vec<&'l Link>, Invalid> {
    let Some(list) = value.as_array() else { return table.refuse(key, Some(value), LINKS) };
    let mut way: Vec<&Link> = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let refuse = |expected: String| table.refuse(&format!("{key}[{index}]"), Some(item), expected);
        let Some(link) = links.iter().find(|link| item == link.name.as_str()) else {
            let names = links.iter().map(|link| link.name.as_str());
            return refuse(like("the name of a link", item.as_str().unwrap_or_default(), names));
        };
        if let Some(before) = way.last().filter(|before| before.to != link.from) {
            return refuse(format!("a link that begins at {}, where {} ends", before.to, before.name));
        }
        if way.iter().any(|other| other.name == link.name) {
            return refuse("each link once".into());
        }
        way.push(link);
    }
    Ok(way)
}

/// `what`, and the names nearest to `name`; a few of all, when none is near.
pub(crate) fn like<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = nearest(name, names.clone());
    if !near.is_empty() {
        return format!("{what} (did you mean {}?)", near.join(" or "));
    }
    let mut some: Vec<&str> = names.take(11).collect();
    if some.len() > 10 {
        some[10] = "...";
    }
    format!("{what}: {}", some.join(", "))
}

/// Refuses ends that are no two nodes, or that no links lead between, in those of the two ways that are wanted.
fn check_ends(
    table: &Table<'_>,
    links: &[Link],
    (from, to): &(String, String),
    ways: [bool; 2],
) -> Result<(), Invalid> {
    for (key, node) in [("from", from), ("to", to)] {
        if !links.iter().any(|link| link.from == *node || link.to == *node) {
            let mut nodes: Vec<&str> = links.iter().flat_map(|link| [&*link.from, &*link.to]).collect();
            let mut seen = HashSet::new();
            nodes.retain(|node| seen.insert(*node));
            return table.refuse(
                key,
                Some(&json!(node)),
                like("the name of a node", node, nodes.into_iter()),
            );
        }
    }
    for (wanted, a, b) in [(ways[0], from, to), (ways[1], to, from)] {
        if wanted && route(links, a, b).is_none() {
            return table.refuse(
                "to",
                Some(&json!(to)),
                format!("another node, to which links lead: {a} to {b} has none"),
            );
        }
    }
    Ok(())
}

/// Refuses a group of traffic whose ways `network` does not have, and gives a dumbbell the way back that it needs.
pub(crate) fn check_traffic(
    index: usize,
    value: &Value,
    traffic: &Traffic,
    network: &mut Network<'_>,
) -> Result<(), Invalid> {
    let table = Table::new(&format!("traffic[{index}]"), value)?;
    match (&traffic.ends, network.dumbbell.is_some()) {
        (None, true) => {
            if traffic.sends()[1] {
                network.need_reverse();
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
        (Some(ends), false) => check_ends(&table, &network.links, ends, traffic.sends()),
    }
}

/// Refuses a round trip that is shorter than the propagation of its parts.
pub(crate) fn check_rtt(
    field: &str,
    (rtt, own): (u64, bool),
    (links, access): (u64, u64),
) -> Result<(), Invalid> {
    let least = links.saturating_add(access);
    if rtt >= least {
        return Ok(());
    }
    let (rtt, least) = (crate::units::write_time(rtt), crate::units::write_time(least));
    let (key, value, expected) = if own {
        let expected =
            format!("at least {least}, the delay of its links there and back and its access_delay");
        ("rtt", rtt, expected)
    } else {
        let expected = format!(
            "a round trip of at least {least} for the delay of its links and its access_delay; this is {rtt}"
        );
        ("access_delay", crate::units::write_time(access), expected)
    };
    Err(Invalid { field: format!("{field}.{key}"), value: Some(shown(&json!(value))), expected })
}

/// The keys of a route into `map`.
pub(crate) fn print(route: &Route, map: &mut Map<String, Value>) {
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    match route {
        Route::Forward => put("direction", json!("forward")),
        Route::Reverse => put("direction", json!("reverse")),
        Route::Ends(from, to) => {
            put("from", json!(from));
            put("to", json!(to))
        }
        Route::Links(path, back) => {
            put("path", json!(path));
            put("back", json!(back))
        }
    };
}
