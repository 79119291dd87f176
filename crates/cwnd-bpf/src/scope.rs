// SPDX-License-Identifier: MIT OR Apache-2.0
//! A command whose TCP connections, and those of all that it starts, use one congestion control, whatever the machine's default is
//! and whatever they ask for.
//!
//! **By a cgroup** of its own, with programs (`bpf/choose.bpf.c`) that set the algorithm when a socket connects or listens, once
//! more when a connection stands, and when the application chooses one: the application is told that it has what it asked
//! for, and gets ours, so that a program which names `cubic` itself can be measured on another. No right is asked of the
//! command. IPv4 and IPv6 alike. A socket that the command was given open, from outside, is not in it.
//!
//! **By the namespace's setting** where no cgroup can be made or the programs cannot be attached, and only where the network
//! namespace is not the machine's first: then everything in that namespace begins with it, the application's own choice
//! holds, and a killed loader leaves the setting.
//!
//! The programs go with this process, however it ends. Its cgroup, empty, cannot: the next [`Scope`] removes it.

use std::fmt;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};

use libbpf_rs::{Link, MapCore, MapFlags, Object, ObjectBuilder};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketType, ipproto, sockopt};
use rustix::thread::CapabilitySet;

use crate::cgroup::{self, Cgroup};
use crate::doctor::diagnosed;
use crate::error::{Error, NAME_MAX, refused};
use crate::loader::{CHOOSE, fill, find, hearing};
use crate::namespace::Setting;
use crate::registration::padded;
use crate::rights::keep;
use crate::signals::Forwarding;

/// Names of the object's maps, as `bpf/choose.bpf.c` has them.
const CHOICE: &str = ".rodata.choice";
const USES: &str = ".data.uses";

/// How a scope reaches its connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Means {
    /// A cgroup, at this place.
    Cgroup(PathBuf),
    /// The setting of the network namespace.
    Namespace {
        /// What it was, and will be.
        before: String,
        /// Why it was not a cgroup.
        because: String,
    },
}

/// What the programs did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Connections made.
    pub connected: u64,
    /// Connections accepted.
    pub accepted: u64,
    /// Choices of the application that were answered with ours.
    pub overridden: u64,
    /// Attempts that the kernel refused: such a connection runs on something else.
    pub refused: u64,
    /// The last refusal, as an error's number.
    pub error: Option<i32>,
}

enum Reach {
    // Dropped in this order: the programs before the cgroup that they are attached to.
    Cgroup { _links: Vec<Link>, object: Box<Object>, cgroup: Cgroup },
    Namespace(Setting, String),
}

/// A place for one command; dropping takes it away.
pub struct Scope {
    algorithm: String,
    reach: Reach,
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("algorithm", &self.algorithm).field("means", &self.means()).finish()
    }
}

impl Scope {
    /// A place whose connections use `algorithm`, a name that the kernel has registered or can load.
    ///
    /// # Errors
    /// [`Error::Name`], [`Error::NotRegistered`]; [`Error::Scope`], when there is neither a cgroup nor a namespace whose
    /// setting may be changed, with the reason of each.
    pub fn new(algorithm: &str) -> Result<Self, Error> {
        let reach = |because: Error| match Setting::change(algorithm) {
            Ok(setting) => Ok(Reach::Namespace(setting, because.to_string())),
            Err(and) => Err(Error::Scope(format!("{because}; and {and}"))),
        };
        check(algorithm)?;
        cgroup::clean();
        let reach = by_cgroup(algorithm).or_else(reach)?;
        Ok(Self { algorithm: algorithm.to_owned(), reach })
    }

    /// As [`Scope::new`], by the namespace's setting alone.
    ///
    /// # Errors
    /// As [`Scope::new`].
    pub fn of_namespace(algorithm: &str) -> Result<Self, Error> {
        check(algorithm)?;
        let setting = Setting::change(algorithm).map_err(Error::Scope)?;
        let reach = Reach::Namespace(setting, "it was asked for".to_owned());
        Ok(Self { algorithm: algorithm.to_owned(), reach })
    }

    /// The congestion control.
    #[must_use]
    pub fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// How it reaches its connections.
    #[must_use]
    pub fn means(&self) -> Means {
        match &self.reach {
            Reach::Cgroup { cgroup, .. } => Means::Cgroup(cgroup.path().to_owned()),
            Reach::Namespace(setting, because) => {
                Means::Namespace { before: setting.before.clone(), because: because.clone() }
            }
        }
    }

