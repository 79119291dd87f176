// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the columns of several tables have in common.

use crate::Lane;
use crate::column::{Column, Read};
use cwnd_link::{CauseWords, DropCause, Drops};

/// Names of the states of loss recovery, by Linux's numbers.
pub const STATES: [&str; 5] = ["open", "disorder", "cwr", "recovery", "loss"];

pub(super) fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

pub(super) const fn direction(reverse: bool) -> &'static str {
    if reverse { "reverse" } else { "forward" }
}

/// A column per cause of drops: what `read` counts, under the name and with the meaning that `words` picks.
pub(super) fn by_cause<R>(
    read: fn(&R) -> &Drops,
    words: fn(&'static CauseWords) -> (&'static str, &'static str),
) -> Vec<Column<R>> {
    let column = |cause: &DropCause| {
        let (name, doc) = words(cause.words());
        let column = Column::new(name, "packets", doc, Read::Dropped(read, *cause));
        // Only there a kernel has the queues of links.
        if *cause == DropCause::Kernel { column.only(&[Lane::Linux]) } else { column }
    };
    DropCause::ALL.iter().map(column).collect()
}
