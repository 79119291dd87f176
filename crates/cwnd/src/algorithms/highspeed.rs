// SPDX-License-Identifier: MIT OR Apache-2.0
//! HighSpeed TCP (RFC 3649): from 38 segments on, the increase grows and the decrease shrinks with the window.
//!
//! Increase and decrease come from the RFC's table 12, which lists where a(w) becomes the next whole number. `highspeed`
//! takes the straight line between two rows, because the RFC's response function belongs to a(w) itself: whole steps
//! rounded down (`row=reached`) lose a fifth of it at p = 10⁻⁴. `highspeed-linux` reads the row that the window has not yet
//! passed (a(39) = 2 already), and at a loss the row of the last increase. Deviation: the decrease is kept in 1/256,
//! rounded down, as computed from the RFC's formula (§5).

use super::{COUNT_ACKS, COUNT_NAMES, counted};
use crate::conn::Conn;
use crate::hooks::{CongestionControl, Info};
use crate::params::ParamKind;
use crate::registration::{Recovery, Registered, Set};
use crate::rescale::{Rescale, SegmentState};
use crate::slow_start;

#[cfg(test)]
const REACHED: u32 = 0;
const NOT_PASSED: u32 = 1;
const INTERPOLATED: u32 = 2;

/// RFC 3649, table 12: window, and 256 · b(w); a(w) is the row's number from 1.
#[rustfmt::skip]
const TABLE: [(u32, u32); 73] = [
    (38, 128), (118, 112), (221, 104), (347, 98), (495, 93), (663, 89), (851, 86), (1058, 83), (1284, 81),
    (1529, 78), (1793, 76), (2076, 74), (2378, 72), (2699, 71), (3039, 69), (3399, 68), (3778, 66),
    (4177, 65), (4596, 64), (5036, 62), (5497, 61), (5979, 60), (6483, 59), (7009, 58), (7558, 57),
    (8130, 56), (8726, 55), (9346, 54), (9991, 53), (10661, 52), (11358, 52), (12082, 51), (12834, 50),
    (13614, 49), (14424, 48), (15265, 48), (16137, 47), (17042, 46), (17981, 45), (18955, 45), (19965, 44),
    (21013, 43), (22101, 43), (23230, 42), (24402, 41), (25618, 41), (26881, 40), (28193, 39), (29557, 39),
    (30975, 38), (32450, 38), (33986, 37), (35586, 36), (37253, 36), (38992, 35), (40808, 35), (42707, 34),
    (44694, 33), (46776, 33), (48961, 32), (51258, 32), (53677, 31), (56230, 30), (58932, 30), (61799, 29),
    (64851, 28), (68113, 28), (71617, 27), (75401, 26), (79517, 26), (84035, 25), (89053, 24), (94717, 23),
];

crate::params! {
    /// Settings of HighSpeed TCP.
    ///
    /// ```
    /// use cwnd::algorithms::highspeed::HighSpeed;
    ///
    /// let cc = HighSpeed::builder().row("not_passed").build()?;
    /// assert_eq!((cc.params.row, cc.params.counting), (1, 1)); // the second of its names; acknowledgements
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    pub struct HighSpeedParams for HighSpeed {
        row: ParamKind::Choice(&["reached", "not_passed", "interpolated"]), "", 0 => 2, "RFC 3649 §5, appendix B; Linux",
            "row of the table that applies: the last one reached, the first one not yet passed, or interpolated";
        counting: ParamKind::Choice(COUNT_NAMES), "", 0 => 1, "RFC 3649 §5",
            "what grows the window: acknowledged segments, or acknowledgements";
    }
}

crate::state! {
    /// State of HighSpeed TCP.
    ///
    /// ```
    /// use cwnd::{Algorithm, Configured, Conn, algorithms::highspeed::HighSpeed};
    ///
    /// let mut cc = Configured::<HighSpeed>::registered();
    /// for (window, kept) in [(38, 19), (94_717, 86_208)] {
    ///     assert_eq!(cc.ssthresh(&mut Conn::new(1448, window)), kept); // 1/2 is given away, then 23/256
    /// }
    /// ```
    pub struct HighSpeed {
        /// Row of the last increase.
        row: u32 as unchanged,
        /// Growth not yet worth a segment, in 1/256, times the window; `cwnd_cnt` where whole numbers will do.
        credit_x256: u64 as squared,
    }
}

/// How many rows' windows lie below `cwnd`: seven steps, whatever the window.
fn rows_below(cwnd: u32) -> usize {
    let mut below = 0;
    for step in [64, 32, 16, 8, 4, 2, 1] {
        if TABLE.get(below + step - 1).is_some_and(|row| row.0 < cwnd) {
            below += step;
        }
    }
    below
}

