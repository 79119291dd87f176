// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples of the delivery rate, for an algorithm with `cong_control`: a stamp of each segment's last transmission, and what one
//! acknowledgement delivers. // Linux: tcp_rate_skb_sent, tcp_rate_skb_delivered, tcp_rate_gen

use super::LinuxRecovery;
use crate::tcp::sender::Sender;
use cwnd::driver::{Ack, RateSampler, Stamp};
use cwnd::{Conn, ECHOED_MARK};
use std::collections::VecDeque;

/// The stamps of the segments that are out.
#[derive(Debug)]
pub struct Rates {
    /// Position of the first.
    first: u64,
    stamps: VecDeque<Stamp>,
    /// Of the acknowledgement that is being processed.
    sampler: Option<RateSampler>,
}

impl Rates {
    /// Those of segments from `first` on.
    pub fn from(first: u64) -> Box<Self> {
        Box::new(Self { first, stamps: VecDeque::new(), sampler: None })
    }

    fn stamp(&mut self, position: u64) -> Option<&mut Stamp> {
        self.stamps.get_mut(position.checked_sub(self.first)? as usize)
    }

    fn forget(&mut self, una: u64) {
        let gone = una.saturating_sub(self.first).min(self.stamps.len() as u64);
        self.stamps.drain(..gone as usize);
        self.first += gone;
    }

    /// The segment at `position` is delivered, which was sent last at `sent_us`; `again`: not for the first time.
    pub fn on_delivered(&mut self, conn: &mut Conn, position: u64, sent_us: u64, again: bool) {
        let stamp = self.stamp(position).copied();
        if let (Some(stamp), Some(sampler)) = (stamp, &mut self.sampler) {
            sampler.on_delivered(conn, &stamp, sent_us, position + 1, again);
        }
    }
}

impl LinuxRecovery {
    /// An algorithm that is told rates has taken over; the next new segment is at `nxt`.
    pub fn sample_rates(&mut self, una: u64, nxt: u64) {
        self.end_quiet_mode(una);
        self.rates.get_or_insert_with(|| Rates::from(nxt));
    }
}

impl Sender {
    /// The segment at `position` leaves, and is not counted in `conn` yet if it is new.
    #[inline]
    pub(in crate::tcp::sender) fn note_sent(&mut self, now: u64, position: u64) {
        if let Some(rates) = self.linux.as_mut().and_then(|linux| linux.rates.as_mut()) {
            let stamp = Stamp::new(&mut self.driver.conn, now / 1000);
            if position == rates.first + rates.stamps.len() as u64 {
                rates.stamps.push_back(stamp);
            } else if let Some(old) = rates.stamp(position) {
                *old = stamp; // else it was sent before the algorithm was in charge
            }
        }
    }

    /// An acknowledgement begins.
    pub(super) fn begin_sample(&mut self) {
        if let Some(rates) = self.linux.as_mut().and_then(|linux| linux.rates.as_mut()) {
            rates.sampler = Some(RateSampler::new(&self.driver.conn));
        }
    }

    /// So many segments more were thought to be lost.
    pub(super) fn count_lost(&mut self, count: u32) {
        let conn = &mut self.driver.conn;
        conn.lost = conn.lost.wrapping_add(count);
    }

    /// The window after an acknowledgement, by `credit` segments, or by what it says of the rate. // Linux: tcp_cong_control
    pub(super) fn take_window(&mut self, ack: &Ack, credit: u32, echo: bool) {
        let Some(rates) = self.linux.as_mut().and_then(|linux| linux.rates.as_mut()) else {
            return self.driver.on_window(ack, credit);
        };
        rates.forget(self.una);
        let Some(sampler) = rates.sampler.take() else { return };
        let conn = &mut self.driver.conn;
        if echo {
            // Linux: tcp_count_delivered
            conn.delivered_ce = conn.delivered_ce.wrapping_add(ack.delivered);
        }
        let mut sample = sampler.sample(conn, ack.delivered);
        sample.rtt_us = ack.rtt_us.map_or(-1, |rtt| rtt.min(i32::MAX as u32) as i32);
        self.driver.on_rate(ack, if echo { ECHOED_MARK } else { 0 }, &sample);
    }

    /// The application writes: if everything before has left and the window would let more go, it has limited the rate.
    // Linux: tcp_rate_check_app_limited
    pub(in crate::tcp::sender) fn check_application(&mut self) {
        let Some(linux) = &self.linux else { return };
        let conn = &mut self.driver.conn;
        let is_repaired = self.board.lost_out <= self.board.retrans_out;
        if linux.rates.is_some() && self.nxt >= self.data_end && conn.in_flight < conn.cwnd && is_repaired {
            conn.limit_by_application();
        }
    }
}
