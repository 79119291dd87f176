// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flows of foreign stacks: their datagrams cross the same links as every other packet (`frames`), and what they show of themselves stands where our
//! TCP's state stands, so that tables and summaries need not know the difference. Our sender and receiver are there, and rest.

mod frames;
mod progress;
mod writing;

use super::Simulation;
use crate::endpoint::{Connection, ConnectionSpec, EcnCodepoint, Probe, StackAlgorithm, Stacks};
use cwnd_link::NEVER;
use cwnd_link::random::RandomStream;
use cwnd_record::FlowFailure;
use cwnd_scenario::{Flow, FlowGroup, Invalid, Scenario, Stack};
use cwnd_traffic::Direction;
use std::sync::{Mutex, PoisonError};
use writing::RatedWriter;

/// The random streams of stacks: this one, and the numbers of the flows on top.
const STREAM: u64 = 3 << 32;
/// So many timers in a row at one instant: the stack's stands still.
const MOST_TIMERS: u32 = 10_000;

/// The flows of foreign stacks of a run.
#[derive(Debug, Default)]
pub struct StackFlows {
    /// By the number of the flow; flows of our TCP have none.
    connections: Vec<Option<Box<StackConnection>>>,
    /// Bytes of the headers around the datagrams of each flow and direction.
    headers: Vec<[u32; 2]>,
    /// Datagrams in the network.
    datagrams: Vec<Datagram>,
    /// Places in `datagrams` that are free, their memory kept.
    free: Vec<u32>,
    /// Where ends write what they send.
    buffer: Vec<u8>,
    failures: Vec<FlowFailure>,
}

/// A datagram in the network.
#[derive(Debug, Default)]
struct Datagram {
    bytes: Vec<u8>,
    /// The ECN field that it left with.
    ecn: EcnCodepoint,
    /// How many data datagrams its flow had sent before it.
    number: u64,
}

/// One connection.
#[derive(Debug)]
struct StackConnection {
    /// `Mutex` only to make the stack `Sync`, as a simulation is; accessed by `get_mut`.
    ends: Mutex<Connection>,
    /// The next timer of each end, ns.
    timers: [u64; 2],
    /// The last instant at which a timer fired, and how often it did then.
    fired: (u64, u32),
    /// Payload that the receiving application has read in the measured interval, bytes.
    read_measured: u64,
    /// The same at the last look, in all.
    read: u64,
    /// What the sender showed last.
    probe: Probe,
    /// When it began to open, ns; [`NEVER`] before that.
    began: u64,
    /// When its application handed over data first, ns; [`NEVER`] before that.
    has_data_since: u64,
    /// Its application, where that writes at a rate.
    writer: Option<RatedWriter>,
    /// Whether a datagram of the receiver has arrived at the sender.
    is_answered: bool,
    /// Whether its application has stopped, so that there may be no data.
    is_stopped: bool,
    is_over: bool,
}

/// The two ends, by the direction of what they send.
const ENDS: [Direction; 2] = [Direction::Forward, Direction::Reverse];

/// The refusal of a group whose connections cannot be made: of the command, where each end is a child process.
fn refused(number: usize, group: &FlowGroup, why: &str) -> Invalid {
    let (key, value, expected) = match &group.exec {
        Some(command) => ("exec", Some(command.as_str()), "a command that starts and speaks the protocol"),
        None => ("stack", group.stack.map(Stack::name), "a stack that can have this flow"),
    };
    Invalid {
        field: format!("flow[{number}].{key}"),
        value: value.map(|value| format!("{value:?}")),
        expected: format!("{expected}: {why}"),
    }
}

impl StackFlows {
    /// Makes the connections of a scenario's flows.
    pub fn new(scenario: &Scenario, stacks: &dyn Stacks) -> Result<Self, Invalid> {
        let mut all = Self::default();
        let groups = scenario.flows.iter().enumerate();
        let groups = groups.flat_map(|(group, keys)| std::iter::repeat_n(group, keys.count as usize));
        for (flow, group) in scenario.expand().iter().zip(groups) {
            let added = all.add(flow, (scenario.datagram(), scenario.seed), stacks);
            added.map_err(|why| refused(group, &flow.group, &why))?;
        }
        Ok(all)
    }

    /// Makes the connection of a flow, if it has a stack; the flow's number is that of the calls before.
    fn add(&mut self, flow: &Flow, (datagram, seed): (u32, u64), stacks: &dyn Stacks) -> Result<(), String> {
        let number = self.connections.len() as u64;
        let Some(stack) = flow.group.stack else {
            self.connections.push(None);
            self.headers.push([0; 2]);
            return Ok(());
        };
        let stock = flow.stock().map(|name| StackAlgorithm::Stock(name.to_owned()));
        let spec = ConnectionSpec {
            stack,
            algorithm: stock.unwrap_or_else(|| StackAlgorithm::Ours(flow.controller())),
            datagram: datagram as u16,
            receive_window: flow.group.rwnd.map(|segments| u64::from(segments) * u64::from(datagram)),
            tls: flow.group.tls,
            exec: flow.group.exec.as_deref(),
            seed: RandomStream::new(seed, STREAM + number).next_u64(),
        };
        let ends = stacks.connect(spec)?;
        self.headers.push([ends.sender.headers(), ends.receiver.headers()]);
        self.connections.push(Some(Box::new(StackConnection {
            ends: Mutex::new(ends),
            timers: [NEVER; 2],
            fired: (0, 0),
            read_measured: 0,
            read: 0,
            probe: Probe::default(),
            began: NEVER,
            has_data_since: NEVER,
            writer: RatedWriter::of(&flow.group, datagram),
            is_answered: false,
            is_stopped: false,
            is_over: false,
        })));
        Ok(())
    }

