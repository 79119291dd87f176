// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use cwnd_link::random::RandomStream;
use std::collections::BTreeSet;

mod linux;

/// When segments arrive, ns: after all were sent.
const NOW: u64 = 1_000_000_000;

fn segment(position: u32) -> Segment {
    Segment { position, sent_us: 100 + position }
}

fn acks(positions: &[u32], ack_every: u32) -> Vec<Option<(u64, Option<u64>)>> {
    let mut receiver = Receiver::default();
    positions
        .iter()
        .map(|&p| receiver.on_segment(segment(p), ack_every, NOW).map(|ack| (ack.cumulative, ack.sacked)))
        .collect()
}

#[test]
fn every_second_segment_in_order_is_acknowledged() {
    assert_eq!(acks(&[0, 1, 2, 3], 2), [None, Some((2, None)), None, Some((4, None))]);
}

#[test]
fn a_hole_is_reported_at_once_and_its_filling_too() {
    assert_eq!(
        acks(&[0, 2, 3, 1, 4], 2),
        [None, Some((1, Some(2))), Some((1, Some(3))), Some((4, None)), None]
    );
}

fn ranges(receiver: &Receiver) -> Vec<(u64, u64)> {
    let ack = AckPacket { cumulative: receiver.next(), sacked: None, sent_us: None, waited: false };
    receiver.blocks(&ack).ranges(receiver.next()).collect()
}

/// An acknowledgement, the duplicate that it reports, and its blocks.
type Reported = (u64, Option<u64>, Vec<(u64, u64)>);

fn with_duplicates(positions: &[u32]) -> Vec<Reported> {
    let mut receiver = Receiver::linux(1448, None, false, 0);
    let mut acks = Vec::new();
    for &position in positions {
        let Some(ack) = receiver.on_segment(segment(position), 1, NOW) else { continue };
        let blocks = receiver.blocks(&ack);
        let ranges = blocks.ranges(ack.cumulative).collect();
        acks.push((ack.cumulative, blocks.duplicate(ack.cumulative), ranges));
    }
    acks
}

// RFC 2883 §4.1.1: two segments arrive, their acknowledgements are lost, the first comes again. §4.1.2: 0 is lost, 1 and 2 arrive, 1
// comes again. The duplicate is the first block, and the block that it lies in is the second.
#[test]
fn a_segment_that_arrives_again_is_the_first_block() {
    assert_eq!(with_duplicates(&[0, 1, 0]), [(1, None, vec![]), (2, None, vec![]), (2, Some(0), vec![])]);
    assert_eq!(
        with_duplicates(&[1, 2, 1, 0]),
        [(0, None, vec![(1, 2)]), (0, None, vec![(1, 3)]), (0, Some(1), vec![(1, 3)]), (3, None, vec![])]
    );
}

// RFC 2883 §4: beside the duplicate there is place for two blocks. Each duplicate is reported once.
#[test]
fn a_duplicate_leaves_place_for_two_blocks() {
    let acks = with_duplicates(&[3, 5, 3, 7]);
    assert_eq!(acks[2], (0, Some(3), vec![(3, 4), (5, 6)]));
    assert_eq!(acks[3], (0, None, vec![(7, 8), (3, 4), (5, 6)]));
    assert_eq!(with_duplicates(&[3, 5, 7, 3])[3], (0, Some(3), vec![(3, 4), (7, 8)]));
}

// A path that keeps acknowledgements in order carries one position instead of blocks: one below the acknowledgement, or reported
// before, is a duplicate. Other recoveries hear of none.
#[test]
fn a_duplicate_is_reported_where_it_is_asked_for() {
    for (reports_duplicates, expected) in
        [(true, [Some(0), Some(3), Some(3)]), (false, [None, Some(3), None])]
    {
        let mut receiver =
            if reports_duplicates { Receiver::linux(1448, None, false, 0) } else { Receiver::default() };
        receiver.on_segment(segment(0), 1, NOW);
        let sacked = [0, 3, 3]
            .map(|position| receiver.on_segment(segment(position), 1, NOW).and_then(|ack| ack.sacked));
        assert_eq!(sacked, expected);
    }
}

