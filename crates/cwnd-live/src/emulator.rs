// SPDX-License-Identifier: MIT OR Apache-2.0
//! The network of a scenario, packet by packet, without a clock: time comes in, packets come out when they are due.
//!
//! Everything is scheduled at the time at which it is due, not at the time at which somebody looks: a caller that comes late
//! delivers late, but what happens at the links is the same.

use crate::kernel_queues::{Ask, KernelQueues};
use crate::paths::{HostSide, Paths, Ways};
use cwnd_link::{Backlog, DropCause, Link, LinkConfig, NEVER, Offered, PacketClass, Transit};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What a host sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it is counted for: the number of its flow; after the flows come two for each traffic group, one per direction of its data.
    pub flow: u32,
    /// Number of its ways in [`Paths`].
    pub path: u32,
    /// The host that sends it.
    pub from: HostSide,
    /// Size on the wire, bytes.
    pub bytes: u32,
    /// What the links count it as; `None` for one that passes no link and takes only their delays: connections are opened and
    /// closed beside the links, as in the simulator, which has no such packets.
    pub class: Option<PacketClass>,
    /// Position of its first byte in the flow, bytes.
    pub position: u64,
    /// Payload, bytes.
    pub payload: u32,
    /// Whether a link has given it a congestion mark (ECN).
    pub marked: bool,
}

impl Header {
    /// Whether the links count it as data.
    #[must_use]
    pub fn is_data(&self) -> bool {
        self.class.is_some_and(PacketClass::is_data)
    }
}

/// A packet that a link dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DroppedPacket {
    /// When, ns.
    pub at: u64,
    /// What it was.
    pub header: Header,
    /// The link.
    pub link: u32,
    /// Why.
    pub cause: DropCause,
}

/// What a flow's data have come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forwarded {
    /// Packets that have left the flow's last link.
    pub packets: u64,
    /// Bytes of those that leave it in the measured interval.
    pub measured_bytes: u64,
}

#[derive(Debug)]
struct Transported<P> {
    header: Header,
    /// Index of the next link on its path; behind the last one it is at the other host.
    hop: u32,
    packet: P,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// The packet in this slot is at its next link, or at its host.
    Packet(u32),
    /// This link, which holds packets, has one for us.
    Link(u32),
    /// This link, whose queue is the kernel's, can send the next packet.
    Ready(u32),
}

/// The running network; `P` is a packet's content.
#[derive(Debug)]
pub struct Emulator<P> {
    paths: Paths,
    links: Vec<Link<u32>>,
    /// Earliest time for which a link that holds packets is in `due`.
    armed: Vec<u64>,
    measure: (u64, u64),
    due: BinaryHeap<Reverse<(u64, u64, Due)>>,
    /// Number of the next entry of `due`: of entries of one time the earlier one comes first.
    entries: u64,
    slots: Vec<Option<Transported<P>>>,
    free: Vec<u32>,
    dropped: Vec<DroppedPacket>,
    forwarded: Vec<Forwarded>,
    /// Of each flow: when the packets that its last link has accepted leave it, ns; in the order of time, as all pass one queue.
    departures: Vec<VecDeque<u64>>,
    kernel_queues: KernelQueues,
}

impl<P> Emulator<P> {
    /// An empty network of these links and paths; `measure` and `end` as in [`Link::new`].
    #[must_use]
    pub fn new(links: Vec<LinkConfig>, paths: Paths, measure: (u64, u64), end: u64) -> Self {
        let links: Vec<_> = links.into_iter().map(|config| Link::new(config, measure, end)).collect();
        Self {
            armed: vec![NEVER; links.len()],
            forwarded: vec![Forwarded::default(); paths.len()],
            departures: vec![VecDeque::new(); paths.len()],
            links,
            paths,
            measure,
            due: BinaryHeap::new(),
            entries: 0,
            slots: Vec::new(),
            free: Vec::new(),
            dropped: Vec::new(),
            kernel_queues: KernelQueues::default(),
        }
    }

    /// The same where the kernel has the queues of some of the links.
    #[must_use]
    pub fn with_kernel_queues(self, kernel_queues: KernelQueues) -> Self {
        Self { kernel_queues, ..self }
    }

