// SPDX-License-Identifier: MIT OR Apache-2.0
//! RACK (RFC 8985 §6): the newest transmission that has arrived, and how much later than it an earlier one may come.

use super::entry::{Entry, Transmission};
use crate::tcp::sender::scoreboard::DUP_THRESH;

/// Recoveries without a D-SACK for which a grown window is kept. // RFC 8985 §6.2, step 4
const PERSISTENCE: u32 = 16;
/// The window grows to at most this many quarters of the smallest round trip. // Linux: reo_wnd_steps is a byte
const MOST_QUARTERS: u32 = 255;
/// Largest reordering degree. // Linux: tcp_max_reordering
const MOST_DEGREE: u32 = 300;

/// The newest transmission that has arrived.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rack {
    /// RACK.xmit_ts and RACK.segment.
    pub newest: Transmission,
    /// RACK.rtt, µs; `None` before the first sample.
    pub rtt_us: Option<u64>,
    /// Whether something has arrived since losses were last looked for.
    pub advanced: bool,
}

impl Rack {
    /// A transmission has arrived. `min_rtt_us` is the smallest round trip so far, `echo_us` the time that the acknowledgement
    /// echoes, where it acknowledges new data. // RFC 8985 §6.2, step 2
    pub fn on_arrival(
        &mut self,
        now_us: u64,
        (sent, entry): (Transmission, Entry),
        min_rtt_us: u64,
        echo_us: Option<u64>,
    ) {
        let rtt_us = now_us.saturating_sub(sent.sent_us);
        // An earlier transmission of the same segment may be what has arrived.
        let is_earlier = rtt_us < min_rtt_us || echo_us.is_some_and(|echo_us| echo_us < sent.sent_us);
        if entry.is_sent_again() && is_earlier {
            return;
        }
        self.advanced = true;
        self.rtt_us = Some(rtt_us);
        self.newest = self.newest.max(sent);
    }
}

/// The reordering window. // RFC 8985 §6.2, steps 3 and 4
#[derive(Clone, Copy, Debug)]
pub struct ReorderingWindow {
    /// Whether a segment has arrived behind one that was sent later.
    pub seen: bool,
    /// By how many segments, at most (Linux's `reordering`).
    pub degree: u32,
    /// RACK.reo_wnd_mult.
    quarters: u32,
    /// RACK.reo_wnd_persist.
    persist: u32,
    /// A D-SACK has come for which the window has not grown.
    dsack_seen: bool,
    /// When it grew last, µs: its next D-SACK is of a later round trip, where what is delivered was sent after it.
    grown_us: u64,
}

impl Default for ReorderingWindow {
    fn default() -> Self {
        Self { seen: false, degree: DUP_THRESH, quarters: 1, persist: 0, dsack_seen: false, grown_us: 0 }
    }
}

impl ReorderingWindow {
    /// RACK.reo_wnd_mult.
    pub const fn quarters(&self) -> u32 {
        self.quarters
    }

    /// The segment at `position`, sent once or reported twice, arrived after everything before `highest` that has arrived. // RFC 8985 §6.2, step 3
    pub fn on_reordered(&mut self, position: u64, highest: u64) {
        if position < highest {
            self.seen = true;
            self.degree = self.degree.max((highest - position).min(MOST_DEGREE.into()) as u32);
        }
    }

    /// A D-SACK says that a retransmission was needless; it counts only where reordering was seen, as in Linux.
    pub const fn on_dsack(&mut self) {
        self.dsack_seen |= self.seen;
    }

    /// Segments were delivered, of which the last one was sent at `newest_us`. The window grows once per round trip with D-SACKs.
    // RFC 8985 §6.2, step 4; Linux: tcp_rack_update_reo_wnd
    #[inline]
    pub fn on_delivered(&mut self, newest_us: u64, now_us: u64) {
        if newest_us < self.grown_us {
            self.dsack_seen = false;
        }
        if self.dsack_seen {
            self.dsack_seen = false;
            self.grown_us = now_us;
            self.quarters = (self.quarters + 1).min(MOST_QUARTERS);
            self.persist = PERSISTENCE;
        } else if self.persist == 0 {
            self.quarters = 1;
        }
    }

