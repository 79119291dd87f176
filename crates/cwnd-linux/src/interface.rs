// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the driver and this library call of each other: the declarations of python/cwnd/linux/driver/cwnd.h.
//!
//! The kernel calls with interrupts off, from one thread: no call begins before the last one has returned.

use crate::algorithms::{Algorithms, ShownConn, Wanted};
use crate::kernel::Kernel;
use crate::records::Records;
use crate::run::aside;
use crate::running::Running;
use crate::senders::Senders;
use cwnd::{ARGUMENT_WORDS, PrivateWords};
use cwnd_kernel_records::{PACKET_BYTES, RawRateSample, RawRecord, Socket};
use cwnd_live::HostSide;
use cwnd_live::message::Message;
use cwnd_plugin_loader::take;
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_uint, c_ulong, c_ulonglong, c_void};

const VERSION: c_uint = 4;

/// What the kernel calls: `struct cwnd_links`.
#[repr(C)]
pub struct Links {
    version: c_uint,
    open: extern "C" fn(&'static Kernel) -> c_int,
    sent: unsafe extern "C" fn(c_uint, c_ulonglong, *const c_void, c_uint, c_uint, c_uint),
    due: extern "C" fn(c_ulonglong),
    next: extern "C" fn() -> c_ulonglong,
    told: unsafe extern "C" fn(c_ulonglong, *const c_void, c_uint) -> c_int,
    hook: unsafe extern "C" fn(c_uint, c_uint, *mut c_uint, *mut ShownConn, *const c_uint) -> c_uint,
    recorded: unsafe extern "C" fn(c_uint, c_uint, *const c_void, c_uint),
    taken: unsafe extern "C" fn(c_ulonglong, c_uint, c_uint, *const c_void, c_uint),
    dropped: extern "C" fn(c_ulonglong, c_uint, c_uint),
}

static LINKS: Links = Links { version: VERSION, open, sent, due, next, told, hook, recorded, taken, dropped };

/// The library's only symbol.
#[unsafe(no_mangle)]
pub extern "C" fn cwnd_links() -> *const Links {
    &raw const LINKS
}

thread_local! {
    // All of the kernel is one thread of the host.
    static KERNEL: Cell<Option<&'static Kernel>> = const { Cell::new(None) };
    static RUN: RefCell<Option<Running>> = const { RefCell::new(None) };
    // Apart: a hook may be called while a packet is on its way through the links, which the kernel sends from within.
    static ALGORITHMS: RefCell<Algorithms> = RefCell::new(Algorithms::default());
    // Apart for the same reason, as what follows.
    static RECORDS: RefCell<Records> = RefCell::new(Records::default());
    static SENDERS: RefCell<Option<Senders>> = const { RefCell::new(None) };
    /// Time of the last call that came with one, ns: that of a record, as a packet or a timer has come first.
    static NOW: Cell<u64> = const { Cell::new(0) };
}

fn with<T>(task: impl FnOnce(&mut Running) -> T) -> Option<T> {
    RUN.with_borrow_mut(|run| run.as_mut().map(task))
}

/// A call at `now`, ns.
fn begin(now: u64) {
    NOW.set(now);
    end_if_panicked(now);
}

/// Ends the kernel at `now`, ns, if a plugin has panicked: what its algorithm would do from then on says nothing.
fn end_if_panicked(now: u64) {
    let Some(fault) = take() else { return };
    if let Some(run) = RUN.take() {
        aside(move || run.panicked(now, fault));
        // SAFETY: ends this process. The host has its result, and the guest's processes end with the kernel.
        unsafe { libc::_exit(0) }
    }
}

extern "C" fn open(kernel: &'static Kernel) -> c_int {
    KERNEL.set(Some(kernel));
    let run = Running::new(kernel);
    let is_there = run.is_some();
    SENDERS.set(run.as_ref().and_then(Running::scenario).and_then(Senders::of));
    RUN.set(run);
    c_int::from(!is_there)
}

/// # Safety
/// `packet` has `length` bytes.
unsafe extern "C" fn sent(
    side: c_uint,
    now: c_ulonglong,
    packet: *const c_void,
    length: c_uint,
    cwnd: c_uint,
    ssthresh: c_uint,
) {
    // SAFETY: the caller's promise.
    let packet = unsafe { std::slice::from_raw_parts(packet.cast::<u8>(), length as usize) };
    let side = if side == 0 { HostSide::Senders } else { HostSide::Receivers };
    begin(now);
    with(|run| run.sent(side, now, packet, [cwnd, ssthresh]));
}

extern "C" fn due(now: c_ulonglong) {
    begin(now);
    with(|run| run.advance(now));
}

extern "C" fn next() -> c_ulonglong {
    with(|run| run.next()).unwrap_or(c_ulonglong::MAX)
}

/// # Safety
/// `bytes` has `length` bytes.
unsafe extern "C" fn told(now: c_ulonglong, bytes: *const c_void, length: c_uint) -> c_int {
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize) };
    let Ok(mut message) = postcard::from_bytes(bytes) else { return 1 };
    begin(now);
    if let Message::Algorithm { cc, params, name, is_recorded, is_traced } = message {
        let wanted = Wanted { cc: &cc, params: &params, name: &name, is_recorded, is_traced };
        let refused = with(|run| {
            let kernel = KERNEL.get().ok_or_else(|| "no kernel".to_owned());
            let added = kernel.and_then(|kernel| ALGORITHMS.with_borrow_mut(|all| all.add(kernel, &wanted)));
            added.map_err(|why| run.fail(why)).is_err()
        });
        return c_int::from(refused != Some(false));
    }
    if let Message::Windows(rows) = &mut message {
        SENDERS.with_borrow_mut(|senders| senders.as_mut().map(|senders| senders.sample(rows)));
    }
    let Some(over) = with(|run| run.told(now, message)).unwrap_or(Some(false)) else { return 1 };
    if over && let Some(mut run) = RUN.take() {
        if let Err(why) = RECORDS.take().finish() {
            run.fail(why);
        }
        if let Some(senders) = SENDERS.take() {
            run.take_states(senders.finish());
        }
        aside(move || run.finish());
    }
    0
}

