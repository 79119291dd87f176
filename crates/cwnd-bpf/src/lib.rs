// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel lane: every algorithm of the registry as a BPF `struct_ops` object that registers a TCP congestion control
//! on the running Linux kernel.
//!
//! With the feature `kernel`, the build compiles the hooks of the core to BPF (`hooks/`), links them with a C glue that
//! reads the kernel's `tcp_sock` (`bpf/`), and embeds one portable object per algorithm; `Load::load` puts
//! one into the kernel, and `Load::load_recording` hands out every call of its hooks besides. Without the feature this
//! crate is empty, needs no compiler but Rust's, and builds anywhere.
//!
//! Tested on Linux 6.18; needs BTF (`/sys/kernel/btf/vmlinux`), links of `struct_ops` (6.4) and root. The tests in
//! `tests/kernel` move traffic on every algorithm.
#![cfg(all(feature = "kernel", target_os = "linux"))]

mod kernel;

pub use kernel::*;
