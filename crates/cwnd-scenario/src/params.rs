// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm's parameters as a scenario writes them.

use crate::invalid::{Invalid, TableReader, nearest, unknown_name};
use crate::kernel_names::kernels_own;
use crate::keys::list_of_stacks::{Stack, is_stock, stock_name, stock_names};
use cwnd::params::{ParamKind, Spec};
use cwnd::registry::{self, Controller};
use serde_json::Value;

/// A number in 1/65536 as the shortest decimal that parses to it, with at most five digits.
fn decimal_x64k(value: u32) -> String {
    (0..=5)
        .map(|digits| format!("{:.*}", digits, f64::from(value) / 65_536.0))
        .find(|text| text.parse::<f64>().is_ok_and(|v| (v * 65_536.0).round() == f64::from(value)))
        .unwrap_or_else(|| (f64::from(value) / 65_536.0).to_string())
}

/// A parameter's value as a scenario writes it.
#[must_use]
pub fn show_param(spec: &Spec, value: u32) -> String {
    match spec.kind {
        ParamKind::Decimal => decimal_x64k(value),
        ParamKind::Whole => value.to_string(),
        ParamKind::Flag => (value != 0).to_string(),
        ParamKind::Choice(names) => {
            names.get(value as usize).map_or_else(|| value.to_string(), |name| (*name).to_owned())
        }
    }
}

/// What a parameter accepts, for error messages.
#[must_use]
pub fn expectation(spec: &Spec) -> String {
    let range = || format!("{} to {}", show_param(spec, spec.min), show_param(spec, spec.max));
    let what = match spec.kind {
        ParamKind::Decimal => format!("a decimal from {}", range()),
        ParamKind::Whole => format!("a whole number from {}", range()),
        ParamKind::Flag => "true or false".to_owned(),
        ParamKind::Choice(names) => format!("one of {}", names.join(", ")),
    };
    format!("{what} ({})", spec.help)
}

/// What is expected in place of an unknown algorithm, for error messages.
pub(crate) fn unknown_algorithm(cc: &str) -> String {
    const WHAT: &str = "the name of an algorithm";
    let names: Vec<&str> = registry::all().flat_map(|a| a.sets().map(|set| set.name)).collect();
    let stock = stock_names();
    if cc == "stock" || stock_name(cc) == Some("") {
        return unknown_stock(cc, &stock);
    }
    if let Some(stack) = Stack::ALL.iter().find(|stack| stack.name() == cc) {
        return format!("{WHAT}, with `stack = \"{}\"`: that name is a stack", stack.name());
    }
    // `quinn-cubic`
    for stack in Stack::ALL {
        let own = cc.strip_prefix(stack.name()).and_then(|rest| rest.strip_prefix('-'));
        let own = own.and_then(|own| stack.stock().iter().find(|cc| stock_name(cc) == Some(own)));
        if let Some(own) = own {
            return format!("{WHAT} (did you mean {own}, with `stack = \"{}\"`?)", stack.name());
        }
    }
    // `bbr`, which nothing of ours is called.
    let ours = names.iter().any(|name| name.eq_ignore_ascii_case(cc));
    let own = stock.iter().find(|own| stock_name(own).is_some_and(|name| name.eq_ignore_ascii_case(cc)));
    if let Some(own) = own.filter(|_| !ours) {
        return format!("{WHAT} (did you mean {own}, with a `stack`?)");
    }
    let all: Vec<&str> = names.iter().chain(&stock).copied().collect();
    if nearest(cc, all.iter().copied()).is_empty() {
        unknown_name(WHAT, cc, &names)
    } else {
        unknown_name(WHAT, cc, &all)
    }
}

/// What is expected in place of a name that begins with `stock-` where no stack has it.
pub(crate) fn unknown_stock(cc: &str, known: &[&str]) -> String {
    format!(
        "an algorithm of cwnd or, with a `stack`, one of its own: {}, or a child's with `stack = \"exec\"`{}",
        known.join(", "),
        did_you_mean(cc, known)
    )
}

/// The offer of the nearest name, if one is near.
pub(crate) fn did_you_mean(cc: &str, known: &[&str]) -> String {
    let near = nearest(cc, known.iter().copied());
    near.first().map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}

/// Reads `cc`, an algorithm that exists.
pub(crate) fn parse_cc(table: &mut TableReader<'_>) -> Result<String, Invalid> {
    let cc = table.required_text("cc", "the name of an algorithm")?;
    if registry::find(&cc).is_some() || is_stock(&cc) || kernels_own(&cc).is_some() {
        return Ok(cc);
    }
    let expected = unknown_algorithm(&cc);
    table.refuse("cc", Some(&Value::String(cc)), expected)
}

/// A new instance of an algorithm with its parameters, which validation has found to exist.
pub(crate) fn controller(cc: &str, params: &[(String, String)]) -> Controller {
    with_params(Controller::by_name(cc), params)
}

/// The same in a stack, where there is one; of Reno, which nobody asks, where the algorithm is a stack's own.
pub(crate) fn controller_in(stack: Option<Stack>, cc: &str, params: &[(String, String)]) -> Controller {
    let cc = stock_name(cc).map_or(cc, |_| "reno");
    match stack {
        Some(_) => with_params(Controller::for_quic(cc), params),
        None => controller(cc, params),
    }
}

pub(crate) fn with_params(controller: Option<Controller>, params: &[(String, String)]) -> Controller {
    let mut controller = controller.expect("validated: the algorithm is registered");
    for (name, value) in params {
        controller.set_param(name, value).expect("validated: the parameter exists and is in range");
    }
    controller
}
