// SPDX-License-Identifier: MIT OR Apache-2.0
//! What this library calls of the driver.

use cwnd_live::HostSide;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::{from_ref, null};

/// What the library calls: `struct cwnd_kernel`.
#[repr(C)]
pub struct Kernel {
    deliver: unsafe extern "C" fn(c_uint, *const c_void, *const c_void, c_uint),
    add: unsafe extern "C" fn(c_uint, *const c_char, c_int, *const c_char, c_int) -> c_int,
    enqueue: unsafe extern "C" fn(c_uint, c_uint, *const c_void, c_uint),
    ready: extern "C" fn(c_uint),
}

impl Kernel {
    /// Hands a packet to a host; `merged` describes one that stands for several segments.
    pub fn deliver(&self, to: HostSide, merged: Option<&[u8; 10]>, packet: &[u8]) {
        let merged = merged.map_or(null(), |header| from_ref(header).cast());
        // SAFETY: the kernel copies the bytes, and reads no more than these.
        unsafe { (self.deliver)(to as c_uint, merged, packet.as_ptr().cast(), packet.len() as c_uint) }
    }

    /// A packet arrives at the kernel's queue of a link.
    pub fn enqueue(&self, link: u32, number: u32, packet: &[u8]) {
        // SAFETY: the kernel copies the bytes, and reads no more than these.
        unsafe { (self.enqueue)(link, number, packet.as_ptr().cast(), packet.len() as c_uint) }
    }

    /// A link can send the next packet of the kernel's queue.
    pub fn ready(&self, link: u32) {
        (self.ready)(link);
    }

    /// Makes an algorithm of this number a congestion control of this name; with `kernels`, the kernel's own of that name
    /// instead. Returns 0, or an error of the kernel.
    pub fn add(
        &self,
        number: u32,
        name: &CStr,
        sets_the_rate: bool,
        kernels: Option<&CStr>,
        is_recorded: bool,
    ) -> i32 {
        let kernels = kernels.map_or(null(), CStr::as_ptr);
        // SAFETY: the kernel copies the name, and uses `kernels` only during the call.
        unsafe {
            (self.add)(number, name.as_ptr(), c_int::from(sets_the_rate), kernels, c_int::from(is_recorded))
        }
    }
}
