// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a group with a real stack ([`FlowGroup::stack`]) cannot have: each refused in one line.

use crate::invalid::{Invalid, TableReader};
use crate::keys::Lanes;
use crate::keys::flow::{FlowGroup, keys_without};
use crate::keys::list_of_stacks::{Stack, is_stock, stock_names};
use crate::params::{did_you_mean, unknown_stock};
use serde_json::Value;

/// Most flows of a group whose ends are child processes.
const MOST_CHILDREN: u32 = 100;

/// Refuses what a group with a stack cannot have, and what only one with a stack can.
///
/// `given` are its keys as they are printed, and `defaults` those of a group that has only its algorithm and its start.
pub(crate) fn check(
    table: &mut TableReader<'_>,
    group: &FlowGroup,
    (given, defaults): (&Value, &Value),
) -> Result<(), Invalid> {
    let Some(stack) = group.stack else { return check_without(table, group) };
    if stack == Stack::Exec {
        check_exec(table, group)?;
    } else {
        if (is_stock(&group.cc) || !stack.supports_cwnd_algorithms()) && !stack.has(&group.cc) {
            let written = table.get("cc");
            let ours = if stack.supports_cwnd_algorithms() {
                "an algorithm of cwnd, or one "
            } else {
                "an algorithm "
            };
            let what = format!("{ours}of {}'s own: {}", stack.name(), stack.stock().join(", "));
            let offer = did_you_mean(&group.cc, stack.stock());
            return table.refuse("cc", written, what + &offer);
        }
        if group.ecn && !stack.has_ecn() {
            let written = table.get("ecn");
            return table.refuse("ecn", written, format!("false: {} has no ECN", stack.name()));
        }
        if group.tls && !stack.has_tls() {
            let written = table.get("tls");
            return table.refuse("tls", written, format!("false: {} has no TLS", stack.name()));
        }
        if group.exec.is_some() {
            let written = table.get("exec");
            return table.refuse("exec", written, "`stack = \"exec\"` with it");
        }
    }
    let Some(key) = keys_without(Lanes::STACK).find(|key| given.get(key) != defaults.get(key)) else {
        return Ok(());
    };
    let expected =
        format!("no {key}: it sets up the simulator's TCP and its host, which {} replaces", stack.name());
    table.refuse(key, given.get(key), expected)
}

/// Refuses a child process without a command, and what only the stacks that are linked in can.
fn check_exec(table: &mut TableReader<'_>, group: &FlowGroup) -> Result<(), Invalid> {
    if group.exec.is_none() {
        return table.refuse(
            "exec",
            None,
            "the command of the child process at each end, such as \"python3 stack.py\"",
        );
    }
    if !is_stock(&group.cc) {
        let written = table.get("cc");
        return table.refuse(
            "cc",
            written,
            "`stock-` and the name of an algorithm of the child's own, such as stock-aimd",
        );
    }
    if group.count > MOST_CHILDREN {
        let written = table.get("count");
        let most = format!("at most {MOST_CHILDREN} flows: each needs two processes");
        return table.refuse("count", written, most);
    }
    if group.tls {
        let written = table.get("tls");
        return table.refuse("tls", written, "false: a child process does its own encryption");
    }
    Ok(())
}

/// Refuses what needs a stack.
fn check_without(table: &mut TableReader<'_>, group: &FlowGroup) -> Result<(), Invalid> {
    if is_stock(&group.cc) {
        let with = Stack::ALL.iter().filter(|stack| stack.stock().contains(&&*group.cc));
        let with: Vec<String> = with.map(|stack| format!("`stack = \"{}\"`", stack.name())).collect();
        let written = table.get("cc");
        if with.is_empty() {
            return table.refuse("cc", written, unknown_stock(&group.cc, &stock_names()));
        }
        let expected = format!("an algorithm of cwnd, or {}: it is a stack's own", with.join(" or "));
        return table.refuse("cc", written, expected);
    }
    if group.tls {
        let written = table.get("tls");
        return table.refuse("tls", written, "a `stack` with it: the simulator's TCP has no TLS");
    }
    if group.exec.is_some() {
        let written = table.get("exec");
        return table.refuse("exec", written, "`stack = \"exec\"` with it");
    }
    Ok(())
}