    /// What the programs did so far; `None` where there are none.
    ///
    /// # Errors
    /// [`Error`], when the kernel does not answer.
    pub fn uses(&self) -> Result<Option<Uses>, Error> {
        let Reach::Cgroup { object, .. } = &self.reach else { return Ok(None) };
        let value = find(object, USES)?.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY);
        let value = value.map_err(refused("read a map"))?.unwrap_or_default();
        let mut numbers = value.chunks_exact(8).filter_map(|number| number.try_into().ok());
        let mut next = || numbers.next().map_or(0, u64::from_ne_bytes);
        let [connected, accepted, overridden, refused, error] = std::array::from_fn(|_| next());
        let error =
            i32::try_from(error.cast_signed()).ok().filter(|error| *error != 0).map(i32::wrapping_neg);
        Ok(Some(Uses { connected, accepted, overridden, refused, error }))
    }

    /// Starts the command. From here on signals to this process (HUP, INT, QUIT, TERM, USR1, USR2) are the command's, and
    /// do not end this process, until [`Running`] is waited for or dropped. One command at a time: a second waits for the
    /// first.
    ///
    /// # Errors
    /// [`Error::Command`], when it cannot be started.
    pub fn start(self, mut command: Command) -> Result<Running, Error> {
        let name = command.get_program().to_string_lossy().into_owned();
        let failed = |why| Error::Command(name.clone(), why);
        if let Reach::Cgroup { cgroup, .. } = &self.reach {
            let mut entry = cgroup.entry().map_err(failed)?;
            // SAFETY: between fork and exec it only writes to an open file, which is a system call and nothing else.
            unsafe { command.pre_exec(move || entry.write_all(b"0")) };
        }
        let mut forwarding = Forwarding::begin();
        let child = command.spawn().map_err(failed)?;
        let forwarded = forwarding.to(&child);
        let running = Running { child, ended: false, scope: self, _forwarding: forwarding };
        // A command that signals would not reach is ended here, by dropping it.
        forwarded.map_err(failed)?;
        Ok(running)
    }
}

/// A command that runs in its scope; dropping ends it (`SIGKILL`).
pub struct Running {
    child: Child,
    ended: bool,
    // Dropped in this order: a signal ends this process only when there is nothing left to clean up.
    scope: Scope,
    _forwarding: Forwarding,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its own answer.
    pub status: ExitStatus,
    /// What the programs did; `None` where there were none.
    pub uses: Option<Uses>,
    /// Processes that it left running, which are back in the cgroup of this process. Their connections keep the algorithm.
    pub left: usize,
}

impl Ended {
    /// What a shell would report: its exit code, or 128 and the signal that ended it.
    #[must_use]
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap_or(0))
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("id", &self.id()).field("scope", &self.scope).finish_non_exhaustive()
    }
}

impl Running {
    /// Number of the command's process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its place.
    #[must_use]
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// What the command is connected to, if that was asked for.
    pub const fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Gives up the rights of the calling thread that waiting does not need: all but those to signal a command which has
    /// become another user's, and to remove a cgroup (the hierarchy's root lets nobody write to it who has only its
    /// permissions). The command keeps what it has.
    ///
    /// # Errors
    /// [`Error::Rights`], as for [`crate::give_up_rights`].
    pub fn give_up_rights(&self) -> Result<(), Error> {
        keep(CapabilitySet::KILL | CapabilitySet::DAC_OVERRIDE)
    }

    /// Waits for its end, and takes away the place.
    ///
    /// # Errors
    /// [`Error`], when the system does not answer.
    pub fn wait(mut self) -> Result<Ended, Error> {
        let status = self.child.wait().map_err(|why| Error::Command(self.id().to_string(), why))?;
        self.ended = true;
        let left = match &self.scope.reach {
            Reach::Cgroup { cgroup, .. } => cgroup.empty(),
            Reach::Namespace(..) => 0,
        };
        Ok(Ended { status, uses: self.scope.uses()?, left })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.child.kill().and_then(|()| self.child.wait());
        }
    }
}

/// Refuses a name that the kernel does not know, and has it load the module of one that it does.
pub(crate) fn check(algorithm: &str) -> Result<(), Error> {
    let is_name = !algorithm.is_empty() && algorithm.len() <= NAME_MAX && !algorithm.contains('\0');
    if !is_name {
        return Err(Error::Name(algorithm.to_owned()));
    }
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, Some(ipproto::TCP));
    // Whether this process may choose it does not matter; whether there is one does.
    match socket.and_then(|socket| sockopt::set_tcp_congestion(&socket, algorithm)) {
        Err(Errno::NOENT) => Err(Error::NotRegistered(algorithm.to_owned())),
        _ => Ok(()),
    }
}

fn by_cgroup(algorithm: &str) -> Result<Reach, Error> {
    let cgroup = Cgroup::new().map_err(Error::Scope)?;
    let (object, links) = diagnosed("use", hearing(|| attach(algorithm, &cgroup)))?;
    Ok(Reach::Cgroup { _links: links, object: Box::new(object), cgroup })
}

fn attach(algorithm: &str, cgroup: &Cgroup) -> Result<(Object, Vec<Link>), Error> {
    let mut open = ObjectBuilder::default().open_memory(&CHOOSE.0).map_err(refused("read the object"))?;
    fill(&mut open, CHOICE, &padded::<{ NAME_MAX + 1 }>(algorithm))?;
    let object = open.load().map_err(refused("load the programs of a cgroup"))?;
    let attach = |program: libbpf_rs::ProgramMut<'_>| program.attach_cgroup(cgroup.dir().as_raw_fd());
    let links: Result<_, _> = object.progs_mut().map(attach).collect();
    let links = links.map_err(refused("attach the programs to a cgroup"))?;
    Ok((object, links))
}
