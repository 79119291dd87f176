// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hosts: an unnamed network namespace with a TUN device, held by descriptors alone.

use crate::device_requests::{
    DISCIPLINE, bring_up, configure, read_offloads, send_everything_to, set_address, set_up,
};
use crate::error::{Error, while_doing};
use crate::merge::{AS_IT_IS, DeviceHeader, DevicePackets};
use crate::netlink::{gso_max_segs, set_gso_max_segs};
use crate::paths::HostSide;
use crate::settings::HostSettings;
use cwnd_record::capture::CaptureHost;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, read, write, writev};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};
use rustix::time::{ClockId, clock_getres};
use std::io::{self, IoSlice};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Name of the device in a namespace of its own, and of one beside others: the kernel counts them.
const DEVICE: &str = "cwnd";
const ONE_OF_MANY: &str = "cwnd%d";

/// A host.
#[derive(Debug)]
pub struct Host {
    namespace: OwnedFd,
    device: OwnedFd,
    name: String,
    address: Ipv4Addr,
    packets: DevicePackets,
}

impl Host {
    /// Makes a host of a lab whose device takes packets of up to `mtu` bytes.
    pub fn new(
        side: HostSide,
        mtu: u32,
        packets: DevicePackets,
        settings: &HostSettings,
    ) -> Result<Self, Error> {
        Self::with(settings, || make(DEVICE, Self::address(side), mtu, packets))
    }

    /// Makes a host of a lab in the guest of lane linux, whose device `make` makes in its namespace.
    pub fn of_driver(
        side: HostSide,
        mtu: u32,
        settings: &HostSettings,
        make: impl FnOnce() -> Result<OwnedFd, Error> + Send,
    ) -> Result<Self, Error> {
        Self::with(settings, || {
            let namespace = own_namespace()?;
            let device = make()?;
            set_up(DEVICE, Self::address(side), mtu).map_err(while_doing("set up a device"))?;
            let (name, address) = (DEVICE.to_owned(), Self::address(side));
            Ok(Self { namespace, device, name, address, packets: DevicePackets::AsTheyAre })
        })
    }

    fn with(
        settings: &HostSettings,
        make: impl FnOnce() -> Result<Self, Error> + Send,
    ) -> Result<Self, Error> {
        in_new_namespace(|| {
            for (name, value) in SETTINGS {
                set(name, value)?;
            }
            for (name, value) in &settings.of_kernel {
                set(name, value)?;
            }
            let host = make()?;
            if let Some(segments) = settings.gso_max_segs {
                set_gso_max_segs(&host.name, segments).map_err(while_doing("limit bursts of segments"))?;
            }
            Ok(host)
        })
    }

    /// Makes a pair: a host in a namespace of its own that sends everything to the other one, which is a device in this namespace.
    pub fn pair(mtu: u32) -> Result<[Self; 2], Error> {
        let outside = make(ONE_OF_MANY, FIRST_OF_PAIRS, mtu, DevicePackets::AsTheyAre)?;
        // The kernel has counted: pair n has the addresses 100.64.n.1 and .2. Within a pair counting goes on behind that one's number.
        let counted: u8 = outside.name.trim_start_matches(DEVICE).parse().unwrap_or(0);
        let around = std::env::var(GATEWAY).ok().and_then(|address| address.parse::<Ipv4Addr>().ok());
        let number = counted.wrapping_add(around.map_or(0, |address| address.octets()[2].wrapping_add(1)));
        let [first, second, ..] = FIRST_OF_PAIRS.octets();
        let at = |last| Ipv4Addr::new(first, second, number, last);
        set_address(&outside.name, at(1)).map_err(while_doing("give a TUN device its address"))?;
        let outside = Self { address: at(1), ..outside };
        let inside = in_new_namespace(|| {
            bring_up("lo").map_err(while_doing("bring up lo"))?;
            let inside = make(DEVICE, at(2), mtu, DevicePackets::AsTheyAre)?;
            send_everything_to(DEVICE).map_err(while_doing("add a default route"))?;
            Ok(inside)
        })?;
        Ok([inside, outside])
    }

    /// Address of a host of a lab.
    #[must_use]
    pub const fn address(side: HostSide) -> Ipv4Addr {
        // Nothing outside the two namespaces sees it.
        let [first, second, third, fourth] = CaptureHost::ALL[side as usize].address();
        Ipv4Addr::new(first, second, third, fourth)
    }

