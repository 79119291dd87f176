// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::aqm::HeadDiscipline;
use crate::head_queue::{HeadQueue, HeadQueueConfig, Taken};
use crate::limit::Limit;
use crate::offer_result::OfferResult;
use crate::service::Rate;
use crate::steps::Steps;

const MS: u64 = 1_000_000;
const CONFIG: CodelConfig = CodelConfig { target: 5 * MS, interval: 100 * MS, ecn: false, mtu: 1500 };

/// A queue at `rate` bit/s.
fn queue(rate: u64) -> HeadQueue<u64> {
    HeadQueue::new(HeadQueueConfig {
        rate: Rate::Constant(rate),
        limit: Steps::constant(Limit::Packets(1000)),
        discipline: HeadDiscipline::Codel(CONFIG),
    })
}

/// Offers packets of 1500 bytes at these times, ns; the times of the drops at the head up to `end`.
fn drops(rate: u64, arrivals: impl Iterator<Item = u64>, end: u64) -> Vec<u64> {
    let mut queue = queue(rate);
    let mut dropped = Vec::new();
    let mut pop = |queue: &mut HeadQueue<u64>, now| {
        while let Some(Taken { at, result, .. }) = queue.pop(now) {
            if matches!(result, OfferResult::Dropped(_)) {
                dropped.push(at);
            }
        }
    };
    for (number, now) in arrivals.enumerate() {
        queue.push(now, 1500, number as u64).expect("room for a thousand");
        pop(&mut queue, now);
    }
    pop(&mut queue, end);
    dropped
}

/// Twenty packets at 0, one in each millisecond after that, `burst` more at `burst_at` ms; up to `end` ms.
fn standing(burst_at: u64, burst: usize, end: u64) -> impl Iterator<Item = u64> {
    let each = (1..=end).flat_map(move |ms| {
        let packets = if ms == burst_at { 1 + burst } else { 1 };
        std::iter::repeat_n(ms * MS, packets)
    });
    std::iter::repeat_n(0, 20).chain(each)
}

fn in_ms(times: &[u64]) -> Vec<u64> {
    times.iter().map(|time| time / MS).collect()
}

/// The drops of `standing` without a burst, ms.
//
// At 12 Mbit/s a packet takes 1 ms, so heads are taken at 0, 1, 2, … ms. Packet number n of the first twenty has waited n ms: the one
// taken at 5 ms is the first at the target, so the first drop is at 5 + 100 = 105 ms, where packets have waited 19 ms. The next
// ones follow after 100/√1, 100/√2, 100/√3, … ms, each at the first head taken then:
//   105 + 100 = 205, + 70.711 = 275.711, + 57.735 = 333.446, + 50 = 383.446, + 44.721 = 428.167, + 40.825 = 468.992,
//   + 37.796 = 506.788, + 35.355 = 542.144, + 33.333 = 575.477, + 31.623 = 607.100, + 30.151 = 637.251, + 28.868 = 666.119,
//   + 27.735 = 693.854, + 26.726 = 720.580
// Each drop lets all packets behind it wait 1 ms less: after the fifteenth they wait 19 − 15 = 4 ms, and dropping ends.
const FIRST_PHASE: [u64; 15] = [105, 205, 276, 334, 384, 429, 469, 507, 543, 576, 608, 638, 667, 694, 721];

#[test]
fn drops_begin_an_interval_after_the_target_is_passed_and_come_closer_by_the_square_root_of_their_number() {
    assert_eq!(in_ms(&drops(12_000_000, standing(0, 0, 1500), 1500 * MS)), FIRST_PHASE);
}

// The queue stands at 4 ms when ten packets more arrive at 800 ms. The packet of that time is taken at 804 ms, the first of the
// ten at 805 ms, after 5 ms: the next drop is at 905 ms. That is less than 16 intervals after 720.6 ms, so the count goes on from
// the 15 − 1 = 14 that the last phase added: 905 + 100/√14 = 931.726, + 100/√15 = 957.546, + 100/√16 = 982.546, … Packets wait
// 4 + 10 ms, so ten drops bring them to 4 ms: + 24.254 = 1006.800, + 23.570 = 1030.370, + 22.942 = 1053.312, + 22.361 = 1075.672,
// + 21.822 = 1097.494, + 21.320 = 1118.814: the tenth is at 1119 ms.
#[test]
fn a_phase_soon_after_the_last_one_goes_on_from_its_count() {
    let second = [905, 932, 958, 983, 1007, 1031, 1054, 1076, 1098, 1119];
    let expected = [&FIRST_PHASE[..], &second].concat();
    assert_eq!(in_ms(&drops(12_000_000, standing(800, 10, 1500), 1500 * MS)), expected);
}

// The same burst at 2400 ms: 2505 − 720.6 is more than 16 · 100 ms, so the count begins at 1: 2505, + 100, + 70.711, …
#[test]
fn a_phase_long_after_the_last_one_begins_anew() {
    let all = in_ms(&drops(12_000_000, standing(2400, 10, 2800), 2800 * MS));
    assert_eq!(all[15..], [2505, 2605, 2676, 2734, 2784]);
}

