// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pacer keeps the rate that it is asked for.

use crate::pipe::ms;
use crate::random::splitmix;
use cwnd::Controller;
use cwnd::transport::{Acked, Config, Limit, Pacer, Transport};
use std::time::Duration;

/// A transport of about `rate` bytes/s: a window of `datagrams` of 1200 bytes and the round trip that gives that rate.
fn paced(rate: u64, datagrams: u32) -> (Transport, Duration) {
    let config = Config::new().initial_window(datagrams).expect("two at least");
    let mut cc = Transport::new(Controller::by_name("reno").expect("registered"), &config, ms(0));
    // Twice the window per round trip in slow start.
    let rtt_us = (2 * 1_000_000 * cc.window() / rate).max(1);
    let sent = cc.on_sent(ms(0), 1200);
    cc.on_burst_end(ms(0), Limit::Application);
    let now = Duration::from_micros(rtt_us);
    cc.on_acked(now, &[Acked::new(sent, 1200)], None);
    (cc, now)
}

/// Bytes that leave within `us` microseconds, each packet when the pacer says.
fn sent_within(cc: &Transport, begin: Duration, us: u64, bytes: u64) -> u64 {
    let mut pacer = Pacer::new();
    let (mut now, mut sent) = (begin, 0);
    loop {
        now = pacer.departure(now, bytes, cc);
        if now > begin + Duration::from_micros(us) {
            return sent;
        }
        pacer.on_sent(now, bytes, cc);
        sent += bytes;
    }
}

// 123.46 MB/s and packets of 1200 bytes, 9.72 us each: at most the burst of ten and 10 us' bytes per ten microseconds. A pacer that took
// each packet's time in whole microseconds would send at 1.11 times the rate, and above 1.2346 GB/s without end.
#[test]
fn a_rate_is_met_whatever_part_of_a_microsecond_a_packet_takes() {
    for rate in [123_460_000, 1_234_600_000, 5_000_000_000] {
        let (cc, begin) = paced(rate, 1000);
        let rate = cc.pacing_rate().expect("it is paced");
        let sent = sent_within(&cc, begin, 10_000, 1200);
        let allowed = rate / 100; // 10 ms
        assert!(sent <= cc.burst() + allowed + 1200, "{rate}: {sent} of {allowed}");
        assert!(sent >= cc.burst() + allowed - 1200, "{rate}: {sent} of {allowed}");
    }
}

// Rates from 1 kB/s to 10 GB/s, packets from 1 to 1200 bytes: never above the burst, the rate and a packet, and at least 0.95 of the rate
// where a microsecond's bytes and a packet fit into a burst. Above that a burst leaves per microsecond.
#[test]
fn any_rate_and_any_packet_size_keep_the_bound() {
    let seed = 0x5EED;
    let mut random = splitmix(seed);
    for case in 0..200 {
        let wanted = 1000 << (random() % 24); // 1 kB/s … 8.4 GB/s
        let (cc, begin) = paced(wanted + random() % wanted / 5, 10 + (random() % 90) as u32);
        let rate = cc.pacing_rate().expect("it is paced");
        let bytes = 1 + random() % 1200;
        let us = (1000 * bytes * 1_000_000 / rate).max(1000); // a thousand packets, or a millisecond
        let allowed = u128::from(rate) * u128::from(us) / 1_000_000;
        let allowed = u64::try_from(allowed).expect("a short time");
        let sent = sent_within(&cc, begin, us, bytes);
        let what = format!("seed {seed}, case {case}: {sent} bytes of {bytes} at {rate} in {us} us");
        assert!(sent <= cc.burst() + allowed + bytes, "{what}");
        if rate / 1_000_000 + bytes < cc.burst() {
            assert!(sent * 100 >= 95 * allowed, "{what}");
        } else {
            assert!(sent >= (us - 1) * (cc.burst() - bytes), "{what}");
        }
    }
}
