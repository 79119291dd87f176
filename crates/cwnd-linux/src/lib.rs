// SPDX-License-Identifier: MIT OR Apache-2.0
//! The links of lane linux: a library that a user-mode kernel in virtual time loads into its process, which is one of the host.
//!
//! | part | what it does |
//! | --- | --- |
//! | `python/cwnd/linux/driver` | the driver, in C, which becomes a part of the kernel when that is built |
//! | `algorithms` | our algorithms, as congestion controls of the kernel |
//! | `interface`, `kernel` | what driver and library call of each other |
//! | `running` | what runs in the kernel: `run` or `bench` |
//! | `records` | the rows of a trace: hook calls, segments and timers of recorded connections |
//! | `run` | the scenario's network between the kernel's two hosts, and what is recorded of it |
//! | `bench` | a queue bench: packets at given times through a queue of the kernel |
//! | `senders` | rows of windows at each acknowledgement, and of inner variables |
//! | `output` | what the host hands in and gets back |
//! | `plugins` | algorithms of plugins, whose libraries the host hands in |
//! | `process` | what makes the process of the kernel one of ours |
#![cfg(target_os = "linux")]

mod algorithms;
mod bench;
mod interface;
mod kernel;
mod output;
mod plugins;
mod process;
mod records;
mod run;
mod running;
mod senders;
