// SPDX-License-Identifier: MIT OR Apache-2.0
//! Panics as values.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether panics of this thread are caught, and not printed.
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    /// Location and message of the thread's last caught panic.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

static HOOK: Once = Once::new();

/// What `run` returns, or location and message of the panic that ended it, in one line. That panic is not printed; other threads'
/// panics are handled as before.
///
/// # Errors
/// The panic.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if CATCHING.get() {
                PANIC.set(info.to_string().replace('\n', " "));
            } else {
                before(info);
            }
        }));
    });
    let outer = CATCHING.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(run));
    CATCHING.set(outer);
    outcome.map_err(|_| PANIC.take())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "engine")]
    use crate::Broken;

    #[test]
    fn a_panic_is_its_place_and_words_and_the_next_run_is_its_own() {
        let panic = caught(|| [1, 2, 3][std::hint::black_box(7)]).expect_err("there is no eighth");
        assert!(panic.starts_with("panicked at fuzz/src/panics.rs:"), "{panic}");
        assert!(panic.contains("the len is 3 but the index is 7"), "{panic}");
        #[cfg(feature = "engine")]
        assert!(Broken::from(panic).of_cwnd(), "an algorithm's panic does not come this way");
        assert_eq!(caught(|| 3), Ok(3));
        assert_eq!(
            caught(|| caught(|| panic!("inner")).map_err(|panic| panic.len() > 5)),
            Ok(Err::<(), _>(true))
        );
    }
}