    /// Keeps a datagram while it is in the network.
    fn keep(&mut self, datagram: &[u8], ecn: EcnCodepoint, number: u64) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.datagrams.push(Datagram::default());
            self.datagrams.len() as u32 - 1
        });
        let kept = &mut self.datagrams[place as usize];
        kept.bytes.extend_from_slice(datagram);
        (kept.ecn, kept.number) = (ecn, number);
        place
    }

    /// A datagram has left the network.
    pub fn release(&mut self, place: u32) {
        self.datagrams[place as usize].bytes.clear();
        self.free.push(place);
    }

    /// Payload that the application of a flow has read in the measured interval, bytes; `None` for a flow of our TCP.
    pub fn read_measured(&self, number: usize) -> Option<u64> {
        self.connections.get(number)?.as_ref().map(|connection| connection.read_measured)
    }

    /// See [`Simulation::failures`].
    pub fn failures(&self) -> &[FlowFailure] {
        &self.failures
    }
}

impl Simulation {
    /// Whether a flow is one of a foreign stack.
    pub(super) fn has_stack(&self, number: u32) -> bool {
        crate::STACKS && self.flows[number as usize].hosts.as_ref().is_some_and(|hosts| hosts.has_stack)
    }

    /// Runs `call` on the connection of a flow, then sends what its ends have to send.
    fn with_connection(&mut self, now: u64, number: u32, call: impl FnOnce(&mut StackConnection)) {
        let place = |simulation: &mut Self| {
            simulation.stacks.as_mut().and_then(|all| all.connections.get_mut(number as usize)?.take())
        };
        let Some(mut connection) = place(self) else { return };
        if !connection.is_over {
            call(&mut connection);
            self.drive(now, number, &mut connection);
        }
        if let Some(all) = &mut self.stacks {
            all.connections[number as usize] = Some(connection);
        }
        self.arm(number);
    }

    /// A flow's connection opens, and its application writes.
    pub(super) fn open_stack(&mut self, now: u64, number: u32) {
        if self.flows[number as usize].sender.is_stopped(now) {
            return; // its stop came before its drawn start
        }
        let bytes = self.scenario_flows[number as usize].group.size.unwrap_or(u64::MAX);
        self.with_connection(now, number, |connection| connection.open(now, bytes));
    }

    /// A flow's application goes on, or stops.
    pub(super) fn write_to_stack(&mut self, now: u64, number: u32, goes_on: bool) {
        self.with_connection(now, number, |connection| {
            connection.is_stopped = !goes_on;
            if connection.began == NEVER {
                // One that was stopped before it began opens when it goes on.
                if goes_on {
                    connection.open(now, u64::MAX);
                }
            } else if goes_on {
                connection.start_writing(now, u64::MAX);
            } else {
                connection.stop_writing(now);
            }
        });
    }

    /// A timer of a flow's stack is due.
    pub(super) fn on_stack_timer(&mut self, now: u64, number: u32) {
        self.with_connection(now, number, |connection| {
            let again = if connection.fired.0 == now { connection.fired.1 + 1 } else { 0 };
            connection.fired = (now, again);
            let due = connection.timers.map(|at| at <= now);
            if due[0] {
                connection.ends().sender.on_timer(now);
            }
            if due[1] {
                connection.ends().receiver.on_timer(now);
            }
            connection.write_due(now);
        });
    }

    /// Sends what both ends have to send, and notes their timers and what they show.
    fn drive(&mut self, now: u64, number: u32, connection: &mut StackConnection) {
        let mut buffer = self.stacks.as_mut().map(|all| std::mem::take(&mut all.buffer)).unwrap_or_default();
        for direction in ENDS {
            loop {
                buffer.clear();
                let end = connection.end(direction);
                let Some(ecn) = end.transmit(now, &mut buffer) else { break };
                self.send_frame(now, number, direction, &buffer, ecn);
            }
            connection.timers[direction as usize] = connection.end(direction).next_timer();
        }
        if let Some(all) = &mut self.stacks {
            all.buffer = buffer;
        }
        self.note_progress(now, number, connection);
        let failure =
            match connection.ends().sender.failure().or_else(|| connection.ends().receiver.failure()) {
                None if connection.fired.1 >= MOST_TIMERS => {
                    Some(format!("its timer was due {MOST_TIMERS} times at one instant"))
                }
                failure => failure,
            };
        if let Some(why) = failure {
            self.end_connection(now, number, connection, why);
        }
        self.flows[number as usize].ack_at = match connection.next_event() {
            NEVER => NEVER,
            next => next.max(now),
        };
    }

    /// Why connections of foreign stacks ended before the run did, in the order of time; behind them, when the run is over, those
    /// that never opened.
    #[must_use]
    pub fn failures(&self) -> &[FlowFailure] {
        self.stacks.as_ref().map_or(&[], |all| all.failures())
    }
}

impl StackConnection {
    /// Opens, once: both ends, and the application has so many bytes to send.
    fn open(&mut self, now: u64, bytes: u64) {
        if self.began == NEVER {
            self.began = now;
            self.ends().receiver.open(now);
            self.ends().sender.open(now);
            self.start_writing(now, bytes);
        }
    }

    /// Whether data has arrived, if there was any, and an answer to what was sent.
    const fn has_opened(&self) -> bool {
        self.is_answered && (self.read > 0 || self.is_stopped || self.has_data_since == NEVER)
    }

    fn ends(&mut self) -> &mut Connection {
        self.ends.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end that sends in this direction.
    fn end(&mut self, direction: Direction) -> &mut dyn crate::Endpoint {
        match direction {
            Direction::Forward => &mut *self.ends().sender,
            Direction::Reverse => &mut *self.ends().receiver,
        }
    }
}
