// SPDX-License-Identifier: MIT OR Apache-2.0
//! What both senders have: the algorithm with the variables that it reads, round trips (RFC 6298 §2), the use of the window.

use crate::network::Setup;
use cwnd::registry::Recovery;
use cwnd::{AckSample, CaState, Conn, Controller};

#[derive(Debug)]
pub struct Connection {
    pub setup: Setup,
    /// All that is taken of the project.
    pub cc: Controller,
    pub conn: Conn,
    /// RTTVAR · 4 when the round trip began, and the largest deviation in it, µs.
    rttvar_us4: u32,
    deviation_us: u32,
    round_began_us: u64,
    /// Of Linux's recovery: the mean deviation · 4, its largest of this round trip, µs, and the byte whose acknowledgement ends that.
    mean_deviation_us4: u32,
    largest_us4: u32,
    round_end: u32,
    rto_us: u32,
    pub backoff: u32,
    /// The use of the window is judged anew when this segment is acknowledged.
    usage_end: u64,
    /// The first segment that had not been sent when it was judged last.
    judged_to: u64,
}

impl Connection {
    pub fn new(setup: &Setup) -> Self {
        let mut cc = Controller::by_name(setup.cc).expect("registered");
        let mut conn = Conn::new(setup.mss, setup.initial_cwnd);
        conn.ssthresh = setup.initial_ssthresh.unwrap_or(conn.ssthresh);
        cc.init(&mut conn);
        Self {
            setup: setup.clone(),
            cc,
            conn,
            rttvar_us4: 0,
            deviation_us: 0,
            round_began_us: 0,
            mean_deviation_us4: 0,
            largest_us4: 0,
            round_end: 0,
            rto_us: 1_000_000, // RFC 6298 §2.1
            backoff: 0,
            usage_end: 0,
            judged_to: 0,
        }
    }

    /// RFC 6298 §2; as the simulator documents it, by the largest deviation of each round trip (RFC 7323 appendix G), in eighths and
    /// quarters of a µs.
    pub fn measure(&mut self, oldest_us: u32, newest_us: u32) {
        let (oldest_us, newest_us) = (oldest_us.max(1), newest_us.max(1));
        let is_linux = self.is_linux();
        if is_linux {
            self.measure_as_linux(oldest_us);
        }
        let conn = &mut self.conn;
        conn.min_rtt_us = if conn.min_rtt_us == 0 { newest_us } else { conn.min_rtt_us.min(newest_us) };
        if conn.srtt_us8 == 0 {
            conn.srtt_us8 = 8 * oldest_us;
            if !is_linux {
                (self.rttvar_us4, self.deviation_us) = (2 * oldest_us, oldest_us / 2);
            }
        } else {
            self.deviation_us = self.deviation_us.max((conn.srtt_us8 / 8).abs_diff(oldest_us));
            conn.srtt_us8 = conn.srtt_us8 - conn.srtt_us8 / 8 + oldest_us;
        }
        self.follow();
    }

    fn is_linux(&self) -> bool {
        self.setup.recovery == Recovery::Linux
    }

    /// The variation as docs/explanation/recovery-linux.md has it, before the mean takes the sample.
    fn measure_as_linux(&mut self, rtt_us: u32) {
        let (conn, floor) = (&self.conn, self.setup.min_rto_us);
        if conn.srtt_us8 == 0 {
            self.mean_deviation_us4 = 2 * rtt_us;
            self.rttvar_us4 = floor.max(2 * rtt_us);
            (self.largest_us4, self.round_end) = (self.rttvar_us4, conn.snd_nxt);
            return;
        }
        let (error, mean) = (i64::from(rtt_us) - i64::from(conn.srtt_us8 / 8), self.mean_deviation_us4);
        let more = error.abs() - i64::from(mean / 4);
        let more = if error < 0 && more > 0 { more / 8 } else { more };
        self.mean_deviation_us4 = (i64::from(mean) + more) as u32;
        self.largest_us4 = self.largest_us4.max(self.mean_deviation_us4);
        self.rttvar_us4 = self.rttvar_us4.max(self.largest_us4);
        if (conn.snd_una.wrapping_sub(self.round_end) as i32) > 0 {
            self.rttvar_us4 -= (self.rttvar_us4 - self.largest_us4) / 4;
            (self.largest_us4, self.round_end) = (floor, conn.snd_nxt);
        }
    }

    /// A handshake is over: the first round trip. // RFC 6298 §2.2
    pub fn open(&mut self, now: u64) {
        self.conn.set_now(now / 1000);
        let rtt_us = (self.setup.rtt / 1000) as u32;
        self.measure(rtt_us, rtt_us);
    }

    /// Linux's rate without pacing: the window per round trip and a fifth, or twice that far below the threshold, bytes/s.
    pub fn set_rate(&mut self) {
        let conn = &mut self.conn;
        if conn.srtt_us8 > 0 {
            let percent = if conn.cwnd < conn.ssthresh / 2 { 200 } else { 120 };
            let window = u64::from(conn.cwnd.max(conn.packets_out)) * u64::from(conn.mss);
            conn.pacing_rate = window * 8 * 10_000 * percent / u64::from(conn.srtt_us8);
        }
    }

