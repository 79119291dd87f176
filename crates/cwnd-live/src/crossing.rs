// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens between the two hosts, without a clock and without devices: packets come in with their times, and go out when they are due.
//! Whoever moves the packets (lane live by TUN devices, lane linux by a driver) brings the time.

use crate::capture::DeviceCaptures;
use crate::classify::{Announced, Classifier, whole};
use crate::emulator::Emulator;
use crate::interface::Interfaces;
use crate::kernel_queues::{Ask, KernelQueues};
use crate::lateness::Lateness;
use crate::merge::DeviceHeader;
use crate::paths::{HostSide, Paths};
use crate::scenario_clock::Pauses;
use crate::settings::mss;
use crate::tally::Tally;
use crate::wire;
use cwnd_link::{Backlog, Drops, PacketClass, SendOverhead};
use cwnd_record::{EventKind, EventRow, QueueRow};
use cwnd_scenario::{Flow, Scenario};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// What is known of a flow on both sides of its sockets.
#[derive(Debug, Default)]
pub struct FlowState {
    /// Window and slow start threshold when somebody last looked, segments.
    pub window: [AtomicU32; 2],
    /// Data packets that have left the flow's last link.
    pub forwarded: AtomicU64,
}

/// Rows for the tables.
#[derive(Debug)]
pub enum Rows {
    /// Samples of the queues.
    Queue(Vec<QueueRow>),
    /// Events.
    Events(Vec<EventRow>),
    /// Samples of the windows.
    Windows(Vec<cwnd_record::CwndRow>),
    /// Inner variables.
    Inner(Vec<cwnd_record::InnerRow>),
    /// The next piece of a host's capture, by the host's name.
    Packets(&'static str, Vec<u8>),
}

/// Which packets pass.
#[derive(Debug)]
enum Passing {
    /// TCP segments of the flows and of traffic, and traffic's datagrams, by their ports.
    Flows(Classifier),
    /// Every packet of IPv4: all are flow 0, and all count as data.
    Everything,
}

/// A packet, or several that were merged, for a host.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    /// The host.
    pub to: HostSide,
    /// When it was due, ns.
    pub due: u64,
    /// How many packets it stands for.
    pub count: usize,
    /// What the host's device is told of it; `None` for a packet as it is.
    pub merged: Option<&'a DeviceHeader>,
    /// The packet.
    pub packet: &'a [u8],
}

/// The network between the hosts, with what is counted and recorded of it.
#[derive(Debug)]
pub struct Crossing {
    passing: Passing,
    emulator: Emulator<Vec<u8>>,
    interfaces: Interfaces,
    captures: DeviceCaptures,
    /// What is counted.
    pub tally: Tally,
    /// How many flows are none of traffic's.
    named: usize,
    /// Payload of a full segment, bytes.
    mss: u32,
    /// When the run ends, ns.
    end: u64,
    /// Interval of the samples of the queues, ns; 0: none.
    interval: u64,
    /// When the next sample is due, ns.
    sample: u64,
    /// Links of the scenario; those after them are access links.
    scenario_links: u32,
    queue: Vec<QueueRow>,
    events: Vec<EventRow>,
    /// Memory of packets that were delivered.
    spare: Vec<Vec<u8>>,
}

/// What it came to.
#[derive(Debug)]
pub struct CrossingReport {
    /// The network at the end.
    pub emulator: Emulator<Vec<u8>>,
    /// Drops of each flow's data, in the measured interval and over the whole run.
    pub drops: Vec<[Drops; 2]>,
    /// Payload of each flow that has reached its receiver in the measured interval, each byte once.
    pub distinct_measured: Vec<u64>,
    /// How late packets were delivered.
    pub lateness: Lateness,
    /// Pauses of the machine.
    pub pauses: Pauses,
    /// Packets of other protocols, or of no flow, which were not delivered.
    pub foreign: u64,
}

