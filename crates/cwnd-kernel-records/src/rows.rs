// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records as rows of the tables `hooks`, `packets` and `cwnd`.

use crate::reading::{CallRecord, PacketRecord};
use cwnd::replay::{Call, Row};
use cwnd::{Conn, PrivateWords};
use cwnd_bpf_build::shared_structs::RawPacket;
use cwnd_record::{Column, CwndRow, HookRow, PRIVATE_BYTES, PacketRow, RateSample, TcpHeader, tables};

/// The kind of a record that is a timer's.
const TIMER: u32 = 2;

/// Layout of the private words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateLayout {
    /// That of our state: a replay begins at `init`.
    Ours,
    /// That of the kernel's module: a replay can begin anywhere.
    Kernels,
}

impl StateLayout {
    /// The columns of the private area.
    #[must_use]
    pub const fn columns(self) -> &'static [Column<HookRow>] {
        match self {
            Self::Ours => tables::OUR_STATE,
            Self::Kernels => tables::KERNELS_STATE,
        }
    }
}

/// A row of the table `hooks`.
#[must_use]
pub fn call(record: &CallRecord) -> HookRow {
    let CallRecord { row, kernel, .. } = record;
    let Row { before, after, .. } = row;
    let (pacing_rate_after, pacing_status_after) =
        after.pacing.map_or((0, 0), |(rate, status)| (rate, status as u32));
    let [arg0, arg1, arg2, ..] = row.call.words(before.mss);
    HookRow {
        connection: record.connection,
        hook: row.call.hook().name(),
        seq: record.seq,
        now_us: before.now_us,
        tick_hz: before.tick_hz,
        jiffies_before: before.ticks,
        jiffies_after: row.ticks_after,
        arg0,
        arg1,
        arg2: if rate_sample(record).is_some() { 0 } else { arg2 },
        ret: after.returned,
        local_port: u32::from(kernel.local_port),
        remote_port: u32::from(kernel.remote_port),
        snd_una: before.snd_una,
        snd_nxt: before.snd_nxt,
        srtt_us8: before.srtt_us8,
        mdev_us: kernel.mdev_us,
        rttvar_us: kernel.rttvar_us,
        rtt_min_us: kernel.rtt_min_us,
        packets_out: kernel.packets_out,
        retrans_out: kernel.retrans_out,
        lost_out: kernel.lost_out,
        sacked_out: kernel.sacked_out,
        delivered: before.delivered,
        lost: kernel.lost,
        total_retrans: kernel.total_retrans,
        prior_cwnd: before.prior_cwnd,
        prior_ssthresh: kernel.prior_ssthresh,
        high_seq: kernel.high_seq,
        undo_marker: kernel.undo_marker,
        app_limited: kernel.app_limited,
        mss: before.mss,
        max_packets_out: before.max_packets_out,
        cwnd_clamp: before.cwnd_clamp,
        lsndtime: before.lsndtime_ticks,
        gso_max_size: before.gso_max_size,
        snd_wnd: kernel.snd_wnd,
        ca_state: before.ca_state as u32,
        is_cwnd_limited: u32::from(before.is_cwnd_limited),
        pacing_status: before.pacing_status as u32,
        pacing_rate: before.pacing_rate,
        delivered_mstamp_us: before.delivered_us,
        first_tx_mstamp_us: before.first_sent_us,
        delivered_ce: before.delivered_ce,
        paced_ahead_us: before.paced_ahead_us,
        pacing_shift: u32::from(before.pacing_shift),
        random: before.random,
        cwnd_before: before.cwnd,
        ssthresh_before: before.ssthresh,
        cwnd_cnt_before: before.cwnd_cnt,
        cwnd_after: after.cwnd,
        ssthresh_after: after.ssthresh,
        cwnd_cnt_after: after.cwnd_cnt,
        pacing_rate_after,
        pacing_status_after,
        repaired: u32::from(record.repaired),
        state_before: bytes(&record.state_before),
        state_after: bytes(&record.state_after),
        rate_sample: rate_sample(record),
    }
}

