// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `cong_control` is told of an acknowledgement: its marks, and a sample of the rate at which the path delivers.

use crate::argument_encoding::{RecordedArgument, WireArgument};
use crate::hook_argument_types::with_fields;

/// The acknowledgement delivers new data cumulatively (Linux's `FLAG_DATA_ACKED`).
pub const ACKED_DATA: u32 = 0x04;
/// It reports new data selectively (Linux's `FLAG_DATA_SACKED`).
pub const SACKED_DATA: u32 = 0x20;
/// It echoes a congestion mark (Linux's `FLAG_ECE`).
pub const ECHOED_MARK: u32 = 0x40;
/// It moves the first unacknowledged byte (Linux's `FLAG_SND_UNA_ADVANCED`).
pub const ADVANCED: u32 = 0x400;

with_fields! {
    /// A sample of the rate at which the path delivers (Linux's `rate_sample`; draft-ietf-ccwg-bbr §4.1.1.2's RS). Counts are segments.
    ///
    /// Over `interval_us`, `delivered` segments arrived: the interval begins with the last delivery before the newest delivered segment was sent.
    /// [`crate::driver::RateSampler`] makes it.
    ///
    /// ```
    /// use cwnd::RateSample;
    ///
    /// // Ten segments in 50 ms: 200 a second.
    /// let sample = RateSample { delivered: 10, interval_us: 50_000, ..RateSample::NONE };
    /// assert!(sample.is_valid() && !RateSample::NONE.is_valid());
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C)]
    pub struct RateSample {
        /// Segments delivered in the interval; negative without a sample.
        pub delivered: i32,
        /// Of these, marked with CE (of 2⁹ in Linux, which keeps nine bits).
        pub delivered_ce: i32,
        /// Segments delivered on the connection when the newest delivered one was sent, wrapping; 0 where none was delivered.
        pub prior_delivered: u32,
        /// Length of the interval, µs; negative without a sample.
        pub interval_us: i32,
        /// Round trip of the newest of the acknowledged segments, µs; negative when there is no valid one.
        pub rtt_us: i32,
        /// Segments that this acknowledgement shows to be lost.
        pub losses: u32,
        /// Segments that it acknowledges, cumulatively or selectively.
        pub acked_sacked: u32,
        /// Segments in flight before it.
        pub prior_in_flight: u32,
        /// Whether the application had nothing to send when the newest delivered segment was sent: the path may deliver more.
        pub is_app_limited: bool,
        /// Whether the newest delivered segment was a retransmission.
        pub is_retrans: bool,
        /// Whether the receiver has probably delayed the acknowledgement.
        pub is_ack_delayed: bool,
    }
}

impl RateSample {
    /// Nothing was measured.
    pub const NONE: Self = Self {
        delivered: -1,
        delivered_ce: 0,
        prior_delivered: 0,
        interval_us: -1,
        rtt_us: -1,
        losses: 0,
        acked_sacked: 0,
        prior_in_flight: 0,
        is_app_limited: false,
        is_retrans: false,
        is_ack_delayed: false,
    };

    /// Whether it says of a rate.
    #[inline]
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.delivered >= 0 && self.interval_us > 0
    }
}

impl Default for RateSample {
    fn default() -> Self {
        Self::NONE
    }
}

impl WireArgument for &RateSample {
    type Wire = Self;

    #[inline]
    fn from_wire(wire: Self) -> Option<Self> {
        Some(wire)
    }

    #[inline]
    fn into_wire(self) -> Self {
        self
    }
}

impl RecordedArgument for RateSample {
    const WORDS: usize = Self::FIELDS.len();

    fn read(words: &mut impl Iterator<Item = u32>, _: u32) -> Option<Self> {
        let mut word = || words.next();
        Some(Self {
            delivered: word()? as i32,
            delivered_ce: word()? as i32,
            prior_delivered: word()?,
            interval_us: word()? as i32,
            rtt_us: word()? as i32,
            losses: word()?,
            acked_sacked: word()?,
            prior_in_flight: word()?,
            is_app_limited: word()? != 0,
            is_retrans: word()? != 0,
            is_ack_delayed: word()? != 0,
        })
    }

    fn write<'a>(self, words: &mut impl Iterator<Item = &'a mut u32>, mss: u32) {
        let all = [
            self.delivered as u32,
            self.delivered_ce as u32,
            self.prior_delivered,
            self.interval_us as u32,
            self.rtt_us as u32,
            self.losses,
            self.acked_sacked,
            self.prior_in_flight,
            self.is_app_limited.into(),
            self.is_retrans.into(),
            self.is_ack_delayed.into(),
        ];
        for word in all {
            word.write(words, mss);
        }
    }
}
