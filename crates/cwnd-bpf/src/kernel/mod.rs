// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loader: it registers and unregisters algorithms, reads what they count and record, and moves connections to them.

mod cgroup;
mod check;
mod counters;
mod doctor;
mod elf;
mod error;
mod identity;
mod kernel_types;
mod libbpf_log;
mod link;
mod loaded_module;
mod loader;
mod maps;
mod meta;
mod module;
mod namespace;
mod object_file;
mod owned_module;
mod pins;
mod probe;
mod recorder;
mod registration;
mod rights;
mod scope;
mod shared_module;
mod signals;
mod source;
mod switch;
mod tick;
mod timing;
mod wrapper;

pub use check::{Answer, Check};
pub use counters::Counters;
pub use doctor::doctor;
pub use error::Error;
pub use libbpf_rs::ErrorKind;
pub use loaded_module::{Load, LoadedModule};
pub use module::Module;
pub use object_file::ObjectFile;
pub use owned_module::{HookCost, OwnedModule};
pub use probe::{Probe, ProbeSample};
pub use recorder::{CallRecord, Recorder};
pub use registration::{Registration, registrations};
pub use rights::give_up_rights;
pub use scope::{CommandResult, CommandScope, RunningCommand, ScopeCounts, ScopeMethod};
pub use shared_module::SharedModule;
pub use source::ModuleSource;
pub use switch::{ConnectionFilter, LiveConnection, LiveConnections, connections, switch};
pub use timing::Timing;
pub use wrapper::Wrapper;

pub use cwnd::Hook;
pub use cwnd_bpf_build::raw::Socket;
