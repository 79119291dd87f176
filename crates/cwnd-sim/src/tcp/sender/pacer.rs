// SPDX-License-Identifier: MIT OR Apache-2.0
//! What limits a sender besides the congestion window, the receive window and the end of its data: pacing, a limit of bursts, an
//! application that writes at a rate. Most flows have none of these, so the state is allocated apart.
//!
//! Pacing is Linux's: at the rate that the algorithm sets, else at `cwnd` / RTT with a margin. A flow is unpaced until it has a round
//! trip time. Both rates count payload, as `sk_pacing_rate` does where TCP itself paces: headers are not counted. An algorithm
//! with `cong_control` sets the rate itself. It is paced at that rate whatever the scenario says, and is not paced until it sets one.
//! A host with segmentation offload hands whole buffers over at the pace, and one that is late makes up for half of a buffer.
//! A burst is up to `burst` packets: without pacing per event (ns-2's `maxburst_`), with pacing as the depth of a bucket that fills at
//! the rate.

use super::Sender;
use super::application::Application;
use cwnd::{Conn, Controller, PacingStatus};
use cwnd_link::NEVER;
use cwnd_scenario::Flow;

/// The margins, per cent: in slow start, so that the window can double, and in congestion avoidance (Linux's `tcp_pacing_ss_ratio` and
/// `tcp_pacing_ca_ratio`).
const SLOW_START_PERCENT: u64 = 200;
const AVOIDANCE_PERCENT: u64 = 120;

/// What a window's rate depends on beside the size of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WindowRate {
    /// Segments.
    window: u32,
    /// In eighths of a µs; 0 before the first round trip.
    srtt_us8: u32,
    /// Whether the window is below half the threshold, where the margin is larger.
    is_early: bool,
}

impl WindowRate {
    pub fn of(conn: &Conn) -> Self {
        Self {
            window: conn.cwnd.max(conn.packets_out),
            srtt_us8: conn.srtt_us8,
            is_early: conn.cwnd < conn.ssthresh / 2,
        }
    }

    /// The rate with its margin, bytes/s, from 1 on, for segments of `mss` bytes; there is a round trip time. // Linux: tcp_update_pacing_rate
    pub fn rate(self, mss: u32) -> u64 {
        let percent = if self.is_early { SLOW_START_PERCENT } else { AVOIDANCE_PERCENT };
        let window = u64::from(self.window) * u64::from(mss);
        // Eighths of µs per second, and per cent.
        let (scale, srtt) = (80_000 * percent, u64::from(self.srtt_us8));
        let rate = match window.checked_mul(scale) {
            Some(product) => product / srtt,
            None => {
                u64::try_from(u128::from(window) * u128::from(scale) / u128::from(srtt)).unwrap_or(u64::MAX)
            }
        };
        rate.clamp(1, u64::MAX >> 1)
    }
}

impl Sender {
    /// Notes the window's rate in `conn`, though nothing is paced at it: the size of bursts and slow start depend on it. It stays until the next
    /// acknowledgement, whatever the window does. Without bursts, nothing reads it after slow start. // Linux: tcp_update_pacing_rate
    #[inline(never)]
    pub(super) fn note_window_rate(&mut self) {
        let conn = &mut self.driver.conn;
        if conn.srtt_us8 > 0 && self.limits.as_ref().is_none_or(|limits| limits.pace == Pace::None) {
            conn.pacing_rate = WindowRate::of(conn).rate(conn.mss);
        }
    }
}

/// Where the pace of a sender comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// It is not paced.
    None,
    /// The algorithm alone: there is no pace until it sets one.
    Algorithm,
    /// The window, as long as the algorithm sets none.
    Window,
}

/// A burst of any length.
const UNLIMITED: u32 = u32::MAX;

/// One sender's limits.
#[derive(Debug)]
pub struct SendLimits {
    pace: Pace,
    /// Packets that may leave back to back ([`UNLIMITED`]: any number), and of those how many still may in this event.
    burst: u32,
    burst_left: u32,
    /// Payload of a full segment, bytes.
    mss: u32,
    /// The rate that was last derived from the window, bytes/s: any other is the algorithm's. What it was derived from, and the time
    /// between two packets at it, ns.
    derived: u64,
    derived_from: WindowRate,
    derived_gap: u64,
    /// Time between two packets when the last one left, ns.
    gap: u64,
    /// When the packet after the last one is due at the pace, ns.
    due: u64,
    /// When the next packet may leave, ns; [`NEVER`] when none waits for that. The window may have closed by then, and no packet
    /// leaves.
    pub wake_at: u64,
    pub(super) application: Option<Application>,
}

impl SendLimits {
    /// The limits of `flow` under its algorithm, if there are any; `total` segments of `mss` bytes are to be sent.
    pub fn new(flow: &Flow, cc: &Controller, mss: u32, total: u64) -> Option<Box<Self>> {
        let group = &flow.group;
        let own_rate = cc.has_cong_control();
        if !group.pacing && !own_rate && group.burst.is_none() && group.app_rate.is_none() {
            return None;
        }
        let application = group.app_rate.map(|rate| Application::new(rate, mss, total));
        let pace = match (group.pacing, own_rate) {
            (true, _) => Pace::Window,
            (false, true) => Pace::Algorithm,
            (false, false) => Pace::None,
        };
        let burst = group.burst.unwrap_or(if pace == Pace::None { UNLIMITED } else { 1 }).max(1);
        Some(Box::new(Self { application, ..Self::paced(pace, burst, mss) }))
    }

