// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lull: standard TCP that rests while the queue is long.
//!
//! In congestion avoidance it grows by one segment per round trip (RFC 5681 §3.1), but only while the last round trip was
//! at most `rest_us` longer than the shortest; after a loss it keeps `beta` of its window.

use cwnd::algorithms::additive_increase;
use cwnd::math::scale_x64k;
use cwnd::params::ParamKind;
use cwnd::registry::{Recovery, Registered, Set};
use cwnd::slow_start;
use cwnd::{AckSample, CongestionControl, Conn, Info};

// Name, kind, unit, smallest => largest, source, help. A decimal is kept in 1/65536. Every parameter can be set per flow;
// `cwnd show lull` shows them, and values outside their range are refused.
cwnd::params! {
    /// Settings of Lull.
    pub struct LullParams {
        beta: ParamKind::Decimal, "", 6_554 => 64_881, "this crate",
            "factor of the window kept after a loss";
        rest_us: ParamKind::Whole, "us", 0 => 10_000_000, "this crate",
            "queueing delay above which the window rests";
    }
}

cwnd::state! {
    /// State of Lull, of each connection: integers only, at most 104 bytes.
    pub struct Lull {
        /// Shortest round trip so far, µs; 0 before the first sample.
        base_rtt_us: u32,
        /// Latest round trip, µs; 0 before the first sample.
        last_rtt_us: u32,
    }
}

impl Lull {
    /// By how much the latest round trip was longer than the shortest, µs: the queue, as far as this connection can see it.
    fn queueing_us(&self) -> u32 {
        self.last_rtt_us.saturating_sub(self.base_rtt_us)
    }
}

// Named settings, the default first: each is a name for a flow.
impl Registered for Lull {
    const NAME: &'static str = "lull";
    const SUMMARY: &'static str = "standard TCP that rests while the queue is long";
    const SETS: &'static [Set<LullParams>] = &[Set {
        name: "lull",
        summary: "0.7 kept, rests above 5 ms of queueing",
        source: "this crate",
        recovery: Recovery::Linux,
        params: LullParams {
            beta: 45_875,
            rest_us: 5_000,
        }, // 0.7 × 65 536 = 45 875.2
    }];
}

// The hooks of Linux's tcp_congestion_ops, by their names there; cwnd::CongestionControl describes each. One that does
// nothing is not written.
impl CongestionControl for Lull {
    type Params = LullParams;

    fn init(&mut self, _conn: &mut Conn, _params: &LullParams) {
        *self = Self::default();
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &LullParams) -> u32 {
        scale_x64k(conn.flight(), params.beta).max(2)
    }

    fn pkts_acked(&mut self, _conn: &mut Conn, sample: &AckSample, _params: &LullParams) {
        // Negative: these packets were sent twice, and it is unknown which copy was acknowledged.
        let Ok(rtt_us @ 1..) = u32::try_from(sample.rtt_us) else {
            return;
        };
        self.last_rtt_us = rtt_us;
        if self.base_rtt_us == 0 || rtt_us < self.base_rtt_us {
            self.base_rtt_us = rtt_us;
        }
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &LullParams) {
        // A window that is not used need not grow.
        if !conn.cwnd_limited() {
            return;
        }
        let mut acked = acked;
        if conn.in_slow_start() {
            acked = slow_start::standard(conn, acked);
            if acked == 0 {
                return;
            }
        }
        if self.queueing_us() > params.rest_us {
            return;
        }
        // One segment for a window of acknowledged ones; cwnd_cnt carries the rest over.
        let window = conn.cwnd;
        additive_increase(conn, window, acked);
    }

    // Inner variables for traces; a name ends in its unit.
    fn info(&self, _conn: &Conn, _params: &LullParams) -> Info {
        Info::of(&[
            ("base_rtt_us", self.base_rtt_us.into()),
            ("queueing_us", self.queueing_us().into()),
        ])
    }
}