// RFC 2018 §5, its examples with segments for 500 bytes: 0 to 3 are acknowledged before.
#[test]
fn blocks_are_those_of_rfc_2018s_examples() {
    let after = |arrivals: &[u32]| {
        let mut receiver = Receiver::default();
        let mut seen = Vec::new();
        for position in [0, 1, 2, 3].iter().chain(arrivals) {
            receiver.on_segment(segment(*position), 1, NOW);
            seen.push(ranges(&receiver));
        }
        seen.split_off(4)
    };
    // Case 2: the first of eight is dropped, the rest arrives: one growing block.
    let expected: Vec<_> = (6..=12).map(|to| vec![(5, to)]).collect();
    assert_eq!(after(&[5, 6, 7, 8, 9, 10, 11]), expected);
    // Case 3: the second, fourth, sixth and last are dropped; then the fourth arrives and the second, out of order.
    assert_eq!(
        after(&[4, 6, 8, 10, 7, 5]),
        [
            vec![],
            vec![(6, 7)],
            vec![(8, 9), (6, 7)],
            vec![(10, 11), (8, 9), (6, 7)],
            vec![(6, 9), (10, 11)],
            vec![(10, 11)],
        ]
    );
}

#[test]
fn the_three_newest_blocks_are_reported_and_a_duplicate_comes_first() {
    let mut receiver = Receiver::default();
    for position in [2, 4, 6, 8, 10, 4, 11] {
        receiver.on_segment(segment(position), 1, NOW);
    }
    assert_eq!(ranges(&receiver), [(10, 12), (4, 5), (8, 9)]);
    receiver.on_segment(segment(4), 1, NOW);
    assert_eq!(ranges(&receiver), [(4, 5), (10, 12), (8, 9)]);
    assert_eq!((receiver.next(), receiver.distinct), (0, 6));
}

// RFC 2018 §4: as many blocks as fit. 5 makes one of the second and the third; the first is reported again. Linux remembers four (TCP_NUM_SACKS).
#[test]
fn two_blocks_that_become_one_leave_place_for_an_older_one() {
    let mut receiver = Receiver::default();
    for position in [2, 4, 6, 8] {
        receiver.on_segment(segment(position), 1, NOW);
    }
    assert_eq!(ranges(&receiver), [(8, 9), (6, 7), (4, 5)]);
    receiver.on_segment(segment(5), 1, NOW);
    assert_eq!(ranges(&receiver), [(4, 7), (8, 9), (2, 3)]);
    receiver.on_segment(segment(7), 1, NOW);
    assert_eq!(ranges(&receiver), [(4, 9), (2, 3)]);
}

// Whatever arrives, in whatever order: the first block holds it, all are true and whole, none is there twice; seed 5.
#[test]
fn blocks_are_whole_and_start_with_the_newest_arrival() {
    let mut random = RandomStream::new(5, 0);
    let mut receiver = Receiver::default();
    let mut arrived = BTreeSet::new();
    for _ in 0..20_000 {
        let position = receiver.next() + random.below(40);
        receiver.on_segment(segment(position as u32), 2, NOW);
        arrived.insert(position);
        let next = receiver.next();
        assert!(arrived.range(..next).count() as u64 == next && !arrived.contains(&next));
        let blocks = ranges(&receiver);
        if position > next {
            assert!((blocks[0].0..blocks[0].1).contains(&position), "{position} in {blocks:?}");
        }
        assert_eq!(blocks.is_empty(), arrived.range(next..).next().is_none());
        for (number, &(from, to)) in blocks.iter().enumerate() {
            assert!((from..to).all(|at| arrived.contains(&at)) && from < to);
            assert!(!arrived.contains(&(from - 1)) && !arrived.contains(&to), "{from}..{to} is not whole");
            assert!(blocks[..number].iter().all(|other| *other != (from, to)));
        }
    }
}

#[test]
fn an_old_segment_is_acknowledged_again_but_not_counted() {
    let mut receiver = Receiver::default();
    for position in [0, 1, 0, 3, 3] {
        receiver.on_segment(segment(position), 2, NOW);
    }
    assert_eq!((receiver.arrived, receiver.distinct), (5, 3));
}

#[test]
fn a_delayed_acknowledgement_echoes_the_first_segment() {
    let mut receiver = Receiver::default();
    receiver.on_segment(segment(0), 3, NOW);
    receiver.on_segment(segment(1), 3, NOW);
    assert_eq!(receiver.on_segment(segment(2), 3, NOW).and_then(|ack| ack.sent_us), Some((100, 102)));
}

