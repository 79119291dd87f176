// SPDX-License-Identifier: MIT OR Apache-2.0
//! When to wake a sender: the retransmission timer (RFC 6298 §5), and the limits of [`super::pacer`].

use super::Sender;
use crate::tcp::receiver::FIRST_WINDOW;
use cwnd::CaState;
use cwnd::registry::Recovery;
use cwnd_link::NEVER;

/// When a timer set for `at` fires on a host whose clock ticks `hz` times a second, ns: on a clock coarser than 1 kHz at the
/// next tick, as in ns-2 (`tcpTick_`), on a finer one then. `Recovery::Linux` has a timer wheel instead (`linux/wheel.rs`).
#[inline]
const fn on_tick(at: u64, hz: u32) -> u64 {
    if hz >= 1000 || at == NEVER {
        return at;
    }
    // Below 2⁶³: 8.64e15 ns at most, 999 Hz at most.
    let ticks = at * hz as u64 / 1_000_000_000;
    let last = (ticks * 1_000_000_000).div_ceil(hz as u64);
    if last == at { at } else { ((ticks + 1) * 1_000_000_000).div_ceil(hz as u64) }
}

impl Sender {
    /// Sets the clock of `conn`. The ticks of a host of Linux have the phase of its clock.
    #[inline]
    pub(super) fn set_now(&mut self, now_us: u64) {
        let conn = &mut self.driver.conn;
        match &self.linux {
            Some(linux) if conn.now_us != now_us => {
                (conn.now_us, conn.ticks) = (now_us, linux.timers.ticks(now_us));
            }
            Some(_) => {}
            None => conn.set_now(now_us),
        }
    }

    /// When the retransmission timer is due, ns; [`NEVER`] when it is off. With `Recovery::Linux`, it may fire later: ask
    /// [`Sender::fires`] then.
    #[inline]
    #[must_use]
    pub const fn rto_at(&self) -> u64 {
        self.rto_at
    }

    /// Whether the retransmission timer fires at `now`, ns. If it is due and does not fire yet, [`Sender::rto_at`] becomes when it does.
    #[inline]
    #[must_use]
    pub fn fires(&mut self, now: u64) -> bool {
        if self.linux.is_some() && self.rto_at <= now {
            self.put_on_wheel();
        }
        self.rto_at <= now
    }

    /// When to wake it for any other reason, ns; [`NEVER`] for never.
    #[inline]
    #[must_use]
    pub fn wake_at(&self) -> u64 {
        self.limits.as_ref().map_or(NEVER, |limits| limits.wake_at)
    }

    /// When the receiver, which runs late by `lag`, sends an acknowledgement that it delays by `delay` from `now` on, ns.
    #[inline(always)]
    pub fn delayed_ack_at(&mut self, now: u64, delay: u64, lag: u64) -> u64 {
        if let Some(linux) = &mut self.linux {
            return linux.timers.delayed_ack_at(now - lag, delay) + lag;
        }
        self.on_tick(now + delay)
    }

    /// When the timer fires that the receiver, which runs late by `lag`, has set last for a delayed acknowledgement, ns; it may have been sent.
    pub fn delayed_ack_left(&self, lag: u64) -> Option<u64> {
        self.linux.as_ref().map(|linux| linux.timers.ack_fires() + lag)
    }

    /// When a timer of this host set for `at` fires, ns: at the next tick of a clock coarser than 1 kHz.
    #[inline]
    #[must_use]
    pub const fn on_tick(&self, at: u64) -> u64 {
        on_tick(at, self.driver.conn.tick_hz)
    }

    /// When the retransmission timer fires if it is set at `now`, ns.
    #[inline]
    pub(super) const fn rto_after(&self, now: u64) -> u64 {
        self.on_tick(now + self.rto.us() as u64 * 1000)
    }

    /// Restarts the timer after a transmission or an acknowledgement of new data. // RFC 6298 §5.1 – §5.3
    #[inline]
    pub(super) fn restart_timer(&mut self, now: u64) {
        if self.una == self.nxt {
            self.rto_at = NEVER;
            return;
        }
        // RFC 6582 §4, "impatient": only the first partial acknowledgement of a recovery restarts the timer.
        if self.recovery == Recovery::NewReno && self.driver.conn.ca_state == CaState::Recovery {
            if self.partial_seen {
                return;
            }
            self.partial_seen = true;
        }
        self.rto_at = self.rto_after(now);
    }

