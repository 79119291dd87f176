// SPDX-License-Identifier: MIT OR Apache-2.0
//! Transfers and datagrams of traffic: their connections, from opening to close.

use crate::classify::{Announced, FIRST_GROUP_PORT, FIRST_OPENER, OPENERS, Opened};
use crate::error::{Error, while_doing};
use crate::host::Host;
use crate::lateness::Lateness;
use crate::paths::{HostSide, Paths};
use crate::plan::CHUNK;
use crate::settings;
use crate::socket::{self, TcpInfo};
use crate::sources::{Group, Sources};
use crate::traffic_sockets::{GroupSockets, acceptor, opener};
use cwnd_record::TransferRow;
use cwnd_scenario::Scenario;
use cwnd_traffic::{self as traffic, Datagram, Direction, Load, SourceEvent, Transfer};
use rustix::event::epoll;
use std::io;
use std::net::TcpStream;
use std::os::fd::OwnedFd;

/// Marks of listeners: this and the group's number.
const LISTENER: u64 = 1 << 40;
/// Marks of connections: this, and twice the slot and the side.
const CONNECTION: u64 = 1 << 41;
const READ_AT_ONCE: usize = 1 << 22;

/// Takes what traffic tells of.
pub type Announce = Box<dyn FnMut(Announced) + Send>;

/// A connection of a source. Pairs are by [`HostSide`]: the opener's is first.
struct Connected {
    source: u32,
    /// Direction of what the opener sends.
    direction: Direction,
    ends: [Option<TcpStream>; 2],
    to_write: [u64; 2],
    to_read: [u64; 2],
    /// Row of what this end sends.
    rows: [usize; 2],
    rtt: u64,
}

/// All traffic of a run.
pub struct Transfers {
    scenario: Scenario,
    sources: Sources,
    sockets: Vec<GroupSockets>,
    /// By the number of the opener's port.
    connections: Vec<Option<Box<Connected>>>,
    /// Of each source: its last connection.
    last: Vec<Option<u16>>,
    next_slot: u16,
    /// Connections without a further transfer, until all is acknowledged.
    closing: Vec<u16>,
    announce: Announce,
    first_flow: u32,
    rows: Vec<TransferRow>,
}

/// What traffic came to.
#[derive(Debug, Default)]
pub struct TrafficReport {
    /// The groups, with their loads but for what was carried.
    pub groups: Vec<Group>,
    /// The transfers.
    pub rows: Vec<TransferRow>,
}

impl TrafficReport {
    /// The groups of a scenario with these loads.
    #[must_use]
    pub fn with_loads(scenario: &Scenario, loads: Vec<Load>) -> Self {
        let mut groups = Sources::new(scenario).groups;
        for (group, load) in groups.iter_mut().zip(loads) {
            group.load = load;
        }
        Self { groups, rows: Vec::new() }
    }

    /// The round trip time that one in ten of the transfers does not exceed, ns: of drawn ones some are very short.
    pub fn short_rtt(&self) -> Option<u64> {
        let mut all: Vec<_> = self.rows.iter().map(|row| row.rtt_ns).collect();
        all.sort_unstable();
        all.get(all.len() / 10).copied()
    }
}

impl Transfers {
    /// All traffic of a scenario with these sockets; `announce` gets each connection and datagram before its first packet.
    pub fn new(scenario: &Scenario, sockets: Vec<GroupSockets>, flows: usize, announce: Announce) -> Self {
        let sources = Sources::new(scenario);
        Self {
            scenario: scenario.clone(),
            last: vec![None; sources.len()],
            sources,
            sockets,
            connections: Vec::new(),
            next_slot: 0,
            closing: Vec::new(),
            announce,
            first_flow: flows as u32,
            rows: Vec::new(),
        }
    }

    /// Begins to wait for connections.
    pub fn watch(&self, poll: &OwnedFd) -> Result<(), Error> {
        for (number, sockets) in (0..).zip(&self.sockets) {
            if let Some(listener) = &sockets.listener {
                epoll::add(
                    poll,
                    listener,
                    epoll::EventData::new_u64(LISTENER | number),
                    epoll::EventFlags::IN,
                )
                .map_err(while_doing("watch a socket"))?;
            }
        }
        Ok(())
    }

    /// When something is due next, ns.
    pub fn next(&self) -> u64 {
        self.sources.next()
    }

    /// Starts what is due by `now`, ns.
    pub fn start_due(&mut self, now: u64, lateness: &mut Lateness, poll: &OwnedFd) -> Result<(), Error> {
        while let Some((source, event)) = self.sources.take_due(now) {
            match event {
                SourceEvent::Start(transfer) => {
                    lateness.note(now - transfer.at);
                    self.start(source, transfer, poll)?;
                }
                SourceEvent::Send(datagram) => {
                    lateness.note(now.saturating_sub(datagram.at));
                    self.send(source, &datagram)?;
                }
                SourceEvent::Wait | SourceEvent::Done => {}
            }
        }
        Ok(())
    }

