// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sockets of traffic.

use crate::classify::FIRST_GROUP_PORT;
use crate::error::{Error, while_doing};
use crate::host::Host;
use crate::paths::HostSide;
use crate::plan::UNSENT;
use crate::settings;
use crate::socket;
use crate::wire::UdpDatagram;
use cwnd_scenario::Scenario;
use cwnd_scenario::traffic::Traffic;
use cwnd_traffic::{Direction, Model};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};

/// The sockets of a group.
pub struct GroupSockets {
    /// Name of its algorithm in the kernel.
    algorithm: String,
    /// Most bytes that its receivers allow in flight.
    pub window: Option<u64>,
    /// Where its connections are accepted; none for datagrams.
    pub listener: Option<TcpListener>,
    /// For its datagrams: the senders by direction, and the receiver, which nobody reads.
    datagrams: Option<([UdpSocket; 2], UdpSocket)>,
}

impl GroupSockets {
    /// Those of all groups of a scenario, in their hosts; `algorithms` are the groups'.
    pub fn all<'a>(
        scenario: &Scenario,
        hosts: &[Host; 2],
        algorithms: impl Iterator<Item = Option<&'a str>>,
    ) -> Result<Vec<Self>, Error> {
        let [senders, receivers] = hosts;
        let mss = u64::from(settings::mss(scenario));
        let make = |((number, traffic), algorithm): ((u16, &Traffic), Option<&str>)| {
            let port = FIRST_GROUP_PORT + number;
            let at = Host::address(HostSide::Receivers);
            // Whole segments, as in the simulator.
            let window = traffic.window.map(|bytes| (bytes / mss).max(1) * mss);
            let (mut listener, mut datagrams) = (None, None);
            if matches!(traffic.model, Model::Udp(_)) {
                let receiver =
                    receivers.within(|| UdpSocket::bind((at, port)).map_err(while_doing("bind a socket")))?;
                let senders = senders.within(|| {
                    let [forward, reverse] = Direction::ALL
                        .map(|direction| datagram_sender(FIRST_GROUP_PORT + direction as u16, (at, port)));
                    Ok([forward, reverse].map(|made| made.map_err(while_doing("bind a socket"))))
                })?;
                let [forward, reverse] = senders;
                datagrams = Some(([forward?, reverse?], receiver));
            } else {
                listener = Some(receivers.within(|| {
                    let listener = socket::listen(at, port).map_err(while_doing("wait for connections"))?;
                    // Now, not when a connection is accepted: one that has begun on an algorithm that paces stays paced.
                    if let Some(name) = algorithm {
                        socket::use_algorithm(&listener, name).map_err(while_doing(format!("use {name}")))?;
                    }
                    if let Some(window) = window {
                        socket::limit_window(&listener, window).map_err(while_doing("limit a window"))?;
                    }
                    Ok(listener)
                })?);
            }
            Ok(Self { algorithm: algorithm.unwrap_or_default().to_owned(), window, listener, datagrams })
        };
        (0..).zip(&scenario.traffic).zip(algorithms).map(make).collect()
    }

    /// Sends a datagram of so many bytes on the wire.
    pub fn send(&self, direction: Direction, bytes: u32) -> io::Result<()> {
        let Some((senders, _)) = &self.datagrams else { return Ok(()) };
        let payload = vec![0u8; bytes.saturating_sub(UdpDatagram::HEADERS) as usize];
        senders[direction as usize].send(&payload).map(|_| ())
    }
}

fn datagram_sender(port: u16, to: (Ipv4Addr, u16)) -> io::Result<UdpSocket> {
    let sender = socket::datagrams_from(port)?;
    sender.connect(to)?;
    Ok(sender)
}

/// A socket of the group that begins to connect from `port`.
pub fn opener(sockets: &GroupSockets, port: u16, to: (Ipv4Addr, u16)) -> io::Result<TcpStream> {
    let stream = socket::unconnected()?;
    if let Some(window) = sockets.window {
        socket::limit_window(&stream, window)?;
    }
    socket::use_algorithm(&stream, &sockets.algorithm)?;
    prepare(&stream)?;
    socket::bind(&stream, port)?;
    socket::connect(&stream, SocketAddrV4::new(to.0, to.1))?;
    Ok(stream)
}

/// Makes an accepted connection one of a group; its algorithm is its listener's.
pub fn acceptor(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    socket::end_at_once(stream)?;
    prepare(stream)
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    socket::keep_unsent_below(stream, UNSENT as u32)?;
    // The last segment of a transfer waits for nothing.
    stream.set_nodelay(true)
}
