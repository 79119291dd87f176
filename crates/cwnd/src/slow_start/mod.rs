// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slow start, a setting of its own: `standard` (RFC 3465 without its limit, as Linux), `hystart++` (RFC 9406), `hystart` (Linux),
//! `rfc5681` (a segment per acknowledgement).
//!
//! They share one small state, because 104 bytes must hold an algorithm together with its slow start.

mod hystart;
mod hystart_pp;
mod params;

use crate::conn::Conn;
use crate::math::seq_after;
pub use params::{CHOICES, Choice, HYSTART, HYSTART_PP, NAMES, RFC5681, STANDARD, SlowStartParams};

crate::state! {
    /// State of whichever slow start is chosen.
    ///
    /// ```
    /// use cwnd::{Conn, slow_start::{RFC5681, STANDARD, SlowStart}};
    ///
    /// let (mut slow_start, mut conn) = (SlowStart::default(), Conn::new(1448, 10));
    /// slow_start.grow(&mut conn, &STANDARD, 2);
    /// assert_eq!(conn.cwnd, 12); // a segment per acknowledged segment
    /// slow_start.grow(&mut conn, &RFC5681, 2);
    /// assert_eq!(conn.cwnd, 13); // a segment per acknowledgement
    /// ```
    pub struct SlowStart {
        /// The round ends when this byte is acknowledged.
        round_end_seq: u32 as unchanged,
        /// Smallest RTT of this round, µs; 0 before the first sample.
        round_min_rtt_us: u32 as unchanged,
        /// HyStart++: smallest RTT of the last round, µs. HyStart: when the round began, µs.
        last_round: u32 as unchanged,
        /// HyStart++: RTT that entry into CSS was judged by, µs. HyStart: when the train's last ACK came, µs.
        reference: u32 as unchanged,
        /// RTT samples of this round, counted up to what the rule asks for.
        samples: u8 as unchanged,
        /// See the constants `phase::*`.
        phase: u8 as unchanged,
        /// HyStart++: rounds spent in CSS.
        css_rounds: u8 as unchanged,
        /// HyStart++: acknowledged segments not yet turned into growth in CSS, below the divisor.
        css_credit: u8 as unchanged,
    }
}

/// Values of [`SlowStart`]'s `phase`; a fresh state is all zero.
mod phase {
    /// No round has begun.
    pub const FRESH: u8 = 0;
    /// Exponential growth, watching.
    pub const WATCHING: u8 = 1;
    /// HyStart++'s conservative slow start.
    pub const CSS: u8 = 2;
    /// Left because the RTT rose; never watches again on this connection until reset.
    pub const DONE: u8 = 3;
}

/// Standard slow start without state: grows for `acked` segments up to `ssthresh` and returns those left over.
///
/// ```
/// use cwnd::{Conn, slow_start};
///
/// let mut conn = Conn { ssthresh: 12, ..Conn::new(1448, 10) };
/// assert_eq!(slow_start::standard(&mut conn, 5), 3); // two up to 12, three left over
/// assert_eq!(conn.cwnd, 12);
/// ```
#[inline]
pub fn standard(conn: &mut Conn, acked: u32) -> u32 {
    let growth = acked.min(conn.ssthresh.saturating_sub(conn.cwnd)); // R9438-4.10-c
    conn.grow(growth);
    acked - growth
}

impl SlowStart {
    /// Grows the window for `acked` segments in slow start and returns those left over when `ssthresh` is reached
    /// (RFC 5681 §3.1; RFC 9438 §4.10: also at `cwnd == ssthresh`, where nothing is left to grow).
    ///
    /// ```
    /// use cwnd::{Conn, slow_start::{STANDARD, SlowStart}};
    ///
    /// let mut conn = Conn { ssthresh: 12, ..Conn::new(1448, 10) };
    /// assert_eq!(SlowStart::default().grow(&mut conn, &STANDARD, 5), 3);
    /// assert_eq!(conn.cwnd, 12);
    /// ```
    #[inline]
    pub fn grow(&mut self, conn: &mut Conn, params: &SlowStartParams, acked: u32) -> u32 {
        if params.is_hystart_pp(conn) {
            let growth = self.hystart_pp_growth(conn, params, acked);
            return standard(conn, growth);
        }
        if params.is_rfc5681() && conn.in_slow_start() {
            standard(conn, acked.min(1)); // RFC 5681 §3.1 eq 2: min(N, SMSS), and the rest of the ACK adds nothing
            return 0;
        }
        standard(conn, acked)
    }

