// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stacks that are linked in: quinn, noq and smoltcp.

mod application;
mod clock;
mod datagrams;
mod handshake;
mod noq;
mod observed;
mod quinn;
mod random;
mod smoltcp;
#[cfg(feature = "tls")]
mod tls;

use cwnd_sim::{Connection, ConnectionSpec};

/// Names of the stacks that are linked in. Beside them `exec` is a child process for each end.
pub const STACKS: [&str; 3] = ["quinn", "noq", "smoltcp"];

/// Smallest and largest datagram of a QUIC, bytes. // RFC 9000 §14.1
///
/// Both stacks write the length of a padded Initial packet in two bytes, and panic where it does not fit.
const DATAGRAM_BOUNDS: (u16, u16) = (1200, 16_383);

#[cfg(not(feature = "tls"))]
const NO_TLS: &str = "TLS is not built in: the feature `tls` of cwnd-stacks is off";

/// Makes both ends of a connection.
pub(crate) fn connect(spec: ConnectionSpec<'_>) -> Result<Connection, String> {
    let is_quic = matches!(spec.stack, "quinn" | "noq");
    if is_quic && !(DATAGRAM_BOUNDS.0..=DATAGRAM_BOUNDS.1).contains(&spec.datagram) {
        return Err(datagram_out_of_bounds(spec.datagram));
    }
    match spec.stack {
        "quinn" => quinn::connect(spec),
        "noq" => noq::connect(spec),
        "smoltcp" => smoltcp::connect(spec),
        unknown => Err(format!("there is no stack \"{unknown}\": {}, exec", STACKS.join(", "))),
    }
}

/// quinn's own controllers as parameter sets, `quinn-cubic` and `quinn-newreno`, made for our hooks: for [`cwnd::driver::Driver`], and for
/// everything that holds algorithms to account, such as `cwnd-contract`. They are no part of the registry.
#[must_use]
pub fn stock_behind_hooks() -> Vec<cwnd::registry::SetDescription> {
    quinn::sets_behind_hooks()
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

/// The initial window for a datagram that the stacks' own, 12 000 bytes, does not hold twice: they send nothing then, since they ask
/// whether a window has room for more than a datagram. `None`: their own. // RFC 9002 §7.2
fn initial_window(datagram: u16) -> Option<u64> {
    let two = 2 * u64::from(datagram);
    (two > 12_000).then_some(two)
}

fn unknown_algorithm(stack: &str, name: &str, known: &[&str]) -> String {
    format!("{stack} has no algorithm \"{name}\" of its own: {}", known.join(", "))
}

fn datagram_out_of_bounds(datagram: u16) -> String {
    let (least, most) = DATAGRAM_BOUNDS;
    format!("datagrams of {datagram} bytes: the stacks take {least} to {most}")
}
