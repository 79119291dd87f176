// SPDX-License-Identifier: MIT OR Apache-2.0
//! The target that libFuzzer calls with facts for a transport. `fuzz/run` builds and runs it with `TARGET=transport`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Err(broken) = cwnd_fuzz::facts_of(bytes) {
        eprintln!("{broken}");
        std::process::abort();
    }
});
