// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a group with a real stack ([`FlowGroup::stack`]) cannot have: each refused in one line.

use crate::invalid::{Invalid, TableReader};
use crate::keys::flow::FlowGroup;
use crate::keys::stack::{Stack, stock_name};
use serde_json::Value;

/// Keys that are settings of the simulator's TCP, which a stack has its own ways for.
const NOT_OF_STACKS: &[&str] = &[
    "host",
    "recovery",
    "initial_cwnd",
    "initial_ssthresh",
    "ack_every",
    "ack_delay",
    "rwnd",
    "min_rto",
    "limited_transmit",
    "overhead",
    "host_clock",
    "pacing",
    "burst",
    "handshake",
    "gso",
    "gro",
    "app_rate",
    "idle_restart",
];

/// Refuses what a group with a stack cannot have, and what only one with a stack can.
///
/// `given` are its keys as they are printed, and `defaults` those of a group that has only its algorithm and its start.
pub(crate) fn check(
    table: &mut TableReader<'_>,
    group: &FlowGroup,
    (given, defaults): (&Value, &Value),
) -> Result<(), Invalid> {
    let Some(stack) = group.stack else { return check_without(table, group) };
    if stock_name(&group.cc).is_some() && !stack.stock().contains(&&*group.cc) {
        let written = table.get("cc");
        let own = format!("an algorithm of ours, or of {}'s own: {}", stack.name(), stack.stock().join(", "));
        return table.refuse("cc", written, own);
    }
    match NOT_OF_STACKS.iter().find(|key| given.get(key) != defaults.get(key)) {
        Some(key) => table.refuse(key, given.get(key), format!("no {key}: {} has its own", stack.name())),
        None => Ok(()),
    }
}

/// Refuses what needs a stack.
fn check_without(table: &mut TableReader<'_>, group: &FlowGroup) -> Result<(), Invalid> {
    if Stack::is_stock(&group.cc) {
        let with = Stack::ALL.iter().filter(|stack| stack.stock().contains(&&*group.cc));
        let with: Vec<String> = with.map(|stack| format!("`stack = \"{}\"`", stack.name())).collect();
        let written = table.get("cc");
        let expected = format!("an algorithm of ours, or {}: it is a stack's own", with.join(" or "));
        return table.refuse("cc", written, expected);
    }
    if group.tls {
        let written = table.get("tls");
        return table.refuse("tls", written, "a `stack` with it: the simulator's TCP has no TLS");
    }
    Ok(())
}
