// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stacks that are linked in: quinn, noq and smoltcp. quinn and noq share the code in `quic`.
//!
//! Rows of `cwnd-scenario`'s `keys/list_of_stacks.rs` name the modules of the stacks. Each has `connect`, which makes both ends of a connection,
//! and `STOCK`, the names of its own algorithms.

mod application;
mod clock;
mod common;
mod datagrams;
mod handshake;
mod null;
mod observed;
mod random;
#[cfg(feature = "tls")]
mod tls;

use cwnd_scenario::Stack;
use cwnd_sim::{Connection, ConnectionSpec};

macro_rules! declare {
    ($($Stack:ident $module:ident,)+) => {
        $(pub(crate) mod $module;)+

        /// Makes both ends of a connection.
        pub(crate) fn connect(spec: ConnectionSpec<'_>) -> Result<Connection, String> {
            match spec.stack {
                $(Stack::$Stack => $module::connect(spec),)+
                Stack::Exec => crate::exec::connect(spec),
            }
        }

        /// Names of a stack's own algorithms.
        pub(crate) const fn stock(stack: Stack) -> &'static [&'static str] {
            match stack {
                $(Stack::$Stack => &$module::STOCK,)+
                Stack::Exec => &[],
            }
        }
    };
}

cwnd_scenario::with_linked_stacks!(declare);
