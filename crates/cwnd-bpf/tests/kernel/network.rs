// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sender, a small dropping queue and a receiver, each in a network namespace of its own.
//!
//! The queue has a namespace to itself because a queue on the sender's own device does not drop: TCP hears of its
//! refusal at once and reduces without a loss. It drops what it has no room for, and besides every full packet whose IP
//! identification (which counts up, packet by packet) is a multiple of 1024: an algorithm that keeps the queue short loses
//! packets too.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketType, ipproto, sockopt};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// When a transfer hangs; on a busy machine one takes many times what its rate says.
const PATIENCE: Duration = Duration::from_secs(900);
const RECEIVER: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(10, 77, 1, 1), 5001);

const CHUNK: usize = 1 << 16;

/// The namespaces; dropping removes them and, with them, their devices.
pub struct TestNetwork {
    prefix: String,
}

/// What a transfer left behind.
pub struct TcpTransfer {
    /// Bytes that the receiver read.
    pub received: u64,
    /// `TCP_CONGESTION` of the sender's socket at the end.
    pub congestion: String,
    /// The sender's sockets at the end, as `ss` shows the kernel's `TCP_INFO`.
    pub info: String,
}

/// Runs a program and returns what it printed.
pub fn run(line: &str) -> String {
    let mut words = line.split_whitespace();
    let program = words.next().expect("a program");
    let output = Command::new(program).args(words).output().unwrap_or_else(|why| panic!("{line}: {why}"));
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

impl TestNetwork {
    /// A path of `rate` with a queue of `limit` packets, unknown to every other process and test.
    pub fn new(tag: &str, rate: &str, limit: u32) -> Self {
        let network = Self { prefix: format!("cwnd-{}-{tag}", std::process::id()) };
        let [sender, queue, receiver] = network.namespaces();
        for namespace in [&sender, &queue, &receiver] {
            run(&format!("ip netns add {namespace}"));
        }
        for (left, left_dev, right, right_dev, subnet) in
            [(&sender, "out", &queue, "in", 0), (&receiver, "in", &queue, "out", 1)]
        {
            run(&format!(
                "ip link add {left_dev} netns {left} type veth peer name {right_dev} netns {right}"
            ));
            for (namespace, dev, host) in [(left, left_dev, 1), (right, right_dev, 2)] {
                // Packets of the path's size, not bundles of them: the queue counts and drops packets.
                run(&format!("ip -n {namespace} link set {dev} gso_max_segs 1 up"));
                run(&format!("ip -n {namespace} addr add 10.77.{subnet}.{host}/24 dev {dev}"));
            }
            run(&format!("ip -n {left} route add default via 10.77.{subnet}.2"));
        }
        within(&queue, || std::fs::write("/proc/sys/net/ipv4/ip_forward", "1")).expect("forwarding");
        // A class with the queue, and one whose packets vanish.
        let class = format!("htb rate {rate} burst 16kb quantum 1514");
        for line in [
            "qdisc add dev out root handle 1: htb default 1",
            &format!("class add dev out parent 1: classid 1:1 {class}"),
            &format!("class add dev out parent 1: classid 1:2 {class}"),
            &format!("qdisc add dev out parent 1:1 pfifo limit {limit}"),
            "qdisc add dev out parent 1:2 blackhole",
            "filter add dev out parent 1: protocol ip u32 match u16 1500 0xffff at 2 match u16 0 0x03ff at 4 flowid 1:2",
        ] {
            run(&format!("tc -n {queue} {line}"));
        }
        network
    }

    /// With which the names of the namespaces begin.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Runs `work` where the sender is.
    pub fn in_sender<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        within(&self.namespaces()[0], work)
    }

    /// The number of the sender's namespace.
    pub fn senders_number(&self) -> u32 {
        let [sender, ..] = self.namespaces();
        std::fs::metadata(format!("/run/netns/{sender}")).expect("the namespace exists").ino() as u32
    }

    fn namespaces(&self) -> [String; 3] {
        ["sender", "queue", "receiver"].map(|role| format!("{}-{role}", self.prefix))
    }

    /// Moves `bytes` on the congestion control `algorithm`.
    pub fn transfer(&self, algorithm: &str, bytes: u64) -> TcpTransfer {
        self.transfer_in_parts(algorithm, bytes, bytes, Duration::ZERO)
    }

    /// Moves data until `more` says no; it is asked after each 64 kB, so that some is sent even if it says no before the connection stands.
    /// What `received` says is what was sent.
    pub fn transfer_while(&self, algorithm: &str, more: &Arc<AtomicBool>) -> TcpTransfer {
        let more = Arc::clone(more);
        self.carry(algorithm, move |stream| {
            loop {
                stream.write_all(&[0x5a; CHUNK])?;
                if !more.load(Ordering::Relaxed) {
                    return Ok(());
                }
            }
        })
    }

    /// The same with a pause after every `part` bytes: an application that has nothing to send.
    pub fn transfer_in_parts(&self, algorithm: &str, bytes: u64, part: u64, pause: Duration) -> TcpTransfer {
        self.carry(algorithm, move |stream| send_parts(stream, bytes, part, pause))
    }

    fn carry(
        &self,
        algorithm: &str,
        write: impl FnOnce(&mut TcpStream) -> std::io::Result<()> + Send + 'static,
    ) -> TcpTransfer {
        let [sender, _, receiver] = self.namespaces();
        let listener = within(&receiver, || TcpListener::bind(RECEIVER)).expect("a listener");
        // An accept that never returns must not hold the test: the threads report, and are left if they do not.
        let (report, reports) = mpsc::channel();
        let received = report.clone();
        thread::spawn(move || {
            let bytes = receive(&listener);
            drop(listener); // before the report: the next transfer listens at the same address
            received.send(TransferReport::Received(bytes))
        });
        let algorithm = algorithm.to_owned();
        thread::spawn(move || report.send(TransferReport::Sent(send(&sender, &algorithm, write))));
        let (mut count, mut at_end) = (0, (String::new(), String::new()));
        for _ in 0..2 {
            match reports.recv_timeout(PATIENCE).expect("the transfer ends in time") {
                TransferReport::Received(bytes) => count = bytes.expect("receiving"),
                TransferReport::Sent(end) => at_end = end.expect("sending"),
            }
        }
        TcpTransfer { received: count, congestion: at_end.0, info: at_end.1 }
    }
}

