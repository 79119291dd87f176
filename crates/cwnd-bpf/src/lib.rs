// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel lane: every algorithm of the registry as a BPF `struct_ops` object that registers a TCP congestion control
//! on the running Linux kernel.
//!
//! With the feature `kernel`, the build compiles the hooks of the core to BPF (`hooks/`), links them with a C glue that
//! reads the kernel's `tcp_sock` (`bpf/`), and embeds one portable object per algorithm; `Module::load` puts
//! one into the kernel, and `Module::load_recording` hands out every call of its hooks besides. Without the feature this
//! crate is empty, needs no compiler but Rust's, and builds anywhere.
//!
//! With the feature `recipe`, `build_object` makes the object of one algorithm from outside the tree.
//!
//! Tested on Linux 6.18; needs BTF (`/sys/kernel/btf/vmlinux`), links of `struct_ops` (6.4) and root. The tests in
//! `tests/kernel` move traffic on every algorithm.

#[cfg(all(feature = "kernel", target_os = "linux"))]
mod cgroup;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod counters;
#[cfg(feature = "recipe")]
#[path = "../build/describe.rs"]
mod describe;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod doctor;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod elf;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod error;
#[cfg(any(feature = "recipe", all(feature = "kernel", target_os = "linux")))]
mod fnv;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod held;
#[cfg(any(feature = "recipe", all(feature = "kernel", target_os = "linux")))]
mod hook;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod kernel_types;
#[cfg(feature = "recipe")]
#[path = "../build/layout.rs"]
mod layout;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod loaded;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod loader;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod meta;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod module;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod namespace;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod object_file;
#[cfg(feature = "recipe")]
mod own;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod pins;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod probe;
#[cfg(any(feature = "recipe", all(feature = "kernel", target_os = "linux")))]
mod raw;
#[cfg(feature = "recipe")]
#[path = "../build/recipe.rs"]
mod recipe;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod recorder;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod registration;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod rights;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod scope;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod signals;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod switch;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod tick;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod timing;
#[cfg(feature = "recipe")]
#[path = "../build/toolchain.rs"]
mod toolchain;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod wrapper;

#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use counters::Counters;
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use doctor::{Answer, Check, doctor};
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use error::Error;
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use held::Held;
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use hook::Hook;
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use libbpf_rs::ErrorKind;
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use loaded::{Cost, Loaded};
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use module::Module;
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use object_file::ObjectFile;
#[cfg(feature = "recipe")]
pub use own::{Failure, Own, build_object};
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use probe::{Probe, Sample};
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use raw::Socket;
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use recorder::{Record, Recorder};
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use registration::{Registration, Shared, Source, registrations};
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use rights::give_up_rights;
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use scope::{Ended, Means, Running, Scope, Uses};
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use switch::{Connection, Found, Which, connections, switch};
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use timing::Timing;
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use wrapper::Wrapper;
