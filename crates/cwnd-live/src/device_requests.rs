// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests about a host's device, in the namespace of this thread: its queue, size and address, a route through it, its offloads.

use crate::merge::DevicePackets;
use crate::netlink::{set_discipline, set_queue_length};
use std::io;
use std::mem::zeroed;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, OwnedFd};

/// Packets that the device holds until they are read. What finds no place is counted, and makes the run invalid.
pub const DEVICE_QUEUE: u32 = 10_000;
/// Its queue discipline, whatever this machine gives new devices (`net.core.default_qdisc`): one that drops or paces would be a link of its own.
pub const DISCIPLINE: &str = "pfifo";

/// Offloads of a device, by the numbers of their requests (linux/ethtool.h): whether segments leave in larger pieces than packets.
const OFFLOADS: [(&str, u32); 5] = [
    ("tx-checksumming", 0x16),
    ("scatter-gather", 0x18),
    ("tcp-segmentation-offload", 0x1e),
    ("generic-segmentation-offload", 0x23),
    ("generic-receive-offload", 0x2b),
];

/// A value of one number, as `SIOCETHTOOL` takes it.
#[repr(C)]
struct EthtoolValue {
    command: u32,
    data: u32,
}

/// Whether the device of this name has each offload.
pub fn read_offloads(name: &str) -> Vec<(String, String)> {
    let Ok(socket) = any_socket() else { return Vec::new() };
    let read = |(offload, command): (&str, u32)| {
        let mut value = EthtoolValue { command, data: 0 };
        let mut request = named(name);
        request.ifr_ifru.ifru_data = std::ptr::from_mut(&mut value).cast();
        ask(&socket, libc::SIOCETHTOOL as _, &mut request).ok()?;
        let state = if value.data == 0 { "off" } else { "on" };
        Some((format!("device.{offload}"), state.to_owned()))
    };
    OFFLOADS.into_iter().filter_map(read).collect()
}

/// A request about the device of this name.
fn named(name: &str) -> libc::ifreq {
    // SAFETY: a structure of the C interface, for which all zeros are valid.
    let mut request = unsafe { zeroed::<libc::ifreq>() };
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes().take(libc::IFNAMSIZ - 1)) {
        *to = from as libc::c_char;
    }
    request
}

/// Makes a request; the kernel may change it.
fn ask<T>(descriptor: &impl AsRawFd, number: libc::c_ulong, request: &mut T) -> io::Result<()> {
    // SAFETY: the request is of the type that the number takes, and lives through the call.
    match unsafe { libc::ioctl(descriptor.as_raw_fd(), number as _, std::ptr::from_mut(request)) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A socket for requests about devices.
fn any_socket() -> io::Result<std::net::UdpSocket> {
    std::net::UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))
}

/// Names a TUN device and sets it up; returns its name, in which the kernel has counted.
pub fn configure(
    device: &OwnedFd,
    name: &str,
    address: Ipv4Addr,
    mtu: u32,
    packets: DevicePackets,
) -> io::Result<String> {
    let mut request = named(name);
    let described = if packets == DevicePackets::Described { libc::IFF_VNET_HDR } else { 0 };
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI | described) as libc::c_short;
    ask(device, libc::TUNSETIFF as _, &mut request)?;
    let name: String =
        request.ifr_name.iter().take_while(|byte| **byte != 0).map(|byte| *byte as u8 as char).collect();
    set_up(&name, address, mtu)?;
    Ok(name)
}

/// Gives the device of this name its largest packets, bytes.
pub fn set_mtu(name: &str, mtu: u32) -> io::Result<()> {
    let mut request = named(name);
    request.ifr_ifru.ifru_mtu = mtu as i32;
    ask(&any_socket()?, libc::SIOCSIFMTU as _, &mut request)
}

/// Gives the device of this name queue, size and address, and brings it up.
pub fn set_up(name: &str, address: Ipv4Addr, mtu: u32) -> io::Result<()> {
    set_mtu(name, mtu)?;
    set_queue_length(name, DEVICE_QUEUE)?;
    set_discipline(name, DISCIPLINE)?;
    set_address(name, address)?;
    bring_up(name)
}

pub fn set_address(name: &str, address: Ipv4Addr) -> io::Result<()> {
    let socket = any_socket()?;
    let mask = Ipv4Addr::new(255, 255, 255, 0);
    for (number, address) in [(libc::SIOCSIFADDR, address), (libc::SIOCSIFNETMASK, mask)] {
        let mut request = named(name);
        request.ifr_ifru.ifru_addr = internet(address);
        ask(&socket, number as _, &mut request)?;
    }
    Ok(())
}

pub fn bring_up(name: &str) -> io::Result<()> {
    let mut request = named(name);
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    ask(&any_socket()?, libc::SIOCSIFFLAGS as _, &mut request)
}

/// Adds a default route through a device.
pub fn send_everything_to(name: &str) -> io::Result<()> {
    // SAFETY: a structure of the C interface, for which all zeros are valid.
    let mut route = unsafe { zeroed::<libc::rtentry>() };
    route.rt_dst = internet(Ipv4Addr::UNSPECIFIED);
    route.rt_genmask = internet(Ipv4Addr::UNSPECIFIED);
    route.rt_flags = libc::RTF_UP;
    let name = std::ffi::CString::new(name).unwrap_or_default();
    route.rt_dev = name.as_ptr().cast_mut();
    ask(&any_socket()?, libc::SIOCADDRT as _, &mut route)
}

/// An address as the C interface has it.
fn internet(address: Ipv4Addr) -> libc::sockaddr {
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as _,
        sin_port: 0,
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(address.octets()) },
        sin_zero: [0; 8],
    };
    // SAFETY: both are 16 plain bytes that begin with the family, which says how the others are read.
    unsafe { std::mem::transmute::<libc::sockaddr_in, libc::sockaddr>(address) }
}