    /// Whether what is delivered leaves it as it is, until there is another D-SACK or a recovery.
    pub const fn is_settled(&self) -> bool {
        !self.dsack_seen && (self.persist > 0 || self.quarters == 1)
    }

    /// A timeout while many segments are reported and no recovery goes on: the degree was too large. // Linux: tcp_enter_loss
    pub fn on_timeout_in_disorder(&mut self) {
        self.degree = self.degree.min(DUP_THRESH);
    }

    /// A recovery ended without an undo. // RFC 8985 §6.2, step 4
    pub const fn on_recovery_over(&mut self) {
        self.persist = self.persist.saturating_sub(1);
    }

    /// D-SACKs have undone a recovery. // Linux: tcp_try_undo_dsack
    pub fn on_undo_by_dsack(&mut self) {
        self.persist = (self.persist + 1).min(PERSISTENCE);
    }

    /// The window, µs. `at_once`: in a recovery, or with as many segments reported as make duplicate acknowledgements a loss.
    pub fn us(&self, at_once: bool, min_rtt_us: u64, srtt_us: u64) -> u64 {
        if !self.seen && at_once {
            return 0;
        }
        (min_rtt_us / 4 * u64::from(self.quarters)).min(srtt_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 8985 §6.2 step 4, by a smallest round trip of 40 ms and a smoothed one of 50: a quarter is 10 ms; at once while no
    // reordering was seen.
    #[test]
    fn the_window_is_a_quarter_of_the_smallest_round_trip() {
        let mut window = ReorderingWindow::default();
        assert_eq!((window.us(false, 40_000, 50_000), window.us(true, 40_000, 50_000)), (10_000, 0));
        window.on_reordered(7, 7);
        assert!(!window.seen, "in order");
        window.on_reordered(7, 12);
        assert_eq!((window.seen, window.degree), (true, 5));
        assert_eq!((window.us(false, 40_000, 50_000), window.us(true, 40_000, 50_000)), (10_000, 10_000));
    }

    // RFC 8985 §6.2 step 4: two D-SACKs of one round trip count once; five round trips of them make 60 ms, bounded by SRTT. What was sent
    // before the window grew is of the round trip in which it grew.
    #[test]
    fn it_grows_by_a_quarter_for_each_round_trip_with_a_dsack_up_to_the_smoothed_one() {
        let mut window = ReorderingWindow::default();
        window.on_dsack();
        window.on_delivered(0, 40_000);
        assert_eq!(window.us(false, 40_000, 50_000), 10_000, "Linux: only where reordering was seen");
        window.on_reordered(0, 3);
        let sent = [(10, 20_000), (49, 20_000), (50, 30_000), (132, 40_000), (173, 50_000), (214, 50_000)];
        for (now_ms, (sent_ms, us)) in (50..).step_by(41).zip(sent) {
            window.on_dsack();
            window.on_delivered(sent_ms * 1000, now_ms * 1000);
            assert_eq!(window.us(false, 40_000, 50_000), us, "sent at {sent_ms} ms, delivered at {now_ms}");
        }
        for now_us in 1_000_000..1_000_300 {
            window.on_dsack();
            window.on_delivered(now_us, now_us);
        }
        assert_eq!(window.us(false, 40_000, u64::MAX), 2_550_000, "255 quarters");
    }

    // RFC 8985 §6.2 step 4: RACK.reo_wnd_persist is 16. The window falls back when something is delivered.
    #[test]
    fn it_falls_back_after_sixteen_recoveries_without_a_dsack() {
        let mut window = ReorderingWindow::default();
        window.on_reordered(0, 3);
        window.on_dsack();
        window.on_delivered(10, 20);
        for _ in 0..15 {
            window.on_recovery_over();
        }
        window.on_undo_by_dsack();
        window.on_recovery_over();
        window.on_delivered(30, 40);
        assert_eq!(window.us(false, 40_000, 50_000), 20_000);
        window.on_recovery_over();
        window.on_delivered(50, 60);
        assert_eq!(window.us(false, 40_000, 50_000), 10_000);
    }
}
