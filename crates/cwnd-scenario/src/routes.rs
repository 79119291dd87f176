// SPDX-License-Identifier: MIT OR Apache-2.0
//! Routes of flows and traffic groups: parsed, validated against the links, printed.

use crate::invalid::{Invalid, TableReader, nearest, shown};
use crate::keys::formats::{Named, Optional, Text};
use crate::keys::{Form, Key, Keyed, LinkEnds, Parsed, RowFormat, Scope, keys};
use crate::route::{RouteSpec, route};
use cwnd_traffic::Directions;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

const LINKS: &str = "a list of names of links, each beginning where the one before ends";

const NODE: Text = Text("the name of a node");
const DIRECTION: Named<Directions> = Named {
    all: &[Directions::Forward, Directions::Reverse],
    name: Directions::name,
    aliases: &[],
    or: " or ",
};

keys! {
    /// The key of a route through a dumbbell.
    struct DirectionTable {
        direction: Directions = Directions::Forward, DIRECTION, "",
            "direction through a dumbbell", "";
    }
}

keys! {
    /// The keys of a route between two nodes of a graph.
    struct EndsTable {
        from: Option<String> = None, Optional(NODE, "required in a graph"), "",
            "node of the sender; the route has the fewest links. Of two such routes, it is the one whose links come first", "";
        to: Option<String> = None, Optional(NODE, "required in a graph"), "",
            "node of the receiver", "";
    }
}

keys! {
    /// The keys of a route along links of a graph.
    struct PathTable {
        path: Option<Vec<String>> = None, Optional(LinkPath(1), "none"), "",
            "the links of the data, instead of `from` and `to`", "";
        back: Option<Vec<String>> = None, Optional(LinkPath(0), "the fewest links"), "",
            "the links of the acknowledgements, with `path`; `[]` for none", "";
    }
}

/// The keys of a flow's route.
pub(crate) fn keys() -> Vec<Key> {
    [DirectionTable::keys(), EndsTable::keys(), PathTable::keys()].concat()
}

/// Links of a graph, each beginning where the one before ends; at least this many.
struct LinkPath(u64);

impl RowFormat for LinkPath {
    type Value = Vec<String>;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Parsed<Vec<String>> {
        let Some(value) = table.get(key) else { return Ok(None) };
        let path = named(table, &scope.link_ends(), key, value)?;
        if (path.len() as u64) < self.0 {
            return table.refuse(key, Some(value), LINKS);
        }
        Ok(Some(names(path)))
    }

    fn print(&self, links: &Vec<String>) -> Option<Value> {
        Some(json!(links))
    }

    fn form(&self) -> Form {
        let name = Form::Text { min: 0, max: u64::MAX };
        Form::List { item: Box::new(name), min: self.0 }
    }
}

fn names(links: Vec<LinkEnds<'_>>) -> Vec<String> {
    links.into_iter().map(|link| link.name.to_owned()).collect()
}

/// Reads `direction`, or `from` and `to`, or `path` and `back` of a flow.
pub(crate) fn parse(table: &mut TableReader<'_>, scope: &Scope<'_>) -> Result<RouteSpec, Invalid> {
    for key in keys() {
        table.get(key.name); // known, whichever of them are read
    }
    let ends = parse_ends(table)?;
    if scope.is_dumbbell {
        for key in EndsTable::keys().into_iter().chain(PathTable::keys()).map(|key| key.name) {
            if let Some(value) = table.get(key) {
                let expected =
                    format!("no {key}: with one [link] a flow has a direction, forward or reverse");
                return table.refuse(key, Some(value), expected);
            }
        }
        let DirectionTable { direction } = DirectionTable::defaults().parse_keys(table, scope)?;
        return Ok(if direction == Directions::Reverse { RouteSpec::Reverse } else { RouteSpec::Forward });
    }
    if let Some(value) = table.get("direction") {
        return table.refuse(
            "direction",
            Some(value),
            "no direction: in a graph a flow has from and to, or path",
        );
    }
    match (ends, table.get("path"), table.get("back")) {
        (Some(_), Some(path), _) => table.refuse("path", Some(path), "either from and to, or path, not both"),
        (Some(_), None, Some(back)) => table.refuse("back", Some(back), "no back without path"),
        (Some(ends), None, None) => {
            check_ends(table, &scope.link_ends(), &ends, Directions::Forward)?;
            Ok(RouteSpec::Ends(ends.0, ends.1))
        }
        (None, Some(_), _) => parse_path(table, scope),
        (None, None, _) => {
            table.refuse("from", None, "from and to, the names of two nodes, or path, names of links")
        }
    }
}

