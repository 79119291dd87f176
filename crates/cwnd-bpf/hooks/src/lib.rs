// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hooks of every algorithm of the registry under C names, `cwnd_<algorithm>_<hook>`, as `bpf/glue.bpf.c` calls them.
//!
//! Built to LLVM bitcode for `bpfel-unknown-none` and inlined into the C programs. There is no panic handler: the
//! rules of the core leave no panic, and one that crept in shows as an undefined symbol of `core::panicking`.
#![no_std]

#[macro_use]
#[path = "../../bpf/export.rs"]
mod export;

cwnd::for_each_algorithm!(export_all);
