// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the driver and this library call of each other: the declarations of kernel/cwnd.h.
//!
//! The kernel calls with interrupts off, from one thread: no call begins before the last one has returned.

use crate::run::{Run, prepare};
use cwnd_live::HostSide;
use std::cell::RefCell;
use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_ulong, c_ulonglong, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{from_ref, null};

const VERSION: c_uint = 1;

/// What the library calls: `struct cwnd_kernel`.
#[repr(C)]
pub struct Kernel {
    deliver: unsafe extern "C" fn(c_uint, *const c_void, *const c_void, c_uint),
}

impl Kernel {
    /// Hands a packet to a host; `merged` describes one that stands for several segments.
    pub fn deliver(&self, to: HostSide, merged: Option<&[u8; 10]>, packet: &[u8]) {
        let merged = merged.map_or(null(), |header| from_ref(header).cast());
        // SAFETY: the kernel copies the bytes, and reads no more than these.
        unsafe { (self.deliver)(to as c_uint, merged, packet.as_ptr().cast(), packet.len() as c_uint) }
    }
}

/// What the kernel calls: `struct cwnd_links`.
#[repr(C)]
pub struct Links {
    version: c_uint,
    open: unsafe extern "C" fn(&'static Kernel, *const c_char) -> c_int,
    sent: unsafe extern "C" fn(c_uint, c_ulonglong, *const c_void, c_uint, c_uint, c_uint),
    due: extern "C" fn(c_ulonglong),
    next: extern "C" fn() -> c_ulonglong,
    told: unsafe extern "C" fn(c_ulonglong, *const c_void, c_uint) -> c_int,
}

static LINKS: Links = Links { version: VERSION, open, sent, due, next, told };

/// The library's only symbol.
#[unsafe(no_mangle)]
pub extern "C" fn cwnd_links() -> *const Links {
    &raw const LINKS
}

thread_local! {
    // All of the kernel is one thread of the host.
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

fn with<T>(task: impl FnOnce(&mut Run) -> T) -> Option<T> {
    RUN.with_borrow_mut(|run| run.as_mut().map(task))
}

/// # Safety
/// `folder` is a string that ends with a zero.
unsafe extern "C" fn open(kernel: &'static Kernel, folder: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    let folder = unsafe { CStr::from_ptr(folder) };
    let folder = Path::new(OsStr::from_bytes(folder.to_bytes()));
    let run = Run::new(kernel, folder);
    let is_there = run.is_some();
    RUN.set(run);
    c_int::from(!is_there)
}

/// # Safety
/// `packet` has `length` bytes.
unsafe extern "C" fn sent(
    side: c_uint,
    now: c_ulonglong,
    packet: *const c_void,
    length: c_uint,
    cwnd: c_uint,
    ssthresh: c_uint,
) {
    // SAFETY: the caller's promise.
    let packet = unsafe { std::slice::from_raw_parts(packet.cast::<u8>(), length as usize) };
    let side = if side == 0 { HostSide::Senders } else { HostSide::Receivers };
    with(|run| run.sent(side, now, packet, [cwnd, ssthresh]));
}

extern "C" fn due(now: c_ulonglong) {
    with(|run| run.advance(now));
}

extern "C" fn next() -> c_ulonglong {
    with(|run| run.next()).unwrap_or(c_ulonglong::MAX)
}

/// # Safety
/// `bytes` has `length` bytes.
unsafe extern "C" fn told(now: c_ulonglong, bytes: *const c_void, length: c_uint) -> c_int {
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize) };
    let Ok(message) = postcard::from_bytes(bytes) else { return 1 };
    let over = with(|run| run.told(now, message)).unwrap_or(false);
    if over && let Some(run) = RUN.take() {
        prepare(move || run.finish());
    }
    0
}

const _: () = assert!(size_of::<c_ulong>() == 8, "the driver has 64 bits");
