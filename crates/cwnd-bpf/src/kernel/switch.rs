// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists live connections of this thread's network namespace, and moves them to another congestion control while they run.
//!
//! The kernel calls `release` of the old algorithm, clears its state, and calls `init` of the new one, which begins with the window as
//! it is.

use std::fmt;
use std::io::Read;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::mpsc::channel;

use libbpf_rs::{Iter, Object, ObjectBuilder, RingBufferBuilder};

use crate::kernel::command_scope::check;
use crate::kernel::doctor::explain_refusal;
use crate::kernel::error::{Error, NAME_MAX, refused};
use crate::kernel::libbpf_log::with_libbpf_log;
use crate::kernel::loader::SWITCH;
use crate::kernel::maps::{field, fill, find, first_value, padded, text};

/// Names of the object's maps, as `bpf/switch.bpf.c` has them.
const WANTED: &str = ".rodata.wanted";
const FOUND: &str = ".data.found";
const CONNECTIONS: &str = "connections";
/// Size of what the program says of a connection, and where each part is.
const BYTES: usize = 64;
const LOCAL: usize = 0;
const REMOTE: usize = 16;
const LOCAL_PORT: usize = 32;
const REMOTE_PORT: usize = 34;
const FAMILY: usize = 36;
const BEFORE: usize = 40;
const ERROR: usize = 56;

/// Linux's number for IPv6.
const AF_INET6: u16 = 10;

/// Which connections. What is `None` may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectionFilter {
    /// Port here.
    pub local_port: Option<u16>,
    /// Port there.
    pub remote_port: Option<u16>,
    /// Name of the algorithm that it runs on.
    pub algorithm: Option<String>,
}

impl ConnectionFilter {
    /// Every connection.
    pub const ALL: Self = Self { local_port: None, remote_port: None, algorithm: None };
}

/// A connection that was found.
#[derive(Debug)]
pub struct LiveConnection {
    /// Address and port here.
    pub local: SocketAddr,
    /// Address and port there.
    pub remote: SocketAddr,
    /// The algorithm that it ran on when it was found.
    pub algorithm: String,
    /// Why it was not moved, if that was asked for and refused.
    pub refused: Option<std::io::Error>,
}

impl fmt::Display for LiveConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} - {} on {}", self.local, self.remote, self.algorithm)?;
        match &self.refused {
            Some(why) => write!(f, ": {why}"),
            None => Ok(()),
        }
    }
}

/// What was found, and done.
#[derive(Debug, Default)]
pub struct LiveConnections {
    /// Connections that matched.
    pub matched: u64,
    /// Of them, moved. Those that ran on the algorithm already are not counted.
    pub changed: u64,
    /// Each of them, but for [`LiveConnections::unreported`].
    pub connections: Vec<LiveConnection>,
    /// Those for which there was no room to say more (beyond some 14 000).
    pub unreported: u64,
}

/// Live connections, as they are.
///
/// # Errors
/// [`Error`], when this kernel or these rights do not allow it.
pub fn connections(which: &ConnectionFilter) -> Result<LiveConnections, Error> {
    explain_refusal("switch", with_libbpf_log(|| walk(which, "")))
}

/// Moves live connections to the algorithm `to`.
///
/// # Errors
/// [`Error::Scope`], when `which` leaves everything open: that would be every connection of the machine;
/// [`Error::NotRegistered`]; [`Error`], when this kernel or these rights do not allow it. What single connections refuse is in
/// the result.
pub fn switch(which: &ConnectionFilter, to: &str) -> Result<LiveConnections, Error> {
    if *which == ConnectionFilter::ALL {
        return Err(Error::Scope("expected a port or an algorithm, to select connections".to_owned()));
    }
    check(to)?;
    explain_refusal("switch", with_libbpf_log(|| walk(which, to)))
}

fn walk(which: &ConnectionFilter, to: &str) -> Result<LiveConnections, Error> {
    let from = which.algorithm.as_deref().unwrap_or_default();
    let mut open = ObjectBuilder::default().open_memory(&SWITCH.0).map_err(refused("read the object"))?;
    let mut wanted = Vec::new();
    wanted.extend(which.local_port.unwrap_or(0).to_ne_bytes());
    wanted.extend(which.remote_port.unwrap_or(0).to_ne_bytes());
    wanted.extend([0; 4]);
    wanted.extend(padded::<{ NAME_MAX + 1 }>(from));
    wanted.extend(padded::<{ NAME_MAX + 1 }>(to));
    fill(&mut open, WANTED, &wanted)?;
    let object = open.load().map_err(refused("load the program that walks over connections"))?;
    let (send, connections) = channel();
    let ring_map = find(&object, CONNECTIONS)?;
    let mut ring = RingBufferBuilder::new();
    ring.add(&ring_map, move |bytes| {
        // The receiver is there until the end of this function.
        let _ = send.send(connection(bytes));
        0
    })
    .map_err(refused("open the ring buffer"))?;
    let ring = ring.build().map_err(refused("open the ring buffer"))?;
    let program = object.progs_mut().next().ok_or_else(|| Error::Object("no program".to_owned()))?;
    let link = program.attach().map_err(refused("walk over connections"))?;
    let mut steps = Iter::new(&link).map_err(refused("walk over connections"))?;
    loop {
        match steps.read(&mut [0; 64]) {
            Ok(0) => break,
            // The program writes nothing: a long walk stops now and then, and goes on.
            Ok(_) => {}
            Err(why)
                if matches!(why.kind(), std::io::ErrorKind::Interrupted | std::io::ErrorKind::WouldBlock) => {
            }
            Err(why) => return Err(refused("walk over connections")(why.into())),
        }
        ring.consume().map_err(refused("read the ring buffer"))?;
    }
    ring.consume().map_err(refused("read the ring buffer"))?;
    let [matched, changed, unreported] = counters(&object)?;
    Ok(LiveConnections {
        matched,
        changed,
        unreported,
        connections: connections.try_iter().collect::<Result<_, _>>()?,
    })
}

fn counters(object: &Object) -> Result<[u64; 3], Error> {
    let value = first_value(&find(object, FOUND)?);
    let value = value.map_err(refused("read a map"))?.unwrap_or_default();
    Ok(std::array::from_fn(|index| u64::from_ne_bytes(field(&value, 8 * index))))
}

fn connection(bytes: &[u8]) -> Result<LiveConnection, Error> {
    if bytes.len() < BYTES {
        return Err(Error::Record(format!("{} bytes of a connection instead of {BYTES}", bytes.len())));
    }
    let family = u16::from_ne_bytes(field(bytes, FAMILY));
    let address = |at| {
        let address: [u8; 16] = field(bytes, at);
        let [a, b, c, d, ..] = address;
        // A socket of IPv6 may carry a connection of IPv4.
        if family == AF_INET6 { Ipv6Addr::from(address).to_canonical() } else { IpAddr::from([a, b, c, d]) }
    };
    let port = |at| u16::from_ne_bytes(field(bytes, at));
    let error = i32::from_ne_bytes(field(bytes, ERROR));
    Ok(LiveConnection {
        local: SocketAddr::new(address(LOCAL), port(LOCAL_PORT)),
        remote: SocketAddr::new(address(REMOTE), port(REMOTE_PORT)),
        algorithm: text(&field::<16>(bytes, BEFORE)),
        refused: (error != 0).then(|| std::io::Error::from_raw_os_error(-error)),
    })
}
