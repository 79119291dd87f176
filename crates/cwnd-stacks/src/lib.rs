// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real transport stacks as endpoints of the simulator: quinn, noq and smoltcp, or a child process, in virtual time.
//!
//! The stacks are the crates that applications link, unchanged. Both ends of a connection run in them; the simulator carries their
//! datagrams. Time comes in as an argument, random numbers come from the seed: one seed gives one sequence of bytes.
//!
//! By default nothing is encrypted: packets and flights of the handshake have the lengths that they have with TLS, and cost less.
//!
//! ```
//! use cwnd_scenario::Stack;
//! use cwnd_sim::{ConnectionSpec, StackAlgorithm, Stacks};
//! use cwnd_stacks::RealStacks;
//!
//! let algorithm = StackAlgorithm::Stock("cubic".to_owned());
//! let spec = ConnectionSpec { stack: Stack::Quinn, algorithm, datagram: 1452, receive_window: None, tls: false, seed: 1, exec: None };
//! let mut connection = RealStacks.connect(spec)?;
//! connection.sender.open(0);
//! let mut datagram = Vec::new();
//! assert!(connection.sender.transmit(0, &mut datagram).is_some());
//! # Ok::<(), String>(())
//! ```
#![forbid(unsafe_code)]

mod exec;
#[cfg(feature = "linked")]
mod linked;
#[cfg(not(feature = "linked"))]
#[path = "not_linked.rs"]
mod linked;

#[doc(hidden)]
pub use exec::frames_of as exec_frames_of;
#[cfg(feature = "linked")]
pub use linked::quinn::stock_behind_hooks;

use cwnd_scenario::Stack;
use cwnd_sim::{Connection, ConnectionSpec, Stacks};

/// Names of a stack's own algorithms; none of a child process, whose command has them.
#[must_use]
pub fn stock_algorithms(stack: Stack) -> &'static [&'static str] {
    linked::stock(stack)
}

/// The stacks that are linked in, and child processes (`exec`). Without the feature `linked` child processes alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealStacks;

impl Stacks for RealStacks {
    fn connect(&self, spec: ConnectionSpec<'_>) -> Result<Connection, String> {
        linked::connect(spec)
    }
}
