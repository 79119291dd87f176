// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel lane: every algorithm of the registry as a BPF `struct_ops` object that registers a TCP congestion control
//! on the running Linux kernel.
//!
//! With the feature `kernel`, the build compiles the hooks of the core to BPF (`hooks/`), links them with a C glue that
//! reads the kernel's `tcp_sock` (`bpf/`), and embeds one portable object per algorithm; `Load::load` puts
//! one into the kernel, and `Load::load_recording` hands out every call of its hooks besides. Without the feature this
//! crate is empty, needs no compiler but Rust's, and builds anywhere.
//!
//! With the feature `recipe`, `build_object` makes the object of one algorithm from outside the tree.
//!
//! Tested on Linux 6.18; needs BTF (`/sys/kernel/btf/vmlinux`), links of `struct_ops` (6.4) and root. The tests in
//! `tests/kernel` move traffic on every algorithm.

#[cfg(feature = "recipe")]
#[path = "../build/describe.rs"]
mod describe;
#[cfg(any(feature = "recipe", all(feature = "kernel", target_os = "linux")))]
mod fnv;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod kernel;
#[cfg(feature = "recipe")]
#[path = "../build/layout.rs"]
mod layout;
#[cfg(feature = "recipe")]
mod plugin;
#[cfg(any(feature = "recipe", all(feature = "kernel", target_os = "linux")))]
mod raw;
#[cfg(feature = "recipe")]
#[path = "../build/recipe.rs"]
mod recipe;
#[cfg(feature = "recipe")]
#[path = "../build/toolchain.rs"]
mod toolchain;

#[cfg(all(feature = "kernel", target_os = "linux"))]
pub use kernel::*;
#[cfg(feature = "recipe")]
pub use plugin::{BuildError, KernelPlugin, build_object};
