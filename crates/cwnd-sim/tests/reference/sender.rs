// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sender: RFC 5681, RFC 6298, RFC 6675, RFC 9937, RFC 6582, RFC 3042. Of the project it takes the algorithm alone, by its hooks.
//!
//! Segments are whole and numbered from 0. Every count is made anew, by a loop over all segments, whenever it is needed.

use crate::connection::{Connection, Prr};
use crate::network::{Endpoint, Setup};
use crate::receiver::AckSegment;
use cwnd::registry::Recovery;
use cwnd::{CaEvent, CaState, Conn};

/// What is known of a segment that was sent.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    sacked: bool,
    lost: bool,
    /// Sent again since the last timeout. RFC 6675 §2 forgets in each recovery what the last one has sent again (HighRxt); here it is kept,
    /// as the simulator documents it.
    again: bool,
}

/// The sender.
#[derive(Debug)]
pub struct Sender {
    connection: Connection,
    sent: Vec<Sent>,
    una: u64,
    /// First segment beyond what was out when the last recovery or timeout began (RecoveryPoint + 1).
    recovery_point: u64,
    prr: Prr,
    rescued: bool,
    /// The next segment goes whatever the window says.
    forced: bool,
    /// Without SACK: duplicate acknowledgements in a row, and by how much they have inflated the window.
    duplicates: u32,
    inflation: u32,
    partial_seen: bool,
    /// When the retransmission timer fires, ns.
    rto_at: Option<u64>,
}

impl Sender {
    pub fn new(setup: &Setup) -> Self {
        Self {
            connection: Connection::new(setup),
            sent: Vec::new(),
            una: 0,
            recovery_point: 0,
            prr: Prr::default(),
            rescued: false,
            forced: false,
            duplicates: 0,
            inflation: 0,
            partial_seen: false,
            rto_at: None,
        }
    }

    fn recovery(&self) -> Recovery {
        self.connection.setup.recovery
    }

    fn state(&self) -> CaState {
        self.connection.conn.ca_state
    }

    fn nxt(&self) -> u64 {
        self.sent.len() as u64
    }

    fn out(&self) -> std::ops::Range<usize> {
        self.una as usize..self.sent.len()
    }

    fn has_sack(&self) -> bool {
        matches!(self.recovery(), Recovery::Sack | Recovery::SackPrr)
    }

    /// RFC 6675 §4, SetPipe.
    fn pipe(&self) -> u32 {
        let counts = |segment: &Sent| u32::from(!segment.lost) + u32::from(segment.again);
        let pipe: u32 = self.sent[self.out()].iter().filter(|segment| !segment.sacked).map(counts).sum();
        // RFC 5681 §3.2: each duplicate acknowledgement is a segment that has left the network.
        pipe.saturating_sub(self.inflation)
    }

    /// Fills in what hooks read.
    fn show(&mut self) {
        self.connection.show(self.una, self.nxt(), self.pipe());
    }

    fn set_timer(&mut self, now: u64) {
        self.rto_at = (self.una < self.nxt()).then_some(now + self.connection.rto());
    }

    fn in_recovery(&self) -> bool {
        matches!(self.state(), CaState::Recovery | CaState::Loss)
    }

    fn reduce(&mut self) {
        self.show();
        self.connection.conn.ssthresh = self.connection.cc.ssthresh(&mut self.connection.conn);
        self.connection.conn.cwnd_cnt = 0;
        self.recovery_point = self.nxt();
    }

    /// The reduction is over. // RFC 9937 §6.4
    fn finish(&mut self) {
        if self.recovery() == Recovery::SackPrr && self.state() == CaState::Recovery {
            self.connection.conn.cwnd = self.connection.conn.ssthresh;
        }
    }

    fn leave(&mut self) {
        if self.state() == CaState::Recovery {
            self.finish();
            self.connection.cc.cwnd_event(&mut self.connection.conn, CaEvent::CompleteCwr);
        }
        self.connection.enter(CaState::Open);
    }

    /// A loss: RFC 6675 §5, step 4; RFC 9937 §6.1; RFC 6582 §3.2, step 2.
    fn recover(&mut self) {
        if self.in_recovery() {
            self.leave();
        }
        self.connection.conn.prior_cwnd = self.connection.conn.cwnd;
        self.reduce();
        self.connection.enter(CaState::Recovery);
        (self.rescued, self.forced, self.partial_seen) = (false, true, false);
        self.prr = Prr::new(self.connection.conn.packets_out);
        self.connection.conn.cwnd = match self.recovery() {
            Recovery::SackPrr => self.pipe() + 1, // RFC 9937 §6.2: one is forced out
            _ => self.connection.cc.min_cwnd(&self.connection.conn),
        };
    }

