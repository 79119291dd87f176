// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of real stacks that can be both ends of a flow's connection, and of their own algorithms.

use super::formats::Named;
use super::{Absent, Form, RowFormat, Scope, ValueFormat};
use crate::invalid::{Invalid, TableReader};
use serde_json::{Value, json};

/// What `cc` begins with where the algorithm is the stack's own.
const STOCK: &str = "stock-";

/// What `stack` says where there is none: the simulator's TCP.
const NO_STACK: &str = "tcp";
const NAMES: Named<Option<Stack>> = Named {
    all: &[None, Some(Stack::Quinn), Some(Stack::Noq), Some(Stack::Smoltcp), Some(Stack::Exec)],
    name: |stack| stack.map_or(NO_STACK, Stack::name),
    aliases: &[],
    or: " or ",
};

/// The format of `stack`. A study's axis needs a value that means none; it is read and not printed.
pub(crate) struct StackName;

impl RowFormat for StackName {
    type Value = Option<Stack>;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Result<Option<Self::Value>, Invalid> {
        match table.get(key) {
            // Near to no name of that meaning, or to another one.
            written @ Some(Value::String(text)) if text == "none" => {
                let expected = format!("{} (did you mean {NO_STACK}?)", NAMES.expected(scope));
                table.refuse(key, written, expected)
            }
            _ => RowFormat::parse(&NAMES, table, key, scope),
        }
    }

    fn print(&self, stack: &Self::Value) -> Option<Value> {
        stack.map(|stack| json!(stack.name()))
    }

    fn form(&self) -> Form {
        RowFormat::form(&NAMES)
    }

    fn absent(&self, _: &Self::Value) -> Absent {
        Absent::Words("`\"tcp\"`: the simulator's TCP")
    }
}

/// A real stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// The QUIC of quinn, `quinn-proto` 0.11.
    Quinn,
    /// The QUIC of noq, `noq-proto` 1.
    Noq,
    /// The TCP of smoltcp 0.14.
    Smoltcp,
    /// A child process at each end.
    Exec,
}

impl Stack {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Quinn, Self::Noq, Self::Smoltcp, Self::Exec];

    /// Name in scenarios and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quinn => "quinn",
            Self::Noq => "noq",
            Self::Smoltcp => "smoltcp",
            Self::Exec => "exec",
        }
    }

    /// What it is.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Quinn => "the QUIC of quinn, as applications link it",
            Self::Noq => "the QUIC of noq, as applications link it",
            Self::Smoltcp => "the TCP of smoltcp, for machines without an operating system",
            Self::Exec => "a child process at each end, in any language",
        }
    }

    /// The crate that it is, and its version; a test of `cwnd-stacks` holds this against the lock file.
    #[must_use]
    pub const fn package(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Quinn => Some(("quinn-proto", "0.11.19")),
            Self::Noq => Some(("noq-proto", "1.4.0")),
            Self::Smoltcp => Some(("smoltcp", "0.14.0")),
            Self::Exec => None,
        }
    }

    /// Its own algorithms, as `cc` names them.
    #[must_use]
    pub const fn stock(self) -> &'static [&'static str] {
        match self {
            Self::Quinn => &["stock-cubic", "stock-newreno", "stock-bbr"],
            // Its BBRv3 draws from the thread's generator, which no setting seeds: runs with one seed differ.
            Self::Noq => &["stock-cubic", "stock-newreno"],
            Self::Smoltcp => &["stock-cubic", "stock-reno"],
            // Whatever its command has.
            Self::Exec => &[],
        }
    }

    /// Whether an algorithm of ours can run in it.
    #[must_use]
    pub const fn takes_ours(self) -> bool {
        matches!(self, Self::Quinn | Self::Noq)
    }

    /// Whether it shows its congestion window. Where it does not, tables have 0.
    #[must_use]
    pub const fn shows_window(self) -> bool {
        !matches!(self, Self::Smoltcp)
    }

    /// Its default receive window of a stream, bytes; `None` where it has none, or where it is the child's.
    ///
    /// quinn and noq: `TransportConfig::stream_receive_window`, which a test of `cwnd-stacks` holds this against. smoltcp's user hands it its buffer: 16 MiB here.
    #[must_use]
    pub const fn receive_window(self) -> Option<u64> {
        match self {
            Self::Quinn | Self::Noq => Some(1_250_000),
            Self::Smoltcp => Some(1 << 24),
            Self::Exec => None,
        }
    }

    /// Whether it has an algorithm of its own of this name, as `cc` has it.
    #[must_use]
    pub fn has(self, cc: &str) -> bool {
        self.stock().contains(&cc) || (self == Self::Exec && is_stock(cc))
    }
}

/// What an algorithm of the stacks' own is, as `cc` names it.
#[must_use]
pub fn stock_summary(cc: &str) -> Option<&'static str> {
    match cc {
        "stock-cubic" => Some("CUBIC, in quinn and noq the default; its constants are 0.4 and 0.7"),
        "stock-newreno" => Some("NewReno of QUIC, RFC 9002 §7"),
        "stock-reno" => Some("smoltcp's Reno"),
        "stock-bbr" => Some("BBR, version 1, which quinn calls experimental"),
        _ => None,
    }
}

/// Every name of an algorithm of the stacks' own, each once.
#[must_use]
pub fn stock_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Stack::ALL.iter().flat_map(|stack| stack.stock()).copied().collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether `cc` names an algorithm of a stack's own.
#[must_use]
pub fn is_stock(cc: &str) -> bool {
    stock_name(cc).is_some_and(|name| !name.is_empty())
}

/// The stack's name of its own algorithm that `cc` names: `cubic` for `stock-cubic`.
#[must_use]
pub fn stock_name(cc: &str) -> Option<&str> {
    cc.strip_prefix(STOCK)
}
