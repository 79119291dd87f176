// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples of the delivery rate. // draft-ietf-ccwg-bbr §4.1.1; Linux: tcp_rate_skb_sent, tcp_rate_skb_delivered, tcp_rate_gen
//!
//! A transport that has an algorithm with `cong_control` keeps a [`Stamp`] of each transmission, and makes a [`RateSampler`] for each
//! acknowledgement. Who does neither pays nothing.

use crate::conn::Conn;
use crate::math::seq_after;
use crate::rate_sample::RateSample;

/// The connection's deliveries when a packet was sent (the draft's P): 16 bytes. Times are the low 32 bits of µs, so that a packet that was
/// out for more than 71 minutes gives a wrong sample.
///
/// ```
/// use cwnd::{Conn, driver::{RateSampler, Stamp}};
///
/// let mut conn = Conn { min_rtt_us: 40_000, ..Conn::new(1200, 10) };
/// let stamp = Stamp::new(&mut conn, 0); // nothing is out: the clocks of the samples begin
/// (conn.packets_out, conn.in_flight) = (1, 1);
/// conn.set_now(50_000);
/// let mut sampler = RateSampler::new(&conn);
/// sampler.on_delivered(&mut conn, &stamp, 0, 1, false);
/// conn.delivered += 1;
/// let sample = sampler.sample(&mut conn, 1);
/// assert_eq!((sample.delivered, sample.interval_us), (1, 50_000)); // a segment in 50 ms
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    delivered: u32,
    delivered_us: u32,
    first_sent_us: u32,
    /// Marked segments, and in the highest bit whether the application limits.
    marked: u32,
}

const APP_LIMITED: u32 = 1 << 31;

impl Stamp {
    /// Of a packet that leaves at `now_us` and is not counted in `conn.packets_out` yet.
    #[inline]
    #[must_use]
    pub const fn new(conn: &mut Conn, now_us: u64) -> Self {
        if conn.packets_out == 0 {
            (conn.first_sent_us, conn.delivered_us) = (now_us as u32, now_us as u32);
        }
        let limited = if conn.app_limited == 0 { 0 } else { APP_LIMITED };
        Self {
            delivered: conn.delivered as u32,
            delivered_us: conn.delivered_us,
            first_sent_us: conn.first_sent_us,
            marked: conn.delivered_ce & !APP_LIMITED | limited,
        }
    }
}

/// Collects what one acknowledgement delivers.
///
/// ```
/// # use cwnd::{Conn, driver::{RateSampler, Stamp}};
/// let mut conn = Conn::new(1200, 10);
/// assert!(!RateSampler::new(&conn).sample(&mut conn, 0).is_valid()); // it delivers nothing
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RateSampler {
    prior_in_flight: u32,
    lost: u32,
    newest: Option<Newest>,
}

/// The packet among the delivered ones that was sent last.
#[derive(Clone, Copy, Debug)]
struct Newest {
    stamp: Stamp,
    /// One past it.
    end: u64,
    /// From the transmission of the packet that was delivered last before it was sent to its own, µs.
    send_us: u32,
    is_retrans: bool,
}

impl RateSampler {
    /// Before the transport notes anything of the acknowledgement in `conn` but the time.
    #[inline]
    #[must_use]
    pub const fn new(conn: &Conn) -> Self {
        Self { prior_in_flight: conn.in_flight, lost: conn.lost, newest: None }
    }

    /// A packet was delivered that had not been before, sent last at `sent_us`; it ends at position `end`. Of packets that were sent at the
    /// same time, the one with the highest end counts. `is_retrans`: it was sent more than once.
    #[inline]
    pub fn on_delivered(&mut self, conn: &mut Conn, stamp: &Stamp, sent_us: u64, end: u64, is_retrans: bool) {
        let is_newer = match &self.newest {
            None => true,
            Some(_) if sent_us as u32 != conn.first_sent_us => seq_after(sent_us as u32, conn.first_sent_us),
            Some(newest) => end > newest.end,
        };
        if is_newer {
            let send_us = (sent_us as u32).wrapping_sub(stamp.first_sent_us);
            conn.first_sent_us = sent_us as u32;
            self.newest = Some(Newest { stamp: *stamp, end, send_us, is_retrans });
        }
    }

    /// The sample, after `conn.delivered`, `conn.lost` and the smallest round trip time have taken in the acknowledgement, which delivers
    /// `acked_sacked` segments. `rtt_us` and `is_ack_delayed` are the caller's to add.
    #[inline]
    #[must_use]
    pub fn sample(&self, conn: &mut Conn, acked_sacked: u32) -> RateSample {
        let delivered = conn.delivered as u32;
        conn.end_app_limit();
        if acked_sacked > 0 {
            conn.delivered_us = conn.now_us32();
        }
        let none = RateSample {
            losses: conn.lost.wrapping_sub(self.lost),
            acked_sacked,
            prior_in_flight: self.prior_in_flight,
            ..RateSample::NONE
        };
        let Some(Newest { stamp, send_us, is_retrans, .. }) = self.newest else { return none };
        let ack_us = conn.now_us32().wrapping_sub(stamp.delivered_us);
        let interval_us = send_us.max(ack_us);
        // Acknowledgements came together: the path is not so fast.
        let is_short = conn.min_rtt_us == 0 || interval_us < conn.min_rtt_us;
        RateSample {
            delivered: delivered.wrapping_sub(stamp.delivered) as i32,
            delivered_ce: (conn.delivered_ce.wrapping_sub(stamp.marked) & !APP_LIMITED) as i32,
            prior_delivered: stamp.delivered,
            interval_us: if is_short { -1 } else { interval_us.min(i32::MAX as u32) as i32 },
            is_app_limited: stamp.marked & APP_LIMITED != 0,
            is_retrans,
            ..none
        }
    }
}

impl Conn {
    /// The application has nothing more to send, though the window would allow it: samples of what is sent from now on are marked until
    /// what is out is delivered. // draft-ietf-ccwg-bbr §4.1.2.4; Linux: tcp_rate_check_app_limited
    ///
    /// ```
    /// let mut conn = cwnd::Conn { in_flight: 3, delivered: 20, ..cwnd::Conn::new(1448, 10) };
    /// conn.limit_by_application();
    /// assert_eq!(conn.app_limited, 23);
    /// ```
    #[inline]
    pub fn limit_by_application(&mut self) {
        self.app_limited = (self.delivered as u32).wrapping_add(self.in_flight).max(1);
    }

    /// What was out when the application paused is delivered, and more.
    #[inline]
    pub(crate) const fn end_app_limit(&mut self) {
        if self.app_limited != 0 && seq_after(self.delivered as u32, self.app_limited) {
            self.app_limited = 0;
        }
    }
}
