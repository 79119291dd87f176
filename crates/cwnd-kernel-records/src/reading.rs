// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads records from the kernel's bytes, field by field.

use cwnd::replay::{After, Call, Row};
use cwnd::{ARGUMENT_WORDS, CaState, Conn, Hook, PacingStatus, PrivateWords};
use cwnd_bpf_build::shared_structs::{HEADER_BYTES, RawPacket, RawRateSample, RawRecord, Socket};
use std::mem::{offset_of, size_of};

/// A recorded call of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRecord {
    /// Place among all calls of the object's hooks, and among the packets that it records with them; where numbers are missing, records were lost.
    pub seq: u64,
    /// Which connection: 0, 1, … in the order of their first records.
    pub connection: u64,
    /// When the call was made, µs. `row.before.now_us` is what the hook saw: the same, or 0 on a socket that was just accepted.
    pub time_us: u64,
    /// The call, for [`cwnd::replay::Replay`]. `tick_hz` is the machine's, which the reader adds.
    pub row: Row,
    /// Whether the glue made this call in place of one that the kernel skipped.
    pub repaired: bool,
    /// The connection before the call in the kernel's own terms.
    pub kernel: Socket,
    /// The module's private area before the call, in 32-bit words.
    pub state_before: PrivateWords,
    /// And after it.
    pub state_after: PrivateWords,
    /// When the interval of the rate sample began that `cong_control` was given, µs, in a record of lane linux.
    pub prior_mstamp_us: Option<u64>,
}

/// What a connection received or sent, or its timer, in one order with its calls; only a trace of the transport and one of lane linux record them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketRecord {
    /// Place among all calls and packets, as [`CallRecord::seq`].
    pub seq: u64,
    /// Which connection, as [`CallRecord::connection`].
    pub connection: u64,
    /// What was recorded of it.
    pub raw: RawPacket,
}

/// A field's bytes; zeros if there are too few.
#[must_use]
pub fn field<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    // The length was checked once, for the whole.
    bytes.get(offset..).and_then(<[u8]>::first_chunk).copied().unwrap_or([0; N])
}

/// Length of a packet's record, by which it is told from a call's.
pub const PACKET_BYTES: usize = size_of::<RawPacket>();
const _: () = assert!(PACKET_BYTES < size_of::<RawRecord>());

/// A packet, from its bytes.
#[must_use]
pub fn packet(bytes: &[u8], tick_hz: u32) -> RawPacket {
    let u32_at = |offset| u32::from_ne_bytes(field(bytes, offset));
    let u64_at = |offset| u64::from_ne_bytes(field(bytes, offset));
    RawPacket {
        conn: Conn { tick_hz, ..conn(bytes, offset_of!(RawPacket, conn)) },
        kernel: socket(bytes, offset_of!(RawPacket, kernel)),
        seq: u64_at(offset_of!(RawPacket, seq)),
        socket: u64_at(offset_of!(RawPacket, socket)),
        time_ns: u64_at(offset_of!(RawPacket, time_ns)),
        sent_ns: u64_at(offset_of!(RawPacket, sent_ns)),
        kind: u32_at(offset_of!(RawPacket, kind)),
        bytes: u32_at(offset_of!(RawPacket, bytes)),
        gso_size: u32_at(offset_of!(RawPacket, gso_size)),
        write_seq: u32_at(offset_of!(RawPacket, write_seq)),
        pending: u32_at(offset_of!(RawPacket, pending)),
        expires_ticks: u32_at(offset_of!(RawPacket, expires_ticks)),
        rto_ticks: u32_at(offset_of!(RawPacket, rto_ticks)),
        backoff: u32_at(offset_of!(RawPacket, backoff)),
        rack_rtt_us: u32_at(offset_of!(RawPacket, rack_rtt_us)),
        reo_wnd_steps: u32_at(offset_of!(RawPacket, reo_wnd_steps)),
        reo_wnd_persist: u32_at(offset_of!(RawPacket, reo_wnd_persist)),
        reordering: u32_at(offset_of!(RawPacket, reordering)),
        reord_seen: u32_at(offset_of!(RawPacket, reord_seen)),
        tlp_high_seq: u32_at(offset_of!(RawPacket, tlp_high_seq)),
        undo_retrans: u32_at(offset_of!(RawPacket, undo_retrans)),
        retrans_stamp: u32_at(offset_of!(RawPacket, retrans_stamp)),
        frto: u32_at(offset_of!(RawPacket, frto)),
        data_segs_out: u32_at(offset_of!(RawPacket, data_segs_out)),
        header: field::<HEADER_BYTES>(bytes, offset_of!(RawPacket, header)),
    }
}

