// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptions of the kinds of distributions.

use crate::keys::{Absent, Form, Key, KindKeys};

/// A kind of distribution: `{ kind = "name", ... }`.
#[derive(Clone, Copy, Debug)]
pub struct DistributionKind {
    /// Its name.
    pub name: &'static str,
    /// Its keys; those in brackets may be left out, `|` parts alternatives. Times and sizes carry their unit.
    pub keys: &'static str,
    /// Its definition.
    pub help: &'static str,
    /// The source of its formulas, or papers that use it.
    pub source: &'static str,
}

/// All kinds except the constant, which is a bare quantity.
pub const KINDS: [DistributionKind; 8] = [
    DistributionKind {
        name: "exponential",
        keys: "mean, [at_least], [at_most]",
        help: "P(X > x) = e^(-x/mean)",
        source: "gaps of leith2007 and ns-2; RTTs of ha2008, cut to an interval",
    },
    DistributionKind {
        name: "pareto",
        keys: "shape, mean | minimum, [at_most]",
        help: "P(X > x) = (minimum/x)^shape from the minimum on; mean = minimum shape/(shape - 1), none for a shape of 1 or less",
        source: "sizes of leith2007; ns-2's Pareto",
    },
    DistributionKind {
        name: "pareto2",
        keys: "shape, mean | scale, [at_least], [at_most]",
        help: "P(X > x) = (1 + x/scale)^-shape (Lomax); mean = scale/(shape - 1), none for a shape of 1 or less",
        source: "ns-2's ParetoII",
    },
    DistributionKind {
        name: "lognormal",
        keys: "sigma, mean | median, [at_least], [at_most]",
        help: "ln X is normal with deviation sigma about ln median; mean = median e^(sigma^2/2)",
        source: "bodies of web sizes; quantiles by Wichura's AS 241 (1988)",
    },
    DistributionKind {
        name: "weibull",
        keys: "shape, mean | scale, [at_least], [at_most]",
        help: "P(X > x) = e^-((x/scale)^shape); mean = scale Gamma(1 + 1/shape)",
        source: "pauses within a page in Surge (1.46 s, 0.382: unverified), cache run lengths of PackMime",
    },
    DistributionKind {
        name: "body-tail",
        keys: "median, sigma, tail_from, tail_shape, tail_share, [at_most]",
        help: "with probability tail_share a Pareto from tail_from on, else a lognormal cut there",
        source: "file sizes of Surge (Barford and Crovella 1998)",
    },
    DistributionKind {
        name: "uniform",
        keys: "min, max",
        help: "each whole number from min to max alike",
        source: "",
    },
    DistributionKind {
        name: "empirical",
        keys: "file, unit | points, [steps]",
        help: "points of a cumulative distribution, straight lines between them, or with steps the points alone",
        source: "the measurement in the file",
    },
];

/// A distribution of values of the form `value`: one of them, or a table.
pub(crate) fn form(value: &Form) -> Form {
    let kinds = KINDS.iter().map(|kind| KindKeys {
        name: kind.name,
        help: kind.help,
        keys: kind.keys.split(',').flat_map(|part| part_keys(part.trim(), value)).collect(),
    });
    let by_kind = Form::ByKind { key: "kind", kinds: kinds.collect(), common: Vec::new() };
    Form::Either(vec![value.clone(), by_kind])
}

/// The keys of a part between commas of [`DistributionKind::keys`].
fn part_keys<'a>(part: &'static str, value: &'a Form) -> impl Iterator<Item = Key> + 'a {
    // A file goes with its unit, or points take the place of both.
    let is_optional = part.starts_with('[') || part.contains('|') || part == "file";
    part.split('|').map(move |name| {
        let name = name.trim().trim_matches(['[', ']']);
        let absent = if is_optional { Absent::Words("none") } else { Absent::Required };
        Key { name, form: key_form(name, value), absent, unit: "", help: "", source: "" }
    })
}

fn key_form(key: &str, value: &Form) -> Form {
    match key {
        "shape" | "sigma" | "tail_shape" | "tail_share" => {
            Form::Decimal { min: 0.0, max: 100.0, text: false }
        }
        "steps" => Form::Flag,
        "file" | "unit" => Form::Text { min: 1, max: u64::MAX },
        "points" => {
            let point = Form::Tuple(vec![value.clone(), Form::Decimal { min: 0.0, max: 1.0, text: true }]);
            Form::List { item: Box::new(point), min: 1 }
        }
        _ => value.clone(),
    }
}
