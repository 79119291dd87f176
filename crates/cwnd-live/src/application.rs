// SPDX-License-Identifier: MIT OR Apache-2.0
//! The application of a flow: its sender and its receiver.

use crate::error::{Error, while_doing};
use crate::plan::{CHUNK, Plan};
use crate::socket::{self, TcpInfo};
use cwnd_record::FlowCounts;
use rustix::event::epoll;
use serde::{Deserialize, Serialize};
use std::io;
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::OwnedFd;

/// A receiver of a transfer without an end reads when this many bytes have come. While one reads, the kernel gathers what arrives and
/// acknowledges it at once: a third more segments per acknowledgement at 400 Mbit/s, or more, as the two processors happen to run.
const READ_FROM: i32 = 256 << 10;

/// What a flow came to.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct FlowReport {
    /// Counts at the begin and the end of the measured interval, and at the end of the run.
    pub counts: [FlowCounts; 3],
    /// The window's integral over the measured interval, segments × ns.
    pub window_ns: u128,
    /// When the receiver had all of it, ns.
    pub finished: Option<u64>,
    /// Duplicates that the receiver has told the sender of (D-SACK).
    pub duplicates: u32,
}

/// A flow's application.
pub struct Application {
    pub plan: Plan,
    pub sender: TcpStream,
    listener: TcpListener,
    receiver: Option<TcpStream>,
    /// Whether it was told to connect, and whether it is connected.
    pub connecting: bool,
    pub connected: bool,
    pub writing: bool,
    /// Whether its connection was closed.
    closed: bool,
    pub written: u64,
    /// When it last began to write, or was connected, and what it had written by then: for its rate.
    pub since: (u64, u64),
    received: u64,
    pub seen: TcpInfo,
    pub seen_at: u64,
    pub report: FlowReport,
}

impl Application {
    /// One with these sockets, which does nothing yet; waits for its connection.
    pub fn new(
        plan: Plan,
        (sender, listener): (TcpStream, TcpListener),
        number: u32,
        poll: &OwnedFd,
    ) -> Result<Self, Error> {
        epoll::add(poll, &listener, receivers_mark(number), epoll::EventFlags::IN)
            .map_err(while_doing("watch a socket"))?;
        Ok(Self {
            plan,
            sender,
            listener,
            receiver: None,
            connecting: false,
            connected: false,
            writing: false,
            closed: false,
            written: 0,
            since: (0, 0),
            received: 0,
            seen: TcpInfo::default(),
            seen_at: 0,
            report: FlowReport::default(),
        })
    }

    /// Notes its counts at a boundary.
    pub fn mark(&mut self, boundary: usize) {
        self.report.counts[boundary] = FlowCounts {
            packets_sent: u64::from(self.seen.data_segs_out),
            retransmits: u64::from(self.seen.total_retrans),
            timeouts: u64::from(self.seen.total_rto),
            ..FlowCounts::default() // the links count drops
        };
    }

    /// Begins to connect.
    pub fn connect(&mut self, to: SocketAddrV4, number: u32, poll: &OwnedFd) -> Result<(), Error> {
        self.connecting = true;
        socket::connect(&self.sender, to).map_err(while_doing("connect"))?;
        epoll::add(poll, &self.sender, senders_mark(number), epoll::EventFlags::OUT)
            .map_err(while_doing("watch a socket"))
    }

    /// Whether we want to know that the sender can write.
    pub fn watch_writing(&self, number: u32, wanted: bool, poll: &OwnedFd) -> Result<(), Error> {
        let what = if wanted { epoll::EventFlags::OUT } else { epoll::EventFlags::empty() };
        epoll::modify(poll, &self.sender, senders_mark(number), what).map_err(while_doing("watch a socket"))
    }

    /// The sender can write at `now`, ns. When it can for the first time it is connected, and only then an application begins to write at its rate.
    pub const fn on_writable(&mut self, now: u64) {
        if !self.connected {
            self.connected = true;
            self.since = (now, self.written);
        }
    }

