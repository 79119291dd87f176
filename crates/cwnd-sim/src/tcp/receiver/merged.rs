// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segments that the receiver's interface has merged (generic receive offload): TCP takes them in as one large segment, and acknowledges them
//! as one. // Linux: __tcp_ack_snd_check sees one buffer of more than a full segment

use super::{AckPacket, Receiver};
use crate::network::{EcnMarks, Segment};

/// Consecutive segments that were merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The first of them.
    pub first: Segment,
    /// When the last of them was sent, µs, low 32 bits.
    pub last_sent_us: u32,
    /// How many they are.
    pub count: u32,
    /// What each of them carries of ECN.
    pub marks: EcnMarks,
}

impl Receiver {
    /// Merged segments are worked off at `at`, ns. Returns the acknowledgement that they cause now; `None` means that one is being delayed.
    pub fn on_merged(&mut self, merged: &Merged, ack_every: u32, at: u64) -> Option<AckPacket> {
        let Merged { first, count, .. } = *merged;
        if count == 1 {
            return self.on_segment(first, ack_every, at);
        }
        self.arrived += u64::from(count);
        let ahead = first.position.wrapping_sub(self.next as u32).cast_signed();
        if self.is_refused(first, count, at) {
            return Some(self.refuse(ahead));
        }
        let from = self.next.saturating_add_signed(ahead.into());
        let to = from + u64::from(count);
        if ahead > 0 {
            self.on_beyond(from, to)
        } else if to > self.next {
            self.on_in_order(merged, from, to, ack_every, at)
        } else {
            // All of it had arrived: a duplicate acknowledgement at once. // RFC 5681 §4.2, RFC 2883 §4
            self.on_old(from, first.sent_us, at);
            self.is_duplicate = self.as_linux();
            let sacked = self.as_linux().then_some(from);
            Some(self.repeat(sacked))
        }
    }

    /// Those of `from..to` that are new follow what has arrived.
    fn on_in_order(
        &mut self,
        merged: &Merged,
        from: u64,
        to: u64,
        ack_every: u32,
        at: u64,
    ) -> Option<AckPacket> {
        let is_partly_old = from < self.next;
        if is_partly_old && self.pending > 0 {
            self.keep_recent_of_old(from, merged.first.sent_us, at);
        }
        self.note_times(merged.first.sent_us, merged.last_sent_us, at);
        let new = (to - self.next) as u32;
        let begin = self.next - u64::from(self.pending);
        let had = self.out_of_order.as_ref().map_or(0, |held| held.arrived.count_ones(self.next, to));
        self.distinct += u64::from(new - had);
        self.pending = self.pending.saturating_add(new.min(u16::MAX.into()) as u16);
        self.open_window(from..to);
        self.next = to;
        self.read_filled();
        let fills = self.out_of_order.is_some();
        if fills {
            if self.out_of_order.as_ref().is_some_and(|held| held.highest <= to) {
                self.out_of_order = None;
            } else {
                let reads = self.fill();
                self.count_partial_fill(begin, reads);
            }
        }
        if is_partly_old && self.as_linux() {
            self.is_duplicate = true;
            let waited = self.take_waiting();
            return Some(AckPacket { sacked: Some(from), waited, ..self.send_ack() });
        }
        if fills {
            let waited = self.take_waiting();
            return Some(AckPacket { waited, ..self.send_ack() });
        }
        (u32::from(self.pending) >= ack_every || self.quick > 0).then(|| self.send_ack())
    }

