// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run: the network of a scenario between the two hosts of the kernel, and what is recorded of it.

use crate::kernel::Kernel;
use crate::output::Output;
use cwnd::registry;
use cwnd_live::message::{GuestReport, Message};
use cwnd_live::{
    Ask, Crossing, Delivery, FlowReport, FlowState, HostSide, Load, Outcome, Rows, TrafficReport,
};
use cwnd_plugin_loader::Fault;
use cwnd_record::{CwndRow, InnerRow};
use cwnd_scenario::{Flow, Invalid, Scenario};
use cwnd_sim::Tables;
use std::convert::Infallible;
use std::sync::atomic::Ordering;

/// Rows are moved into the tables when there are so many; larger pieces of captures go to the host.
const ROWS_AT_ONCE: usize = 1 << 16;
/// Progress is told after so many calls.
const CALLS_A_TOLD_PROGRESS: u32 = 1 << 12;

/// A run in progress.
pub struct Run {
    kernel: &'static Kernel,
    /// What it runs.
    pub scenario: Scenario,
    output: Output,
    flows: Vec<Flow>,
    crossing: Crossing,
    states: Vec<FlowState>,
    tables: Tables,
    reports: Vec<FlowReport>,
    loads: Vec<Load>,
    report: Option<Box<GuestReport>>,
    calls: u32,
    /// What of the scenario the kernel does not have.
    refusal: Option<Invalid>,
    /// Why there is no result.
    failure: Option<String>,
}

/// Does this in a thread of its own, and waits for it: the stacks of the kernel's threads are small, and its signals are no affair of it.
pub fn aside(task: impl FnOnce() + Send) {
    // SAFETY: plain calls; the sets outlive them, and this thread gets its own mask back.
    unsafe {
        let (mut all, mut own) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut own);
        std::thread::scope(|scope| drop(scope.spawn(task).join()));
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const own, std::ptr::null_mut());
    }
}

impl Run {
    /// The run of a scenario.
    pub fn new(kernel: &'static Kernel, output: Output, scenario: Scenario) -> Self {
        let flows = scenario.expand();
        let crossing = Crossing::of_scenario(&scenario, &flows);
        let states = (0..flows.len() + 2 * scenario.traffic.len()).map(|_| FlowState::default()).collect();
        Self {
            kernel,
            output,
            scenario,
            flows,
            crossing,
            states,
            tables: Tables::default(),
            reports: Vec::new(),
            loads: Vec::new(),
            report: None,
            calls: 0,
            refusal: None,
            failure: None,
        }
    }

    /// When something is due next, ns.
    pub fn next(&self) -> u64 {
        self.crossing.next().min(self.crossing.next_sample())
    }

    /// Lets everything happen that is due by `now`, ns.
    pub fn advance(&mut self, now: u64) {
        let kernel = self.kernel;
        let Ok(()) = self.crossing.advance(now, |tally, Delivery { to, due, count, merged, packet }| {
            (0..count).for_each(|_| tally.lateness.note(now - due));
            kernel.deliver(to, merged, packet);
            Ok::<_, Infallible>(())
        });
        self.crossing.record(now, &self.states);
        self.ask();
        self.calls += 1;
        if self.calls == CALLS_A_TOLD_PROGRESS {
            self.calls = 0;
            self.crossing.publish_forwarded(now, &self.states);
            let packets = self.states.iter().map(|flow| flow.forwarded.load(Ordering::Relaxed)).sum();
            self.output.progress(now, packets);
            self.take_rows(ROWS_AT_ONCE);
        }
    }

    /// A host has sent a packet; `window` has window and slow start threshold of its connection, 0 where it has none.
    pub fn sent(&mut self, side: HostSide, now: u64, packet: &[u8], window: [u32; 2]) {
        self.advance(now);
        let flow = self.crossing.sent(side, now, packet);
        if side == HostSide::Senders
            && window[0] > 0
            && let Some(flow) = flow.and_then(|flow| self.states.get(flow as usize))
        {
            flow.window.iter().zip(window).for_each(|(known, now)| known.store(now, Ordering::Relaxed));
        }
        self.crossing.record(now, &self.states);
        self.ask();
    }

    /// Tells the kernel what concerns its queues of links.
    fn ask(&mut self) {
        let kernel = self.kernel;
        self.crossing.ask_kernel(|ask, packet| match ask {
            Ask::Enqueue { link, slot } => kernel.enqueue(link, slot, packet),
            Ask::Ready { link } => kernel.ready(link),
        });
    }

