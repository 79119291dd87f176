// SPDX-License-Identifier: MIT OR Apache-2.0
//! Round trip times, the delivery rate, the pacing rate.

use crate::eighty;
use crate::pipe::{MTU, Pipe, ms};
use cwnd::Controller;
use cwnd::transport::{Acked, Config, Transport};

// The first acknowledgement is of 300 bytes: no segment, but a round trip time, which the algorithm hears of, too.
#[test]
fn an_acknowledgement_of_less_than_a_segment_has_a_round_trip_time() {
    let mut cc = Transport::new(Controller::by_name("vegas").unwrap(), &Config::new(), ms(0));
    let sent = cc.on_sent(ms(0), 300);
    let base = |cc: &Transport| cc.info().named().find(|(name, _)| *name == "base_rtt_us").map(|(_, us)| us);
    let unknown = base(&cc);
    cc.on_acked(ms(50), &[Acked::new(sent, 300)], None);
    assert_eq!((cc.window(), cc.metrics().min_rtt), (10 * MTU, Some(ms(50))));
    assert_ne!(base(&cc), unknown);
}

// RFC 9002 §7.7: N · window / srtt. 2 · 12 000 / 0.333 s = 72 072; with 50 ms and 20 packets 2 · 24 000 / 0.05 = 960 000; after a loss of
// 40 of 80 · 0.5: 1.25 · 48 000 / 0.05 = 1 200 000.
#[test]
fn packets_are_paced_by_window_and_round_trip() {
    let mut pipe = Pipe::new("reno", Config::new());
    assert_eq!((pipe.cc.pacing_rate(), pipe.cc.burst()), (Some(72_072), 12_000));
    pipe.round();
    assert_eq!(pipe.cc.pacing_rate(), Some(960_000));
    let mut pipe = eighty("reno", Config::new());
    let all = std::mem::take(&mut pipe.out);
    pipe.lose(&all, false);
    assert_eq!((pipe.cc.window(), pipe.cc.pacing_rate()), (48_000, Some(1_200_000)));
    assert_eq!(Pipe::new("reno", Config::new().paced(false)).cc.pacing_rate(), None);
}

// 80 packets of 1200 bytes in one round trip of 50 ms: 1 920 000 bytes/s.
#[test]
fn the_delivery_rate_is_a_windows_bytes_per_round_trip() {
    let mut pipe = eighty("reno", Config::new());
    pipe.acknowledge();
    let rate = pipe.cc.metrics().delivery_rate.unwrap();
    assert_eq!((rate.bytes_per_s, rate.delivered, rate.interval_us), (1_920_000, 96_000, 50_000));
    assert!(!rate.app_limited);
}

// RFC 9002 §5.2, §5.3: 60 ms, of which the receiver held it 10: the smallest is 60, the smoothed 50.
#[test]
fn the_receivers_delay_is_in_the_smallest_round_trip_only() {
    let mut cc = Transport::new(Controller::by_name("reno").unwrap(), &Config::new(), ms(0));
    let sent = cc.on_sent(ms(0), MTU);
    cc.on_acked(ms(60), &[Acked::new(sent, MTU)], Some(ms(50)));
    let metrics = cc.metrics();
    assert_eq!((metrics.smoothed_rtt, metrics.min_rtt), (Some(ms(50)), Some(ms(60))));
    assert_eq!((metrics.rtt_variance, metrics.latest_rtt), (Some(ms(25)), Some(ms(60))));
}

// RFC 9002 §5.1: an older packet that is acknowledged later gives no sample.
#[test]
fn only_the_newest_packet_so_far_gives_a_round_trip_time() {
    let mut cc = Transport::new(Controller::by_name("reno").unwrap(), &Config::new(), ms(0));
    let (old, new) = (cc.on_sent(ms(0), MTU), cc.on_sent(ms(1), MTU));
    cc.on_acked(ms(51), &[Acked::new(new, MTU)], None);
    cc.on_acked(ms(500), &[Acked::new(old, MTU)], None);
    assert_eq!((cc.metrics().latest_rtt, cc.metrics().smoothed_rtt), (Some(ms(50)), Some(ms(50))));
}
