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
//! The programs go with this process, however it ends. Its cgroup, empty, cannot: the next [`CommandScope`] removes it.

use std::fmt;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};

use libbpf_rs::{Link, Object, ObjectBuilder};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketType, ipproto, sockopt};
use rustix::thread::CapabilitySet;

use crate::kernel::capabilities::limit_to;
use crate::kernel::cgroup::{self, Cgroup};
use crate::kernel::default_cc::NamespaceDefault;
use crate::kernel::doctor::explain_refusal;
use crate::kernel::error::{Error, NAME_MAX, refused};
use crate::kernel::forwarded_signals::Forwarding;
use crate::kernel::libbpf_log::with_libbpf_log;
use crate::kernel::loader::CHOOSE;
use crate::kernel::maps::{fill, find, first_value, padded};

/// Names of the object's maps, as `bpf/choose.bpf.c` has them.
const CHOICE: &str = ".rodata.choice";
const USES: &str = ".data.uses";

/// How a scope reaches its connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeMethod {
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
pub struct ScopeCounts {
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

enum ScopeAttachment {
    // Dropped in this order: the programs before the cgroup that they are attached to.
    Cgroup { _links: Vec<Link>, object: Box<Object>, cgroup: Cgroup },
    Namespace(NamespaceDefault, String),
}

/// A place for one command; dropping takes it away.
pub struct CommandScope {
    algorithm: String,
    reach: ScopeAttachment,
}

impl fmt::Debug for CommandScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandScope")
            .field("algorithm", &self.algorithm)
            .field("means", &self.means())
            .finish()
    }
}

impl CommandScope {
    /// A place whose connections use `algorithm`, a name that the kernel has registered or can load.
    ///
    /// # Errors
    /// [`Error::Name`], [`Error::NotRegistered`]; [`Error::Scope`], when there is neither a cgroup nor a namespace whose
    /// setting may be changed, with the reason of each.
    pub fn new(algorithm: &str) -> Result<Self, Error> {
        let reach = |because: Error| match NamespaceDefault::change(algorithm) {
            Ok(setting) => Ok(ScopeAttachment::Namespace(setting, because.to_string())),
            Err(and) => Err(Error::Scope(format!("{because}; and {and}"))),
        };
        check(algorithm)?;
        cgroup::clean();
        let reach = by_cgroup(algorithm).or_else(reach)?;
        Ok(Self { algorithm: algorithm.to_owned(), reach })
    }

    /// As [`CommandScope::new`], by the namespace's setting alone.
    ///
    /// # Errors
    /// As [`CommandScope::new`].
    pub fn of_namespace(algorithm: &str) -> Result<Self, Error> {
        check(algorithm)?;
        let setting = NamespaceDefault::change(algorithm).map_err(Error::Scope)?;
        let reach = ScopeAttachment::Namespace(setting, "it was asked for".to_owned());
        Ok(Self { algorithm: algorithm.to_owned(), reach })
    }

    /// The congestion control.
    #[must_use]
    pub fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// How it reaches its connections.
    #[must_use]
    pub fn means(&self) -> ScopeMethod {
        match &self.reach {
            ScopeAttachment::Cgroup { cgroup, .. } => ScopeMethod::Cgroup(cgroup.path().to_owned()),
            ScopeAttachment::Namespace(setting, because) => {
                ScopeMethod::Namespace { before: setting.before.clone(), because: because.clone() }
            }
        }
    }

    /// What the programs did so far; `None` where there are none.
    ///
    /// # Errors
    /// [`Error`], when the kernel does not answer.
    pub fn uses(&self) -> Result<Option<ScopeCounts>, Error> {
        let ScopeAttachment::Cgroup { object, .. } = &self.reach else { return Ok(None) };
        let value = first_value(&find(object, USES)?);
        let value = value.map_err(refused("read a map"))?.unwrap_or_default();
        let mut numbers = value.chunks_exact(8).filter_map(|number| number.try_into().ok());
        let mut next = || numbers.next().map_or(0, u64::from_ne_bytes);
        let [connected, accepted, overridden, refused, error] = std::array::from_fn(|_| next());
        let error =
            i32::try_from(error.cast_signed()).ok().filter(|error| *error != 0).map(i32::wrapping_neg);
        Ok(Some(ScopeCounts { connected, accepted, overridden, refused, error }))
    }

