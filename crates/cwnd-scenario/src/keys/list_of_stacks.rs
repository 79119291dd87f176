// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of real stacks that can be both ends of a flow's connection, and of their own algorithms.

use super::formats::Named;
use super::{Absent, Form, Parsed, RowFormat, Scope, ValueFormat};
use crate::invalid::TableReader;
use serde_json::{Value, json};

/// What `cc` begins with where the algorithm is the stack's own.
const STOCK: &str = "stock-";

/// What `stack` says where there is none: the simulator's TCP.
const NO_STACK: &str = "tcp";
const NAMES: Named<Option<Stack>> = Named {
    all: Stack::OR_NONE,
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
    ) -> Parsed<Self::Value> {
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

/// What is known of a stack: its row in the table.
struct StackRow {
    /// Name in scenarios and on the command line.
    name: &'static str,
    /// What it is.
    summary: &'static str,
    /// The crate that it is, and its version; `None` where it is none.
    package: Option<(&'static str, &'static str)>,
    /// Its own algorithms, as `cc` names them.
    stock: &'static [&'static str],
    /// Whether it is QUIC, whose datagrams have a least and a largest size.
    is_quic: bool,
    /// Whether an algorithm of ours can run in it.
    supports_cwnd_algorithms: bool,
    /// Whether it shows its congestion window.
    shows_window: bool,
    /// Its default receive window of a stream, bytes; `None` where it has none, or where it is the child's.
    receive_window: Option<u64>,
    /// Largest receive window that it can have, bytes.
    max_receive_window: u64,
    /// Whether it can negotiate ECN.
    has_ecn: bool,
    /// Whether its packets can be encrypted by TLS here.
    has_tls: bool,
}

/// Declares the stacks, one row each. A stack that is linked in names its module, a folder of `cwnd-stacks/src/linked`. The first
/// argument is a dollar sign, for the macro that this one declares.
macro_rules! stacks {
    ($d:tt $($(#[$doc:meta])* $Stack:ident $(in $module:ident)? { $($field:ident: $value:expr,)+ })+) => {
        /// A real stack.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Stack {
            $($(#[$doc])* $Stack,)+
        }

        impl Stack {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$Stack,)+];
            /// None, and all of them.
            const OR_NONE: &'static [Option<Self>] = &[None, $(Some(Self::$Stack),)+];

            const fn row(self) -> &'static StackRow {
                match self {
                    $(Self::$Stack => &StackRow { $($field: $value,)+ },)+
                }
            }
        }

        /// Calls `declare! { Quinn quinn, Noq noq, … }`: the stacks that are linked in, and the module of each.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! with_linked_stacks {
            ($d declare:ident) => { $d declare! { $($($Stack $module,)?)+ } };
        }
    };
}

/// Default of `TransportConfig::stream_receive_window` of quinn and noq, which a test of `cwnd-stacks` holds this against.
const QUINNS_WINDOW: u64 = 1_250_000;

stacks! { $
    /// The QUIC of quinn, `quinn-proto` 0.11.
    Quinn in quinn {
        name: "quinn",
        summary: "the QUIC of quinn, as applications link it",
        package: Some(("quinn-proto", "0.11.19")),
        stock: &["stock-cubic", "stock-newreno", "stock-bbr"],
        is_quic: true,
        supports_cwnd_algorithms: true,
        shows_window: true,
        receive_window: Some(QUINNS_WINDOW),
        max_receive_window: u64::MAX,
        has_ecn: true,
        has_tls: true,
    }
    /// The QUIC of noq, `noq-proto` 1.
    Noq in noq {
        name: "noq",
        summary: "the QUIC of noq, as applications link it",
        package: Some(("noq-proto", "1.4.0")),
        // Its BBRv3 draws from the thread's generator, which no setting seeds: runs with one seed differ.
        stock: &["stock-cubic", "stock-newreno"],
        is_quic: true,
        supports_cwnd_algorithms: true,
        shows_window: true,
        receive_window: Some(QUINNS_WINDOW),
        max_receive_window: u64::MAX,
        has_ecn: true,
        has_tls: true,
    }
    /// The TCP of smoltcp 0.14.
    Smoltcp in smoltcp {
        name: "smoltcp",
        summary: "the TCP of smoltcp, for machines without an operating system",
        package: Some(("smoltcp", "0.14.0")),
        stock: &["stock-cubic", "stock-reno"],
        is_quic: false,
        supports_cwnd_algorithms: false,
        shows_window: false,
        // Its user hands it its buffer: 16 MiB here.
        receive_window: Some(1 << 24),
        // TCP's window scale ends there: RFC 7323 §2.3.
        max_receive_window: 1 << 30,
        has_ecn: false,
        has_tls: false,
    }
    /// A child process at each end.
    Exec {
        name: "exec",
        summary: "a child process at each end, in any language",
        package: None,
        // Whatever its command has.
        stock: &[],
        is_quic: false,
        supports_cwnd_algorithms: false,
        shows_window: true,
        receive_window: None,
        max_receive_window: u64::MAX,
        has_ecn: true,
        has_tls: false,
    }
}

impl Stack {
    /// Name in scenarios and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// What it is.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        self.row().summary
    }

    /// The crate that it is, and its version; a test of `cwnd-stacks` holds this against the lock file.
    #[must_use]
    pub const fn package(self) -> Option<(&'static str, &'static str)> {
        self.row().package
    }

    /// Its own algorithms, as `cc` names them.
    #[must_use]
    pub const fn stock(self) -> &'static [&'static str] {
        self.row().stock
    }

    /// Whether an algorithm of ours can run in it.
    #[must_use]
    pub const fn supports_cwnd_algorithms(self) -> bool {
        self.row().supports_cwnd_algorithms
    }

    /// Whether it is QUIC, whose datagrams have a least and a largest size.
    #[must_use]
    pub const fn is_quic(self) -> bool {
        self.row().is_quic
    }

    /// Whether it shows its congestion window. Where it does not, tables have 0.
    #[must_use]
    pub const fn shows_window(self) -> bool {
        self.row().shows_window
    }

    /// Its default receive window of a stream, bytes; `None` where it has none, or where it is the child's.
    #[must_use]
    pub const fn receive_window(self) -> Option<u64> {
        self.row().receive_window
    }

    /// Largest receive window that it can have, bytes.
    pub(crate) const fn max_receive_window(self) -> u64 {
        self.row().max_receive_window
    }

    /// Whether it can negotiate ECN.
    pub(crate) const fn has_ecn(self) -> bool {
        self.row().has_ecn
    }

    /// Whether its packets can be encrypted by TLS here.
    pub(crate) const fn has_tls(self) -> bool {
        self.row().has_tls
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
        "stock-cubic" => Some("CUBIC, the default of quinn and noq; constants 0.4 and 0.7"),
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
