// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a stack does not see: tokens, segments, timeouts, and the conditions of a jump.

use super::*;
use crate::conn::Conn;

const MTU: u64 = 1200;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn transport(name: &str, config: Config) -> Transport {
    Transport::new(Controller::by_name(name).expect("registered"), &config, ms(1000))
}

// RFC 9002 §7.2: 10 · 1252; 14 720 of 1500, which is nine and 1220 bytes; two of 9000. A configured number is what it is.
#[test]
fn the_initial_window_is_the_rfcs() {
    for (mtu, bytes) in [(1252, 12_520), (1472, 14_720), (1500, 14_720), (7360, 14_720), (9000, 18_000)] {
        let cc = transport("reno", Config::new().mtu(mtu));
        assert_eq!((cc.window(), cc.burst()), (bytes, bytes), "{mtu}");
        assert_eq!(cc.driver.conn.cwnd, (bytes / u64::from(mtu)) as u32);
    }
    assert_eq!(
        transport("reno", Config::new().mtu(9000).initial_window(32).expect("two at least")).window(),
        288_000
    );
}

// Bytes beyond whole segments count as window, and are gone after a reduction: half of nine.
#[test]
fn bytes_beyond_whole_segments_do_not_survive_a_reduction() {
    let mut cc = transport("reno", Config::new().mtu(1500));
    let sent: Vec<_> = (0..9).map(|_| cc.on_sent(ms(1000), 1500)).collect();
    assert!(cc.may_send(1220) && !cc.may_send(1221));
    cc.on_lost(ms(1100), &[Lost::new(sent[0], 1500)], false);
    assert_eq!(cc.window(), 4 * 1500);
}

// draft-cheng-iccrg-delivery-rate-estimation §3.2. Ten packets, one each millisecond; the acknowledgement of the first four comes at 50,
// so a packet sent at 52 has the delivery of 4 · 1200 two milliseconds ago, and its first packet sent at 3.
#[test]
fn a_token_remembers_the_last_delivery() {
    let mut cc = transport("reno", Config::new());
    let sent: Vec<_> = (0..10).map(|n| Acked::new(cc.on_sent(ms(1000 + n), MTU), MTU)).collect();
    assert_eq!((sent[9].sent.first_sent_ago_us, sent[9].sent.delivered_ago_us), (9000, 9000));
    cc.on_acked(ms(1050), &sent[..4], None);
    let late = cc.on_sent(ms(1052), MTU);
    assert_eq!((late.position(), late.delivered, late.time_us), (10, 4800, 1_052_000));
    assert_eq!((late.delivered_ago_us, late.first_sent_ago_us), (2000, 49_000));
    // The newest of these was sent before any delivery: all ten packets, 12 000 bytes, in the 94 ms from the first transmission on.
    cc.on_acked(ms(1094), &sent[4..], None);
    let rate = cc.delivery.latest.expect("a sample");
    assert_eq!((rate.delivered, rate.interval_us, rate.bytes_per_s), (12_000, 94_000, 127_659));
    cc.on_acked(ms(1102), &[Acked::new(late, MTU)], None);
    // 7200 of before and itself, 8400 bytes in the 52 ms from 1050 on.
    let rate = cc.delivery.latest.expect("a sample");
    assert_eq!((rate.delivered, rate.interval_us), (8400, 52_000));
}

// §3.3: what was sent slowly was not delivered fast, though its acknowledgements come together. Packets at 0, 40 and 95 ms, the first
// acknowledged at 90: the other two were sent in 95 ms and acknowledged in 55.
#[test]
fn a_rate_is_not_above_that_of_sending() {
    let mut cc = transport("reno", Config::new());
    let [first, second] = [1000, 1040].map(|at| Acked::new(cc.on_sent(ms(at), MTU), MTU));
    cc.on_acked(ms(1090), &[first], None);
    let third = Acked::new(cc.on_sent(ms(1095), MTU), MTU);
    cc.on_acked(ms(1145), &[second, third], None);
    let rate = cc.delivery.latest.expect("a sample");
    assert_eq!((rate.delivered, rate.interval_us), (2400, 95_000));
}

// §3.4: packets sent while the application had nothing more, and until what was out then is delivered, say so.
#[test]
fn rates_tell_that_the_application_limited_them() {
    let mut cc = transport("reno", Config::new());
    let first = Acked::new(cc.on_sent(ms(1000), MTU), MTU);
    cc.on_burst_end(ms(1000), Limit::Application);
    let marked = Acked::new(cc.on_sent(ms(1010), MTU), MTU);
    cc.on_acked(ms(1050), &[first], None);
    assert!(!cc.delivery.latest.expect("a sample").app_limited);
    cc.on_acked(ms(1060), &[marked], None);
    assert!(cc.delivery.latest.expect("a sample").app_limited);
    assert!(!cc.on_sent(ms(1070), MTU).app_limited);
}