    /// Writes what it may at `now`, ns.
    pub fn write(&mut self, number: u32, now: u64, poll: &OwnedFd) -> Result<(), Error> {
        if !self.writing {
            return self.watch_writing(number, false, poll);
        }
        while self.writing {
            let size = self.plan.size.map_or(u64::MAX, |size| size - self.written);
            let allowed = self.plan.rate.map_or(u64::MAX, |rate| {
                let (since, written) = self.since;
                let sum = u128::from(rate) * u128::from(now.saturating_sub(since)) / 8_000_000_000;
                u64::try_from(sum).unwrap_or(u64::MAX).saturating_sub(self.written - written)
            });
            let bytes = size.min(allowed).min(CHUNK as u64) as usize;
            if bytes == 0 {
                // It is not closed: a FIN passes beside the links, and would overtake the data.
                self.writing &= size != 0;
                return self.watch_writing(number, false, poll);
            }
            match socket::send_zeros(&self.sender, bytes, false) {
                Ok(written) => self.written += written as u64,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::NotConnected => return Ok(()),
                Err(error) => return Err(while_doing("write to a connection")(error)),
            }
        }
        Ok(())
    }

    /// Closes its connection where that is wanted and its receiver has acknowledged all of it.
    pub fn close_when_acknowledged(&mut self) -> Result<(), Error> {
        // The opening counts as a byte.
        let is_over = self.plan.size.is_some_and(|size| self.seen.bytes_acked > size);
        if self.plan.closes && is_over && !self.closed {
            self.closed = true;
            socket::end_in_order(&self.sender).map_err(while_doing("close a connection"))?;
        }
        Ok(())
    }

    /// The receiver's connection is there, or has data.
    pub fn read(&mut self, number: u32, now: u64, poll: &OwnedFd) -> Result<(), Error> {
        let Some(receiver) = &self.receiver else {
            let (receiver, _) = match self.listener.accept() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                accepted => accepted.map_err(while_doing("accept a connection"))?,
            };
            receiver.set_nonblocking(true).map_err(while_doing("accept a connection"))?;
            socket::end_at_once(&receiver).map_err(while_doing("accept a connection"))?;
            if self.plan.size.is_none() && self.plan.window.is_none() {
                socket::read_from(&receiver, READ_FROM).map_err(while_doing("accept a connection"))?;
            }
            epoll::delete(poll, &self.listener).map_err(while_doing("watch a socket"))?;
            epoll::add(poll, &receiver, receivers_mark(number), epoll::EventFlags::IN)
                .map_err(while_doing("watch a socket"))?;
            self.receiver = Some(receiver);
            return Ok(());
        };
        match socket::discard(receiver, 1 << 22) {
            Ok(0) => {
                if self.plan.closes {
                    socket::end_in_order(receiver).map_err(while_doing("close a connection"))?;
                }
                epoll::delete(poll, receiver).map_err(while_doing("watch a socket"))?;
            }
            Ok(bytes) => {
                self.received += bytes as u64;
                if let Some(window) = self.plan.window {
                    socket::keep_window(receiver, window).map_err(while_doing("limit a window"))?;
                }
                if self.plan.size == Some(self.received) {
                    self.report.finished = Some(now);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(while_doing("read from a connection")(error)),
        }
        Ok(())
    }

    /// Ends its connection, and says what it came to.
    pub fn close(self) -> FlowReport {
        FlowReport { duplicates: self.seen.dsack_dups, ..self.report }
    }
}

/// Flows have even numbers for senders, odd ones for receivers.
const fn senders_mark(flow: u32) -> epoll::EventData {
    epoll::EventData::new_u64(2 * flow as u64)
}

const fn receivers_mark(flow: u32) -> epoll::EventData {
    epoll::EventData::new_u64(2 * flow as u64 + 1)
}
