// SPDX-License-Identifier: MIT OR Apache-2.0
//! When Linux's timers fire: completion times of short transfers whose last packets are lost, measured with Linux 6.12 at 250 Hz in virtual
//! time. A packet takes 12 µs on the link of 1 Gbit/s, and half a round trip.

use crate::common::run;

/// The end of a transfer of `packets` packets of which these are lost, µs.
fn end_us(rtt_ms: u32, packets: u32, losses: &str, keys: &str) -> u64 {
    end_at_us("1Gbit/s", (rtt_ms, packets, losses), keys)
}

/// The same over a link of this rate.
fn end_at_us(rate: &str, (rtt_ms, packets, losses): (u32, u32, &str), keys: &str) -> u64 {
    let simulation = run(&format!(
        "duration = '30s'\n[link]\nrate = '{rate}'\nrtt = '{rtt_ms}ms'\nloss = 'at:{losses}'\nqueue = {{ kind = 'droptail', limit = '1000packets' }}\n\
         [[flow]]\ncc = 'cubic-linux'\nsize = '{packets}packets'\n{keys}"
    ));
    simulation.tables().transfers[0].end_ns.expect("complete") / 1000
}

// That kernel's counter stood at 34 in its buckets of 64 ticks when the scenario began. The first row by hand: the handshake takes 60 ms, so the
// packet leaves in tick 15, with a timeout of 260 ms, 65 ticks. It expires at tick 80 (114 of the counter) and fires when the counter comes to the next
// multiple of 8, 120: at 86 ticks, 344 ms. 30.012 ms later the packet is there.
#[test]
fn timers_fire_when_linuxs_do() {
    for (rtt_ms, packets, losses, kernel_us) in [
        (60, 1, "1", 374_012),
        // A timeout of 210 ms is 53 ticks, and has a tick's bucket; doubled, from tick 56 on, one of 8 ticks.
        (10, 1, "1", 229_012),
        (10, 1, "1,2", 445_012),
        (10, 1, "1,2,3,4", 1_757_012),
        (150, 1, "1", 707_012),
        (150, 1, "1,2,3,4", 3_939_012),
        // Back-off: 1.8, 3.6 and 7.2 s have buckets of 8, 64 and 64 ticks.
        (600, 1, "1", 2_308_012),
        (600, 1, "1,2", 4_132_012),
        (600, 1, "1,2,3,4", 15_268_012),
        // Two of ten: the probe after 2 · SRTT + 2 ms, and the other by its acknowledgement.
        (10, 10, "9,10", 63_024),
        (150, 10, "9,10", 857_024),
        (600, 10, "9,10", 3_324_024),
        // One of ten: the probe when the timeout would be due.
        (52, 10, "10", 402_012),
        (100, 10, "10", 586_012),
        // The probe is lost, too.
        (52, 10, "9,10,11", 582_024),
        (600, 10, "9,10,11", 5_148_024),
    ] {
        let simulated_us = end_us(rtt_ms, packets, losses, "host_clock_phase = '136ms'");
        assert_eq!(simulated_us, kernel_us, "{packets} packets, {rtt_ms} ms, lost {losses}");
    }
}

// Where round trips vary, the timeout is Linux's, too: the queue of a slow link adds hundreds of milliseconds to them. Over 1 Gbit/s it is the handshake
// that counts: the variation begins with twice its round trip of 300 ms, and falls by a quarter of what is above 200 ms, or above the largest mean
// deviation, with each round trip.
#[test]
fn timeouts_after_varying_round_trips_are_linuxs() {
    for (rate, rtt_ms, packets, losses, kernel_us) in [
        ("1Gbit/s", 300, 60, "60", 2_126_012),
        ("1Gbit/s", 300, 30, "29,30,31", 2_842_024),
        ("5Mbit/s", 200, 70, "70,71", 2_142_400),
        ("2Mbit/s", 80, 60, "60", 998_000),
        ("2Mbit/s", 80, 60, "59,60,61", 1_468_000),
        ("2Mbit/s", 30, 100, "100,101", 1_453_000),
        ("3Mbit/s", 160, 80, "80", 1_388_000),
        ("3Mbit/s", 160, 120, "119,120,121", 2_288_000),
    ] {
        let simulated_us = end_at_us(rate, (rtt_ms, packets, losses), "host_clock_phase = '136ms'");
        assert_eq!(simulated_us, kernel_us, "{rate}, {rtt_ms} ms, {packets} packets, lost {losses}");
    }
}

// A timeout of 300 ms from 100 ms on, tick 25, is 75 ticks and has a bucket of 8: it expires at tick 100 and fires at 104, 416 ms. At 1000 Hz it expires
// at 400 and fires at 408 ms, at 100 Hz at 40 and fires at 41, 410 ms. Then 50.012 ms until the packet is there.
#[test]
fn other_rates_have_other_buckets() {
    for (hz, fires_ms) in [(250, 416), (1000, 408), (100, 410)] {
        let keys = format!("host_clock_phase = '0s'\nhost_clock = '{hz}Hz'");
        assert_eq!(end_us(100, 1, "1", &keys), fires_ms * 1000 + 50_012, "{hz} Hz");
    }
}

// Where the buckets lie is drawn for each host: the timeout of 300 ms fires 1 to 8 ticks after tick 75 of its own, 304 to 332 ms later, or up to a tick
// less, as it is set within one.
#[test]
fn the_phase_of_a_hosts_clock_is_drawn() {
    let ends: Vec<u64> = (1..=200)
        .map(|seed| {
            let text = format!(
                "duration = '2s'\nseed = {seed}\n[link]\nrate = '1Gbit/s'\nrtt = '100ms'\nloss = 'at:1'\n[[flow]]\ncc = 'reno-linux'\nsize = '1packets'"
            );
            run(&text).tables().transfers[0].end_ns.expect("complete") / 1000 - 150_012
        })
        .collect();
    let (least, most) = (ends.iter().min().expect("some"), ends.iter().max().expect("some"));
    assert!((300_001..303_000).contains(least) && (329_000..=332_001).contains(most), "{least} to {most} µs");
    // All phases are as likely: 300 ms, half a tick for the rounding to the next one, and half a bucket.
    let mean = ends.iter().sum::<u64>() / 200;
    assert!((314_000..318_000).contains(&mean), "{mean} µs");
}

// The wheel is Linux's. Others fire when they are due, or at the next tick.
#[test]
fn other_hosts_keep_their_timers() {
    // As in RFC 6298: 300 ms from time 0 on, without ticks at 1 kHz.
    let keys = "recovery = 'sack'\nhandshake = true";
    assert_eq!(end_us(100, 1, "1", keys), 100_000 + 300_000 + 50_012);
    assert_eq!(end_us(100, 1, "1", &format!("{keys}\nhost_clock = '100Hz'")), 400_000 + 50_012);
}
