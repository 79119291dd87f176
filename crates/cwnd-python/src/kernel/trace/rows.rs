// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace's tables: `hooks` in the schema of the golden traces (`vectors/golden/README.md`), `cwnd` as the simulator has it.

use std::sync::Arc;

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, StructArray, UInt32Array, UInt64Array};
use arrow_schema::Field;
use cwnd::replay::{After, Call};
use cwnd::{ARGUMENT_WORDS, Conn, Hook, PRIVATE_BYTES, PrivateWords};
use cwnd_bpf::{CallRecord, ProbeSample};

use cwnd_record::{CwndRow, Lane, tables};

use crate::tables::arrow;

/// Whose layout the private words have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateLayout {
    /// Our state's: a replay begins at `init`.
    Ours,
    /// The kernel's module's: a replay can begin anywhere.
    Kernels,
}

fn u32s(values: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(UInt32Array::from_iter_values(values))
}

fn u64s(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(values))
}

/// A table of these columns, none of which has nulls.
fn table(columns: Vec<(&str, ArrayRef)>) -> StructArray {
    let columns: Vec<_> = columns
        .into_iter()
        .map(|(name, array)| (Arc::new(Field::new(name, array.data_type().clone(), false)), array))
        .collect();
    StructArray::from(columns)
}

/// The table `hooks`.
pub fn hooks(records: &[CallRecord], layout: StateLayout) -> StructArray {
    let of = |value: fn(&CallRecord) -> u32| u32s(records.iter().map(value));
    let wide = |value: fn(&CallRecord) -> u64| u64s(records.iter().map(value));
    let names: DictionaryArray<Int32Type> = records.iter().map(|r| r.row.call.hook().name()).collect();
    let words: Vec<_> = records.iter().map(|r| r.row.call.words(r.row.before.mss)).collect();
    let args = (0..ARGUMENT_WORDS).map(|place| {
        let word = |words: &[u32; ARGUMENT_WORDS]| words.get(place).copied().unwrap_or(0);
        (format!("arg{place}"), u32s(words.iter().map(word)))
    });
    let args: Vec<_> = args.collect();
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("connection", wide(|r| r.connection)),
        ("hook", Arc::new(names)),
        ("seq", wide(|r| r.seq)),
        ("now_us", wide(|r| r.row.before.now_us)),
        ("tick_hz", of(|r| r.row.before.tick_hz)),
        ("jiffies_before", of(|r| r.row.before.ticks)),
        ("jiffies_after", of(|r| r.row.ticks_after)),
    ];
    columns.extend(args.iter().map(|(name, values)| (name.as_str(), values.clone())));
    columns.extend([
        ("ret", of(|r| r.row.after.returned)),
        ("local_port", of(|r| u32::from(r.kernel.local_port))),
        ("remote_port", of(|r| u32::from(r.kernel.remote_port))),
        ("snd_una", of(|r| r.row.before.snd_una)),
        ("snd_nxt", of(|r| r.row.before.snd_nxt)),
        ("srtt_us8", of(|r| r.row.before.srtt_us8)),
        ("mdev_us", of(|r| r.kernel.mdev_us)),
        ("rttvar_us", of(|r| r.kernel.rttvar_us)),
        ("rtt_min_us", of(|r| r.kernel.rtt_min_us)),
        ("packets_out", of(|r| r.kernel.packets_out)),
        ("retrans_out", of(|r| r.kernel.retrans_out)),
        ("lost_out", of(|r| r.kernel.lost_out)),
        ("sacked_out", of(|r| r.kernel.sacked_out)),
        ("delivered", wide(|r| r.row.before.delivered)),
        ("lost", of(|r| r.kernel.lost)),
        ("total_retrans", of(|r| r.kernel.total_retrans)),
        ("prior_cwnd", of(|r| r.row.before.prior_cwnd)),
        ("prior_ssthresh", of(|r| r.kernel.prior_ssthresh)),
        ("high_seq", of(|r| r.kernel.high_seq)),
        ("undo_marker", of(|r| r.kernel.undo_marker)),
        ("app_limited", of(|r| r.kernel.app_limited)),
        ("mss", of(|r| r.row.before.mss)),
        ("max_packets_out", of(|r| r.row.before.max_packets_out)),
        ("cwnd_clamp", of(|r| r.row.before.cwnd_clamp)),
        ("lsndtime", of(|r| r.row.before.lsndtime_ticks)),
        ("gso_max_size", of(|r| r.row.before.gso_max_size)),
        ("snd_wnd", of(|r| r.kernel.snd_wnd)),
        ("ca_state", of(|r| r.row.before.ca_state as u32)),
        ("is_cwnd_limited", of(|r| u32::from(r.row.before.is_cwnd_limited))),
        ("pacing_status", of(|r| r.row.before.pacing_status as u32)),
        ("pacing_rate", wide(|r| r.row.before.pacing_rate)),
        ("cwnd_before", of(|r| r.row.before.cwnd)),
        ("ssthresh_before", of(|r| r.row.before.ssthresh)),
        ("cwnd_cnt_before", of(|r| r.row.before.cwnd_cnt)),
        ("cwnd_after", of(|r| r.row.after.cwnd)),
        ("ssthresh_after", of(|r| r.row.after.ssthresh)),
        ("cwnd_cnt_after", of(|r| r.row.after.cwnd_cnt)),
        ("pacing_rate_after", wide(|r| r.row.after.pacing.map_or(0, |(rate, _)| rate))),
        ("pacing_status_after", of(|r| r.row.after.pacing.map_or(0, |(_, status)| status as u32))),
        ("repaired", of(|r| u32::from(r.repaired))),
    ]);
    let mut state = Vec::new();
    let mut side = |side: &str, of: fn(&CallRecord) -> &PrivateWords| match layout {
        StateLayout::Ours => state.push((format!("state_{side}"), bytes(records.iter().map(of)))),
        StateLayout::Kernels => state.extend((0..PrivateWords::default().len()).map(|place| {
            let word = |r| of(r).get(place).copied().unwrap_or(0);
            (format!("priv{place:02}_{side}"), u32s(records.iter().map(word)))
        })),
    };
    side("before", |r| &r.state_before);
    side("after", |r| &r.state_after);
    columns.extend(state.iter().map(|(name, values)| (name.as_str(), values.clone())));
    table(columns)
}

