// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sender and receiver over a small test path: acknowledgements on a reverse path with losses and jitter; sending times with pacing and
//! with an application.

mod echoes;
mod own_rate;
mod retransmissions;

use super::Sender;
use crate::network::Segment;
use crate::tcp::receiver::{AckPacket, Receiver, SackBlocks};
use cwnd_link::random::RandomStream;
use cwnd_scenario::{Flow, Scenario};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) const MSS: u32 = 1448;
pub(super) const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

/// A flow with these settings.
pub(super) fn flow(settings: &str) -> Flow {
    let scenario = Scenario::from_toml(&format!(
        "duration = '9s'\n[link]\nrate = '10Mbit/s'\nrtt = '20ms'\n[[flow]]\n{settings}"
    ));
    scenario.expect("valid").expand().remove(0)
}

#[derive(Clone, Copy)]
enum TestPathEvent {
    Data(Segment),
    Ack(AckPacket, SackBlocks),
}

/// A path: 12 Mbit/s (a packet takes 1 ms), 10 ms each way, drawn losses, acknowledgements delayed by a drawn time.
struct TestPath {
    sender: Sender,
    receiver: Receiver,
    events: BTreeMap<(u64, u64), TestPathEvent>,
    count: u64,
    free_at: u64,
    now: u64,
    random: RandomStream,
    /// In a thousand: data packets lost, acknowledgements lost.
    loss: (u64, u64),
    /// Acknowledgements take up to this longer, ns.
    jitter: u64,
    with_blocks: bool,
    /// When each packet was sent, and which.
    sent: Vec<(u64, u64)>,
    /// Packets that fit into the queue.
    limit: u64,
    /// Positions that are lost when they are sent for the first time.
    first_lost: Vec<u64>,
    /// Positions whose last transmission was lost.
    lost: BTreeSet<u64>,
    /// Retransmissions of other positions, with the next new position then.
    needless: Vec<(u64, u64)>,
}

impl TestPath {
    fn new(flow: &Flow, seed: u64) -> Self {
        Self {
            sender: Sender::new(flow, MSS),
            receiver: Receiver::default(),
            events: BTreeMap::new(),
            count: 0,
            free_at: 0,
            now: 0,
            random: RandomStream::new(seed, 0),
            loss: (0, 0),
            jitter: 0,
            with_blocks: true,
            sent: Vec::new(),
            limit: u64::MAX,
            first_lost: Vec::new(),
            lost: BTreeSet::new(),
            needless: Vec::new(),
        }
    }

    fn schedule(&mut self, at: u64, event: TestPathEvent) {
        self.count += 1;
        self.events.insert((at, self.count), event);
    }

    fn transmit(&mut self) {
        let mut new = self.sender.nxt;
        while let Some(position) = self.sender.send(self.now) {
            self.sent.push((self.now, position));
            let is_new = position == new;
            new = self.sender.nxt;
            if !self.lost.remove(&position) && !is_new {
                self.needless.push((position, new));
            }
            let is_full = self.free_at.saturating_sub(self.now) / MS >= self.limit;
            if !is_full {
                self.free_at = self.free_at.max(self.now) + MS;
            }
            let is_listed = is_new && self.first_lost.contains(&position);
            if is_full || is_listed || self.random.below(1000) < self.loss.0 {
                self.lost.insert(position);
            } else {
                let segment = Segment { position: position as u32, sent_us: (self.now / 1000) as u32 };
                self.schedule(self.free_at + 10 * MS, TestPathEvent::Data(segment));
            }
        }
        self.sender.end_burst();
    }

    /// Runs on until `end`.
    fn run(&mut self, end: u64) {
        self.transmit();
        loop {
            let next = self.events.keys().next().map_or(u64::MAX, |key| key.0);
            let at = next.min(self.sender.timer());
            if at > end {
                self.now = end;
                return;
            }
            assert!(at >= self.now, "time runs forwards");
            self.now = at;
            if next > at {
                self.sender.on_any_timer(at);
                self.transmit();
                continue;
            }
            let (_, event) = self.events.pop_first().expect("looked at");
            match event {
                TestPathEvent::Data(segment) => {
                    if let Some(ack) = self.receiver.on_segment(segment, 1, self.now)
                        && self.random.below(1000) >= self.loss.1
                    {
                        let late = if self.jitter > 0 { self.random.below(self.jitter) } else { 0 };
                        self.schedule(
                            at + 10 * MS + late,
                            TestPathEvent::Ack(ack, self.receiver.blocks(&ack)),
                        );
                    }
                }
                TestPathEvent::Ack(ack, blocks) => {
                    if self.with_blocks {
                        let ack = AckPacket { sacked: None, ..ack };
                        self.sender.on_ack_with(at, &ack, Some(&blocks));
                    } else {
                        self.sender.on_ack(at, &ack);
                    }
                    self.transmit();
                }
            }
        }
    }
}