    /// An acknowledgement arrives at `now`, ns.
    fn take_ack(&mut self, now: u64, ack: &AckSegment) {
        self.connection.conn.set_now(now / 1000);
        let acked = ack.cumulative.saturating_sub(self.una) as u32;
        let mut delivered = 0;
        for position in self.una..ack.cumulative {
            delivered += u32::from(!self.sent[position as usize].sacked);
        }
        self.una = self.una.max(ack.cumulative);
        let sample = ack.sent_us.filter(|_| acked > 0);
        let new_loss = if self.has_sack() {
            self.take_blocks(&ack.blocks, &mut delivered)
        } else {
            self.count_duplicates(ack.cumulative, acked, &mut delivered)
        };
        self.show();
        let now_us = now / 1000;
        let rtt = sample.map(|sent| ((now_us - sent.0) as u32, (now_us - sent.1) as u32));
        self.connection.on_acked(acked, delivered, rtt);
        if self.in_recovery() && self.una >= self.recovery_point {
            self.leave(); // RFC 6675 §5, step A
        }
        if self.state() == CaState::Recovery {
            if self.recovery() == Recovery::SackPrr {
                self.prr.on_ack(&mut self.connection.conn, delivered, acked > 0 && !new_loss);
            }
        } else if acked > 0 {
            let una = self.connection.conn.snd_una;
            self.connection.cc.cong_avoid(&mut self.connection.conn, una, delivered);
        }
        let newreno = self.recovery() == Recovery::NewReno && self.state() == CaState::Recovery;
        if acked > 0 && !(newreno && self.partial_seen) {
            self.partial_seen |= newreno; // RFC 6582 §4: the first partial acknowledgement alone
            self.set_timer(now); // RFC 6298 §5.3
        }
        if self.una == self.nxt() {
            self.rto_at = None;
        }
    }

    /// RFC 6675 §5: what is reported, what is lost; whether something newly is.
    fn take_blocks(&mut self, blocks: &[(u64, u64)], delivered: &mut u32) -> bool {
        for position in blocks.iter().flat_map(|&(from, to)| from.max(self.una)..to) {
            let segment = &mut self.sent[position as usize];
            *delivered += u32::from(!segment.sacked);
            segment.sacked = true;
        }
        let (mut above, mut new_loss) = (0, false);
        for position in self.out().rev() {
            let segment = &mut self.sent[position];
            if segment.sacked {
                above += 1;
            } else if above >= 3 && !segment.lost {
                (segment.lost, new_loss) = (true, true); // IsLost
            }
        }
        let out = &self.sent[self.out()];
        let any_lost = out.iter().any(|segment| segment.lost && !segment.sacked);
        let any_sacked = out.iter().any(|segment| segment.sacked);
        if any_lost && (!self.in_recovery() || self.una >= self.recovery_point) {
            self.recover();
            self.forced = self.next_lost().is_some(); // the last recovery may have sent it again already
        } else if any_sacked && self.state() == CaState::Open {
            self.connection.enter(CaState::Disorder);
        } else if !any_sacked && self.state() == CaState::Disorder {
            self.connection.enter(CaState::Open);
        }
        new_loss
    }

    /// Without SACK: RFC 5681 §3.2, RFC 6582 §3.2; whether something is newly lost. `delivered` is what the window may grow by.
    fn count_duplicates(&mut self, cumulative: u64, acked: u32, delivered: &mut u32) -> bool {
        if acked == 0 {
            *delivered = 0;
            if cumulative < self.una || self.una == self.nxt() || self.state() == CaState::Loss {
                return false;
            }
            self.duplicates += 1;
            self.inflation += 1;
            if self.in_recovery() {
                return false;
            }
            if self.state() == CaState::Open {
                self.connection.enter(CaState::Disorder);
            }
            // RFC 6582 §3.2, step 2: the acknowledgement has to cover more than `recover`.
            if self.duplicates < 3 || (self.recovery_point > 0 && self.una <= self.recovery_point) {
                return false;
            }
            self.recover();
            self.sent[self.una as usize].lost = true;
            return true;
        }
        // Each duplicate has counted a segment; after a timeout nobody knows, and an acknowledgement counts one (RFC 3465 §2.3).
        *delivered = match self.state() {
            CaState::Loss => 1,
            _ => acked.saturating_sub(self.inflation).max(1),
        };
        self.duplicates = 0;
        if self.state() == CaState::Recovery && self.una < self.recovery_point {
            // RFC 6582 §3.2, step 3, partial: less what was acknowledged, one more for what goes again.
            self.inflation = self.inflation.saturating_sub(acked - 1);
            self.sent[self.una as usize].lost = true;
            self.forced = !self.sent[self.una as usize].again;
            return true;
        }
        let was = self.state();
        self.inflation = 0;
        if was == CaState::Recovery {
            // RFC 6582 §3.2, step 3, full, option 1.
            self.connection.conn.cwnd = self.connection.conn.ssthresh.min(self.pipe().max(1) + 1);
            self.leave();
            self.recovery_point = self.recovery_point.min(self.una);
        } else if was == CaState::Disorder {
            self.connection.enter(CaState::Open);
        }
        false
    }

