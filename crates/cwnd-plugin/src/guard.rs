// SPDX-License-Identifier: MIT OR Apache-2.0
//! Panics of the algorithm end at the C boundary: they are reported to the host, and the hook returns as if it had done nothing.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::path::Path;
use std::string::{String, ToString};
use std::sync::OnceLock;

use crate::values::{NOTHING, Text, Variable};

/// A panic. Its texts live until the [`Reporter`] returns.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Panic {
    /// The hook that panicked, by its name.
    pub hook: Text,
    /// The panic's words.
    pub message: Text,
    /// The source file.
    pub file: Text,
    /// The line there, from 1.
    pub line: u32,
    /// Whether that is in cwnd's own sources, which promise not to panic, and not in the algorithm's.
    pub ours: bool,
}

/// What the host is told of a panic by, on the thread that called the hook and before the hook returns.
pub type Reporter = extern "C" fn(&Panic);

static REPORTER: OnceLock<Reporter> = OnceLock::new();

/// Words, file and line.
type Last = (String, String, u32);

std::thread_local! {
    /// The thread's last panic: only the panic hook is told where it was.
    static LAST: RefCell<Last> = const { RefCell::new((String::new(), String::new(), 0)) };
}

/// From now on panics of this library are reported to `reporter`, the first that was given, and not printed.
///
/// The library has a standard library of its own, so that the host's panics and those of other libraries stay theirs.
pub(crate) extern "C" fn report_to(reporter: Reporter) {
    if REPORTER.set(reporter).is_ok() {
        set_hook(std::boxed::Box::new(store_panic));
    }
}

fn store_panic(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let message = payload.downcast_ref::<&str>().map(ToString::to_string);
    let message = message.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    let (file, line) = info.location().map_or(("", 0), |place| (place.file(), place.line()));
    LAST.with(|last| *last.borrow_mut() = (message, file.to_string(), line));
}

/// What a hook that panicked returns; the host does not use it.
pub(crate) trait PanicReturn {
    const VALUE: Self;
}

impl PanicReturn for () {
    const VALUE: Self = ();
}

impl PanicReturn for bool {
    const VALUE: Self = false;
}

impl PanicReturn for u32 {
    const VALUE: Self = 0;
}

impl PanicReturn for Variable {
    const VALUE: Self = Self { name: NOTHING, value: 0 };
}

/// Calls a hook. An algorithm is plain integers: a hook that stops half-way leaves nothing that would be unsafe to look at.
pub(crate) fn guarded<R: PanicReturn>(hook: &'static str, call: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
        report(hook);
        R::VALUE
    })
}

#[cold]
fn report(hook: &'static str) {
    let Some(reporter) = REPORTER.get() else { return };
    LAST.with(|last| {
        let (message, file, line) = &*last.borrow();
        let ours = is_ours(file, env!("CARGO_MANIFEST_DIR"));
        let (message, file) = (Text::lent(message), Text::lent(file));
        reporter(&Panic { hook: Text::of(hook), message, file, line: *line, ours });
    });
}

/// Whether a source file is of the core or of this crate, which is in the folder `here`: cargo compiles what a crate outside their
/// workspace depends on under its absolute path.
fn is_ours(file: &str, here: &str) -> bool {
    let (file, here) = (Path::new(file), Path::new(here));
    file.starts_with(here) || file.starts_with(here.with_file_name("cwnd"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_belongs_to_whose_source_it_is_in() {
        let ours = |file| is_ours(file, "/opt/cwnd/source/crates/cwnd-plugin");
        assert!(ours("/opt/cwnd/source/crates/cwnd/src/math/cube_root.rs"));
        assert!(ours("/opt/cwnd/source/crates/cwnd-plugin/src/hooks.rs"));
        assert!(!ours("/home/me/pace/src/pace.rs"));
        assert!(!ours("src/pace.rs"));
        // A crate beside the core's, and the standard library: what an algorithm calls there with what it must not.
        assert!(!ours("/opt/cwnd/source/crates/cwnd-of-mine/src/pace.rs"));
        assert!(!ours("/rustc/59807616e/library/core/src/slice/mod.rs"));
        assert!(!ours(""));
    }
}
