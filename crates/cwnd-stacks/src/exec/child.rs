// SPDX-License-Identifier: MIT OR Apache-2.0
//! A child process and its pipes. Each pipe has a thread, so that neither a child that says nothing nor one that reads nothing holds
//! the simulation up. A child is a group of processes: one that has started others ends with them, but for one that has left the group,
//! for whose pipes nothing waits.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes of the longest frame of a child: a datagram of UDP and its head.
const LONGEST: usize = 66_000;
/// Frames that a child may leave unread.
const MOST_UNREAD: usize = 64;
/// Frames of a child that wait to be read: it is stopped by its pipe beyond.
const MOST_WAITING: usize = 1024;

/// How long the threads of an ended child's pipes are waited for.
const GRACE: Duration = Duration::from_secs(1);

/// A running child.
#[derive(Debug)]
pub(super) struct Child {
    process: std::process::Child,
    command: String,
    patience: Duration,
    to_child: Option<Sender<Vec<u8>>>,
    unread: Arc<AtomicUsize>,
    from_child: Option<Receiver<Result<Vec<u8>, String>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Child {
    /// Starts a command, whose words are separated by spaces.
    pub(super) fn spawn(command: &str, patience: Duration) -> Result<Self, String> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or("a non-empty command")?;
        let mut process = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A Ctrl-C is ours; the child is ended then.
            .process_group(0)
            .spawn()
            .map_err(|error| format!("`{program}` does not start: {error}"))?;
        let (Some(mut stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("pipes to the child".to_owned());
        };
        let (to_child, frames) = channel::<Vec<u8>>();
        let unread = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&unread);
        let writer = std::thread::spawn(move || {
            for frame in frames {
                // A child that has ended is noticed by its silence.
                if stdin.write_all(&frame).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
                counted.fetch_sub(1, Ordering::Relaxed);
            }
        });
        let (heard, from_child) = sync_channel(MOST_WAITING);
        let reader = std::thread::spawn(move || read_frames(stdout, |frame| heard.send(frame).is_ok()));
        Ok(Self {
            process,
            command: command.to_owned(),
            patience,
            to_child: Some(to_child),
            unread,
            from_child: Some(from_child),
            threads: vec![writer, reader],
        })
    }

    /// Sends a frame.
    pub(super) fn send(&self, frame: Vec<u8>) -> Result<(), String> {
        if self.unread.fetch_add(1, Ordering::Relaxed) > MOST_UNREAD {
            return Err(format!("`{}` answers but reads nothing", self.command));
        }
        let sent = self.to_child.as_ref().is_some_and(|pipe| pipe.send(frame).is_ok());
        if sent { Ok(()) } else { Err(format!("`{}` has ended", self.command)) }
    }

    /// When the answer to a frame that is sent now has to be whole.
    pub(super) fn deadline(&self) -> Instant {
        now() + self.patience
    }

    /// The next frame of the child, without its length, of an answer that has to be whole at `deadline`.
    pub(super) fn receive(&mut self, deadline: Instant) -> Result<Vec<u8>, String> {
        let left = deadline.saturating_duration_since(now());
        let heard = self.from_child.as_ref().map(|pipe| pipe.recv_timeout(left));
        match heard {
            Some(Ok(Ok(frame))) => Ok(frame),
            Some(Ok(Err(why))) => Err(format!("`{}`: {why}", self.command)),
            Some(Err(RecvTimeoutError::Timeout)) => {
                Err(format!("`{}` did not answer within {} s", self.command, self.patience.as_secs_f64()))
            }
            Some(Err(RecvTimeoutError::Disconnected)) | None => Err(self.words_of_end()),
        }
    }

    /// How it ended, after its output did.
    fn words_of_end(&mut self) -> String {
        // Its output is closed: it has ended, or will when its input is closed, too.
        self.to_child = None;
        let status = match self.process.try_wait() {
            Ok(Some(status)) => Some(status),
            _ => {
                std::thread::sleep(Duration::from_millis(100));
                self.process.try_wait().ok().flatten()
            }
        };
        match status {
            Some(status) => format!("`{}` ended ({status})", self.command),
            None => format!("`{}` closed its output", self.command),
        }
    }

    /// Ends it, and waits until it has ended.
    pub(super) fn end(&mut self) {
        self.to_child = None;
        // A reader that waits for room in the channel goes on, and finds the pipe closed.
        self.from_child = None;
        // The whole group, whose number is the child's: else one that it has started keeps the pipes open.
        if let Some(group) = Pid::from_raw(self.process.id() as i32) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
        // A process that has left the group may hold the pipes open for ever: its threads are left to it.
        let until = now() + GRACE;
        for thread in self.threads.drain(..) {
            while !thread.is_finished() && now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
            if thread.is_finished() {
                let _ = thread.join();
            }
        }
    }
}

/// Real time, in which a child answers.
#[expect(
    clippy::disallowed_methods,
    reason = "a child process answers in real time; results do not depend on it"
)]
fn now() -> Instant {
    Instant::now()
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
    }
}

/// Hands over frames until the pipe is closed, until one is none, or until `heard` wants no more. Lengths are checked before room is made.
pub(super) fn read_frames(mut pipe: impl Read, mut heard: impl FnMut(Result<Vec<u8>, String>) -> bool) {
    let mut length = [0; 4];
    loop {
        if pipe.read_exact(&mut length).is_err() {
            return;
        }
        let bytes = u32::from_le_bytes(length) as usize;
        if bytes > LONGEST {
            heard(Err(format!("a frame of {bytes} bytes; the maximum is {LONGEST}")));
            return;
        }
        let mut frame = vec![0; bytes];
        if pipe.read_exact(&mut frame).is_err() {
            heard(Err(format!("its output ended within a frame of {bytes} bytes")));
            return;
        }
        if !heard(Ok(frame)) {
            return;
        }
    }
}