    /// Its own address.
    #[must_use]
    pub const fn own_address(&self) -> Ipv4Addr {
        self.address
    }

    /// Runs something in its namespace, in a thread of its own.
    pub fn within<T: Send>(&self, task: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
        within(self.namespace(), task)
    }

    /// Moves this thread into its namespace, for good.
    pub fn enter(&self) -> Result<(), Error> {
        enter(self.namespace())
    }

    /// The number of its namespace, which the kernel's `struct net` has.
    #[cfg(feature = "kernel")]
    pub fn namespace_number(&self) -> Result<u32, Error> {
        let file = rustix::fs::fstat(&self.namespace).map_err(while_doing("look at a network namespace"))?;
        Ok(file.st_ino as u32)
    }

    /// Its namespace.
    #[must_use]
    pub fn namespace(&self) -> BorrowedFd<'_> {
        self.namespace.as_fd()
    }

    /// Its device.
    #[must_use]
    pub fn device(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }

    /// Reads a packet that the host sends; `None` if there is none.
    pub fn read<'a>(&self, buffer: &'a mut [u8]) -> io::Result<Option<&'a [u8]>> {
        // The host segments nothing and leaves no checksum open, so the description says nothing.
        let before = if self.packets == DevicePackets::Described { AS_IT_IS.len() } else { 0 };
        match read(&self.device, &mut *buffer) {
            Ok(length) => Ok(Some(&buffer[before..length])),
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Hands a packet to the host.
    pub fn write(&self, packet: &[u8]) -> io::Result<()> {
        if self.packets == DevicePackets::Described {
            return self.write_described(&AS_IT_IS, packet);
        }
        write(&self.device, packet)?;
        Ok(())
    }

    /// Hands a packet to the host, which may be a merged one; the device has to be one for [`DevicePackets::Described`].
    pub fn write_described(&self, header: &DeviceHeader, packet: &[u8]) -> io::Result<()> {
        writev(&self.device, &[IoSlice::new(header), IoSlice::new(packet)])?;
        Ok(())
    }

    /// Its settings and the offloads of its device, by name, as they are; `of_scenario` were set for the run.
    pub fn settings(&self, of_scenario: &HostSettings) -> Result<Vec<(String, String)>, Error> {
        self.within(|| {
            let mut all = read_settings(of_scenario);
            all.extend(read_offloads(&self.name));
            let segments = gso_max_segs(&self.name).map_err(while_doing("look at a device"))?;
            all.push(("device.gso_max_segs".into(), segments.to_string()));
            all.push(("device.qdisc".into(), DISCIPLINE.into()));
            all.push(("CONFIG_HZ".into(), kernel_hz().to_string()));
            Ok(all)
        })
    }

    /// Packets that its device has dropped.
    pub fn dropped(&self) -> Result<u64, Error> {
        self.within(|| {
            let table = std::fs::read_to_string("/proc/thread-self/net/dev")
                .map_err(while_doing("read /proc/thread-self/net/dev"))?;
            // NAME: eight numbers received, of which the fourth counts drops, then as many sent.
            let name = format!("{}:", self.name);
            let line = table.lines().find_map(|line| line.trim().strip_prefix(&name));
            let numbers: Vec<u64> =
                line.unwrap_or("").split_whitespace().filter_map(|word| word.parse().ok()).collect();
            Ok([3, 11].iter().filter_map(|&at| numbers.get(at)).sum())
        })
    }
}

/// Moves this thread into a namespace, for good.
fn enter(namespace: BorrowedFd<'_>) -> Result<(), Error> {
    move_into_link_name_space(namespace, Some(LinkNameSpaceType::Network))
        .map_err(while_doing("enter a network namespace"))
}

/// Runs something in a namespace, in a thread of its own.
pub fn within<T: Send>(
    namespace: BorrowedFd<'_>,
    task: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let enter_first = || {
        enter(namespace)?;
        task()
    };
    std::thread::scope(|scope| scope.spawn(enter_first).join().expect("it does not panic"))
}

/// Makes a host in a namespace of its own.
fn in_new_namespace(task: impl FnOnce() -> Result<Host, Error> + Send) -> Result<Host, Error> {
    let enter = || {
        // SAFETY: only the network namespace, and only of this thread; descriptors stay shared.
        unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.map_err(while_doing("make a network namespace"))?;
        // No router solicitations and no group memberships among the packets.
        set("ipv6/conf/all/disable_ipv6", "1")?;
        set("ipv6/conf/default/disable_ipv6", "1")?;
        task()
    };
    // A thread of its own: only it enters the new namespace.
    std::thread::scope(|scope| scope.spawn(enter).join().expect("it does not panic"))
}

