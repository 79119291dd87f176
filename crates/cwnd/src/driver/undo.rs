// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a reduction can be undone: the proof names its recovery epoch and covers all of it, and no ECN echo came within it.

/// Names a recovery epoch (an *epoch* in this module), or the timeout within one. [`super::Driver::on_loss`] and [`super::Driver::on_timeout`] hand it out,
/// the transport keeps it with the packets that it sends again, and [`super::Driver::on_spurious`] takes it.
///
/// ```
/// # use cwnd::{CaState, Configured, Conn, algorithms::reno::Reno, driver::*};
/// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
/// # let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC);
///
/// let loss = driver.on_loss(50_000, 0, 10).unwrap();
/// let timeout = driver.on_timeout(1_000_000, 0, 10); // within the epoch
/// assert!(!driver.on_spurious(1_050_000, loss)); // half of the proof
/// assert!(driver.on_spurious(1_050_000, timeout));
/// assert_eq!(driver.conn.cwnd, 10);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryEpoch {
    number: u16,
    part: u8,
}

/// The parts of an epoch.
const LOSS: u8 = 1;
const TIMEOUT: u8 = 2;

/// What the present or last epoch took, as far as the driver keeps it; the algorithm keeps the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Undo {
    /// Wraps: a name that old is no longer in use.
    number: u16,
    /// Parts not yet proven spurious; 0: nothing can be undone.
    unproven: u8,
    /// An ECN echo began the epoch, and the acknowledgement that carried it has not been counted.
    pub(super) echoed: bool,
    pub(super) ssthresh: u32,
    /// Where the epoch before ended.
    pub(super) recovery_end: u64,
}

impl Undo {
    /// An epoch begins that nothing can prove spurious yet.
    pub(super) const fn open(&mut self, ssthresh: u32, recovery_end: u64) {
        self.number = self.number.wrapping_add(1);
        self.unproven = LOSS | TIMEOUT;
        self.echoed = false;
        self.ssthresh = ssthresh;
        self.recovery_end = recovery_end;
    }

    /// Nothing can be undone: an ECN echo says that there is congestion (Linux: "ECE prohibits undo").
    pub(super) const fn close(&mut self) {
        self.unproven = 0;
    }

    /// The epoch began by a loss: nothing more has to be proven.
    pub(super) const fn by_loss(&mut self) -> RecoveryEpoch {
        self.unproven &= LOSS;
        RecoveryEpoch { number: self.number, part: LOSS }
    }

    /// The epoch began by a timeout.
    pub(super) const fn by_timeout(&mut self) -> RecoveryEpoch {
        self.unproven &= TIMEOUT;
        RecoveryEpoch { number: self.number, part: TIMEOUT }
    }

    /// A timeout within the epoch: both have to be proven.
    pub(super) const fn join_timeout(&mut self) -> RecoveryEpoch {
        if self.unproven > 0 {
            self.unproven |= TIMEOUT;
        }
        RecoveryEpoch { number: self.number, part: TIMEOUT }
    }

    /// What `epoch` took was for nothing; whether the whole present or last epoch is proven so.
    pub(super) const fn prove(&mut self, epoch: RecoveryEpoch) -> bool {
        if self.unproven == 0 || epoch.number != self.number {
            return false;
        }
        self.unproven &= !epoch.part;
        self.unproven == 0
    }
}
