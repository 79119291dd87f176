// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recovery, timeouts, ECN, undo, proportional rate reduction, idle restart and round trip times, for transports that have none of
//! their own. The simulator's TCP and QUIC stacks use this driver; in the kernel, Linux's TCP does the same around a module.
//!
//! # What the transport keeps
//! Before the start, in [`Conn`]: `mss`, `cwnd`, `tick_hz`, and `pacing_status` where it paces. Then, up to date at every call:
//! * `packets_out`: see [`Flight`];
//! * `in_flight`: segments thought to be in the network: neither acknowledged nor lost, retransmissions included; 0 with nothing out;
//! * `snd_una`, `snd_nxt`: bytes, wrapping. A transport without cumulative acknowledgements gives (largest acknowledged packet
//!   number + 1) × `mss` and (next packet number) × `mss`.
//!
//! It may send while `in_flight < cwnd`. The driver keeps everything else: the clock and its ticks, the smoothed and the smallest round
//! trip time, round trips, `delivered`, `is_cwnd_limited` and `max_packets_out`, `prior_cwnd`, `ca_state`, `lsndtime_ticks`.
//!
//! Packets have *positions*, numbers that grow in the order of first transmission: TCP segment numbers, QUIC packet numbers, or
//! times of transmission.
//!
//! Times lose a bound. Under [`Flight::Pipe`], the acknowledgement that ends a recovery grows the window at most by the packets sent
//! since it began (RFC 9002 §7.3.2), a difference of positions. Of times that counts ticks, mostly more than packets, so packets sent
//! before the recovery may grow the window there. Nor do times tell packets sent before from those sent after in the tick in which a
//! recovery begins: the loss of an earlier one may reduce the window again, and its acknowledgement may end the recovery.
//!
//! # In which order it calls
//! 1. Something arrives, or a timer fires: it finds out what is acknowledged and what is lost, and brings `conn` up to date.
//! 2. [`Driver::on_loss`] for the newest packet found lost (or for each), [`Driver::on_ecn`], [`Driver::on_timeout`],
//!    [`Driver::on_spurious`]; a transport with Linux's recovery also [`Driver::on_lost_retransmission`], [`Driver::on_further_timeout`],
//!    [`Driver::on_recovery_by_timer`] and [`Driver::on_repaired_loss`]. Lost packets have left `in_flight` by then, and under
//!    [`Flight::Pipe`] also `packets_out`.
//! 3. [`Driver::on_ack`], if an acknowledgement arrived.
//! 4. [`Driver::on_sent`] before each packet that it sends, which it then counts in `conn`.
//! 5. [`Driver::on_burst_end`].
//!
//! # Algorithms with `cong_control`
//! They set window and rate themselves, so the driver asks them for `ssthresh`, tells them states and events, and leaves their window
//! alone at losses, ECN echoes, the end of recovery and idle restarts, as Linux does. With `tells_as_linux` it does not tell them the end
//! of a reduction. An undo leaves what their `undo_cwnd` answers, or the window where that is larger.
//!
//! After a timeout the window is the loss window ([`Options::loss_window`]; with [`Options::timeout_keeps_flight`] on top of what is still
//! out, or the window where that is smaller), with `cong_control` or without: everything out counts as lost, and no acknowledgement
//! comes that they could answer. It is set before they are told of [`CaState::Loss`], so they may set another there, and else at the
//! next acknowledgement. Linux's `tcp_enter_loss`
//! (net/ipv4/tcp_input.c) does not ask for `cong_control` either: it sets what is still in flight + 1, which is one segment where
//! everything out counts as lost, and then tells of the state.

mod acks;
mod epochs;
mod flight;
mod idle;
mod options;
mod prr;
mod rate;
mod reduction;
mod rtt;
mod segment;
#[cfg(test)]
mod tests;
mod undo;

use crate::algorithm::Algorithm;
use crate::conn::{CaState, Conn};
#[cfg(feature = "registry")]
use crate::controller::Controller;
use flight::{LargestFlight, Rounds};
pub use options::{Ack, EcnOutcome, Flight, Options, Reduction};
use prr::Prr;
pub use rate::{RateSampler, Stamp};
use rtt::Variation;
pub use undo::RecoveryEpoch;
use undo::Undo;

/// Ticks per second of a connection that names none.
const DEFAULT_TICK_HZ: u32 = 1000;

