// SPDX-License-Identifier: MIT OR Apache-2.0
//! A reduction is taken back when every packet that was declared lost in its epoch has arrived, and never earlier. // RFC 9438 §4.9.2

use crate::pipe::ms;
use cwnd::Controller;
use cwnd::transport::{Acked, Config, EcnOutcome, LossEpoch, Lost, Transport};
use std::collections::BTreeSet;
use std::time::Duration;

const MTU: u64 = 1000;

fn ten_out(name: &str) -> (Transport, Vec<Lost>) {
    let controller = Controller::for_quic(name).expect("registered");
    let mut cc = Transport::new(controller, &Config::new().mtu(MTU as u16), ms(0));
    let sent = (0..10).map(|_| Lost::new(cc.on_sent(ms(0), MTU), MTU)).collect();
    (cc, sent)
}

// mvfst's case of August 2026. Ten packets of 1000 bytes, A and B lost: 7000. A arrives, B does not: 7000. B arrives, too: 10 000.
// Row MV3.
#[test]
fn a_reduction_stays_while_one_packet_is_missing() {
    for set in crate::registered() {
        let (mut cc, sent) = ten_out(set);
        let before = (cc.window(), cc.ssthresh());
        let epoch = cc.on_lost(ms(50), &sent[..1], false).expect("an epoch");
        assert_eq!(cc.on_lost(ms(50), &sent[1..2], false), Some(epoch), "{set}");
        let reduced = (cc.window(), cc.ssthresh());
        assert!(set != "cubic" || reduced == (7000, Some(7000)), "{reduced:?}");
        assert!(!cc.on_spurious(ms(51), epoch, &sent[..1]), "{set}");
        assert_eq!((cc.window(), cc.ssthresh()), reduced, "{set}");
        assert!(cc.on_spurious(ms(52), epoch, &sent[1..2]), "{set}");
        // (Hybla of Linux begins with one datagram, below what a reduction leaves.)
        assert_eq!((cc.window(), cc.ssthresh()), (before.0.max(reduced.0), before.1), "{set}");
    }
}

// Packets of which a stack tells several at once, with the bytes of them all, are told apart by their bytes: two of three.
#[test]
fn bytes_are_counted_and_not_calls() {
    let (mut cc, sent) = ten_out("cubic");
    let three = Lost::new(sent[2].sent, 3 * MTU);
    let epoch = cc.on_lost(ms(50), &[three], false).expect("an epoch");
    assert!(!cc.on_spurious(ms(51), epoch, &[Lost::new(sent[1].sent, 2 * MTU)]));
    assert!(cc.on_spurious(ms(52), epoch, &[sent[2]]));
}

// A loss of the first epoch that is found in the second has the first one's name; that it arrives says nothing of the second.
#[test]
fn a_loss_of_an_earlier_epoch_counts_for_that_one() {
    let (mut cc, sent) = ten_out("cubic");
    let first = cc.on_lost(ms(50), &sent[..1], false).expect("an epoch");
    cc.on_acked(ms(50), &[Acked::new(sent[9].sent, MTU)], None);
    let new = [0; 2].map(|_| Lost::new(cc.on_sent(ms(51), MTU), MTU));
    let second = cc.on_lost(ms(100), &[sent[1], new[0]], false).expect("another");
    assert_ne!(first, second);
    assert_eq!(cc.on_lost(ms(100), &sent[2..3], false), Some(first));
    assert!(!cc.on_spurious(ms(101), first, &sent[..3]), "a later reduction stands");
    assert!(!cc.on_spurious(ms(101), second, &sent[1..2]), "it is the first epoch's");
    assert!(cc.on_spurious(ms(101), second, &new[..1]));
    assert_eq!(cc.window(), 7000, "what the first epoch left");
}

#[derive(Clone, Copy, Debug)]
enum Fact {
    LoseOldest,
    LoseNewest,
    LoseAllPersistently,
    /// The oldest, or the newest, of those declared lost arrives.
    OldestArrives,
    NewestArrives,
    Mark,
    /// The newest in flight is acknowledged, and the window filled again.
    Acknowledge,
}

const FACTS: [Fact; 7] = [
    Fact::LoseOldest,
    Fact::LoseNewest,
    Fact::LoseAllPersistently,
    Fact::OldestArrives,
    Fact::NewestArrives,
    Fact::Mark,
    Fact::Acknowledge,
];

