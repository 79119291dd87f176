// SPDX-License-Identifier: MIT OR Apache-2.0
//! Panics of loaded algorithms: noted where they happen, taken where the caller of the hooks can end what it does.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use cwnd_plugin::{Panic, PluginTable, Text};

/// A panic of a loaded algorithm.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Its name.
    pub algorithm: &'static str,
    /// The hook that panicked.
    pub hook: String,
    /// The panic's words.
    pub message: String,
    /// The source file.
    pub file: String,
    /// The line there.
    pub line: u32,
    /// Whether that is in cwnd's own sources and not in the algorithm's.
    pub ours: bool,
    /// The connection's clock, µs, where the hook was given a connection.
    pub now_us: Option<u64>,
    /// The flow of a simulation.
    pub flow: Option<String>,
}

/// Whether there has been a panic in this process at all: the one thing that is looked at after every hook.
static ANY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The first panic on this thread that no caller has raised yet.
    static FAULT: RefCell<Option<Fault>> = const { RefCell::new(None) };
    /// The latest one, until the caller of the hook has seen it.
    static LATEST: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Has `table`'s library tell of its panics.
pub fn listen(table: &PluginTable) {
    (table.report_to)(note);
}

extern "C" fn note(panic: &Panic) {
    // SAFETY: the texts live until this function returns, and are copied here.
    let own = |text: Text| unsafe { text.get() }.to_owned();
    let (hook, message, file) = (own(panic.hook), own(panic.message), own(panic.file));
    let Panic { line, ours, .. } = *panic;
    let fault = Fault { algorithm: "", hook, message, file, line, ours, now_us: None, flow: None };
    LATEST.set(Some(fault));
    ANY.store(true, Ordering::Relaxed);
}

/// Whether the hook that has just returned to this thread panicked. `now_us` is its connection's clock.
#[inline]
pub fn happened(algorithm: Text, now_us: Option<u64>) -> bool {
    ANY.load(Ordering::Relaxed) && store(algorithm, now_us)
}

#[cold]
fn store(algorithm: Text, now_us: Option<u64>) -> bool {
    let Some(fault) = LATEST.take() else { return false };
    FAULT.with(|first| {
        // SAFETY: the name of a loaded algorithm lives as long as its library, which is never unloaded.
        let algorithm = unsafe { algorithm.get() };
        first.borrow_mut().get_or_insert(Fault { algorithm, now_us, ..fault });
    });
    true
}

/// Takes the first panic of this thread that is not taken yet.
#[must_use]
pub fn take() -> Option<Fault> {
    if ANY.load(Ordering::Relaxed) { FAULT.with(|fault| fault.borrow_mut().take()) } else { None }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, hook, message, file, line, .. } = self;
        write!(f, "{algorithm}: panicked in {hook} at {file}:{line}: {}", message.replace('\n', " "))?;
        match (&self.flow, self.time_s()) {
            (Some(flow), Some(time)) => write!(f, " (flow \"{flow}\", at {time} s)"),
            (Some(flow), None) => write!(f, " (flow \"{flow}\")"),
            _ => Ok(()),
        }
    }
}

impl Fault {
    /// The connection's clock, s.
    #[must_use]
    pub fn time_s(&self) -> Option<f64> {
        self.now_us.map(|us| us as f64 / 1e6)
    }
}
