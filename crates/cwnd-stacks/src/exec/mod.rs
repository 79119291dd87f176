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
pub(crate) fn connect(spec: ConnectionSpec<'_>) -> Result<Connection, String> {
    let StackAlgorithm::Stock(name) = &spec.algorithm else {
        return Err("a child process has an algorithm of its own: `stock-` and its name".to_owned());
    };
    if spec.tls {
        return Err("without `tls`: a child process does its own encryption".to_owned());
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
        end.ask(&Request::Hello {
            role,
            datagram: spec.datagram,
            receive_window: spec.receive_window,
            seed: spec.seed,
            name,
        });
        match end.failure.take() {
            None => Ok(Box::new(end)),
            Some(why) => Err(why),
        }
    };
    Ok(Connection { sender: end(Role::Sender)?, receiver: end(Role::Receiver)? })
}

/// Reads what a child has written, frame by frame, as a simulation does; how many frames were well-formed. For the fuzzer.
#[doc(hidden)]
#[must_use]
pub fn frames_of(written: &[u8]) -> usize {
    let (heard, frames) = std::sync::mpsc::channel();
    child::read_frames(written, |frame| heard.send(frame).is_ok());
    drop(heard);
    frames.iter().take_while(|frame| frame.as_ref().is_ok_and(|frame| Answer::read(frame).is_ok())).count()
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
        let deadline = self.child.deadline();
        let mut datagrams = 0;
        loop {
            match Answer::read(&self.child.receive(deadline)?)? {
                Answer::Send { ecn, datagram } => {
                    datagrams += 1;
                    if datagrams > MOST_DATAGRAMS {
                        return Err(format!("it sent more than {MOST_DATAGRAMS} datagrams in one answer"));
                    }
                    if datagram.is_empty() || datagram.len() > self.datagram.into() {
                        let length = datagram.len();
                        return Err(format!(
                            "it sent a datagram of {length} bytes; expected 1 to {}",
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

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(command: &str, patience: Duration) -> ExecEndpoint {
        let child = Child::spawn(command, patience).expect("it starts");
        let (out, probe) = (VecDeque::new(), Probe::default());
        ExecEndpoint { child, datagram: 1472, out, probe, next_timer: u64::MAX, failure: None }
    }

    /// A script in a file, which `sh` runs.
    fn script(name: &str, text: &str) -> String {
        let file = std::env::temp_dir().join(format!("cwnd-exec-{name}-{}", std::process::id()));
        std::fs::write(&file, text).expect("a file");
        format!("sh {}", file.display())
    }

    // A SEND of 3 bytes every 50 ms: each comes within 400 ms, and the answer never ends. Without a limit for the whole answer this took
    // 10 000 datagrams, 500 s.
    #[test]
    fn an_answer_has_its_time_whatever_it_is_made_of() {
        let command =
            script("drip", "while :; do printf '\\003\\000\\000\\000\\001\\000x'; sleep 0.05; done\n");
        let mut end = endpoint(&command, Duration::from_millis(400));
        end.ask(&Request::Open { now: 0 });
        let why = end.failure().expect("it fails");
        assert!(why.contains("did not answer within 0.4 s"), "{why}");
        assert!(end.out.len() < MOST_DATAGRAMS / 10, "{}", end.out.len());
        std::fs::remove_file(command.trim_start_matches("sh ")).expect("the script");
    }

    // `setsid -f` leaves the group of the child, and holds its pipes for 20 s.
    #[test]
    fn a_process_that_left_the_group_is_not_waited_for() {
        let mut end = endpoint("setsid -f sleep 20", Duration::from_millis(100));
        end.ask(&Request::Open { now: 0 });
        assert!(end.failure().is_some());
    }

    // A pipe that has what it is asked for, and counts it: of a frame of 66 001 bytes four are read, those of its length.
    #[test]
    fn a_frame_that_is_too_long_is_refused_before_it_is_read() {
        struct Endless(usize);
        impl std::io::Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let length = 66_001_u32.to_le_bytes();
                buffer.fill(0);
                for (to, from) in buffer.iter_mut().zip(length.iter().skip(self.0)) {
                    *to = *from;
                }
                self.0 += buffer.len();
                Ok(buffer.len())
            }
        }
        let (mut pipe, mut heard) = (Endless(0), vec![]);
        child::read_frames(&mut pipe, |frame| {
            heard.push(frame);
            true
        });
        assert_eq!(heard, [Err("a frame of 66001 bytes; the maximum is 66000".to_owned())]);
        assert_eq!(pipe.0, 4);
    }

    #[test]
    fn frames_are_counted_until_one_is_none() {
        assert_eq!(frames_of(&[2, 0, 0, 0, 1, 0, 3, 0, 0, 0, 1, 3, 9]), 2);
        assert_eq!(frames_of(&[255, 255, 255, 255]), 0);
        assert_eq!(frames_of(&[2, 0, 0, 0, 1, 0, 1, 0, 0, 0, 7, 2, 0, 0, 0, 1, 0]), 1);
    }
}
