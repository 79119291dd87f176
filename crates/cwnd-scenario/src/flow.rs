// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[flow]]`: groups of flows with the parameters of their algorithms; parsed and printed.

use crate::invalid::{Invalid, TableReader, nearest, shown, unknown_key};
use crate::kernel_names::kernels_own;
use crate::keys::flow::{AlgorithmName, FlowGroup, HOST, Start, StartTime};
use crate::keys::list_of_stacks::is_stock;
use crate::keys::{Keyed, RowFormat, Scope};
use crate::params::{expectation, unknown_algorithm};
use crate::units::write_time;
use cwnd::ParamError;
use cwnd::params::Spec;
use cwnd::registry;
use serde_json::{Value, json};

/// Reads one `[[flow]]`.
pub(crate) fn parse(path: &str, value: &Value, scope: &Scope<'_>) -> Result<FlowGroup, Invalid> {
    let mut table = TableReader::new(path, value)?;
    // Errors about these two come before those about any other key.
    AlgorithmName.parse(&mut table, "cc", scope)?;
    StartTime.parse(&mut table, "start", scope)?;
    let host = RowFormat::parse(&HOST, &mut table, "host", scope)?;
    let mut group = FlowGroup::on(host).parse_keys(&mut table, scope)?;
    check_stop(&mut table, &group)?;
    let defaults = print(&FlowGroup::of(&group.cc, group.start));
    crate::stack_refusals::check(&mut table, &group, (&print(&group), &defaults))?;
    check_gso(&mut table, &group)?;
    group.params = parse_params(&table, &group.cc)?;
    Ok(group)
}

/// Refuses a stop at or before the start, or the earliest start: the flows would send nothing.
fn check_stop(table: &mut TableReader<'_>, group: &FlowGroup) -> Result<(), Invalid> {
    let (earliest, start) = match group.start {
        Start::At(at) => (at, write_time(at)),
        Start::Uniform(from, to) => (from, format!("between {} and {}", write_time(from), write_time(to))),
    };
    match group.stop {
        Some(stop) if stop <= earliest => {
            let expected = format!("a time after the start of the flow, {start}");
            let written = table.get("stop");
            table.refuse("stop", written, expected)
        }
        _ => Ok(()),
    }
}

/// Refuses segmentation offload where it is not simulated.
pub(crate) fn check_gso(table: &mut TableReader<'_>, group: &FlowGroup) -> Result<(), Invalid> {
    if group.gso == Some(true) && !group.may_have_gso(group.recovery()) {
        let written = table.get("gso");
        return table.refuse("gso", written, "false, or `recovery = \"linux\"` without `burst`");
    }
    Ok(())
}

/// The keys of `table` that were not read: parameters of the algorithm.
pub(crate) fn parse_params(table: &TableReader<'_>, cc: &str) -> Result<Vec<(String, String)>, Invalid> {
    let whose = if kernels_own(cc).is_some() { "the kernel's" } else { "a stack's" };
    if is_stock(cc) || kernels_own(cc).is_some() {
        let Some((key, value)) = table.rest().next() else { return Ok(Vec::new()) };
        let known = table.read_keys();
        let expected = if nearest(key, known.iter().copied()).is_empty() {
            format!("a key of any flow: {cc} is {whose} own algorithm, which has no parameters here")
        } else {
            unknown_key(key, &known)
        };
        return table.refuse(key, Some(value), expected);
    }
    let specs = registry::find(cc).map_or(&[][..], |(algorithm, _)| algorithm.specs);
    table.rest().map(|(key, value)| Ok((key.clone(), parse_param(table, cc, specs, (key, value))?))).collect()
}

fn parse_param(
    table: &TableReader<'_>,
    cc: &str,
    specs: &[Spec],
    (key, value): (&str, &Value),
) -> Result<String, Invalid> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut probe = cwnd::Controller::by_name(cc).ok_or_else(|| Invalid {
        field: table.field("cc"),
        value: Some(shown(&json!(cc))),
        expected: unknown_algorithm(cc),
    })?;
    match probe.set_param(key, &text) {
        Ok(()) => Ok(text),
        Err(ParamError::Refused(spec, _)) => table.refuse(key, Some(value), expectation(spec)),
        Err(_) => {
            let names: Vec<&str> =
                table.read_keys().into_iter().chain(specs.iter().map(|spec| spec.name)).collect();
            table.refuse(key, Some(value), unknown_key(key, &names))
        }
    }
}

/// A parameter's text as a TOML value: a boolean, a number or a string.
pub(crate) fn param(text: &str) -> Value {
    match text {
        "true" => json!(true),
        "false" => json!(false),
        _ => text.parse::<u64>().map(|n| json!(n)).unwrap_or_else(|_| json!(text)),
    }
}

/// A group as a table, every default written out.
pub(crate) fn print(group: &FlowGroup) -> Value {
    let mut map = group.print_keys();
    crate::routes::print(&group.route, &mut map);
    map.extend(group.params.iter().map(|(name, text)| (name.clone(), param(text))));
    Value::Object(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Both are keys of a [[flow]].
    #[test]
    fn no_parameter_has_the_name_of_a_flows_key() {
        let keys = crate::keys::flow_keys();
        for spec in registry::all().flat_map(|algorithm| algorithm.specs) {
            assert!(!keys.contains(&spec.name), "{}", spec.name);
            assert!(!["flow", "at"].contains(&spec.name), "{}: a key of an action", spec.name);
        }
    }
}
