// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds a sender back beside window, receiver and the end of its data: a pace, a limit of bursts, an application that
//! writes at a rate. Most flows have none of it, so it lies apart.
//!
//! Pacing is Linux's: at the rate that the algorithm sets, else at `cwnd` / RTT with a margin; unpaced until there is a round
//! trip time. Both count payload, as `sk_pacing_rate` does where TCP itself paces: a segment's headers come on top. An algorithm
//! with `cong_control` sets the rate itself and is paced at it whatever the scenario says, and is not paced until it sets one.
//! As bursts may go `burst` packets together: without pacing per event (ns-2's `maxburst_`), with pacing as the depth of a
//! bucket that fills at the rate.

use super::Sender;
use cwnd::{Conn, Controller, PacingStatus};
use cwnd_scenario::Flow;

/// The margins, per cent: in slow start, so that the window can double, and beyond (Linux's `tcp_pacing_ss_ratio` and
/// `tcp_pacing_ca_ratio`).
const SLOW_START_PERCENT: u64 = 200;
const AVOIDANCE_PERCENT: u64 = 120;

/// One sender's limits.
#[derive(Debug)]
pub struct Limits {
    pacing: bool,
    /// Whether the rate follows the window as long as the algorithm sets none.
    derives: bool,
    /// Packets that may leave back to back, and of those how many still may in this event.
    burst: u32,
    burst_left: u32,
    /// Payload of a full segment, bytes.
    mss: u32,
    /// The rate that was last derived from the window, bytes/s: any other is the algorithm's.
    derived: u64,
    /// Time between two packets when the last one left, ns.
    gap: u64,
    /// When the packet after the last one is due at the pace, ns.
    due: u64,
    /// When a packet that is held back may leave, ns; `u64::MAX` when none is. Meanwhile the window may have closed, and
    /// nothing leaves then.
    pub wake_at: u64,
    app: Option<App>,
}

/// An application that writes at a constant rate.
#[derive(Debug)]
struct App {
    /// Payload, bit/s.
    rate: u64,
    /// A full segment's payload in 10⁻⁹ bit, so that `rate` × ns counts it.
    segment: u64,
    /// When it began, or went on, and what it had written then, segments.
    since: u64,
    base: u64,
    /// What it will have written at the end, segments.
    total: u64,
    /// It begins, or goes on, when it next has a look: the time has still to be noted.
    resumed: bool,
}

impl App {
    /// Segments that are complete at `now`.
    fn written(&mut self, now: u64, before: u64) -> u64 {
        if self.resumed {
            (self.resumed, self.since, self.base) = (false, now, before);
        }
        let bits_e9 = u128::from(now.saturating_sub(self.since)) * u128::from(self.rate);
        let written = (bits_e9 / u128::from(self.segment)) as u64;
        self.base.saturating_add(written).min(self.total)
    }

    /// When segment `position` is complete, ns; never for one that it will not write.
    fn written_at(&self, position: u64) -> u64 {
        if position >= self.total {
            return u64::MAX;
        }
        let segments = position + 1 - self.base;
        let after = (u128::from(segments) * u128::from(self.segment)).div_ceil(u128::from(self.rate));
        self.since.saturating_add(u64::try_from(after).unwrap_or(u64::MAX))
    }
}

impl Limits {
    /// The limits of `flow` under its algorithm, if there are any; `total` segments of `mss` bytes are to be sent.
    pub fn new(flow: &Flow, cc: &Controller, mss: u32, total: u64) -> Option<Box<Self>> {
        let group = &flow.group;
        let own_rate = cc.has_cong_control();
        if !group.pacing && !own_rate && group.burst.is_none() && group.app_rate.is_none() {
            return None;
        }
        let app = group.app_rate.map(|rate| App {
            rate: rate.max(1),
            segment: u64::from(mss) * 8_000_000_000,
            since: 0,
            base: 0,
            total,
            resumed: true,
        });
        let pacing = group.pacing || own_rate;
        let burst = group.burst.unwrap_or(if pacing { 1 } else { u32::MAX }).max(1);
        Some(Box::new(Self { app, ..Self::paced(pacing, group.pacing, burst, mss) }))
    }

    const fn paced(pacing: bool, derives: bool, burst: u32, mss: u32) -> Self {
        Self {
            pacing,
            derives,
            burst,
            burst_left: burst,
            mss,
            derived: u64::MAX,
            gap: 0,
            due: 0,
            wake_at: u64::MAX,
            app: None,
        }
    }

    /// Who paces, as the algorithm sees it.
    pub const fn pacing_status(&self) -> PacingStatus {
        if self.pacing { PacingStatus::Needed } else { PacingStatus::None }
    }

    /// A new event: another burst may go.
    pub const fn end_burst(&mut self) {
        self.burst_left = self.burst;
    }

