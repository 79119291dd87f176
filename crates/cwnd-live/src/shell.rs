// SPDX-License-Identifier: MIT OR Apache-2.0
//! A command behind emulated links: everything that it sends leaves through them.

use crate::carrier::{Carrier, CarrierReport};
use crate::crossing::{Crossing, FlowState, Rows};
use crate::error::{Error, while_doing};
use crate::host::Host;
use crate::paths::HostSide;
use crate::scenario_clock::{ScenarioClock, clock};
use crate::tcp_states::TcpStates;
use cwnd_scenario::Scenario;
use rustix::event::{EventfdFlags, eventfd};
use rustix::process::{Pid, Signal, kill_process};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the command is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// How long a connection of the command that has delivered everything is given for the other end to close it too, ns.
const PEER_CLOSES: u64 = 1_000_000_000;

struct Shared {
    hosts: [Host; 2],
    flows: [FlowState; 1],
    stop: OwnedFd,
    drain: OwnedFd,
}

/// A running command.
pub struct Shell {
    shared: Arc<Shared>,
    child: Child,
    carrying: Option<JoinHandle<Result<CarrierReport, Error>>>,
    /// Only its own methods take rows out, with `&mut self`: the lock makes it `Sync`, for the Python module.
    rows: Mutex<Receiver<Rows>>,
    /// Since when all that the command has written has been delivered, ns.
    delivered: Option<u64>,
}

