// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue bench: packets arrive at the first link of a scenario, whose queue is the kernel's, at given times; their fates are written.

use crate::kernel::Kernel;
use crate::output::{Output, given};
use cwnd_link::{ARRIVAL_BYTES, Bench, BenchAsk, Fate, GivenArrival, Link, LinkConfig};
use cwnd_live::is_marked;
use cwnd_live::message::{Given, GuestReport, Message};
use cwnd_scenario::Invalid;
use std::io::Read;

/// How long the bench waits for packets that the queue keeps, behind the last that arrived, was sent or was dropped, ns: an hour.
const PATIENCE: u64 = 3_600_000_000_000;
/// Headers of IPv4 and UDP, bytes.
const HEADERS: u32 = 28;
/// Ports: of the flows the first, and the one that they go to.
const PORTS: (u16, u16) = (1024, 443);
/// Progress is told after so many calls.
const CALLS_A_TOLD_PROGRESS: u32 = 1 << 12;

/// A bench in progress.
pub struct BenchRun {
    kernel: &'static Kernel,
    output: Output,
    bench: Bench,
    packets: Vec<GivenArrival>,
    /// When the last packet arrives, or something happened behind that, ns.
    last: u64,
    /// The packet that is handed over.
    bytes: Vec<u8>,
    calls: u32,
    report: Option<Box<GuestReport>>,
    refusal: Option<Invalid>,
    failure: Option<String>,
}

/// What the host has handed in for a bench: the packets, and the link at which they arrive; `None` where it is none.
pub fn arrivals(given_scenario: &Given) -> Result<Option<(Vec<GivenArrival>, LinkConfig)>, String> {
    if !given_scenario.is_bench {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let mut file = given("ARRIVALS").ok_or("no arrivals were handed in")?;
    file.read_to_end(&mut bytes).map_err(|why| why.to_string())?;
    let packets = bytes.as_chunks::<ARRIVAL_BYTES>().0.iter().map(GivenArrival::from_bytes).collect();
    let link = given_scenario.scenario.link_configs().into_iter().next();
    Ok(Some((packets, link.ok_or("the scenario has no link")?)))
}

impl BenchRun {
    /// These packets at this link.
    pub fn new(
        kernel: &'static Kernel,
        output: Output,
        packets: Vec<GivenArrival>,
        link: LinkConfig,
    ) -> Self {
        let arrivals = packets.iter().map(|packet| packet.arrival).collect();
        Self {
            kernel,
            output,
            bench: Bench::new(Link::new(link, (0, u64::MAX), u64::MAX), arrivals, true),
            last: packets.last().map_or(0, |packet| packet.arrival.at),
            packets,
            bytes: Vec::new(),
            calls: 0,
            report: None,
            refusal: None,
            failure: None,
        }
    }

    /// When something is due next, ns.
    pub fn next(&self) -> u64 {
        self.bench.next()
    }

    /// Lets everything happen that is due by `now`, ns.
    pub fn advance(&mut self, now: u64) {
        self.bench.advance(now);
        while let Some(ask) = self.bench.ask() {
            match ask {
                BenchAsk::Ready => self.kernel.ready(0),
                BenchAsk::Enqueue(number) => {
                    write_packet(&mut self.bytes, number, &self.packets[number as usize]);
                    self.kernel.enqueue(0, number, &self.bytes);
                }
            }
        }
        self.calls += 1;
        if self.calls == CALLS_A_TOLD_PROGRESS {
            self.calls = 0;
            self.output.progress(now, 0);
        }
    }

    /// The queue gives the link a packet to send at `now`, ns.
    pub fn taken(&mut self, now: u64, number: u32, packet: &[u8]) {
        self.last = self.last.max(now);
        let was_marked = self.packets.get(number as usize).is_some_and(|given| given.traffic_class & 3 == 3);
        self.bench.taken(now, number, is_marked(packet) && !was_marked);
    }

    /// The queue drops a packet at `now`, ns.
    pub fn dropped(&mut self, now: u64, number: u32) {
        self.last = self.last.max(now);
        self.bench.dropped(now, number);
    }

    /// The guest's program says something at `now`, ns: whether nothing follows, or nothing where it is to wait.
    pub fn told(&mut self, now: u64, message: Message) -> Option<bool> {
        match message {
            Message::Waits => {
                (self.bench.is_over() || now > self.last.saturating_add(PATIENCE)).then_some(false)
            }
            Message::Over(report) => {
                self.report = Some(report);
                Some(true)
            }
            Message::Refused(field, value, expected) => {
                self.refusal = Some(Invalid { field, value, expected });
                Some(true)
            }
            Message::Failed(why) => {
                self.fail(why);
                Some(true)
            }
            _ => Some(false),
        }
    }

    /// There will be no result; the first reason is told.
    pub fn fail(&mut self, why: String) {
        self.failure.get_or_insert(why);
    }

    /// Writes the fates.
    pub fn finish(self) {
        match (self.refusal, self.failure, self.report) {
            (Some(refusal), ..) => self.output.refused(&refusal),
            (None, None, Some(report)) => {
                let fates: Vec<u8> = self.bench.fates().iter().copied().flat_map(Fate::to_bytes).collect();
                self.output.finish_bench(&fates, &report);
            }
            (None, why, _) => self.output.failed(why.as_deref().unwrap_or("the guest has not reported")),
        }
    }
}

/// A datagram of UDP: hosts 10.1.x.y and 10.2.x.y, ports by the flow.
fn write_packet(bytes: &mut Vec<u8>, number: u32, given: &GivenArrival) {
    let length = given.arrival.bytes.max(HEADERS) as u16;
    let [from, to] = given.hosts.map(u16::to_be_bytes);
    let port = PORTS.0.wrapping_add(given.flow as u16);
    bytes.clear();
    bytes.extend([0x45, given.traffic_class]);
    bytes.extend(length.to_be_bytes());
    bytes.extend((number as u16).to_be_bytes());
    // No fragments, 64 hops, UDP, and a checksum that follows.
    bytes.extend([0x40, 0, 64, 17, 0, 0]);
    bytes.extend([10, 1, from[0], from[1], 10, 2, to[0], to[1]]);
    let sum: u32 = bytes.as_chunks::<2>().0.iter().map(|word| u32::from(u16::from_be_bytes(*word))).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    let checksum = !((folded & 0xffff) + (folded >> 16)) as u16;
    bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
    for word in [port, PORTS.1, length - 20, 0] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.resize(usize::from(length), 0);
}