// RFC 7323 §4.3: every acknowledgement echoes TS.Recent: of 0, of 0 again beyond the hole (the first acknowledgement may have been lost), of 1 when it
// has come. An old segment is outside of the window, and leaves TS.Recent as it is (§5.3, R2 and R3).
#[test]
fn every_acknowledgement_echoes_the_last_advance() {
    let mut receiver = Receiver::default();
    let arrivals = [sent_at(0, 10), sent_at(2, 12), sent_at(1, 30), sent_at(0, 40), sent_at(1, 11)];
    let echoes = arrivals.map(|segment| receiver.on_segment(segment, 1, NOW).and_then(|ack| ack.sent_us));
    assert_eq!(echoes.map(|echo| echo.map(|(oldest, _)| oldest / 1000)), [10, 10, 30, 30, 30].map(Some));
    let mut nothing = Receiver::default();
    let ack = nothing.on_segment(sent_at(1, 10), 1, NOW).expect("at once");
    assert_eq!(ack.sent_us, None, "nothing has come in order");
}

/// A segment at `position` sent at `ms`.
fn sent_at(position: u32, ms: u32) -> Segment {
    Segment { position, sent_us: ms * 1000 }
}

// RFC 7323 §5.3, R1: segments 0 to 4, sent 10 ms apart; 1 is lost, 2 is held back. 3 and 4 report themselves; 1 is sent again at 60 ms and moves TS.Recent on; then
// the late 2, sent at 20 ms, is older and is refused: only its retransmission is taken. Linux counts this as PAWSEstab.
#[test]
fn a_late_segment_behind_a_newer_retransmission_is_refused() {
    let mut receiver = Receiver::linux(1448, None, false, 0);
    let mut acks = Vec::new();
    for segment in
        [sent_at(0, 1), sent_at(3, 30), sent_at(4, 40), sent_at(1, 60), sent_at(2, 20), sent_at(2, 100)]
    {
        acks.extend(receiver.on_segment(segment, 1, NOW).map(|ack| (ack.cumulative, ack.sacked)));
    }
    assert_eq!(acks, [(1, None), (1, Some(3)), (1, Some(4)), (2, None), (2, None), (5, None)]);
    assert_eq!((receiver.arrived, receiver.distinct), (6, 5));
    let mut other = Receiver::default();
    for segment in [sent_at(0, 1), sent_at(3, 30), sent_at(4, 40), sent_at(1, 60), sent_at(2, 20)] {
        other.on_segment(segment, 1, NOW);
    }
    assert_eq!(other.next(), 5, "other receivers have no timestamps");
}

// RFC 7323 §5.3, R1, by clocks of a millisecond, as in Linux, which lets one pass. 10 000 µs are stamp 10; 8 999 µs are stamp 8, or 9 if the clock had run
// for 1 µs at time 0. What is older and passes does not become TS.Recent (§4.3 (2)): behind it, stamp 8 is still two older.
#[test]
fn a_timestamp_a_millisecond_older_is_taken() {
    for (phase_us, sent_us, taken) in
        [(0, 9_000, true), (0, 8_999, false), (1, 8_999, true), (1, 8_998, false)]
    {
        let mut receiver = Receiver::linux(1448, None, false, phase_us);
        receiver.on_segment(sent_at(0, 10), 1, NOW);
        receiver.on_segment(Segment { position: 1, sent_us }, 1, NOW);
        assert_eq!(receiver.next(), if taken { 2 } else { 1 }, "{phase_us} {sent_us}");
        let next = receiver.next();
        receiver.on_segment(Segment { position: next as u32, sent_us: 8_500 }, 1, NOW);
        assert_eq!(receiver.next(), next, "{phase_us} {sent_us}: stamp 8");
    }
}

/// A receiver that has no quick acknowledgements left.
fn patient() -> Receiver {
    Receiver { quick: 0, reading: None, ..Receiver::linux(1448, None, false, 0) }
}

/// Those of these segments that are acknowledged at once.
fn acknowledged_at_once(receiver: &mut Receiver, positions: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let is_acknowledged = |position: &u32| receiver.on_segment(segment(*position), 2, NOW).is_some();
    positions.into_iter().filter(is_acknowledged).collect()
}

