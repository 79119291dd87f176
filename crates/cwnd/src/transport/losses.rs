// SPDX-License-Identifier: MIT OR Apache-2.0
//! Losses, the recovery epochs that they belong to, and reductions that are taken back.

use core::time::Duration;

use super::Transport;
use super::facts::{LossEpoch, Lost};
use crate::algorithm::Algorithm;
use crate::driver::RecoveryEpoch;

/// The present or last epoch, and what was lost in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    /// Wraps.
    number: u32,
    /// First position whose loss belongs to the epoch.
    begin: u64,
    /// Bytes that were declared lost in it and have not arrived.
    missing: u64,
    /// The driver's names of its parts; neither where an ECN mark began it.
    loss: Option<RecoveryEpoch>,
    persistent: Option<RecoveryEpoch>,
}

impl Losses {
    /// An epoch begins with the packets from position `begin` on.
    pub(super) const fn open(&mut self, begin: u64, loss: Option<RecoveryEpoch>) {
        *self = Self { number: self.number.wrapping_add(1), begin, missing: 0, loss, persistent: None };
    }
}

impl<A: Algorithm> Transport<A> {
    /// These packets were declared lost (RFC 9002 §6.1), by an ACK frame or by the timer; `persistent` if they establish persistent
    /// congestion (§7.6). At most one reduction per round trip (§7.3.2).
    ///
    /// The answer names the epoch that the newest of the packets belongs to: the one that this call began, the one that is under way, or an
    /// earlier one. The stack keeps it with the packets for [`Transport::on_spurious`]. `None` only where no packet of this path is given.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let packets: Vec<_> = (0..10).map(|_| Lost::new(cc.on_sent(begin, 1200), 1200)).collect();
    /// let first = cc.on_lost(rtt, &packets[..1], false);
    /// assert_eq!(cc.window(), 6_000); // half
    /// assert_eq!(cc.on_lost(rtt, &packets[1..2], false), first); // the same epoch: one reduction per round trip
    /// assert_eq!((cc.window(), cc.metrics().epochs.by_loss), (6_000, 1));
    /// ```
    pub fn on_lost(&mut self, now: Duration, lost: &[Lost], persistent: bool) -> Option<LossEpoch> {
        let now_us = self.advance(now);
        let (newest, bytes) = self.newest(lost.iter().map(|packet| (packet.sent, packet.bytes)))?;
        let out = self.driver.conn.in_flight;
        self.leave_flight(bytes);
        self.show_flight();
        let conn = &mut self.driver.conn;
        conn.lost = conn.lost.wrapping_add(out.saturating_sub(conn.in_flight));
        self.new_loss = true;
        let (position, next, begin) = (newest.position, self.next, self.driver.recovery_end());
        if let Some(name) = self.reducing(position, |driver| driver.on_loss(now_us, position, next)) {
            self.losses.open(begin, Some(name));
            self.epochs.by_loss += 1;
            self.fast_retransmission = true;
        }
        if persistent {
            self.resize();
            self.window_spare = 0;
            // RFC 9002 §7.6.2: the minimum window.
            self.losses.persistent = Some(self.watching(|driver| driver.on_timeout(now_us, position, next)));
            // All of them are its reason, whichever epoch they were sent in.
            let oldest = lost
                .iter()
                .filter(|packet| self.knows(&packet.sent))
                .map(|packet| packet.sent.position)
                .min();
            self.losses.begin = self.losses.begin.min(oldest.unwrap_or(u64::MAX));
            self.epochs.persistent += 1;
        }
        self.keep_two_datagrams();
        let missing = self.bytes_of_epoch(lost);
        let losses = &mut self.losses;
        losses.missing = losses.missing.saturating_add(missing);
        let number = losses.number.wrapping_sub(u32::from(position < losses.begin));
        Some(LossEpoch { path: self.path, number })
    }

    /// Packets that were declared lost have arrived after all: those of `epoch` that are newly known to have. Takes the reduction back when
    /// all packets that were declared lost in the epoch have arrived, if no other reduction came after it and no ECN mark within it
    /// (RFC 9438 §4.9); `true` if it did. A packet that the stack has forgotten counts as lost for good. Each packet is told once.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let packets: Vec<_> = (0..10).map(|_| Lost::new(cc.on_sent(begin, 1200), 1200)).collect();
    /// let epoch = cc.on_lost(rtt, &packets[..2], false).unwrap();
    /// assert!(!cc.on_spurious(rtt, epoch, &packets[..1])); // the other one is still missing
    /// assert_eq!(cc.window(), 6_000);
    /// assert!(cc.on_spurious(rtt, epoch, &packets[1..2]));
    /// assert_eq!(cc.window(), 12_000);
    /// ```
    pub fn on_spurious(&mut self, now: Duration, epoch: LossEpoch, arrived: &[Lost]) -> bool {
        let now_us = self.advance(now);
        let bytes = self.bytes_of_epoch(arrived);
        let losses = &mut self.losses;
        if bytes == 0 || (epoch.path, epoch.number) != (self.path, losses.number) {
            return false;
        }
        losses.missing = losses.missing.saturating_sub(bytes);
        if losses.missing > 0 {
            return false;
        }
        let mut undone = false;
        for part in [losses.loss, losses.persistent].into_iter().flatten() {
            undone |= self.watching(|driver| driver.on_spurious(now_us, part));
        }
        self.epochs.undone += u64::from(undone);
        undone
    }

    /// Bytes of the packets whose loss belongs to the present or last epoch; a packet counts as one byte at least.
    fn bytes_of_epoch(&self, packets: &[Lost]) -> u64 {
        let of_epoch = packets
            .iter()
            .filter(|packet| packet.sent.position >= self.losses.begin && self.knows(&packet.sent));
        of_epoch.fold(0, |sum, packet| sum.saturating_add(packet.bytes.max(1)))
    }
}
