// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP at both ends of a flow: sender, sending host, receiver, acknowledgements.

mod ack;
mod bitmap;
mod ecn;
mod flow;
mod handshake;
mod hosts;
mod interface;
mod receiver;
mod reception;
mod send_host;
mod sender;

pub use ack::{ACK_BYTES, AckSlab, position};
pub use flow::{AckPath, FlowRecord, FlowState, Handshake, Owner, RecoveryState};
pub use receiver::{AckPacket, Merged, SackBlocks};
pub use sender::{Application, ENDLESS, Expired, Sender, SenderState};
