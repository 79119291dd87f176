// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors of the kernel lane.

use std::fmt;

use cwnd::registry::{self, Description};
use cwnd_scenario::Invalid;

use crate::kernel::diagnostic::Check;

/// Longest name of a congestion control (the kernel's `TCP_CA_NAME_MAX` with its final zero is 16).
pub(crate) const NAME_MAX: usize = 15;

/// Why an algorithm was not loaded, or its counters not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The registry has no parameter set of this name.
    UnknownSet(String),
    /// A parameter that the algorithm does not have, or a value that it does not accept.
    Param(Invalid),
    /// The kernel takes names of 1 to 15 letters, hashed_name, `_` and `.`.
    Name(String),
    /// The embedded object is not what this loader expects.
    Object(String),
    /// An algorithm of this name is in the kernel.
    Exists(String),
    /// Another algorithm, or another build of this one, has the name.
    Taken {
        /// The name.
        name: String,
        /// What has it, in words.
        by: String,
    },
    /// An algorithm that no cwnd has loaded, such as one of the kernel's own, has the name.
    KernelsOwn(String),
    /// A file is no object that this loader takes; what it is.
    Foreign(std::path::PathBuf, String),
    /// The name of an object's file gives this name, which the kernel does not take.
    FileName(std::path::PathBuf, String),
    /// What was loaded under this name cannot be had once more.
    Gone {
        /// The name.
        name: String,
        /// Why not.
        why: String,
    },
    /// The host's algorithm of this name is not the object's; what it should be.
    Host(String, String),
    /// A user other than root could change what is pinned in this folder; why.
    Pins(std::path::PathBuf, String),
    /// The kernel refused, and this is the first that the machine lacks of what was needed.
    Lacks {
        /// The refusal.
        cause: Box<Error>,
        /// What is lacking.
        check: Check,
    },
    /// The kernel knows no congestion control of this name, and has no module of it.
    NotRegistered(String),
    /// No place for a command whose connections use an algorithm: why not, in words.
    Scope(String),
    /// A command did not start, or its end was not reported.
    Command(String, std::io::Error),
    /// A file or folder of the kernel's file system for BPF objects.
    File(std::path::PathBuf, std::io::Error),
    /// Rights that were not given up.
    Rights(std::io::Error),
    /// A record is not what this reader expects.
    Record(String),
    /// The kernel refused, or libbpf did; with what libbpf had to say, the verifier's log included.
    Kernel {
        /// What was being done.
        what: &'static str,
        /// The system's answer.
        why: libbpf_rs::Error,
        /// libbpf's messages.
        log: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownSet(name) => {
                write!(f, "no parameter set is called {name:?}; the sets are ")?;
                for (place, set) in registry::ALGORITHMS.iter().flat_map(Description::sets).enumerate() {
                    write!(f, "{}{}", if place == 0 { "" } else { ", " }, set.name)?;
                }
                Ok(())
            }
            Self::Param(invalid) => invalid.fmt(f),
            Self::Name(name) => {
                write!(
                    f,
                    "{name:?} is not a valid name in the kernel: 1 to {NAME_MAX} letters, hashed_name, _ and ."
                )
            }
            Self::Object(what) => write!(f, "the embedded object has {what}"),
            Self::Exists(name) => write!(f, "an algorithm called {name} is registered already"),
            Self::Taken { name, by } => {
                write!(f, "{name} is taken by {by}; choose another name, or unload that one")
            }
            Self::KernelsOwn(name) => {
                write!(f, "{name} is the name of an algorithm that cwnd did not load (the kernel's own?)")
            }
            Self::Foreign(file, why) => write!(f, "{}: {why}", file.display()),
            Self::FileName(file, name) => {
                write!(f, "{}: {name:?} would not be a valid name in the kernel", file.display())
            }
            Self::Gone { name, why } => write!(f, "{name} cannot be loaded again: {why}"),
            Self::Host(name, what) => write!(f, "{name} on the host differs; expected {what}"),
            Self::Pins(folder, why) => {
                write!(f, "{}: not used for pins: {why}, but only root may write there", folder.display())
            }
            Self::Lacks { cause, check } => {
                let text = cause.to_string();
                let (line, log) = text.split_once('\n').unwrap_or((&text, ""));
                write!(f, "{line}; this machine lacks {}, {}: {}", check.name, check.detail, check.advice)?;
                if log.is_empty() { Ok(()) } else { write!(f, "\n{log}") }
            }
            Self::NotRegistered(name) => {
                write!(f, "the kernel has no congestion control {name:?}")?;
                let list = "/proc/sys/net/ipv4/tcp_available_congestion_control";
                match std::fs::read_to_string(list) {
                    Ok(names) => write!(f, "; it has {}", names.trim_end().replace(' ', ", ")),
                    Err(_) => Ok(()),
                }
            }
            Self::Scope(why) => f.write_str(why),
            Self::Command(name, why) => write!(f, "{name}: {why}"),
            Self::File(path, why) => write!(f, "{}: {why}", path.display()),
            Self::Rights(why) => write!(f, "cannot give up rights: {why}"),
            Self::Record(what) => write!(f, "the kernel recorded {what}"),
            Self::Kernel { what, why, log } => {
                write!(f, "cannot {what}: {why}")?;
                if log.is_empty() { Ok(()) } else { write!(f, "\n{}", log.trim_end()) }
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Kernel { why, .. } => Some(why),
            Self::Lacks { cause, .. } => Some(cause),
            Self::File(_, why) | Self::Command(_, why) | Self::Rights(why) => Some(why),
            _ => None,
        }
    }
}

/// Failure of a step, before libbpf's messages are added.
pub(crate) fn refused(what: &'static str) -> impl FnOnce(libbpf_rs::Error) -> Error {
    move |why| Error::Kernel { what, why, log: String::new() }
}
