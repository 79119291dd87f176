// SPDX-License-Identifier: MIT OR Apache-2.0
//! The time of a scenario that runs in real time, which stops while the machine does.

use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The time, ns on the monotonic clock.
pub fn clock() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What is this much late, ns, was not just woken up late: the machine was stopped, by its hypervisor as a rule.
const PAUSE: u64 = 1_000_000;

/// How often, and for how long, another thread waits for the links': 100 ms together.
const TRIES: u32 = 1000;
const TRY: Duration = Duration::from_micros(100);

/// The time of a scenario: that of the monotonic clock from a beginning on, less the pauses of the machine.
#[derive(Debug)]
pub struct ScenarioClock {
    /// Time 0 on the monotonic clock, ns.
    zero: u64,
    /// What all pauses have taken, ns; `None` where time goes on while the machine does not.
    paused: Option<AtomicU64>,
    /// When the links have something to do next, ns in the scenario.
    due: AtomicU64,
}

impl ScenarioClock {
    /// A clock with time 0 at `zero` on the monotonic clock, ns, that stops while the machine does.
    pub const fn new(zero: u64) -> Self {
        Self { zero, paused: Some(AtomicU64::new(0)), due: AtomicU64::new(u64::MAX) }
    }

    /// A clock with time 0 at `zero` on the monotonic clock, ns, that never stops.
    pub const fn real_time(zero: u64) -> Self {
        Self { zero, paused: None, due: AtomicU64::new(u64::MAX) }
    }

    /// When time 0 is, by now, ns on the monotonic clock.
    fn begin(&self) -> u64 {
        self.zero + self.paused.as_ref().map_or(0, |paused| paused.load(Ordering::Relaxed))
    }

    /// The time in the scenario, ns; 0 before its beginning.
    pub fn now(&self) -> u64 {
        clock().saturating_sub(self.begin())
    }

    /// The time in the scenario, ns, at a time on the monotonic clock that is not long ago, ns.
    #[cfg_attr(
        not(feature = "kernel"),
        expect(dead_code, reason = "only the kernel's records have times of their own")
    )]
    pub fn at(&self, time: u64) -> u64 {
        time.saturating_sub(self.begin())
    }

    /// Whether it has begun.
    pub fn has_begun(&self) -> bool {
        clock() >= self.begin()
    }

    /// How long it is until the time `at`, ns.
    pub fn until(&self, at: u64) -> u64 {
        at.saturating_add(self.begin()).saturating_sub(clock())
    }

    /// The links have something to do at the time `due`, ns, and nothing before.
    pub fn expect(&self, due: u64) {
        self.due.store(due, Ordering::Relaxed);
    }

    /// The time for another thread than the links'. It waits while what the links had to do is overdue, for as long as a run may be stopped at most: either
    /// they were stopped with this thread, and are about to notice it, or are stopped now.
    pub fn now_with_links(&self) -> u64 {
        for _ in 0..TRIES {
            if self.paused.is_none() || self.now() <= self.due.load(Ordering::Relaxed).saturating_add(PAUSE) {
                break;
            }
            std::thread::sleep(TRY);
        }
        self.now()
    }

    /// The links come to what was due at the time `due`, ns. If that is so long ago that the machine was stopped, this is the time at which it was due;
    /// returns for how long it was stopped, ns.
    pub fn come_to(&self, due: u64) -> Option<u64> {
        let late = self.now().saturating_sub(due);
        let pause = self.paused.as_ref().filter(|_| late > PAUSE).map(|paused| {
            paused.fetch_add(late, Ordering::Relaxed);
            late
        });
        // Links that are busy for long are not stopped: nobody waits for what they have done.
        self.expect(due);
        pause
    }
}

/// Pauses of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pauses {
    /// How many.
    pub count: u64,
    /// What they have taken together, ns.
    pub total: u64,
    /// The longest, ns.
    pub longest: u64,
}

impl Pauses {
    /// A pause of `took` ns.
    pub fn note(&mut self, took: u64) {
        self.count += 1;
        self.total += took;
        self.longest = self.longest.max(took);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A second after its beginning, something is found 0.5 ms late, which is no pause; then something that was due 30 ms ago: the time is that again.
    #[test]
    fn time_stops_while_the_machine_does() {
        let zero = clock() - 1_000_000_000;
        let (stops, goes_on) = (ScenarioClock::new(zero), ScenarioClock::real_time(zero));
        assert!(stops.now() >= 1_000_000_000);
        assert_eq!(stops.come_to(stops.now() - 500_000), None);
        assert_eq!(goes_on.come_to(goes_on.now() - 30_000_000), None);
        let (before, left) = (stops.now(), stops.until(u64::MAX / 2));
        let late = stops.come_to(before - 30_000_000).expect("a pause");
        assert!(late >= 30_000_000);
        assert_eq!(stops.begin() - zero, late);
        assert!(stops.now() >= before - 30_000_000);
        assert!(stops.until(u64::MAX / 2) <= left + late);
        assert_eq!(goes_on.begin(), zero);
        let mut pauses = Pauses::default();
        [3, 5, 4].into_iter().for_each(|took| pauses.note(took));
        assert_eq!(pauses, Pauses { count: 3, total: 12, longest: 5 });
    }

    // What the links had to do was due 5 ms ago; when they find that, it is due now.
    #[test]
    fn other_threads_wait_until_the_links_have_stopped_the_time() {
        let time = ScenarioClock::new(clock() - 1_000_000_000);
        let due = time.now() - 5_000_000;
        time.expect(due);
        std::thread::scope(|threads| {
            let waits = threads.spawn(|| {
                let now = time.now_with_links();
                (time.begin(), now)
            });
            std::thread::sleep(Duration::from_millis(3));
            assert!(time.come_to(due).is_some());
            let (begin, now) = waits.join().expect("it does not panic");
            assert_eq!(begin, time.begin());
            assert!(now >= due);
        });
    }

    // They expected something 50 ms ago, and are at what is due now: they have been busy since.
    #[test]
    fn nobody_waits_for_links_that_are_busy() {
        let time = ScenarioClock::new(clock() - 1_000_000_000);
        time.expect(time.now() - 50_000_000);
        assert_eq!(time.come_to(time.now()), None);
        let before = clock();
        time.now_with_links();
        assert!(clock() - before < 50_000_000, "it would be 100 ms");
    }

    #[test]
    fn a_scenario_that_has_not_begun_is_at_its_beginning() {
        let clock = ScenarioClock::new(clock() + 60_000_000_000);
        assert_eq!((clock.now(), clock.has_begun()), (0, false));
        assert!(clock.until(5) > 59_000_000_000);
    }
}
