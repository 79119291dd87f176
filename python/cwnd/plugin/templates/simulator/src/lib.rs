// SPDX-License-Identifier: MIT OR Apache-2.0
//! Written by cwnd at every build: the library that the simulator loads.

// SAFETY: no other symbol of this library has that name.
#[unsafe(no_mangle)]
#[expect(non_upper_case_globals, reason = "it is a symbol's name")]
pub static cwnd_plugin: cwnd_plugin::PluginTable = cwnd_plugin::PluginTable::of::<own::Algorithm>();
