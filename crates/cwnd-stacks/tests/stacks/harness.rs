// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two ends, a bottleneck with a drop-tail queue between them, and virtual time.

use cwnd_scenario::{Stack, stock_name};
use cwnd_sim::{Connection, ConnectionSpec, EcnCodepoint, Endpoint, Probe, StackAlgorithm, Stacks};
use cwnd_stacks::{RealStacks, stock_algorithms};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

pub const MS: u64 = 1_000_000;
pub const SECOND: u64 = 1_000_000_000;

/// The path of a connection. Acknowledgements meet the delay alone.
#[derive(Clone, Debug)]
pub struct Path {
    pub rate: u64,
    pub one_way: u64,
    /// Bytes that wait, the one in service included.
    pub buffer: u64,
    /// Bytes in the queue above which ECN-capable datagrams are marked.
    pub mark_above: Option<u64>,
    /// Datagrams of the sender that are lost, counted from 0.
    pub lost: BTreeSet<u64>,
    /// Whether [`Outcome::bytes`] is wanted: it takes a fifth of the time.
    pub hashes_bytes: bool,
}

impl Path {
    /// `mbps`, a round trip of `rtt_ms`, a buffer of one bandwidth-delay product.
    pub fn new(mbps: u64, rtt_ms: u64) -> Self {
        let buffer = (mbps * 125 * rtt_ms).max(30_000);
        let one_way = rtt_ms * MS / 2;
        Self {
            rate: mbps * 1_000_000,
            one_way,
            buffer,
            mark_above: None,
            lost: BTreeSet::new(),
            hashes_bytes: true,
        }
    }
}

/// What a run shows.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Datagrams of the sender and of the receiver, in the order of their time.
    pub datagrams: [u64; 2],
    pub longest: usize,
    pub drops: u64,
    /// When the bottleneck dropped.
    pub drop_times: Vec<u64>,
    pub marks: u64,
    /// Over time and length of all datagrams.
    pub shape: u64,
    /// Over time, length and bytes of all datagrams.
    pub bytes: u64,
    /// Time of the sender's last datagram.
    pub last_sent: u64,
    pub sender: Probe,
    pub receiver: Probe,
    pub failure: Option<String>,
}

impl Outcome {
    /// Share of the bottleneck's rate that the application got, over the whole run.
    pub fn goodput(&self, path: &Path, seconds: u64) -> f64 {
        self.receiver.read as f64 * 8.0 / seconds as f64 / path.rate as f64
    }
}

/// A receive window that limits nothing, bytes.
pub const UNLIMITED: Option<u64> = Some(1 << 40);

/// The stacks that are linked in.
pub fn linked() -> impl Iterator<Item = Stack> {
    Stack::ALL.iter().copied().filter(|stack| stack.package().is_some())
}

/// Those of them that are QUIC: they have TLS, ECN, a controller that shows its window, and our algorithms.
pub fn quic() -> impl Iterator<Item = Stack> {
    linked().filter(|stack| stack.is_quic())
}

/// Stacks with all algorithms of theirs.
pub fn with_algorithms(stacks: impl Iterator<Item = Stack>) -> impl Iterator<Item = (Stack, &'static str)> {
    stacks.flat_map(|stack| stock_algorithms(stack).iter().map(move |&algorithm| (stack, algorithm)))
}

/// Whether one seed gives one result with an algorithm of a stack's own: scenarios have those alone.
pub fn is_reproducible(stack: Stack, algorithm: &str) -> bool {
    stack.stock().iter().any(|cc| stock_name(cc) == Some(algorithm))
}

/// A connection with the stack's own receive window.
pub fn connect(stack: Stack, algorithm: &str, seed: u64, tls: bool) -> Connection {
    connect_with(stack, algorithm, (seed, tls), None)
}

pub fn connect_with(
    stack: Stack,
    algorithm: &str,
    (seed, tls): (u64, bool),
    receive_window: Option<u64>,
) -> Connection {
    let algorithm = StackAlgorithm::Stock(algorithm.to_owned());
    RealStacks
        .connect(ConnectionSpec { stack, algorithm, datagram: 1452, receive_window, tls, seed, exec: None })
        .expect("stack and algorithm")
}

/// Runs an endless transfer.
pub fn transfer(connection: Connection, path: &Path, seconds: u64) -> Outcome {
    Network::new(connection, path.clone()).write(u64::MAX).run(seconds * SECOND)
}

/// A datagram on its way: arrival, order, which end it goes to, bytes.
type Arrival = Reverse<(u64, u64, usize, EcnOrd, Vec<u8>)>;
/// `EcnCodepoint` has no order.
type EcnOrd = u8;

pub struct Network {
    ends: [Box<dyn Endpoint>; 2],
    timers: [u64; 2],
    path: Path,
    /// Departures and sizes of the queue.
    queue: VecDeque<(u64, u64)>,
    queued: u64,
    free_at: u64,
    arrivals: BinaryHeap<Arrival>,
    sequence: u64,
    spare: Vec<Vec<u8>>,
    now: u64,
    out: Outcome,
}

