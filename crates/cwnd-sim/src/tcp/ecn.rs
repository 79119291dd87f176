// SPDX-License-Identifier: MIT OR Apache-2.0
//! Explicit Congestion Notification of a connection that has negotiated it (RFC 3168 §6.1), at both ends.
//!
//! The receiver echoes a mark on every acknowledgement until the sender says that it has reduced its window. When the sender reduces it is
//! for [`cwnd::driver::Driver::on_ecn`]; here is what its packets carry.

use crate::network::EcnMarks;

/// A connection's ECN state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ecn {
    /// The receiver's acknowledgements have the ECE flag. // Linux: TCP_ECN_DEMAND_CWR
    echoes: bool,
    /// An ECN-capable segment has arrived. // Linux: TCP_ECN_SEEN
    seen: bool,
    /// The next new segment tells the receiver of a reduction. // Linux: TCP_ECN_QUEUE_CWR
    owes_cwr: bool,
    /// One past the highest position sent.
    sent_to: u64,
}

impl Ecn {
    /// The segment at `position` leaves the sender: what it carries. Only new data is ECN-capable, and only that says CWR.
    // RFC 3168 §6.1.2, §6.1.5
    pub fn on_send(&mut self, position: u64) -> EcnMarks {
        if position < self.sent_to {
            return EcnMarks::NOTHING;
        }
        self.sent_to = position + 1;
        let cwr = std::mem::take(&mut self.owes_cwr);
        if cwr { EcnMarks::ECT.with(EcnMarks::CWR) } else { EcnMarks::ECT }
    }

    /// The sender has reduced its window, for whatever reason. // RFC 3168 §6.1.2
    pub const fn on_reduction(&mut self) {
        self.owes_cwr = true;
    }

    /// The reduction was a mistake. // Linux: tcp_ecn_withdraw_cwr
    pub const fn on_undo(&mut self) {
        self.owes_cwr = false;
    }

    /// A segment with these marks is at the receiver; `is_old`: all of it had arrived. Returns how many acknowledgements Linux does not
    /// delay for it: that of a segment with CWR, and two when an echo begins or a segment is not ECN-capable, as retransmissions are.
    // RFC 3168 §6.1.3; Linux: tcp_ecn_accept_cwr, then tcp_ecn_check_ce
    pub fn on_arrival(&mut self, marks: EcnMarks, is_old: bool) -> u8 {
        let mut quick = 0;
        if marks.has(EcnMarks::CWR) {
            self.echoes = false;
            quick = 1;
        }
        // RFC 3168 §6.1.5: marks of what lies outside of the window say nothing.
        if is_old {
            return quick;
        }
        let begins = marks.has(EcnMarks::CE) && !self.echoes;
        if begins || (self.seen && !marks.has(EcnMarks::ECT)) {
            quick = 2;
        }
        self.echoes |= begins;
        self.seen |= marks.has(EcnMarks::ECT);
        quick
    }

    /// Whether acknowledgements have the ECE flag.
    #[inline]
    #[must_use]
    pub const fn echoes(&self) -> bool {
        self.echoes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKED: EcnMarks = EcnMarks::ECT.with(EcnMarks::CE);

    // RFC 3168 §6.1.3: ECE from the first mark on, through packets without one, until CWR; the echo of a mark on the packet with CWR begins anew.
    #[test]
    fn a_mark_is_echoed_until_the_sender_says_that_it_has_reduced() {
        let mut ecn = Ecn::default();
        let mut echoes = |marks| {
            ecn.on_arrival(marks, false);
            ecn.echoes()
        };
        assert!(!echoes(EcnMarks::ECT));
        assert!(echoes(MARKED) && echoes(EcnMarks::ECT) && echoes(EcnMarks::NOTHING) && echoes(MARKED));
        assert!(!echoes(EcnMarks::ECT.with(EcnMarks::CWR)) && !echoes(EcnMarks::ECT));
        assert!(echoes(MARKED) && echoes(MARKED.with(EcnMarks::CWR)));
    }

    // Linux: two acknowledgements at the first mark, none at those that follow; one at CWR; two for what is not ECN-capable, but not before
    // anything was.
    #[test]
    fn acknowledgements_hurry_when_an_echo_begins_or_ends() {
        let mut ecn = Ecn::default();
        let arrivals = [
            EcnMarks::NOTHING,
            EcnMarks::ECT,
            MARKED,
            MARKED,
            EcnMarks::ECT.with(EcnMarks::CWR),
            EcnMarks::NOTHING,
        ];
        assert_eq!(arrivals.map(|marks| ecn.on_arrival(marks, false)), [0, 0, 2, 0, 1, 2]);
        assert_eq!((ecn.on_arrival(MARKED, true), ecn.echoes()), (0, false), "an old segment says nothing");
    }

    // RFC 3168 §6.1.5: a retransmission is not ECN-capable; §6.1.2: CWR is on new data, once for each reduction.
    #[test]
    fn only_new_data_is_capable_and_says_cwr() {
        let mut ecn = Ecn::default();
        assert_eq!(
            [0, 1, 0, 1].map(|position| ecn.on_send(position).has(EcnMarks::ECT)),
            [true, true, false, false]
        );
        ecn.on_reduction();
        let cwr = [1, 0, 2, 3].map(|position| ecn.on_send(position).has(EcnMarks::CWR));
        assert_eq!(cwr, [false, false, true, false]);
    }
}