/// A connection, from the bytes at `offset`.
#[must_use]
pub fn conn(bytes: &[u8], offset: usize) -> Conn {
    let u8_at = |at: usize| field::<1>(bytes, offset + at)[0];
    let u32_at = |at: usize| u32::from_ne_bytes(field(bytes, offset + at));
    let u64_at = |at: usize| u64::from_ne_bytes(field(bytes, offset + at));
    Conn {
        now_us: u64_at(offset_of!(Conn, now_us)),
        delivered: u64_at(offset_of!(Conn, delivered)),
        pacing_rate: u64_at(offset_of!(Conn, pacing_rate)),
        ticks: u32_at(offset_of!(Conn, ticks)),
        tick_hz: u32_at(offset_of!(Conn, tick_hz)),
        lsndtime_ticks: u32_at(offset_of!(Conn, lsndtime_ticks)),
        mss: u32_at(offset_of!(Conn, mss)),
        snd_una: u32_at(offset_of!(Conn, snd_una)),
        snd_nxt: u32_at(offset_of!(Conn, snd_nxt)),
        packets_out: u32_at(offset_of!(Conn, packets_out)),
        in_flight: u32_at(offset_of!(Conn, in_flight)),
        max_packets_out: u32_at(offset_of!(Conn, max_packets_out)),
        cwnd: u32_at(offset_of!(Conn, cwnd)),
        cwnd_cnt: u32_at(offset_of!(Conn, cwnd_cnt)),
        ssthresh: u32_at(offset_of!(Conn, ssthresh)),
        prior_cwnd: u32_at(offset_of!(Conn, prior_cwnd)),
        cwnd_clamp: u32_at(offset_of!(Conn, cwnd_clamp)),
        srtt_us8: u32_at(offset_of!(Conn, srtt_us8)),
        min_rtt_us: u32_at(offset_of!(Conn, min_rtt_us)),
        delivered_us: u32_at(offset_of!(Conn, delivered_us)),
        first_sent_us: u32_at(offset_of!(Conn, first_sent_us)),
        delivered_ce: u32_at(offset_of!(Conn, delivered_ce)),
        lost: u32_at(offset_of!(Conn, lost)),
        app_limited: u32_at(offset_of!(Conn, app_limited)),
        paced_ahead_us: u32_at(offset_of!(Conn, paced_ahead_us)),
        random: u32_at(offset_of!(Conn, random)),
        gso_max_size: u32_at(offset_of!(Conn, gso_max_size)),
        is_cwnd_limited: u8_at(offset_of!(Conn, is_cwnd_limited)) != 0,
        ca_state: CaState::from_u8(u8_at(offset_of!(Conn, ca_state))),
        pacing_status: pacing_status(u32::from(u8_at(offset_of!(Conn, pacing_status)))),
        pacing_shift: u8_at(offset_of!(Conn, pacing_shift)),
    }
}

/// Who paces, by Linux's number.
const fn pacing_status(number: u32) -> PacingStatus {
    match number {
        1 => PacingStatus::Needed,
        2 => PacingStatus::Fq,
        _ => PacingStatus::None,
    }
}