/// # Safety
/// All point to what the driver owns, and `words` to [`ARGUMENT_WORDS`] numbers.
unsafe extern "C" fn hook(
    algorithm: c_uint,
    hook: c_uint,
    connection: *mut c_uint,
    shown: *mut ShownConn,
    words: *const c_uint,
) -> c_uint {
    // SAFETY: the caller's promise; nobody else has them during the call.
    let (connection, shown, words) =
        unsafe { (&mut *connection, &mut *shown, *words.cast::<[u32; ARGUMENT_WORDS]>()) };
    ALGORITHMS.with_borrow_mut(|all| all.hook(algorithm, hook, connection, shown, words))
}

/// # Safety
/// `record` has `length` bytes.
unsafe extern "C" fn recorded(algorithm: c_uint, connection: c_uint, record: *const c_void, length: c_uint) {
    // SAFETY: the caller's promise.
    let record = unsafe { std::slice::from_raw_parts(record.cast::<u8>(), length as usize) };
    ALGORITHMS.with_borrow(|all| {
        SENDERS.with_borrow_mut(|senders| {
            let Some(senders) = senders else { return };
            let now = NOW.get();
            let shown = |words: &PrivateWords| all.shown(algorithm, connection, words);
            senders.add(now, record, |flow| with(|run| run.forwarded(now, flow)).unwrap_or(0), shown);
        });
        if all.is_traced(algorithm) {
            let (is_ours, state) = (all.is_ours(algorithm), all.state(connection));
            RECORDS.with_borrow_mut(|records| records.add(record, is_ours, state));
        }
    });
}

/// # Safety
/// `packet` has `length` bytes.
unsafe extern "C" fn taken(
    now: c_ulonglong,
    link: c_uint,
    number: c_uint,
    packet: *const c_void,
    length: c_uint,
) {
    // SAFETY: the caller's promise.
    let packet = unsafe { std::slice::from_raw_parts(packet.cast::<u8>(), length as usize) };
    begin(now);
    with(|run| run.taken(now, link, number, packet));
}

extern "C" fn dropped(now: c_ulonglong, link: c_uint, number: c_uint) {
    begin(now);
    with(|run| run.dropped(now, link, number));
}

const _: () = assert!(size_of::<c_ulong>() == 8, "the driver has 64 bits");
// As python/cwnd/linux/driver/cwnd.h has them.
const _: () = {
    assert!(size_of::<ShownConn>() == 128 && size_of::<Socket>() == 60);
    assert!(size_of::<RawRecord>() + size_of::<RawRateSample>() == 528 && PACKET_BYTES == 360);
};
