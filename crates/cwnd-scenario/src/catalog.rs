// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registry of algorithms as JSON documents: what forms, lists and pages of algorithms are made from.

use crate::keys::list_of_stacks::{Stack, stock_summary};
use crate::params::show_param;
use cwnd::params::{ParamKind, Params, Spec};
use cwnd::registry::{self, Description};
use cwnd::slow_start::{self, SlowStartParams};
use cwnd::unit_and_scale;
use serde_json::{Map, Value, json};

/// Every algorithm with its parameters, parameter sets and inner variables.
#[must_use]
pub fn algorithms() -> Value {
    registry::all().map(algorithm).collect()
}

fn algorithm(algorithm: &Description) -> Value {
    let built_in = registry::ALGORITHMS.iter().any(|built_in| built_in.name == algorithm.name);
    let mut defaults: Option<Map<String, Value>> = None;
    let mut sets = Vec::new();
    for set in algorithm.sets() {
        let Some(controller) = set.controller() else { continue };
        let values = algorithm.specs.iter().enumerate();
        let params: Map<String, Value> = values
            .map(|(index, spec)| (spec.name.to_owned(), show_param(spec, controller.param(index)).into()))
            .collect();
        defaults.get_or_insert_with(|| params.clone());
        sets.push(json!({
            "name": set.name,
            "summary": set.summary,
            "source": set.source,
            "recovery": set.recovery.name(),
            "params": params,
        }));
    }
    let defaults = defaults.unwrap_or_default();
    let params: Vec<Value> = algorithm
        .specs
        .iter()
        .filter_map(|spec| Some(parameter(spec, defaults.get(spec.name)?.as_str()?)))
        .collect();
    let inner: Vec<Value> = algorithm
        .inner()
        .map(|name| {
            let (unit, scale) = unit_and_scale(name);
            json!({ "name": name, "unit": unit, "scale": scale })
        })
        .collect();
    json!({
        "name": algorithm.name,
        "summary": algorithm.summary,
        "built_in": built_in,
        "params": params,
        "sets": sets,
        "inner": inner,
    })
}

fn parameter(spec: &Spec, default: &str) -> Value {
    let (kind, choices): (_, &[&str]) = match spec.kind {
        ParamKind::Decimal => ("decimal", &[]),
        ParamKind::Whole => ("whole", &[]),
        ParamKind::Flag => ("flag", &["false", "true"]),
        ParamKind::Choice(names) => ("choice", names),
    };
    json!({
        "name": spec.name,
        "kind": kind,
        "unit": spec.unit,
        "min": show_param(spec, spec.min),
        "max": show_param(spec, spec.max),
        "default": default,
        "choices": choices,
        "help": spec.help,
        "source": spec.source,
        "needs": spec.condition().map(|(name, value)| [name, value]),
    })
}

/// The slow starts that an algorithm with the parameter `slow_start` can have, each with the settings that concern it.
#[must_use]
pub fn slow_starts() -> Value {
    let carries = |specs: &[Spec]| specs.iter().any(|spec| spec.name == "slow_start");
    let algorithms: Vec<&str> = registry::all()
        .filter(|algorithm| carries(algorithm.specs))
        .map(|algorithm| algorithm.name)
        .collect();
    let slow_start = |choice: &slow_start::Choice| {
        let specs = SlowStartParams::SPECS.iter().enumerate();
        let params: Vec<Value> = specs
            .filter(|(_, spec)| spec.condition() == Some(("slow_start", choice.name)))
            .map(|(index, spec)| parameter(spec, &show_param(spec, choice.params.get(index))))
            .collect();
        json!({
            "name": choice.name,
            "summary": choice.summary,
            "source": choice.source,
            "params": params,
            "algorithms": algorithms,
        })
    };
    slow_start::CHOICES.iter().map(slow_start).collect()
}

/// The real stacks that both ends of a flow can be, each with its crate and its own algorithms.
#[must_use]
pub fn stacks() -> Value {
    let stack = |stack: &Stack| {
        let own = stack.stock().iter();
        let algorithms: Vec<Value> =
            own.map(|cc| json!({ "name": cc, "summary": stock_summary(cc) })).collect();
        json!({
            "name": stack.name(),
            "summary": stack.summary(),
            "package": stack.package().map(|(name, _)| name),
            "version": stack.package().map(|(_, version)| version),
            "takes_ours": stack.supports_cwnd_algorithms(),
            "algorithms": algorithms,
        })
    };
    Stack::ALL.iter().map(stack).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_algorithm_of_a_stack_says_what_it_is() {
        let all = stacks();
        let names: Vec<&str> =
            all.as_array().into_iter().flatten().filter_map(|one| one["name"].as_str()).collect();
        assert_eq!(names, ["quinn", "noq", "smoltcp", "exec"]);
        let own = |stack: usize| all[stack]["algorithms"].as_array().expect("a list").iter();
        assert!((0..4).flat_map(own).all(|one| one["summary"].is_string()));
        assert_eq!([0, 1, 2, 3].map(|stack| own(stack).count()), [3, 2, 2, 0]);
    }
}
