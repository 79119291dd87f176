// SPDX-License-Identifier: MIT OR Apache-2.0
//! A bottleneck between two sockets of this machine, in real time: a rate, a drop-tail queue and a delay in one direction, nothing in the other.

#![expect(clippy::disallowed_methods, reason = "datagrams wait in real time")]

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What the bottleneck is.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Rate, bytes a second.
    pub rate: u64,
    /// Delay behind the queue.
    pub delay: Duration,
    /// Datagrams that may wait.
    pub room: usize,
}

/// A running bottleneck; it ends when it is dropped.
pub struct Bottleneck {
    /// Where the client sends to.
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    dropped: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

/// Waits no longer than this for a datagram, so that the end is noticed.
const PATIENCE: Duration = Duration::from_millis(20);

impl Bottleneck {
    /// One before `server`.
    pub fn before(server: SocketAddr, path: Path) -> std::io::Result<Self> {
        let front = Arc::new(UdpSocket::bind("127.0.0.1:0")?);
        let back = Arc::new(UdpSocket::bind("127.0.0.1:0")?);
        let (stop, dropped) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let client = Arc::new(std::sync::Mutex::new(None::<SocketAddr>));
        let address = front.local_addr()?;
        let forward = {
            let (front, back, stop, dropped, client) =
                (front.clone(), back.clone(), stop.clone(), dropped.clone(), client.clone());
            std::thread::spawn(move || forward(&front, &back, server, path, &stop, &dropped, &client))
        };
        let backward = {
            let stop = stop.clone();
            std::thread::spawn(move || backward(&front, &back, &stop, &client))
        };
        Ok(Self { address, stop, dropped, threads: vec![forward, backward] })
    }

    /// Datagrams that found the queue full.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl Drop for Bottleneck {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.join().expect("a thread of the bottleneck has panicked");
        }
    }
}

/// Waits for a datagram, at most until `until`.
fn receive(socket: &UdpSocket, until: Option<Instant>, buffer: &mut [u8]) -> Option<(usize, SocketAddr)> {
    let wait = until.map_or(PATIENCE, |at| at.saturating_duration_since(Instant::now()).min(PATIENCE));
    socket.set_read_timeout(Some(wait.max(Duration::from_micros(1)))).expect("a timeout above 0");
    match socket.recv_from(buffer) {
        Ok(received) => Some(received),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::ConnectionRefused
            ) =>
        {
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn forward(
    front: &UdpSocket,
    back: &UdpSocket,
    server: SocketAddr,
    path: Path,
    stop: &AtomicBool,
    dropped: &AtomicU64,
    client: &std::sync::Mutex<Option<SocketAddr>>,
) {
    // Those that wait or are on their way: when they leave the queue, and what they are.
    let mut out: VecDeque<(Instant, Vec<u8>)> = VecDeque::new();
    let (mut free_at, mut buffer) = (Instant::now(), [0; 65_536]);
    while !stop.load(Ordering::Relaxed) {
        let due = out.front().map(|(leaves, _)| *leaves + path.delay);
        if let Some((length, from)) = receive(front, due, &mut buffer) {
            *client.lock().expect("nobody panics with it") = Some(from);
            let now = Instant::now();
            let waiting = out.iter().rev().take_while(|(leaves, _)| *leaves > now).count();
            if waiting > path.room {
                dropped.fetch_add(1, Ordering::Relaxed);
            } else {
                let takes = Duration::from_nanos(length as u64 * 1_000_000_000 / path.rate);
                free_at = free_at.max(now) + takes;
                out.push_back((free_at, buffer[..length].to_vec()));
            }
        }
        while out.front().is_some_and(|(leaves, _)| *leaves + path.delay <= Instant::now()) {
            if let Some((_, datagram)) = out.pop_front() {
                back.send_to(&datagram, server).expect("loopback takes it");
            }
        }
    }
}

fn backward(
    front: &UdpSocket,
    back: &UdpSocket,
    stop: &AtomicBool,
    client: &std::sync::Mutex<Option<SocketAddr>>,
) {
    let mut buffer = [0; 65_536];
    while !stop.load(Ordering::Relaxed) {
        let Some((length, _)) = receive(back, None, &mut buffer) else { continue };
        if let Some(client) = *client.lock().expect("nobody panics with it") {
            front.send_to(&buffer[..length], client).expect("loopback takes it");
        }
    }
}