/// A stack with its own account of epochs, by the positions of packets.
struct Account {
    cc: Transport,
    now: Duration,
    out: Vec<Lost>,
    lost: Vec<(LossEpoch, Lost)>,
    /// The present epoch: its data, what is missing of it, the window before it, and whether nothing may be undone.
    data: (u64, u64),
    missing: BTreeSet<u64>,
    window_before: u64,
    closed: bool,
    undone: u64,
}

impl Account {
    fn new(name: &str) -> Self {
        let (cc, out) = ten_out(name);
        let (data, missing) = ((0, 0), BTreeSet::new());
        Self { cc, now: ms(50), out, lost: vec![], data, missing, window_before: 0, closed: true, undone: 0 }
    }

    fn open(&mut self, closed: bool) {
        let next = self.cc.clone().on_sent(self.now, MTU).position();
        (self.data, self.window_before, self.closed) = ((self.data.1, next), self.cc.window(), closed);
        self.missing.clear();
    }

    fn lose(&mut self, lost: &[Lost], persistent: bool) {
        let newest = lost.iter().map(|packet| packet.sent.position()).max().expect("one");
        if newest >= self.data.1 {
            self.open(false);
        }
        let oldest = lost.iter().map(|packet| packet.sent.position()).min().expect("one");
        let begin = if persistent { self.data.0.min(oldest) } else { self.data.0 };
        self.missing
            .extend(lost.iter().map(|packet| packet.sent.position()).filter(|position| *position >= begin));
        let epoch = self.cc.on_lost(self.now, lost, persistent).expect("packets of this path");
        if persistent {
            self.data = (begin, self.cc.clone().on_sent(self.now, MTU).position());
        }
        self.lost.extend(lost.iter().map(|packet| (epoch, *packet)));
    }

    fn arrive(&mut self, (epoch, packet): (LossEpoch, Lost)) {
        let window = self.cc.window();
        let was_missing = self.missing.remove(&packet.sent.position());
        let expected = was_missing && self.missing.is_empty() && !self.closed;
        assert_eq!(self.cc.on_spurious(self.now, epoch, &[packet]), expected);
        let least = if expected { self.window_before.max(window) } else { window };
        assert_eq!(self.cc.window(), least);
        if expected {
            self.undone += 1;
            (self.data.1, self.closed) = (self.data.0, true);
        }
    }

    fn tell(&mut self, fact: Fact) {
        self.now += ms(1);
        match fact {
            Fact::LoseOldest | Fact::LoseNewest | Fact::LoseAllPersistently => {
                let count = self.out.len();
                let lost = match fact {
                    Fact::LoseOldest => self.out.drain(..count.min(1)),
                    Fact::LoseNewest => self.out.drain(count.saturating_sub(1)..),
                    _ => self.out.drain(..),
                };
                let lost: Vec<_> = lost.collect();
                if !lost.is_empty() {
                    self.lose(&lost, matches!(fact, Fact::LoseAllPersistently));
                }
            }
            Fact::OldestArrives | Fact::NewestArrives => {
                let newest = matches!(fact, Fact::NewestArrives);
                let place = if newest { self.lost.len().wrapping_sub(1) } else { 0 };
                if place < self.lost.len() {
                    let told = self.lost.remove(place);
                    self.arrive(told);
                }
            }
            Fact::Mark => {
                let Some(oldest) = self.out.first().copied() else { return };
                let begins = oldest.sent.position() >= self.data.1;
                if begins {
                    self.open(true);
                }
                self.closed = true;
                let outcome = self.cc.on_ecn(self.now, 1, Some(oldest.sent));
                assert_eq!(outcome != EcnOutcome::Ignored, begins);
            }
            Fact::Acknowledge => {
                let Some(newest) = self.out.pop() else { return };
                self.cc.on_acked(self.now, &[Acked::new(newest.sent, MTU)], None);
                while self.cc.may_send(MTU) {
                    self.out.push(Lost::new(self.cc.on_sent(self.now, MTU), MTU));
                }
            }
        }
    }
}

// Every sequence of up to six of these facts, with RFC 9438, Reno, BIC and the kernel's CUBIC: the transport undoes when the stack's own
// account says that nothing of the epoch is missing, and at no other time.
#[test]
fn undone_when_nothing_is_missing_and_at_no_other_time() {
    for name in ["cubic", "reno", "bic", "cubic-linux"] {
        let mut undone = 0;
        for length in 1..=6_u32 {
            for number in 0..FACTS.len().pow(length) {
                let mut account = Account::new(name);
                for place in 0..length {
                    account.tell(FACTS[number / FACTS.len().pow(place) % FACTS.len()]);
                }
                undone += account.undone;
            }
        }
        assert!(undone > 10_000, "{name}: {undone} only");
    }
}