    /// Starts the command. From here on signals to this process (HUP, INT, QUIT, TERM, USR1, USR2) are the command's, and
    /// do not end this process, until [`RunningCommand`] is waited for or dropped. One command at a time: a second waits for the
    /// first.
    ///
    /// # Errors
    /// [`Error::Command`], when it cannot be started.
    pub fn start(self, mut command: Command) -> Result<RunningCommand, Error> {
        let name = command.get_program().to_string_lossy().into_owned();
        let failed = |why| Error::Command(name.clone(), why);
        if let ScopeAttachment::Cgroup { cgroup, .. } = &self.reach {
            let mut entry = cgroup.entry().map_err(failed)?;
            // SAFETY: between fork and exec it only writes to an open file, which is a system call and nothing else.
            unsafe { command.pre_exec(move || entry.write_all(b"0")) };
        }
        let mut forwarding = Forwarding::begin();
        let child = command.spawn().map_err(failed)?;
        let forwarded = forwarding.to(&child);
        let running = RunningCommand { child, ended: false, scope: self, _forwarding: forwarding };
        // A command that signals would not reach is ended here, by dropping it.
        forwarded.map_err(failed)?;
        Ok(running)
    }
}

/// A command that runs in its scope; dropping ends it (`SIGKILL`).
pub struct RunningCommand {
    child: Child,
    ended: bool,
    // Dropped in this order: a signal ends this process only when there is nothing left to clean up.
    scope: CommandScope,
    _forwarding: Forwarding,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandResult {
    /// Its own answer.
    pub status: ExitStatus,
    /// What the programs did; `None` where there were none.
    pub uses: Option<ScopeCounts>,
    /// Processes that it left running, which are back in the cgroup of this process. Their connections keep the algorithm.
    pub left: usize,
}

impl CommandResult {
    /// What a shell would report: its exit code, or 128 and the signal that ended it.
    #[must_use]
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap_or(0))
    }
}

impl fmt::Debug for RunningCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningCommand")
            .field("id", &self.id())
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

impl RunningCommand {
    /// Number of the command's process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its place.
    #[must_use]
    pub const fn scope(&self) -> &CommandScope {
        &self.scope
    }

    /// What the command is connected to, if that was asked for.
    pub const fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Gives up the rights of the calling thread that waiting does not need: all but those to signal a command which has
    /// become another user's, and to remove a cgroup (to write to the hierarchy's root its
    /// permissions are not enough). The command keeps what it has.
    ///
    /// # Errors
    /// [`Error::Rights`], as for [`crate::give_up_rights`].
    pub fn give_up_rights(&self) -> Result<(), Error> {
        limit_to(CapabilitySet::KILL | CapabilitySet::DAC_OVERRIDE)
    }

    /// Waits for its end, and takes away the place.
    ///
    /// # Errors
    /// [`Error`], when the system does not answer.
    pub fn wait(mut self) -> Result<CommandResult, Error> {
        let status = self.child.wait().map_err(|why| Error::Command(self.id().to_string(), why))?;
        self.ended = true;
        let left = match &self.scope.reach {
            ScopeAttachment::Cgroup { cgroup, .. } => cgroup.empty(),
            ScopeAttachment::Namespace(..) => 0,
        };
        Ok(CommandResult { status, uses: self.scope.uses()?, left })
    }
}

impl Drop for RunningCommand {
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

fn by_cgroup(algorithm: &str) -> Result<ScopeAttachment, Error> {
    let cgroup = Cgroup::new().map_err(Error::Scope)?;
    let (object, links) = explain_refusal("use", with_libbpf_log(|| attach(algorithm, &cgroup)))?;
    Ok(ScopeAttachment::Cgroup { _links: links, object: Box::new(object), cgroup })
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
