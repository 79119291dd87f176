// SPDX-License-Identifier: MIT OR Apache-2.0
//! A flow's receiving end: segments arrive, a transfer ends, an acknowledgement is sent or delayed.

use super::flow::FlowState;
use super::receiver::{AckPacket, Merged};
use super::sender::ENDLESS;
use crate::network::{Departure, Segment};

impl FlowState {
    /// A segment is at the receiver (of a fused flow it arrived there earlier, and its acknowledgement would be at the sender now).
    /// Returns the acknowledgement that the receiver sends at once. [`FlowState::is_complete`] follows.
    #[inline(always)]
    pub fn receive(
        &mut self,
        now: u64,
        segment: Segment,
        departure: Departure,
        measure: &(u64, u64),
    ) -> Option<AckPacket> {
        self.count.forwarded += u64::from(departure == Departure::Uncounted);
        let (at, before) = (now - self.lag(), self.receiver.distinct);
        let ack = self.receiver.on_segment(segment, self.ack_every.into(), at);
        self.count_distinct(at, before, measure);
        if ack.is_none() && self.receiver.take_read() {
            // Behind the end of what was handed over no more is expected. // Linux: tcp_cleanup_rbuf, ICSK_ACK_PUSHED
            let position = self.receiver.next() - 1;
            return self.sender.ends_packet(position).then(|| self.receiver.on_delay_over());
        }
        ack
    }

    /// Segments that the receiver's interface has merged reach TCP; returns the same.
    pub fn receive_merged(&mut self, now: u64, merged: &Merged, measure: &(u64, u64)) -> Option<AckPacket> {
        let (at, before) = (now - self.lag(), self.receiver.distinct);
        let ack = self.receiver.on_merged(merged, self.ack_every.into(), at);
        self.count_distinct(at, before, measure);
        ack
    }

    /// The receiver had `before` different segments until those of this time, ns, have come.
    #[inline(always)]
    fn count_distinct(&mut self, at: u64, before: u64, measure: &(u64, u64)) {
        if measure.0 <= at && at < measure.1 {
            self.count.distinct_measured += self.receiver.distinct - before;
        }
    }

    /// Whether the last byte of a transfer has come.
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.receiver.next() >= self.goal
    }

    /// It had come by this time, ns; full segments have `full` bytes.
    pub const fn complete(&mut self, at: u64, full: u32, measure: &(u64, u64)) {
        self.goal = ENDLESS;
        let is_measured = measure.0 <= at && at < measure.1;
        self.count.distinct_short += if is_measured { (full - self.last.1) as u64 } else { 0 };
    }

    /// For how long its receiver waits with selective acknowledgements, ns: a twentieth of the round trip, at most a millisecond, and as long as
    /// the timer may be late, which comes alone. // Linux: tcp_comp_sack_delay_ns, tcp_comp_sack_slack_ns
    pub fn report_delay(&self) -> u64 {
        (u64::from(self.sender.driver.conn.min_rtt_us) * 1000 / 20).clamp(1, 1_000_000) + 100_000
    }

    /// When an acknowledgement is sent that is delayed from `now` on, ns.
    #[inline(always)]
    pub fn delayed_ack_at(&mut self, now: u64) -> u64 {
        if self.receiver.waits_with_reports() {
            report_at(now, self.report_delay(), self.sender.delayed_ack_left(self.lag()))
        } else {
            let lag = self.lag();
            self.sender.delayed_ack_at(now, self.ack_delay, lag)
        }
    }

    /// The acknowledgement of a fused flow is at the sender.
    pub fn on_fused_ack(&mut self, now: u64, ack: &AckPacket) {
        // Blocks take the place of a single position, as in `AckSlab::pack`.
        let blocks = ack.waited.then(|| self.receiver.blocks(ack));
        let ack = AckPacket { sacked: ack.sacked.filter(|_| !ack.waited), ..*ack };
        if self.echoes() {
            self.sender.on_echo(now, &ack, blocks.as_ref());
        } else {
            self.sender.on_ack_with(now, &ack, blocks.as_ref());
        }
    }
}

/// When a receiver that waits from `now` on for `delay` sends selective acknowledgements. The timer of a delayed acknowledgement that was sent
/// meanwhile goes on, and reports when it fires, too. One that is due now has fired: its tick comes before what arrives with it.
// Linux: compressed_ack_timer, of high resolution; tcp_delack_timer_handler
fn report_at(now: u64, delay: u64, fires: Option<u64>) -> u64 {
    let at = now + delay;
    fires.filter(|&fires| now < fires && fires < at).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::report_at;

    #[test]
    fn an_earlier_timer_reports_unless_it_has_fired() {
        let timers = [None, Some(9), Some(10), Some(11), Some(14), Some(15), Some(16)];
        assert_eq!(timers.map(|fires| report_at(10, 5, fires)), [15, 15, 15, 11, 14, 15, 15]);
    }
}
