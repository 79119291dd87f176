// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sender and receiver across a path of the test's own: what a real way back does to acknowledgements, what pacing and the
//! application do to the sending times.

use super::Sender;
use crate::line::Packet;
use crate::receiver::{AckPacket, Blocks, Receiver};
use cwnd_link::random::Stream;
use cwnd_scenario::{Flow, Scenario};
use std::collections::BTreeMap;

const MSS: u32 = 1448;
const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

/// A flow with these settings.
fn flow(settings: &str) -> Flow {
    let scenario = Scenario::from_toml(&format!(
        "duration = '9s'\n[link]\nrate = '10Mbit/s'\nrtt = '20ms'\n[[flow]]\n{settings}"
    ));
    scenario.expect("valid").expand().remove(0)
}

#[derive(Clone, Copy)]
enum Event {
    Data(Packet),
    Ack(AckPacket, Blocks),
}

/// A path: 12 Mbit/s (a packet takes 1 ms), 10 ms each way, drawn losses, acknowledgements delayed by a drawn time.
struct Path {
    sender: Sender,
    receiver: Receiver,
    events: BTreeMap<(u64, u64), Event>,
    count: u64,
    free_at: u64,
    now: u64,
    random: Stream,
    /// In a thousand: data packets lost, acknowledgements lost.
    loss: (u64, u64),
    /// Acknowledgements take up to this longer, ns.
    jitter: u64,
    with_blocks: bool,
    /// When each packet was sent, and which.
    sent: Vec<(u64, u64)>,
}

impl Path {
    fn new(flow: &Flow, seed: u64) -> Self {
        Self {
            sender: Sender::new(flow, MSS),
            receiver: Receiver::default(),
            events: BTreeMap::new(),
            count: 0,
            free_at: 0,
            now: 0,
            random: Stream::new(seed, 0),
            loss: (0, 0),
            jitter: 0,
            with_blocks: true,
            sent: Vec::new(),
        }
    }

    fn schedule(&mut self, at: u64, event: Event) {
        self.count += 1;
        self.events.insert((at, self.count), event);
    }

    fn transmit(&mut self) {
        while let Some(position) = self.sender.send(self.now) {
            self.sent.push((self.now, position));
            self.free_at = self.free_at.max(self.now) + MS;
            if self.random.below(1000) >= self.loss.0 {
                let packet = Packet {
                    position: position as u32,
                    sent_us: (self.now / 1000) as u32,
                    ..Packet::default()
                };
                self.schedule(self.free_at + 10 * MS, Event::Data(packet));
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
                self.sender.on_timer(at);
                self.transmit();
                continue;
            }
            let (_, event) = self.events.pop_first().expect("looked at");
            match event {
                Event::Data(packet) => {
                    if let Some(ack) = self.receiver.on_packet(&packet, 1)
                        && self.random.below(1000) >= self.loss.1
                    {
                        let late = if self.jitter > 0 { self.random.below(self.jitter) } else { 0 };
                        self.schedule(at + 10 * MS + late, Event::Ack(ack, self.receiver.blocks()));
                    }
                }
                Event::Ack(ack, blocks) => {
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
        let mut path = Path::new(&flow("cc = 'cubic'\ninitial_ssthresh = 40"), 3);
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
// little more; without them it takes arrivals that it never heard of for losses.
#[test]
fn blocks_make_up_for_lost_acknowledgements() {
    let run = |with_blocks| {
        let mut path = Path::new(&flow("cc = 'sack'\ninitial_ssthresh = 20"), 4);
        path.loss = (5, 333);
        path.with_blocks = with_blocks;
        path.run(60 * SECOND);
        let lost = path.sent.len() as u64 - path.receiver.arrived;
        (path.receiver.next(), path.sender.sent, lost, path.receiver.arrived - path.receiver.distinct)
    };
    let (with, without) = (run(true), run(false));
    // Needless is only what the timer sends when every acknowledgement of a small window was lost.
    assert!(with.3 <= with.1.timeouts, "{with:?}");
    assert!(with.1.retransmits <= with.2 + with.1.timeouts, "{with:?}");
    assert!(without.3 > 50 * with.3 && without.0 < with.0, "{without:?} {with:?}");
}

// Acknowledgements overtake one another: late ones are harmless, and what they report selectively counts.
#[test]
fn late_acknowledgements_are_harmless() {
    for recovery in ["sack", "sack-prr", "newreno", "reno", "tahoe"] {
        let settings = format!("cc = 'reno'\nrecovery = '{recovery}'\ninitial_ssthresh = 20");
        let mut path = Path::new(&flow(&settings), 6);
        (path.loss, path.jitter) = ((5, 100), 15 * MS);
        path.run(30 * SECOND);
        let (next, sent) = (path.receiver.next(), path.sender.sent);
        assert!(next > 5000, "{recovery}: {next}, {sent:?}");
        assert!(path.sender.una <= next && next <= path.sender.una + 60);
    }
}
