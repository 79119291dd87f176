// SPDX-License-Identifier: MIT OR Apache-2.0
//! When timers fire, by hand, and against a plain wheel that is turned tick by tick.

use super::{TickClock, bucket_end};
use crate::tcp::sender::linux::timer::HostTimers;
use cwnd_link::random::RandomStream;

const MS: u64 = 1000;

/// When a timer fires that is set at `set_us` for `wait_us` later, µs.
fn fires(clock: &TickClock, set_us: u64, wait_us: u64) -> u64 {
    clock.fires_us(set_us, clock.expires(set_us, wait_us), false)
}

// Ticks of 4 ms. 200 ms are 50 ticks: the timer of tick 0 expires at 50 and fires at 51. 248 ms are 62 ticks, the last ones on the first
// level. 252 ms are 63: the multiple of 8 after 63 is 64, and 256 ms. 300 ms are 75: 80, and 320 ms. 400 ms are 100: 104, and 416 ms.
// 2016 ms are 504 ticks, and on the third level: the multiple of 64 after 504 is 512, and 2048 ms; 2012 ms are 503, and 504.
// 16 124 ms are 4031 ticks, and 4032 is a multiple of 64; 16 128 ms are 4032 ticks, on the fourth: 4096 is the next multiple of 512.
#[test]
fn at_250_hz_a_timer_fires_a_tick_later_and_from_63_ticks_on_at_a_bucket() {
    let clock = TickClock::new(250, 0);
    for (wait_ms, fires_ms) in [
        (0, 4),
        (200, 204),
        (248, 252),
        (252, 256),
        (300, 320),
        (400, 416),
        (2012, 2016),
        (2016, 2048),
        (16_124, 16_128),
        (16_128, 16_384),
        (120_000, 120_832),
    ] {
        assert_eq!(fires(&clock, 0, wait_ms * MS), fires_ms * MS, "{wait_ms} ms");
    }
}

// At 1 kHz, 63 ms are 63 ticks, and 300 ms expire at tick 300 and fire at 304; 600 ms on the third level at 640. At 100 Hz, 300 ms are 30
// ticks, and 310 ms; 630 ms are 63, and 640. At 300 Hz, 300 ms are 90 ticks, and fire at 96, which is 320 ms; 10 ms are 3 ticks, and fire at
// 4, 13 333 ⅓ µs.
#[test]
fn other_rates_have_the_same_levels_in_ticks() {
    for (hz, wait_us, fires_us) in [
        (1000, 62 * MS, 63 * MS),
        (1000, 63 * MS, 64 * MS),
        (1000, 300 * MS, 304 * MS),
        (1000, 600 * MS, 640 * MS),
        (100, 300 * MS, 310 * MS),
        (100, 630 * MS, 640 * MS),
        (300, 300 * MS, 320 * MS),
        (300, 10 * MS, 13_334),
    ] {
        assert_eq!(fires(&TickClock::new(hz, 0), 0, wait_us), fires_us, "{hz} Hz, {wait_us} µs");
    }
}

// Set at 10.1 ms, in tick 2, for 210 ms, 53 ticks with the part of one: tick 55 expires, 56 fires, and that is 224 ms. Up to 12 ms it is the
// same tick. If the counter has run for 2 ms at time 0, 10.1 ms are in its tick 3, and 57 begins at 226 ms.
#[test]
fn a_timer_counts_from_the_begin_of_its_tick() {
    let clock = TickClock::new(250, 0);
    assert_eq!(fires(&clock, 10_100, 210 * MS), 224 * MS);
    assert_eq!(
        [8000, 11_999, 12_000].map(|at| fires(&clock, at, 210 * MS)),
        [224, 224, 228].map(|ms| ms * MS)
    );
    assert_eq!(fires(&TickClock::new(250, 2000), 10_100, 210 * MS), 226 * MS);
}

// 300 ms at time 0, of a counter that has run for 4 ms, or 2 ticks and 5 µs: it expires at tick 76 or 77, and fires at 80 all the same, which
// is 316 ms, or 312 ms less 5 µs.
#[test]
fn buckets_are_those_of_the_counter() {
    for (phase_us, fires_us) in [(4000, 316_000), (8005, 311_995), (32_000, 320_000)] {
        assert_eq!(fires(&TickClock::new(250, phase_us), 0, 300 * MS), fires_us);
    }
}

