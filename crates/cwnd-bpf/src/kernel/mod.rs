// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loader: it registers and unregisters algorithms, reads what they count and record, and moves connections to them.

mod capabilities;
mod cgroup;
mod command_scope;
mod counters;
mod default_cc;
mod diagnostic;
mod doctor;
mod elf;
mod error;
mod forwarded_signals;
mod identity;
mod kernel_types;
mod libbpf_log;
mod link;
mod load_origin;
mod loaded_module;
mod loader;
mod maps;
mod meta;
mod module;
mod object_file;
mod owned_module;
mod pins;
mod recorder;
mod registration;
mod run_time;
mod shared_module;
mod state_sampler;
mod switch;
mod tcp_probe;
mod tick;
mod wrapper;

pub use capabilities::give_up_rights;
pub use command_scope::{CommandResult, CommandScope, RunningCommand, ScopeCounts, ScopeMethod};
pub use counters::Counters;
pub use diagnostic::{Answer, Check};
pub use doctor::doctor;
pub use error::Error;
pub use libbpf_rs::ErrorKind;
pub use load_origin::ModuleSource;
pub use loaded_module::{Load, LoadedModule};
pub use module::Module;
pub use object_file::ObjectFile;
pub use owned_module::{HookCost, OwnedModule};
pub use recorder::{CallRecord, PacketRecord, Recorder};
pub use registration::{Registration, registrations};
pub use run_time::Timing;
pub use shared_module::SharedModule;
pub use state_sampler::{SampleCause, SampledState, StateSampler};
pub use switch::{ConnectionFilter, LiveConnection, LiveConnections, connections, switch};
pub use tcp_probe::{Probe, ProbeSample};
pub use wrapper::{PacketPrograms, Wrapper};

pub use cwnd::Hook;
pub use cwnd_bpf_build::shared_structs::{RawPacket, Socket};
