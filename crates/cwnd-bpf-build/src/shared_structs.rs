// SPDX-License-Identifier: MIT OR Apache-2.0
//! The structs that an object and its loader share: the records in the ring buffer, counters, identity. [`crate::layout`] has the
//! glue compare them with those of `bpf/kernel.bpf.h`.

use std::mem::{offset_of, size_of};

use cwnd::{ARGUMENT_WORDS, Conn, Hook, PrivateWords};

/// The connection in the kernel's own terms: what [`Conn`] is derived from, and what the core never sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Socket {
    /// Segments sent and not yet cumulatively acknowledged.
    pub packets_out: u32,
    /// Of them, selectively acknowledged.
    pub sacked_out: u32,
    /// Of them, thought lost.
    pub lost_out: u32,
    /// Of them, sent again.
    pub retrans_out: u32,
    /// Smallest RTT in the kernel's window of minutes, µs; all ones before the first sample.
    pub rtt_min_us: u32,
    /// Mean deviation of the RTT × 4, µs.
    pub mdev_us: u32,
    /// Smoothed largest deviation, µs.
    pub rttvar_us: u32,
    /// Segments lost so far.
    pub lost: u32,
    /// Retransmissions so far.
    pub total_retrans: u32,
    /// `ssthresh` before the last reduction.
    pub prior_ssthresh: u32,
    /// `snd_nxt` when recovery began.
    pub high_seq: u32,
    /// `snd_una` when recovery began; 0 when it cannot be undone.
    pub undo_marker: u32,
    /// Delivered count up to which the application limits the rate; 0 when it does not.
    pub app_limited: u32,
    /// Window that the receiver announced, bytes.
    pub snd_wnd: u32,
    /// Port here.
    pub local_port: u16,
    /// Port there.
    pub remote_port: u16,
}

/// What the probe puts into the ring buffer at each acknowledgement.
#[repr(C)]
pub struct RawSample {
    /// The connection after it.
    pub conn: Conn,
    /// The same connection in the kernel's terms.
    pub kernel: Socket,
    /// The socket's address.
    pub socket: u64,
    /// Its algorithm, zero-padded.
    pub algorithm: [u8; 16],
}

/// What the sampler puts into the ring buffer before a sender does something.
#[repr(C)]
pub struct RawState {
    /// The connection; `tick_hz` is left 0.
    pub conn: Conn,
    /// The same connection in the kernel's terms.
    pub kernel: Socket,
    /// When it was seen, ns on the monotonic clock.
    pub time_ns: u64,
    /// Payload that is cumulatively acknowledged, bytes; the SYN counts as one.
    pub bytes_acked: u64,
    /// 0: the connection is established, 1: an acknowledgement, 2: a timer, 3: it ends.
    pub kind: u32,
    /// The private area.
    pub state: PrivateWords,
    /// Its algorithm, zero-padded.
    pub algorithm: [u8; 16],
}

/// Longest header of a TCP segment, with its options, bytes.
pub const HEADER_BYTES: usize = 60;

/// Something that a connection received or sent, or a timer of it, in one order with its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct RawPacket {
    /// The connection, before anything was done with it.
    pub conn: Conn,
    /// The same connection in the kernel's terms.
    pub kernel: Socket,
    /// Place among all calls and packets of the object.
    pub seq: u64,
    /// The socket's address.
    pub socket: u64,
    /// When it was seen, ns on the monotonic clock.
    pub time_ns: u64,
    /// Of what was sent: when that counts as sent, ns.
    pub sent_ns: u64,
    /// 0: received, 1: sent, 2: the timer.
    pub kind: u32,
    /// Bytes of the TCP header and the data.
    pub bytes: u32,
    /// Bytes of data of each segment, where several were sent at once; else 0.
    pub gso_size: u32,
    /// Sequence number of the next byte that the application writes.
    pub write_seq: u32,
    /// What the timer is set for: 0 nothing, 1 the timeout, 3 a window probe, 5 a loss probe, 6 the end of the reordering window.
    pub pending: u32,
    /// When the timer is due, ticks.
    pub expires_ticks: u32,
    /// The timeout with its back-off, ticks.
    pub rto_ticks: u32,
    /// Its back-off.
    pub backoff: u32,
    /// RACK.rtt, µs.
    pub rack_rtt_us: u32,
    /// RACK.reo_wnd_mult.
    pub reo_wnd_steps: u32,
    /// RACK.reo_wnd_persist.
    pub reo_wnd_persist: u32,
    /// The reordering degree, segments.
    pub reordering: u32,
    /// How often reordering was seen.
    pub reord_seen: u32,
    /// Next sequence number when a probe was sent that is not acknowledged; else 0.
    pub tlp_high_seq: u32,
    /// Retransmissions not yet reported as duplicates; all ones before the first.
    pub undo_retrans: u32,
    /// Timestamp of the first retransmission of the episode; else 0.
    pub retrans_stamp: u32,
    /// 1 while F-RTO is active.
    pub frto: u32,
    /// Segments with data sent so far, with retransmissions and this one.
    pub data_segs_out: u32,
    /// The TCP header with its options; zeros behind it, or what lies there.
    pub header: [u8; HEADER_BYTES],
}