// A timer that is set in a timer of the same tick is counted from the next tick on: 63 ticks are 62 there, and on the first level.
#[test]
fn the_wheel_is_a_tick_ahead_in_a_timer() {
    let clock = TickClock::new(250, 0);
    let expires = clock.expires(12 * MS, 252 * MS);
    assert_eq!(expires, 66);
    assert_eq!(
        [false, true].map(|in_timer| clock.fires_us(12 * MS, expires, in_timer)),
        [72 * 4 * MS, 67 * 4 * MS]
    );
}

// With a delay of 40 ms: 11 ticks after the begin of the tick in which it is delayed, at 250 Hz. At 300 Hz 13 ticks, 12 for the delay and one.
#[test]
fn a_delayed_acknowledgement_leaves_after_its_delay_in_ticks() {
    let mut random = RandomStream::new(3, 1);
    for (hz, ticks) in [(250, 11), (1000, 41), (300, 13), (100, 5)] {
        let phase_us = random.below(1 << 20) as u32;
        let (clock, mut timers) = (TickClock::new(hz, phase_us.into()), HostTimers::new(hz, [0, phase_us]));
        let mut now = 0;
        for _ in 0..10_000 {
            now += random.below(3_000_000);
            let leaves_us = timers.delayed_ack_at(now, 40_000_000) / 1000;
            assert_eq!(
                clock.tick(leaves_us),
                clock.tick(now / 1000) + ticks,
                "{hz} Hz, {phase_us} µs, at {now} ns"
            );
            assert_eq!(clock.tick(leaves_us - 1) + 1, clock.tick(leaves_us), "at the begin of a tick");
        }
    }
}

/// A wheel with its buckets: each timer is in one, by number, until the wheel's time comes to it.
struct PlainWheel {
    now: u64,
    buckets: Vec<Vec<Vec<usize>>>,
}

impl PlainWheel {
    fn at(now: u64) -> Self {
        Self { now, buckets: vec![vec![vec![]; 64]; 6] }
    }

    fn set(&mut self, timer: usize, expires: u64) {
        let (mut level, mut span) = (0, 1);
        while expires - self.now >= 63 * span {
            (level, span) = (level + 1, 8 * span);
        }
        self.buckets[level][(expires / span + 1) as usize % 64].push(timer);
    }

    /// The next tick; the timers that fire at it.
    fn turn(&mut self) -> Vec<usize> {
        self.now += 1;
        let (mut fired, mut span) = (vec![], 1);
        for level in &mut self.buckets {
            if self.now.is_multiple_of(span) {
                fired.append(&mut level[(self.now / span) as usize % 64]);
            }
            span *= 8;
        }
        fired
    }
}

#[test]
fn timers_fire_as_on_a_wheel_that_is_turned_tick_by_tick() {
    let mut random = RandomStream::new(1, 1);
    for _ in 0..30 {
        let begin = random.below(1 << 20);
        let mut wheel = PlainWheel::at(begin);
        let mut due = vec![];
        while wheel.now < begin + 20_000 {
            // As many on each level that is reached in this time.
            let most = 1 << random.below(14);
            let expires = wheel.now + random.below(most);
            wheel.set(due.len(), expires);
            due.push((bucket_end(expires, wheel.now), false));
            for _ in 0..=random.below(40) {
                for timer in wheel.turn() {
                    assert_eq!(due[timer], (wheel.now, false), "timer {timer}, turned from {begin}");
                    due[timer].1 = true;
                }
            }
        }
        assert!(due.iter().all(|(at, fired)| *fired == (*at <= wheel.now)));
        assert!(due.iter().filter(|(_, fired)| *fired).count() > 800);
    }
}

// Lateness beyond the wait is less than a tick for the begin of the tick, less than one for the rounding, at most a bucket; never negative.
#[test]
fn a_timer_is_never_early_and_at_most_a_bucket_and_two_ticks_late() {
    let mut random = RandomStream::new(2, 1);
    for _ in 0..100_000 {
        let hz = [100, 250, 300, 1000][random.below(4) as usize];
        let clock = TickClock::new(hz, random.below(1 << 32));
        let most_us = 1 << random.below(27);
        let (set_us, wait_us) = (random.below(1 << 40), random.below(most_us));
        let ticks = clock.ticks(wait_us);
        let bucket =
            (0..).map(|level| 8_u64.pow(level)).find(|bucket| ticks < 63 * bucket).expect("is on a level");
        let late_us = fires(&clock, set_us, wait_us) - set_us - wait_us;
        assert!(late_us > 0, "{hz} Hz, {set_us} and {wait_us} µs");
        assert!(
            (late_us - 1) * u64::from(hz) < (bucket + 1) * 1_000_000,
            "{hz} Hz, {wait_us} µs: {late_us} µs late"
        );
    }
}
