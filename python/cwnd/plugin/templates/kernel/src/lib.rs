// SPDX-License-Identifier: MIT OR Apache-2.0
//! Written by cwnd at every build: the hooks for the kernel object.
#![no_std]

#[macro_use]
#[path = "@SOURCE@/crates/cwnd-bpf/bpf/export.rs"]
mod export;

export_all! {
    Own: own::Algorithm, "@NAME@";
}
