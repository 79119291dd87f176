// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bottleneck of a run, and what is counted at it.

use crate::record::EventKind;
use cwnd_link::{Backlog, Fifo, LossProcess};
use cwnd_scenario::Scenario;

/// The bottleneck and what is counted at it.
#[derive(Debug)]
pub struct Bottleneck {
    fifo: Fifo,
    loss: LossProcess,
    packet_size: u32,
    measure: (u64, u64),
    end: u64,
    /// Drops in the measured interval and over the whole run, by the queue and by the loss process.
    pub drops_measured: [u64; 2],
    pub drops: [u64; 2],
    /// Data packets that left before the end of the run.
    pub packets: u64,
    /// Over the packets that left in the measured interval: how many, the sum of their waits, the longest, ns.
    pub measured: u64,
    pub wait_sum: u64,
    pub wait_max: u64,
}

impl Bottleneck {
    /// An idle bottleneck.
    pub fn new(scenario: &Scenario) -> Self {
        let hop = scenario.hops().swap_remove(0);
        Self {
            fifo: Fifo::from_spec(hop.fifo.0, hop.fifo.1),
            loss: LossProcess::new(hop.loss.0, hop.loss.1),
            packet_size: scenario.packet_size,
            measure: scenario.measure,
            end: scenario.duration,
            drops_measured: [0; 2],
            drops: [0; 2],
            packets: 0,
            measured: 0,
            wait_sum: 0,
            wait_max: 0,
        }
    }

    /// What is queued or being sent at `now`.
    pub fn backlog(&mut self, now: u64) -> Backlog {
        self.fifo.backlog(now)
    }

    /// Offers a packet at `now`: its departure, or how it was dropped.
    #[inline]
    pub fn offer(&mut self, now: u64) -> Result<u64, EventKind> {
        if self.loss.loses_next() {
            return Err(self.drop_at(now, EventKind::DropLoss));
        }
        let Some(departs) = self.fifo.push(now, self.packet_size) else {
            return Err(self.drop_at(now, EventKind::DropQueue));
        };
        self.packets += u64::from(departs <= self.end);
        if self.measure.0 <= departs && departs < self.measure.1 {
            let wait = (departs - now).saturating_sub(self.fifo.serialisation());
            self.measured += 1;
            self.wait_sum += wait;
            self.wait_max = self.wait_max.max(wait);
        }
        Ok(departs)
    }

    #[cold]
    fn drop_at(&mut self, now: u64, kind: EventKind) -> EventKind {
        let which = usize::from(kind == EventKind::DropLoss);
        self.drops[which] += 1;
        self.drops_measured[which] += u64::from(self.measure.0 <= now && now < self.measure.1);
        kind
    }
}
