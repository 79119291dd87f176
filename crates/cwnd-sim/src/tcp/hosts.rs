// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two hosts of a flow.

use super::ecn::Ecn;
use super::interface::Interface;
use super::send_host::Host;
use cwnd_link::NEVER;

/// What the hosts of a flow do, where they hold packets back or have ECN.
#[derive(Debug)]
pub struct Hosts {
    /// The sender's, if it has an overhead.
    pub sender: Option<Host>,
    /// The interface of the receiver's, if it holds segments back.
    pub interface: Option<Interface>,
    /// ECN, where it has been negotiated.
    pub ecn: Option<Ecn>,
    /// Whether a foreign stack is both ends.
    pub has_stack: bool,
}

impl Hosts {
    /// When the next packet leaves the sender's, ns; [`NEVER`] for never.
    #[inline]
    pub fn next_to_leave(&self) -> u64 {
        self.sender.as_ref().map_or(NEVER, Host::next)
    }

    /// How many packets they hold.
    pub fn len(&self) -> u64 {
        self.sender.as_ref().map_or(0, Host::len) + self.interface.as_ref().map_or(0, Interface::len)
    }
}
