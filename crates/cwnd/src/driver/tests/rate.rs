// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples of the delivery rate by hand, and beside a plain history of all transmissions and deliveries.

use crate::conn::Conn;
use crate::driver::{RateSampler, Stamp};
use crate::rate_sample::RateSample;

/// A path whose packets are stamped, and delivered one batch at a time.
struct Path {
    conn: Conn,
    /// When each packet was sent last, and its stamp.
    sent: Vec<(u64, Stamp)>,
    again: Vec<bool>,
}

impl Path {
    /// From 1 s on, as if the smallest round trip were `min_rtt_us`.
    fn new(min_rtt_us: u32) -> Self {
        let mut conn = Conn { min_rtt_us, ..Conn::new(1000, 100) };
        conn.set_now(1_000_000);
        Self { conn, sent: Vec::new(), again: Vec::new() }
    }

    fn send(&mut self, now_ms: u64) {
        let now_us = 1_000_000 + now_ms * 1000;
        self.conn.set_now(now_us);
        let stamp = Stamp::new(&mut self.conn, now_us);
        self.sent.push((now_us, stamp));
        self.again.push(false);
        self.conn.packets_out += 1;
        self.conn.in_flight += 1;
    }

    fn send_again(&mut self, packet: usize, now_ms: u64) {
        let now_us = 1_000_000 + now_ms * 1000;
        self.conn.set_now(now_us);
        self.sent[packet] = (now_us, Stamp::new(&mut self.conn, now_us));
        self.again[packet] = true;
    }

    fn deliver(&mut self, now_ms: u64, packets: &[usize]) -> RateSample {
        self.conn.set_now(1_000_000 + now_ms * 1000);
        let mut sampler = RateSampler::new(&self.conn);
        for &packet in packets {
            let (sent_us, stamp) = self.sent[packet];
            sampler.on_delivered(&mut self.conn, &stamp, sent_us, packet as u64 + 1, self.again[packet]);
        }
        let count = packets.len() as u32;
        self.conn.delivered += u64::from(count);
        self.conn.packets_out -= count;
        self.conn.in_flight -= count;
        sampler.sample(&mut self.conn, count)
    }
}

/// What it says of the rate.
fn rate(sample: &RateSample) -> (i32, i32) {
    (sample.delivered, sample.interval_us)
}

// draft-ietf-ccwg-bbr §4.1.1. Ten packets, one each millisecond; four are delivered at 50 ms. What is sent at 52 ms has those four behind it:
// when it arrives at 102, the six others and itself were delivered in the 52 ms since 50.
#[test]
fn a_sample_begins_with_the_last_delivery_before_its_packet_was_sent() {
    let mut path = Path::new(10_000);
    (0..10).for_each(|ms| path.send(ms));
    let first = path.deliver(50, &[0, 1, 2, 3]);
    assert_eq!(rate(&first), (4, 50_000)); // since the first transmission
    assert_eq!((first.prior_delivered, first.acked_sacked, first.prior_in_flight), (0, 4, 10));
    path.send(52);
    assert_eq!(rate(&path.deliver(94, &[4, 5, 6, 7, 8, 9])), (10, 94_000));
    let last = path.deliver(102, &[10]);
    assert_eq!((rate(&last), last.prior_delivered), ((7, 52_000), 4));
}

// Packets at 0, 40 and 95 ms, the first delivered at 90: the other two were sent in 95 ms and acknowledged in 55.
#[test]
fn a_rate_is_not_above_that_of_sending() {
    let mut path = Path::new(10_000);
    path.send(0);
    path.send(40);
    path.deliver(90, &[0]);
    path.send(95);
    assert_eq!(rate(&path.deliver(145, &[1, 2])), (2, 95_000));
}

// Linux's tcp_rate_gen: acknowledgements that come together say of an interval that no path has.
#[test]
fn an_interval_below_the_smallest_round_trip_is_none() {
    let mut path = Path::new(60_000);
    path.send(0);
    assert_eq!(path.deliver(59, &[0]).interval_us, -1);
    path.send(100);
    assert_eq!(rate(&path.deliver(160, &[1])), (1, 60_000));
    // Before a round trip is known, too.
    let mut path = Path::new(0);
    path.send(0);
    assert!(!path.deliver(59, &[0]).is_valid());
}

