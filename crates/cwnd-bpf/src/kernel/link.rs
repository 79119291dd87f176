// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's links of `struct_ops`: a registration, as long as a descriptor of it is open.

use std::mem::size_of;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use libbpf_rs::libbpf_sys;

use crate::kernel::error::Error;

/// The registration with this number, as long as the descriptor is open.
pub(crate) fn open(id: u32) -> Result<OwnedFd, Error> {
    // SAFETY: a system call with a number; it gives a new descriptor or a negative error.
    let fd = unsafe { libbpf_sys::bpf_link_get_fd_by_id(id) };
    if fd < 0 {
        let why = libbpf_rs::Error::from_raw_os_error(-fd);
        return Err(Error::Kernel { what: "find a registration", why, log: String::new() });
    }
    // SAFETY: the descriptor was opened above and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Whether the link is still attached: one that was detached has no map any more.
pub(crate) fn is_registered(link: BorrowedFd<'_>) -> bool {
    let mut info = libbpf_sys::bpf_link_info::default();
    let mut size = size_of::<libbpf_sys::bpf_link_info>() as u32;
    // SAFETY: a system call on a descriptor that is open; it writes at most `size` bytes of plain numbers.
    let result =
        unsafe { libbpf_sys::bpf_link_get_info_by_fd(link.as_raw_fd(), &raw mut info, &raw mut size) };
    // SAFETY: which of the kinds it is has been fixed by the kernel, and every kind is plain numbers.
    result == 0 && unsafe { info.__bindgen_anon_1.struct_ops.map_id } != 0
}
