// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one request that a user namespace may make by netlink (RFC 3549) alone, and not by `ioctl`: the length of a device's queue.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Room for headers of the message and of the link, and an attribute of 4 bytes (linux/netlink.h, linux/rtnetlink.h).
const LENGTH: usize = 16 + 16 + 8;

/// Lets the queue of the device of this name, in the namespace of this thread, hold so many packets.
pub fn set_queue_length(name: &str, packets: u32) -> io::Result<()> {
    let name = CString::new(name)?;
    // SAFETY: a plain call with a string that lives through it.
    let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
    // SAFETY: a plain call; the descriptor is ours alone.
    let socket = match unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_ROUTE) } {
        -1 => return Err(io::Error::last_os_error()),
        descriptor => unsafe { OwnedFd::from_raw_fd(descriptor) },
    };
    let mut message = Vec::with_capacity(LENGTH);
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16;
    message.extend((LENGTH as u32).to_ne_bytes());
    message.extend(libc::RTM_NEWLINK.to_ne_bytes());
    message.extend(flags.to_ne_bytes());
    message.extend([0; 8]); // sequence number, port
    message.extend([0; 4]); // family, type
    message.extend(index.to_ne_bytes());
    message.extend([0; 8]); // flags of the device, and which of them change
    message.extend(8u16.to_ne_bytes());
    message.extend(libc::IFLA_TXQLEN.to_ne_bytes());
    message.extend(packets.to_ne_bytes());
    let mut answer = [0u8; 256];
    // SAFETY: both buffers live through the calls, which get their lengths.
    let received = unsafe {
        if libc::send(socket.as_raw_fd(), message.as_ptr().cast(), message.len(), 0) < 0 {
            return Err(io::Error::last_os_error());
        }
        libc::recv(socket.as_raw_fd(), answer.as_mut_ptr().cast(), answer.len(), 0)
    };
    // The answer's header, and the error, negative; 0 where there is none.
    let error = answer.get(16..20).filter(|_| received >= 20).map(|bytes| bytes.try_into().unwrap_or([0; 4]));
    match error.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(error) => Err(io::Error::from_raw_os_error(-error)),
        None => Err(io::Error::last_os_error()),
    }
}
