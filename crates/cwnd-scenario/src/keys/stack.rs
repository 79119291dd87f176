// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of real stacks that can be both ends of a flow's connection, and of their own algorithms.

/// What `cc` begins with where the algorithm is the stack's own.
const STOCK: &str = "stock-";

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

    /// Whether it has an algorithm of its own of this name, as `cc` has it.
    #[must_use]
    pub fn has(self, cc: &str) -> bool {
        self.stock().contains(&cc) || (self == Self::Exec && is_stock(cc))
    }
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