    /// Whether data and receiver allow a segment beyond those that are out.
    pub const fn has_new(&self, una: u64, nxt: u64) -> bool {
        nxt < self.setup.segments && nxt - una < self.setup.rwnd
    }

    /// The timeout by what was measured; as Linux, at least so far above the smoothed round trip time.
    fn follow(&mut self) {
        let variation_us4 =
            if self.is_linux() { self.rttvar_us4 } else { self.rttvar_us4.max(self.at_end_us4()) };
        self.rto_us = self.conn.srtt_us8 / 8 + variation_us4.max(self.setup.min_rto_us);
        self.backoff = 0;
    }

    const fn at_end_us4(&self) -> u32 {
        self.rttvar_us4 - self.rttvar_us4 / 4 + self.deviation_us
    }

    /// A round trip ends when a segment is acknowledged that was sent after it began.
    pub fn end_round(&mut self, newest_us: u32) {
        if !self.is_linux() && self.conn.now_us - u64::from(newest_us) >= self.round_began_us {
            (self.rttvar_us4, self.deviation_us) = (self.at_end_us4(), 0);
            self.round_began_us = self.conn.now_us;
        }
        self.follow();
    }

    /// The timeout with its back-off, ns. // RFC 6298 §2.5, §5.5
    pub fn rto(&self) -> u64 {
        self.rto_of(|us| us)
    }

    /// The same of a host that keeps it as `stored` says.
    pub fn rto_of(&self, stored: impl Fn(u64) -> u64) -> u64 {
        (stored(self.rto_us.into()) << self.backoff.min(16)).min(120_000_000) * 1000
    }

    pub fn enter(&mut self, state: CaState) {
        self.cc.set_state(&mut self.conn, state);
        self.conn.ca_state = state;
    }

    /// Fills in what hooks read.
    pub const fn show(&mut self, una: u64, nxt: u64, in_flight: u32) {
        let conn = &mut self.conn;
        (conn.packets_out, conn.in_flight) = ((nxt - una) as u32, in_flight);
        (conn.snd_una, conn.snd_nxt) = (una as u32 * conn.mss, nxt as u32 * conn.mss);
    }

    /// Something is acknowledged, by round trips of the oldest and the newest segment, µs.
    pub fn on_acked(&mut self, acked: u32, delivered: u32, rtt: Option<(u32, u32)>) {
        if let Some((oldest_us, newest_us)) = rtt {
            self.measure(oldest_us, newest_us);
            self.end_round(newest_us.max(1));
        }
        self.conn.delivered += u64::from(delivered);
        let rtt_us = rtt.map_or(-1, |rtt| rtt.1 as i32);
        // Linux tells of each acknowledgement while anything is out, and so does the simulator with its recovery.
        if acked > 0 || (self.setup.recovery == Recovery::Linux && self.conn.packets_out > 0) {
            let sample = AckSample::new(acked, rtt_us, self.conn.in_flight);
            self.cc.pkts_acked(&mut self.conn, &sample);
        }
    }

    /// Whether the window was what limited the sender, in this round trip (RFC 7661's reason; the rule is Linux's).
    pub fn judge_use(&mut self, una: u64, nxt: u64) {
        let conn = &mut self.conn;
        let limited = conn.in_flight >= conn.cwnd;
        // Linux judges it where something was sent, or the window kept it from that. // tcp_write_xmit
        let has_sent = std::mem::replace(&mut self.judged_to, nxt) < nxt;
        if self.setup.recovery == Recovery::Linux && !has_sent && !limited {
            return;
        }
        let is_new_round = una >= self.usage_end;
        if is_new_round || limited || (!conn.is_cwnd_limited && conn.packets_out > conn.max_packets_out) {
            (conn.is_cwnd_limited, conn.max_packets_out) = (limited, conn.packets_out);
            self.usage_end = nxt;
        }
    }
}

/// Proportional rate reduction. // RFC 9937 §6
#[derive(Debug, Default)]
pub struct Prr {
    delivered: u32,
    pub out: u32,
    recover_fs: u32,
}

impl Prr {
    pub const fn new(recover_fs: u32) -> Self {
        Self { delivered: 0, out: 0, recover_fs }
    }

    /// RFC 9937 §6.2: the window, by segments that were delivered. RecoverFS is RFC 6937's, as the driver documents it: everything that was out; with Linux's recovery the window before.
    pub fn on_ack(&mut self, conn: &mut Conn, delivered: u32, is_safe: bool) {
        if delivered == 0 {
            return;
        }
        self.delivered += delivered;
        let (inflight, ssthresh) = (conn.in_flight, conn.ssthresh);
        let mut count = if inflight > ssthresh {
            (self.delivered * ssthresh).div_ceil(self.recover_fs).saturating_sub(self.out)
        } else {
            let count = self.delivered.saturating_sub(self.out).max(delivered) + u32::from(is_safe);
            count.min(ssthresh - inflight)
        };
        if self.out == 0 && count == 0 {
            count = 1;
        }
        conn.cwnd = (inflight + count).max(1);
    }
}
