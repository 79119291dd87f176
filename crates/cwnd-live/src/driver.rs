// SPDX-License-Identifier: MIT OR Apache-2.0
//! The driver of the guest's kernel in lane linux, `/dev/cwnd`: it has the hosts' devices, and a library in the process of that kernel has the links.
//!
//! Its other side is in python/cwnd/linux/driver.

use crate::error::{Error, while_doing};
use crate::message::Message;
use crate::paths::HostSide;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};

/// `_IO('c', 1)`, `_IO('c', 3)` and `_IOWR('c', 2, struct cwnd_begin)` of python/cwnd/linux/driver/cwnd_ioctl.h.
const MAKE_HOST: libc::c_ulong = 0x6301;
const MAKE_LINK: libc::c_ulong = 0x6303;
const BEGIN: libc::c_ulong = 0xc018_6302;

/// `struct cwnd_begin`.
#[repr(C)]
struct Begin {
    lead: u64,
    phase: u64,
    zero: u64,
}

const _: () = assert!(size_of::<Begin>() == 0x18);

/// What the driver tells of the connections of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmRecords {
    /// Whether it tells what they do.
    pub is_recorded: bool,
    /// Whether that goes into the tables of a trace.
    pub is_traced: bool,
}

/// The open driver.
#[derive(Debug)]
pub struct Driver(File);

impl Driver {
    /// Opens it.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn open() -> Result<Self, Error> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/cwnd");
        file.map(Self).map_err(while_doing("open /dev/cwnd"))
    }

    /// Makes the device of a host in the namespace of this thread; returns a descriptor of the driver.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn make_host(&self, side: HostSide) -> Result<OwnedFd, Error> {
        // SAFETY: a request with a plain number.
        let answer = unsafe { libc::ioctl(self.0.as_raw_fd(), MAKE_HOST as _, side as libc::c_ulong) };
        let device = if answer == 0 { self.0.try_clone() } else { Err(io::Error::last_os_error()) };
        device.map(OwnedFd::from).map_err(while_doing("make the device of a host"))
    }

    /// Makes the device of the link of this number, whose queue is the kernel's, in the namespace of this thread; returns its name.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn make_link(&self, number: u32) -> Result<String, Error> {
        // SAFETY: a request with a plain number.
        match unsafe { libc::ioctl(self.0.as_raw_fd(), MAKE_LINK as _, libc::c_ulong::from(number)) } {
            0 => Ok(format!("link{number}")),
            _ => Err(while_doing("make the device of a link")(io::Error::last_os_error())),
        }
    }

    /// Whether a queue bench is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let bytes = postcard::to_allocvec(&Message::Waits).expect("messages can be written");
        (&self.0).write_all(&bytes).is_ok()
    }

    /// Lets the scenario begin, not before `lead` ns, where the kernel's count of ticks has run for `phase` ns, modulo 4096 ticks; returns
    /// when, ns on the monotonic clock.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn begin(&self, lead: u64, phase: u64) -> Result<u64, Error> {
        let mut begin = Begin { lead, phase, zero: 0 };
        // SAFETY: the structure is of the type that the request takes, and outlives the call.
        match unsafe { libc::ioctl(self.0.as_raw_fd(), BEGIN as _, &raw mut begin) } {
            0 => Ok(begin.zero),
            _ => Err(while_doing("begin")(io::Error::last_os_error())),
        }
    }

    /// Asks for an algorithm under this name: a parameter set of cwnd, or `kernel/NAME`, one of the kernel's.
    ///
    /// # Errors
    /// [`Error::System`] where the library or the kernel does not have it.
    pub fn add(
        &self,
        cc: &str,
        params: &[(String, String)],
        name: &str,
        told: AlgorithmRecords,
    ) -> Result<(), Error> {
        let (cc, params, name) = (cc.to_owned(), params.to_vec(), name.to_owned());
        let AlgorithmRecords { is_recorded, is_traced } = told;
        let what = format!("use {cc}");
        let message = Message::Algorithm { cc, params, name, is_recorded, is_traced };
        let bytes = postcard::to_allocvec(&message).map_err(io::Error::other);
        bytes.and_then(|bytes| (&self.0).write_all(&bytes)).map_err(while_doing(what))
    }

    /// Says something to the library.
    ///
    /// # Panics
    /// When the driver takes no message: there is nobody else to tell of it.
    pub fn tell(&self, message: &Message) {
        let bytes = postcard::to_allocvec(message).expect("messages can be written");
        (&self.0).write_all(&bytes).expect("the driver takes messages");
    }
}
