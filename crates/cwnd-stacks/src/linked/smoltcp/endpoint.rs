// SPDX-License-Identifier: MIT OR Apache-2.0
//! One end of a connection of smoltcp.

use super::device::{Device, IP_HEADER};
use super::observed::Observed;
use crate::linked::application::Application;
use cwnd_sim::{EcnCodepoint, Endpoint, Probe};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp::{self, CongestionControl, SocketBuffer, State};
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr, Ipv4Address};
use std::fmt;

/// The buffer of the other direction, which has no data.
const NO_BUFFER: usize = 1 << 12;
/// Bytes that the application hands over beyond twice those in flight.
const AHEAD: u64 = 1 << 17;

const SENDER: Ipv4Address = Ipv4Address::new(192, 0, 2, 1);
const RECEIVER: Ipv4Address = Ipv4Address::new(192, 0, 2, 2);
const RECEIVER_PORT: u16 = 5001;
const SENDER_PORT: u16 = 50_000;

/// What an end is there for.
#[derive(Debug)]
pub(super) enum Role {
    Sender { application: Application },
    Receiver { read: u64 },
}

/// One end of a connection.
pub(super) struct SmoltcpEndpoint {
    role: Role,
    interface: Interface,
    device: Device,
    sockets: SocketSet<'static>,
    socket: SocketHandle,
    observed: Observed,
    next_timer: u64,
    failure: Option<String>,
}

impl SmoltcpEndpoint {
    /// An end whose packets have up to `mtu` bytes, and whose data go through `window` bytes of buffer.
    pub(super) fn new(
        role: Role,
        control: CongestionControl,
        (mtu, window): (u16, usize),
        seed: u64,
    ) -> Result<Self, String> {
        let (own, peer, receive, send, seed) = match role {
            Role::Sender { .. } => (SENDER, RECEIVER, NO_BUFFER, window, seed),
            Role::Receiver { .. } => (RECEIVER, SENDER, window, NO_BUFFER, !seed),
        };
        let mut device = Device::new(mtu, own, peer);
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = seed;
        let mut interface = Interface::new(config, &mut device, Instant::ZERO);
        let mut is_full = false;
        interface.update_ip_addrs(|addresses| {
            is_full = addresses.push(IpCidr::new(IpAddress::Ipv4(own), 24)).is_err();
        });
        if is_full {
            return Err("smoltcp takes no address".to_owned());
        }
        let buffer = |length| SocketBuffer::new(vec![0; length]);
        let mut socket = tcp::Socket::new(buffer(receive), buffer(send));
        socket.set_congestion_control(control);
        let mut sockets = SocketSet::new(Vec::with_capacity(1));
        let socket = sockets.add(socket);
        let (observed, next_timer, failure) = (Observed::default(), u64::MAX, None);
        Ok(Self { role, interface, device, sockets, socket, observed, next_timer, failure })
    }

    /// What the application of this end does whenever something has happened; then smoltcp sends, and says when it is to be asked again.
    fn advance(&mut self, now: u64) {
        let socket = self.sockets.get_mut::<tcp::Socket<'_>>(self.socket);
        match &mut self.role {
            Role::Sender { application } if socket.may_send() => {
                let most = 2 * self.observed.in_flight() + AHEAD;
                application.hand_over(|piece| {
                    let room = most.saturating_sub(socket.send_queue() as u64) as usize;
                    // It fails where the connection is over, which is looked at below.
                    let taken = socket.send_slice(&piece[..piece.len().min(room)]).unwrap_or(0);
                    (taken > 0).then_some(taken as u64)
                });
            }
            Role::Receiver { read } => {
                while let Ok(taken @ 1..) = socket.recv(|data| (data.len(), data.len())) {
                    *read += taken as u64;
                }
            }
            Role::Sender { .. } => {}
        }
        if socket.state() == State::Closed {
            self.failure = Some("the connection was reset".to_owned());
            self.next_timer = u64::MAX;
            return;
        }
        let time = instant(now);
        self.interface.poll(time, &mut self.device, &mut self.sockets);
        let next = self.interface.poll_at(time, &self.sockets);
        self.next_timer = next.map_or(u64::MAX, |at| (at.total_micros().max(0) as u64).saturating_mul(1000));
    }
}

/// A time of the run as smoltcp has it: whole microseconds.
fn instant(now: u64) -> Instant {
    Instant::from_micros((now / 1000) as i64)
}

impl fmt::Debug for SmoltcpEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmoltcpEndpoint")
            .field("role", &self.role)
            .field("state", &self.sockets.get::<tcp::Socket<'_>>(self.socket).state())
            .field("failure", &self.failure)
            .finish_non_exhaustive()
    }
}

impl Endpoint for SmoltcpEndpoint {
    fn headers(&self) -> u32 {
        IP_HEADER.into()
    }

    fn open(&mut self, now: u64) {
        let socket = self.sockets.get_mut::<tcp::Socket<'_>>(self.socket);
        let opened = match self.role {
            Role::Sender { .. } => socket
                .connect(self.interface.context(), (RECEIVER, RECEIVER_PORT), SENDER_PORT)
                .map_err(|error| error.to_string()),
            Role::Receiver { .. } => socket.listen(RECEIVER_PORT).map_err(|error| error.to_string()),
        };
        match opened {
            Ok(()) => self.advance(now),
            Err(error) => self.failure = Some(error),
        }
    }

    fn on_datagram(&mut self, now: u64, datagram: &[u8], _: EcnCodepoint) {
        self.observed.on_cause(false);
        if matches!(self.role, Role::Sender { .. }) {
            self.observed.on_arrival(now, datagram);
        }
        self.device.put(datagram);
        self.interface.poll_ingress_single(instant(now), &mut self.device, &mut self.sockets);
        self.advance(now);
    }

    fn on_timer(&mut self, now: u64) {
        self.observed.on_cause(true);
        self.advance(now);
    }

    fn write(&mut self, now: u64, bytes: u64) {
        if let Role::Sender { application } = &mut self.role {
            application.write(bytes);
        }
        self.advance(now);
    }

    fn finish(&mut self, now: u64) {
        if let Role::Sender { application } = &mut self.role {
            application.stop();
        }
        self.advance(now);
    }

    fn transmit(&mut self, now: u64, buffer: &mut Vec<u8>) -> Option<EcnCodepoint> {
        if !self.device.take(buffer) {
            return None;
        }
        if matches!(self.role, Role::Sender { .. }) {
            self.observed.on_sent(now, buffer);
        }
        Some(EcnCodepoint::NotEct)
    }

    fn next_timer(&mut self) -> u64 {
        self.next_timer
    }

    /// What can be seen from outside. Not shown: the window (0), the slow start threshold, and how often the window was reduced (0).
    fn probe(&self) -> Probe {
        let (srtt, min_rtt) = self.observed.rtts();
        Probe {
            in_flight: Some(self.observed.in_flight()),
            srtt,
            min_rtt,
            lost: self.observed.retransmissions(),
            timeouts: self.observed.timeouts(),
            read: if let Role::Receiver { read } = self.role { read } else { 0 },
            ..Probe::default()
        }
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }
}
