// SPDX-License-Identifier: MIT OR Apache-2.0
//! A simulation in progress, and the curves that it fills.

use cwnd_record::{Curves, TransferRow};
use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;

/// A simulation in progress.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) simulation: Simulation,
    pub(crate) curves: Curves,
    pub(crate) scenario: Scenario,
    /// Transfers that will not change any more.
    pub(crate) transfers: Vec<TransferRow>,
}

impl Run {
    /// Moves what was sampled into the curves, of tables of at least `least` rows.
    pub(crate) fn draw(&mut self, least: usize) {
        let tables = self.simulation.take_tables(least);
        self.curves.add_windows(&tables.cwnd);
        self.curves.add_inner(&tables.inner);
        self.curves.add_queues(&tables.queue);
        self.curves.add_events(&tables.events);
        self.transfers.extend(tables.transfers);
    }
}

/// Seconds as nanoseconds; what is no time is 0.
pub(crate) fn to_ns(seconds: f64) -> u64 {
    // Saturates, and takes not-a-number for 0.
    (seconds * 1e9).round() as u64
}