fn parse_path(table: &mut TableReader<'_>, scope: &Scope<'_>) -> Result<RouteSpec, Invalid> {
    let PathTable { path, back } = PathTable::defaults().parse_keys(table, scope)?;
    let path = path.unwrap_or_default();
    let links = scope.link_ends();
    let link = |name: &String| links.iter().find(|link| link.name == *name);
    let ends = |path: &[String]| Some((link(path.first()?)?.from, link(path.last()?)?.to));
    let Some((from, to)) = ends(&path) else { return Ok(RouteSpec::Links(path, Vec::new())) };
    let back = match back {
        Some(back) if ends(&back).is_some_and(|ends| ends != (to, from)) => {
            let value = table.get("back");
            return table.refuse("back", value, format!("a reverse path from {to} to {from}"));
        }
        Some(back) => back,
        None => {
            let numbers = route(&links, to, from).unwrap_or_default();
            names(numbers.into_iter().map(|number| links[number as usize]).collect())
        }
    };
    Ok(RouteSpec::Links(path, back))
}

/// The links of this list, each beginning where the one before ends.
fn named<'l>(
    table: &TableReader<'_>,
    links: &[LinkEnds<'l>],
    key: &str,
    value: &Value,
) -> Result<Vec<LinkEnds<'l>>, Invalid> {
    let Some(list) = value.as_array() else { return table.refuse(key, Some(value), LINKS) };
    let mut path_links: Vec<LinkEnds<'_>> = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let refuse = |expected: String| table.refuse(&format!("{key}[{index}]"), Some(item), expected);
        let Some(link) = links.iter().find(|link| item == link.name) else {
            let names = links.iter().map(|link| link.name);
            return refuse(suggest("the name of a link", item.as_str().unwrap_or_default(), names));
        };
        if let Some(before) = path_links.last().filter(|before| before.to != link.from) {
            return refuse(format!("a link that begins at {}, where {} ends", before.to, before.name));
        }
        if path_links.iter().any(|other| other.name == link.name) {
            return refuse("each link once".into());
        }
        path_links.push(*link);
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
pub(crate) fn parse_ends(table: &mut TableReader<'_>) -> Result<Option<(String, String)>, Invalid> {
    let EndsTable { from, to } = EndsTable::defaults().parse_keys(table, &Scope::default())?;
    match (from, to) {
        (Some(from), Some(to)) => Ok(Some((from, to))),
        (None, None) => Ok(None),
        (Some(_), None) => table.refuse("to", None, "the name of a node, because from is given"),
        (None, Some(_)) => table.refuse("from", None, "the name of a node, because to is given"),
    }
}

/// Refuses ends that are not two nodes, or between which there is no path in a wanted direction.
pub(crate) fn check_ends(
    table: &TableReader<'_>,
    links: &[LinkEnds<'_>],
    (from, to): &(String, String),
    directions: Directions,
) -> Result<(), Invalid> {
    for (key, node) in [("from", from), ("to", to)] {
        if !links.iter().any(|link| link.from == *node || link.to == *node) {
            let mut nodes: Vec<&str> = links.iter().flat_map(|link| [link.from, link.to]).collect();
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
                format!("another node: no links lead from {a} to {b}"),
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
            format!("at least {least}, the delay of its forward and reverse links and its access_delay");
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
    map.extend(match route.clone() {
        RouteSpec::Forward => DirectionTable { direction: Directions::Forward }.print_keys(),
        RouteSpec::Reverse => DirectionTable { direction: Directions::Reverse }.print_keys(),
        RouteSpec::Ends(from, to) => EndsTable { from: Some(from), to: Some(to) }.print_keys(),
        RouteSpec::Links(path, back) => PathTable { path: Some(path), back: Some(back) }.print_keys(),
    });
}
