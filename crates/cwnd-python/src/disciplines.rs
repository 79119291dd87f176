// SPDX-License-Identifier: MIT OR Apache-2.0
//! The queue disciplines, and the causes of drops, as `cwnd-link` describes them.

use cwnd_link::{CauseWords, Discipline, DropCause, SettingKind, SettingOption};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The queue disciplines but DropTail, which is the absence of one.
#[pyfunction]
pub fn queue_disciplines(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let others = Discipline::ALL.iter().filter(|discipline| **discipline != Discipline::DropTail);
    let all = others.map(|discipline| {
        let required = discipline.settings().iter().filter(|setting| setting.default.is_none());
        let item = PyDict::new(py);
        item.set_item("name", discipline.name())?;
        item.set_item("title", discipline.title())?;
        item.set_item("shown", discipline.shown().to_vec())?;
        item.set_item("help", discipline.help())?;
        let kinds = discipline.settings().iter().map(|setting| (setting.name, kind(setting.kind)));
        item.set_item("settings", kinds.collect::<Vec<_>>())?;
        item.set_item("required", required.map(|setting| setting.name).collect::<Vec<_>>())?;
        item.set_item("option", discipline.option().map(|option| describe(py, option)).transpose()?)?;
        Ok(item)
    });
    all.collect()
}

/// What kind of value a setting has.
const fn kind(kind: SettingKind) -> &'static str {
    match kind {
        SettingKind::Flag => "flag",
        SettingKind::TimeAbove0 | SettingKind::TimeNotBelow(_) => "time",
        SettingKind::Fraction => "fraction",
        SettingKind::QueueSize | SettingKind::QueueSizeAbove(_) => "size",
    }
}

fn describe(py: Python<'_>, option: SettingOption) -> PyResult<Bound<'_, PyDict>> {
    let SettingOption { names, example, help, what } = option;
    let item = PyDict::new(py);
    item.set_item("names", names.to_vec())?;
    item.set_item("example", example.to_vec())?;
    item.set_item("help", help)?;
    item.set_item("what", what)?;
    Ok(item)
}

/// The causes of drops, in the order of their columns.
#[pyfunction]
pub fn drop_causes(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let all = DropCause::ALL.iter().map(|cause| {
        let CauseWords {
            event, column, column_run, of_link, heading, counted, legend, picture, always, ..
        } = *cause.words();
        let item = PyDict::new(py);
        item.set_item("event", event)?;
        item.set_item("column", column)?;
        item.set_item("column_run", column_run)?;
        item.set_item("meaning", of_link)?;
        item.set_item("heading", heading)?;
        item.set_item("counted", counted)?;
        item.set_item("legend", legend)?;
        item.set_item("picture", picture)?;
        item.set_item("always", always)?;
        Ok(item)
    });
    all.collect()
}
