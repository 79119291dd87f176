// SPDX-License-Identifier: MIT OR Apache-2.0
//! The receiver's interface with interrupt coalescing and generic receive offload (GRO; key `gro`): it lets segments wait, works them off
//! together, and hands consecutive ones to TCP as one.
//!
//! The time runs from the first segment that waits (ethtool: `rx-usecs`), and nothing waits longer (Linux: `gro_flush_timeout` is 0). Merged
//! are segments of the flow that follow each other without a gap and with the same TCP options (`tcp_gro_receive`). Of the options only
//! the timestamps change: when the segment was sent, and when the acknowledgement was that its sender had last seen, both in ticks of
//! the hosts' clock, which is a millisecond on Linux. So what was sent in two milliseconds makes two segments, however long it waits. A
//! segment that is not full ends the merged one, and so does one with the mark PSH, which the last of each buffer of several bears that a host with segmentation
//! offload hands over (`__tcp_transmit_skb`). A merged one has at most 64 kB with its headers (`GRO_LEGACY_MAX_SIZE`). Whatever does not fit
//! begins another one.
//!
//! What is worked off reaches TCP one by one, a microsecond apart: acknowledgements at one instant would be answered at one, and a sender that
//! finds losses by time could not tell which of its transmissions was the later one.
//!
//! Not here: the marks of the sending application's writes; a bulk sender sets few. Segments of other flows, which share the interface
//! in a real host.

use super::receiver::Merged;
use crate::network::{EcnMarks, Segment};
use cwnd_link::NEVER;
use cwnd_scenario::HEADER_BYTES;
use std::collections::VecDeque;

/// A packet of IPv4 has at most so many bytes. // RFC 791 §3.1
const LARGEST: u32 = 65_535;
/// Changes of the echoed timestamp that are remembered: there is at most one per tick of the clock, so seconds of them.
const REMEMBERED: usize = 4096;

/// Time between two merged segments of those that are worked off together, ns.
const APART: u64 = 1000;

/// Merged segments that wait.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    merged: Merged,
    timestamps: (u32, u32),
    /// Whether nothing may follow.
    is_over: bool,
}

/// The interface of one flow's receiver.
#[derive(Clone, Debug)]
pub struct Interface {
    /// For how long the first segment waits, ns.
    time: u64,
    /// Segments of the largest merged one.
    most: u32,
    clock_hz: u32,
    phases_us: [u32; 2],
    /// When it works off what waits, ns; [`NEVER`] when nothing does.
    work_at: u64,
    /// When a delayed acknowledgement is sent, ns; [`NEVER`] when none is delayed.
    pub delayed_at: u64,
    waiting: Vec<Waiting>,
    /// What is being worked off, and when the first of it reaches TCP, ns; [`NEVER`] when there is none.
    working: VecDeque<Merged>,
    hand_over_at: u64,
    /// What the sender's timestamps echo: from when on, µs, and the tick; low 32 bits of both.
    echoes: VecDeque<(u32, u32)>,
    /// Acknowledgements that are on their way: what they acknowledge, low 32 bits, and the tick at which they were sent.
    acks: VecDeque<(u32, u32)>,
}

/// Whether the first of two positions or times is before the second, of which only the low halves are known.
const fn is_before(first: u32, second: u32) -> bool {
    first.wrapping_sub(second).cast_signed() < 0
}

impl Interface {
    /// One that lets a segment of up to `mss` bytes wait for `time` ns, between hosts whose clock has `clock_hz` ticks a second, and has run for
    /// `phases_us` at time 0: the sender's and the receiver's.
    pub fn new(time: u64, mss: u32, clock_hz: u32, phases_us: [u32; 2]) -> Self {
        let most = (LARGEST.saturating_sub(HEADER_BYTES) / mss).max(1);
        Self {
            time,
            most,
            clock_hz,
            phases_us,
            work_at: NEVER,
            delayed_at: NEVER,
            waiting: Vec::new(),
            working: VecDeque::new(),
            hand_over_at: NEVER,
            echoes: VecDeque::new(),
            acks: VecDeque::new(),
        }
    }

    /// When it works something off, or a delayed acknowledgement is due, ns.
    pub fn next(&self) -> u64 {
        self.works_at().min(self.delayed_at)
    }