    /// Whether this is the mark of a socket of traffic.
    pub const fn owns(mark: u64) -> bool {
        mark & (LISTENER | CONNECTION) != 0 && mark != u64::MAX
    }

    /// A socket of traffic can be read or written, or its connection has ended.
    pub fn ready(
        &mut self,
        mark: u64,
        flags: epoll::EventFlags,
        now: u64,
        poll: &OwnedFd,
    ) -> Result<(), Error> {
        if mark & LISTENER != 0 {
            return self.accept((mark ^ LISTENER) as usize, poll);
        }
        let (slot, side) = (((mark ^ CONNECTION) >> 1) as u16, (mark & 1) as usize);
        if flags.intersects(epoll::EventFlags::OUT) {
            self.write(slot, side, poll)?;
        }
        if flags.intersects(epoll::EventFlags::IN) {
            self.read(slot, side, now)?;
        }
        if flags.intersects(epoll::EventFlags::ERR | epoll::EventFlags::HUP) {
            self.close(slot);
        }
        Ok(())
    }

    /// Closes the connections that have no further transfer and no data on their way.
    pub fn close_idle(&mut self) -> Result<(), Error> {
        for slot in std::mem::take(&mut self.closing) {
            let Some(Some(connection)) = self.connections.get(usize::from(slot)) else { continue };
            let mut idle = true;
            for end in connection.ends.iter().flatten() {
                idle &= TcpInfo::of(end).map_err(while_doing("read TCP_INFO"))?.unacked == 0;
            }
            if idle {
                if settings::keeps_metrics(&self.scenario) {
                    let ended = connection.ends.iter().flatten().try_for_each(socket::end_in_order);
                    ended.map_err(while_doing("close a connection"))?;
                }
                self.close(slot);
            } else {
                self.closing.push(slot);
            }
        }
        Ok(())
    }

    /// Ends all connections at once, and says what traffic came to.
    pub fn finish(mut self) -> TrafficReport {
        (0..self.connections.len()).for_each(|slot| self.close(slot as u16));
        TrafficReport { groups: self.sources.groups, rows: self.rows }
    }

    fn start(&mut self, source: u32, transfer: Transfer, poll: &OwnedFd) -> Result<(), Error> {
        let group = self.sources.group_of(source);
        self.sources.groups[group as usize].load.started(transfer.at, &transfer);
        let last = self.last[source as usize].filter(|slot| {
            transfer.connection == traffic::Connection::Last && self.connections[usize::from(*slot)].is_some()
        });
        let slot = match last {
            Some(slot) => slot,
            None => self.open(source, &transfer, poll)?,
        };
        let Some(connection) = &mut self.connections[usize::from(slot)] else { return Ok(()) };
        let side = usize::from(transfer.direction != connection.direction);
        connection.to_write[side] = transfer.bytes.unwrap_or(u64::MAX);
        connection.to_read[1 - side] = transfer.bytes.unwrap_or(u64::MAX);
        connection.rows[side] = self.rows.len();
        self.rows.push(TransferRow {
            group: Some(group),
            number: source,
            start_ns: transfer.at,
            end_ns: None,
            bytes: transfer.bytes,
            rtt_ns: connection.rtt,
            reverse: transfer.direction == Direction::Reverse,
        });
        self.write(slot, side, poll)
    }

    /// Opens a connection for a transfer; its opener sends.
    fn open(&mut self, source: u32, transfer: &Transfer, poll: &OwnedFd) -> Result<u16, Error> {
        let slot = self.free_slot()?;
        let number = self.sources.group_of(source);
        let group = &mut self.sources.groups[number as usize];
        let direction = transfer.direction as usize;
        let template = group.templates[direction].as_mut().expect("validated: the route exists");
        let own_rtt = transfer.rtt.filter(|rtt| *rtt != template.rtt);
        let path_rtt = template.rtt;
        template.rtt = transfer.rtt.unwrap_or(path_rtt);
        let ways = Paths::of_connection(&self.scenario, template);
        template.rtt = path_rtt;
        let rtt = ways.iter().map(|way| way.propagation).sum();
        let first = self.first_flow + 2 * number;
        let flows = [first + direction as u32, first + 1 - direction as u32];
        let opened = Opened { slot, flows, ways: own_rtt.map(|_| ways) };
        (self.announce)(Announced::Connection(opened));
        let sockets = &self.sockets[number as usize];
        let to = (Host::address(HostSide::Receivers), FIRST_GROUP_PORT + number as u16);
        let stream = opener(sockets, FIRST_OPENER + slot, to).map_err(while_doing("open a connection"))?;
        add(poll, &stream, slot, 0)?;
        self.last[source as usize] = Some(slot);
        self.connections[usize::from(slot)] = Some(Box::new(Connected {
            source,
            direction: transfer.direction,
            ends: [Some(stream), None],
            to_write: [0; 2],
            to_read: [0; 2],
            rows: [0; 2],
            rtt,
        }));
        Ok(slot)
    }

