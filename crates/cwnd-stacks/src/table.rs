// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of the stacks: how each connects, and what it has of its own. `cwnd-scenario`'s `keys/stack.rs` has their names and keys.

use crate::exec;
#[cfg(feature = "linked")]
use crate::linked;
use cwnd_scenario::Stack;
use cwnd_sim::{Connection, ConnectionSpec};

/// How this crate runs a stack.
pub(crate) struct Row {
    /// Makes both ends of a connection.
    pub(crate) connect: fn(ConnectionSpec<'_>) -> Result<Connection, String>,
    /// Names of its own algorithms.
    pub(crate) stock: &'static [&'static str],
}

/// The table of the stacks, one row each. A [`Stack`] without a row does not compile.
pub(crate) fn row(stack: Stack) -> Row {
    match stack {
        #[cfg(feature = "linked")]
        Stack::Quinn => Row { connect: linked::quinn::connect, stock: &linked::quinn::STOCK },
        #[cfg(feature = "linked")]
        Stack::Noq => Row { connect: linked::noq::connect, stock: &linked::noq::STOCK },
        #[cfg(feature = "linked")]
        Stack::Smoltcp => Row { connect: linked::smoltcp::connect, stock: &linked::smoltcp::STOCK },
        Stack::Exec => Row { connect: exec::connect, stock: &[] },
        #[cfg(not(feature = "linked"))]
        _ => Row { connect: not_linked, stock: &[] },
    }
}

#[cfg(not(feature = "linked"))]
fn not_linked(spec: ConnectionSpec<'_>) -> Result<Connection, String> {
    Err(format!("the stack \"{}\" is not linked in", spec.stack.name()))
}
