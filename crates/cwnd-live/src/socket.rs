// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sockets of the applications: what the standard library has no call for.

use std::io;
use std::mem::offset_of;
use std::net::{Ipv4Addr, Shutdown, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

/// Connections that may wait for a listener, or for the end of their handshakes: all that traffic can have. The host's settings say the same.
const BACKLOG: i32 = 32_768;
/// Most that is written at once, bytes.
pub const ZEROS: usize = 1 << 16;

/// The kernel's `struct tcp_info`, as of Linux 6.7.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct TcpInfo {
    state: u8,
    pub ca_state: u8,
    _unused: [u8; 6],
    _rto_to_rcv_mss: [u32; 4],
    pub unacked: u32,
    pub sacked: u32,
    pub lost: u32,
    /// Retransmitted and still on its way.
    pub retrans: u32,
    _fackets_to_rcv_ssthresh: [u32; 7],
    /// Smoothed, µs.
    pub rtt: u32,
    _rttvar: u32,
    pub snd_ssthresh: u32,
    pub snd_cwnd: u32,
    _advmss_to_rcv_space: [u32; 4],
    pub total_retrans: u32,
    _rates: [u64; 2],
    pub bytes_acked: u64,
    _bytes_received: u64,
    _segs_out_to_data_segs_in: [u32; 5],
    pub data_segs_out: u32,
    _delivery_rate_to_sndbuf_limited: [u64; 4],
    pub delivered: u32,
    _delivered_ce: u32,
    _bytes_sent_and_retrans: [u64; 2],
    pub dsack_dups: u32,
    _reord_seen_to_rehash: [u32; 5],
    pub total_rto: u16,
    _total_rto_recoveries: u16,
    _total_rto_time: u32,
}

// Places in linux/tcp.h.
const _: () = {
    assert!(offset_of!(TcpInfo, unacked) == 24 && offset_of!(TcpInfo, rtt) == 68);
    assert!(offset_of!(TcpInfo, snd_cwnd) == 80 && offset_of!(TcpInfo, total_retrans) == 100);
    assert!(offset_of!(TcpInfo, bytes_acked) == 120 && offset_of!(TcpInfo, data_segs_out) == 156);
    assert!(offset_of!(TcpInfo, delivered) == 192 && offset_of!(TcpInfo, dsack_dups) == 216);
    assert!(offset_of!(TcpInfo, total_rto) == 240 && size_of::<TcpInfo>() == 248);
};

impl TcpInfo {
    /// Of a socket.
    pub fn of(socket: &TcpStream) -> io::Result<Self> {
        let mut info = Self::default();
        let mut length = size_of::<Self>() as libc::socklen_t;
        // SAFETY: plain integers of which the call writes up to `length` bytes.
        let answer = unsafe {
            libc::getsockopt(
                socket.as_raw_fd(),
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                (&raw mut info).cast(),
                &raw mut length,
            )
        };
        if answer != 0 {
            return Err(io::Error::last_os_error());
        }
        // What an older kernel does not write would read as "no timeouts".
        let known = offset_of!(Self, total_rto) + size_of::<u16>();
        let old = || io::Error::new(io::ErrorKind::Unsupported, "Linux 6.7 or newer is needed");
        if (length as usize) < known { Err(old()) } else { Ok(info) }
    }

    /// Segments in flight, as the kernel counts them.
    pub const fn in_flight(&self) -> u32 {
        (self.unacked + self.retrans).saturating_sub(self.sacked + self.lost)
    }
}

/// An option of a socket, with its value as the kernel takes it.
fn set<T>(socket: &impl AsRawFd, level: i32, option: i32, value: &T) -> io::Result<()> {
    // SAFETY: the value lives through the call, and is read as so many bytes.
    let answer = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            std::ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Raises the limit on open descriptors to `needed`, and towards `useful` as far as the system allows it.
pub fn allow_descriptors(needed: u64, useful: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(useful, |most| useful.min(most)).max(needed);
    if limit.current.is_some_and(|current| current < wanted) {
        setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit })?;
    }
    Ok(())
}

/// A socket that is not connected yet, does not block, and will [`end_at_once`].
pub fn unconnected() -> io::Result<TcpStream> {
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: a plain call; the descriptor is ours alone.
    let stream = match unsafe { libc::socket(libc::AF_INET, kind, 0) } {
        -1 => return Err(io::Error::last_os_error()),
        descriptor => TcpStream::from(unsafe { OwnedFd::from_raw_fd(descriptor) }),
    };
    end_at_once(&stream)?;
    Ok(stream)
}

/// Begins to connect.
pub fn connect(socket: &TcpStream, to: SocketAddrV4) -> io::Result<()> {
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as _,
        sin_port: to.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(to.ip().octets()) },
        sin_zero: [0; 8],
    };
    let length = size_of::<libc::sockaddr_in>() as libc::socklen_t;
    // SAFETY: the address lives through the call and is of this length.
    let answer = unsafe { libc::connect(socket.as_raw_fd(), (&raw const address).cast(), length) };
    let error = io::Error::last_os_error();
    if answer == 0 || error.raw_os_error() == Some(libc::EINPROGRESS) { Ok(()) } else { Err(error) }
}

