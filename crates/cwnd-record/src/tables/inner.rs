// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `inner`, on request (`record.inner`).

use super::shared::seconds;
use crate::column::{Column, Read};
use Read::{Count, Index, Number, Word};

/// A row of the table `inner`: one inner variable of a flow's algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerRow {
    /// Time, ns.
    pub time_ns: u64,
    /// Flow number.
    pub flow: u32,
    /// Name, which tells unit and scale (`cwnd show` has both).
    pub name: &'static str,
    /// Value, as the algorithm keeps it.
    pub value: u64,
}

/// A row per inner variable of a sample, on request (`record.inner`).
pub static INNER: &[Column<InnerRow>] = &[
    Column::new("time_s", "s", "time of the sample", Number(|r| seconds(r.time_ns))),
    Column::new("flow", "", "number of the flow", Index(|r| r.flow)),
    Column::new(
        "name",
        "",
        "name of the variable; the algorithm's page has its unit and scale",
        Word(|r| r.name),
    ),
    Column::new("value", "", "its value, as the algorithm keeps it", Count(|r| r.value)),
];