/// The private area as it lies there.
fn bytes<'a>(states: impl Iterator<Item = &'a PrivateWords>) -> ArrayRef {
    let mut builder = FixedSizeBinaryBuilder::new(PRIVATE_BYTES as i32);
    for state in states {
        let bytes: Vec<u8> = state.iter().flat_map(|word| word.to_ne_bytes()).collect();
        // Its length is the builder's.
        let _ = builder.append_value(bytes);
    }
    Arc::new(builder.finish())
}

/// A row of the table `cwnd`.
const fn window(time_us: u64, flow: u64, conn: &Conn) -> CwndRow {
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

/// The table `cwnd`: the connection after each call that can change its window or state.
pub fn cwnd(records: &[CallRecord]) -> StructArray {
    let changes = |hook: Hook| {
        matches!(hook, Hook::Init | Hook::CongAvoid | Hook::SetState | Hook::UndoCwnd | Hook::CwndEvent)
    };
    let rows: Vec<_> = records
        .iter()
        .filter(|record| changes(record.row.call.hook()))
        .map(|record| {
            let After { cwnd, ssthresh, .. } = record.row.after;
            let ca_state = match record.row.call {
                Call::SetState { new } => new,
                _ => record.row.before.ca_state,
            };
            let conn = Conn { cwnd, ssthresh, ca_state, ..record.row.before };
            window(record.time_us, record.connection, &conn)
        })
        .collect();
    arrow(Lane::Kernel, tables::CWND, &rows)
}

/// The table `cwnd` of a probe: the connection after each acknowledgement.
pub fn samples(samples: &[ProbeSample], numbers: &[u64]) -> StructArray {
    let pairs = numbers.iter().zip(samples);
    let rows: Vec<_> =
        pairs.map(|(number, sample)| window(sample.conn.now_us, *number, &sample.conn)).collect();
    arrow(Lane::Kernel, tables::CWND, &rows)
}