impl Shell {
    /// Starts `command` behind the links of the scenario's first flow: what it sends takes the flow's path, what comes back its reverse
    /// path. The variable `CWND_HOST` is the address at which it finds this machine.
    ///
    /// The command ends with the thread that calls this. Where the scenario captures the senders' packets, those that the command sends and
    /// receives are captured, at its device.
    ///
    /// # Errors
    /// [`Error::System`] for what the system does not allow, and [`Error::Command`] for a command that cannot be run.
    pub fn start(scenario: &Scenario, command: &[String]) -> Result<Self, Error> {
        let crossing = Crossing::of_everything(scenario);
        let hosts = Host::pair(scenario.packet_size)?;
        let stop = eventfd(0, EventfdFlags::CLOEXEC).map_err(while_doing("make an eventfd"))?;
        let drain = eventfd(0, EventfdFlags::CLOEXEC).map_err(while_doing("make an eventfd"))?;
        let shared = Arc::new(Shared { hosts, flows: [FlowState::default()], stop, drain });
        let time = ScenarioClock::real_time(clock());
        let (rows, receiver) = channel();
        let here = shared.clone();
        let carry = move || {
            let Shared { hosts, flows, stop, drain } = &*here;
            let (clock, announced, drain) = (&time, None, Some(drain));
            Carrier { crossing, hosts, clock, flows, announced, rows, stop, drain }.run()
        };
        let [inside, outside] = &shared.hosts;
        let (program, arguments) = command.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
        let mut child = Command::new(program);
        child.args(arguments).env(crate::host::GATEWAY, outside.own_address().to_string());
        let namespace = inside.namespace().as_raw_fd();
        let parent = std::process::id() as i32;
        let enter = move || {
            // SAFETY: plain system calls, which are allowed between fork and exec. The descriptor is open: its host outlives the call.
            let (done, orphaned) = unsafe {
                let done = libc::setns(namespace, libc::CLONE_NEWNET) == 0
                    && libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) == 0;
                // Had the parent ended before this, no signal would come.
                (done, libc::getppid() != parent)
            };
            match (done, orphaned) {
                (true, false) => Ok(()),
                (true, true) => Err(io::Error::from_raw_os_error(libc::ESRCH)),
                (false, _) => Err(io::Error::last_os_error()),
            }
        };
        // SAFETY: the closure does nothing else.
        let spawned = unsafe { child.pre_exec(enter) }.spawn();
        let spawned = spawned.map_err(|why| Error::Command(program.to_owned(), why));
        let rows = Mutex::new(receiver);
        let mut shell = Self { child: spawned?, shared, carrying: None, rows, delivered: None };
        // From here on the command ends when this fails.
        let carrying = std::thread::Builder::new()
            .name("cwnd-link".into())
            .spawn(carry)
            .map_err(while_doing("start a thread"))?;
        shell.carrying = Some(carrying);
        Ok(shell)
    }

    /// Address at which the command finds this machine.
    #[must_use]
    pub fn address(&self) -> Ipv4Addr {
        self.shared.hosts[HostSide::Receivers as usize].own_address()
    }

    /// Waits up to this long for the command's end; its exit code, 128 and the signal if one ended it.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn wait(&mut self, wait: Duration) -> Result<Option<i32>, Error> {
        let until = clock() + wait.as_nanos() as u64;
        loop {
            let ended = self.child.try_wait().map_err(while_doing("wait for the command"))?;
            if let Some(status) = ended {
                return Ok(Some(status.code().unwrap_or(128 + status.signal().unwrap_or(0))));
            }
            if clock() >= until {
                return Ok(None);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Sends the command a signal, by its number.
    pub fn signal(&self, number: i32) {
        let signal = Signal::from_named_raw(number);
        if let (Some(process), Some(signal)) = (Pid::from_raw(self.child.id() as i32), signal) {
            // It may have ended.
            let _ = kill_process(process, signal);
        }
    }

    /// Waits up to this long for what the ended command has written: returns whether its connections have delivered everything, and the
    /// other ends have closed them too or had their time for it.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn wait_for_delivery(&mut self, wait: Duration) -> Result<bool, Error> {
        let until = clock() + wait.as_nanos() as u64;
        let inside = &self.shared.hosts[HostSide::Senders as usize];
        loop {
            let TcpStates { unacknowledged, half_closed } = inside.within(TcpStates::read)?;
            let now = clock();
            let since = *self.delivered.get_or_insert(now);
            if unacknowledged > 0 {
                self.delivered = None;
            } else if half_closed == 0 || now - since >= PEER_CLOSES {
                return Ok(true);
            }
            if now >= until {
                return Ok(false);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits up to this long until what has been sent by the first call has been delivered; from then on nothing enters the links. Returns whether it has.
    pub fn drain(&self, wait: Duration) -> bool {
        let until = clock() + wait.as_nanos() as u64;
        let _ = rustix::io::write(&self.shared.drain, &1u64.to_ne_bytes());
        while self.carrying.as_ref().is_some_and(|carrying| !carrying.is_finished()) {
            if clock() >= until {
                return false;
            }
            std::thread::sleep(LOOK);
        }
        true
    }

    /// Takes what was captured since the last call: the next piece of a file of pcapng.
    pub fn take_packets(&mut self) -> Vec<u8> {
        let rows = self.rows.get_mut().unwrap_or_else(PoisonError::into_inner);
        let pieces = rows.try_iter().filter_map(|rows| match rows {
            Rows::Packets(_, piece) => Some(piece),
            // The shell has no tables.
            Rows::Queue(_) | Rows::Events(_) | Rows::Windows(_) | Rows::Inner(_) => None,
        });
        pieces.collect::<Vec<_>>().concat()
    }

    /// Ends the links; what is on them is lost. Says what they have done, and the last piece of what was captured.
    ///
    /// # Errors
    /// What has ended them early.
    pub fn finish(mut self) -> Result<(Option<CarrierReport>, Vec<u8>), Error> {
        self.stop();
        let carrying = self.carrying.take();
        let report = carrying.map(|carrying| carrying.join().expect("it does not panic")).transpose()?;
        Ok((report, self.take_packets()))
    }

    fn stop(&self) {
        let _ = rustix::io::write(&self.shared.stop, &1u64.to_ne_bytes());
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.stop();
        if let Some(carrying) = self.carrying.take() {
            let _ = carrying.join();
        }
        // Behind links that are gone it has nobody to talk to.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill().and_then(|()| self.child.wait());
        }
    }
}