// The same losses of data, whichever way they are reported, while no acknowledgement is lost: the news is the same.
#[test]
fn blocks_say_what_single_arrivals_say_while_no_acknowledgement_is_lost() {
    let run = |with_blocks| {
        let mut path = TestPath::new(&flow("cc = 'cubic'\ninitial_ssthresh = 40"), 3);
        path.loss = (10, 0);
        path.with_blocks = with_blocks;
        path.run(20 * SECOND);
        (path.sender.sent, path.receiver.next(), path.sent)
    };
    let (blocks, single) = (run(true), run(false));
    assert_eq!(blocks, single);
    assert!(blocks.0.retransmits > 50 && blocks.1 > 5000, "{:?}", blocks.0);
}

// A third of the acknowledgements lost: with blocks the sender still learns what arrived, and retransmits what is lost and
// little more; without them it takes arrivals that it never heard of for losses. Of 24 runs, 19 bring more with blocks (5 of 24 or fewer
// without a difference between the two: one in 300). A single run may bring less: where all acknowledgements of a small window are lost
// again and again, the timer backs off to seconds (seeds 10 and 23).
#[test]
fn blocks_make_up_for_lost_acknowledgements() {
    let run = |seed, with_blocks| {
        let mut path = TestPath::new(&flow("cc = 'sack'\ninitial_ssthresh = 20"), seed);
        path.loss = (5, 333);
        path.with_blocks = with_blocks;
        path.run(60 * SECOND);
        let lost = path.sent.len() as u64 - path.receiver.arrived;
        (path.receiver.next(), path.sender.sent, lost, path.receiver.arrived - path.receiver.distinct)
    };
    let (mut more, mut needless) = (0, [0, 0]);
    for seed in 1..=24 {
        let (with, without) = (run(seed, true), run(seed, false));
        // Needless is only what the timer sends when every acknowledgement of a small window was lost.
        assert!(with.3 <= with.1.timeouts, "seed {seed}: {with:?}");
        assert!(with.1.retransmits <= with.2 + with.1.timeouts, "seed {seed}: {with:?}");
        more += u32::from(with.0 > without.0);
        needless = [needless[0] + with.3, needless[1] + without.3];
    }
    assert!(needless[1] > 50 * needless[0] && more >= 19, "{needless:?} {more}");
}

// Acknowledgements overtake one another: late ones are harmless, and what they report selectively counts.
#[test]
fn late_acknowledgements_are_harmless() {
    for recovery in ["sack", "sack-prr", "linux", "newreno", "reno", "tahoe"] {
        let settings = format!("cc = 'reno'\nrecovery = '{recovery}'\ninitial_ssthresh = 20");
        let mut path = TestPath::new(&flow(&settings), 6);
        (path.loss, path.jitter) = ((5, 100), 15 * MS);
        path.run(30 * SECOND);
        let (next, sent) = (path.receiver.next(), path.sender.sent);
        assert!(next > 5000, "{recovery}: {next}, {sent:?}");
        assert!(path.sender.una <= next && next <= path.sender.una + 60);
    }
}

/// Sends all that may go until `end`: the times and positions. Nothing comes back.
fn sends(sender: &mut Sender, from: u64, end: u64) -> Vec<(u64, u64)> {
    let mut sent = Vec::new();
    let mut now = from;
    loop {
        while let Some(position) = sender.send(now) {
            sent.push((now, position));
        }
        sender.end_burst();
        now = sender.timer();
        if now > end {
            return sent;
        }
        sender.on_any_timer(now);
    }
}

/// An acknowledgement of everything below `cumulative`, all sent at `sent`.
fn ack(cumulative: u64, sent: u64) -> AckPacket {
    let sent_us = (sent / 1000) as u32;
    AckPacket { cumulative, sacked: None, sent_us: Some((sent_us, sent_us)), waited: false }
}

/// A flow of ten segments, acknowledged together after 20 ms: what goes then, in ns after that.
fn after_ten(flow: &Flow) -> (Sender, Vec<u64>) {
    let mut sender = Sender::new(flow, MSS);
    let first = sends(&mut sender, 0, 0);
    assert!(
        first.len() <= 10 && first.iter().all(|sent| sent.0 == 0),
        "no round trip time, no pace: {first:?}"
    );
    sender.on_ack(20 * MS, &ack(first.len() as u64, 0));
    let then = sends(&mut sender, 20 * MS, 200 * MS).into_iter().map(|sent| sent.0 - 20 * MS).collect();
    (sender, then)
}