enum TransferReport {
    Received(std::io::Result<u64>),
    Sent(std::io::Result<(String, String)>),
}

impl Drop for TestNetwork {
    fn drop(&mut self) {
        for namespace in self.namespaces() {
            // Some may be missing when `new` panicked half-way.
            let removed = Command::new("ip").args(["netns", "del", &namespace]).output();
            if let Err(why) = removed {
                eprintln!("namespace {namespace} is left: {why}");
            }
        }
    }
}

/// Runs `work` on a thread inside a namespace; sockets made there stay there.
pub fn within<T: Send>(namespace: &str, work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let inside = scope.spawn(|| {
            let handle = File::open(format!("/run/netns/{namespace}")).expect("the namespace exists");
            move_into_link_name_space(handle.as_fd(), Some(LinkNameSpaceType::Network)).expect("entering it");
            work()
        });
        inside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn receive(listener: &TcpListener) -> std::io::Result<u64> {
    let (mut stream, _) = listener.accept()?;
    stream.set_read_timeout(Some(PATIENCE))?;
    // Reads again when interrupted, which a read with a timeout is by any signal to the process.
    std::io::copy(&mut stream, &mut std::io::sink())
}

/// Sends from `namespace`; returns the socket's congestion control and what `ss` shows.
fn send(
    namespace: &str,
    algorithm: &str,
    write: impl FnOnce(&mut TcpStream) -> std::io::Result<()>,
) -> std::io::Result<(String, String)> {
    let mut stream = within(namespace, || -> std::io::Result<TcpStream> {
        let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, Some(ipproto::TCP))?;
        sockopt::set_tcp_congestion(&socket, algorithm)?;
        rustix::net::connect(&socket, &RECEIVER)?;
        Ok(socket.into())
    })?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write(&mut stream)?;
    let look = || run(&format!("ip netns exec {namespace} ss -tinH"));
    // What is sent after a close is not the application's any more: the kernel tells no recorder of it. The third word is what is not acknowledged.
    let mut info = look();
    for _ in 0..100 {
        if info.split_whitespace().nth(2).is_none_or(|unacknowledged| unacknowledged == "0") {
            break;
        }
        thread::sleep(Duration::from_millis(20));
        info = look();
    }
    let congestion = sockopt::tcp_congestion(&stream)?;
    stream.shutdown(Shutdown::Write)?;
    // The receiver closes when it has everything.
    stream.read_to_end(&mut Vec::new())?;
    Ok((congestion, info))
}

/// Sends `bytes`, with a pause after each `part`.
fn send_parts(stream: &mut TcpStream, bytes: u64, part: u64, pause: Duration) -> std::io::Result<()> {
    let (mut left, mut left_of_part) = (bytes, part);
    while left > 0 {
        let now = left.min(left_of_part).min(CHUNK as u64) as usize;
        stream.write_all(&[0x5a; CHUNK][..now])?;
        left -= now as u64;
        left_of_part -= now as u64;
        if left_of_part == 0 {
            thread::sleep(pause);
            left_of_part = part;
        }
    }
    Ok(())
}

/// Says no when dropped: a transfer that goes on until then ends, whatever has failed meanwhile.
pub struct Going(pub Arc<AtomicBool>);

impl Going {
    pub fn new() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