/// Later than any time.
const NEVER: u64 = u64::MAX;

/// A connection's congestion control: its variables, its algorithm, and the state machine between them.
///
/// A clone goes on from the same state, as a connection of its own: each of the two releases its algorithm at its end.
///
/// ```
/// use cwnd::{Configured, Conn, algorithms::reno::Reno, driver::{Ack, Driver, Options}};
///
/// let mut driver = Driver::new(Configured::<Reno>::registered(), Conn::new(1200, 10), Options::QUIC);
/// for _ in 0..10 {
///     driver.on_sent(0, 1_000_000);
///     driver.conn.packets_out += 1;
///     driver.conn.in_flight += 1;
/// }
/// driver.on_burst_end(true);
/// (driver.conn.packets_out, driver.conn.in_flight) = (0, 0);
/// driver.on_ack(&Ack::new(50_000, 9, 10, 10).rtt(Some(50_000), None));
/// assert_eq!(driver.conn.cwnd, 20); // slow start: a segment more for each
/// ```
#[derive(Clone, Debug)]
pub struct Driver<
    #[cfg(feature = "registry")] A: Algorithm = Controller,
    #[cfg(not(feature = "registry"))] A: Algorithm,
> {
    /// The variables that the algorithm reads and writes.
    pub conn: Conn,
    /// The algorithm.
    pub cc: A,
    options: Options,
    prr: Prr,
    /// First position beyond the data that was out when the present or last epoch began.
    recovery_end: u64,
    initial_cwnd: u32,
    undo: Undo,
    rounds: Rounds,
    variation: Variation,
    largest: LargestFlight,
    /// [`NEVER`] before the first transmission.
    last_sent_us: u64,
    /// `is_cwnd_limited` and `max_packets_out` are judged anew when this byte is acknowledged.
    usage_end_seq: u32,
}

impl<A: Algorithm> Driver<A> {
    /// Starts `cc` on `conn`.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    ///
    /// let driver = Driver::new(Configured::<Reno>::registered(), Conn::new(1200, 10), Options::QUIC);
    /// assert_eq!((driver.conn.cwnd, driver.recovery_end()), (10, 0));
    /// ```
    #[must_use]
    pub fn new(mut cc: A, mut conn: Conn, options: Options) -> Self {
        let initial_cwnd = conn.cwnd;
        if conn.tick_hz == 0 {
            conn.tick_hz = DEFAULT_TICK_HZ; // a clock that stands would stop every algorithm that reads it
        }
        cc.init(&mut conn);
        Self {
            rounds: Rounds::new(conn.now_us),
            conn,
            cc,
            options,
            prr: Prr::default(),
            recovery_end: 0,
            initial_cwnd,
            undo: Undo::default(),
            variation: Variation::default(),
            largest: LargestFlight::default(),
            last_sent_us: NEVER,
            usage_end_seq: 0,
        }
    }

    /// First position beyond the present or last epoch's data (RFC 6582's `recover` + 1).
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_loss(50_000, 0, 10); // packet 0 of 0 to 9
    /// assert_eq!(driver.recovery_end(), 10);
    /// ```
    #[inline]
    #[must_use]
    pub const fn recovery_end(&self) -> u64 {
        self.recovery_end
    }

    /// When the last packet was sent, µs; `u64::MAX` before the first.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// assert_eq!(driver.last_sent_us(), u64::MAX);
    /// driver.on_sent(7_000, 1_000_000);
    /// assert_eq!(driver.last_sent_us(), 7_000);
    /// ```
    #[must_use]
    pub const fn last_sent_us(&self) -> u64 {
        self.last_sent_us
    }

    /// Round trips so far: one ends when a packet is acknowledged that was sent after it began.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_ack(&Ack::new(50_000, 4, 5, 5).rtt(Some(50_000), None)); // sent at 0
    /// driver.on_ack(&Ack::new(60_000, 9, 5, 5).rtt(Some(50_000), None)); // sent at 10 ms
    /// assert_eq!(driver.rounds(), 1); // the second begins at 50 ms
    /// ```
    #[inline]
    #[must_use]
    pub const fn rounds(&self) -> u32 {
        self.rounds.count
    }