    /// The next number of a port that no connection has.
    fn free_slot(&mut self) -> Result<u16, Error> {
        for _ in 0..OPENERS {
            let slot = self.next_slot;
            self.next_slot = (slot + 1) % OPENERS;
            if self.connections.len() <= usize::from(slot) {
                self.connections.resize_with(usize::from(slot) + 1, || None);
            }
            if self.connections[usize::from(slot)].is_none() {
                return Ok(slot);
            }
        }
        let all = io::Error::other(format!("{OPENERS} connections of traffic are open"));
        Err(while_doing("open a connection")(all))
    }

    fn accept(&mut self, group: usize, poll: &OwnedFd) -> Result<(), Error> {
        let Some(listener) = &self.sockets[group].listener else { return Ok(()) };
        loop {
            let (stream, peer) = match listener.accept() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // It was closed again.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                accepted => accepted.map_err(while_doing("accept a connection"))?,
            };
            let slot = peer.port().wrapping_sub(FIRST_OPENER);
            let Some(Some(connection)) = self.connections.get_mut(usize::from(slot)) else { continue };
            acceptor(&stream).map_err(while_doing("accept a connection"))?;
            add(poll, &stream, slot, 1)?;
            connection.ends[1] = Some(stream);
        }
    }

    /// Writes what an end has to.
    fn write(&mut self, slot: u16, side: usize, poll: &OwnedFd) -> Result<(), Error> {
        let Some(Some(connection)) = self.connections.get_mut(usize::from(slot)) else { return Ok(()) };
        let Connected { ends, to_write, .. } = &mut **connection;
        let (Some(end), left) = (&ends[side], &mut to_write[side]) else { return Ok(()) };
        while *left > 0 {
            let bytes = (*left).min(CHUNK as u64);
            match socket::send_zeros(end, bytes as usize, bytes < *left) {
                Ok(written) if *left < u64::MAX => *left -= written as u64,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // The event that says so closes it.
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe) =>
                {
                    break;
                }
                Err(error) => return Err(while_doing("write to a connection")(error)),
            }
        }
        let wanted = if *left > 0 { epoll::EventFlags::OUT } else { epoll::EventFlags::empty() };
        epoll::modify(poll, end, epoll::EventData::new_u64(mark(slot, side)), epoll::EventFlags::IN | wanted)
            .map_err(while_doing("watch a socket"))
    }

    fn read(&mut self, slot: u16, side: usize, now: u64) -> Result<(), Error> {
        let Some(Some(connection)) = self.connections.get_mut(usize::from(slot)) else { return Ok(()) };
        let Some(end) = &connection.ends[side] else { return Ok(()) };
        let bytes = match socket::discard(end, READ_AT_ONCE) {
            Ok(bytes) => bytes as u64,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            // The event that says so closes it.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(()),
            Err(error) => return Err(while_doing("read from a connection")(error)),
        };
        let group = self.sources.group_of(connection.source);
        if let Some(window) = self.sockets[group as usize].window {
            socket::keep_window(end, window).map_err(while_doing("limit a window"))?;
        }
        let left = &mut connection.to_read[side];
        if bytes == 0 || *left == u64::MAX {
            return Ok(());
        }
        *left = left.saturating_sub(bytes);
        if *left == 0 {
            let (source, row) = (connection.source, connection.rows[1 - side]);
            self.rows[row].end_ns = Some(now);
            let direction = if self.rows[row].reverse { Direction::Reverse } else { Direction::Forward };
            self.sources.groups[group as usize].load.finished(now, direction);
            if !self.sources.finished(source, now) {
                self.closing.push(slot);
            }
        }
        Ok(())
    }

    /// Sends a datagram, before it is due: it waits in front of the links until then, so that those that are late are not sent at once.
    fn send(&mut self, source: u32, datagram: &Datagram) -> Result<(), Error> {
        if datagram.at >= self.scenario.duration {
            return Ok(());
        }
        let group = self.sources.group_of(source) as usize;
        self.sources.groups[group].load.sent(datagram.at, datagram);
        let flow = self.first_flow + 2 * group as u32 + datagram.direction as u32;
        (self.announce)(Announced::Datagram(flow, datagram.at));
        self.sockets[group].send(datagram.direction, datagram.bytes).map_err(while_doing("send a datagram"))
    }

    /// Ends a connection.
    fn close(&mut self, slot: u16) {
        if let Some(connection) = self.connections.get_mut(usize::from(slot)) {
            *connection = None;
        }
    }
}

const fn mark(slot: u16, side: usize) -> u64 {
    CONNECTION | (slot as u64) << 1 | side as u64
}

fn add(poll: &OwnedFd, stream: &TcpStream, slot: u16, side: usize) -> Result<(), Error> {
    epoll::add(poll, stream, epoll::EventData::new_u64(mark(slot, side)), epoll::EventFlags::IN)
        .map_err(while_doing("watch a socket"))
}