// RFC 9002 §6.2.1, §6.2.2: 333 + 4 · 166.5 + 25 ms; then 50 + 4 · 25 + 25, or with a variation of nothing 50 + 1 + 25.
#[test]
fn the_timeout_is_that_of_probes() {
    let mut cc = transport("reno", Config::new());
    assert_eq!(cc.rto_us(), 333_000 + 666_000 + 25_000);
    let mut at = 1000;
    for expected in [175_000, 150_000] {
        let sent = cc.on_sent(ms(at), MTU);
        at += 50;
        cc.on_acked(ms(at), &[Acked::new(sent, MTU)], None);
        assert_eq!(cc.rto_us(), expected);
    }
    for _ in 0..40 {
        let sent = cc.on_sent(ms(at), MTU);
        at += 50;
        cc.on_acked(ms(at), &[Acked::new(sent, MTU)], None);
    }
    assert_eq!(cc.rto_us(), 76_000);
}

// The remainder is kept over acknowledgements, batches and another size: 1000 + 1000 of 1200 are one and 800; of 400: 800 + 400 are three.
#[test]
fn acknowledged_bytes_are_kept_to_the_last() {
    let mut cc = transport("reno", Config::new());
    assert_eq!((cc.segments(1000), cc.segments(1000), cc.acked_spare), (0, 1, 800));
    cc.on_mtu(400);
    assert_eq!((cc.segments(400), cc.acked_spare), (3, 0));
    assert_eq!(cc.segments(u64::MAX), u32::MAX);
}

// Ten datagrams of 9000 leave 6000 of 96 000 bytes: no further one fits, so the window is in use.
#[test]
fn the_window_is_in_use_when_no_datagram_of_the_present_size_fits() {
    let mut cc = transport("reno", Config::new().initial_window(80).expect("two at least"));
    cc.on_mtu(9000);
    for sent in 1..=10 {
        cc.on_sent(ms(1000), 9000);
        assert_eq!(cc.driver.conn.is_cwnd_limited, sent == 10);
    }
}

// RFC 9002 §7.3.2: an epoch covers what was sent before it. A packet at its end is the first of the next.
#[test]
fn positions_run_over_all_packets() {
    let mut cc = transport("reno", Config::new());
    let sent: Vec<_> = (0..10).map(|_| Lost::new(cc.on_sent(ms(1000), MTU), MTU)).collect();
    let epoch = cc.on_lost(ms(1100), &sent[..1], false);
    assert_eq!(cc.driver.recovery_end(), 10);
    assert_eq!(cc.on_lost(ms(1101), &sent[9..], false), epoch);
    let next = Lost::new(cc.on_sent(ms(1102), MTU), MTU);
    assert_ne!(cc.on_lost(ms(1200), &[next], false), epoch);
    assert_eq!(cc.metrics().epochs.by_loss, 2);
}

#[test]
fn nothing_told_is_nothing_done() {
    let mut cc = transport("cubic", Config::new());
    let before = format!("{cc:?}");
    cc.on_acked(ms(1000), &[], Some(ms(1)));
    assert_eq!(cc.on_lost(ms(1000), &[], true), None);
    cc.on_discarded(0);
    assert_eq!(format!("{cc:?}"), before);
}

// Three of 1200 bytes are two of 1452 and 696 over. A reduction that ends at the minimum, two, leaves two: 2904 bytes.
#[test]
fn a_reduction_to_the_same_number_of_segments_leaves_no_bytes_beyond_them() {
    type Reduction = fn(&mut Transport, &[Sent]);
    let reductions: [Reduction; 3] = [
        |cc, sent| {
            cc.on_lost(ms(1100), &[Lost::new(sent[0], MTU)], false);
        },
        |cc, sent| {
            cc.on_lost(ms(1100), &[Lost::new(sent[0], MTU)], true);
        },
        |cc, sent| {
            cc.on_ecn(ms(1100), 1, Some(sent[0]));
        },
    ];
    for (kind, reduce) in reductions.into_iter().enumerate() {
        let mut cc = transport("reno", Config::new().initial_window(3).expect("two at least"));
        let sent: Vec<_> = (0..3).map(|_| cc.on_sent(ms(1000), MTU)).collect();
        cc.on_acked(ms(1050), &[], None);
        cc.on_mtu(1452);
        assert_eq!(cc.window(), 3600);
        reduce(&mut cc, &sent);
        cc.on_acked(ms(1100), &[Acked::new(sent[1], MTU)], None);
        assert_eq!(cc.window(), 2904, "{kind}");
    }
}

