// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables that only a kernel trace has: its connections, every call of a hook, and its packets. A row of a list here is a column of the table
//! and the field that it is read from.

use crate::column::{Column, PRIVATE_BYTES, Read, columns};
use Read::{Bytes, Index, MaybeCount, MaybeIndex};

/// Fields of a connection that both `hooks` and `packets` have, with unit and description: a row of [`columns!`] with `_, _` has these.
macro_rules! fields_of_connection {
    ($($name:ident: $unit:literal, $doc:literal;)+) => {
        macro_rules! of_connection {
            $(
                ($name unit) => { $unit };
                ($name doc) => { $doc };
            )+
        }
    };
}

fields_of_connection! {
    connection: "", "number of the connection";
    tick_hz: "1/s", "ticks a second (HZ)";
    snd_una: "", "first sequence number that is not acknowledged";
    snd_nxt: "", "next sequence number to be sent";
    srtt_us8: "µs/8", "smoothed round trip time; 0 before the first sample";
    rttvar_us: "µs", "smoothed largest deviation";
    rtt_min_us: "µs", "smallest round trip time of the kernel's window; all ones before the first sample";
    packets_out: "segments", "segments sent and not cumulatively acknowledged";
    retrans_out: "segments", "of them, sent again";
    lost_out: "segments", "of them, considered lost";
    sacked_out: "segments", "of them, selectively acknowledged";
    total_retrans: "packets", "retransmissions so far";
    high_seq: "", "`snd_nxt` when recovery began";
    undo_marker: "", "`snd_una` when recovery began; 0 when it cannot be undone";
    mss: "bytes", "payload of a segment";
    max_packets_out: "segments", "most segments in flight in the last window";
    snd_wnd: "bytes", "window advertised by the receiver";
    ca_state: "", "Linux's number of the state of loss recovery";
    is_cwnd_limited: "", "1 if the window limited what was sent";
}

columns! {
    /// A row of the table `flows` of a kernel trace.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ConnectionRow {}
    /// A row per connection.
    pub static CONNECTIONS;
    Index flow: u32, "", "number of the connection, in order of appearance";
    Text algorithm: String, "", "name of its algorithm in the kernel";
    Index local_port: u32, "", "local port";
    Index remote_port: u32, "", "remote port";
    Number first_s: f64, "s", "time of its first call or acknowledgement, on the kernel's clock (CLOCK_MONOTONIC)";
    Number last_s: f64, "s", "time of its last one";
    Count calls: u64, "", "calls of hooks, or acknowledgements, that were recorded";
    Index retransmits: u32, "packets", "retransmissions since the connection began";
    Count differences: u64, "", "calls whose replay on the host gave another result";
}

/// A rate sample, as Linux gives one to `cong_control` (`struct rate_sample`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateSample {
    /// When its interval begins, on the connection's clock, µs; only lane linux records it.
    pub prior_mstamp_us: Option<u64>,
    /// Length of the interval, µs; negative without a sample.
    pub interval_us: i32,
    /// Round trip time, µs; negative without a sample.
    pub rtt_us: i32,
    /// Segments delivered when the interval begins.
    pub prior_delivered: u32,
    /// Segments delivered in the interval; negative without a sample.
    pub delivered: i32,
    /// Of these, marked with CE.
    pub delivered_ce: i32,
    /// Segments that the acknowledgement shows to be lost.
    pub losses: u32,
    /// Segments that it acknowledges, selectively or cumulatively.
    pub acked_sacked: u32,
    /// Segments in flight before it.
    pub prior_in_flight: u32,
    /// Whether the application limited the rate.
    pub is_app_limited: bool,
    /// Whether the newest delivered segment was a retransmission.
    pub is_retrans: bool,
    /// Whether the acknowledgement was probably delayed.
    pub is_ack_delayed: bool,
}