// A window of ten segments begins with five quick acknowledgements. Segment 0 is missing: 1 to 5 use them up, then come the three that do not wait, and
// then every 45th.
#[test]
fn quick_acknowledgements_beyond_a_hole_do_not_wait() {
    let mut receiver = Receiver::linux(1448, Some(10), false, 0);
    assert_eq!(acknowledged_at_once(&mut receiver, 1..=100), [1, 2, 3, 4, 5, 6, 7, 8, 8 + 45, 8 + 90]);
}

// 0 to 3 are missing. 0 comes: its acknowledgement is the first of three of position 1, so that only two of the next do not wait. Where 1
// was there, 0 brings two segments. Two or more are acknowledged in any case, and are none of the three.
#[test]
fn the_acknowledgement_of_a_part_of_the_hole_counts_if_it_is_of_one_segment() {
    let mut receiver = patient();
    assert_eq!(acknowledged_at_once(&mut receiver, [4, 5, 6, 7, 0, 8, 9, 10, 11]), [4, 5, 6, 0, 8, 9]);
    let mut receiver = patient();
    assert_eq!(acknowledged_at_once(&mut receiver, [1, 3, 0, 4, 5, 6, 7]), [1, 3, 0, 4, 5, 6]);
}

// Linux, tcp_comp_sack_nr = 44: three acknowledgements at once, then one that waits, with the blocks of all. Segment 0 is missing; 1 to 3
// are reported at once, 4 to 7 wait. Then every 45th is reported at once. The rest wait for the timer.
#[test]
fn selective_acknowledgements_wait_for_each_other() {
    let mut receiver = patient();
    let reported: Vec<u32> =
        (1..=100).filter(|&position| receiver.on_segment(segment(position), 2, NOW).is_some()).collect();
    assert_eq!(reported, [1, 2, 3, 3 + 45, 3 + 90]);
    assert!(receiver.waits_with_reports());
    let ack = receiver.on_delay_over();
    assert!(ack.waited && ack.cumulative == 0 && ack.sacked.is_none());
    assert_eq!(receiver.blocks(&ack).ranges(0).collect::<Vec<_>>(), [(1, 101)]);
    // The hole is filled: at once, and nothing is left to report.
    let ack = receiver.on_segment(segment(0), 2, NOW).expect("at once");
    assert_eq!((ack.cumulative, ack.waited), (101, false));
}

// What waits is reported by whatever is sent first: here the part of the hole that is filled.
#[test]
fn what_waits_goes_with_the_next_acknowledgement() {
    let mut receiver = patient();
    for position in [2, 3, 4, 6] {
        receiver.on_segment(segment(position), 2, NOW);
    }
    let ack = receiver.on_segment(segment(0), 2, NOW).expect("at once");
    assert_eq!((ack.cumulative, ack.waited), (1, true));
    assert_eq!(receiver.blocks(&ack).ranges(1).collect::<Vec<_>>(), [(6, 7), (2, 5)]);
}

// Linux, TCP_SACK_BLOCKS_EXPECTED = 2: 0, 3, 6 and so on are missing. 1, 2 and 4 are reported at once; 5 waits, and 7, in a third block, lets the
// acknowledgement go that waits: it reports 1, 2, 4 and 5. 7 is reported with the next one: an option has place for three, so that no report is lost.
#[test]
fn reports_of_three_blocks_do_not_wait() {
    let mut receiver = patient();
    let mut reported = BTreeSet::new();
    let arrivals: Vec<u32> = (1..30).filter(|position| position % 3 != 0).collect();
    let mut at_once = Vec::new();
    for &position in &arrivals {
        if let Some(ack) = receiver.on_segment(segment(position), 2, NOW) {
            at_once.push(position);
            let blocks: Vec<_> = receiver.blocks(&ack).ranges(0).collect();
            assert!(position != 7 || blocks == [(4, 6), (1, 3)], "{blocks:?}");
            reported.extend(receiver.blocks(&ack).ranges(0).flat_map(|(from, to)| from as u32..to as u32));
        }
    }
    let ack = receiver.on_delay_over();
    reported.extend(receiver.blocks(&ack).ranges(0).flat_map(|(from, to)| from as u32..to as u32));
    assert_eq!(at_once[..5], [1, 2, 4, 7, 10]);
    assert!(reported.into_iter().eq(arrivals));
}