/// The table's row for a window.
fn row_of(cwnd: u32, params: &HighSpeedParams) -> u32 {
    let row = if params.row == NOT_PASSED {
        rows_below(cwnd)
    } else {
        rows_below(cwnd.saturating_add(1)).saturating_sub(1)
    };
    row.min(TABLE.len() - 1) as u32
}

/// `from` to `to` on the line from `begin` to `end`, at `at` between those two.
fn between(at: u32, begin: u32, end: u32, from_x256: u32, to_x256: u32) -> u32 {
    let (part, whole) = (at.saturating_sub(begin), end.saturating_sub(begin).max(1));
    let change = u64::from(from_x256.abs_diff(to_x256)) * u64::from(part) / u64::from(whole);
    let change = change.min(u64::from(u32::MAX)) as u32;
    if to_x256 >= from_x256 { from_x256.saturating_add(change) } else { from_x256.saturating_sub(change) }
}

/// a(w) and b(w) between the rows of the table, in 1/256. // RFC 3649 §5
fn interpolated_x256(cwnd: u32) -> (u32, u32) {
    let next = rows_below(cwnd.saturating_add(1));
    let Some(row) = next.checked_sub(1) else { return (256, 128) };
    let (Some(&(w, b)), a_x256) = (TABLE.get(row), (next as u32) << 8) else { return (256, 128) };
    match TABLE.get(next) {
        Some(&(end, b_end)) => (between(cwnd, w, end, a_x256, a_x256 + 256), between(cwnd, w, end, b, b_end)),
        None => (a_x256, b),
    }
}

impl HighSpeed {
    /// a(w), in 1/256, with the row that this increase reads.
    fn increase_x256(cwnd: u32, params: &HighSpeedParams) -> u32 {
        if params.row == INTERPOLATED { interpolated_x256(cwnd).0 } else { (row_of(cwnd, params) + 1) << 8 }
    }

    /// b(w), in 1/256.
    fn decrease_x256(&self, cwnd: u32, params: &HighSpeedParams) -> u32 {
        let row = match params.row {
            INTERPOLATED => return interpolated_x256(cwnd).1,
            NOT_PASSED => self.row,
            _ => row_of(cwnd, params),
        };
        TABLE.get(row as usize).map_or(128, |row| row.1)
    }
}

impl Registered for HighSpeed {
    const NAME: &'static str = "highspeed";
    const SUMMARY: &'static str = "HighSpeed TCP: increase and decrease change with the window";
    const SETS: &'static [Set<HighSpeedParams>] = &[
        Set {
            name: "highspeed",
            summary: "a(w) and b(w) of table 12, interpolated linearly",
            source: "RFC 3649",
            recovery: Recovery::Sack,
            params: HighSpeedParams { row: INTERPOLATED, counting: COUNT_ACKS },
        },
        Set {
            name: "highspeed-linux",
            summary: "the same table, its rows rounded up",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Linux,
            params: HighSpeedParams { row: NOT_PASSED, counting: COUNT_ACKS },
        },
    ];
}

impl CongestionControl for HighSpeed {
    type Params = HighSpeedParams;

    fn init(&mut self, _conn: &mut Conn, _params: &HighSpeedParams) {
        *self = Self::default();
    }

    fn rescale(&mut self, scale: Rescale) -> bool {
        SegmentState::rescale(self, scale);
        true
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &HighSpeedParams) -> u32 {
        self.credit_x256 = 0;
        let b_x256 = self.decrease_x256(conn.cwnd, params);
        // RFC 3649 §5: w − b(w) · w
        let cut = (u64::from(conn.cwnd) * u64::from(b_x256)) >> 8;
        conn.cwnd.saturating_sub(cut as u32).max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, params: &HighSpeedParams) {
        if !conn.cwnd_limited() {
            return;
        }
        if conn.in_slow_start() {
            slow_start::standard(conn, acked);
            return;
        }
        self.row = row_of(conn.cwnd, params);
        if conn.cwnd >= conn.cwnd_clamp {
            return;
        }
        // RFC 3649 §5: w + a(w)/w for each acknowledgement.
        let counts = counted(params.counting, acked);
        if params.row == INTERPOLATED {
            let segment_x256 = u64::from(conn.cwnd) << 8;
            let growth_x256 = u64::from(Self::increase_x256(conn.cwnd, params)) * u64::from(counts);
            self.credit_x256 = self.credit_x256.saturating_add(growth_x256);
            if self.credit_x256 >= segment_x256 {
                self.credit_x256 -= segment_x256;
                conn.grow(1);
            }
            return;
        }
        conn.cwnd_cnt = conn.cwnd_cnt.saturating_add((self.row + 1).saturating_mul(counts));
        if conn.cwnd_cnt >= conn.cwnd {
            conn.cwnd_cnt -= conn.cwnd;
            conn.grow(1);
        }
    }

