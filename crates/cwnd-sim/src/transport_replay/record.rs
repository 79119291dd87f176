// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was recorded of a connection in the kernel.

use cwnd::replay::Row;

/// Flags of a segment.
pub const FIN: u32 = 1;
pub const RST: u32 = 4;
/// What the kernel's timer is set for.
pub const PENDING_TIMEOUT: u32 = 1;
pub const PENDING_PROBE: u32 = 5;
pub const PENDING_REORDERING: u32 = 6;

/// The connection under the kernel's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names and meanings are those of the columns of the table packets")]
pub struct KernelState {
    pub ticks: u32,
    pub snd_una: u32,
    pub snd_nxt: u32,
    pub packets_out: u32,
    pub sacked_out: u32,
    pub lost_out: u32,
    pub retrans_out: u32,
    pub cwnd: u32,
    pub ssthresh: u32,
    pub max_packets_out: u32,
    pub is_cwnd_limited: bool,
    pub ca_state: u32,
    pub srtt_us8: u32,
    pub rttvar_us: u32,
    pub rtt_min_us: u32,
    pub high_seq: u32,
    pub undo_marker: u32,
    pub undo_retrans: u32,
    pub total_retrans: u32,
    pub frto: u32,
    pub tlp_high_seq: u32,
    pub rack_rtt_us: u32,
    pub reo_wnd_steps: u32,
    pub reordering: u32,
    pub pending: u32,
    pub expires: u32,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// An acknowledgement arrived.
    Ack,
    /// A segment, or several at once, left.
    Sent,
    /// The timer expired.
    Timer,
}

/// An acknowledgement, a transmission, or a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names and meanings are those of the columns of the table packets")]
pub struct Packet {
    pub kind: PacketKind,
    pub time_ns: u64,
    pub sent_ns: u64,
    pub sequence: u32,
    pub payload: u32,
    pub gso_size: u32,
    pub acknowledges: u32,
    pub flags: u32,
    pub window: u32,
    pub ts_value: u32,
    pub ts_echo: u32,
    /// Blocks of the SACK option, as many as there are.
    pub sack: [Option<(u32, u32)>; 4],
    pub write_seq: u32,
    pub snd_wnd: u32,
    pub mss: u32,
    pub tick_hz: u32,
    /// The connection before it.
    pub state: KernelState,
}

/// A recorded call or packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// A call of a hook.
    Call(Row),
    /// A packet or a timer.
    Packet(Packet),
}