// A packet of acknowledgements alone may be the newest of an ACK frame: what the frame acknowledges leaves the flight. It is none of
// the window's: neither what is in flight nor the one packet after a loss changes with it.
#[test]
fn a_packet_of_no_bytes_has_a_token_and_is_not_in_flight() {
    let mut cc = transport("reno", Config::new());
    let sent: Vec<_> = (0..10).map(|_| cc.on_sent(ms(1000), MTU)).collect();
    cc.on_lost(ms(1050), &[Lost::new(sent[0], MTU)], false);
    let before = cc.metrics();
    let newest = cc.on_sent(ms(1051), 0);
    assert_eq!((newest.position(), cc.metrics(), cc.in_flight()), (10, before, 9 * MTU));
    assert!(cc.allows_fast_retransmission());
    cc.on_acked(ms(1100), &[Acked::new(newest, 9 * MTU)], None);
    assert_eq!(cc.in_flight(), 0);
}

#[test]
fn another_path_allows_no_packet_for_a_loss_on_the_old_one() {
    let mut cc = transport("reno", Config::new());
    let sent = cc.on_sent(ms(1000), MTU);
    cc.on_lost(ms(1050), &[Lost::new(sent, MTU)], false);
    assert!(cc.allows_fast_retransmission());
    cc.on_path_change(ms(1060));
    assert!(!cc.allows_fast_retransmission());
}

/// Notes the samples that it is told.
#[derive(Clone, Debug, Default)]
struct Watcher(std::sync::Arc<std::sync::Mutex<Vec<crate::RateSample>>>);

impl crate::CongestionControl for Watcher {
    type Params = ();

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        conn.cwnd
    }

    fn cong_avoid(&mut self, _: &mut Conn, _ack: u32, _acked: u32, (): &()) {}

    fn has_cong_control(&self) -> bool {
        true
    }

    fn cong_control(&mut self, _: &mut Conn, _ack: u32, _flags: u32, sample: &crate::RateSample, (): &()) {
        self.0.lock().expect("one thread").push(*sample);
    }
}

impl crate::registry::Custom for Watcher {}

// Ten packets, one each millisecond. Four arrive at 50 ms: 4 in the 50 ms since the first left. Two of the others are lost; the last arrives at
// 94, when 5 were delivered in 94 ms. What leaves at 52 ms arrives at 102: 4 had been delivered, itself and the last since 50.
#[test]
fn an_algorithm_with_a_rate_of_its_own_is_told_samples_in_segments() {
    let watcher = Watcher::default();
    let mut cc = Transport::new(Controller::Custom(Box::new(watcher.clone())), &Config::new(), ms(1000));
    let sent: Vec<_> = (0..10).map(|n| Acked::new(cc.on_sent(ms(1000 + n), MTU), MTU)).collect();
    cc.on_acked(ms(1050), &sent[..4], None);
    let late = Acked::new(cc.on_sent(ms(1052), MTU), MTU);
    cc.on_lost(ms(1060), &[4, 5].map(|n: usize| Lost::new(sent[n].sent, MTU)), false);
    cc.on_acked(ms(1094), &sent[9..], None);
    cc.on_acked(ms(1102), &[late], None);
    let samples = watcher.0.lock().expect("one thread");
    let told = |n: usize| {
        let sample = &samples[n];
        (sample.delivered, sample.interval_us, sample.prior_delivered, sample.losses, sample.prior_in_flight)
    };
    assert_eq!(
        [told(0), told(1), told(2)],
        [(4, 50_000, 0, 0, 10), (5, 94_000, 0, 2, 5), (2, 52_000, 4, 0, 4)]
    );
    assert_eq!(samples.iter().map(|sample| sample.rtt_us).collect::<Vec<_>>(), [47_000, 85_000, 50_000]);
    assert_eq!(samples.iter().map(|sample| sample.acked_sacked).sum::<u32>(), 6);
    // The last delivery, and when its packet left.
    let conn = &cc.driver.conn;
    assert_eq!((conn.delivered_us, conn.first_sent_us), (1_102_000, 1_052_000));
}
