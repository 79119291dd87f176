// SPDX-License-Identifier: MIT OR Apache-2.0
//! Transmissions; the first after nothing was out, and the restart after an idle time (RFC 5681 §4.1, RFC 2861 §3).

use super::options::Flight;
use super::{Driver, NEVER};
use crate::algorithm::Algorithm;
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::CaEvent;

impl<A: Algorithm> Driver<A> {
    /// [`Driver::on_sent`] for what is more than a segment, or less: so many more whole segments have left, and so many more are out.
    #[inline(always)]
    pub(crate) fn on_segments_sent(&mut self, now_us: u64, rto_us: u64, (segments, more_out): (u32, u32)) {
        self.conn.set_now(now_us);
        debug_assert!(self.conn.packets_out > 0 || self.conn.in_flight == 0, "in flight, but not out");
        if self.conn.in_flight == 0 {
            self.on_sent_into_empty(now_us, rto_us);
        }
        if self.options.flight == Flight::Pipe {
            self.largest.note(self.conn.packets_out.saturating_add(more_out));
        }
        self.last_sent_us = now_us;
        self.conn.lsndtime_ticks = self.conn.ticks;
        self.prr.out = self.prr.out.saturating_add(segments);
    }

    /// A packet leaves with nothing out, or nothing in the network.
    #[cold]
    pub(super) fn on_sent_into_empty(&mut self, now_us: u64, rto_us: u64) {
        if self.conn.packets_out == 0 {
            self.on_first_sent(now_us, rto_us);
        } else if self.options.tells_as_linux {
            self.cc.cwnd_event(&mut self.conn, CaEvent::TxStart); // Linux: tcp_event_data_sent
        }
    }

    /// A packet leaves with nothing out.
    fn on_first_sent(&mut self, now_us: u64, rto_us: u64) {
        let restarts =
            self.options.idle_restart && !self.cc.has_cong_control() && self.conn.ca_state != CaState::Loss;
        if let (true, Some(timeouts)) = (restarts, self.idle_timeouts(now_us, rto_us)) {
            if self.options.tells_as_linux {
                self.restart_as_linux(timeouts);
            } else {
                self.restart_from_initial_window();
            }
        }
        if !self.in_recovery_epoch() {
            self.largest.forget();
        }
        self.cc.cwnd_event(&mut self.conn, CaEvent::TxStart);
    }

    /// From the initial window on, with the threshold as it was. // RFC 5681 §4.1
    fn restart_from_initial_window(&mut self) {
        self.conn.cwnd = self.conn.cwnd.min(self.initial_cwnd);
        self.prr.target = self.prr.target.min(self.initial_cwnd);
        // What a proof could give back is older than the idle time.
        self.undo.close();
        self.cc.cwnd_event(&mut self.conn, CaEvent::CwndRestart);
    }

    /// Half the window for each timeout, at least the initial one. Slow start leads back to three quarters of the window. What a proof could
    /// give back stays. // RFC 2861 §3; Linux: tcp_cwnd_restart
    fn restart_as_linux(&mut self, timeouts: u64) {
        self.cc.cwnd_event(&mut self.conn, CaEvent::CwndRestart);
        self.conn.ssthresh = self.threshold_to_restore();
        let cwnd = self.conn.cwnd;
        let halved = u32::try_from(timeouts).ok().and_then(|times| cwnd.checked_shr(times)).unwrap_or(0);
        self.conn.cwnd = halved.max(self.initial_cwnd.min(cwnd));
    }

    /// How many timeouts are over since the last transmission; `None` before the first is. With Linux's details, time is counted in ticks.
    // Linux: tcp_slow_start_after_idle_check
    fn idle_timeouts(&self, now_us: u64, rto_us: u64) -> Option<u64> {
        let Conn { ticks, lsndtime_ticks, tick_hz, .. } = self.conn;
        let (idle, rto) = if !self.options.tells_as_linux || self.last_sent_us == NEVER {
            (now_us.saturating_sub(self.last_sent_us), rto_us)
        } else {
            let rto = rto_us.saturating_mul(u64::from(tick_hz)).div_ceil(1_000_000);
            (u64::from(ticks.wrapping_sub(lsndtime_ticks)), rto)
        };
        // The second timeout is over after more than two, as the first is after more than one.
        (idle > rto).then(|| idle.div_ceil(rto.max(1)) - 1)
    }
}