impl Network {
    pub fn new(connection: Connection, path: Path) -> Self {
        let mut network = Self {
            ends: [connection.sender, connection.receiver],
            timers: [u64::MAX; 2],
            path,
            queue: VecDeque::new(),
            queued: 0,
            free_at: 0,
            arrivals: BinaryHeap::new(),
            sequence: 0,
            spare: Vec::new(),
            now: 0,
            out: Outcome::default(),
        };
        for end in [1, 0] {
            network.ends[end].open(0);
            network.after(end);
        }
        network
    }

    pub fn write(mut self, bytes: u64) -> Self {
        self.ends[0].write(self.now, bytes);
        self.after(0);
        self
    }

    pub fn finish(mut self) -> Self {
        self.ends[0].finish(self.now);
        self.after(0);
        self
    }

    /// Runs until `end` and shows what it came to.
    pub fn run(mut self, end: u64) -> Outcome {
        self.run_to(end);
        self.outcome()
    }

    pub fn outcome(&self) -> Outcome {
        let failure = self.ends[0].failure().or_else(|| self.ends[1].failure());
        Outcome { sender: self.ends[0].probe(), receiver: self.ends[1].probe(), failure, ..self.out.clone() }
    }

    pub fn run_to(&mut self, end: u64) {
        loop {
            let arrival = self.arrivals.peek().map_or(u64::MAX, |Reverse(arrival)| arrival.0);
            let timer = self.timers[0].min(self.timers[1]);
            let next = arrival.min(timer).max(self.now);
            if next >= end {
                self.now = end;
                return;
            }
            self.now = next;
            if arrival <= timer {
                let Reverse((_, _, end, ecn, bytes)) = self.arrivals.pop().expect("peeked");
                self.ends[end].on_datagram(next, &bytes, from_bits(ecn));
                self.spare.push(bytes);
                self.after(end);
            } else {
                let end = usize::from(self.timers[1] < self.timers[0]);
                self.ends[end].on_timer(next);
                self.after(end);
            }
        }
    }

    /// What the engine does after each call of an end.
    fn after(&mut self, end: usize) {
        loop {
            let mut datagram = self.spare.pop().unwrap_or_default();
            datagram.clear();
            let Some(ecn) = self.ends[end].transmit(self.now, &mut datagram) else {
                self.spare.push(datagram);
                break;
            };
            self.send(end, datagram, ecn);
        }
        self.timers[end] = self.ends[end].next_timer();
        if end == 0 {
            std::hint::black_box(self.ends[0].probe());
        }
    }

    fn send(&mut self, end: usize, datagram: Vec<u8>, mut ecn: EcnCodepoint) {
        let index = self.out.datagrams[end];
        self.out.datagrams[end] += 1;
        self.out.longest = self.out.longest.max(datagram.len());
        let shape = (end as u64) << 60 ^ self.now << 12 ^ datagram.len() as u64;
        self.out.shape = fold(self.out.shape, shape);
        let hashed = if self.path.hashes_bytes { &datagram[..] } else { &[] };
        self.out.bytes = hashed.chunks(8).fold(fold(self.out.bytes, shape), |sum, word| {
            let mut bytes = [0; 8];
            bytes[..word.len()].copy_from_slice(word);
            fold(sum, u64::from_le_bytes(bytes))
        });
        let headers = u64::from(self.ends[end].headers());
        let arrival = if end == 0 {
            self.out.last_sent = self.now;
            let Some(departure) = self.enqueue(index, datagram.len() as u64 + headers, &mut ecn) else {
                self.spare.push(datagram);
                return;
            };
            departure + self.path.one_way
        } else {
            self.now + self.path.one_way
        };
        self.sequence += 1;
        self.arrivals.push(Reverse((arrival, self.sequence, 1 - end, ecn as u8, datagram)));
    }

    /// Puts a datagram of the sender into the queue: when it leaves, or `None` if it is dropped.
    fn enqueue(&mut self, index: u64, size: u64, ecn: &mut EcnCodepoint) -> Option<u64> {
        while let Some(&(_, size)) = self.queue.front().filter(|(departure, _)| *departure <= self.now) {
            self.queued -= size;
            self.queue.pop_front();
        }
        if self.queued + size > self.path.buffer || self.path.lost.contains(&index) {
            self.out.drops += 1;
            self.out.drop_times.push(self.now);
            return None;
        }
        if self.path.mark_above.is_some_and(|limit| self.queued > limit) && *ecn != EcnCodepoint::NotEct {
            *ecn = EcnCodepoint::Ce;
            self.out.marks += 1;
        }
        self.free_at = self.free_at.max(self.now) + size * 8 * SECOND / self.path.rate;
        self.queue.push_back((self.free_at, size));
        self.queued += size;
        Some(self.free_at)
    }
}

fn fold(sum: u64, word: u64) -> u64 {
    (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

fn from_bits(bits: u8) -> EcnCodepoint {
    match bits {
        1 => EcnCodepoint::Ect1,
        2 => EcnCodepoint::Ect0,
        3 => EcnCodepoint::Ce,
        _ => EcnCodepoint::NotEct,
    }
}