// Arrivals end at 240 ms, between the second drop and the third, due at 275.711 ms. Packets wait 19 − 2 = 17 ms, so the queue is empty at
// 240 + 17 + 1 = 258 ms. A packet at 300 ms waits for nothing: dropping is over.
#[test]
fn dropping_ends_with_the_first_packet_below_the_target_though_a_drop_is_due() {
    let arrivals = standing(0, 0, 240).chain([300 * MS, 301 * MS]);
    assert_eq!(in_ms(&drops(12_000_000, arrivals, 400 * MS)), [105, 205]);
}

// A queue that falls below the target before the interval is over starts a new interval. Nine packets at 0 wait 0 to 8 ms. One packet
// for every second millisecond then halves the queue's growth: it is empty at 18 ms, long before 105 ms.
#[test]
fn a_burst_shorter_than_an_interval_is_not_touched() {
    let arrivals = std::iter::repeat_n(0, 9).chain((1..400).map(|n| 2 * n * MS));
    assert_eq!(drops(12_000_000, arrivals, 900 * MS), []);
}

// At 100 kbit/s a packet takes 120 ms. With n packets waiting behind the one being sent, a head is taken every 120 ms, has waited
// 120 n ms, and leaves n − 1 behind: 1500 bytes for n = 2, which is one full packet. With n = 3 the first head above the target is
// taken at 120 ms, and the head at 240 ms, an interval later, is dropped.
#[test]
fn a_queue_of_one_full_packet_is_never_shortened() {
    let with_waiting = |n: usize| std::iter::repeat_n(0, 1 + n).chain((1..100).map(|k| k * 120 * MS));
    assert_eq!(drops(100_000, with_waiting(1), 12_000 * MS), []);
    assert_eq!(drops(100_000, with_waiting(2), 12_000 * MS), []);
    assert_eq!(drops(100_000, with_waiting(3), 12_000 * MS)[0], 240 * MS);
}

// 10⁸/√2 = 70 710 678.1, 10⁸/√3 = 57 735 026.9, 10⁸/√1000 = 3 162 277.7.
#[test]
fn the_spacing_of_drops_is_exact() {
    let spacing = |count| drop_spacing(100 * MS, count);
    assert_eq!([1, 2, 3, 4, 1000].map(spacing), [100_000_000, 70_710_678, 57_735_026, 50_000_000, 3_162_277]);
    assert_eq!((drop_spacing(u64::MAX, 1), drop_spacing(1, u32::MAX)), (u64::MAX, 0));
    for count in 1..100_000_u32 {
        // s = ⌊i/√c⌋ means s² c ≤ i² < (s + 1)² c.
        let (s, i, c) = (u128::from(spacing(count)), u128::from(100 * MS), u128::from(count));
        assert!(s * s * c <= i * i && i * i < (s + 1) * (s + 1) * c, "{count}");
    }
}

/// The packets of `standing(0, 0, 500)` of which every `not_capable`-th is not ECN-capable, in the order in which they leave: the times of
/// marks and of drops, ms.
fn marks_and_drops(not_capable: usize) -> (Vec<u64>, Vec<u64>) {
    let mut queue = HeadQueue::new(HeadQueueConfig {
        rate: Rate::Constant(12_000_000),
        limit: Steps::constant(Limit::Packets(1000)),
        discipline: HeadDiscipline::Codel(CodelConfig { ecn: true, ..CONFIG }),
    });
    let (mut marked, mut dropped) = (Vec::new(), Vec::new());
    for (number, now) in standing(0, 0, 500).enumerate() {
        let ecn = if number.is_multiple_of(not_capable) { Ecn::NotCapable } else { Ecn::Capable };
        queue.offer(now, 1500, ecn, number).expect("room for a thousand");
        while let Some(Taken { at, result, .. }) = queue.pop(now) {
            match result {
                OfferResult::Departs { mark: true, .. } => marked.push(at),
                OfferResult::Departs { .. } => {}
                OfferResult::Dropped(_) => dropped.push(at),
            }
        }
    }
    (in_ms(&marked), in_ms(&dropped))
}

// The instants are those of the drops, though marked packets stay and the queue does not become shorter. // RFC 8289 §3
#[test]
fn packets_that_can_carry_a_mark_are_marked_where_others_are_dropped() {
    let (marked, dropped) = marks_and_drops(usize::MAX); // but for the first packet of all
    assert_eq!((marked, dropped), (FIRST_PHASE[..7].to_vec(), vec![]));
    assert_eq!(marks_and_drops(1), (vec![], FIRST_PHASE[..7].to_vec()));
}

// The even numbers cannot. Until something is dropped packet number n is taken at n ms: 105 and 205 are marked, 276 is dropped.
#[test]
fn a_mixed_queue_marks_some_and_drops_some_at_the_same_instants() {
    let (marked, dropped) = marks_and_drops(2);
    let all = |times: &[u64]| FIRST_PHASE.iter().filter(|at| times.contains(at)).count();
    assert_eq!((&marked[..2], dropped[0]), (&FIRST_PHASE[..2], FIRST_PHASE[2]));
    assert_eq!(all(&marked) + all(&dropped), 7);
}
