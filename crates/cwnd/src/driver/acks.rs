// SPDX-License-Identifier: MIT OR Apache-2.0
//! Acknowledgements, in one call or in three parts.

use super::{Ack, Driver, Flight, Reduction};
use crate::algorithm::Algorithm;
use crate::conn::CaState;
use crate::hook_argument_types::{ACK_SLOW_PATH, ACK_WINDOW_UPDATE, AckSample};
use crate::rate_sample::{ACKED_DATA, ADVANCED, RateSample, SACKED_DATA};

impl<A: Algorithm> Driver<A> {
    /// An acknowledgement arrived, and the transport has updated `conn` for it.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_ack(&Ack::new(50_000, 1, 2, 2).rtt(Some(50_000), None));
    /// assert_eq!((driver.conn.cwnd, driver.conn.delivered), (12, 2)); // slow start
    /// ```
    #[inline]
    pub fn on_ack(&mut self, ack: &Ack) {
        if ack.acked > 0 && ack.delivered == ack.acked && self.conn.ca_state == CaState::Open {
            self.on_plain_ack(ack);
        } else {
            self.on_arrival(ack, false);
            let credit = self.on_progress(ack);
            self.on_window(ack, credit);
        }
    }

    /// [`Driver::on_ack`] for most acknowledgements: the state is Open, and what it delivers is the new data that it acknowledges.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_plain_ack(&Ack::new(50_000, 1, 2, 2).rtt(Some(50_000), None));
    /// assert_eq!((driver.conn.cwnd, driver.conn.delivered), (12, 2)); // slow start
    /// ```
    #[inline(always)]
    pub fn on_plain_ack(&mut self, ack: &Ack) {
        self.on_round_trip(ack);
        let conn = &mut self.conn;
        debug_assert!(conn.ca_state == CaState::Open && ack.acked > 0 && ack.delivered == ack.acked);
        conn.delivered = conn.delivered.wrapping_add(u64::from(ack.acked));
        let rtt_us = ack.rtt_us.map_or(-1, |rtt| rtt.min(i32::MAX as u32) as i32);
        let sample = AckSample { pkts_acked: ack.acked, rtt_us, in_flight: conn.in_flight };
        self.cc.acknowledge(conn, &sample, ACK_WINDOW_UPDATE);
    }

    /// The first part of [`Driver::on_ack`]: what the acknowledgement says of time and delivery. A transport that looks for losses after it,
    /// as Linux does, calls [`Driver::on_loss`] and the like next, then the other two parts. `plain`: it says nothing beside its position.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_arrival(&Ack::new(50_000, 1, 2, 2).rtt(Some(50_000), None), true);
    /// assert_eq!((driver.conn.delivered, driver.conn.srtt_us8), (2, 400_000));
    /// assert_eq!(driver.conn.cwnd, 10); // the other parts' work
    /// ```
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
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_loss(50_000, 0, 10);
    /// let credit = driver.on_progress(&Ack::new(100_000, 12, 5, 5)); // packets 8 to 12
    /// assert_eq!(credit, 3); // 10, 11 and 12 were sent since
    /// assert!(!driver.in_recovery_epoch());
    /// ```
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
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    ///
    /// driver.on_window(&Ack::new(100_000, 12, 5, 5), 3);
    /// assert_eq!(driver.conn.cwnd, 13); // slow start
    /// ```
    #[inline(always)]
    pub fn on_window(&mut self, ack: &Ack, credit: u32) {
        if self.cc.has_cong_control() {
            let rtt_us = ack.rtt_us.map_or(-1, |rtt| rtt.min(i32::MAX as u32) as i32);
            let sample = RateSample { acked_sacked: ack.delivered, rtt_us, ..RateSample::NONE };
            self.on_rate(ack, 0, &sample);
        } else if matches!(self.conn.ca_state, CaState::Recovery | CaState::Cwr) {
            if self.options.reduction == Reduction::Proportional {
                self.prr.on_ack(&mut self.conn, ack, self.options.tells_as_linux);
            }
        } else if ack.acked > 0 {
            let una = self.conn.snd_una;
            self.cc.cong_avoid(&mut self.conn, una, credit);
        }
    }

    /// The last part where rates are sampled, for an algorithm with `cong_control`. `flags`: [`crate::ECHOED_MARK`] and others that the
    /// acknowledgement does not say.
    ///
    /// ```
    /// # use cwnd::{CaState, Configured, Conn, RateSample, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
    /// driver.on_rate(&Ack::new(100_000, 12, 5, 5), 0, &RateSample::NONE);
    /// assert_eq!(driver.conn.cwnd, 10); // Reno has no `cong_control`
    /// ```
    pub fn on_rate(&mut self, ack: &Ack, flags: u32, sample: &RateSample) {
        let acked = if ack.acked > 0 { ACKED_DATA | ADVANCED } else { 0 };
        let sacked = if ack.delivered > ack.acked { SACKED_DATA } else { 0 };
        let una = self.conn.snd_una;
        self.cc.cong_control(&mut self.conn, una, flags | acked | sacked, sample);
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
}
