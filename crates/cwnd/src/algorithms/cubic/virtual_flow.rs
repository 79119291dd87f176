// SPDX-License-Identifier: MIT OR Apache-2.0
//! A flow in virtual time, for this module's tests.

use super::{Cubic, CubicParams};
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::AckSample;
use crate::hooks::CongestionControl;

/// A flow in virtual time: one RTT is a window's worth of ACKs, evenly spaced.
pub(super) struct VirtualFlow {
    pub(super) cubic: Cubic,
    pub(super) params: CubicParams,
    pub(super) conn: Conn,
    pub(super) rtt_us: u64,
}

impl VirtualFlow {
    pub(super) fn new(params: CubicParams, cwnd: u32, rtt_us: u64) -> Self {
        let mut conn =
            Conn { is_cwnd_limited: true, ssthresh: cwnd, now_us: 1 << 33, ..Conn::new(1448, cwnd) };
        conn.srtt_us8 = (rtt_us << 3) as u32;
        conn.packets_out = cwnd;
        let mut cubic = Cubic::default();
        cubic.init(&mut conn, &params);
        Self { cubic, params, conn, rtt_us }
    }

    pub(super) fn ack(&mut self, acked: u32) {
        let sample = AckSample::new(acked, self.rtt_us as i32, self.conn.cwnd);
        self.cubic.pkts_acked(&mut self.conn, &sample, &self.params);
        self.cubic.cong_avoid(&mut self.conn, 0, acked, &self.params);
        self.conn.packets_out = self.conn.cwnd;
    }

    /// A round trip of full use, `every` segments to an ACK.
    pub(super) fn round(&mut self, every: u32) {
        let acks = (self.conn.cwnd / every).max(1);
        let begin_us = self.conn.now_us;
        for ack in 1..=u64::from(acks) {
            self.conn.now_us = begin_us + self.rtt_us * ack / u64::from(acks);
            self.conn.ticks = (self.conn.now_us * u64::from(self.conn.tick_hz) / 1_000_000) as u32;
            self.ack(every);
        }
    }

    pub(super) fn seconds(&mut self, seconds: f64, every: u32) {
        let end = self.conn.now_us + (seconds * 1e6) as u64;
        while self.conn.now_us < end {
            self.round(every);
        }
    }

    pub(super) fn lose(&mut self) {
        self.conn.packets_out = self.conn.cwnd;
        self.conn.prior_cwnd = self.conn.cwnd;
        self.conn.ssthresh = self.cubic.ssthresh(&mut self.conn, &self.params);
        self.cubic.set_state(&mut self.conn, CaState::Recovery, &self.params);
        self.conn.cwnd = self.conn.ssthresh;
        self.conn.ca_state = CaState::Recovery;
        self.cubic.set_state(&mut self.conn, CaState::Open, &self.params);
        self.conn.ca_state = CaState::Open;
    }

    pub(super) fn time_out(&mut self) {
        // Within fast recovery a timeout is part of the epoch.
        if self.conn.ca_state != CaState::Recovery {
            self.conn.prior_cwnd = self.conn.cwnd;
        }
        self.conn.ssthresh = self.cubic.ssthresh(&mut self.conn, &self.params);
        self.cubic.set_state(&mut self.conn, CaState::Loss, &self.params);
        self.conn.ca_state = CaState::Loss;
        self.conn.cwnd = 1;
    }
}