fn set(name: &str, value: &str) -> Result<(), Error> {
    std::fs::write(format!("/proc/sys/net/{name}"), value)
        .map_err(while_doing(format!("set net.{} to {value}", name.replace('/', "."))))
}

/// The namespace of this thread.
pub fn own_namespace() -> Result<OwnedFd, Error> {
    open("/proc/thread-self/ns/net", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(while_doing("open the network namespace"))
}

/// A host in the namespace of this thread.
fn make(name: &str, address: Ipv4Addr, mtu: u32, packets: DevicePackets) -> Result<Host, Error> {
    let namespace = own_namespace()?;
    let device = open("/dev/net/tun", OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())
        .map_err(while_doing("open /dev/net/tun"))?;
    let name = configure(&device, name, address, mtu, packets).map_err(while_doing("set up a TUN device"))?;
    Ok(Host { namespace, device, name, address, packets })
}

/// Variable of a command behind a pair with the address at which it finds this machine.
pub const GATEWAY: &str = "CWND_HOST";
/// Base of the addresses of pairs: RFC 6598, which no host has as its own.
const FIRST_OF_PAIRS: Ipv4Addr = Ipv4Addr::new(100, 64, 0, 1);

/// What results depend on, whatever this machine's own settings are, beside what a scenario says ([`HostSettings`]). Linux's defaults, but for SYN
/// cookies, backlogs and ports, so that thousands of connections open as asked.
const SETTINGS: &[(&str, &str)] = &[
    ("ipv4/tcp_window_scaling", "1"),
    ("ipv4/tcp_moderate_rcvbuf", "1"),
    ("ipv4/tcp_slow_start_after_idle", "1"),
    // Hundreds of connections that begin at once all have their handshakes, with all options.
    ("ipv4/tcp_syncookies", "0"),
    ("ipv4/tcp_max_syn_backlog", "32768"),
    ("core/somaxconn", "32768"),
    ("ipv4/ip_local_port_range", "50000 60999"), // above the ports of the flows
];

/// What results depend on besides, and what the kernel has there in a new namespace: pacing, bursts, buffers, timers.
const NAMED: &[&str] = &[
    "ipv4/tcp_congestion_control",
    "ipv4/tcp_reordering",
    "ipv4/tcp_max_reordering",
    "ipv4/tcp_rto_min_us",
    "ipv4/tcp_retries2",
    "ipv4/tcp_thin_linear_timeouts",
    "ipv4/tcp_pacing_ss_ratio",
    "ipv4/tcp_pacing_ca_ratio",
    "ipv4/tcp_min_tso_segs",
    "ipv4/tcp_tso_win_divisor",
    "ipv4/tcp_tso_rtt_log",
    "ipv4/tcp_limit_output_bytes",
    "ipv4/tcp_autocorking",
    "ipv4/tcp_comp_sack_nr",
    "ipv4/tcp_comp_sack_delay_ns",
    "ipv4/tcp_comp_sack_slack_ns",
    "ipv4/tcp_backlog_ack_defer",
    "ipv4/tcp_min_rtt_wlen",
    "ipv4/tcp_shrink_window",
];

/// Settings in the namespace of this thread, by name, but for those that this kernel does not have.
fn read_settings(of_scenario: &HostSettings) -> Vec<(String, String)> {
    let of_scenario = of_scenario.of_kernel.iter().map(|(name, _)| *name);
    let names = SETTINGS.iter().map(|(name, _)| *name).chain(of_scenario).chain(NAMED.iter().copied());
    let read = |name: &str| {
        let text = std::fs::read_to_string(format!("/proc/sys/net/{name}")).ok()?;
        let value = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Some((format!("net.{}", name.replace('/', ".")), value))
    };
    names.filter_map(read).collect()
}

/// Ticks a second of the running kernel: a tick is the resolution of its coarse clocks, ns, rounded down.
fn kernel_hz() -> u64 {
    let tick = clock_getres(ClockId::MonotonicCoarse);
    let ns = u64::try_from(tick.tv_nsec).unwrap_or(0).max(1);
    (1_000_000_000 + ns / 2) / ns
}

/// What the running kernel is called.
pub fn kernel_release() -> String {
    std::fs::read_to_string("/proc/sys/kernel/osrelease")
        .map_or_else(|_| String::new(), |text| text.trim().to_owned())
}