    fn info(&self, conn: &Conn, params: &HighSpeedParams) -> Info {
        Info {
            fields: [
                ("a_per_rtt_x256", u64::from(Self::increase_x256(conn.cwnd, params))),
                ("b_x256", u64::from(self.decrease_x256(conn.cwnd, params))),
                ("", 0),
                ("", 0),
                ("", 0),
                ("", 0),
                ("", 0),
                ("", 0),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: HighSpeedParams = HighSpeedParams { row: INTERPOLATED, counting: COUNT_ACKS };
    const RFC: HighSpeedParams = HighSpeedParams { row: REACHED, counting: COUNT_ACKS };
    const LINUX: HighSpeedParams = HighSpeedParams { row: NOT_PASSED, counting: COUNT_ACKS };

    // RFC 3649 §5: b(w) = (0.1 − 0.5)(ln w − ln 38)/(ln 83000 − ln 38) + 0.5;
    // a(w) = w² · p(w) · 2 b/(2 − b), p(w) = 0.078/w^1.2: the table's windows are where a reaches the next whole number.
    #[test]
    fn the_table_is_the_formulas() {
        for (index, (w, b_x256)) in TABLE.into_iter().enumerate() {
            let w = f64::from(w);
            let b = -0.4 * (w / 38.0).ln() / (83_000_f64 / 38.0).ln() + 0.5;
            assert_eq!(b_x256, (b * 256.0) as u32, "b({w})");
            let a = w * w * 0.078125 / w.powf(1.2) * 2.0 * b / (2.0 - b);
            let expected = (index + 1) as f64;
            // At 38 the RFC joins standard TCP: the formula's 0.956 is 1 there.
            assert!(index == 0 || (a / expected - 1.0).abs() < 0.02, "a({w}) = {a}, row {expected}");
        }
    }

    #[test]
    fn both_readings_of_the_table() {
        for (cwnd, reached, not_passed) in [
            (1, 1, 1),
            (38, 1, 1),
            (39, 1, 2),
            (117, 1, 2),
            (118, 2, 2),
            (119, 2, 3),
            (94_717, 73, 73),
            (u32::MAX, 73, 73),
        ] {
            assert_eq!(row_of(cwnd, &RFC) + 1, reached, "{cwnd}");
            assert_eq!(row_of(cwnd, &LINUX) + 1, not_passed, "{cwnd}");
        }
    }

    // RFC 3649, table 9: 0.50 of 12, 0.35 of 833 (its row, 663, gives 89/256), 0.10 of 83 000 (its row 79 517: 26/256).
    #[test]
    fn the_decrease_shrinks_with_the_window() {
        for (cwnd, kept) in [(12, 6), (833, 833 - 289), (83_000, 83_000 - 8429)] {
            assert_eq!(HighSpeed::default().ssthresh(&mut Conn::new(1448, cwnd), &RFC), kept);
        }
    }

    // Between 118 (a = 2, b = 112/256) and 221 (a = 3, b = 104/256): at 170, 52/103 of the way, 2.505 and 107.96.
    #[test]
    fn between_two_rows_lies_the_straight_line() {
        for (cwnd, a_x256, b_x256) in [
            (2, 256, 128),
            (38, 256, 128),
            (118, 512, 112),
            (170, 641, 108),
            (94_717, 73 * 256, 23),
            (u32::MAX, 73 * 256, 23),
        ] {
            assert_eq!(interpolated_x256(cwnd), (a_x256, b_x256), "{cwnd}");
        }
    }

    // The formulas of the test above: within 2 % of a(w) and 1/256 of b(w) at every window, not only at the rows.
    #[test]
    fn the_line_is_the_formula_at_every_window() {
        for cwnd in (118..83_000).step_by(7) {
            let w = f64::from(cwnd);
            let b = -0.4 * (w / 38.0).ln() / (83_000_f64 / 38.0).ln() + 0.5;
            let a = w * w * 0.078125 / w.powf(1.2) * 2.0 * b / (2.0 - b);
            let (a_x256, b_x256) = interpolated_x256(cwnd);
            assert!((f64::from(a_x256) / 256.0 / a - 1.0).abs() < 0.02, "a({w}) = {a}, not {a_x256}/256");
            assert!((f64::from(b_x256) / 256.0 - b).abs() < 2.0 / 256.0, "b({w}) = {b}, not {b_x256}/256");
        }
    }

    // At 1000 segments a = 7 + 149/207 (between 851 and 1058) = 7.72: a thousand acknowledgements are seven segments.
    #[test]
    fn a_round_trip_grows_the_window_by_a() {
        let mut highspeed = HighSpeed::default();
        let mut conn = Conn { is_cwnd_limited: true, ssthresh: 2, ..Conn::new(1448, 1000) };
        for _ in 0..1000 {
            highspeed.cong_avoid(&mut conn, 0, 1, &LINE);
        }
        assert_eq!(conn.cwnd, 1007);
    }
}