// In avoidance 11 segments (ten acknowledged segments of a window of ten make one more) with a margin of 1.2 in 20 ms:
// 11 · 1448 · 1.2 / 20 ms = 955 680 bytes/s, a packet each 1 515 151 ns. In slow start 20 with a margin of 2: 500 000 ns.
#[test]
fn packets_leave_at_the_windows_rate_and_a_margin() {
    for (ssthresh, window, gap) in [(10, 11, 1_515_151), (1000, 20, 500_000)] {
        let mut flow = flow(&format!("cc = 'reno'\nrecovery = 'sack-prr'\ninitial_ssthresh = {ssthresh}"));
        Arc::make_mut(&mut flow.group).pacing = true;
        let (sender, then) = after_ten(&flow);
        assert_eq!(then, (0..window).map(|n| n * gap).collect::<Vec<_>>());
        assert_eq!(sender.driver.conn.pacing_status, cwnd::PacingStatus::Needed);
    }
}

#[test]
fn a_paced_burst_goes_together_and_the_rest_at_the_pace() {
    let mut flow = flow("cc = 'reno'\nrecovery = 'sack-prr'\ninitial_ssthresh = 10");
    let group = Arc::make_mut(&mut flow.group);
    (group.pacing, group.burst) = (true, Some(4));
    let (_, then) = after_ten(&flow);
    assert_eq!(then, [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7].map(|n| n * 1_515_151));
}

// 2 896 000 bytes/s are 2000 segments/s of 1448 bytes. The switch takes an algorithm's own rate back.
#[test]
fn an_algorithms_own_rate_goes_before_the_windows() {
    let mut flow = flow("cc = 'reno'\nrecovery = 'sack-prr'\ninitial_ssthresh = 10");
    Arc::make_mut(&mut flow.group).pacing = true;
    let mut sender = Sender::new(&flow, MSS);
    sends(&mut sender, 0, 0);
    sender.driver.conn.pacing_rate = 2_896_000;
    sender.on_ack(20 * MS, &ack(10, 0));
    let then = sends(&mut sender, 20 * MS, 22 * MS);
    assert_eq!(then.iter().map(|sent| sent.0).collect::<Vec<_>>(), [40, 41, 42, 43, 44].map(|n| n * MS / 2));
    sender.switch(cwnd::Controller::by_name("cubic").expect("registered"));
    assert!(matches!(sender.driver.cc, cwnd::Controller::Cubic(_)) && sender.driver.conn.cwnd == 11);
    sends(&mut sender, 22 * MS, 23 * MS);
    assert_eq!(sender.driver.conn.pacing_rate, 955_680);
}

// ns-2's maxburst_: three at a time, the rest when the next acknowledgement comes.
#[test]
fn a_burst_without_pacing_is_a_limit_per_event() {
    let mut flow = flow("cc = 'reno'\nrecovery = 'sack-prr'\ninitial_ssthresh = 10");
    Arc::make_mut(&mut flow.group).burst = Some(3);
    let mut sender = Sender::new(&flow, MSS);
    assert_eq!(sends(&mut sender, 0, 0), [(0, 0), (0, 1), (0, 2)]);
    sender.on_ack(20 * MS, &ack(1, 0));
    assert_eq!(sends(&mut sender, 20 * MS, 20 * MS).len(), 3);
    assert_eq!(
        sender.timer(),
        20 * MS + 220 * MS,
        "nothing but the retransmission timer: 20 ms and its floor of 200 ms"
    );
}

// 1448 bytes at 1 448 000 bit/s are 8 ms: segment n is complete at 8 (n + 1) ms.
#[test]
fn an_application_that_writes_at_a_rate_sends_each_segment_when_it_is_complete() {
    let mut flow = flow("cc = 'reno'\nrecovery = 'sack-prr'\nstart = '3ms'");
    let group = Arc::make_mut(&mut flow.group);
    (group.app_rate, group.size) = (Some(1_448_000), Some(6 * 1448));
    let mut sender = Sender::new(&flow, MSS);
    let expected: Vec<_> = (0..4).map(|n| (3 * MS + 8 * MS * (n + 1), n)).collect();
    assert_eq!(sends(&mut sender, 3 * MS, 40 * MS), expected);
    // A pause of a second: nothing is written in it, and the unfinished segment is lost to it.
    sender.stop();
    sender.on_ack(40 * MS, &ack(4, 30 * MS));
    assert_eq!((sends(&mut sender, 40 * MS, SECOND).len(), sender.timer()), (0, u64::MAX));
    sender.resume();
    assert_eq!(sends(&mut sender, SECOND, SECOND + 100 * MS), [(SECOND + 8 * MS, 4), (SECOND + 16 * MS, 5)]);
    assert!(!sender.is_finished());
    sender.on_ack(SECOND + 100 * MS, &ack(6, SECOND));
    assert!(sender.is_finished());
    assert!(!sender.driver.conn.is_cwnd_limited, "the application limits it");
}

