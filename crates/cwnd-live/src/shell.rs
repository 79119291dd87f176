// SPDX-License-Identifier: MIT OR Apache-2.0
//! A command behind emulated links: everything that it sends leaves through them.

use crate::capture::DeviceCaptures;
use crate::carrier::{Carrier, CarrierReport, FlowState, Passing, clock};
use crate::emulator::Emulator;
use crate::error::{Error, while_doing};
use crate::host::Host;
use crate::paths::{HostSide, Paths};
use cwnd_scenario::Scenario;
use rustix::event::{EventfdFlags, eventfd};
use rustix::process::{Pid, Signal, kill_process};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the command is looked at.
const LOOK: Duration = Duration::from_millis(5);

struct Shared {
    hosts: [Host; 2],
    flows: [FlowState; 1],
    stop: OwnedFd,
}

/// A running command.
pub struct Shell {
    shared: Arc<Shared>,
    child: Child,
    carrying: Option<JoinHandle<Result<CarrierReport, Error>>>,
}

impl Shell {
    /// Starts `command` behind the links of the scenario's first flow: what it sends takes the flow's path, what comes back its reverse
    /// path. The variable `CWND_HOST` is the address at which it finds this machine.
    ///
    /// The command ends with the thread that calls this.
    ///
    /// # Errors
    /// [`Error::System`] for what the system does not allow, and [`Error::Command`] for a command that cannot be run.
    pub fn start(scenario: &Scenario, command: &[String]) -> Result<Self, Error> {
        let flows = scenario.expand();
        let (links, paths) = Paths::of_scenario(scenario, &flows);
        let hosts = Host::pair(scenario.packet_size)?;
        let stop = eventfd(0, EventfdFlags::CLOEXEC).map_err(while_doing("make an eventfd"))?;
        let shared = Arc::new(Shared { hosts, flows: [FlowState::default()], stop });
        let (measure, end, zero) = ((0, u64::MAX), u64::MAX, clock());
        let (rows, _) = channel();
        let here = shared.clone();
        let carry = move || {
            let Shared { hosts, flows, stop } = &*here;
            let emulator = Emulator::new(links, paths, measure, end);
            let (passing, interval, scenario_links, mss) = (Passing::Everything, 0, 0, 1);
            Carrier {
                passing,
                emulator,
                hosts,
                zero,
                end,
                interval,
                scenario_links,
                mss,
                measure,
                flows,
                captures: DeviceCaptures::none(),
                named: 1,
                rows,
                stop,
            }
            .run()
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
        let mut shell = Self { child: spawned?, shared, carrying: None };
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

    /// Ends the links, and says what they have done.
    ///
    /// # Errors
    /// What has ended them early.
    pub fn finish(mut self) -> Result<Option<CarrierReport>, Error> {
        self.stop();
        self.carrying.take().map(|carrying| carrying.join().expect("it does not panic")).transpose()
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
