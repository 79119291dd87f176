// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an object says of itself, in its section `.cwnd.meta`: text, a fact per line, fields separated by tabs.
//!
//! ```text
//! cwnd       VERSION  LAYOUT (a digest of the structs that object and loader share, hexadecimal)
//! algorithm  NAME  SUMMARY
//! set        NAME  VALUE,VALUE,…                                   of each parameter set, the default first
//! built      NAME  VALUE,VALUE,…                                   the set and the values that the object has
//! param      NAME  KIND  UNIT  MIN  MAX  HELP  SOURCE  CHOICE,…    of each parameter, in the order of the values
//! ```
//!
//! Values are in the stored form (`cwnd::params::ParamKind`). `cwnd-bpf` reads it in `src/kernel/meta.rs`.

use cwnd::Controller;
use cwnd::params::ParamKind;
use cwnd::registry::Description;

use crate::fnv::fnv;

/// The section's text, for an object of `algorithm` with the settings of `controller`, an instance of the set `set`.
/// `layout` is the text of `layout.h`.
pub fn text(algorithm: &Description, set: &str, controller: &Controller, layout: &str) -> String {
    let layout = format!("{:016x}", fnv(layout.bytes()));
    let mut lines = vec![
        line(&["cwnd", env!("CARGO_PKG_VERSION"), &layout]),
        line(&["algorithm", algorithm.name, algorithm.summary]),
    ];
    for known in algorithm.sets() {
        if let Some(instance) = known.controller() {
            lines.push(line(&["set", known.name, &values(&instance, algorithm)]));
        }
    }
    lines.push(line(&["built", set, &values(controller, algorithm)]));
    for spec in algorithm.specs {
        let (kind, choices) = match spec.kind {
            ParamKind::Decimal => ("decimal", String::new()),
            ParamKind::Whole => ("whole", String::new()),
            ParamKind::Flag => ("flag", String::new()),
            ParamKind::Choice(names) => ("choice", names.join(",")),
        };
        let (min, max) = (spec.min.to_string(), spec.max.to_string());
        lines.push(line(&[
            "param",
            spec.name,
            kind,
            spec.unit,
            &min,
            &max,
            spec.help,
            spec.source,
            &choices,
        ]));
    }
    lines.concat()
}

/// Values of all parameters of an instance.
fn values(controller: &Controller, algorithm: &Description) -> String {
    let values: Vec<_> =
        (0..algorithm.specs.len()).map(|index| controller.param(index).to_string()).collect();
    values.join(",")
}

/// Fields of a line, each without what would end it.
fn line(fields: &[&str]) -> String {
    let clean = |field: &&str| field.replace(['\t', '\n', '\r'], " ");
    let mut line = fields.iter().map(clean).collect::<Vec<_>>().join("\t");
    line.push('\n');
    line
}