// RFC 7323 §5.5: what a pause does to timestamps. Segment 1 was sent 36, 60 or 71 minutes after segment 0, and is as new; 32 bits of microseconds are
// 71.6 minutes.
#[test]
fn a_pause_makes_nothing_old() {
    for minutes in [1, 36, 60, 71, 100, 200] {
        let mut receiver = Receiver::linux(1448, None, false, 0);
        receiver.on_segment(Segment { position: 0, sent_us: 0 }, 1, 20_000_000);
        let sent_us = minutes * 60_000_000_u64;
        let ack = receiver.on_segment(
            Segment { position: 1, sent_us: sent_us as u32 },
            1,
            sent_us * 1000 + 20_000_000,
        );
        assert_eq!(ack.map(|ack| ack.cumulative), Some(2), "{minutes} minutes");
    }
}

/// Segments acknowledged by each acknowledgement of a receiver that has segments in order, one each `gap` ns.
fn acknowledged(receiver: &mut Receiver, from: u32, count: u32, at: u64, gap: u64) -> Vec<u64> {
    let mut last = receiver.next();
    let mut all = Vec::new();
    for number in 0..count {
        let at = at + u64::from(number) * gap;
        let segment = Segment { position: from + number, sent_us: (at / 1000) as u32 - 10_000 };
        if let Some(ack) = receiver.on_segment(segment, 2, at) {
            all.push(ack.cumulative - last);
            last = ack.cumulative;
        }
    }
    all
}

// Linux: a first window of 65 535 bytes holds 45 segments of 1448 bytes, half of them are 22, at most 16. Where the window opens by 4 MiB, by
// two segments with each that arrives, 4 194 304 / 2 896 = 1448 more are acknowledged one by one. A window of 20 segments: 10. Of 3: 1, and
// none is 2.
#[test]
fn the_first_segments_are_acknowledged_one_by_one() {
    for (rwnd, quick) in [(None, 1395 + 16), (Some(100), 16), (Some(20), 10), (Some(3), 1), (Some(1), 2)] {
        let mut receiver = Receiver::linux(1448, rwnd, false, 0);
        let acks = acknowledged(&mut receiver, 0, quick + 4, NOW, 1000);
        let mut expected = vec![1; quick as usize];
        expected.extend([2, 2]);
        assert_eq!(acks, expected, "{rwnd:?}");
    }
}

// After a handshake of 40 ms the receiver's own timeout is 40 ms and 200 ms.
#[test]
fn after_a_pause_acknowledgements_are_quick_again() {
    let mut receiver = Receiver::linux(1448, Some(20), false, 0);
    receiver.on_open(40_000_000);
    let begin = acknowledged(&mut receiver, 0, 12, NOW, 1000);
    assert_eq!(begin[10..], [2]);
    let later = NOW + 11_000 + 240_000_000;
    assert_eq!(acknowledged(&mut receiver.clone(), 12, 2, later, 1000), [2]);
    assert_eq!(acknowledged(&mut receiver.clone(), 12, 2, later + 1_000_000, 1000), [1, 1]);
    // A link has held them: they were sent without a pause. Segment 11 arrived at NOW + 11 µs.
    let held = |number: u32| Segment { position: 12 + number, sent_us: (NOW / 1000) as u32 - 9_000 + number };
    let acks = [0, 1].map(|number| receiver.on_segment(held(number), 2, later + 1_000_000).is_some());
    assert_eq!(acks, [true, true]);
}

// A segment that comes again shows a sender in trouble.
#[test]
fn a_duplicate_makes_acknowledgements_quick() {
    let mut receiver = Receiver::linux(1448, Some(20), false, 0);
    acknowledged(&mut receiver, 0, 12, NOW, 1000);
    assert_eq!(acknowledged(&mut receiver, 12, 2, NOW + 20_000, 1000), [2]);
    receiver.on_segment(Segment { position: 3, sent_us: (NOW / 1000) as u32 }, 2, NOW + 30_000);
    assert_eq!(acknowledged(&mut receiver, 14, 2, NOW + 40_000, 1000), [1, 1]);
}
