// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `inner`, on request (`record.inner`).

use super::shared::seconds;
use crate::column::columns;

columns! {
    /// A row of the table `inner`: one inner variable of a flow's algorithm.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct InnerRow {}
    /// A row per inner variable of a sample, on request (`record.inner`).
    pub static INNER;
    Number time_s = |time_ns: u64| seconds(time_ns), "s", "time of the sample";
    Index flow: u32, "", "number of the flow";
    Word name: &'static str, "", "name of the variable; the algorithm's page has its unit and scale";
    Count value: u64, "", "its value, as the algorithm keeps it";
}