    /// When something reaches TCP, ns; [`NEVER`] when nothing waits.
    pub fn works_at(&self) -> u64 {
        self.work_at.min(self.hand_over_at)
    }

    /// How many segments it holds.
    pub fn len(&self) -> u64 {
        let waiting = self.waiting.iter().map(|waiting| &waiting.merged);
        waiting.chain(&self.working).map(|merged| u64::from(merged.count)).sum()
    }

    /// The count of a host's clock, the sender's or the receiver's, at a time.
    fn tick(&self, host: usize, us: u32) -> u32 {
        let run_us = u64::from(us) + u64::from(self.phases_us[host]);
        (run_us * u64::from(self.clock_hz) / 1_000_000) as u32
    }

    /// A segment arrives at `now`, ns. `ends`: nothing is merged behind it, as it is not full or bears the mark PSH.
    /// What carries other marks, or says CWR, is another one. // Linux: inet_gro_receive compares the class of service
    pub fn push(&mut self, now: u64, (segment, marks): (Segment, EcnMarks), ends: bool) {
        if self.waiting.is_empty() {
            self.work_at = now.saturating_add(self.time);
        }
        let timestamps = (self.tick(0, segment.sent_us), self.echo(segment.sent_us));
        if let Some(last) = self.waiting.last_mut()
            && !last.is_over
            && last.timestamps == timestamps
            && last.merged.marks == marks
            && !marks.has(EcnMarks::CWR)
            && last.merged.count < self.most
            && last.merged.first.position.wrapping_add(last.merged.count) == segment.position
        {
            last.merged.count += 1;
            last.merged.last_sent_us = segment.sent_us;
            last.is_over = ends;
            return;
        }
        let merged = Merged { first: segment, last_sent_us: segment.sent_us, count: 1, marks };
        self.waiting.push(Waiting { merged, timestamps, is_over: ends });
    }

    /// What reaches TCP at `now`, ns.
    pub fn take(&mut self, now: u64) -> Option<Merged> {
        if self.work_at <= now {
            self.working.extend(self.waiting.drain(..).map(|waiting| waiting.merged));
            (self.work_at, self.hand_over_at) = (NEVER, self.hand_over_at.min(now));
        }
        if self.hand_over_at > now {
            return None;
        }
        let merged = self.working.pop_front();
        self.hand_over_at = if self.working.is_empty() { NEVER } else { now + APART };
        merged
    }

    /// The receiver sends an acknowledgement up to this position at `at`, ns.
    pub fn on_ack_leaves(&mut self, cumulative: u64, at: u64) {
        let tick = self.tick(1, (at / 1000) as u32);
        self.acks.push_back((cumulative as u32, tick));
    }

    /// It reaches the sender at `now`, ns. Those before it that have not are lost, or late: they change nothing. // RFC 7323 §4.3
    pub fn on_ack_arrives(&mut self, cumulative: u32, now: u64) {
        while self.acks.front().is_some_and(|(before, _)| is_before(*before, cumulative)) {
            self.acks.pop_front();
        }
        let Some((_, tick)) = self.acks.front().copied().filter(|(first, _)| *first == cumulative) else {
            return;
        };
        self.acks.pop_front();
        if self.echoes.back().is_none_or(|(_, last)| *last != tick) {
            self.echoes.push_back(((now / 1000) as u32, tick));
            if self.echoes.len() > REMEMBERED {
                self.echoes.pop_front();
            }
        }
    }

