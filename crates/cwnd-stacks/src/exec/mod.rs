// SPDX-License-Identifier: MIT OR Apache-2.0
//! A child process as one end of a connection: any stack, in any language, by frames on its standard input and output.
//!
//! docs/reference/exec-protocol.md is the protocol. Each frame to the child is answered before the next is sent, so virtual time cannot
//! stand still between the two; a child that does not answer in time, answers something else, sends too much or ends is a connection that
//! ended, with one line that says so.

mod child;
mod frame;

use child::Child;
use cwnd_sim::{Connection, ConnectionSpec, EcnCodepoint, Endpoint, Probe, StackAlgorithm};
use frame::{Answer, Request, Role};
use std::collections::VecDeque;
use std::time::Duration;

/// How long an answer may take, in real time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Datagrams that one answer may have.
const MOST_DATAGRAMS: usize = 10_000;

/// One end, and what its child has said.
#[derive(Debug)]
struct ExecEndpoint {
    child: Child,
    datagram: u16,
    /// What the child sends, oldest first.
    out: VecDeque<(EcnCodepoint, Vec<u8>)>,
    probe: Probe,
    next_timer: u64,
    failure: Option<String>,
}

/// Makes both ends of a connection: two children of one command.
pub(crate) fn connect(spec: &ConnectionSpec<'_>) -> Result<Connection, String> {
    let StackAlgorithm::Stock(name) = &spec.algorithm else {
        return Err("a child process has an algorithm of its own: `stock-` and its name".to_owned());
    };
    if spec.tls {
        return Err("without `tls`: what a child encrypts is its own matter".to_owned());
    }
    let command = spec.exec.ok_or("with the key `exec`, the command of the child process")?;
    let end = |role: Role| {
        let child = Child::spawn(command, PATIENCE)?;
        let mut end = ExecEndpoint {
            child,
            datagram: spec.datagram,
            out: VecDeque::new(),
            probe: Probe::default(),
            next_timer: u64::MAX,
            failure: None,
        };
        end.ask(&Request::Hello { role, datagram: spec.datagram, seed: spec.seed, name });
        match end.failure.take() {
            None => Ok(Box::new(end)),
            Some(why) => Err(why),
        }
    };
    Ok(Connection { sender: end(Role::Sender)?, receiver: end(Role::Receiver)? })
}

impl ExecEndpoint {
    /// Sends a frame and takes the answer.
    fn ask(&mut self, request: &Request<'_>) {
        if self.failure.is_some() {
            return;
        }
        if let Err(why) = self.exchange(request) {
            self.failure = Some(why);
            self.next_timer = u64::MAX;
            self.child.end();
        }
    }

    fn exchange(&mut self, request: &Request<'_>) -> Result<(), String> {
        self.child.send(request.bytes())?;
        let mut datagrams = 0;
        loop {
            match Answer::read(&self.child.receive()?)? {
                Answer::Send { ecn, datagram } => {
                    datagrams += 1;
                    if datagrams > MOST_DATAGRAMS {
                        return Err(format!("it sent more than {MOST_DATAGRAMS} datagrams in one answer"));
                    }
                    if datagram.is_empty() || datagram.len() > self.datagram.into() {
                        let length = datagram.len();
                        return Err(format!(
                            "it sent a datagram of {length} bytes; they have 1 to {}",
                            self.datagram
                        ));
                    }
                    self.out.push_back((ecn, datagram));
                }
                Answer::Done { next_timer, probe } => {
                    (self.next_timer, self.probe) = (next_timer, probe);
                    return Ok(());
                }
                Answer::Failure(why) => return Err(why),
            }
        }
    }
}

impl Endpoint for ExecEndpoint {
    fn open(&mut self, now: u64) {
        self.ask(&Request::Open { now });
    }

    fn on_datagram(&mut self, now: u64, datagram: &[u8], ecn: EcnCodepoint) {
        self.ask(&Request::Datagram { now, ecn, datagram });
    }

    fn on_timer(&mut self, now: u64) {
        self.ask(&Request::Timer { now });
    }

    fn write(&mut self, now: u64, bytes: u64) {
        self.ask(&Request::Write { now, bytes });
    }

    fn finish(&mut self, now: u64) {
        self.ask(&Request::Finish { now });
    }

    fn transmit(&mut self, _now: u64, buffer: &mut Vec<u8>) -> Option<EcnCodepoint> {
        let (ecn, datagram) = self.out.pop_front()?;
        buffer.extend_from_slice(&datagram);
        Some(ecn)
    }

    fn next_timer(&mut self) -> u64 {
        self.next_timer
    }

    fn probe(&self) -> Probe {
        self.probe
    }

    fn failure(&self) -> Option<String> {
        self.failure.clone()
    }
}