    /// Starts the timer, which is off, for a segment that is sent at `now`, ns.
    pub(super) fn start_timer(&mut self, now: u64) {
        if self.linux.is_some() {
            self.set_timeout(now);
        } else {
            self.restart_timer(now);
        }
    }

    /// [`Sender::wake_at`] is due: pacing allows the next packet, or the application has written more.
    pub fn on_wake(&mut self, now: u64) {
        self.set_now(now / 1000);
        if let Some(limits) = &mut self.limits {
            limits.wake_at = NEVER;
        }
    }

    /// A sample has moved the smoothed round trip time, and the timeout follows.
    #[inline(always)]
    pub(super) fn follow_round_trip(&mut self) {
        let conn = &self.driver.conn;
        let rttvar_us4 = match &mut self.linux {
            Some(linux) => linux.variation.follow(conn, self.rto.floor_us()),
            None => self.driver.rttvar_us4(),
        };
        self.rto.follow(conn.srtt_us8, rttvar_us4);
    }

    /// The connection is open, after a handshake of `took` ns.
    pub fn on_open(&mut self, now: u64, took: u64) {
        self.set_now(now / 1000);
        self.driver.on_open(now / 1000, u32::try_from(took / 1000).unwrap_or(u32::MAX));
        self.follow_round_trip();
        if let Some(linux) = &mut self.linux {
            linux.on_open(took / 1000);
            self.note_window_rate();
            self.limit_first_flight();
        }
    }

    /// The window of a SYN has no scale: the first flight is 65 535 bytes at most. The first acknowledgement brings the receiver's window.
    // RFC 7323 §2.2
    fn limit_first_flight(&mut self) {
        let conn = &self.driver.conn;
        let most = FIRST_WINDOW / conn.mss;
        if conn.cwnd > most
            && self.rwnd > most
            && let Some(linux) = &mut self.linux
        {
            linux.await_window(std::mem::replace(&mut self.rwnd, most));
        }
    }

    /// The retransmission timer fired; whether that was a timeout: with some recoveries the timer has other uses.
    pub fn on_timer(&mut self, now: u64) -> bool {
        if self.linux.is_some() {
            return self.on_timer_as_linux(now);
        }
        self.on_timeout(now);
        true
    }

    /// A timeout: everything outstanding counts as lost. // RFC 6298 §5.4 – §5.6
    fn on_timeout(&mut self, now: u64) {
        self.driver.conn.set_now(now / 1000);
        self.sent.timeouts += 1;
        self.rto.back_off();
        self.collapse(now);
        self.rto_at = self.rto_after(now);
        #[cfg(debug_assertions)]
        self.check();
    }

    /// Back to one segment, and everything not reported as received is sent again.
    pub(super) fn collapse(&mut self, now: u64) {
        self.driver.on_timeout(now / 1000, self.una, self.nxt);
        self.dup_acks = 0;
        self.by_echo = false;
        self.board.lose_all(self.una, self.nxt);
        self.refresh();
    }
}

#[cfg(test)]
mod tests {
    use super::{NEVER, on_tick};

    // Ticks of 10 ms at 100 Hz, of 3 333 333 ⅓ ns at 300 Hz; at 1 kHz and above none.
    #[test]
    fn a_coarse_clocks_timers_fire_at_its_next_tick() {
        const MS: u64 = 1_000_000;
        assert_eq!([0, 1, 10 * MS, 10 * MS + 1].map(|at| on_tick(at, 100)), [0, 10 * MS, 10 * MS, 20 * MS]);
        assert_eq!([1, 3_333_334, 3_333_335].map(|at| on_tick(at, 300)), [3_333_334, 3_333_334, 6_666_667]);
        assert_eq!([1, 7 * MS + 5].map(|at| on_tick(at, 1000)), [1, 7 * MS + 5]);
        assert_eq!(on_tick(NEVER, 100), NEVER);
        let century = 100 * 86_400 * 1_000_000_000;
        assert_eq!(on_tick(century, 999), century);
    }
}
