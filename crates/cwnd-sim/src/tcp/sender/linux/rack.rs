// SPDX-License-Identifier: MIT OR Apache-2.0
//! RACK (RFC 8985 §6): the newest transmission that has arrived, and how much later than it an earlier one may come.

use super::log::{Entry, Transmission};
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
    /// RACK.dsack_round.
    dsack_round: Option<u64>,
}

impl Default for ReorderingWindow {
    fn default() -> Self {
        Self { seen: false, degree: DUP_THRESH, quarters: 1, persist: 0, dsack_round: None }
    }
}

impl ReorderingWindow {
    /// The segment at `position`, sent once, arrived after everything before `highest` that has arrived. // RFC 8985 §6.2, step 3
    pub fn on_reordered(&mut self, position: u64, highest: u64) {
        if position < highest {
            self.seen = true;
            self.degree = self.degree.max((highest - position).min(MOST_DEGREE.into()) as u32);
        }
    }

    /// A D-SACK says that a retransmission was needless. The window grows once per round trip, and only where reordering was
    /// seen, as in Linux. // RFC 8985 §6.2, step 4
    pub fn on_dsack(&mut self, una: u64, nxt: u64) {
        if self.seen && self.dsack_round.is_none_or(|end| una >= end) {
            self.dsack_round = Some(nxt);
            self.quarters = (self.quarters + 1).min(MOST_QUARTERS);
            self.persist = PERSISTENCE;
        }
    }

    /// A recovery ended without an undo. // RFC 8985 §6.2, step 4
    pub const fn on_recovery_over(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
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

    // RFC 8985 §6.2 step 4: two D-SACKs of one round trip count once; five round trips of them make 60 ms, bounded by SRTT.
    #[test]
    fn it_grows_by_a_quarter_for_each_round_trip_with_a_dsack_up_to_the_smoothed_one() {
        let mut window = ReorderingWindow::default();
        window.on_dsack(0, 10);
        assert_eq!(window.us(false, 40_000, 50_000), 10_000, "Linux: only where reordering was seen");
        window.on_reordered(0, 3);
        for (una, us) in [(5, 20_000), (9, 20_000), (15, 30_000), (25, 40_000), (35, 50_000), (45, 50_000)] {
            window.on_dsack(una, una + 10);
            assert_eq!(window.us(false, 40_000, 50_000), us, "at {una}");
        }
        for _ in 0..300 {
            window.dsack_round = None;
            window.on_dsack(0, 10);
        }
        assert_eq!(window.us(false, 40_000, u64::MAX), 2_550_000, "255 quarters");
    }

    // RFC 8985 §6.2 step 4: RACK.reo_wnd_persist is 16.
    #[test]
    fn it_falls_back_after_sixteen_recoveries_without_a_dsack() {
        let mut window = ReorderingWindow::default();
        window.on_reordered(0, 3);
        window.on_dsack(0, 10);
        for _ in 0..15 {
            window.on_recovery_over();
        }
        window.on_undo_by_dsack();
        window.on_recovery_over();
        assert_eq!(window.us(false, 40_000, 50_000), 20_000);
        window.on_recovery_over();
        assert_eq!(window.us(false, 40_000, 50_000), 10_000);
    }
}
