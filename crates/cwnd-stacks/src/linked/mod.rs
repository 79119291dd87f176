// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stacks that are linked in: quinn, noq and smoltcp. quinn and noq share the code in `quic`.

mod application;
mod clock;
mod common;
mod datagrams;
mod handshake;
mod noq;
mod null;
mod observed;
mod quinn;
mod random;
mod smoltcp;
#[cfg(feature = "tls")]
mod tls;

use cwnd_sim::{Connection, ConnectionSpec};

pub use quinn::stock_behind_hooks;

/// Names of the stacks that are linked in. Beside them `exec` is a child process for each end.
pub const STACKS: [&str; 3] = ["quinn", "noq", "smoltcp"];

/// Makes both ends of a connection.
pub(crate) fn connect(spec: ConnectionSpec<'_>) -> Result<Connection, String> {
    match spec.stack {
        "quinn" => quinn::connect(spec),
        "noq" => noq::connect(spec),
        "smoltcp" => smoltcp::connect(spec),
        unknown => Err(format!("there is no stack \"{unknown}\": {}, exec", STACKS.join(", "))),
    }
}

/// Names of a stack's own algorithms; `None` where there is no such stack.
pub fn stock_algorithms(stack: &str) -> Option<&'static [&'static str]> {
    match stack {
        "quinn" => Some(&quinn::STOCK),
        "noq" => Some(&noq::STOCK),
        "smoltcp" => Some(&smoltcp::STOCK),
        _ => None,
    }
}

/// Whether one seed gives one result with an algorithm of a stack's own.
///
/// noq's `bbr` does not: it draws when to probe from a generator that nobody can seed.
pub fn is_reproducible(stack: &str, algorithm: &str) -> bool {
    (stack, algorithm) != ("noq", "bbr")
}