columns! {
    /// A row of the table `hooks`: a call, the connection before it under the kernel's names, and what the call left.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HookRow {
        /// The module's private area before the call.
        pub state_before: [u8; PRIVATE_BYTES],
        /// And after it.
        pub state_after: [u8; PRIVATE_BYTES],
        /// The rate sample, of a call of `cong_control`.
        pub rate_sample: Option<RateSample>,
    }
    /// A row per call of a hook. The private area stands beside it: [`OUR_STATE`] or [`KERNELS_STATE`].
    pub static HOOKS;
    Count connection: u64, _, _;
    Word hook: &'static str, "", "hook that was called";
    Count seq: u64, "", "number among all calls of the trace, and among its packets if it has them; a missing number is a lost record";
    Count now_us: u64, "µs", "the connection's clock; 0 on a socket that was just accepted";
    Index tick_hz: u32, _, _;
    Index jiffies_before: u32, "ticks", "tick counter before the call";
    Index jiffies_after: u32, "ticks", "tick counter after it; if they differ, a tick occurred during the call";
    Index arg0: u32, "", "word of the hook's arguments; 0 where it has none";
    Index arg1: u32, "", "word of the hook's arguments; 0 where it has none";
    Index arg2: u32, "", "word of the hook's arguments; 0 where it has none";
    Index ret: u32, "", "what the hook returned; 0 for one that returns nothing";
    Index local_port: u32, "", "local port; 0 on a socket that is being closed";
    Index remote_port: u32, "", "remote port";
    Index snd_una: u32, _, _;
    Index snd_nxt: u32, _, _;
    Index srtt_us8: u32, _, _;
    Index mdev_us: u32, "µs/4", "mean deviation of the round trip time";
    Index rttvar_us: u32, _, _;
    Index rtt_min_us: u32, _, _;
    Index packets_out: u32, _, _;
    Index retrans_out: u32, _, _;
    Index lost_out: u32, _, _;
    Index sacked_out: u32, _, _;
    Count delivered: u64, "segments", "segments delivered so far";
    Index lost: u32, "segments", "segments lost so far";
    Index total_retrans: u32, _, _;
    Index prior_cwnd: u32, "segments", "window before the last reduction";
    Index prior_ssthresh: u32, "segments", "slow start threshold before the last reduction";
    Index high_seq: u32, _, _;
    Index undo_marker: u32, _, _;
    Index app_limited: u32, "segments", "delivered count up to which the application limits the rate; 0 when it does not";
    Index mss: u32, _, _;
    Index max_packets_out: u32, _, _;
    Index cwnd_clamp: u32, "segments", "max window";
    Index lsndtime: u32, "ticks", "when data were last sent";
    Index gso_max_size: u32, "bytes", "largest packet that the device accepts";
    Index snd_wnd: u32, _, _;
    Index ca_state: u32, _, _;
    Index is_cwnd_limited: u32, _, _;
    Index pacing_status: u32, "", "pacing before the call: 0 none, 1 TCP's own timer, 2 fq";
    Count pacing_rate: u64, "bytes/s", "pacing rate before the call";
    Index delivered_mstamp_us: u32, "µs", "when data was last delivered, or first sent after nothing was out; low 32 bits";
    Index first_tx_mstamp_us: u32, "µs", "when the newest of the delivered segments was sent, or the first after nothing was out; low 32 bits";
    Index delivered_ce: u32, "segments", "segments delivered with a congestion mark";
    Index paced_ahead_us: u32, "µs", "how far pacing has planned ahead";
    Index pacing_shift: u32, "", "a burst lasts 2^-pacing_shift s at the pacing rate";
    Index random: u32, "", "word of randomness that the call was given; 0 if none";
    Index cwnd_before: u32, "segments", "congestion window before the call";
    Index ssthresh_before: u32, "segments", "slow start threshold before the call";
    Index cwnd_cnt_before: u32, "segments", "progress towards the window's next increment, before the call";
    Index cwnd_after: u32, "segments", "congestion window after the call";
    Index ssthresh_after: u32, "segments", "slow start threshold after the call";
    Index cwnd_cnt_after: u32, "segments", "progress towards the window's next increment, after the call";
    Count pacing_rate_after: u64, "bytes/s", "pacing rate after the call";
    Index pacing_status_after: u32, "", "pacing after the call";
    Index repaired: u32, "", "1 if the call was made in place of one that the kernel skipped";
}