    /// Time between two packets, ns; 0 without a pace. Derives the rate from the window where the algorithm sets none.
    fn gap(&mut self, conn: &mut Conn) -> u64 {
        if conn.pacing_rate == self.derived {
            if conn.srtt_us8 == 0 || !self.derives {
                return 0;
            }
            // Linux: the larger margin while the window is below half the threshold.
            let percent = if conn.cwnd < conn.ssthresh / 2 { SLOW_START_PERCENT } else { AVOIDANCE_PERCENT };
            let window = u128::from(conn.cwnd.max(conn.packets_out)) * u128::from(self.mss);
            let rate = window * 8_000_000 * u128::from(percent) / 100 / u128::from(conn.srtt_us8);
            self.derived = rate.clamp(1, u128::from(u64::MAX >> 1)) as u64;
            conn.pacing_rate = self.derived;
        }
        u64::from(self.mss) * 1_000_000_000 / conn.pacing_rate.max(1)
    }
}

/// The parts of [`Sender::send`] for a sender with limits.
impl Sender {
    /// Whether pace and burst let the next packet go at `now`; takes over what the application has written.
    #[cold]
    pub(super) fn admits(&mut self, now: u64) -> bool {
        let Some(limits) = &mut self.limits else { return true };
        limits.wake_at = u64::MAX;
        if now < self.stop_at
            && let Some(app) = &mut limits.app
        {
            self.data_end = app.written(now, self.data_end);
        }
        if !limits.pacing {
            return limits.burst_left > 0;
        }
        limits.gap = limits.gap(&mut self.driver.conn);
        let from = limits.due.saturating_sub(limits.gap.saturating_mul(u64::from(limits.burst) - 1));
        if from > now {
            limits.wake_at = from;
        }
        from <= now
    }

    /// Nothing is there to be sent: asks to be woken when the application has more.
    #[cold]
    pub(super) fn await_data(&mut self, now: u64) {
        if let Some(limits) = &mut self.limits
            && let Some(app) = &limits.app
            && now < self.stop_at
            && self.nxt - self.una < u64::from(self.rwnd)
        {
            limits.wake_at = app.written_at(self.nxt);
        }
    }

    /// A packet leaves.
    #[cold]
    pub(super) fn count_sent(&mut self, now: u64) {
        if let Some(limits) = &mut self.limits {
            limits.due = limits.due.max(now) + limits.gap;
            limits.burst_left -= u32::from(!limits.pacing);
        }
    }
}

/// What the application and the experiment do to a sender. [`Sender::send`] afterwards.
impl Sender {
    /// The application writes `segments` more; one that writes at a rate will. A sender that is to start without data has a
    /// size of 0.
    pub fn write(&mut self, segments: u64) {
        let app = self.limits.as_mut().and_then(|limits| limits.app.as_mut());
        let total = app.map_or(&mut self.data_end, |app| &mut app.total);
        *total = total.saturating_add(segments);
    }

    /// One past the last segment that the application has written, or is to write at its rate; `u64::MAX` when it never ends.
    #[must_use]
    pub fn data_end(&self) -> u64 {
        let app = self.limits.as_ref().and_then(|limits| limits.app.as_ref());
        app.map_or(self.data_end, |app| app.total)
    }

    /// Whether all of that is acknowledged.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.una >= self.data_end()
    }

    /// The oldest unacknowledged position.
    #[inline]
    #[must_use]
    pub const fn una(&self) -> u64 {
        self.una
    }

    /// The application stops: nothing new is sent, what is out is still repaired.
    pub fn stop(&mut self) {
        self.stop_at = 0;
        if let Some(limits) = &mut self.limits {
            limits.wake_at = u64::MAX;
        }
    }

    /// Whether the application has stopped.
    pub const fn is_stopped(&self, now: u64) -> bool {
        self.stop_at <= now
    }

    /// The application goes on, for good. One that writes at a rate has written nothing meanwhile.
    pub fn resume(&mut self) {
        self.stop_at = u64::MAX;
        if let Some(app) = self.limits.as_mut().and_then(|limits| limits.app.as_mut()) {
            app.resumed = true;
        }
    }

    /// Puts another algorithm in charge of the live connection. One with `cong_control` is paced from now on, and what follows it
    /// still is, at the window's rate: Linux does not take that back either.
    pub fn switch(&mut self, controller: Controller) {
        let own_rate = controller.has_cong_control();
        let mss = self.driver.conn.mss;
        if own_rate && self.limits.is_none() {
            self.limits = Some(Box::new(Limits::paced(true, false, 1, mss)));
        }
        if let Some(limits) = &mut self.limits {
            if !limits.pacing && own_rate {
                (limits.pacing, limits.burst) =
                    (true, if limits.burst == u32::MAX { 1 } else { limits.burst });
            }
            // Nothing is derived for an algorithm that sets the rate, unless the scenario asks for pacing anyway.
            limits.derives |= limits.pacing && !own_rate;
            self.driver.conn.pacing_status = limits.pacing_status();
            self.driver.conn.pacing_rate = limits.derived; // the old algorithm's, if it set one
        }
        self.driver.switch(controller);
    }
}
