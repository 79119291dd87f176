// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scoreboard by hand, and compared with sets of segments.

use super::*;
use cwnd_link::random::RandomStream;
use std::collections::BTreeSet;

// RFC 6675 §4: segment 0 is lost when three segments above it are reported, 1 to 3 are not outstanding losses.
#[test]
fn three_reports_above_make_a_loss() {
    let mut board = Scoreboard::default();
    for (position, lost) in [(1, false), (2, false), (3, true)] {
        assert!(board.report(0, position));
        assert_eq!(board.mark_losses(0), lost, "after {position}");
    }
    assert_eq!((board.sacked_out, board.lost_out), (3, 1));
    assert_eq!(board.next_lost(0), Some(0));
}

#[test]
fn losses_found_later_are_retransmitted_too() {
    let mut board = Scoreboard::default();
    for position in [1, 2, 3] {
        board.report(0, position);
    }
    board.mark_losses(0);
    board.retransmit(0);
    assert_eq!(board.next_lost(0), None);
    for position in [5, 6, 7] {
        board.report(0, position);
    }
    assert!(board.mark_losses(0));
    assert_eq!(board.next_lost(0), Some(4));
}

#[test]
fn every_hole_below_the_third_highest_report_is_lost_once() {
    let mut board = Scoreboard::default();
    for position in [2, 5, 6, 7] {
        board.report(0, position);
    }
    assert!(board.mark_losses(0));
    assert_eq!(board.lost_out, 4); // 0, 1, 3, 4 lie below 5, the third highest
    assert!(!board.mark_losses(0));
    let mut holes = Vec::new();
    while let Some(position) = board.next_lost(0) {
        board.retransmit(position);
        holes.push(position);
    }
    assert_eq!(holes, [0, 1, 3, 4]);
    assert_eq!(board.retrans_out, 4);
}

// What is known of one window says nothing of the next.
#[test]
fn holes_ten_thousand_apart_are_both_retransmitted() {
    let mut board = Scoreboard::default();
    for position in 10_000..20_000 {
        board.report(9_999, position);
        board.mark_losses(9_999);
    }
    board.retransmit(9_999);
    assert_eq!(board.advance(9_999, 20_000), 10_000);
    for position in 20_001..20_004 {
        board.report(20_000, position);
    }
    assert!(board.mark_losses(20_000));
    assert_eq!(board.next_lost(20_000), Some(20_000));
    assert_eq!((board.sacked_out, board.lost_out, board.retrans_out), (3, 1, 0));
}

#[test]
fn the_cumulative_acknowledgement_clears_what_it_covers() {
    let mut board = Scoreboard::default();
    for position in [1, 2, 3, 9] {
        board.report(0, position);
    }
    board.mark_losses(0);
    board.retransmit(0);
    assert_eq!(board.advance(0, 4), 3);
    assert_eq!((board.sacked_out, board.lost_out, board.retrans_out), (1, 0, 0));
    assert!(!board.mark_losses(4), "one report above 4 is not three");
}

#[test]
fn a_timeout_loses_all_that_is_not_reported() {
    let mut board = Scoreboard::default();
    board.report(0, 5);
    board.lose_all(0, 10);
    assert_eq!(board.lost_out, 9);
    assert!(!board.report(0, 5));
}

// RFC 6675 §4: rule 1 and rule 3 move HighRxt, so what is not lost counts twice in the pipe; rule 4 does not.
#[test]
fn rules_1_and_3_count_in_the_pipe_and_rule_4_takes_the_last_hole() {
    let mut board = Scoreboard::default();
    for position in [3, 4, 5, 9, 19] {
        board.report(0, position);
    }
    board.mark_losses(0); // below 5: 0, 1, 2
    for lost in 0..3 {
        assert_eq!(board.next_lost(0), Some(lost));
        board.retransmit(lost);
    }
    assert_eq!(board.next_lost(0), None);
    assert_eq!(board.next_unreported(0), Some(6));
    board.retransmit(6);
    assert_eq!(board.next_unreported(0), Some(7));
    // 20 out, 5 reported, 3 lost and sent again (as one each), 6 sent again and not lost (as two).
    assert_eq!((board.lost_out, board.retrans_out), (3, 4));
    assert_eq!(20 + board.retrans_out - board.sacked_out - board.lost_out, 16);
    assert_eq!(board.last_unreported(0, 20), Some(18));
    assert_eq!(board.last_unreported(0, 22), Some(21));
}