columns! {
    /// A row of the table `packets`: what a connection received or sent, or its timer, and the connection before it under the kernel's names.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PacketRow {}
    /// A row per acknowledgement, per transmission and per timer that expires; `cwnd kernel trace --transport` and `cwnd linux trace` record them.
    pub static PACKETS;
    Count connection: u64, _, _;
    Word kind: &'static str, "", "`ack`: acknowledgement received, `sent`: data sent, `timer`: the timer for timeouts, probes and reordering expired";
    Count seq: u64, "", "number among all calls and packets of the trace; a missing number is a lost record";
    Count time_ns: u64, "ns", "time of the event, on the kernel's clock (CLOCK_MONOTONIC)";
    Count sent_ns: u64, "ns", "transmission time according to the kernel; 0 for other events";
    Index sequence: u32, "", "first sequence number";
    Index payload: u32, "bytes", "data";
    Index gso_size: u32, "bytes", "payload per segment if several were handed over at once; otherwise 0";
    Index acknowledges: u32, "", "acknowledgement number";
    Index flags: u32, "", "flags of the TCP header, from FIN on";
    Index window: u32, "", "window field";
    Index ts_value: u32, "", "timestamp; 0 without the option";
    Index ts_echo: u32, "", "timestamp that is echoed";
    Index sack_blocks: u32, "", "blocks of the SACK option";
    Index sack0_from: u32, "", "first block: from";
    Index sack0_to: u32, "", "first block: to";
    Index sack1_from: u32, "", "second block: from";
    Index sack1_to: u32, "", "second block: to";
    Index sack2_from: u32, "", "third block: from";
    Index sack2_to: u32, "", "third block: to";
    Index sack3_from: u32, "", "fourth block: from";
    Index sack3_to: u32, "", "fourth block: to";
    Index tick_hz: u32, _, _;
    Index jiffies: u32, "ticks", "tick counter";
    Index snd_una: u32, _, _;
    Index snd_nxt: u32, _, _;
    Index write_seq: u32, "", "next sequence number that the application writes";
    Index snd_wnd: u32, _, _;
    Index mss: u32, _, _;
    Index packets_out: u32, _, _;
    Index sacked_out: u32, _, _;
    Index lost_out: u32, _, _;
    Index retrans_out: u32, _, _;
    Index cwnd: u32, "segments", "congestion window";
    Index ssthresh: u32, "segments", "slow start threshold";
    Index max_packets_out: u32, _, _;
    Index is_cwnd_limited: u32, _, _;
    Index ca_state: u32, _, _;
    Index srtt_us8: u32, _, _;
    Index rttvar_us: u32, _, _;
    Index rtt_min_us: u32, _, _;
    Index high_seq: u32, _, _;
    Index undo_marker: u32, _, _;
    Index undo_retrans: u32, "", "retransmissions not yet reported as duplicates; all ones before the first";
    Index retrans_stamp: u32, "", "timestamp of the first retransmission of the episode; 0 without one";
    Index total_retrans: u32, _, _;
    Index frto: u32, "", "1 while F-RTO is active";
    Index tlp_high_seq: u32, "", "`snd_nxt` when the outstanding probe was sent; 0 without one";
    Index rack_rtt_us: u32, "µs", "RACK's round trip time";
    Index reo_wnd_steps: u32, "", "quarters of the smallest round trip in RACK's reordering window";
    Index reo_wnd_persist: u32, "", "recoveries for which that window is kept";
    Index reordering: u32, "segments", "reordering degree";
    Index reord_seen: u32, "", "times that reordering was seen";
    Index pending: u32, "", "purpose of the timer: 0 none, 1 the timeout, 3 a window probe, 5 a loss probe, 6 the end of the reordering window";
    Index expires: u32, "ticks", "when the timer is due";
    Index rto: u32, "ticks", "timeout, with its back-off";
    Index backoff: u32, "", "doublings of the timeout";
}

/// The rate sample of `cong_control`: null at other calls.
pub static RATE_SAMPLE: &[Column<HookRow>] = &[
    Column::new(
        "rs_prior_mstamp_us",
        "µs",
        "rate sample: when its interval begins, on the connection's clock",
        MaybeCount(|row| row.rate_sample?.prior_mstamp_us),
    ),
    Column::new(
        "rs_interval_us",
        "µs",
        "rate sample: length of its interval; null without a valid one",
        MaybeCount(|row| u64::try_from(row.rate_sample?.interval_us).ok()),
    ),
    Column::new(
        "rs_rtt_us",
        "µs",
        "rate sample: round trip time; null without one",
        MaybeCount(|row| u64::try_from(row.rate_sample?.rtt_us).ok()),
    ),
    Column::new(
        "rs_prior_delivered",
        "segments",
        "rate sample: segments delivered when its interval begins",
        MaybeIndex(|row| Some(row.rate_sample?.prior_delivered)),
    ),
    Column::new(
        "rs_delivered",
        "segments",
        "rate sample: segments delivered in its interval; null without a valid one",
        MaybeIndex(|row| u32::try_from(row.rate_sample?.delivered).ok()),
    ),
    Column::new(
        "rs_delivered_ce",
        "segments",
        "rate sample: of them, marked",
        MaybeIndex(|row| u32::try_from(row.rate_sample?.delivered_ce).ok()),
    ),
    Column::new(
        "rs_losses",
        "segments",
        "rate sample: segments that the acknowledgement shows to be lost",
        MaybeIndex(|row| Some(row.rate_sample?.losses)),
    ),
    Column::new(
        "rs_acked_sacked",
        "segments",
        "rate sample: segments that the acknowledgement acknowledges, selectively or cumulatively",
        MaybeIndex(|row| Some(row.rate_sample?.acked_sacked)),
    ),
    Column::new(
        "rs_prior_in_flight",
        "segments",
        "rate sample: segments in flight before the acknowledgement",
        MaybeIndex(|row| Some(row.rate_sample?.prior_in_flight)),
    ),
    Column::new(
        "rs_is_app_limited",
        "",
        "rate sample: 1 if the application limited the rate",
        MaybeIndex(|row| Some(u32::from(row.rate_sample?.is_app_limited))),
    ),
    Column::new(
        "rs_is_retrans",
        "",
        "rate sample: 1 if the newest delivered segment was sent again",
        MaybeIndex(|row| Some(u32::from(row.rate_sample?.is_retrans))),
    ),
    Column::new(
        "rs_is_ack_delayed",
        "",
        "rate sample: 1 if the acknowledgement was probably delayed",
        MaybeIndex(|row| Some(u32::from(row.rate_sample?.is_ack_delayed))),
    ),
];

