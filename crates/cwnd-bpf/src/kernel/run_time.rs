// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's measurement of the time that BPF programs take.

use std::fmt;
use std::os::fd::{FromRawFd, OwnedFd};

use libbpf_rs::ErrorExt as _;
use libbpf_rs::libbpf_sys;

use crate::kernel::error::{Error, refused};

/// While it lives, the kernel takes the time of every call of every BPF program (the sysctl `kernel.bpf_stats_enabled`, which
/// it leaves as it is); however the process ends, the kernel stops.
pub struct Timing {
    _on: OwnedFd,
}

impl fmt::Debug for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Timing")
    }
}

impl Timing {
    /// Starts it. It costs each call two readings of a clock, which count as part of the call.
    ///
    /// # Errors
    /// [`Error::Kernel`], mostly for want of rights.
    pub fn start() -> Result<Self, Error> {
        // SAFETY: a system call with a number, which returns a descriptor of our own or an error.
        let fd = unsafe { libbpf_sys::bpf_enable_stats(libbpf_sys::BPF_STATS_RUN_TIME) };
        if fd < 0 {
            let why = libbpf_rs::Error::from_raw_os_error(-fd).context("bpf_enable_stats");
            return Err(refused("take times")(why));
        }
        // SAFETY: just opened, and it has no other owner.
        Ok(Self { _on: unsafe { OwnedFd::from_raw_fd(fd) } })
    }
}
