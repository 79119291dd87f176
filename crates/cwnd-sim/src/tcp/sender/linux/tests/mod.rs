// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces by hand: what a sender sends when, for acknowledgements at given times.
//!
//! A line is a time in milliseconds and what happens: `>` the segments that are to leave then (`0-9` for ten of them), `<` an
//! acknowledgement, `+` segments that the application writes, `=` state, window and threshold that the sender is to have.
//! `sack 2 3` are two acknowledgements, each of one arrival, as a receiver sends them; `dsack 2` reports a duplicate, `ack 3 dsack 2` one beside
//! the advance. An acknowledgement
//! of new data echoes the last transmission of the first segment that it acknowledges, or the time given by `echo`. One after `ece` echoes a
//! congestion mark.

mod detection;
mod echoes;
mod log;
mod offload;
mod packets;
mod probes;
mod undo;

use super::super::tests::{MS, MSS, flow};
use crate::tcp::receiver::AckPacket;
use crate::tcp::sender::Sender;
use std::sync::Arc;

/// 1 is late. At 43 ms it is taken for lost: half of a window of 11.
const LATE: &str = "
    0  > 0-9
    40 < ack 1
    40 > 10-11
    41 < sack 2
    41 > 12
    42 < sack 3
    42 > 13
    43 < sack 4
    43 > 1
    43 = Recovery 10 5
";

struct Trace {
    sender: Sender,
    now: u64,
    /// What has been sent: when, µs, and which segment.
    sent: Vec<(u64, u64)>,
    /// Whether acknowledgements echo a congestion mark.
    echoes: bool,
}

impl Trace {
    fn send(&mut self) {
        while let Some(position) = self.sender.send(self.now) {
            self.sent.push((self.now / 1000, position));
        }
        self.sender.end_burst();
    }

    /// Lets timers fire until `end`.
    fn run(&mut self, end: u64) {
        while self.sender.rto_at() <= end {
            self.now = self.sender.rto_at();
            self.sender.on_timer(self.now);
            self.send();
        }
        self.now = end;
    }

    fn ack(&mut self, cumulative: u64, sacked: Option<u64>, echo_ms: Option<f64>) {
        let una = self.sender.una();
        let last = self.sent.iter().rev().find(|sent| sent.1 == una).map_or(0, |sent| sent.0 as u32);
        let echo_us = echo_ms.map_or(last, |ms| (ms * 1000.0) as u32);
        let sent_us = (cumulative > una).then_some((echo_us, echo_us));
        let packet = AckPacket { cumulative, sacked, sent_us, waited: false };
        if self.echoes {
            self.sender.on_echo(self.now, &packet, None);
        } else {
            self.sender.on_ack(self.now, &packet);
        }
        self.send();
    }
}

/// `0-3` and `7`: 0, 1, 2, 3 and 7.
fn positions(word: &str) -> impl Iterator<Item = u64> {
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|_| panic!("a position: {word}"));
    let (from, to) = word.split_once('-').unwrap_or((word, word));
    number(from)..=number(to)
}

/// Plays a trace of a flow without segmentation offload that sends `size` segments, without an end where that is `None`, on a path of 40 ms.
#[track_caller]
fn play(cc: &str, size: Option<u64>, text: &str) -> Sender {
    let mut flow = flow(&format!("cc = '{cc}'\nrecovery = 'linux'\ngso = false"));
    flow.rtt = 40 * MS;
    // Timeouts in whole microseconds: what the timer wheel adds has tests of its own.
    Arc::make_mut(&mut flow.group).host_clock = Some(1_000_000);
    Arc::make_mut(&mut flow.group).size = size.map(|size| size * u64::from(MSS));
    let mut trace = Trace { sender: Sender::new(&flow, MSS), now: 0, sent: Vec::new(), echoes: false };
    let mut expected: Vec<(u64, u64)> = Vec::new();
    trace.send();
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [at, what, words @ ..] = words.as_slice() else { continue };
        let at_ms: f64 = at.parse().unwrap_or_else(|_| panic!("a time: {line}"));
        let at = (at_ms * MS as f64) as u64;
        if *what == ">" {
            expected
                .extend(words.iter().flat_map(|word| positions(word)).map(|position| (at / 1000, position)));
            continue;
        }
        trace.run(at);
        trace.echoes = words.first() == Some(&"ece");
        let words = if trace.echoes { &words[1..] } else { words };
        match (*what, words) {
            ("<", ["ack", to, rest @ ..]) => {
                let echo_ms = if let ["echo", ms] = rest { ms.parse().ok() } else { None };
                let duplicate = if let ["dsack", position] = rest { position.parse().ok() } else { None };
                trace.ack(to.parse().expect("a position"), duplicate, echo_ms);
            }
            ("<", ["sack" | "dsack", words @ ..]) => {
                for position in words.iter().flat_map(|word| positions(word)) {
                    trace.ack(trace.sender.una(), Some(position), None);
                }
            }
            ("<", ["duplicate"]) => trace.ack(trace.sender.una(), None, None),
            ("+", [count]) => {
                trace.sender.write(count.parse().expect("a count"));
                trace.send();
            }
            ("=", state) => {
                let conn = &trace.sender.driver.conn;
                let ssthresh =
                    if conn.ssthresh < 1 << 30 { conn.ssthresh.to_string() } else { "none".into() };
                let is = format!("{:?} {} {ssthresh}", conn.ca_state, conn.cwnd);
                assert_eq!(is, state.join(" "), "at {at_ms} ms: state, window, threshold");
            }
            _ => panic!("a line of a trace: {line}"),
        }
    }
    let last_us = expected.last().map_or(0, |last| last.0);
    trace.run(trace.now.max(last_us * 1000));
    let same = trace.sent.iter().zip(&expected).take_while(|(is, other)| is == other).count();
    let (sent, expected) = (&trace.sent[same..], &expected[same..]);
    assert_eq!(sent, expected, "what is sent when, µs, after the first {same}");
    trace.sender
}
