// SPDX-License-Identifier: MIT OR Apache-2.0
//! From an algorithm to its BPF `struct_ops` object, and what an object and its loader share.
//!
//! `cwnd-bpf`'s build script makes the objects of the registry with it, and `cwnd build-kernel` that of an algorithm from outside the
//! tree ([`build_object`]). The compilers run when it is called: the crate itself builds anywhere. The C sources and
//! `export.rs` are in `crates/cwnd-bpf/bpf`; their folder is an argument.
#![forbid(unsafe_code)]

mod fnv;
pub mod layout;
mod metadata;
mod plugin;
pub mod recipe;
mod refused_code;
pub mod shared_structs;
pub mod store;
pub mod toolchain;

pub use fnv::fnv;
pub use plugin::{BuildError, KernelPlugin, build_object};