    /// `from..to` are beyond a hole: one acknowledgement reports all of them, with blocks.
    fn on_beyond(&mut self, from: u64, to: u64) -> Option<AckPacket> {
        let (next, as_linux) = (self.next, self.as_linux());
        let held = self.out_of_order.get_or_insert_default();
        let new = held.arrive(next, from, to);
        let goes_early = held.note(next, from, to, as_linux);
        self.distinct += u64::from(new);
        if !as_linux {
            return Some(AckPacket { waited: true, ..self.repeat((new > 0).then_some(to - 1)) });
        }
        if new > 0 {
            self.open_window(from..to);
        }
        let position = if new > 0 { to - 1 } else { from };
        self.answer_out_of_order(new > 0, position, goes_early).map(|ack| AckPacket { waited: true, ..ack })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_000_000_000;

    /// `count` segments from `position` on, sent at 100 µs and the number of each.
    fn merged(position: u32, count: u32) -> Merged {
        let first = Segment { position, sent_us: 100 + position };
        Merged { first, last_sent_us: 99 + position + count, count, marks: EcnMarks::NOTHING }
    }

    /// What each of these causes, with `ack_every`: the acknowledgement, and what it reports.
    fn acks(all: &[(u32, u32)], ack_every: u32, linux: bool) -> Vec<Option<(u64, Option<u64>)>> {
        let mut receiver = if linux { Receiver::linux(1448, Some(2), true, 0) } else { Receiver::default() };
        let on = |&(position, count): &(u32, u32)| {
            let ack = receiver.on_merged(&merged(position, count), ack_every, NOW);
            ack.map(|ack| (ack.cumulative, ack.sacked))
        };
        all.iter().map(on).collect()
    }

    #[test]
    fn several_segments_have_one_acknowledgement() {
        assert_eq!(acks(&[(0, 45), (45, 1), (46, 7)], 2, false), [Some((45, None)), None, Some((53, None))]);
        // Three of four wait for another; then five are more than four.
        assert_eq!(acks(&[(0, 3), (3, 1), (4, 5)], 4, false), [None, Some((4, None)), Some((9, None))]);
    }

    #[test]
    fn it_echoes_when_the_first_and_the_last_were_sent() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.on_merged(&merged(0, 1), 2, NOW), None);
        let ack = receiver.on_merged(&merged(1, 4), 2, NOW).expect("five segments");
        assert_eq!(ack.sent_us, Some((100, 104)));
    }

    // 0 to 2 arrive, 3 is lost, 4 to 9 and 10 to 12 come as two: two duplicates, which report six segments and then three more. 3 and what follows it fill the hole.
    #[test]
    fn segments_beyond_a_hole_have_one_duplicate_with_a_block() {
        for linux in [false, true] {
            let mut receiver =
                if linux { Receiver::linux(1448, Some(2), true, 0) } else { Receiver::default() };
            receiver.on_merged(&merged(0, 3), 2, NOW);
            for (position, count, block) in [(4, 6, (4, 10)), (10, 3, (4, 13))] {
                let ack = receiver.on_merged(&merged(position, count), 2, NOW).expect("a duplicate at once");
                assert!(ack.cumulative == 3 && ack.waited, "{ack:?}");
                assert_eq!(receiver.blocks(&ack).ranges(3).collect::<Vec<_>>(), [block]);
            }
            let ack = receiver.on_merged(&merged(3, 2), 2, NOW).expect("a hole is filled");
            assert_eq!((ack.cumulative, ack.sacked), (13, None));
            assert_eq!((receiver.distinct, receiver.arrived), (13, 14));
        }
    }

    // What fills the hole may go beyond all that has arrived behind it, or end before the next hole.
    #[test]
    fn a_hole_is_filled_with_more_or_less_than_it_needs() {
        let beyond = [(0, 2), (3, 2), (2, 9)];
        assert_eq!(acks(&beyond, 2, false)[2], Some((11, None)));
        let before = [(0, 2), (4, 2), (8, 2), (2, 3)];
        assert_eq!(acks(&before, 2, false)[3], Some((6, None)));
    }

    // RFC 2883 §4: what had arrived is reported as a duplicate: all of 0 to 4; the first of 4 to 7, of which two are new; 9 and 10 beyond a hole.
    #[test]
    fn what_arrives_again_is_reported() {
        let all = [(0, 5), (0, 5), (4, 3), (9, 2), (9, 2)];
        let expected = [
            Some((5, None)),
            Some((5, Some(0))),
            Some((7, Some(4))),
            Some((7, Some(10))),
            Some((7, Some(9))),
        ];
        assert_eq!(acks(&all, 2, true), expected);
        assert_eq!(acks(&all[..2], 2, false)[1], Some((5, None)), "others report none");
    }

    // A window of two segments begins with one quick acknowledgement. The next three duplicates go at once, the fifth waits, however many segments
    // each reports.
    #[test]
    fn duplicates_are_counted_by_what_tcp_takes_in() {
        let beyond = [(1, 9), (10, 9), (19, 9), (28, 9), (37, 9)];
        let acked: Vec<bool> = acks(&beyond, 2, true).iter().map(Option::is_some).collect();
        assert_eq!(acked, [true, true, true, true, false]);
    }
}
