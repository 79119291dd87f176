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
//!    [`Driver::on_spurious`]; a transport with Linux's recovery also [`Driver::on_lost_retransmission`], [`Driver::on_further_timeout`] and
//!    [`Driver::on_repaired_loss`]. Lost packets have left `in_flight` by then, and under [`Flight::Pipe`] also `packets_out`.
//! 3. [`Driver::on_ack`], if an acknowledgement arrived.
//! 4. [`Driver::on_sent`] before each packet that it sends, which it then counts in `conn`.
//! 5. [`Driver::on_burst_end`].
//!
//! # Algorithms with `cong_control`
//! They set window and rate themselves, so the driver asks them for `ssthresh`, tells them states and events, and leaves their window
//! alone at losses, ECN echoes, the end of recovery and idle restarts, as Linux does. An undo leaves
//! what their `undo_cwnd` answers, or the window where that is larger.
//!
//! After a timeout the window is the loss window ([`Options::loss_window`]; with [`Options::timeout_keeps_flight`] on top of what is still
//! out, or the window where that is smaller), with `cong_control` or without: everything out counts as lost, and no acknowledgement
//! comes that they could answer. It is set before they are told of [`CaState::Loss`], so they may set another there, and else at the
//! next acknowledgement. Linux's `tcp_enter_loss`
//! (net/ipv4/tcp_input.c) does not ask for `cong_control` either: it sets what is still in flight + 1, which is one segment where
//! everything out counts as lost, and then tells of the state.

mod flight;
mod idle;
mod options;
mod prr;
mod reduction;
mod rescale;
mod rtt;
mod segment;
#[cfg(test)]
mod tests;
mod undo;

