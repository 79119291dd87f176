// SPDX-License-Identifier: MIT OR Apache-2.0
//! What it takes to undo a reduction: the proof names its episode, covers all of it, and no ECN echo came within it.

/// Name of an episode, or of the timeout within one. [`super::Driver::on_loss`] and [`super::Driver::on_timeout`] hand it out,
/// the transport keeps it with the packets that it sends again, and [`super::Driver::on_spurious`] takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Episode {
    number: u16,
    part: u8,
}

/// The parts of an episode.
const LOSS: u8 = 1;
const TIMEOUT: u8 = 2;

/// What the present or last episode took, as far as the driver keeps it; the algorithm keeps the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Undo {
    /// Wraps: a name that old is nobody's.
    number: u16,
    /// Parts not yet proven spurious; 0: nothing can be undone.
    unproven: u8,
    /// An ECN echo began the episode, and the acknowledgement that carried it has not been counted.
    pub(super) echoed: bool,
    pub(super) ssthresh: u32,
    /// Where the episode before ended.
    pub(super) recovery_end: u64,
}

impl Undo {
    /// An episode begins that nothing can prove spurious yet.
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

    /// The episode began by a loss: nothing more has to be proven.
    pub(super) const fn by_loss(&mut self) -> Episode {
        self.unproven &= LOSS;
        Episode { number: self.number, part: LOSS }
    }

    /// The episode began by a timeout.
    pub(super) const fn by_timeout(&mut self) -> Episode {
        self.unproven &= TIMEOUT;
        Episode { number: self.number, part: TIMEOUT }
    }

    /// A timeout within the episode: both have to be proven.
    pub(super) const fn join_timeout(&mut self) -> Episode {
        if self.unproven > 0 {
            self.unproven |= TIMEOUT;
        }
        Episode { number: self.number, part: TIMEOUT }
    }

    /// What `episode` took was for nothing; whether the whole present or last episode is proven so.
    pub(super) const fn prove(&mut self, episode: Episode) -> bool {
        if self.unproven == 0 || episode.number != self.number {
            return false;
        }
        self.unproven &= !episode.part;
        self.unproven == 0
    }
}
