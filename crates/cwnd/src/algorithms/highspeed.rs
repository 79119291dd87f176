// SPDX-License-Identifier: MIT OR Apache-2.0
//! HighSpeed TCP (RFC 3649): from 38 segments on, the increase grows and the decrease shrinks with the window.
//!
//! Increase and decrease come from the RFC's table 12. `highspeed` reads the row that the window has reached, as the RFC
//! has it; `highspeed-linux` reads the row that it has not yet passed (a(39) = 2 already), and at a loss the row of the
//! last increase. Deviation: the decrease is kept in 1/256, rounded down, as computed from the RFC's formula (§5).

use super::{COUNT_ACKS, COUNT_NAMES, counted};
use crate::conn::Conn;
use crate::control::{CongestionControl, Info};
use crate::params::Kind;
use crate::registry::{Recovery, Registered, Set};
use crate::slow_start;

const REACHED: u32 = 0;
const NOT_PASSED: u32 = 1;

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
    pub struct HighSpeedParams {
        row: Kind::Choice(&["reached", "not_passed"]), "", 0 => 1, "RFC 3649 appendix B; Linux",
            "row of the table: the last one that the window has reached, or the first that it has not passed";
        counting: Kind::Choice(COUNT_NAMES), "", 0 => 1, "RFC 3649 §5",
            "what grows the window: acknowledged segments, or acknowledgements";
    }
}

/// State of HighSpeed TCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct HighSpeed {
    /// Row of the last increase.
    row: u32,
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

impl Registered for HighSpeed {
    const NAME: &'static str = "highspeed";
    const SUMMARY: &'static str = "HighSpeed TCP: increase and decrease change with the window";
    const SETS: &'static [Set<HighSpeedParams>] = &[
        Set {
            name: "highspeed",
            summary: "a(w) and b(w) of table 12",
            source: "RFC 3649",
            recovery: Recovery::Sack,
            params: HighSpeedParams { row: REACHED, counting: COUNT_ACKS },
        },
        Set {
            name: "highspeed-linux",
            summary: "the same table, its rows rounded up",
            source: "Linux 6.1, golden traces",
            recovery: Recovery::Sack,
            params: HighSpeedParams { row: NOT_PASSED, counting: COUNT_ACKS },
        },
    ];
}

impl CongestionControl for HighSpeed {
    type Params = HighSpeedParams;

    fn init(&mut self, _conn: &mut Conn, _params: &HighSpeedParams) {
        *self = Self::default();
    }

    fn ssthresh(&mut self, conn: &mut Conn, params: &HighSpeedParams) -> u32 {
        let row = if params.row == NOT_PASSED { self.row } else { row_of(conn.cwnd, params) };
        let b_x256 = TABLE.get(row as usize).map_or(128, |row| row.1);
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
        conn.cwnd_cnt = conn.cwnd_cnt.saturating_add((self.row + 1).saturating_mul(counts));
        if conn.cwnd_cnt >= conn.cwnd {
            conn.cwnd_cnt -= conn.cwnd;
            conn.grow(1);
        }
    }

    fn info(&self, _conn: &Conn, _params: &HighSpeedParams) -> Info {
        let b_x256 = TABLE.get(self.row as usize).map_or(128, |row| row.1);
        Info {
            fields: [
                ("a_per_rtt", u64::from(self.row) + 1),
                ("b_x256", u64::from(b_x256)),
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
}