/// The rate sample of a call of `cong_control`, which has columns of its own.
fn rate_sample(record: &CallRecord) -> Option<RateSample> {
    let Call::CongControl { sample, .. } = record.row.call else { return None };
    Some(RateSample {
        prior_mstamp_us: record.prior_mstamp_us,
        interval_us: sample.interval_us,
        rtt_us: sample.rtt_us,
        prior_delivered: sample.prior_delivered,
        delivered: sample.delivered,
        delivered_ce: sample.delivered_ce,
        losses: sample.losses,
        acked_sacked: sample.acked_sacked,
        prior_in_flight: sample.prior_in_flight,
        is_app_limited: sample.is_app_limited,
        is_retrans: sample.is_retrans,
        is_ack_delayed: sample.is_ack_delayed,
    })
}

/// A row of the table `packets`.
#[must_use]
pub fn packet_row(record: &PacketRecord) -> PacketRow {
    let RawPacket { conn, kernel, header, .. } = &record.raw;
    let raw = &record.raw;
    let header = if raw.kind == TIMER { TcpHeader::default() } else { TcpHeader::read(header) };
    let [sack0, sack1, sack2, sack3] = header.sack;
    PacketRow {
        connection: record.connection,
        kind: ["ack", "sent", "timer"].get(raw.kind as usize).copied().unwrap_or("timer"),
        seq: raw.seq,
        time_ns: raw.time_ns,
        sent_ns: raw.sent_ns,
        sequence: header.sequence,
        payload: raw.bytes.saturating_sub(header.bytes),
        gso_size: raw.gso_size,
        acknowledges: header.acknowledges,
        flags: u32::from(header.flags),
        window: u32::from(header.window),
        ts_value: header.timestamps.0,
        ts_echo: header.timestamps.1,
        sack_blocks: header.sack.iter().filter(|block| block.0 != block.1).count() as u32,
        sack0_from: sack0.0,
        sack0_to: sack0.1,
        sack1_from: sack1.0,
        sack1_to: sack1.1,
        sack2_from: sack2.0,
        sack2_to: sack2.1,
        sack3_from: sack3.0,
        sack3_to: sack3.1,
        tick_hz: conn.tick_hz,
        jiffies: conn.ticks,
        snd_una: conn.snd_una,
        snd_nxt: conn.snd_nxt,
        write_seq: raw.write_seq,
        snd_wnd: kernel.snd_wnd,
        mss: conn.mss,
        packets_out: kernel.packets_out,
        sacked_out: kernel.sacked_out,
        lost_out: kernel.lost_out,
        retrans_out: kernel.retrans_out,
        cwnd: conn.cwnd,
        ssthresh: conn.ssthresh,
        max_packets_out: conn.max_packets_out,
        is_cwnd_limited: u32::from(conn.is_cwnd_limited),
        ca_state: conn.ca_state as u32,
        srtt_us8: conn.srtt_us8,
        rttvar_us: kernel.rttvar_us,
        rtt_min_us: kernel.rtt_min_us,
        high_seq: kernel.high_seq,
        undo_marker: kernel.undo_marker,
        undo_retrans: raw.undo_retrans,
        retrans_stamp: raw.retrans_stamp,
        total_retrans: kernel.total_retrans,
        frto: raw.frto,
        tlp_high_seq: raw.tlp_high_seq,
        rack_rtt_us: raw.rack_rtt_us,
        reo_wnd_steps: raw.reo_wnd_steps,
        reo_wnd_persist: raw.reo_wnd_persist,
        reordering: raw.reordering,
        reord_seen: raw.reord_seen,
        pending: raw.pending,
        expires: raw.expires_ticks,
        rto: raw.rto_ticks,
        backoff: raw.backoff,
    }
}

/// The bytes of the private area.
fn bytes(words: &PrivateWords) -> [u8; PRIVATE_BYTES] {
    let mut area = [0; PRIVATE_BYTES];
    for (bytes, word) in area.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
    area
}

/// A row of the table `cwnd`.
#[must_use]
pub const fn window(time_us: u64, flow: u64, conn: &Conn) -> CwndRow {
    CwndRow {
        time_ns: time_us.saturating_mul(1000),
        flow: flow as u32,
        cwnd: conn.cwnd,
        ssthresh: conn.ssthresh,
        srtt_us8: conn.srtt_us8,
        in_flight: conn.in_flight,
        forwarded: 0,
        delivered: conn.delivered,
        ca_state: conn.ca_state as u8,
    }
}

/// The row of the table `cwnd` after a call that can change the window, or the state of the loss recovery; none after any other.
#[must_use]
pub fn window_after(record: &CallRecord) -> Option<CwndRow> {
    Some(window(record.time_us, record.connection, &record.row.window()?))
}
