// SPDX-License-Identifier: MIT OR Apache-2.0
//! The target that libFuzzer calls. `fuzz/run` builds and runs it.
#![no_main]

use cwnd_fuzz::{distance, document, failure_of, known};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let document = document(bytes);
    if let Some(failure) = failure_of(&document, distance(bytes))
        && known(&failure).is_none()
    {
        eprintln!("{failure}");
        std::process::abort();
    }
});
