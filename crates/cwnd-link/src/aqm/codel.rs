// SPDX-License-Identifier: MIT OR Apache-2.0
//! Controlled Delay (RFC 8289): drops at the head of a queue whose packets have waited too long for too long.
//!
//! A packet that leaves the queue has waited its *sojourn time*. While sojourn times stay at or above `target` for a whole `interval`,
//! and more than a full packet waits behind, CoDel is *dropping*: it drops the head, and then one more head each time that
//! `interval` / √count has passed, where `count` numbers the drops (RFC 8289 §5.5, §5.6). The first sojourn time below `target`, or a
//! queue of at most one full packet, ends that.
//!
//! Choices: the square root is exact, rounded down to 1 ns (Linux and ns-3 approach it with one Newton step per drop). A new phase of
//! dropping that begins within 16 intervals of the last one's next drop starts from the drops that the last one added to its count (§5.5,
//! as in Linux). `mtu` is the size of a full packet (`maxpacket` in §5.3). With `ecn`, a packet that can carry a mark is marked and sent where it
//! would be dropped (§3, "drop or mark"), at most one each time that the link takes a packet, as in Linux. Tests: `codel/tests.rs`.

use super::describe::{Described, cause, settings};
use super::{AtHead, CauseWords, SettingOption};
use crate::ecn::Ecn;
use crate::packet_queue::{PacketQueue, Waiting};

settings! {
    /// Settings of CoDel. The defaults are those of RFC 8289 §4.3 (target) and §4.2 (interval).
    pub struct CodelConfig {
        target: TimeAbove0 = 5_000_000, "ns",
            "acceptable queueing delay of a standing queue", "";
        interval: TimeNotBelow("target") = 100_000_000, "ns",
            "how long the delay has to stay above `target` before packets are dropped", "";
        ecn: Flag = false, "",
            "whether packets that can carry a mark are marked instead of dropped", "RFC 3168 §5";
    }
    also(packet) {
        /// A queue of at most this many bytes is never shortened.
        mtu: u32 = packet;
    }
}

/// Phases of dropping that are less than this many intervals apart share their count.
const MEMORY_INTERVALS: u64 = 16;

/// A running CoDel.
#[derive(Clone, Debug)]
pub(crate) struct Codel {
    config: CodelConfig,
    /// When the sojourn times will have been above the target for an interval, ns; none while they are below it.
    first_above: Option<u64>,
    dropping: bool,
    /// When to drop next, ns; once dropping has ended, when it would have been.
    drop_next: u64,
    /// Drops since dropping began.
    count: u32,
    /// `count` when dropping began.
    last_count: u32,
}

/// `interval` / √`count`, ns, rounded down.
fn drop_spacing(interval: u64, count: u32) -> u64 {
    // ⌊√⌊i²/c⌋⌋ = ⌊i/√c⌋, at most i.
    (u128::from(interval) * u128::from(interval) / u128::from(count.max(1))).isqrt() as u64
}

impl Codel {
    /// RFC 8289 §5.6, `dodequeue`: the head of the queue, and whether it may be dropped.
    fn head<P>(&mut self, now: u64, queue: &mut PacketQueue<P>) -> Option<(Waiting<P>, bool)> {
        let packet = queue.pop()?;
        let sojourn = now.saturating_sub(packet.arrived);
        if sojourn < self.config.target || queue.bytes() <= u64::from(self.config.mtu) {
            self.first_above = None;
            return Some((packet, false));
        }
        let first_above = *self.first_above.get_or_insert(now.saturating_add(self.config.interval));
        Some((packet, now >= first_above))
    }

    /// Whether the packet is marked where another one would be dropped.
    fn marks<P>(&self, packet: &Waiting<P>) -> bool {
        self.config.ecn && packet.ecn == Ecn::Capable
    }

    /// RFC 8289 §5.6, `control_law`.
    fn after(&self, time: u64) -> u64 {
        time.saturating_add(drop_spacing(self.config.interval, self.count))
    }
}

impl Described for Codel {
    const NAME: &'static str = "codel";
    const TITLE: &'static str = "CoDel";
    const SHOWN: &'static [&'static str] = &["target", "interval"];
    const HELP: &'static str = "Controlled Delay (RFC 8289): drops at the head of the queue, and never from a queue of one full packet";
    const OPTION: Option<SettingOption> = Some(SettingOption {
        names: &["target", "interval"],
        example: &["5ms", "100ms"],
        help: "Controlled Delay with this target and interval; RFC 8289: 5ms..100ms.",
        what: "its settings",
    });
    const CAUSE: CauseWords = cause!(
        "head", link "by CoDel at the head of the queue", flow "by CoDel at the head of a queue",
        heading "head", counted "at the head by CoDel", legend "at the head of the queue by CoDel", picture "CoDel drops", always false
    );
}

impl AtHead for Codel {
    type Config = CodelConfig;

    fn new(config: CodelConfig) -> Self {
        Self { config, first_above: None, dropping: false, drop_next: 0, count: 0, last_count: 0 }
    }

    // RFC 8289 §5.5, `dequeue`.
    fn dequeue<P>(
        &mut self,
        now: u64,
        queue: &mut PacketQueue<P>,
        mut dropped: impl FnMut(Waiting<P>),
    ) -> Option<(Waiting<P>, bool)> {
        let (mut packet, mut may_drop) = self.head(now, queue)?;
        let mut mark = false;
        if self.dropping {
            self.dropping = may_drop;
            while self.dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                if self.marks(&packet) {
                    self.drop_next = self.after(self.drop_next);
                    return Some((packet, true));
                }
                dropped(packet);
                (packet, may_drop) = self.head(now, queue)?;
                if may_drop {
                    self.drop_next = self.after(self.drop_next);
                } else {
                    self.dropping = false;
                }
            }
        } else if may_drop {
            mark = self.marks(&packet);
            if !mark {
                dropped(packet);
                (packet, _) = self.head(now, queue)?;
            }
            self.dropping = true;
            let last = self.count - self.last_count;
            let recent = now.saturating_sub(self.drop_next) < MEMORY_INTERVALS * self.config.interval;
            self.count = if last > 1 && recent { last } else { 1 };
            self.last_count = self.count;
            self.drop_next = self.after(now);
        }
        Some((packet, mark))
    }
}

#[cfg(test)]
mod tests;
