// SPDX-License-Identifier: MIT OR Apache-2.0
//! In place of `linked` where no stack is linked in: child processes alone.

use cwnd_scenario::Stack;
use cwnd_sim::{Connection, ConnectionSpec};

/// Makes both ends of a connection of a child process; refuses any other stack.
pub(crate) fn connect(spec: ConnectionSpec<'_>) -> Result<Connection, String> {
    match spec.stack {
        Stack::Exec => crate::exec::connect(spec),
        stack => Err(format!("the stack \"{}\" is not linked in", stack.name())),
    }
}

/// Names of a stack's own algorithms.
pub(crate) const fn stock(_: Stack) -> &'static [&'static str] {
    &[]
}
