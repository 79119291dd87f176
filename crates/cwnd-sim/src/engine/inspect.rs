// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looking into a simulation while it stands: up to an instant, call by call of one flow's hooks, and where its packets are.

use super::Simulation;
use crate::hook_calls::{HookCalls, Observed};
use crate::network::{DelayLine, Packet, PathIndex};
use crate::tcp::FlowState;
use cwnd::{Conn, Controller, Info};
use cwnd_link::Link;
use cwnd_traffic::Direction;

/// Where the packets of a flow are at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketLocations {
    /// Sent, retransmissions included.
    pub sent: u64,
    /// Arrived at the receiver, duplicates included.
    pub arrived: u64,
    /// In a host: the sender's, or waiting at the interface of the receiver's.
    pub at_host: u64,
    /// In a link's queue, or being sent.
    pub queued: u64,
    /// Between two ends of a link: sent, not yet arrived.
    pub propagating: u64,
    /// Dropped or lost.
    pub dropped: u64,
}

/// Where a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketPlace {
    /// In a link's queue, or being sent.
    Queued,
    /// Between two ends of a link, or on the way from the last one to the receiver.
    Propagating,
    /// An acknowledgement on its way back.
    Returning,
}

/// A packet of one of the scenario's flows, and between which two times it is where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketPosition {
    /// Number of its flow.
    pub flow: u32,
    /// Where it is.
    pub place: PacketPlace,
    /// Since when, ns; of a packet in a queue, and of an acknowledgement whose path has a link, the present.
    pub since: u64,
    /// Until when, ns; the present for a packet in a queue that decides at the head, whose departure nobody knows.
    pub until: u64,
}

impl Simulation {
    /// Handles every event up to and at `time`, ns; returns whether the run is over.
    pub fn step_to(&mut self, time: u64) -> bool {
        while self.next_event() <= time {
            // A window ends there anyway.
            let events = if crate::TIME_SLICES && self.time_slices.is_some() { u64::MAX } else { 1 };
            if self.step_before(time.saturating_add(1), events) {
                return true;
            }
        }
        self.now = self.now.max(time.min(self.scenario.duration));
        self.finished
    }

    /// A flow's connection and the inner variables of its algorithm, now.
    ///
    /// # Panics
    /// If there is no such flow.
    #[must_use]
    pub fn connection(&self, flow: usize) -> (Conn, Info) {
        let driver = &self.flows[flow].sender.driver;
        (driver.conn, driver.cc.info(&driver.conn))
    }

    /// From now on the calls of this flow's hooks are noted, in what is returned. They give the same results as without. An
    /// action that switches the flow's algorithm ends it.
    ///
    /// # Panics
    /// If there is no such flow, or if it is observed already.
    pub fn observe(&mut self, flow: usize) -> HookCalls {
        let calls = HookCalls::default();
        let place = &mut self.flows[flow].sender.driver.cc;
        assert!(!Observed::is(place), "the flow is already observed");
        let nobody = Controller::by_name("reno").expect("an algorithm of the registry");
        let algorithm = std::mem::replace(place, nobody);
        *place = Observed::of(algorithm, calls.clone());
        calls
    }

    /// Sets the window of a flow, segments; its algorithm goes on from there.
    ///
    /// # Panics
    /// If there is no such flow.
    pub fn set_window(&mut self, flow: usize, window: u32) {
        let conn = &mut self.flows[flow].sender.driver.conn;
        conn.cwnd = window.clamp(1, conn.cwnd_clamp);
    }

    /// Where the packets of the scenario's flows are now, flow by flow. Debug builds also check all invariants.
    #[must_use]
    pub fn packet_locations(&self) -> Vec<PacketLocations> {
        #[cfg(debug_assertions)]
        if !self.finished {
            self.check();
        }
        let at_sender = |flow: &FlowState| PacketLocations {
            sent: flow.sender.sent.packets,
            arrived: flow.receiver.arrived,
            at_host: flow.at_hosts(),
            queued: 0,
            propagating: 0,
            dropped: flow.count.dropped.total(),
        };
        let mut locations: Vec<PacketLocations> =
            self.flows[..self.scenario_flows.len()].iter().map(at_sender).collect();
        for packet in self.network.links.iter().flat_map(Link::packets) {
            if let Some(flow) = packet.data_of()
                && let Some(place) = locations.get_mut(flow as usize)
            {
                place.queued += 1;
            }
        }
        for packet in self.packets_on_lines() {
            if let Some(flow) = packet.data_of()
                && let Some(place) = locations.get_mut(flow as usize)
            {
                *(if packet.departs() > self.now { &mut place.queued } else { &mut place.propagating }) += 1;
            }
        }
        locations
    }

    /// Where the packets of the scenario's flows are now, in no particular order.
    #[must_use]
    pub fn packet_positions(&self) -> Vec<PacketPosition> {
        let now = self.now;
        let named = self.scenario_flows.len() as u32;
        let held = self.network.links.iter().flat_map(Link::packets).filter_map(|packet| {
            let flow = packet.data_of()?;
            Some(PacketPosition { flow, place: PacketPlace::Queued, since: now, until: now })
        });
        let moving = self.packets_on_lines().filter_map(|packet| match packet {
            Packet::Data { flow, departs, next, due, .. } => {
                Some(self.position_of_data(flow, departs, next, due))
            }
            Packet::Ack { flow, due, .. } => Some(self.position_of_ack(flow, due)),
            Packet::Datagram { departs, next, due, .. } => {
                packet.frame().map(|frame| match frame.direction {
                    Direction::Forward => self.position_of_data(frame.flow, departs, next, due),
                    Direction::Reverse => self.position_of_ack(frame.flow, due),
                })
            }
        });
        held.chain(moving).filter(|position| position.flow < named).collect()
    }

    /// The packets on all delay lines.
    pub(super) fn packets_on_lines(&self) -> impl Iterator<Item = Packet> {
        let shared = self.network.lines.iter().flat_map(DelayLine::iter).copied();
        shared.chain(self.packets_in_time_slices())
    }

    fn position_of_ack(&self, flow: u32, due: u64) -> PacketPosition {
        let since = due.saturating_sub(self.flows[flow as usize].access_delay_rev).min(self.now);
        PacketPosition { flow, place: PacketPlace::Returning, since, until: due }
    }

    fn position_of_data(&self, flow: u32, departs: u64, next: PathIndex, due: u64) -> PacketPosition {
        let now = self.now;
        if departs > now {
            return PacketPosition { flow, place: PacketPlace::Queued, since: now, until: departs };
        }
        let state = &self.flows[flow as usize];
        // Behind the last link of a fused flow it is due when its acknowledgement is at the sender.
        let arrives = if state.is_fused() && next == PathIndex::END {
            due.saturating_sub(state.access_delay_rev)
        } else {
            due
        };
        if arrives > now {
            PacketPosition { flow, place: PacketPlace::Propagating, since: departs, until: arrives }
        } else {
            PacketPosition { flow, place: PacketPlace::Returning, since: arrives, until: due }
        }
    }
}
