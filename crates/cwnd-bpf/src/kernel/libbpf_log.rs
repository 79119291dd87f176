// SPDX-License-Identifier: MIT OR Apache-2.0
//! libbpf's messages, kept for the error that they explain.

use std::cell::RefCell;

use libbpf_rs::PrintLevel;

use crate::kernel::error::Error;

thread_local! {
    /// Messages of libbpf to this thread since [`with_libbpf_log`] began.
    static LIBBPF_LOG: RefCell<String> = const { RefCell::new(String::new()) };
}

fn keep_line(_level: PrintLevel, text: String) {
    LIBBPF_LOG.with_borrow_mut(|log| log.push_str(&text));
}

/// Runs `step` with libbpf's warnings kept, not printed, and adds them to its error.
pub(crate) fn with_libbpf_log<T>(step: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    libbpf_rs::set_print(Some((PrintLevel::Warn, keep_line)));
    LIBBPF_LOG.take();
    let result = step();
    let log = LIBBPF_LOG.take();
    result.map_err(|error| match error {
        Error::Kernel { what, why, .. } => Error::Kernel { what, why, log },
        other => other,
    })
}