/// Connection states that have a counter: Open, Disorder, CWR, Recovery, Loss.
pub const STATES: usize = 5;

/// What an object counts, in its map `.data.counters`. Only its layout is used.
#[repr(C)]
pub struct RawCounters {
    /// Calls of each hook.
    pub calls: [u64; Hook::ALL.len()],
    /// Calls of `set_state` with each state.
    pub states: [u64; STATES],
    /// Calls, or acknowledgements, that were to be recorded.
    pub seq: u64,
    /// Of them, those that found the ring buffer full.
    pub lost: u64,
    /// Windows and thresholds that were replaced.
    pub repaired: u64,
    /// Connections that began without room for their last window and threshold.
    pub unguarded: u64,
}

/// Longest path of an object's file that is kept, with its final zero.
pub const FILE_BYTES: usize = 252;

/// Who an object is, in its map `.data.identity`: found there by every loader of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Identity {
    /// Name for `TCP_CONGESTION`, zero-padded.
    pub name: [u8; 16],
    /// Parameter set, or the kernel's own algorithm that is wrapped, zero-padded.
    pub set: [u8; 40],
    /// Of the object's bytes, the set and the values of its parameters.
    pub hash: u64,
    /// The registration's number; 0 before there is one.
    pub link: u32,
    /// Number of the map of counters.
    pub counters: u32,
    /// Process that loaded it.
    pub pid: u32,
    /// Loaders that share the registration with the first.
    pub sharers: u32,
    /// Number of the map of parameters; 0 for a wrapper, which has none.
    pub params: u32,
    /// File that it was loaded from, zero-padded; empty for what the package carries, and where the path is too long.
    pub file: [u8; FILE_BYTES],
}

impl Identity {
    /// The bytes that the map holds.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(size_of::<Self>());
        bytes.extend(self.name);
        bytes.extend(self.set);
        bytes.extend(self.hash.to_ne_bytes());
        for number in [self.link, self.counters, self.pid, self.sharers, self.params] {
            bytes.extend(number.to_ne_bytes());
        }
        bytes.extend(self.file);
        bytes
    }

    /// Read from the bytes that the map holds.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let u32_at = |offset: usize| Some(u32::from_ne_bytes(*bytes.get(offset..)?.first_chunk()?));
        Some(Self {
            name: *bytes.get(offset_of!(Self, name)..)?.first_chunk()?,
            set: *bytes.get(offset_of!(Self, set)..)?.first_chunk()?,
            hash: u64::from_ne_bytes(*bytes.get(offset_of!(Self, hash)..)?.first_chunk()?),
            link: u32_at(offset_of!(Self, link))?,
            counters: u32_at(offset_of!(Self, counters))?,
            pid: u32_at(offset_of!(Self, pid))?,
            sharers: u32_at(offset_of!(Self, sharers))?,
            params: u32_at(offset_of!(Self, params))?,
            file: *bytes.get(offset_of!(Self, file)..)?.first_chunk()?,
        })
    }
}

/// One call. Only its layout is used: bytes that the kernel wrote become typed values field by field.
#[repr(C)]
pub struct RawRecord {
    /// The connection before the call; `tick_hz` is left 0.
    pub before: Conn,
    /// The same connection in the kernel's terms.
    pub kernel: Socket,
    /// Place among all calls of the object.
    pub seq: u64,
    /// The socket's address.
    pub socket: u64,
    /// When the call was made, µs on the clock of `before.now_us`, which is 0 while the socket has none.
    pub time_us: u64,
    /// Pacing rate after the call, bytes/s.
    pub pacing_rate_after: u64,
    /// The private area before the call.
    pub state_before: PrivateWords,
    /// The private area after it.
    pub state_after: PrivateWords,
    /// The hook's arguments, as [`cwnd::RecordedArgument`] has them.
    pub args: [u32; ARGUMENT_WORDS],
    /// What it returned; 0 for a hook that returns nothing.
    pub returned: u32,
    /// Which hook.
    pub hook: u32,
    /// The tick counter after the call.
    pub ticks_after: u32,
    /// `cwnd` after it.
    pub cwnd_after: u32,
    /// `ssthresh` after it.
    pub ssthresh_after: u32,
    /// `cwnd_cnt` after it.
    pub cwnd_cnt_after: u32,
    /// Who paces after it.
    pub pacing_status_after: u32,
    /// 1 for a call by the glue in place of one that the kernel skipped.
    pub repaired: u32,
}

/// What the driver of lane linux writes of a rate sample behind a [`RawRecord`], beside the hook's arguments; objects of BPF do not. Only its layout is
/// used.
#[repr(C)]
pub struct RawRateSample {
    /// When the sample's interval begins, µs.
    pub prior_mstamp_us: u64,
}