use crate::algorithm::Algorithm;
use crate::conn::{ACK_SLOW_PATH, ACK_WINDOW_UPDATE, AckSample, CaState, Conn};
#[cfg(feature = "registry")]
use crate::controller::Controller;
use flight::{LargestFlight, Rounds};
pub use options::{Ack, EcnOutcome, Flight, Options, Reduction};
use prr::Prr;
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
    #[inline]
    #[must_use]
    pub const fn recovery_end(&self) -> u64 {
        self.recovery_end
    }

    /// When the last packet was sent, µs; `u64::MAX` before the first.
    #[must_use]
    pub const fn last_sent_us(&self) -> u64 {
        self.last_sent_us
    }

    /// Round trips so far: one ends when a packet is acknowledged that was sent after it began.
    #[inline]
    #[must_use]
    pub const fn rounds(&self) -> u32 {
        self.rounds.count
    }

    /// RTTVAR × 4, µs: a retransmission timeout is `conn.srtt_us8` / 8 plus this, or plus the transport's floor where that is
    /// larger (RFC 6298 §2.3). 0 before the first sample.
    #[inline]
    #[must_use]
    pub const fn rttvar_us4(&self) -> u32 {
        self.variation.us4()
    }

    /// Call before a transmission of a segment; `rto_us` is the present retransmission timeout.
    #[inline]
    pub fn on_sent(&mut self, now_us: u64, rto_us: u64) {
        self.on_segments_sent(now_us, rto_us, (1, self.conn.packets_out.saturating_add(1)));
    }

    /// Call after a burst of transmissions; `limited` says that the window stopped it (Linux's `tcp_cwnd_validate`).
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

    /// An acknowledgement arrived, and the transport has updated `conn` for it.
    #[inline]
    pub fn on_ack(&mut self, ack: &Ack) {
        let plain = ack.acked > 0 && ack.delivered == ack.acked && self.conn.ca_state == CaState::Open;
        self.on_arrival(ack, plain);
        let credit = self.on_progress(ack);
        self.on_window(ack, credit);
    }

    /// The first part of [`Driver::on_ack`]: what the acknowledgement says of time and delivery. A transport that looks for losses after it,
    /// as Linux does, calls [`Driver::on_loss`] and the like next, then the other two parts. `plain`: it says nothing beside its position.
    #[inline(always)]
    pub fn on_arrival(&mut self, ack: &Ack, plain: bool) {
        self.on_round_trip(ack);
        let (conn, as_linux) = (&mut self.conn, self.options.tells_as_linux);
        conn.delivered = conn.delivered.wrapping_add(u64::from(ack.delivered));
        if ack.acked > 0 || (as_linux && conn.packets_out > 0) {
            let rtt_us = ack.rtt_us.map_or(-1, |rtt| rtt.min(i32::MAX as u32) as i32);
            let sample = AckSample { pkts_acked: ack.acked, rtt_us, in_flight: conn.in_flight };
            self.cc.pkts_acked(conn, &sample);
        }
        let flags = match plain {
            // Linux: its header was the expected one.
            true if as_linux && ack.acked == 0 => 0,
            true => ACK_WINDOW_UPDATE,
            // Every advance brings a window. // Linux: tcp_may_update_window
            false if as_linux && ack.acked > 0 => ACK_SLOW_PATH | ACK_WINDOW_UPDATE,
            false => ACK_SLOW_PATH,
        };
        self.cc.in_ack_event(conn, flags);
    }

    /// The second part: ends the epoch whose data is repaired. Returns the segments with which the window may grow.
    #[inline(always)]
    pub fn on_progress(&mut self, ack: &Ack) -> u32 {
        // The acknowledgement that carried an echo never ends what the echo began, though it may acknowledge all that is out.
        let mut credit = ack.delivered;
        if self.in_recovery_epoch()
            && !core::mem::take(&mut self.undo.echoed)
            && ack.position >= self.recovery_end
            && !self.holds_cwr(ack.position)
        {
            if self.options.flight == Flight::Pipe {
                // RFC 9002 §7.3.2, §B.5: packets sent before the recovery began grow nothing.
                let since = (ack.position - self.recovery_end).saturating_add(1);
                credit = credit.min(u32::try_from(since).unwrap_or(u32::MAX));
            }
            self.end_epoch();
        }
        credit
    }

    /// The last part: the window, by `credit` segments.
    #[inline(always)]
    pub fn on_window(&mut self, ack: &Ack, credit: u32) {
        if self.cc.has_cong_control() {
            self.cc.cong_control(&mut self.conn, ack.delivered);
        } else if matches!(self.conn.ca_state, CaState::Recovery | CaState::Cwr) {
            if self.options.reduction == Reduction::Proportional {
                self.prr.on_ack(&mut self.conn, ack);
            }
        } else if ack.acked > 0 {
            let una = self.conn.snd_una;
            self.cc.cong_avoid(&mut self.conn, una, credit);
        }
    }

    /// The connection is open, after a handshake that took `rtt_us`: the first round trip time. // RFC 6298 §2.2; Linux: tcp_synack_rtt_meas
    pub fn on_open(&mut self, now_us: u64, rtt_us: u32) {
        self.conn.set_now(now_us);
        self.variation.sample(&mut self.conn, rtt_us, rtt_us);
    }

    /// What an acknowledgement says of time.
    #[inline]
    fn on_round_trip(&mut self, ack: &Ack) {
        self.conn.set_now(ack.now_us);
        let Some(newest_us) = ack.rtt_us else { return };
        let oldest_us = ack.oldest_rtt_us.unwrap_or(newest_us);
        self.variation.sample(&mut self.conn, oldest_us, newest_us);
        if self.rounds.is_over(ack.now_us, newest_us) {
            self.end_round();
        }
    }

    /// A packet was acknowledged that was sent in this round trip.
    #[cold]
    fn end_round(&mut self) {
        self.rounds.next(self.conn.now_us);
        self.variation.end_round();
        self.largest.next_round(self.conn.packets_out);
    }

    /// Duplicate acknowledgements came without a loss being decided.
    #[inline]
    pub fn on_disorder(&mut self) {
        if self.conn.ca_state == CaState::Open {
            self.enter(CaState::Disorder);
        }
    }

    /// Duplicate acknowledgements ceased without a loss being decided.
    #[inline]
    pub fn on_disorder_over(&mut self) {
        if self.conn.ca_state == CaState::Disorder {
            self.enter(CaState::Open);
        }
    }

    /// The packet at `lost` was found lost; `next` is the position that the next new packet will have. Returns the epoch's name if
    /// this began one: one reduction per window of data (RFC 9438 §4.6, RFC 9002 §7.3.2).
    pub fn on_loss(&mut self, now_us: u64, lost: u64, next: u64) -> Option<RecoveryEpoch> {
        self.conn.set_now(now_us);
        if lost < self.recovery_end {
            if matches!(self.conn.ca_state, CaState::Recovery | CaState::Cwr) {
                self.hold();
            }
            return None;
        }
        self.open_epoch();
        self.reduce(next, self.flight());
        self.enter(CaState::Recovery);
        self.start_reduction(self.cc.min_cwnd(&self.conn)); // R9438-4.6-a
        Some(self.undo.by_loss())
    }

    /// An ECN echo for the packet at `marked` arrived. What it asks for is never undone, nor is an epoch that it came in: it says
    /// that there was congestion. // RFC 9438 §4.6, RFC 3168 §6.1.2
    pub fn on_ecn(&mut self, now_us: u64, marked: u64, next: u64) -> EcnOutcome {
        self.conn.set_now(now_us);
        if marked < self.recovery_end {
            self.undo.close();
            return EcnOutcome::Ignored;
        }
        self.open_epoch();
        self.undo.close();
        let cwnd = self.conn.cwnd;
        // What was marked has just left the flight.
        self.reduce(next, self.flight().max(self.conn.max_packets_out));
        // Linux has a rule of its own for it: `holds_cwr`.
        self.undo.echoed = !self.options.tells_as_linux;
        self.enter(CaState::Cwr);
        // R9438-4.6-e: keep reducing down to one segment, though ssthresh stays at two; RFC 9002 §7.2: to two in QUIC. Linux's window ends
        // at ssthresh.
        let floor = u32::from(self.options.loss_window);
        let most =
            if self.options.tells_as_linux { u32::MAX } else { cwnd.saturating_sub(1).max(floor.min(cwnd)) };
        self.start_reduction(self.conn.ssthresh.min(most));
        // R9438-4.6-f
        if cwnd <= floor { EcnOutcome::AtFloor } else { EcnOutcome::Reduced }
    }

    /// The retransmission timer fired (TCP), or congestion persisted (QUIC). Further timeouts for the same data leave
    /// `ssthresh` where it is (RFC 5681 §3.1); within fast recovery, see [`Options::timeout_reduces_again`].
    ///
    /// A timeout within an epoch is a part of it, with a name of its own: an undo takes the proof of both.
    pub fn on_timeout(&mut self, now_us: u64, lost: u64, next: u64) -> RecoveryEpoch {
        self.conn.set_now(now_us);
        let begins = lost >= self.recovery_end;
        if begins {
            self.open_epoch();
        }
        let again = self.options.timeout_reduces_again && self.conn.ca_state != CaState::Loss;
        if begins || again {
            self.finish_reduction();
            self.reduce_by_timeout(next);
        }
        self.collapse(next);
        if begins { self.undo.by_timeout() } else { self.undo.join_timeout() }
    }

    /// Ends the epoch early, at an acknowledgement of everything before `position`; recoveries that last only to the first new
    /// acknowledgement need this. Later losses are another epoch's, of data too that was out when this one began.
    pub fn leave_recovery(&mut self, position: u64) {
        self.end_epoch();
        self.recovery_end = self.recovery_end.min(position);
    }

    /// The losses, or the timeout, that began `epoch` were none: takes the reduction back, once. Nothing happens where another
    /// reduction came after it, where an ECN echo came in it, and where not all of it is proven so. // RFC 9438 §4.9
    pub fn on_spurious(&mut self, now_us: u64, epoch: RecoveryEpoch) -> bool {
        self.on_spurious_into(now_us, epoch, CaState::Open)
    }

    /// As [`Driver::on_spurious`], with [`CaState::Disorder`] after it where something is still missing, as in Linux.
    pub fn on_spurious_into(&mut self, now_us: u64, epoch: RecoveryEpoch, state: CaState) -> bool {
        self.conn.set_now(now_us);
        if !self.undo.prove(epoch) {
            return false;
        }
        let restored = self.cc.undo_cwnd(&mut self.conn);
        self.conn.cwnd = self.conn.cwnd.max(restored).min(self.conn.cwnd_clamp);
        self.conn.ssthresh = self.conn.ssthresh.max(self.undo.ssthresh);
        // A later loss of this data is judged anew; one of the epoch before has had its reduction.
        self.recovery_end = self.undo.recovery_end;
        if self.conn.ca_state != state || !self.options.tells_as_linux {
            self.enter(state);
        }
        true
    }

    /// Whether a recovery epoch goes on: a window reduction, or the repair after a timeout.
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
