// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the stacks have in common: bounds of datagrams, the initial window, and refusals.

/// Smallest and largest datagram of a QUIC, bytes. // RFC 9000 §14.1
///
/// Both stacks write the length of a padded Initial packet in two bytes, and panic where it does not fit.
pub(super) const DATAGRAM_BOUNDS: (u16, u16) = (1200, 16_383);

#[cfg(not(feature = "tls"))]
pub(super) const NO_TLS: &str = "TLS is not built in: the feature `tls` of cwnd-stacks is off";

/// The initial window for a datagram that the stacks' own, 12 000 bytes, does not hold twice: they send nothing then, since they ask
/// whether a window has room for more than a datagram. `None`: their own. // RFC 9002 §7.2
pub(super) fn initial_window(datagram: u16) -> Option<u64> {
    let two = 2 * u64::from(datagram);
    (two > 12_000).then_some(two)
}

pub(super) fn unknown_algorithm(stack: &str, name: &str, known: &[&str]) -> String {
    format!("{stack} has no algorithm \"{name}\" of its own: {}", known.join(", "))
}

pub(super) fn datagram_out_of_bounds(datagram: u16) -> String {
    let (least, most) = DATAGRAM_BOUNDS;
    format!("datagrams of {datagram} bytes: the stacks accept {least} to {most}")
}
