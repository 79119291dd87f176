// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables that a run records.

use crate::tcp::FlowState;
use cwnd_link::{Backlog, Drops};
use cwnd_record::{CwndRow, EventKind, EventRow, InnerRow, QueueRow, TransferRow};
use cwnd_scenario::{InnerVariables, Scenario};

/// All recorded rows that were not taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// Windows over time.
    pub cwnd: Vec<CwndRow>,
    /// The queue over time.
    pub queue: Vec<QueueRow>,
    /// Drops, state changes, timeouts.
    pub events: Vec<EventRow>,
    /// Inner variables over time.
    pub inner: Vec<InnerRow>,
    /// Transfers, in the order of their starts.
    pub transfers: Vec<TransferRow>,
    /// Number of transfers that were taken out.
    transfers_taken: u32,
}

/// Bytes that the tables of samples are expected to take in memory.
#[must_use]
pub fn expected_bytes(scenario: &Scenario) -> u128 {
    let rows = scenario.expected_rows();
    rows.cwnd * size_of::<CwndRow>() as u128
        + rows.queue * size_of::<QueueRow>() as u128
        + rows.inner * size_of::<InnerRow>() as u128
}

impl Tables {
    /// Moves out every row of every table.
    pub(super) fn take_all(&mut self) -> Self {
        let transfers_taken = self.transfers_taken + self.transfers.len() as u32;
        std::mem::replace(self, Self { transfers_taken, ..Self::default() })
    }

    /// Moves out each table of at least `least` rows; of the transfers, those at the front that will not change any more.
    pub(super) fn take_complete(&mut self, least: usize) -> Self {
        fn rows<T>(table: &mut Vec<T>, least: usize) -> Vec<T> {
            if table.len() >= least { std::mem::take(table) } else { Vec::new() }
        }
        let settled = if self.transfers.len() < least {
            0
        } else {
            let changes = |row: &TransferRow| row.end_ns.is_none() && row.bytes.is_some();
            self.transfers.iter().position(changes).unwrap_or(self.transfers.len())
        };
        let transfers_taken = self.transfers_taken;
        self.transfers_taken += settled as u32;
        Self {
            cwnd: rows(&mut self.cwnd, least),
            queue: rows(&mut self.queue, least),
            events: rows(&mut self.events, least),
            inner: rows(&mut self.inner, least),
            transfers: self.transfers.drain(..settled).collect(),
            transfers_taken,
        }
    }

    /// Drops all rows except transfers.
    pub(super) fn discard_samples(&mut self) {
        self.cwnd.clear();
        self.queue.clear();
        self.events.clear();
        self.inner.clear();
    }

    /// Whether a table of samples has at least this many rows.
    pub(super) const fn has(&self, rows: usize) -> bool {
        self.cwnd.len() >= rows || self.queue.len() >= rows || self.inner.len() >= rows
    }

    /// A transfer starts: its number.
    pub(super) fn start_transfer(&mut self, row: TransferRow) -> u32 {
        self.transfers.push(row);
        self.transfers_taken + self.transfers.len() as u32 - 1
    }

    /// A transfer has ended.
    pub(super) fn end_transfer(&mut self, number: u32, at: u64) {
        self.transfers[(number - self.transfers_taken) as usize].end_ns = Some(at);
    }

    pub(super) fn sample_flow(&mut self, time_ns: u64, flow: u32, state: &FlowState) {
        let conn = &state.sender.driver.conn;
        self.cwnd.push(CwndRow {
            time_ns,
            flow,
            cwnd: conn.cwnd,
            ssthresh: conn.ssthresh,
            // Whole µs: with the table written in ms, a digit less.
            srtt_us8: conn.srtt_us8 & !7,
            in_flight: conn.in_flight,
            forwarded: state.count.forwarded,
            delivered: state.receiver.distinct,
            ca_state: conn.ca_state as u8,
        });
    }

    #[cold]
    pub(super) fn sample_inner(
        &mut self,
        time_ns: u64,
        flow: u32,
        state: &FlowState,
        wanted: &InnerVariables,
    ) {
        let driver = &state.sender.driver;
        let info = driver.cc.info(&driver.conn);
        let rows = info.named().filter(|(name, _)| wanted.has(name));
        self.inner.extend(rows.map(|(name, value)| InnerRow { time_ns, flow, name, value }));
    }

    pub(super) fn sample_queue(&mut self, time_ns: u64, link: u32, backlog: Backlog, drops: Drops) {
        self.queue.push(QueueRow { time_ns, link, packets: backlog.packets, bytes: backlog.bytes, drops });
    }

    #[cold]
    pub(super) fn event(
        &mut self,
        (time_ns, flow): (u64, u32),
        kind: EventKind,
        link: Option<u32>,
        value: u64,
        state: &FlowState,
    ) {
        let conn = &state.sender.driver.conn;
        self.events.push(EventRow {
            time_ns,
            flow,
            kind,
            link,
            value,
            cwnd: conn.cwnd,
            ssthresh: conn.ssthresh,
        });
    }
}
