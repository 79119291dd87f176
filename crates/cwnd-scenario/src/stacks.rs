// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a group with a real stack ([`FlowGroup::stack`]) cannot have: each refused in one line.

use crate::invalid::{Invalid, TableReader};
use crate::keys::flow::FlowGroup;
use crate::keys::stack::{Stack, is_stock, stock_names};
use crate::params::{did_you_mean, unknown_stock};
use serde_json::Value;

/// Keys that set up the simulator's TCP and its hosts. A stack does these itself, or the simulator does not model them around a stack.
const NOT_OF_STACKS: &[(&str, Why)] = &[
    ("host", Why::StackDecides),
    ("recovery", Why::StackDecides),
    ("initial_cwnd", Why::StackDecides),
    ("initial_ssthresh", Why::StackDecides),
    ("ack_every", Why::StackDecides),
    ("ack_delay", Why::StackDecides),
    ("min_rto", Why::StackDecides),
    ("limited_transmit", Why::StackDecides),
    ("overhead", Why::NotModelled),
    ("host_clock", Why::NotModelled),
    ("pacing", Why::StackDecides),
    ("burst", Why::StackDecides),
    ("handshake", Why::StackDecides),
    ("gso", Why::NotModelled),
    ("gro", Why::NotModelled),
    ("idle_restart", Why::StackDecides),
];

/// Why a flow with a stack cannot have a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// The stack has its own.
    StackDecides,
    /// The simulator models the host of its own TCP alone.
    NotModelled,
}

impl Why {
    /// What is expected instead of the key.
    fn expected(self, key: &str, stack: Stack) -> String {
        let name = stack.name();
        match self {
            Self::StackDecides => format!("no {key}: {name} has its own"),
            Self::NotModelled => {
                format!("no {key}: it is a setting of the simulator's TCP, and {name} runs without it")
            }
        }
    }
}

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
        if (is_stock(&group.cc) || !stack.takes_ours()) && !stack.has(&group.cc) {
            let written = table.get("cc");
            let ours = if stack.takes_ours() { "an algorithm of ours, or " } else { "an algorithm " };
            let what = format!("{ours}of {}'s own: {}", stack.name(), stack.stock().join(", "));
            let offer = did_you_mean(&group.cc, stack.stock());
            return table.refuse("cc", written, what + &offer);
        }
        if group.ecn && stack == Stack::Smoltcp {
            let written = table.get("ecn");
            return table.refuse("ecn", written, "false: smoltcp has no ECN");
        }
        if group.tls && !stack.takes_ours() {
            let written = table.get("tls");
            return table.refuse("tls", written, format!("false: {} has no TLS", stack.name()));
        }
        if group.exec.is_some() {
            let written = table.get("exec");
            return table.refuse("exec", written, "`stack = \"exec\"` with it");
        }
    }
    match NOT_OF_STACKS.iter().find(|(key, _)| given.get(key) != defaults.get(key)) {
        Some((key, why)) => table.refuse(key, given.get(key), why.expected(key, stack)),
        None => Ok(()),
    }
}

/// Refuses a child process without a command, and what only the stacks that are linked in can.
fn check_exec(table: &mut TableReader<'_>, group: &FlowGroup) -> Result<(), Invalid> {
    if group.exec.is_none() {
        return table.refuse(
            "exec",
            None,
            "the command of the child process that is each end, such as \"python3 stack.py\"",
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
        let most = format!("at most {MOST_CHILDREN} flows: each is two processes");
        return table.refuse("count", written, most);
    }
    if group.tls {
        let written = table.get("tls");
        return table.refuse("tls", written, "false: what a child encrypts is its own matter");
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
        let expected = format!("an algorithm of ours, or {}: it is a stack's own", with.join(" or "));
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
