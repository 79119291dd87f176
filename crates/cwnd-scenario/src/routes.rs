// SPDX-License-Identifier: MIT OR Apache-2.0
//! Routes of flows and traffic groups: parsed, validated against the links, printed.

use crate::invalid::{Invalid, KeyTable, nearest, shown};
use crate::keys::link::LinkSpec;
use crate::keys::{Absent, Form, Scope, keys};
use crate::route::{RouteSpec, route};
use cwnd_traffic::Directions;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

const DIRECTION: &str = "forward or reverse";
const LINKS: &str = "a list of names of links, each beginning where the one before ends";

keys! {
    /// The keys of a flow's route.
    fn keys {
        direction: Form::Choice(vec!["forward", "reverse"]), Absent::Value(json!("forward")), "",
            "direction through a dumbbell", "";
        from: text(), Absent::Words("required in a graph"), "",
            "node of the sender; the route has the fewest links, of two such routes the one whose links come first", "";
        to: text(), Absent::Words("required in a graph"), "",
            "node of the receiver", "";
        path: links(1), Absent::Words("none"), "",
            "the links of the data, instead of `from` and `to`", "";
        back: links(0), Absent::Words("the fewest links"), "",
            "the links of the acknowledgements, with `path`; `[]` for none", "";
    }
}

const fn text() -> Form {
    Form::Text { min: 0, max: u64::MAX }
}

fn links(min: u64) -> Form {
    Form::List { item: Box::new(text()), min }
}

/// Reads `direction`, or `from` and `to`, or `path` and `back` of a flow.
pub(crate) fn parse(table: &mut KeyTable<'_>, scope: &Scope<'_>) -> Result<RouteSpec, Invalid> {
    let direction = table.get("direction");
    let ends = parse_ends(table)?;
    let (path, back) = (table.get("path"), table.get("back"));
    if scope.is_dumbbell {
        for key in ["from", "to", "path", "back"] {
            if let Some(value) = table.get(key) {
                let expected =
                    format!("no {key}: with one [link] a flow has a direction, forward or reverse");
                return table.refuse(key, Some(value), expected);
            }
        }
        return match direction.map(Value::as_str) {
            None | Some(Some("forward")) => Ok(RouteSpec::Forward),
            Some(Some("reverse")) => Ok(RouteSpec::Reverse),
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
            check_ends(table, scope.links, &ends, Directions::Forward)?;
            Ok(RouteSpec::Ends(ends.0, ends.1))
        }
        (None, Some(path)) => parse_path(table, scope.links, path, back),
        (None, None) => {
            table.refuse("from", None, "from and to, the names of two nodes, or path, names of links")
        }
    }
}

fn parse_path(
    table: &KeyTable<'_>,
    links: &[LinkSpec],
    path: &Value,
    back: Option<&Value>,
) -> Result<RouteSpec, Invalid> {
    let forward = named(table, links, "path", path)?;
    let (Some(first), Some(last)) = (forward.first(), forward.last()) else {
        return table.refuse("path", Some(path), LINKS);
    };
    let reverse = match back {
        Some(value) => {
            let reverse = named(table, links, "back", value)?;
            let ends = reverse.first().zip(reverse.last());
            if ends.is_some_and(|(begin, end)| begin.from != last.to || end.to != first.from) {
                let expected = format!("a reverse path from {} to {}", last.to, first.from);
                return table.refuse("back", Some(value), expected);
            }
            reverse
        }
        None => {
            let path_links = route(links, &last.to, &first.from).unwrap_or_default();
            path_links.into_iter().map(|number| &links[number as usize]).collect()
        }
    };
    let names = |path_links: Vec<&LinkSpec>| path_links.into_iter().map(|link| link.name.clone()).collect();
    Ok(RouteSpec::Links(names(forward), names(reverse)))
}

/// The links of this list, each beginning where the one before ends.
fn named<'l>(
    table: &KeyTable<'_>,
    links: &'l [LinkSpec],
    key: &str,
    value: &Value,
) -> Result<Vec<&'l LinkSpec>, Invalid> {
    let Some(list) = value.as_array() else { return table.refuse(key, Some(value), LINKS) };
    let mut path_links: Vec<&LinkSpec> = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let refuse = |expected: String| table.refuse(&format!("{key}[{index}]"), Some(item), expected);
        let Some(link) = links.iter().find(|link| item == link.name.as_str()) else {
            let names = links.iter().map(|link| link.name.as_str());
            return refuse(suggest("the name of a link", item.as_str().unwrap_or_default(), names));
        };
        if let Some(before) = path_links.last().filter(|before| before.to != link.from) {
            return refuse(format!("a link that begins at {}, where {} ends", before.to, before.name));
        }
        if path_links.iter().any(|other| other.name == link.name) {
            return refuse("each link once".into());
        }
        path_links.push(link);
    }
    Ok(path_links)
}

/// `what`, and the names nearest to `name`; a few of all names, when none is near.
pub(crate) fn suggest<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
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

/// `from` and `to`, both or neither.
pub(crate) fn parse_ends(table: &mut KeyTable<'_>) -> Result<Option<(String, String)>, Invalid> {
    const NODE: &str = "the name of a node";
    let ends = (table.text("from", NODE, |_| true)?, table.text("to", NODE, |_| true)?);
    match ends {
        (Some(from), Some(to)) => Ok(Some((from, to))),
        (None, None) => Ok(None),
        (Some(_), None) => table.refuse("to", None, "the name of a node, because from is given"),
        (None, Some(_)) => table.refuse("from", None, "the name of a node, because to is given"),
    }
}

/// Refuses ends that are not two nodes, or between which there is no path in a wanted direction.
pub(crate) fn check_ends(
    table: &KeyTable<'_>,
    links: &[LinkSpec],
    (from, to): &(String, String),
    directions: Directions,
) -> Result<(), Invalid> {
    for (key, node) in [("from", from), ("to", to)] {
        if !links.iter().any(|link| link.from == *node || link.to == *node) {
            let mut nodes: Vec<&str> = links.iter().flat_map(|link| [&*link.from, &*link.to]).collect();
            let mut seen = HashSet::new();
            nodes.retain(|node| seen.insert(*node));
            return table.refuse(
                key,
                Some(&json!(node)),
                suggest("the name of a node", node, nodes.into_iter()),
            );
        }
    }
    for (wanted, a, b) in [(directions.has_forward(), from, to), (directions.has_reverse(), to, from)] {
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

/// Refuses a round trip time that is shorter than the propagation delays on the path.
pub(crate) fn check_rtt(
    field: &str,
    (rtt, is_own): (u64, bool),
    (links, access): (u64, u64),
) -> Result<(), Invalid> {
    let least = links.saturating_add(access);
    if rtt >= least {
        return Ok(());
    }
    let (rtt, least) = (crate::units::write_time(rtt), crate::units::write_time(least));
    let (key, value, expected) = if is_own {
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
pub(crate) fn print(route: &RouteSpec, map: &mut Map<String, Value>) {
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    match route {
        RouteSpec::Forward => put("direction", json!("forward")),
        RouteSpec::Reverse => put("direction", json!("reverse")),
        RouteSpec::Ends(from, to) => {
            put("from", json!(from));
            put("to", json!(to))
        }
        RouteSpec::Links(path, back) => {
            put("path", json!(path));
            put("back", json!(back))
        }
    };
}