// RFC 5681 §4.1: 20 segments out, a second of silence, and the window is the initial one again.
#[test]
fn a_transfer_ends_and_the_next_begins_with_the_initial_window() {
    for (idle_restart, burst) in [(true, 10), (false, 20)] {
        let mut flow = flow("cc = 'reno'\nrecovery = 'sack-prr'");
        let group = Arc::make_mut(&mut flow.group);
        (group.size, group.idle_restart) = (Some(9 * 1448 + 1), idle_restart);
        let mut sender = Sender::new(&flow, MSS);
        assert_eq!(sends(&mut sender, 0, 0).len(), 10, "a byte more is a segment more");
        assert!(!sender.is_finished());
        sender.on_ack(20 * MS, &ack(10, 0));
        assert!(sender.is_finished() && sender.send(20 * MS).is_none());
        assert_eq!((sender.driver.conn.cwnd, sender.timer()), (20, u64::MAX));
        sender.write(30);
        assert_eq!(sends(&mut sender, SECOND, SECOND).len(), burst, "idle restart {idle_restart}");
        let conn = &sender.driver.conn;
        assert_eq!((conn.ticks, conn.lsndtime_ticks), (1000, 1000), "the clock has gone on");
    }
}

#[test]
fn a_transfer_that_is_written_later_starts_without_data() {
    let mut flow = flow("cc = 'reno'\nrecovery = 'sack-prr'");
    Arc::make_mut(&mut flow.group).size = Some(0);
    let mut sender = Sender::new(&flow, MSS);
    assert!(sender.is_finished() && sender.send(0).is_none() && sender.timer() == u64::MAX);
    sender.write(2);
    assert_eq!(sends(&mut sender, SECOND, SECOND), [(SECOND, 0), (SECOND, 1)]);
}

// Every recovery, paced or not, brings a transfer over a path that loses data and acknowledgements and delays these anyhow.
#[test]
fn every_transfer_ends() {
    let (mut finished, mut needless) = (0, 0);
    for seed in 0..30 {
        for recovery in ["sack", "sack-prr", "linux", "newreno", "reno", "tahoe"] {
            let mut flow = flow(&format!("cc = 'cubic'\nrecovery = '{recovery}'"));
            let size = 1 + seed * seed;
            Arc::make_mut(&mut flow.group).size = Some(size * 1448);
            Arc::make_mut(&mut flow.group).pacing = seed % 2 == 1;
            Arc::make_mut(&mut flow.group).burst = [None, Some(1), Some(3)][seed as usize % 3];
            Arc::make_mut(&mut flow.group).app_rate = [None, Some(5_000_000)][usize::from(seed % 5 == 4)];
            Arc::make_mut(&mut flow.group).rwnd = [None, Some(8)][usize::from(seed % 7 == 6)];
            Arc::make_mut(&mut flow.group).limited_transmit = seed % 4 > 0;
            Arc::make_mut(&mut flow.group).host_clock = Some([1000, 100, 300][seed as usize % 3]);
            let mut path = TestPath::new(&flow, seed);
            (path.loss, path.jitter) = ((seed % 4 * 20, seed % 3 * 50), seed % 5 * 4 * MS);
            path.run(300 * SECOND);
            let what = format!("{recovery}, seed {seed}: {:?}", path.sender);
            assert!(path.sender.is_finished() && path.receiver.next() == size, "{what}");
            assert_eq!((path.receiver.distinct, path.sender.timer()), (size, u64::MAX), "{what}");
            finished += size;
            needless += path.receiver.arrived - size;
        }
    }
    assert!(needless < finished / 10, "{needless} of {finished}");
}

impl Sender {
    /// When any of its timers is due, ns.
    fn timer(&self) -> u64 {
        self.rto_at().min(self.wake_at())
    }

    /// The earliest of its timers is due; whether it was the retransmission timer.
    fn on_any_timer(&mut self, now: u64) -> bool {
        let is_rto = self.rto_at() <= now;
        if is_rto {
            if self.fires(now) {
                self.on_timer(now);
            }
        } else {
            self.on_wake(now);
        }
        is_rto
    }
}
