// SPDX-License-Identifier: MIT OR Apache-2.0
//! The target that libFuzzer calls with what the reader of this name reads. `fuzz/readers` builds and runs it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static READER: LazyLock<String> = LazyLock::new(|| std::env::var("READER").unwrap_or_default());

fuzz_target!(|bytes: &[u8]| {
    if let Err(broken) = cwnd_fuzz::read_with(&READER, bytes) {
        eprintln!("{broken}");
        std::process::abort();
    }
});
