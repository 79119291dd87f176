// SPDX-License-Identifier: MIT OR Apache-2.0
//! smoltcp: its TCP as it is, both ends, with its own Reno or CUBIC.
//!
//! What is handed over are the segments: TCP header and data, without the header of IPv4, which the other end's device puts back. They
//! carry no checksums, as on a host that leaves them to its interface.
//!
//! Clocks: smoltcp counts microseconds. The time of a call is rounded down to them; timers are whole microseconds, so a timer is never
//! early. It measures round trips in whole milliseconds, and its retransmission timeout is a second or more: both are its own.
//! Randomness: initial sequence numbers come from the seed, and nothing else is drawn.
//!
//! smoltcp's defaults are kept: acknowledgements are delayed by at most 10 ms, Nagle's algorithm is on, timestamps are off, the initial
//! window is 2048 bytes, a receiver keeps at most four gaps and tells of them by SACK, which its sender makes no use of, and there is no
//! ECN. It has no default for its buffers, which its user hands to it. Here both are 16 MiB unless a receive window is asked for: they
//! limit a sender where path and queue hold more.

mod device;
mod endpoint;
mod observed;

use crate::linked::application::Application;
use cwnd_sim::{Connection, ConnectionSpec, StackAlgorithm};
use device::IP_HEADER;
use endpoint::{Role, SmoltcpEndpoint};
use smoltcp::socket::tcp::CongestionControl;

/// Names of its own algorithms.
pub(crate) const STOCK: [&str; 2] = ["cubic", "reno"];

/// Bytes of the header of UDP, which a segment has for its own use.
const UDP_HEADER: u16 = 8;
/// Smallest largest datagram, bytes: the 576 bytes of RFC 9293 §3.7.1, without the headers of IPv4 and UDP.
const LEAST_DATAGRAM: u16 = 548;

/// The buffer that data go through unless a receive window is asked for, bytes: twice the bandwidth-delay product of 1 Gbit/s and 67 ms.
const BUFFER: u64 = 1 << 24;
/// The largest that smoltcp takes, bytes: its window scale ends there. // RFC 7323 §2.3
const MOST_BUFFER: u64 = 1 << 30;

/// Makes both ends of a connection.
pub(crate) fn connect(spec: ConnectionSpec<'_>) -> Result<Connection, String> {
    let ConnectionSpec { algorithm, datagram, receive_window, tls, seed, .. } = spec;
    let StackAlgorithm::Stock(algorithm) = algorithm else {
        return Err("smoltcp accepts no external algorithm; cwnd's cannot run in it".to_owned());
    };
    if tls {
        return Err("smoltcp has no TLS".to_owned());
    }
    if datagram < LEAST_DATAGRAM {
        return Err(format!("datagrams of {datagram} bytes: smoltcp accepts {LEAST_DATAGRAM} or more"));
    }
    let control = match &*algorithm {
        "reno" => CongestionControl::Reno,
        "cubic" => CongestionControl::Cubic,
        unknown => return Err(crate::linked::common::unknown_algorithm("smoltcp", unknown, &STOCK)),
    };
    let mtu = datagram.saturating_add(UDP_HEADER + IP_HEADER);
    let window = receive_window.unwrap_or(BUFFER).min(MOST_BUFFER) as usize;
    let sender = Role::Sender { application: Application::default() };
    let receiver = Role::Receiver { read: 0 };
    Ok(Connection {
        sender: Box::new(SmoltcpEndpoint::new(sender, control, (mtu, window), seed)?),
        receiver: Box::new(SmoltcpEndpoint::new(receiver, control, (mtu, window), seed)?),
    })
}
