// SPDX-License-Identifier: MIT OR Apache-2.0
//! What connections of foreign stacks show of themselves, where our TCP's state stands, and how they end.

use super::StackConnection;
use crate::engine::Simulation;
use cwnd_link::NEVER;
use cwnd_record::{EventKind, FlowFailure};
use cwnd_scenario::Stack;

impl Simulation {
    /// Connections whose window nobody sees have none from the first row on; the others begin with ten datagrams, as our TCP does.
    pub(in crate::engine) fn show_stacks(&mut self) {
        for number in 0..self.flows.len() as u32 {
            let stack = self.scenario_flows.get(number as usize).and_then(|flow| flow.group.stack);
            if stack.is_none_or(Stack::shows_window) {
                continue;
            }
            let connection = self.stacks.as_mut().and_then(|all| all.connections[number as usize].take());
            let Some(mut connection) = connection else { continue };
            self.note_progress(0, number, &mut connection);
            if let Some(all) = &mut self.stacks {
                all.connections[number as usize] = Some(connection);
            }
        }
    }

    /// What the ends show: the window and the round trip time where our TCP's stand, counts, and what the receiver has read.
    pub(super) fn note_progress(&mut self, now: u64, number: u32, connection: &mut StackConnection) {
        let (probe, read) = (connection.ends().sender.probe(), connection.ends().receiver.probe().read);
        let new = read.saturating_sub(connection.read);
        connection.read = read;
        let in_measure = self.in_measure(now);
        if in_measure {
            connection.read_measured += new;
        }
        let size = self.scenario_flows[number as usize].group.size;
        if new > 0
            && size.is_some_and(|size| (read - new..read).contains(&size.saturating_sub(1)))
            && let Some(transfer) = self.flows[number as usize].transfer.get()
        {
            self.tables.end_transfer(transfer, now);
        }
        let datagram = u64::from(self.scenario.datagram());
        // Whole datagrams: the nearest number.
        let segments =
            |bytes: u64| u32::try_from(bytes.saturating_add(datagram / 2) / datagram).unwrap_or(u32::MAX);
        let flow = &mut self.flows[number as usize];
        let in_network = flow.in_network();
        let conn = &mut flow.sender.driver.conn;
        conn.set_now(now / 1000);
        conn.cwnd = segments(probe.cwnd);
        conn.ssthresh = probe.ssthresh.map_or(cwnd::INFINITE_SSTHRESH, segments);
        conn.in_flight = probe.in_flight.map_or(in_network as u32, segments);
        conn.packets_out = conn.in_flight;
        conn.srtt_us8 = u32::try_from(probe.srtt / 125).unwrap_or(u32::MAX);
        conn.min_rtt_us = u32::try_from(probe.min_rtt / 1000).unwrap_or(u32::MAX);
        flow.sender.sent.retransmits = probe.lost;
        flow.sender.sent.timeouts = probe.timeouts;
        flow.record_window(now, self.scenario.measure);
        connection.probe = probe;
    }

    /// The connection has ended for this reason, and not as its application wanted.
    pub(super) fn end_connection(
        &mut self,
        now: u64,
        number: u32,
        connection: &mut StackConnection,
        why: String,
    ) {
        connection.is_over = true;
        connection.timers = [NEVER; 2];
        connection.writer = None;
        let has_opened = connection.has_opened();
        if let Some(all) = &mut self.stacks {
            all.failures.push(FlowFailure { time_ns: now, flow: number, has_opened, why });
        }
        self.record_event(now, number, EventKind::Failure, None, 0);
        // Nothing is in flight any more, and no window lets anything out.
        let flow = &mut self.flows[number as usize];
        let conn = &mut flow.sender.driver.conn;
        (conn.cwnd, conn.in_flight, conn.packets_out) = (0, 0, 0);
        flow.record_window(now, self.scenario.measure);
    }

    /// The run is over: notes the connections that have not opened, and had the time to. A handshake takes one round trip, the first
    /// data another.
    pub(in crate::engine) fn note_unopened(&mut self) {
        let (now, flows) = (self.now, &self.scenario_flows);
        let Some(all) = &mut self.stacks else { return };
        for (number, connection) in (0..).zip(&all.connections) {
            let Some(connection) = connection else { continue };
            let since =
                if connection.has_data_since == NEVER { connection.began } else { connection.has_data_since };
            let waited = now.saturating_sub(since);
            if !connection.is_over && !connection.has_opened() && waited > 2 * flows[number as usize].rtt {
                let why = format!("no byte was delivered and acknowledged in {:.3} s", waited as f64 / 1e9);
                all.failures.push(FlowFailure { time_ns: now, flow: number, has_opened: false, why });
            }
        }
    }
}