    const fn paced(pace: Pace, burst: u32, mss: u32) -> Self {
        Self {
            pace,
            burst,
            burst_left: burst,
            mss,
            derived: u64::MAX,
            derived_from: WindowRate { window: 0, srtt_us8: 0, is_early: false },
            derived_gap: 0,
            gap: 0,
            due: 0,
            wake_at: NEVER,
            application: None,
        }
    }

    /// The pacing status that the algorithm sees.
    pub const fn pacing_status(&self) -> PacingStatus {
        match self.pace {
            Pace::None => PacingStatus::None,
            Pace::Algorithm | Pace::Window => PacingStatus::Needed,
        }
    }

    /// The burst of this event is over; the next event may send another.
    pub const fn end_burst(&mut self) {
        self.burst_left = self.burst;
    }

    /// Time between two packets, ns; 0 without a pace. Derives the rate from the window where the algorithm sets none.
    fn gap(&mut self, conn: &mut Conn) -> u64 {
        if conn.pacing_rate == self.derived {
            if conn.srtt_us8 == 0 || self.pace != Pace::Window {
                return 0;
            }
            let from = WindowRate::of(conn);
            if from != self.derived_from {
                self.derived = from.rate(conn.mss);
                conn.pacing_rate = self.derived;
                (self.derived_from, self.derived_gap) = (from, self.gap_at(self.derived));
            }
            return self.derived_gap;
        }
        self.gap_at(conn.pacing_rate)
    }

    fn gap_at(&self, rate: u64) -> u64 {
        u64::from(self.mss) * 1_000_000_000 / rate.max(1)
    }
}

/// The parts of [`Sender::send`] for a sender with limits.
impl Sender {
    /// Whether pacing and burst limit allow the next packet at `now`; updates the end of the data by what the application has written.
    #[cold]
    pub(super) fn admits(&mut self, now: u64) -> bool {
        let Some(limits) = &mut self.limits else { return true };
        limits.wake_at = NEVER;
        if now < self.stop_at
            && let Some(app) = &mut limits.application
        {
            let end = app.written(now, self.data_end);
            if end > self.data_end {
                self.check_application();
                self.data_end = end;
            }
        }
        let Some(limits) = &mut self.limits else { return true };
        if limits.pace == Pace::None {
            return limits.burst_left > 0;
        }
        let offload = self.linux.as_mut().map(|linux| &mut linux.offload);
        if offload.as_ref().is_some_and(|offload| offload.rest().0 > 0) {
            return true; // the rest of a buffer
        }
        limits.gap = limits.gap(&mut self.driver.conn);
        let mut from = limits.due;
        if limits.burst > 1 {
            from = from.saturating_sub(limits.gap.saturating_mul(u64::from(limits.burst) - 1));
        }
        if from > now {
            limits.wake_at = from;
            if let Some(offload) = offload {
                offload.held = false; // it is the pace that holds it back
            }
        }
        from <= now
    }

    /// There is no data to send: sets the time at which the application has written the next segment.
    #[cold]
    pub(super) fn await_data(&mut self, now: u64) {
        if let Some(limits) = &mut self.limits
            && let Some(app) = &limits.application
            && now < self.stop_at
            && self.nxt >= self.data_end // else it waits for a burst
            && self.nxt - self.una < u64::from(self.rwnd)
        {
            limits.wake_at = app.written_at(self.nxt);
        }
    }

    /// A packet leaves.
    #[cold]
    pub(super) fn count_sent(&mut self, now: u64) {
        if let Some(limits) = &mut self.limits {
            let (rest, has_buffers) = self.linux.as_ref().map_or((0, false), |linux| linux.offload.rest());
            // Linux: tcp_update_skb_after_send, "OS jitter"
            let credit = if has_buffers { limits.gap.saturating_mul(u64::from(rest) + 1) / 2 } else { 0 };
            limits.due = limits.due.max(now.saturating_sub(credit)) + limits.gap;
            limits.burst_left -= u32::from(limits.pace == Pace::None);
        }
    }
}

impl Sender {
    /// Switches the live connection to another algorithm. One with `cong_control` is paced from now on, and so are later algorithms, at
    /// the window's rate: Linux does not turn pacing off again either.
    pub fn switch(&mut self, controller: Controller) {
        let own_rate = controller.has_cong_control();
        let mss = self.driver.conn.mss;
        if own_rate && self.limits.is_none() {
            self.limits = Some(Box::new(SendLimits::paced(Pace::Algorithm, 1, mss)));
        }
        if let Some(limits) = &mut self.limits {
            match limits.pace {
                Pace::None if own_rate => {
                    limits.pace = Pace::Algorithm;
                    limits.burst = if limits.burst == UNLIMITED { 1 } else { limits.burst };
                }
                // Nothing is derived for an algorithm that sets the rate, unless the scenario asks for pacing anyway.
                Pace::Algorithm if !own_rate => limits.pace = Pace::Window,
                _ => {}
            }
            self.driver.conn.pacing_status = limits.pacing_status();
            self.driver.conn.pacing_rate = limits.derived; // the old algorithm's, if it set one
        }
        self.driver.switch(controller);
        if own_rate && let Some(linux) = &mut self.linux {
            linux.sample_rates(self.una, self.nxt);
        }
    }
}
