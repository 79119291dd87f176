// SPDX-License-Identifier: MIT OR Apache-2.0
//! The log compared with RFC 8985's own words, segment by segment.

use super::super::entry::Transmission;
use super::super::log::SegmentLog;
use crate::tcp::sender::scoreboard::Scoreboard;
use cwnd_link::random::RandomStream;
use std::collections::BTreeMap;

/// What is known of a segment.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    sent_us: u64,
    /// The how many-th transmission it was.
    number: u64,
    sacked: bool,
    lost: bool,
    retransmitted: bool,
    /// It was found lost, and has not been sent again since.
    judged: bool,
}

/// RFC 8985 §6.2, step 5, RACK_detect_loss, after undos as in Linux: how many are lost, and when the last of those that are not yet was sent.
fn detect(segments: &mut BTreeMap<u64, Known>, newest: Transmission, horizon_us: u64) -> (u32, Option<u64>) {
    let (mut lost, mut waiting_us) = (0, None);
    let mut as_sent: Vec<_> = segments.iter_mut().collect();
    as_sent.sort_by_key(|(_, known)| known.number);
    for (&position, known) in as_sent {
        if known.sacked || known.judged || known.lost && !known.retransmitted {
            continue;
        }
        // Linux: tcp_rack_detect_loss stops there.
        let transmission = Transmission { sent_us: known.sent_us, position };
        if transmission >= newest {
            break;
        }
        if known.sent_us <= horizon_us {
            (known.lost, known.retransmitted, known.judged) = (true, false, true);
            lost += 1;
        } else {
            waiting_us = waiting_us.max(Some(known.sent_us));
        }
    }
    (lost, waiting_us)
}

// Ten runs, seeds 0 to 9, of 3000 steps: everything is found that going through all segments finds. In every other run steps have the same
// time, one in twenty, and there are no undos: what an undo brings back has lost its place among those of the same time.
#[test]
fn cursors_find_what_going_through_all_segments_finds() {
    for seed in 0..10 {
        let mut random = RandomStream::new(seed, 0);
        let (mut log, mut board) = (SegmentLog::default(), Scoreboard::default());
        let mut segments: BTreeMap<u64, Known> = BTreeMap::new();
        let (mut una, mut nxt, mut now_us) = (0, 0, 0);
        let mut newest = Transmission::default();
        let (mut found, mut again) = (0, 0);
        for step in 0..3000 {
            let at = format!("seed {seed}, step {step}");
            let undoes = seed % 2 == 0;
            now_us += u64::from(undoes) + random.below(20);
            let out: Vec<u64> = segments.iter().filter(|(_, known)| !known.sacked).map(|(&p, _)| p).collect();
            let drawn = out.get(random.below(out.len().max(1) as u64) as usize).copied();
            match (random.below(12), drawn) {
                (0..=3, _) if nxt - una < 300 => {
                    let to = nxt + 1 + random.below(4);
                    log.extend(una, to, now_us);
                    let number = step * 10;
                    segments.extend((nxt..to).map(|p| {
                        (p, Known { sent_us: now_us, number: number + p - nxt, ..Known::default() })
                    }));
                    nxt = to;
                }
                (4..=6, Some(position)) if position > una => {
                    let (sent, _) = log.report(position, &mut board).expect("news");
                    newest = newest.max(sent);
                    let known = segments.get_mut(&position).expect("out");
                    // Of a segment that is not lost, the retransmission is still out.
                    let retransmitted = known.retransmitted && !known.lost;
                    *known = Known { sacked: true, lost: false, retransmitted, ..*known };
                    assert!(log.report(position, &mut board).is_none(), "{at}: twice");
                }
                (7, Some(position)) if random.below(4) == 0 => {
                    while una <= position {
                        newest = log.take_acked(&mut board).map_or(newest, |(sent, _)| newest.max(sent));
                        segments.remove(&una);
                        una += 1;
                    }
                }
                (8..=9, _) => {
                    let first = segments.iter().find(|(_, known)| known.lost && !known.retransmitted);
                    let first = first.map(|(&position, _)| position);
                    assert_eq!(log.next_lost(&board), first, "{at}");
                    if let Some(position) = first {
                        log.retransmit(position, now_us, true, &mut board);
                        let known = segments.get_mut(&position).expect("out");
                        (known.sent_us, known.retransmitted, known.judged) = (now_us, true, false);
                        known.number = step * 10;
                        again += 1;
                    }
                }
                (10, _) if random.below(60) == 0 => {
                    let horizon_us = now_us.saturating_sub(random.below(400));
                    log.time_out(Some(horizon_us), &mut board);
                    for (&position, known) in &mut segments {
                        if !known.sacked && (position == una || known.sent_us <= horizon_us) {
                            (known.lost, known.retransmitted) = (true, false);
                        }
                    }
                }
                (11, _) if undoes && random.below(60) == 0 => {
                    log.forget_losses(&mut board);
                    segments.values_mut().for_each(|known| known.lost = false);
                }
                _ => {}
            }
            let horizon_us = now_us.saturating_sub(100 + random.below(400));
            let (lost, waiting_us) = detect(&mut segments, newest, horizon_us);
            let detected = log.detect(newest, Some(horizon_us), &mut board);
            assert_eq!((detected.lost, detected.waiting_us), (lost, waiting_us), "{at}");
            log.check(una, nxt, &board);
            found += detected.lost;
        }
        assert!(found > 300 && again > 200, "seed {seed}: {found} lost, {again} sent again");
    }
}

// While nothing is missing, eight bytes for each burst, here of ten segments, and an eighth more, rounded up to 16 more. When something is, each segment has eight, and a
// sixteenth more, until it is acknowledged.
#[test]
fn a_burst_takes_nine_bytes_and_each_segment_as_much_while_something_is_missing() {
    let (mut log, mut board) = (SegmentLog::default(), Scoreboard::default());
    for to in (10..=1_000_000).step_by(10) {
        log.extend(to.max(100_000) - 100_000, to, to);
    }
    assert!(log.bytes() <= 10_000 * 9 + 128, "{}", log.bytes());
    log.forget(900_000);
    log.report(900_002, &mut board);
    assert!(log.bytes() <= 100_000 * 9, "{}", log.bytes());
    while board.sacked_out > 0 {
        log.take_acked(&mut board);
    }
    log.settle();
    for to in (1_000_010..=2_000_000).step_by(10) {
        log.extend(to - 100_000, to, to);
    }
    assert!(log.bytes() <= 10_000 * 9 + 128, "{}", log.bytes());
}
