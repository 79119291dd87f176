// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random Early Detection (Floyd and Jacobson 1993, IEEE/ACM ToN 1(4), figure 2), with the *gentle* slope of Floyd 2000.
//!
//! At each arrival the average queue moves by `weight` towards the queue (packets or bytes that wait; the one being sent and the one
//! arriving are not counted). After an idle time it has decayed as if `idle / s` packets had met an empty queue, s being
//! the transmission time of a packet of `mean_packet` bytes. Between `min` and `max` a packet is dropped or marked with
//! p_a = p_b / (1 − count · p_b), where p_b rises linearly to `max_p` and `count` is the number of packets since the last drop or mark.
//! This spaces drops evenly (uniform gaps instead of geometric ones). Above `max`, gentle RED raises p_b to 1 at twice `max`; without
//! the gentle slope every packet is dropped from `max` on.
//!
//! Choices: `count` starts at −1 and rises before it is used, as in the paper's pseudo-code, so the first packet after a drop has
//! count 1 and gaps are uniform on 1 … 1/p_b − 1 (its § 7 reckons from 0). In bytes, p_b is scaled by size / mean_packet. A packet
//! that may be marked is marked while drops are random and dropped where they are certain (RFC 3168 § 7). Floating point, but only
//! + − × ÷, which IEEE 754 fixes: the same bytes on every machine.

use super::describe::{Described, cause, settings};
use super::{Admission, Arrival, AtArrival, CauseWords, SettingOption};
use crate::ecn::Ecn;
use crate::limit::Limit;
use crate::random::RandomStream;

settings! {
    /// Settings of RED (Floyd and Jacobson 1993). Both thresholds are in packets, or both in bytes: then small packets are dropped less
    /// often.
    pub struct RedConfig {
        min: QueueSize, "",
            "average queue at which drops begin", "";
        max: QueueSizeAbove("min"), "",
            "average queue at which `max_p` is reached; above `min`, and in bytes if `min` is", "";
        max_p: Fraction = parts(1, 10), "",
            "drop probability at `max`", "";
        weight: Fraction = parts(2, 1000), "",
            "weight of a new sample in the average", "";
        gentle: Flag = true, "",
            "whether the probability rises further, to 1 at twice `max`", "";
        ecn: Flag = false, "",
            "whether packets that can carry a mark are marked instead of dropped, unless the probability is 1 or the queue is full", "RFC 3168 §5, §7";
    }
    also(packet) {
        /// Size of a typical packet, bytes.
        mean_packet: u32 = packet;
    }
}

/// n / of in units of 2⁻⁶⁴, rounded as a parsed decimal is.
const fn parts(n: u128, of: u128) -> u64 {
    ((n << 64) / of) as u64
}

/// A threshold as a number, and whether it counts bytes.
const fn threshold(size: Limit) -> (u64, bool) {
    match size {
        Limit::Packets(packets) => (packets, false),
        Limit::Bytes(number) | Limit::BytesInAll(number) | Limit::Time(number) => (number, true),
    }
}

/// A running RED.
#[derive(Clone, Debug)]
pub(crate) struct Red {
    config: RedConfig,
    /// Whether the thresholds count bytes.
    in_bytes: bool,
    min: f64,
    max: f64,
    max_p: f64,
    weight: f64,
    avg: f64,
    /// Packets since the last drop or mark; −1 while the average is below `min`.
    count: i64,
    stream: RandomStream,
}

/// p_b for an average of at least `min`; 1 or more is a certain drop.
fn drop_probability(avg: f64, min: f64, max: f64, max_p: f64, gentle: bool) -> f64 {
    if avg < max {
        max_p * (avg - min) / (max - min)
    } else if gentle && avg < 2.0 * max {
        max_p + (1.0 - max_p) * (avg - max) / max
    } else {
        1.0
    }
}

/// p_a: the probability of a drop or mark, `count` packets after the last one.
fn spaced_probability(p_b: f64, count: i64) -> f64 {
    let passed = count as f64 * p_b;
    if passed + p_b >= 1.0 { 1.0 } else { p_b / (1.0 - passed) }
}

/// `base` to the power of `n`, by squaring: multiplications only.
fn power(mut base: f64, mut n: u64) -> f64 {
    let mut result = 1.0;
    while n > 0 && result > 0.0 {
        if n & 1 == 1 {
            result *= base;
        }
        base *= base;
        n >>= 1;
    }
    result
}

impl Red {
    fn update_average(&mut self, arrival: &Arrival) {
        if let Some(since) = arrival.idle_since {
            let bits_e9 = u128::from(self.config.mean_packet) * 8_000_000_000;
            let s_ns = ((bits_e9 / u128::from(arrival.rate.max(1))) as u64).max(1);
            self.avg *= power(1.0 - self.weight, (arrival.now - since) / s_ns);
        } else {
            let queue = if self.in_bytes { arrival.waiting.bytes } else { arrival.waiting.packets };
            self.avg += self.weight * (queue as f64 - self.avg);
        }
    }
}

impl Described for Red {
    const NAME: &'static str = "red";
    const TITLE: &'static str = "RED";
    const SHOWN: &'static [&'static str] = &["min", "max", "max_p"];
    const HELP: &'static str = "Random Early Detection (Floyd and Jacobson 1993)";
    const OPTION: Option<SettingOption> = Some(SettingOption {
        names: &["min", "max"],
        example: &["0.2bdp", "0.6bdp"],
        help: "Random Early Detection between these average queue lengths, such as 0.2bdp..0.6bdp.",
        what: "the thresholds",
    });
    const CAUSE: CauseWords = cause!(
        "early", link "by RED on arrival, before the queue is full", flow "by RED on arrival",
        heading "early", counted "early by RED", legend "by RED on arrival", picture "RED drops", always true
    );
}

impl AtArrival for Red {
    type Config = RedConfig;

    fn new(config: RedConfig, stream: RandomStream) -> Self {
        let ((min, in_bytes), (max, _)) = (threshold(config.min), threshold(config.max));
        Self {
            config,
            in_bytes,
            min: min as f64,
            max: max.max(min + 1) as f64,
            max_p: crate::random::fraction(config.max_p),
            weight: crate::random::fraction(config.weight),
            avg: 0.0,
            count: -1,
            stream,
        }
    }

    fn on_arrival(&mut self, arrival: &Arrival) -> Admission {
        self.update_average(arrival);
        debug_assert!(self.avg.is_finite() && self.avg >= 0.0, "{self:?}");
        if arrival.full {
            self.count = 0;
            return Admission::NoRoom;
        }
        if self.avg < self.min {
            self.count = -1;
            return Admission::Accept;
        }
        self.count += 1;
        let mut p_b = drop_probability(self.avg, self.min, self.max, self.max_p, self.config.gentle);
        if p_b >= 1.0 {
            self.count = 0;
            return Admission::Drop;
        }
        if self.in_bytes {
            p_b *= f64::from(arrival.size) / f64::from(self.config.mean_packet.max(1));
        }
        debug_assert!(p_b >= 0.0 && self.count >= 0, "{p_b}: {self:?}");
        if self.stream.unit() >= spaced_probability(p_b, self.count) {
            return Admission::Accept;
        }
        self.count = 0;
        if self.config.ecn && arrival.ecn == Ecn::Capable { Admission::Mark } else { Admission::Drop }
    }
}

#[cfg(test)]
mod tests;