// Nothing but a timeout says that a retransmission is lost.
#[test]
fn what_is_retransmitted_goes_again_after_a_timeout_only() {
    let mut board = Scoreboard::default();
    for position in [1, 2, 3] {
        board.report(0, position);
    }
    board.mark_losses(0);
    board.retransmit(0);
    board.report(0, 4);
    board.mark_losses(0);
    assert_eq!((board.next_lost(0), board.retrans_out, board.lost_out), (None, 1, 1));
    board.lose_all(0, 6);
    assert_eq!((board.next_lost(0), board.retrans_out, board.lost_out), (Some(0), 0, 2));
}

/// A sender's knowledge as three sets, by the definitions.
#[derive(Default)]
struct SetModel {
    sacked: BTreeSet<u64>,
    /// Lost by a timeout, in addition to IsLost.
    lost: BTreeSet<u64>,
    retransmitted: BTreeSet<u64>,
}

impl SetModel {
    fn report(&mut self, at: u64) -> bool {
        self.lost.remove(&at);
        self.retransmitted.remove(&at);
        self.sacked.insert(at)
    }

    fn is_lost(&self, at: u64) -> bool {
        self.lost.contains(&at) || self.sacked.range(at..).count() >= DUP_THRESH as usize
    }
}

// RFC 6675's definitions, segment by segment, compared with bits and edges: ten runs, seeds 0 to 9.
#[test]
fn bits_and_edges_say_what_sets_of_segments_say() {
    for seed in 0..10 {
        let mut random = RandomStream::new(seed, 0);
        let (mut board, mut sets) = (Scoreboard::default(), SetModel::default());
        let (mut una, mut nxt) = (0, 200);
        for step in 0..1000 {
            match random.below(20) {
                0 if random.below(8) == 0 => {
                    board.lose_all(una, nxt);
                    sets.lost = (una..nxt).filter(|at| !sets.sacked.contains(at)).collect();
                    sets.retransmitted.clear();
                }
                2 => nxt += random.below(60),
                3 => {
                    let to = (una..nxt).find(|&at| !sets.sacked.contains(&at)).unwrap_or(nxt);
                    let to = (to + random.below(3)).min(nxt);
                    let reported = sets.sacked.range(una..to).count() as u32;
                    assert_eq!(board.advance(una, to), reported);
                    una = to;
                    for set in [&mut sets.sacked, &mut sets.lost, &mut sets.retransmitted] {
                        *set = set.split_off(&una);
                    }
                }
                4..=9 => {
                    let first = (una..nxt).find(|&at| {
                        sets.is_lost(at) && !sets.sacked.contains(&at) && !sets.retransmitted.contains(&at)
                    });
                    assert_eq!(board.next_lost(una), first, "seed {seed}, step {step}");
                    let next = first.or_else(|| board.next_unreported(una));
                    if let Some(position) = next {
                        assert!(!sets.sacked.contains(&position) && !sets.retransmitted.contains(&position));
                        board.retransmit(position);
                        sets.retransmitted.insert(position);
                    }
                }
                10..=11 if una < nxt => {
                    let from = una + 1 + random.below(nxt - una);
                    let to = (from + random.below(9)).min(nxt);
                    let news: Vec<u64> = (from..to).filter(|at| !sets.sacked.contains(at)).collect();
                    assert_eq!(board.report_range(una, from, to), news.len() as u32);
                    for at in news {
                        sets.report(at);
                    }
                    board.mark_losses(una);
                }
                _ if una < nxt => {
                    let at = una + 1 + random.below(nxt - una);
                    assert_eq!(at < nxt && board.report(una, at), at < nxt && sets.report(at));
                    board.mark_losses(una);
                }
                _ => {}
            }
            let unsacked = || (una..nxt).filter(|at| !sets.sacked.contains(at));
            let lost = unsacked().filter(|&at| sets.is_lost(at)).count() as u32;
            let retransmitted = sets.retransmitted.len() as u32;
            let counts = (board.sacked_out, board.lost_out, board.retrans_out);
            assert_eq!(counts, (sets.sacked.len() as u32, lost, retransmitted), "seed {seed}, step {step}");
            board.check(una, nxt);
            let out = (nxt - una) as u32;
            assert_eq!(
                board.pipe(una, nxt),
                out + counts.2 - counts.0 - counts.1,
                "seed {seed}, step {step}"
            );
        }
    }
}