// With one packet out and nothing more to send, what is sent until that one and another are delivered is limited.
#[test]
fn samples_say_that_the_application_limited_them() {
    let mut path = Path::new(10_000);
    path.send(0);
    path.conn.limit_by_application(); // 0 delivered, 1 out
    path.send(10);
    assert!(!path.deliver(50, &[0]).is_app_limited);
    path.send(55);
    assert!(path.deliver(60, &[1]).is_app_limited);
    path.send(70);
    assert!(path.deliver(105, &[2]).is_app_limited);
    assert!(!path.deliver(120, &[3]).is_app_limited);
}

// Packet 0 is sent again at 60 ms, after all the others: it is the newest though it comes first in the acknowledgement. Of two packets that were
// sent at once, the later one counts.
#[test]
fn the_packet_that_was_sent_last_makes_the_sample() {
    let mut path = Path::new(10_000);
    [0, 1, 1].into_iter().for_each(|ms| path.send(ms));
    path.deliver(50, &[1]);
    path.send_again(0, 60);
    let sample = path.deliver(110, &[0, 2]);
    assert!(sample.is_retrans);
    assert_eq!((rate(&sample), sample.prior_delivered), ((2, 60_000), 1)); // since 50; sent since 1: 59 ms
    let mut path = Path::new(10_000);
    path.send(0);
    path.conn.delivered_ce = 5;
    path.send(0);
    path.conn.delivered_ce = 7;
    assert_eq!(path.deliver(50, &[1, 0]).delivered_ce, 2);
}

#[test]
fn losses_are_those_since_the_acknowledgement_came() {
    let mut conn = Conn { lost: u32::MAX, ..Conn::new(1000, 10) };
    let sampler = RateSampler::new(&conn);
    conn.lost = conn.lost.wrapping_add(3);
    let sample = sampler.sample(&mut conn, 0);
    assert_eq!((sample.losses, sample.is_valid()), (3, false));
}

/// What is known of a packet, and of the path when it was sent.
#[derive(Clone, Copy)]
struct Known {
    sent_ms: u64,
    delivered: usize,
    /// When the delivery before it came, and when its newest packet had been sent; both this packet's time where nothing was out.
    since_ms: (u64, u64),
}

// The definition, over a history of everything: the newest packet of a batch, what was delivered since it was sent, and the longer of the times
// in which that was sent and acknowledged.
#[test]
fn samples_are_those_of_a_plain_history() {
    for seed in 0..200_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = move |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let (mut path, mut known) = (Path::new(1), Vec::<Known>::new());
        let (mut out, mut delivered, mut now_ms) = (Vec::<usize>::new(), 0, 0);
        let mut last = (0, 0);
        for _ in 0..60 {
            now_ms += 1 + random(7);
            if out.is_empty() || random(3) > 0 {
                if out.is_empty() {
                    last = (now_ms, now_ms);
                }
                path.send(now_ms);
                out.push(known.len());
                known.push(Known { sent_ms: now_ms, delivered, since_ms: last });
                continue;
            }
            let mut batch = Vec::new();
            for _ in 0..=random(out.len() as u64).min(4) {
                batch.push(out.remove(random(out.len() as u64) as usize));
            }
            let newest = batch.iter().map(|&packet| (known[packet].sent_ms, packet)).max().expect("a packet");
            // An older packet than the newest delivered before makes the sample, too, where the batch has no newer one.
            let Known { sent_ms, delivered: before, since_ms: (acked_ms, first_ms) } = known[newest.1];
            delivered += batch.len();
            let interval_ms = (now_ms - acked_ms).max(sent_ms - first_ms);
            let sample = path.deliver(now_ms, &batch);
            let expected = ((delivered - before) as i32, (interval_ms * 1000) as i32);
            assert_eq!(rate(&sample), expected, "seed {seed}, packet {}", newest.1);
            last = (now_ms, sent_ms);
        }
    }
}