impl Crossing {
    /// That of a scenario, between whose hosts its flows and its traffic pass.
    #[must_use]
    pub fn of_scenario(scenario: &Scenario, flows: &[Flow]) -> Self {
        let overheads =
            flows.iter().map(|flow| SendOverhead::new(flow.group.overhead, flow.overhead_stream)).collect();
        let (links, paths) = Paths::of_scenario(scenario, flows);
        let (measure, end) = (scenario.measure, scenario.duration);
        let interval = scenario.record.interval;
        let are_kernels = scenario.links.iter().map(|link| link.kernel_queue().is_some());
        Self {
            passing: Passing::Flows(Classifier::new(overheads, scenario.traffic.len())),
            emulator: Emulator::new(links, paths, measure, end)
                .with_kernel_queues(KernelQueues::new(are_kernels)),
            interfaces: Interfaces::new(flows),
            captures: DeviceCaptures::new(scenario),
            tally: Tally::new(flows.len(), measure),
            named: flows.len(),
            mss: mss(scenario),
            end,
            interval,
            sample: if interval == 0 { u64::MAX } else { 0 },
            scenario_links: scenario.links.len() as u32,
            queue: Vec::new(),
            events: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// The links of a scenario's first flow, without an end, for every packet.
    #[must_use]
    pub fn of_everything(scenario: &Scenario) -> Self {
        let (links, paths) = Paths::of_scenario(scenario, &scenario.expand());
        let (measure, end) = ((0, u64::MAX), u64::MAX);
        Self {
            passing: Passing::Everything,
            emulator: Emulator::new(links, paths, measure, end),
            interfaces: Interfaces::default(),
            captures: DeviceCaptures::new(scenario),
            tally: Tally::new(1, measure),
            named: 1,
            mss: 1,
            end,
            interval: 0,
            sample: u64::MAX,
            scenario_links: 0,
            queue: Vec::new(),
            events: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// When the run ends, ns.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// When packets are due next, ns.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.emulator.next().min(self.interfaces.next())
    }

    /// When the next sample of the queues is due, ns.
    #[must_use]
    pub const fn next_sample(&self) -> u64 {
        self.sample
    }

    /// Whether nothing is on its way.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.emulator.is_empty()
    }

    /// Traffic tells of a connection or a datagram before its first packet.
    pub fn announce(&mut self, announced: Announced) {
        if let Passing::Flows(flows) = &mut self.passing {
            flows.announce(announced, |number, ways| self.emulator.set_path(number, ways));
        }
    }

    /// Lets everything happen that is due by `now`, ns.
    ///
    /// # Errors
    /// The first one of `deliver`; everything has happened all the same.
    pub fn advance<E>(
        &mut self,
        now: u64,
        mut deliver: impl FnMut(&mut Tally, Delivery<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut result = Ok(());
        let Self { emulator, interfaces, captures, tally, spare, .. } = self;
        emulator.advance(now, |due, header, mut packet| {
            if header.marked {
                wire::mark(&mut packet);
            }
            let to = header.from.other();
            captures.note(to, due, header.flow, &packet);
            if header.from == HostSide::Senders && header.is_data() {
                tally.note_arrival(due, &header);
            }
            let packet = match to {
                HostSide::Receivers => interfaces.hold(due, header.flow, header.payload, packet),
                HostSide::Senders => Some(packet),
            };
            let Some(packet) = packet else { return };
            let delivered = deliver(tally, Delivery { to, due, count: 1, merged: None, packet: &packet });
            if result.is_ok() {
                result = delivered;
            }
            spare.push(packet);
        });
        let worked = interfaces.work_off(now, spare, |due, count, header, packet| {
            deliver(tally, Delivery { to: HostSide::Receivers, due, count, merged: Some(header), packet })
        });
        result.and(worked)
    }

    /// Tells `ask` what the kernel is to be told of its queues of links, with the packet that arrives there.
    pub fn ask_kernel(&mut self, mut ask: impl FnMut(Ask, &[u8])) {
        self.emulator.ask_kernel(|asked, arriving| match arriving {
            None => ask(asked, &[]),
            Some((header, packet)) => {
                if header.marked {
                    wire::mark(packet);
                }
                ask(asked, packet);
            }
        });
    }

    /// The kernel's queue of a link gives it the packet with this number to send at `now`, ns, up to which the network has advanced.
    pub fn taken(&mut self, now: u64, link: u32, number: u32, packet: &[u8]) {
        // The discipline may have marked it, or changed it otherwise.
        self.emulator.taken(now, link, number, |held| {
            held.clear();
            held.extend_from_slice(packet);
            wire::is_marked(held)
        });
    }

    /// The kernel's queue of a link drops the packet with this number at `now`, ns.
    pub fn dropped_by_kernel(&mut self, now: u64, link: u32, number: u32) {
        self.emulator.dropped_by_kernel(now, link, number);
    }

    /// A host has sent a packet at `at`, ns, up to which the network has advanced; returns what it is counted for.
    pub fn sent(&mut self, side: HostSide, at: u64, packet: &[u8]) -> Option<u32> {
        let header = match &mut self.passing {
            Passing::Flows(flows) => flows.header(packet, side),
            Passing::Everything => whole(packet, side),
        };
        let Some(mut header) = header else {
            self.tally.foreign += 1;
            return None;
        };
        if header.class == Some(PacketClass::Data) && wire::is_markable(packet) {
            header.class = Some(PacketClass::MarkableData);
        }
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(packet);
        self.captures.note(side, at, header.flow, &copy);
        let due = match &mut self.passing {
            Passing::Flows(flows) => flows.due(at, &header),
            Passing::Everything => None,
        };
        match due.filter(|due| *due > at) {
            Some(due) => self.emulator.accept_later(due, header, copy),
            None => self.emulator.accept(at, header, copy),
        }
        Some(header.flow)
    }

    /// Makes rows of what the links have dropped, and samples the queues where that is due by `now`, ns.
    pub fn record(&mut self, now: u64, flows: &[FlowState]) {
        for dropped in self.emulator.take_dropped() {
            let of_traffic = dropped.header.flow as usize >= self.named;
            if of_traffic || !dropped.header.is_data() {
                continue;
            }
            let flow = &flows[dropped.header.flow as usize];
            self.tally.note_drop(&dropped);
            self.events.push(EventRow {
                time_ns: dropped.at,
                flow: dropped.header.flow,
                kind: EventKind::Drop(dropped.cause),
                link: (dropped.link < self.scenario_links).then_some(dropped.link),
                value: dropped.header.position / u64::from(self.mss),
                cwnd: flow.window[0].load(Ordering::Relaxed),
                ssthresh: flow.window[1].load(Ordering::Relaxed),
            });
        }
        while self.sample <= now.min(self.end) {
            for number in 0..self.scenario_links {
                let Backlog { packets, bytes } = self.emulator.backlog(number, now);
                let drops = self.emulator.links()[number as usize].count.drops;
                self.queue.push(QueueRow { time_ns: self.sample, link: number, packets, bytes, drops });
            }
            self.sample += self.interval;
        }
    }

    /// Tells the flows what has left the links by `now`, ns.
    pub fn publish_forwarded(&mut self, now: u64, flows: &[FlowState]) {
        self.emulator.count_departures(now);
        for (number, flow) in (0..).zip(flows) {
            flow.forwarded.store(self.emulator.forwarded(number).packets, Ordering::Relaxed);
        }
    }

    /// Data packets of a flow that have left its last link by `now`, ns.
    pub fn forwarded(&mut self, now: u64, flow: u32) -> u64 {
        self.emulator.count_departures(now);
        self.emulator.forwarded(flow).packets
    }

    /// Takes the tables of at least so many rows, and the pieces of captures that are large enough; with 0 all of them.
    pub fn take_rows(&mut self, least: usize, mut take: impl FnMut(Rows)) {
        for (host, piece) in self.captures.take(least == 0) {
            take(Rows::Packets(host, piece));
        }
        if self.queue.len() >= least {
            take(Rows::Queue(std::mem::take(&mut self.queue)));
        }
        if self.events.len() >= least {
            take(Rows::Events(std::mem::take(&mut self.events)));
        }
    }

    /// The end.
    #[must_use]
    pub fn finish(self) -> CrossingReport {
        let Tally { lateness, pauses, foreign, drops, distinct_measured, .. } = self.tally;
        CrossingReport { emulator: self.emulator, drops, distinct_measured, lateness, pauses, foreign }
    }
}