    /// What a segment echoes that was sent then.
    fn echo(&self, sent_us: u32) -> u32 {
        let later = self.echoes.partition_point(|(from_us, _)| !is_before(sent_us, *from_us));
        later.checked_sub(1).and_then(|place| self.echoes.get(place)).map_or(0, |(_, tick)| *tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1000;

    fn segment(position: u32, sent_us: u32) -> Segment {
        Segment { position, sent_us }
    }

    /// Segments of 1448 bytes that wait for 50 µs, with a clock of milliseconds.
    fn interface() -> Interface {
        Interface::new(50 * US, 1448, 1000, [0, 0])
    }

    /// What is worked off: each a microsecond after the one before it.
    fn counts(interface: &mut Interface) -> Vec<(u32, u32)> {
        let begin = interface.next();
        let mut counts = Vec::new();
        while interface.next() < NEVER {
            assert_eq!(interface.next(), begin + counts.len() as u64 * US);
            let merged = interface.take(interface.next()).expect("it is due");
            counts.push((merged.first.position, merged.count));
        }
        counts
    }

    // The first comes at 7 µs: what has come by 57 µs is worked off then, and the next one to come begins another 50 µs.
    #[test]
    fn the_time_runs_from_the_first_segment_that_waits() {
        let mut interface = interface();
        assert_eq!(interface.next(), NEVER);
        for (position, at) in [(0, 7), (1, 20), (2, 56)] {
            interface.push(at * US, (segment(position, 100), EcnMarks::ECT), false);
            assert_eq!((interface.next(), interface.len()), (57 * US, u64::from(position) + 1));
        }
        assert_eq!(counts(&mut interface), [(0, 3)]);
        assert_eq!((interface.next(), interface.len()), (NEVER, 0));
        interface.push(80 * US, (segment(3, 100), EcnMarks::ECT), false);
        assert_eq!(interface.next(), 130 * US);
    }

    // 52 bytes of headers and 45 segments are 65 212 bytes; 46 would be 66 660, more than a packet has.
    #[test]
    fn a_merged_segment_has_at_most_64_kb() {
        let mut interface = interface();
        for position in 0..91 {
            interface.push(0, (segment(position, 100), EcnMarks::ECT), false);
        }
        assert_eq!(counts(&mut interface), [(0, 45), (45, 45), (90, 1)]);
    }

    // By a clock of a millisecond, 400 and 600 µs are one timestamp; of one that had run for 500 µs at time 0, two.
    #[test]
    fn timestamps_count_from_the_phase_of_the_clock() {
        for (phase_us, held) in [(0, 1), (500, 2)] {
            let mut interface = Interface::new(50 * US, 1448, 1000, [phase_us, 0]);
            interface.push(0, (segment(0, 400), EcnMarks::NOTHING), false);
            interface.push(10, (segment(1, 600), EcnMarks::NOTHING), false);
            assert_eq!(interface.waiting.len(), held);
        }
    }

    #[test]
    fn a_gap_a_short_segment_and_another_timestamp_end_it() {
        let mut interface = interface();
        // 4 is missing, then it comes; 7 is short; 9 was sent a millisecond later than 8.
        let sent =
            [(2, 500), (3, 999), (5, 999), (4, 999), (6, 999), (7, 999), (8, 999), (9, 1000), (10, 1999)];
        for (position, sent_us) in sent {
            interface.push(0, (segment(position, sent_us), EcnMarks::ECT), position == 7);
        }
        assert_eq!(counts(&mut interface), [(2, 2), (5, 1), (4, 1), (6, 2), (8, 1), (9, 2)]);
    }

    // Acknowledgements that left at 0.9 and 1.1 ms reach the sender at 20.4 and 20.6 ms: what it sends before and after that has other echoes,
    // though all within its own millisecond. The one that never came changes nothing.
    #[test]
    fn another_echo_ends_it_too() {
        let mut interface = interface();
        interface.on_ack_leaves(1, 900 * US);
        interface.on_ack_leaves(3, 1000 * US);
        interface.on_ack_leaves(5, 1100 * US);
        interface.on_ack_arrives(1, 20_400 * US);
        interface.on_ack_arrives(5, 20_600 * US);
        assert!(interface.acks.is_empty());
        for (position, sent_us) in [(10, 20_400), (11, 20_599), (12, 20_600), (13, 20_999)] {
            interface.push(0, (segment(position, sent_us), EcnMarks::ECT), false);
        }
        assert_eq!(counts(&mut interface), [(10, 2), (12, 2)]);
    }

    // 3 is marked, 4 and 5 too: they are one. 6 is not, 7 says CWR, and 8 is a retransmission, which is not ECN-capable.
    #[test]
    fn another_mark_and_cwr_end_it() {
        let mut interface = interface();
        let (ect, marked) = (EcnMarks::ECT, EcnMarks::ECT.with(EcnMarks::CE));
        let marks = [ect, ect, marked, marked, marked, ect, ect.with(EcnMarks::CWR), EcnMarks::NOTHING];
        for (position, marks) in (1..).zip(marks) {
            interface.push(0, (segment(position, 100), marks), false);
        }
        assert_eq!(counts(&mut interface), [(1, 2), (3, 3), (6, 1), (7, 1), (8, 1)]);
    }
}