    /// An RTT sample arrived while in slow start; `min_rtt_us` is the algorithm's smallest RTT. May set `ssthresh`.
    ///
    /// ```
    /// use cwnd::{Conn, slow_start::{HYSTART, SlowStart}};
    ///
    /// let (mut slow_start, mut conn) = (SlowStart::default(), Conn::new(1448, 100));
    /// for _ in 0..9 {
    ///     slow_start.on_rtt(&mut conn, &HYSTART, 60_000, 50_000); // a fifth above the smallest; eight are gathered first
    /// }
    /// assert_eq!(conn.ssthresh, 100); // slow start ends here
    /// ```
    #[inline(always)]
    pub fn on_rtt(&mut self, conn: &mut Conn, params: &SlowStartParams, rtt_us: u32, min_rtt_us: u32) {
        if self.phase == phase::DONE || !conn.in_slow_start() {
            return;
        }
        if params.is_hystart_pp(conn) {
            self.hystart_pp_on_rtt(conn, params, rtt_us);
        } else if params.is_hystart() {
            self.hystart_on_rtt(conn, rtt_us, min_rtt_us);
        }
    }

    /// At a connection's start and after a timeout HyStart watches anew.
    ///
    /// ```
    /// use cwnd::{Conn, slow_start::{HYSTART, SlowStart}};
    ///
    /// let (mut slow_start, mut conn) = (SlowStart::default(), Conn::new(1448, 100));
    /// for _ in 0..8 {
    ///     slow_start.on_rtt(&mut conn, &HYSTART, 60_000, 50_000);
    /// }
    /// slow_start.on_timeout(&conn, &HYSTART); // the eight samples are forgotten
    /// slow_start.on_rtt(&mut conn, &HYSTART, 60_000, 50_000);
    /// assert!(conn.ssthresh > 100);
    /// ```
    #[inline]
    pub fn on_timeout(&mut self, conn: &Conn, params: &SlowStartParams) {
        if params.is_hystart() {
            self.begin_train(conn);
        }
    }

    /// Whether the round ended: everything that was out when it began is acknowledged.
    fn round_is_over(&self, conn: &Conn) -> bool {
        self.phase == phase::FRESH || seq_after(conn.snd_una, self.round_end_seq)
    }

    /// Leaves slow start at the present window.
    fn leave(&mut self, conn: &mut Conn) {
        conn.ssthresh = conn.cwnd;
        self.phase = phase::DONE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 5681 §3.1 eq 2: cwnd += min(N, SMSS). Linux and RFC 3465 with L = ∞: cwnd += N. From 10 segments, ACKs of 1, 2 and 8.
    // At ssthresh nothing is left to grow, and the ACK is congestion avoidance's.
    // R9438-4.10-c
    #[test]
    fn the_limit_per_acknowledgement_is_a_choice() {
        for (params, windows) in [(STANDARD, [11, 13, 21]), (RFC5681, [11, 12, 13])] {
            let (mut ss, mut conn) = (SlowStart::default(), Conn::new(1000, 10));
            for (acked, window) in [1, 2, 8].into_iter().zip(windows) {
                assert_eq!(ss.grow(&mut conn, &params, acked), 0);
                assert_eq!(conn.cwnd, window);
            }
            conn.ssthresh = conn.cwnd;
            assert_eq!((ss.grow(&mut conn, &params, 5), conn.cwnd), (5, conn.ssthresh));
        }
    }
}