/// The private area where it is ours.
pub static OUR_STATE: &[Column<HookRow>] = &[
    Column::new(
        "state_before",
        "",
        "private area before the call, if the state is one of cwnd's",
        Bytes(|row| &row.state_before),
    ),
    Column::new(
        "state_after",
        "",
        "private area after the call, if the state is one of cwnd's",
        Bytes(|row| &row.state_after),
    ),
];

macro_rules! words {
    ($($before:literal $after:literal $place:literal;)+) => {
        /// The private area where it is that of the kernel's own module.
        pub static KERNELS_STATE: &[Column<HookRow>] = &[
            $(Column::new($before, "", WORD_BEFORE, Index(|row| word(&row.state_before, $place))),)+
            $(Column::new($after, "", WORD_AFTER, Index(|row| word(&row.state_after, $place))),)+
        ];
    };
}

const WORD_BEFORE: &str =
    "word of the private area before the call, if it belongs to the kernel's own module";
const WORD_AFTER: &str = "word of the private area after the call, if it belongs to the kernel's own module";

words! {
    "priv00_before" "priv00_after" 0;
    "priv01_before" "priv01_after" 1;
    "priv02_before" "priv02_after" 2;
    "priv03_before" "priv03_after" 3;
    "priv04_before" "priv04_after" 4;
    "priv05_before" "priv05_after" 5;
    "priv06_before" "priv06_after" 6;
    "priv07_before" "priv07_after" 7;
    "priv08_before" "priv08_after" 8;
    "priv09_before" "priv09_after" 9;
    "priv10_before" "priv10_after" 10;
    "priv11_before" "priv11_after" 11;
    "priv12_before" "priv12_after" 12;
    "priv13_before" "priv13_after" 13;
    "priv14_before" "priv14_after" 14;
    "priv15_before" "priv15_after" 15;
    "priv16_before" "priv16_after" 16;
    "priv17_before" "priv17_after" 17;
    "priv18_before" "priv18_after" 18;
    "priv19_before" "priv19_after" 19;
    "priv20_before" "priv20_after" 20;
    "priv21_before" "priv21_after" 21;
    "priv22_before" "priv22_after" 22;
    "priv23_before" "priv23_after" 23;
    "priv24_before" "priv24_after" 24;
    "priv25_before" "priv25_after" 25;
}

/// A 32-bit word of a private area.
fn word(area: &[u8; PRIVATE_BYTES], place: usize) -> u32 {
    let bytes = area.chunks_exact(4).nth(place).and_then(|bytes| bytes.try_into().ok());
    u32::from_ne_bytes(bytes.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    // 104 bytes are 26 words of 4.
    #[test]
    fn the_words_of_a_private_area_are_all_of_its_bytes() {
        let mut area = [0; PRIVATE_BYTES];
        for (place, byte) in (0..).zip(&mut area) {
            *byte = place;
        }
        assert_eq!(KERNELS_STATE.len(), 2 * PRIVATE_BYTES / 4);
        let words = (0..PRIVATE_BYTES / 4).flat_map(|place| word(&area, place).to_ne_bytes());
        assert_eq!(words.collect::<Vec<_>>(), area);
    }
}
