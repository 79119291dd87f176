// SPDX-License-Identifier: MIT OR Apache-2.0
//! The application above a sender: what it writes, at a rate or at once; when it stops and resumes.

use super::Sender;
use cwnd_link::NEVER;

/// A position that no transfer reaches: the end of data without an end.
pub const ENDLESS: u64 = u64::MAX;

/// An application that writes at a constant rate.
#[derive(Debug)]
pub struct Application {
    /// Payload, bit/s.
    rate: u64,
    /// A full segment's payload in 10⁻⁹ bit, so that `rate` × ns counts it.
    segment: u64,
    /// When it started or resumed, ns.
    since: u64,
    /// Segments that it had written by `since`.
    base: u64,
    /// Segments that it will have written at the end.
    total: u64,
    /// It starts or resumes at the next call of [`Application::written`], which sets `since`.
    resumed: bool,
}

impl Application {
    /// An application that writes `total` segments of `mss` bytes at `rate`, bit/s of payload.
    pub fn new(rate: u64, mss: u32, total: u64) -> Self {
        Self {
            rate: rate.max(1),
            segment: u64::from(mss) * 8_000_000_000,
            since: 0,
            base: 0,
            total,
            resumed: true,
        }
    }

    /// Segments that are complete at `now`.
    pub fn written(&mut self, now: u64, before: u64) -> u64 {
        if self.resumed {
            (self.resumed, self.since, self.base) = (false, now, before);
        }
        let bits_e9 = u128::from(now.saturating_sub(self.since)) * u128::from(self.rate);
        let written = (bits_e9 / u128::from(self.segment)) as u64;
        self.base.saturating_add(written).min(self.total)
    }

    /// It starts or resumes at the next call of [`Application::written`], and has written nothing in between.
    pub const fn resume(&mut self) {
        self.resumed = true;
    }

    /// When segment `position` is complete, ns; [`NEVER`] for one that it will not write.
    pub fn written_at(&self, position: u64) -> u64 {
        if position >= self.total {
            return NEVER;
        }
        let segments = position + 1 - self.base;
        let after = (u128::from(segments) * u128::from(self.segment)).div_ceil(u128::from(self.rate));
        self.since.saturating_add(u64::try_from(after).unwrap_or(u64::MAX))
    }
}

/// What the application does to a sender. Call [`Sender::send`] afterwards.
impl Sender {
    /// The application writes `segments` more, at its rate if it has one. A sender that starts without data has a size of 0.
    pub fn write(&mut self, segments: u64) {
        let application = self.limits.as_mut().and_then(|limits| limits.application.as_mut());
        if let Some(application) = application {
            application.total = application.total.saturating_add(segments);
        } else if !self.extend_writer(segments) {
            self.data_end = self.data_end.saturating_add(segments);
        }
    }

    /// One past the last segment that the application has written, or is to write at its rate; [`ENDLESS`] when it never ends.
    #[must_use]
    pub fn data_end(&self) -> u64 {
        let application = self.limits.as_ref().and_then(|limits| limits.application.as_ref());
        let written = self.linux.as_ref().and_then(|linux| linux.offload.writer).map(|writer| writer.total());
        application.map(|application| application.total).or(written).unwrap_or(self.data_end)
    }

    /// Whether all data up to [`Sender::data_end`] is acknowledged.
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

    /// The application stops: no new data is sent, lost segments are still retransmitted.
    pub fn stop(&mut self) {
        self.stop_at = 0;
        if let Some(limits) = &mut self.limits {
            limits.wake_at = NEVER;
        }
    }

    /// When the application stops, ns; 0 once an action has stopped it, [`NEVER`] if it does not stop, or since one has started it again.
    pub const fn stops_at(&self) -> u64 {
        self.stop_at
    }

    /// Whether the application has stopped.
    pub const fn is_stopped(&self, now: u64) -> bool {
        self.stop_at <= now
    }

    /// The application resumes; a stop time that the scenario gave no longer applies. One that writes at a rate has written
    /// nothing in between.
    pub fn resume(&mut self) {
        self.stop_at = NEVER;
        if let Some(application) = self.limits.as_mut().and_then(|limits| limits.application.as_mut()) {
            application.resume();
        }
        self.extend_writer(0);
    }
}