/// A connection in the kernel's terms, from the bytes at `offset`.
#[must_use]
pub fn socket(bytes: &[u8], offset: usize) -> Socket {
    let u32_at = |at: usize| u32::from_ne_bytes(field(bytes, offset + at));
    let u16_at = |at: usize| u16::from_ne_bytes(field(bytes, offset + at));
    Socket {
        packets_out: u32_at(offset_of!(Socket, packets_out)),
        sacked_out: u32_at(offset_of!(Socket, sacked_out)),
        lost_out: u32_at(offset_of!(Socket, lost_out)),
        retrans_out: u32_at(offset_of!(Socket, retrans_out)),
        rtt_min_us: u32_at(offset_of!(Socket, rtt_min_us)),
        mdev_us: u32_at(offset_of!(Socket, mdev_us)),
        rttvar_us: u32_at(offset_of!(Socket, rttvar_us)),
        lost: u32_at(offset_of!(Socket, lost)),
        total_retrans: u32_at(offset_of!(Socket, total_retrans)),
        prior_ssthresh: u32_at(offset_of!(Socket, prior_ssthresh)),
        high_seq: u32_at(offset_of!(Socket, high_seq)),
        undo_marker: u32_at(offset_of!(Socket, undo_marker)),
        app_limited: u32_at(offset_of!(Socket, app_limited)),
        snd_wnd: u32_at(offset_of!(Socket, snd_wnd)),
        local_port: u16_at(offset_of!(Socket, local_port)),
        remote_port: u16_at(offset_of!(Socket, remote_port)),
    }
}

/// A record, from its bytes; `number` gives the connection's. `ours`: the private area holds a state of ours.
///
/// # Errors
/// A hook or arguments that are unknown, in words.
pub fn read(
    bytes: &[u8],
    tick_hz: u32,
    ours: bool,
    number: impl FnOnce(u64, Hook) -> u64,
) -> Result<CallRecord, String> {
    if bytes.len() < size_of::<RawRecord>() {
        return Err(format!("{} bytes instead of {}", bytes.len(), size_of::<RawRecord>()));
    }
    let u32_at = |offset| u32::from_ne_bytes(field(bytes, offset));
    let u64_at = |offset| u64::from_ne_bytes(field(bytes, offset));
    let words_at = |offset| -> PrivateWords { std::array::from_fn(|index| u32_at(offset + 4 * index)) };
    let before = Conn { tick_hz, ..conn(bytes, offset_of!(RawRecord, before)) };
    let words: [u32; ARGUMENT_WORDS] =
        std::array::from_fn(|n| u32_at(offset_of!(RawRecord, args) + size_of::<u32>() * n));
    let number_of_hook = u32_at(offset_of!(RawRecord, hook));
    let hook = *Hook::ALL
        .get(number_of_hook as usize)
        .ok_or_else(|| format!("an unknown hook, {number_of_hook}"))?;
    let call = Call::read(hook, words, before.mss)
        .ok_or_else(|| format!("unknown arguments of {}, {words:?}", hook.name()))?;
    let state_after = words_at(offset_of!(RawRecord, state_after));
    let status = pacing_status(u32_at(offset_of!(RawRecord, pacing_status_after)));
    let after = After {
        returned: u32_at(offset_of!(RawRecord, returned)),
        cwnd: u32_at(offset_of!(RawRecord, cwnd_after)),
        ssthresh: u32_at(offset_of!(RawRecord, ssthresh_after)),
        cwnd_cnt: u32_at(offset_of!(RawRecord, cwnd_cnt_after)),
        pacing: Some((u64_at(offset_of!(RawRecord, pacing_rate_after)), status)),
        state: ours.then_some(state_after),
    };
    let kernel = socket(bytes, offset_of!(RawRecord, kernel));
    Ok(CallRecord {
        kernel,
        seq: u64_at(offset_of!(RawRecord, seq)),
        connection: number(u64_at(offset_of!(RawRecord, socket)), hook),
        time_us: u64_at(offset_of!(RawRecord, time_us)),
        row: Row { call, before, ticks_after: u32_at(offset_of!(RawRecord, ticks_after)), after },
        state_before: words_at(offset_of!(RawRecord, state_before)),
        state_after,
        repaired: u32_at(offset_of!(RawRecord, repaired)) != 0,
        // Only the driver of lane linux writes it, behind the record.
        prior_mstamp_us: bytes
            .get(size_of::<RawRecord>()..)
            .filter(|rest| hook == Hook::CongControl && rest.len() >= size_of::<RawRateSample>())
            .map(|rest| u64::from_ne_bytes(field(rest, offset_of!(RawRateSample, prior_mstamp_us)))),
    })
}