    /// When [`Emulator::advance`] has something to do next, ns; [`NEVER`] if nothing is on its way.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.due.peek().map_or(NEVER, |Reverse((at, ..))| *at)
    }

    /// Whether nothing is on its way.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.free.len() == self.slots.len()
    }

    /// Gives a number of [`Paths`] its ways; what is on its way goes on along them.
    pub fn set_path(&mut self, number: u32, ways: Ways) {
        self.paths.set(number, ways);
    }

    /// Takes a packet that a host sends at `now`, ns, up to which the network must have advanced.
    pub fn accept(&mut self, now: u64, header: Header, packet: P) {
        let slot = self.keep(Transported { header, hop: 0, packet });
        let path = self.paths.of(header.path, header.from);
        if header.class.is_none() {
            let links = path.links.iter().map(|&link| self.links[link as usize].propagation_at(now));
            let at = now + path.before + links.sum::<u64>() + path.after;
            let hops = path.links.len() as u32;
            self.slots[slot as usize].as_mut().expect("just filled").hop = hops;
            self.schedule(at, Due::Packet(slot));
        } else if path.before == 0 && !path.links.is_empty() {
            self.offer(now, slot);
        } else {
            let at = now + path.before + if path.links.is_empty() { path.after } else { 0 };
            self.schedule(at, Due::Packet(slot));
        }
    }

    /// Takes a packet that a host sends at `at`, ns, a time that is yet to come.
    pub fn accept_later(&mut self, at: u64, header: Header, packet: P) {
        let slot = self.keep(Transported { header, hop: 0, packet });
        let path = self.paths.of(header.path, header.from);
        let to_first = path.before + if path.links.is_empty() { path.after } else { 0 };
        self.schedule(at + to_first, Due::Packet(slot));
    }

    /// Lets everything happen that is due by `now`, ns; `deliver` gets what arrives at a host, and when it was due there.
    pub fn advance(&mut self, now: u64, mut deliver: impl FnMut(u64, Header, P)) {
        while let Some(&Reverse((at, _, due))) = self.due.peek()
            && at <= now
        {
            self.due.pop();
            match due {
                Due::Link(link) => self.depart(at, link),
                Due::Ready(link) => self.kernel_queues.ready(link),
                Due::Packet(slot) => {
                    let packet = self.slots[slot as usize].as_ref().expect("on its way");
                    let path = self.paths.of(packet.header.path, packet.header.from);
                    if (packet.hop as usize) < path.links.len() {
                        self.offer(at, slot);
                    } else {
                        let Transported { header, packet, .. } = self.take(slot);
                        deliver(at, header, packet);
                    }
                }
            }
        }
    }

    /// The packets that were dropped since the last call.
    pub fn take_dropped(&mut self) -> std::vec::Drain<'_, DroppedPacket> {
        self.dropped.drain(..)
    }

    /// The links, by their numbers.
    #[must_use]
    pub fn links(&self) -> &[Link<u32>] {
        &self.links
    }

    /// What a link holds at `now`, ns.
    pub fn backlog(&mut self, link: u32, now: u64) -> Backlog {
        let Backlog { packets, bytes } = self.links[link as usize].backlog(now);
        let waiting = self.kernel_queues.backlog(link);
        Backlog { packets: packets + waiting.packets, bytes: bytes + waiting.bytes }
    }

    /// Tells `ask` what the kernel is to be told of its queues, with the packet that arrives there.
    pub fn ask_kernel(&mut self, mut ask: impl FnMut(Ask, Option<(&Header, &mut P)>)) {
        for asked in self.kernel_queues.take_asks() {
            let transported = match asked {
                Ask::Enqueue { slot, .. } => self.slots[slot as usize].as_mut(),
                Ask::Ready { .. } => None,
            };
            ask(asked, transported.map(|Transported { header, packet, .. }| (&*header, packet)));
        }
    }

    /// The kernel's queue of a link gives it the packet of this slot to send at `now`, ns, up to which the network has advanced; `change` gets it,
    /// and says whether the queue has marked it.
    pub fn taken(&mut self, now: u64, link: u32, slot: u32, change: impl FnOnce(&mut P) -> bool) {
        let Some(arrived) = self.kernel_queues.leaves(link, slot) else { return };
        let Some(Transported { header, packet, .. }) = &mut self.slots[slot as usize] else { return };
        let mark = change(packet) && !header.marked;
        let what = (header.bytes, header.class.unwrap_or(PacketClass::Ack));
        let Some(transit) = self.links[link as usize].send(now, arrived, what, mark) else { return };
        if transit.departs != NEVER {
            self.schedule(transit.departs, Due::Ready(link));
        }
        self.pass(slot, transit);
    }

    /// The kernel's queue of a link drops the packet of this slot at `now`, ns.
    pub fn dropped_by_kernel(&mut self, now: u64, link: u32, slot: u32) {
        if self.kernel_queues.leaves(link, slot).is_some() {
            let cause = self.links[link as usize].count_drop(now);
            self.drop(now, slot, link, cause);
        }
    }

    /// Counts the packets that have left their flows' last links by `now`, ns.
    pub fn count_departures(&mut self, now: u64) {
        for (departures, forwarded) in self.departures.iter_mut().zip(&mut self.forwarded) {
            while departures.front().is_some_and(|departs| *departs <= now) {
                departures.pop_front();
                forwarded.packets += 1;
            }
        }
    }

    /// What has come of a flow's data, as of the last [`Emulator::count_departures`].
    #[must_use]
    pub fn forwarded(&self, flow: u32) -> Forwarded {
        self.forwarded[flow as usize]
    }

    /// The same of all flows and traffic.
    pub fn all_forwarded(&self) -> impl Iterator<Item = Forwarded> {
        self.forwarded.iter().copied()
    }

    fn schedule(&mut self, at: u64, due: Due) {
        self.due.push(Reverse((at, self.entries, due)));
        self.entries += 1;
    }

    fn keep(&mut self, transported: Transported<P>) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.slots[slot as usize] = Some(transported);
        slot
    }

    fn take(&mut self, slot: u32) -> Transported<P> {
        self.free.push(slot);
        self.slots[slot as usize].take().expect("on its way")
    }

    /// The packet in this slot is at its next link.
    fn offer(&mut self, now: u64, slot: u32) {
        let Some(Transported { header, hop, .. }) = &self.slots[slot as usize] else { return };
        let (header, hop) = (*header, *hop as usize);
        let number = self.paths.of(header.path, header.from).links[hop];
        let class = header.class.unwrap_or(PacketClass::Ack);
        if self.kernel_queues.has(number) {
            if self.links[number as usize].loses(now) {
                self.drop(now, slot, number, DropCause::Loss);
            } else {
                self.kernel_queues.enqueue(number, slot, now, header.bytes);
            }
            return;
        }
        let link = &mut self.links[number as usize];
        match link.offer(now, header.bytes, class) {
            Offered::Departs(transit) => self.pass(slot, transit),
            Offered::Dropped(cause) => self.drop(now, slot, number, cause),
            Offered::Holds => match link.enqueue(now, header.bytes, class, slot) {
                Ok(None) => self.arm(number),
                Ok(Some(transit)) => self.pass(slot, transit),
                Err(cause) => self.drop(now, slot, number, cause),
            },
        }
    }

    /// A link that holds packets has sent or dropped some by `now`.
    fn depart(&mut self, now: u64, number: u32) {
        if self.armed[number as usize] != now {
            return; // an entry that a later one has replaced
        }
        while let Some((slot, result)) = self.links[number as usize].pop(now) {
            match result {
                Ok(transit) => self.pass(slot, transit),
                Err(cause) => self.drop(now, slot, number, cause),
            }
        }
        self.armed[number as usize] = NEVER;
        self.arm(number);
    }

    fn arm(&mut self, number: u32) {
        let next = self.links[number as usize].next_event();
        if next < self.armed[number as usize] {
            self.armed[number as usize] = next;
            self.schedule(next, Due::Link(number));
        }
    }

    /// A link sends the packet.
    fn pass(&mut self, slot: u32, transit: Transit) {
        if transit.departs == NEVER {
            self.take(slot); // the link is down for good: what it has, it keeps
            return;
        }
        let Some(packet) = &mut self.slots[slot as usize] else { return };
        packet.hop += 1;
        packet.header.marked |= transit.mark;
        let header = packet.header;
        let path = self.paths.of(header.path, header.from);
        let is_last = packet.hop as usize == path.links.len();
        if is_last && header.is_data() {
            let forwarded = &mut self.forwarded[header.flow as usize];
            self.departures[header.flow as usize].push_back(transit.departs);
            if (self.measure.0..self.measure.1).contains(&transit.departs) {
                forwarded.measured_bytes += u64::from(header.bytes);
            }
        }
        let at = transit.arrives + if is_last { path.after } else { 0 };
        self.schedule(at, Due::Packet(slot));
    }

    #[cold]
    fn drop(&mut self, at: u64, slot: u32, link: u32, cause: DropCause) {
        let Transported { header, .. } = self.take(slot);
        self.dropped.push(DroppedPacket { at, header, link, cause });
    }
}
