// SPDX-License-Identifier: MIT OR Apache-2.0
//! Samples of the delivery rate: draft-cheng-iccrg-delivery-rate-estimation-02. Times are µs, counts are bytes: packets of QUIC differ in size.
//!
//! One difference: a token keeps ages of 32 bits instead of times (§3.2's P.delivered_time and P.first_sent_time), to be small. An age of
//! more than 71 minutes counts as 71 minutes.

use super::clock::rate;
use super::facts::Sent;
use crate::conn::Conn;
use crate::rate_sample::RateSample;

/// What a batch of acknowledged packets says of the rate at which the path delivers.
///
/// ```
/// # use core::time::Duration;
/// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
/// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
/// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
/// let packets: Vec<_> = (0..10).map(|_| Acked::new(cc.on_sent(begin, 1200), 1200)).collect();
/// cc.on_acked(rtt, &packets, None);
/// let rate = cc.metrics().delivery_rate.unwrap();
/// assert_eq!((rate.bytes_per_s, rate.interval_us), (240_000, 50_000)); // 12 000 bytes in 50 ms
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeliveryRate {
    /// Bytes per second.
    pub bytes_per_s: u64,
    /// Bytes delivered between the transmission of the newest packet of the batch and its acknowledgement.
    pub delivered: u64,
    /// Time in which they were sent or acknowledged, whichever took longer, µs.
    pub interval_us: u64,
    /// Whether the application had nothing to send in that time: the path may deliver more.
    pub app_limited: bool,
}

/// The connection's part of the estimator (§3.2's C).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delivery {
    pub(super) delivered: u64,
    delivered_us: u64,
    first_sent_us: u64,
    /// Of the segments lost so far, those that the algorithm was told of.
    told_lost: u32,
    pub(super) latest: Option<DeliveryRate>,
}

impl Delivery {
    pub(super) fn new(delivered: u64, now_us: u64) -> Self {
        Self { delivered, delivered_us: now_us, first_sent_us: now_us, ..Self::default() }
    }

    /// A packet leaves; `empty`: with nothing in flight. The ages of the token. // §3.2
    pub(super) fn on_sent(&mut self, now_us: u64, empty: bool) -> (u32, u32) {
        if empty {
            (self.first_sent_us, self.delivered_us) = (now_us, now_us);
        }
        (age(now_us, self.delivered_us), age(now_us, self.first_sent_us))
    }

    /// `bytes` were delivered, the newest of them with the packet `newest`. An interval below the smallest round trip time is none: such
    /// samples come of acknowledgements that arrive together. // §3.3
    pub(super) fn on_delivered(
        &mut self,
        now_us: u64,
        bytes: u64,
        newest: &Sent,
        min_rtt_us: u32,
    ) -> Option<DeliveryRate> {
        self.delivered = self.delivered.saturating_add(bytes);
        self.delivered_us = now_us;
        self.first_sent_us = newest.time_us;
        let since_sent_us = now_us.saturating_sub(newest.time_us);
        let acked_us = since_sent_us.saturating_add(newest.delivered_ago_us.into());
        let interval_us = acked_us.max(newest.first_sent_ago_us.into());
        if interval_us < min_rtt_us.max(1).into() {
            return None;
        }
        let delivered = self.delivered.saturating_sub(newest.delivered);
        let bytes_per_s = rate(delivered, interval_us);
        let rate = DeliveryRate { bytes_per_s, delivered, interval_us, app_limited: newest.app_limited };
        self.latest = Some(rate);
        Some(rate)
    }

    /// The sample as an algorithm with `cong_control` is told it: in segments. No packet of QUIC is sent twice.
    pub(super) fn sample(
        &mut self,
        conn: &Conn,
        newest: &Sent,
        rate: Option<DeliveryRate>,
        rtt_us: Option<u32>,
    ) -> RateSample {
        let segments = |bytes: u64| u32::try_from(bytes / u64::from(conn.mss.max(1))).unwrap_or(u32::MAX);
        let signed = |number: u64| i32::try_from(number).unwrap_or(i32::MAX);
        let told = core::mem::replace(&mut self.told_lost, conn.lost);
        RateSample {
            delivered: rate.map_or(-1, |rate| signed(segments(rate.delivered).into())),
            prior_delivered: segments(newest.delivered),
            interval_us: rate.map_or(-1, |rate| signed(rate.interval_us)),
            rtt_us: rtt_us.map_or(-1, |rtt| signed(rtt.into())),
            losses: conn.lost.wrapping_sub(told),
            is_app_limited: newest.app_limited,
            ..RateSample::NONE
        }
    }
}

fn age(now_us: u64, then_us: u64) -> u32 {
    u32::try_from(now_us.saturating_sub(then_us)).unwrap_or(u32::MAX)
}
