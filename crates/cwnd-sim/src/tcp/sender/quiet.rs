// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sender while nothing is lost or out of order and nothing but its windows limits it: its acknowledgements and transmissions, for
//! `engine/trains`.

use super::{ENDLESS, Sender};
use cwnd::CaState;
use cwnd::driver::Ack;
use cwnd_link::NEVER;

impl Sender {
    /// Whether nothing but its windows and the end of its data limits it, and it has the timers of RFC 6298 only.
    pub const fn has_only_window(&self) -> bool {
        self.limits.is_none() && self.linux.is_none()
    }

    /// Whether nothing is lost, reported or in doubt, and nothing is to be sent again.
    #[inline(always)]
    pub const fn is_quiet(&self) -> bool {
        matches!(self.driver.conn.ca_state, CaState::Open)
            && self.board.is_clean()
            && self.dup_acks == 0
            && !self.retransmit_now
    }

    /// An acknowledgement up to `cumulative`, which is new, arrived at `now`, ns, while nothing is missing. The first and the newest segment
    /// that it acknowledges were sent then, µs. [`Sender::send_quietly`] may follow, and [`Sender::end_quiet_burst`] does.
    #[inline(always)]
    pub fn on_ack_in_quiet_mode(&mut self, now: u64, cumulative: u64, (first_us, newest_us): (u32, u32)) {
        let now_us = now / 1000;
        let acked = (cumulative - self.una) as u32;
        self.una = cumulative;
        let conn = &mut self.driver.conn;
        conn.snd_una = conn.snd_una.wrapping_add(conn.mss.wrapping_mul(acked));
        conn.packets_out -= acked;
        conn.in_flight = conn.packets_out;
        let since = |sent_us: u32| Some((now_us as u32).wrapping_sub(sent_us));
        self.driver
            .on_plain_ack(&Ack::new(now_us, cumulative, acked, acked).rtt(since(newest_us), since(first_us)));
        self.rto.follow(self.driver.conn.srtt_us8, self.driver.rttvar_us4());
        #[cfg(debug_assertions)]
        self.check();
    }

    /// How many new segments a quiet sender may send before it stops.
    #[inline(always)]
    pub fn room(&self) -> u32 {
        let conn = &self.driver.conn;
        let room = conn.cwnd.saturating_sub(conn.in_flight);
        if conn.cwnd <= self.rwnd && self.data_end == ENDLESS {
            return room;
        }
        let out = self.nxt - self.una;
        let most = (self.data_end - self.nxt).min(u64::from(self.rwnd).saturating_sub(out));
        u64::from(room).min(most) as u32
    }

    /// The next new position.
    #[inline(always)]
    pub const fn nxt(&self) -> u64 {
        self.nxt
    }

    /// A quiet sender sends `count` new segments at `now`, ns; the position of the first.
    #[inline(always)]
    pub fn send_quietly(&mut self, now: u64, count: u32) -> u64 {
        self.driver.on_run_sent(now / 1000, u64::from(self.rto.us()), count);
        self.sent.packets += u64::from(count);
        let conn = &mut self.driver.conn;
        conn.snd_nxt = conn.snd_nxt.wrapping_add(conn.mss.wrapping_mul(count));
        conn.packets_out += count;
        conn.in_flight += count;
        let first = self.nxt;
        self.nxt += u64::from(count);
        first
    }

    /// [`Sender::end_burst`] of a quiet sender after an acknowledgement at `now`, ns: that, and what was sent, restarts the timer.
    #[inline(always)]
    pub fn end_quiet_burst(&mut self, now: u64) {
        let conn = &self.driver.conn;
        self.driver.on_burst_end(conn.in_flight >= conn.cwnd);
        self.rto_at = if self.una == self.nxt { NEVER } else { self.rto_after(now) };
    }
}