    /// The kernel's queue of a link gives it a packet to send.
    pub fn taken(&mut self, now: u64, link: u32, number: u32, packet: &[u8]) {
        self.crossing.taken(now, link, number, packet);
    }

    /// The kernel's queue of a link drops a packet.
    pub fn dropped(&mut self, now: u64, link: u32, number: u32) {
        self.crossing.dropped_by_kernel(now, link, number);
        self.crossing.record(now, &self.states);
    }

    /// The guest's program says something at `now`, ns; returns whether nothing follows.
    pub fn told(&mut self, now: u64, message: Message) -> bool {
        match message {
            Message::Announced(announced) => self.crossing.announce(announced),
            Message::Windows(mut rows) => {
                self.crossing.publish_forwarded(now, &self.states);
                for row in &mut rows {
                    row.forwarded = self.states[row.flow as usize].forwarded.load(Ordering::Relaxed);
                }
                self.tables.cwnd.extend(rows);
            }
            Message::Events(rows) => self.tables.events.extend(rows),
            Message::Transfers(rows) => self.tables.transfers.extend(rows),
            Message::Flow(report) => self.reports.push(report),
            Message::Load(load) => self.loads.push(load),
            Message::Over(report) => {
                self.report = Some(report);
                return true;
            }
            // The algorithms are no part of the run, and it is no bench.
            Message::Algorithm { .. } | Message::Waits => {}
            Message::Refused(field, value, expected) => {
                self.refusal = Some(Invalid { field, value, expected });
                return true;
            }
            Message::Failed(why) => {
                self.fail(why);
                return true;
            }
        }
        false
    }

    /// Data packets of a flow that have left its last link by `now`, ns.
    pub fn forwarded(&mut self, now: u64, flow: usize) -> u64 {
        self.crossing.forwarded(now, flow as u32)
    }

    /// Takes rows of the senders' states.
    pub fn take_states(&mut self, (windows, variables): (Vec<CwndRow>, Vec<InnerRow>)) {
        self.tables.cwnd.extend(windows);
        self.tables.inner.extend(variables);
    }

    /// There will be no result; the first reason is told.
    pub fn fail(&mut self, why: String) {
        self.failure.get_or_insert(why);
    }

    /// Ends the run at `now`, ns, as an algorithm has panicked.
    pub fn panicked(&self, now: u64, fault: Fault) {
        let of_plugin = |flow: &&Flow| {
            registry::find(&flow.group.cc).is_some_and(|(algorithm, _)| algorithm.name == fault.algorithm)
        };
        let mut flows = self.flows.iter().filter(of_plugin);
        // The calls of several flows, and those of traffic, look the same here.
        let flow = flows.next().filter(|_| flows.next().is_none() && self.scenario.traffic.is_empty());
        let flow = flow.map(|flow| flow.name.clone());
        self.output.panicked(&Fault { flow, now_us: Some(now / 1000), ..fault });
    }

    fn take_rows(&mut self, least: usize) {
        let Self { crossing, tables, output, failure, .. } = self;
        crossing.take_rows(least, |rows| match rows {
            Rows::Queue(rows) => tables.queue.extend(rows),
            Rows::Events(rows) => tables.events.extend(rows),
            Rows::Packets(host, piece) => {
                if let Err(why) = output.packets(host, &piece) {
                    failure.get_or_insert(format!("write the packets of the {host}: {why}"));
                }
            }
            Rows::Windows(_) | Rows::Inner(_) => {}
        });
    }

    /// Writes the result.
    pub fn finish(mut self) {
        let end = self.scenario.duration;
        self.crossing.record(end, &self.states);
        self.crossing.publish_forwarded(end, &self.states);
        self.take_rows(0);
        self.tables.events.sort_by_key(|row| row.time_ns);
        let Self { output, scenario, flows, crossing, tables, reports, loads, report, .. } = self;
        let report = match (self.refusal, self.failure, report) {
            (None, None, Some(report)) => report,
            (Some(refusal), ..) => return output.refused(&refusal),
            (_, why, _) => return output.failed(why.as_deref().unwrap_or("the guest has not reported")),
        };
        let traffic = TrafficReport::with_loads(&scenario, loads);
        let outcome = Outcome { crossing: crossing.finish(), flows: reports, traffic };
        output.finish(&scenario, &flows, &outcome, &tables, &report);
    }
}
