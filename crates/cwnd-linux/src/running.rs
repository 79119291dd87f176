// SPDX-License-Identifier: MIT OR Apache-2.0
//! What runs in the kernel: a scenario, or a queue bench.

use crate::bench::{BenchRun, arrivals};
use crate::kernel::Kernel;
use crate::output::{Output, given_scenario};
use crate::run::{Run, aside};
use cwnd_live::HostSide;
use cwnd_live::message::Message;
use cwnd_plugin_loader::Fault;
use cwnd_record::{CwndRow, InnerRow};
use cwnd_scenario::Scenario;

/// What runs.
pub enum Running {
    /// A scenario.
    Scenario(Box<Run>),
    /// A queue bench.
    Bench(Box<BenchRun>),
}

impl Running {
    /// What the host has handed in; `None`, after a message to the host, where it cannot begin.
    pub fn new(kernel: &'static Kernel) -> Option<Self> {
        let mut made = None;
        aside(|| {
            let output = Output::new();
            match given_scenario().and_then(|given| Ok((arrivals(&given)?, given.scenario))) {
                Ok(given) => made = Some((output, given)),
                Err(why) => output.failed(&why),
            }
        });
        let (output, (arrivals, scenario)) = made?;
        Some(match arrivals {
            None => Self::Scenario(Box::new(Run::new(kernel, output, scenario))),
            Some((packets, link)) => Self::Bench(Box::new(BenchRun::new(kernel, output, packets, link))),
        })
    }

    /// The scenario; a bench has no senders, and so none.
    pub const fn scenario(&self) -> Option<&Scenario> {
        match self {
            Self::Scenario(run) => Some(&run.scenario),
            Self::Bench(_) => None,
        }
    }

    /// Segments of a flow that have left its last link by `now`, ns.
    pub fn forwarded(&mut self, now: u64, flow: usize) -> u64 {
        match self {
            Self::Scenario(run) => run.forwarded(now, flow),
            Self::Bench(_) => 0,
        }
    }

    /// Takes rows of the senders' states.
    pub fn take_states(&mut self, rows: (Vec<CwndRow>, Vec<InnerRow>)) {
        if let Self::Scenario(run) = self {
            run.take_states(rows);
        }
    }

    /// When something is due next, ns.
    pub fn next(&self) -> u64 {
        match self {
            Self::Scenario(run) => run.next(),
            Self::Bench(bench) => bench.next(),
        }
    }

    /// Lets everything happen that is due by `now`, ns.
    pub fn advance(&mut self, now: u64) {
        match self {
            Self::Scenario(run) => run.advance(now),
            Self::Bench(bench) => bench.advance(now),
        }
    }

    /// A host has sent a packet; `window` has window and slow start threshold of its connection, 0 where it has none.
    pub fn sent(&mut self, side: HostSide, now: u64, packet: &[u8], window: [u32; 2]) {
        if let Self::Scenario(run) = self {
            run.sent(side, now, packet, window);
        }
    }

    /// The kernel's queue of a link gives it a packet to send.
    pub fn taken(&mut self, now: u64, link: u32, number: u32, packet: &[u8]) {
        match self {
            Self::Scenario(run) => run.taken(now, link, number, packet),
            Self::Bench(bench) => bench.taken(now, number, packet),
        }
    }

    /// The kernel's queue of a link drops a packet.
    pub fn dropped(&mut self, now: u64, link: u32, number: u32) {
        match self {
            Self::Scenario(run) => run.dropped(now, link, number),
            Self::Bench(bench) => bench.dropped(now, number),
        }
    }

    /// The guest's program says something at `now`, ns: whether nothing follows, or nothing where it is refused.
    pub fn told(&mut self, now: u64, message: Message) -> Option<bool> {
        match self {
            Self::Scenario(run) => Some(run.told(now, message)),
            Self::Bench(bench) => bench.told(now, message),
        }
    }

    /// There will be no result; the first reason is told.
    pub fn fail(&mut self, why: String) {
        match self {
            Self::Scenario(run) => run.fail(why),
            Self::Bench(bench) => bench.fail(why),
        }
    }

    /// Ends the run at `now`, ns, as an algorithm has panicked.
    pub fn panicked(&self, now: u64, fault: Fault) {
        // A bench has no connections, and so no algorithms.
        if let Self::Scenario(run) = self {
            run.panicked(now, fault);
        }
    }

    /// Writes the result.
    pub fn finish(self) {
        match self {
            Self::Scenario(run) => run.finish(),
            Self::Bench(bench) => bench.finish(),
        }
    }
}