    /// The retransmission timer fires at `now`, ns. // RFC 6298 §5.4 – §5.7, RFC 5681 §3.1
    fn time_out(&mut self, now: u64) {
        self.connection.conn.set_now(now / 1000);
        self.connection.backoff += 1;
        let is_first = self.una >= self.recovery_point;
        if is_first && self.in_recovery() {
            self.leave();
        }
        if is_first || self.state() != CaState::Loss {
            self.finish();
            self.connection.conn.prior_cwnd = self.connection.conn.cwnd;
            self.reduce();
            self.connection.cc.cwnd_event(&mut self.connection.conn, CaEvent::Loss);
        }
        self.recovery_point = self.nxt();
        (self.connection.conn.cwnd, self.connection.conn.cwnd_cnt) = (1, 0);
        self.connection.enter(CaState::Loss);
        (self.duplicates, self.inflation) = (0, 0);
        for position in self.out() {
            let segment = &mut self.sent[position];
            (segment.lost, segment.again) = (!segment.sacked, false);
        }
        self.set_timer(now);
    }

    fn next_lost(&self) -> Option<u64> {
        let waits = |segment: &Sent| !segment.sacked && segment.lost && !segment.again;
        self.out().find(|&position| waits(&self.sent[position])).map(|position| position as u64)
    }

    /// RFC 6675 §4, NextSeg; whether it is rule 4's.
    fn next_segment(&self) -> Option<(u64, bool)> {
        if let Some(lost) = self.next_lost() {
            return Some((lost, false));
        }
        if self.connection.has_new(self.una, self.nxt()) {
            return Some((self.nxt(), false));
        }
        if self.state() != CaState::Recovery || !self.has_sack() {
            return None;
        }
        let highest = self.out().rfind(|&position| self.sent[position].sacked).unwrap_or(0);
        let is_missing = |segment: &Sent| !segment.sacked && !segment.again;
        let third = (self.una as usize..highest).find(|&position| is_missing(&self.sent[position]));
        if let Some(third) = third {
            return Some((third as u64, false));
        }
        let last = self.out().rfind(|&position| !self.sent[position].sacked)?;
        (!self.rescued).then_some((last as u64, true))
    }

    /// Sends what may be sent at `now`, ns: positions, and whether each was sent before.
    fn transmit(&mut self, now: u64) -> Vec<(u64, bool)> {
        let mut burst = Vec::new();
        while self.pipe() < self.connection.conn.cwnd || self.forced {
            if self.state() == CaState::Disorder && !self.connection.setup.limited_transmit {
                break; // RFC 3042 is off
            }
            let Some((position, is_rescue)) = self.next_segment() else { break };
            self.forced = false;
            self.show();
            if self.una == self.nxt() {
                self.connection.cc.cwnd_event(&mut self.connection.conn, CaEvent::TxStart);
            }
            self.connection.conn.lsndtime_ticks = self.connection.conn.ticks;
            self.prr.out += 1;
            let again = position < self.nxt();
            burst.push((position, again));
            if !again {
                self.sent.push(Sent::default());
            } else if is_rescue {
                self.rescued = true; // HighRxt stays: the pipe does not count it
            } else {
                self.sent[position as usize].again = true;
                if position == self.una && self.has_sack() && self.state() == CaState::Recovery {
                    self.set_timer(now); // RFC 6675 §6, as the simulator documents it
                }
            }
            if self.rto_at.is_none() {
                self.set_timer(now);
            }
        }
        self.show();
        self.connection.judge_use(self.una, self.nxt());
        burst
    }
}

impl Endpoint for Sender {
    fn on_open(&mut self, now: u64) {
        self.connection.open(now);
    }

    fn on_ack(&mut self, now: u64, ack: &AckSegment) {
        self.take_ack(now, ack);
    }

    fn on_timer(&mut self, now: u64) -> bool {
        self.time_out(now);
        true
    }

    fn send(&mut self, now: u64) -> Vec<(u64, bool)> {
        self.transmit(now)
    }

    fn due(&self) -> Option<u64> {
        self.rto_at
    }

    fn conn(&self) -> &Conn {
        &self.connection.conn
    }
}
