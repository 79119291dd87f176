// SPDX-License-Identifier: MIT OR Apache-2.0
//! A network device in memory, whose packets have no header of IPv4 outside it.

use smoltcp::phy::{self, ChecksumCapabilities, DeviceCapabilities, Medium};
use smoltcp::time::Instant;
use smoltcp::wire::{IpProtocol, Ipv4Address, Ipv4Packet};
use std::collections::VecDeque;

/// Length of the header of IPv4, bytes.
pub(super) const IP_HEADER: u16 = 20;
const HEADER: usize = IP_HEADER as usize;

/// A network device: one packet that has arrived, and those that are to be sent.
#[derive(Debug)]
pub(super) struct Device {
    mtu: u16,
    own: Ipv4Address,
    peer: Ipv4Address,
    /// The packet that has arrived, with its header, and whether it has not been taken.
    arrived: Vec<u8>,
    has_arrived: bool,
    to_send: VecDeque<Vec<u8>>,
    spare: Vec<Vec<u8>>,
}

impl Device {
    pub(super) fn new(mtu: u16, own: Ipv4Address, peer: Ipv4Address) -> Self {
        let (arrived, to_send, spare) = (Vec::new(), VecDeque::new(), Vec::new());
        Self { mtu, own, peer, arrived, has_arrived: false, to_send, spare }
    }

    /// A segment arrives: the header of IPv4 is put before it.
    pub(super) fn put(&mut self, segment: &[u8]) {
        self.arrived.clear();
        self.arrived.resize(HEADER, 0);
        self.arrived.extend_from_slice(segment);
        let length = u16::try_from(self.arrived.len()).unwrap_or(u16::MAX);
        let mut packet = Ipv4Packet::new_unchecked(&mut self.arrived);
        packet.set_version(4);
        packet.set_header_len(HEADER as u8);
        packet.set_total_len(length);
        packet.set_hop_limit(64);
        packet.set_next_header(IpProtocol::Tcp);
        packet.set_src_addr(self.peer);
        packet.set_dst_addr(self.own);
        self.has_arrived = true;
    }

    /// Writes the next segment that is to be sent into `buffer`.
    pub(super) fn take(&mut self, buffer: &mut Vec<u8>) -> bool {
        let Some(packet) = self.to_send.pop_front() else { return false };
        buffer.extend_from_slice(packet.get(HEADER..).unwrap_or_default());
        self.spare.push(packet);
        true
    }
}

impl phy::Device for Device {
    type RxToken<'a> = Arrived<'a>;
    type TxToken<'a> = ToSend<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Arrived<'_>, ToSend<'_>)> {
        let Self { arrived, has_arrived, to_send, spare, .. } = self;
        std::mem::take(has_arrived).then(|| (Arrived(arrived), ToSend { to_send, spare }))
    }

    fn transmit(&mut self, _: Instant) -> Option<ToSend<'_>> {
        Some(ToSend { to_send: &mut self.to_send, spare: &mut self.spare })
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = self.mtu.into();
        capabilities.checksum = ChecksumCapabilities::ignored();
        capabilities
    }
}

/// The packet that has arrived.
#[derive(Debug)]
pub(super) struct Arrived<'a>(&'a [u8]);

impl phy::RxToken for Arrived<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(self.0)
    }
}

/// Room for a packet.
#[derive(Debug)]
pub(super) struct ToSend<'a> {
    to_send: &'a mut VecDeque<Vec<u8>>,
    spare: &'a mut Vec<Vec<u8>>,
}

impl phy::TxToken for ToSend<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, f: F) -> R {
        let mut packet = self.spare.pop().unwrap_or_default();
        packet.clear();
        packet.resize(length, 0);
        let result = f(&mut packet);
        self.to_send.push_back(packet);
        result
    }
}
