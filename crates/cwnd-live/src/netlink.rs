// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests by netlink (RFC 3549): those that a user namespace may not make by `ioctl`, and that there is no `ioctl` for.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// The handle of a device's outermost queue discipline (linux/pkt_sched.h: `TC_H_ROOT`).
const ROOT: u32 = u32::MAX;

/// Lets the queue of the device of this name, in the namespace of this thread, hold so many packets.
pub fn set_queue_length(name: &str, packets: u32) -> io::Result<()> {
    let index = index_of(name)?;
    // linux/rtnetlink.h, `struct ifinfomsg`: family, type, index, flags and which of them change.
    let link = [[0; 4], index.to_ne_bytes(), [0; 4], [0; 4]].concat();
    request(libc::RTM_NEWLINK, 0, link, &attribute(libc::IFLA_TXQLEN, &packets.to_ne_bytes())).map(drop)
}

/// Lets the device of this name, in the namespace of this thread, take so many segments of TCP at once. The sockets of TCP hand over several
/// whatever else a device can do.
pub fn set_gso_max_segs(name: &str, segments: u32) -> io::Result<()> {
    let link = [[0; 4], index_of(name)?.to_ne_bytes(), [0; 4], [0; 4]].concat();
    request(libc::RTM_NEWLINK, 0, link, &attribute(libc::IFLA_GSO_MAX_SEGS, &segments.to_ne_bytes()))
        .map(drop)
}

/// How many it takes.
pub fn gso_max_segs(name: &str) -> io::Result<u32> {
    let link = [[0; 4], index_of(name)?.to_ne_bytes(), [0; 4], [0; 4]].concat();
    let answer = request(libc::RTM_GETLINK, 0, link, &[])?;
    // The headers of the answer, then attributes: length, kind, value, each padded to four bytes.
    let mut rest = answer.get(16 + 16..).unwrap_or_default();
    while let [low, high, kind_low, kind_high, ..] = *rest {
        let length = usize::from(u16::from_ne_bytes([low, high])).max(4);
        if u16::from_ne_bytes([kind_low, kind_high]) == libc::IFLA_GSO_MAX_SEGS
            && let Some(Ok(value)) = rest.get(4..8).map(<[u8; 4]>::try_from)
        {
            return Ok(u32::from_ne_bytes(value));
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Gives the device of this name, in the namespace of this thread, a queue discipline, with that one's defaults.
pub fn set_discipline(name: &str, discipline: &str) -> io::Result<()> {
    let index = index_of(name)?;
    // `struct tcmsg`: family, index, handle, parent, info.
    let class = [[0; 4], index.to_ne_bytes(), [0; 4], ROOT.to_ne_bytes(), [0; 4]].concat();
    let name = [discipline.as_bytes(), &[0]].concat();
    let flags = libc::NLM_F_CREATE | libc::NLM_F_REPLACE;
    request(libc::RTM_NEWQDISC, flags, class, &attribute(libc::TCA_KIND, &name)).map(drop)
}

fn index_of(name: &str) -> io::Result<u32> {
    let name = CString::new(name)?;
    // SAFETY: a plain call with a string that lives through it.
    Ok(unsafe { libc::if_nametoindex(name.as_ptr()) })
}

/// An attribute with its header, padded to four bytes.
fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = (4 + value.len()) as u16;
    let mut all = [&length.to_ne_bytes(), &kind.to_ne_bytes(), value].concat();
    all.resize(all.len().next_multiple_of(4), 0);
    all
}

/// Makes a request, and returns the kernel's answer: that there was no error, or what was asked for.
fn request(kind: u16, flags: libc::c_int, header: Vec<u8>, attribute: &[u8]) -> io::Result<Vec<u8>> {
    let socket_kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
    // SAFETY: a plain call; the descriptor is ours alone.
    let socket = match unsafe { libc::socket(libc::AF_NETLINK, socket_kind, libc::NETLINK_ROUTE) } {
        -1 => return Err(io::Error::last_os_error()),
        descriptor => unsafe { OwnedFd::from_raw_fd(descriptor) },
    };
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_ACK | flags) as u16;
    let length = (16 + header.len() + attribute.len()) as u32;
    // linux/netlink.h, `struct nlmsghdr`: length, type, flags, sequence number, port.
    let mut message =
        [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), &flags.to_ne_bytes(), &[0; 8]].concat();
    message.extend(header);
    message.extend(attribute);
    let mut answer = vec![0u8; 1 << 14];
    // SAFETY: both buffers live through the calls, which get their lengths.
    let received = unsafe {
        if libc::send(socket.as_raw_fd(), message.as_ptr().cast(), message.len(), 0) < 0 {
            return Err(io::Error::last_os_error());
        }
        libc::recv(socket.as_raw_fd(), answer.as_mut_ptr().cast(), answer.len(), 0)
    };
    let Ok(received) = usize::try_from(received) else { return Err(io::Error::last_os_error()) };
    answer.truncate(received);
    let word = |from: usize, to: usize| answer.get(from..to).unwrap_or_default();
    if word(4, 6) != (libc::NLMSG_ERROR as u16).to_ne_bytes() {
        return Ok(answer);
    }
    // Behind the header the error, negative; 0 where there is none.
    let error = i32::from_ne_bytes(word(16, 20).try_into().map_err(|_| io::ErrorKind::UnexpectedEof)?);
    if error == 0 { Ok(answer) } else { Err(io::Error::from_raw_os_error(-error)) }
}
