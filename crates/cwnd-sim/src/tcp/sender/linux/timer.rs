// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timer for timeouts, probes and reordering: when it is set, and when it fires by [`TickClock`].
//!
//! `Sender::rto_at` is when its wait is over, and the host's wheel is asked only then: most timers are set anew before, with each ACK.

use super::wheel::TickClock;
use crate::tcp::sender::Sender;
use cwnd_link::NEVER;

/// The clock of the timestamp option: a millisecond. // Linux: TCP_TS_HZ
pub const TIMESTAMP_US: u64 = 1000;

/// What the retransmission timer is set for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimerKind {
    /// The retransmission timeout; also when it is off.
    #[default]
    Timeout,
    /// The end of the reordering window. // RFC 8985 §6.2, step 5
    Reordering,
    /// The probe timeout. // RFC 8985 §7.2
    Probe,
}

/// [`HostTimers::set_us`] of a timer whose wait is over: `Sender::rto_at` is when it fires.
const ON_THE_WHEEL: u64 = u64::MAX;

/// The clocks of both hosts, and what is known of the timer besides `Sender::rto_at`.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostTimers {
    clock: TickClock,
    receiver_clock: TickClock,
    /// The receiver's tick in which it last delayed an acknowledgement: its begin and its length, ns; and when those leave, ns.
    ack_tick: (u64, u64),
    ack_fires: u64,
    /// Shortest wait that is not on the wheel's first level, ns.
    coarse_from: u64,
    /// When the timer was set, µs, or [`ON_THE_WHEEL`].
    pub set_us: u64,
    /// The tick at which it expires, if it is [`ON_THE_WHEEL`].
    expires: u64,
    /// When it fired last, µs.
    pub fired_us: Option<u64>,
}

impl HostTimers {
    /// Those of hosts whose clocks have `hz` ticks a second, and have run for `phases_us` at time 0: the sender's and the receiver's.
    pub fn new(hz: u32, phases_us: [u32; 2]) -> Self {
        let [clock, receiver_clock] = phases_us.map(|phase_us| TickClock::new(hz, phase_us.into()));
        Self { clock, receiver_clock, coarse_from: clock.shortest_coarse_us() * 1000, ..Self::default() }
    }

    /// The sender's ticks at this time, µs; they wrap.
    #[inline]
    pub const fn ticks(&self, now_us: u64) -> u32 {
        self.clock.tick(now_us) as u32
    }

    /// What the timestamp of a segment says that is sent at this time, µs. The clock of timestamps has the phase of the ticks' clock.
    pub const fn timestamp(&self, at_us: u64) -> u64 {
        self.clock.since_phase_us(at_us) / TIMESTAMP_US
    }

    /// `us` rounded up to whole ticks, as Linux stores a timeout.
    #[inline]
    pub fn round_up(&self, us: u32) -> u32 {
        u32::try_from(self.clock.round_up(us.into())).unwrap_or(u32::MAX)
    }

    /// When a delayed acknowledgement leaves that the receiver delays by `delay`, always the same, from `now` on, ns.
    #[inline]
    pub fn delayed_ack_at(&mut self, now: u64, delay: u64) -> u64 {
        // In one tick of 4 ms there are many.
        if now.wrapping_sub(self.ack_tick.0) >= self.ack_tick.1 {
            self.enter_ack_tick(now, delay);
        }
        self.ack_fires
    }

    /// When the acknowledgements leave that were delayed last, ns.
    pub const fn ack_fires(&self) -> u64 {
        self.ack_fires
    }

    /// Finds out when acknowledgements leave that are delayed from the tick of `now` on.
    #[inline(never)]
    fn enter_ack_tick(&mut self, now: u64, delay: u64) {
        let (clock, now_us) = (&self.receiver_clock, now / 1000);
        let (begin_us, end_us) = clock.span_us(clock.tick(now_us));
        self.ack_tick = (begin_us * 1000, (end_us - begin_us) * 1000);
        self.ack_fires = clock.fires_us(now_us, clock.expires(now_us, delay.div_ceil(1000)), false) * 1000;
    }

    /// The tick at which the timer expires whose wait is over at `rto_at`, ns.
    fn expires(&self, rto_at: u64) -> u64 {
        if self.set_us == ON_THE_WHEEL {
            self.expires
        } else {
            self.clock.expires(self.set_us, rto_at / 1000 - self.set_us)
        }
    }

    /// Whether a timer set at `now` for `at`, ns, stays where it is on the wheel: it expires at the same tick as before.
    // Linux: mod_timer. On the first level every tick has a bucket, so that this makes no difference.
    fn keeps_bucket(&self, rto_at: u64, now: u64, at: u64) -> bool {
        let may_be_coarse = self.set_us == ON_THE_WHEEL || rto_at - self.set_us * 1000 >= self.coarse_from;
        let now_us = now / 1000;
        may_be_coarse && self.expires(rto_at) == self.clock.expires(now_us, at / 1000 - now_us)
    }
}

impl Sender {
    /// The retransmission timeout in whole ticks, µs.
    pub(super) fn timeout_in_ticks_us(&self) -> u32 {
        let us = self.rto.us();
        self.linux.as_ref().map_or(us, |linux| linux.timers.round_up(us))
    }

    /// Sets the timer at `now` for `at`, ns.
    pub(super) fn set_timer(&mut self, now: u64, at: u64, kind: TimerKind) {
        let Some(linux) = &mut self.linux else { return };
        linux.timer = kind;
        let stays = self.rto_at != NEVER && at != NEVER && linux.timers.keeps_bucket(self.rto_at, now, at);
        if !stays {
            linux.timers.set_us = now / 1000;
            self.rto_at = at;
        }
    }

    /// The timer's wait is over: finds out when it fires.
    #[inline(never)]
    pub(in crate::tcp::sender) fn put_on_wheel(&mut self) {
        let Some(linux) = &mut self.linux else { return };
        let timers = &mut linux.timers;
        if timers.set_us == ON_THE_WHEEL {
            return;
        }
        timers.expires = timers.expires(self.rto_at);
        let set_in = timers.clock.tick(timers.set_us);
        let in_timer = timers.fired_us.is_some_and(|us| timers.clock.tick(us) == set_in);
        self.rto_at = timers.clock.fires_us(timers.set_us, timers.expires, in_timer) * 1000;
        timers.set_us = ON_THE_WHEEL;
    }
}
