// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hosts: an unnamed network namespace with a TUN device, held by descriptors alone.

use crate::error::{Error, while_doing};
use crate::paths::HostSide;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, read, write};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};
use std::io;
use std::mem::zeroed;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

const DEVICE: &str = "cwnd";
/// Packets that the device holds until they are read. What finds no place is counted, and makes the run invalid.
const DEVICE_QUEUE: i32 = 10_000;
/// Buffers of a connection may grow to this size, bytes: the bandwidth-delay product of 1 Gbit/s and 500 ms.
const MAX_BUFFER: u32 = 64 << 20;

/// A host.
#[derive(Debug)]
pub struct Host {
    namespace: OwnedFd,
    device: OwnedFd,
}

impl Host {
    /// Makes a host whose device takes packets of up to `mtu` bytes.
    pub fn new(side: HostSide, mtu: u32) -> Result<Self, Error> {
        // A thread of its own: only it enters the new namespace.
        std::thread::scope(|scope| scope.spawn(|| make(side, mtu)).join().expect("it does not panic"))
    }

    /// Its address.
    #[must_use]
    pub const fn address(side: HostSide) -> Ipv4Addr {
        // RFC 2544: for benchmarks. Nothing outside the two namespaces sees it.
        Ipv4Addr::new(198, 18, 0, 1 + side as u8)
    }

    /// Runs something in its namespace, in a thread of its own.
    pub fn within<T: Send>(&self, task: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
        let enter = || {
            move_into_link_name_space(self.namespace.as_fd(), Some(LinkNameSpaceType::Network))
                .map_err(while_doing("enter a network namespace"))?;
            task()
        };
        std::thread::scope(|scope| scope.spawn(enter).join().expect("it does not panic"))
    }

    /// Its device.
    #[must_use]
    pub fn device(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }

    /// Reads a packet that the host sends; `None` if there is none.
    pub fn read<'a>(&self, buffer: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
        match read(&self.device, &mut *buffer) {
            Ok(length) => Ok(Some(&buffer[..length])),
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Hands a packet to the host.
    pub fn write(&self, packet: &[u8]) -> io::Result<()> {
        write(&self.device, packet)?;
        Ok(())
    }

    /// Packets that its device has dropped.
    pub fn dropped(&self) -> Result<u64, Error> {
        self.within(|| {
            let table = std::fs::read_to_string("/proc/thread-self/net/dev")
                .map_err(while_doing("read /proc/thread-self/net/dev"))?;
            // NAME: eight numbers received, of which the fourth counts drops, then as many sent.
            let line = table.lines().find_map(|line| line.trim().strip_prefix("cwnd:"));
            let numbers: Vec<u64> =
                line.unwrap_or("").split_whitespace().filter_map(|word| word.parse().ok()).collect();
            Ok([3, 11].iter().filter_map(|&at| numbers.get(at)).sum())
        })
    }
}

fn make(side: HostSide, mtu: u32) -> Result<Host, Error> {
    // SAFETY: only the network namespace, and only of this thread; descriptors stay shared.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.map_err(while_doing("make a network namespace"))?;
    let namespace = open("/proc/thread-self/ns/net", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(while_doing("open the network namespace"))?;
    let device = open("/dev/net/tun", OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())
        .map_err(while_doing("open /dev/net/tun"))?;
    let setting = |name: &str, value: &str| {
        std::fs::write(format!("/proc/sys/net/{name}"), value)
            .map_err(while_doing(format!("set net.{} to {value}", name.replace('/', "."))))
    };
    // No router solicitations and no group memberships among the packets.
    setting("ipv6/conf/all/disable_ipv6", "1")?;
    setting("ipv6/conf/default/disable_ipv6", "1")?;
    for (name, value) in SETTINGS {
        setting(name, value)?;
    }
    for (name, default) in [("rmem", 131_072), ("wmem", 16_384)] {
        setting(&format!("ipv4/tcp_{name}"), &format!("4096 {default} {MAX_BUFFER}"))?;
    }
    configure(&device, side, mtu).map_err(while_doing("set up a TUN device"))?;
    Ok(Host { namespace, device })
}

/// What results depend on, as Linux has it by default, whatever this machine's own settings are.
pub const SETTINGS: &[(&str, &str)] = &[
    ("ipv4/tcp_ecn", "0"),
    ("ipv4/tcp_no_metrics_save", "1"), // no connection knows what an earlier one has learned
    ("ipv4/tcp_sack", "1"),
    ("ipv4/tcp_dsack", "1"),
    ("ipv4/tcp_timestamps", "1"),
    ("ipv4/tcp_recovery", "1"),
    ("ipv4/tcp_early_retrans", "3"),
    ("ipv4/tcp_frto", "2"),
    ("ipv4/tcp_window_scaling", "1"),
    ("ipv4/tcp_moderate_rcvbuf", "1"),
    ("ipv4/tcp_slow_start_after_idle", "1"),
    ("ipv4/ip_local_port_range", "50000 60999"), // above the ports of the flows
];

/// Names the device, gives it queue, size and address, and brings it up.
fn configure(device: &OwnedFd, side: HostSide, mtu: u32) -> io::Result<()> {
    // SAFETY: a structure of the C interface, for which all zeros are valid.
    let fresh = || unsafe { zeroed::<libc::ifreq>() };
    let named = || {
        let mut request = fresh();
        for (to, from) in request.ifr_name.iter_mut().zip(DEVICE.bytes()) {
            *to = from as libc::c_char;
        }
        request
    };
    let ask = |descriptor: i32, number: libc::c_ulong, mut request: libc::ifreq| {
        // SAFETY: the request is of the type that these numbers take, and lives through the call.
        match unsafe { libc::ioctl(descriptor, number as _, &raw mut request) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    let mut request = named();
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    ask(device.as_raw_fd(), libc::TUNSETIFF as _, request)?;
    let socket = std::net::UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    let ask = |number: libc::c_ulong, request| ask(socket.as_raw_fd(), number, request);
    let mut request = named();
    request.ifr_ifru.ifru_mtu = mtu as i32;
    ask(libc::SIOCSIFMTU as _, request)?;
    let mut request = named();
    request.ifr_ifru.ifru_metric = DEVICE_QUEUE; // the kernel's union has the queue's length in the same place
    ask(libc::SIOCSIFTXQLEN as _, request)?;
    for (number, address) in
        [(libc::SIOCSIFADDR, Host::address(side)), (libc::SIOCSIFNETMASK, Ipv4Addr::new(255, 255, 255, 0))]
    {
        let mut request = named();
        let address = libc::sockaddr_in {
            sin_family: libc::AF_INET as _,
            sin_port: 0,
            sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(address.octets()) },
            sin_zero: [0; 8],
        };
        // SAFETY: both are plain bytes of 16, and an address of the Internet is what the call takes.
        request.ifr_ifru.ifru_addr =
            unsafe { std::mem::transmute::<libc::sockaddr_in, libc::sockaddr>(address) };
        ask(number as _, request)?;
    }
    let mut request = named();
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    ask(libc::SIOCSIFFLAGS as _, request)
}

/// What the running kernel is called.
pub fn kernel_release() -> String {
    std::fs::read_to_string("/proc/sys/kernel/osrelease")
        .map_or_else(|_| String::new(), |text| text.trim().to_owned())
}