    /// RTTVAR × 4, µs: a retransmission timeout is `conn.srtt_us8` / 8 plus this, or plus the transport's floor where that is
    /// larger (RFC 6298 §2.3). 0 before the first sample.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_open(0, 50_000); // RTTVAR = 50 ms / 2
    /// assert_eq!(driver.rttvar_us4(), 100_000);
    /// ```
    #[inline]
    #[must_use]
    pub const fn rttvar_us4(&self) -> u32 {
        self.variation.us4()
    }

    /// Call before a transmission of a segment; `rto_us` is the present retransmission timeout.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// (driver.conn.cwnd, driver.conn.packets_out, driver.conn.in_flight) = (40, 0, 0);
    /// driver.on_sent(0, 1_000_000);
    /// driver.on_sent(2_000_000, 1_000_000); // idle for two timeouts of a second
    /// assert_eq!(driver.conn.cwnd, 10);
    /// ```
    #[inline]
    pub fn on_sent(&mut self, now_us: u64, rto_us: u64) {
        self.on_segments_sent(now_us, rto_us, (1, 1));
    }

    /// [`Driver::on_sent`] for `count` segments that are sent at once.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_run_sent(7_000, 1_000_000, 3);
    /// assert_eq!(driver.last_sent_us(), 7_000);
    /// ```
    #[inline(always)]
    pub fn on_run_sent(&mut self, now_us: u64, rto_us: u64, count: u32) {
        self.on_segments_sent(now_us, rto_us, (count, count));
    }

    /// Call after a burst of transmissions; `limited` says that the window stopped it (Linux's `tcp_cwnd_validate`).
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_burst_end(false); // the application had no more
    /// assert_eq!((driver.conn.is_cwnd_limited, driver.conn.max_packets_out), (false, 10));
    /// ```
    #[inline]
    pub fn on_burst_end(&mut self, limited: bool) {
        let conn = &mut self.conn;
        let window_over = conn.snd_una.wrapping_sub(self.usage_end_seq) < 1 << 31;
        if window_over || limited || (!conn.is_cwnd_limited && conn.packets_out > conn.max_packets_out) {
            conn.is_cwnd_limited = limited; // R9438-4.6-d
            conn.max_packets_out = conn.packets_out;
            self.usage_end_seq = conn.snd_nxt;
        }
    }

    /// The connection is open, after a handshake that took `rtt_us`: the first round trip time. // RFC 6298 §2.2; Linux: tcp_synack_rtt_meas
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_open(50_000, 50_000);
    /// assert_eq!((driver.conn.srtt_us8, driver.conn.min_rtt_us), (400_000, 50_000));
    /// ```
    pub fn on_open(&mut self, now_us: u64, rtt_us: u32) {
        self.conn.set_now(now_us);
        self.variation.sample(&mut self.conn, rtt_us, rtt_us);
    }

    /// Duplicate acknowledgements came without a loss being decided.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_disorder();
    /// assert_eq!((driver.conn.ca_state, driver.conn.cwnd), (CaState::Disorder, 10));
    /// ```
    #[inline]
    pub fn on_disorder(&mut self) {
        if self.conn.ca_state == CaState::Open {
            self.enter(CaState::Disorder);
        }
    }

    /// Duplicate acknowledgements ceased without a loss being decided.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_disorder();
    /// driver.on_disorder_over(); // it was reordering
    /// assert_eq!(driver.conn.ca_state, CaState::Open);
    /// ```
    #[inline]
    pub fn on_disorder_over(&mut self) {
        if self.conn.ca_state == CaState::Disorder {
            self.enter(CaState::Open);
        }
    }

    /// Whether a recovery epoch goes on: a window reduction, or the repair after a timeout.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_disorder();
    /// assert!(!driver.in_recovery_epoch()); // nothing is decided
    /// driver.on_loss(50_000, 0, 10);
    /// assert!(driver.in_recovery_epoch());
    /// ```
    #[inline]
    #[must_use]
    pub const fn in_recovery_epoch(&self) -> bool {
        matches!(self.conn.ca_state, CaState::Cwr | CaState::Recovery | CaState::Loss)
    }

    fn enter(&mut self, new: CaState) {
        self.cc.set_state(&mut self.conn, new);
        self.conn.ca_state = new;
    }
}

impl<A: Algorithm> Drop for Driver<A> {
    /// The connection ends.
    fn drop(&mut self) {
        self.cc.release(&mut self.conn);
    }
}