/// Waits for a connection at this port; does not block.
pub fn listen(address: Ipv4Addr, port: u16) -> io::Result<TcpListener> {
    let listener = TcpListener::bind((address, port))?;
    rustix::net::listen(&listener, BACKLOG)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Gives a socket a port of its own.
pub fn bind(socket: &TcpStream, port: u16) -> io::Result<()> {
    let address = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, port);
    rustix::net::bind(socket, &address).map_err(io::Error::from)
}

/// A socket for datagrams, which others may share the port with; does not block.
pub fn datagrams_from(port: u16) -> io::Result<UdpSocket> {
    let kind = libc::SOCK_DGRAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: a plain call; the descriptor is ours alone.
    let socket = match unsafe { libc::socket(libc::AF_INET, kind, 0) } {
        -1 => return Err(io::Error::last_os_error()),
        descriptor => UdpSocket::from(unsafe { OwnedFd::from_raw_fd(descriptor) }),
    };
    set(&socket, libc::SOL_SOCKET, libc::SO_REUSEADDR, &1i32)?;
    rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, port))?;
    Ok(socket)
}

/// Lets the other end have at most this many bytes in flight. Connections that a listener accepts
/// have the same limit.
pub fn limit_window(socket: &impl AsRawFd, bytes: u64) -> io::Result<()> {
    // A buffer of a fixed size, as the kernel moves the limit with one that it sizes itself; four times the window has room for what segments take.
    let bytes = i32::try_from(bytes).unwrap_or(i32::MAX / 4).min(i32::MAX / 4);
    set(socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, &(4 * bytes))?;
    keep_window(socket, bytes as u64)
}

/// Sets the limit again: the kernel forgets it when it learns how much memory a segment takes.
pub fn keep_window(socket: &impl AsRawFd, bytes: u64) -> io::Result<()> {
    let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
    set(socket, libc::IPPROTO_TCP, libc::TCP_WINDOW_CLAMP, &bytes)
}

/// Makes the socket readable only when this many bytes have come, or its end.
pub fn read_from(socket: &impl AsRawFd, bytes: i32) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_RCVLOWAT, &bytes)
}

/// Writes up to this many zeros, at most `ZEROS`; with `more` to come the last segment waits until it is full.
pub fn send_zeros(socket: &TcpStream, bytes: usize, more: bool) -> io::Result<usize> {
    static CHUNK: [u8; ZEROS] = [0; ZEROS];
    let flags = libc::MSG_NOSIGNAL | if more { libc::MSG_MORE } else { 0 };
    // SAFETY: the bytes live for ever.
    let answer = unsafe { libc::send(socket.as_raw_fd(), CHUNK.as_ptr().cast(), bytes.min(ZEROS), flags) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer as usize) }
}

/// Goes over to an algorithm of the kernel.
pub fn use_algorithm(socket: &impl AsFd, name: &str) -> io::Result<()> {
    rustix::net::sockopt::set_tcp_congestion(socket, name).map_err(io::Error::from)
}

/// Makes the socket writable only while less than this is not sent yet, bytes: an application that stops leaves no more behind.
pub fn keep_unsent_below(socket: &TcpStream, bytes: u32) -> io::Result<()> {
    set(socket, libc::IPPROTO_TCP, libc::TCP_NOTSENT_LOWAT, &bytes)
}

/// Lets the kernel pace the connection at the rate that its algorithm, or the kernel's margin above window / RTT, gives it.
pub fn pace(socket: &TcpStream) -> io::Result<()> {
    // A limit that limits nothing, but is not "none": the kernel paces connections that have a limit.
    set(socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, &(u64::MAX - 1))
}

/// Lets the connection end when its socket closes, whoever closes it: what is on its way is not awaited. A socket of a process that was killed would
/// send it again and again for two minutes, and hold its algorithm in the kernel.
pub fn end_at_once(socket: &impl AsRawFd) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_LINGER, &libc::linger { l_onoff: 1, l_linger: 0 })
}

/// Says that nothing more will be sent, and lets what is there end in order: only such a connection leaves metrics for later ones.
pub fn end_in_order(socket: &TcpStream) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_LINGER, &libc::linger { l_onoff: 0, l_linger: 0 })?;
    match socket.shutdown(Shutdown::Write) {
        // It has ended already.
        Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
        ended => ended,
    }
}

/// Takes up to this many bytes off a connection without copying them; 0 at its end.
pub fn discard(socket: &TcpStream, bytes: usize) -> io::Result<usize> {
    // SAFETY: with MSG_TRUNC the kernel writes nothing for TCP (tcp(7)).
    let answer = unsafe { libc::recv(socket.as_raw_fd(), std::ptr::null_mut(), bytes, libc::MSG_TRUNC) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer as usize) }
}
