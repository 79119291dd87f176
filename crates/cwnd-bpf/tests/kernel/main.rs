// SPDX-License-Identifier: MIT OR Apache-2.0
//! The algorithms in the running kernel: loaded, used by real connections, recorded, and gone afterwards.
//!
//! Needs root, BTF and iproute2 and says so when it skips; with `CI=true` in the environment it does not skip.
#![cfg(target_os = "linux")]

mod cost;
mod doctor;
mod guard;
mod lapse;
mod network;
mod parameters;
mod plugin;
mod probe;
mod recording;
mod registration;
mod sampler;
mod scope;
mod sharing;
mod switching;
mod traffic;
mod transport;
mod wrapper;

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::time::Duration;

use cwnd_bpf::{Module, Recorder};

const MEGABYTE: u64 = 1_000_000;

/// Between two looks at something that another thread, a process or the kernel brings about.
const PAUSE: Duration = Duration::from_millis(5);
/// Looks before it is said not to come: five minutes of pauses. A guard against waiting for ever, and no measure of anything.
const LOOKS: u32 = 60_000;

thread_local! {
    /// The lock that a test's thread has as long as the test runs.
    static TURN: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// Waits until no other test on this machine loads algorithms: they would take each other's names.
fn wait_for_turn() {
    let path = std::env::temp_dir().join("cwnd-kernel-tests.lock");
    let file = File::create(&path).and_then(|file| file.lock().map(|()| file));
    TURN.set(Some(file.unwrap_or_else(|why| panic!("{}: {why}", path.display()))));
}

/// Whether this machine can run the test; where it must (CI), what is missing is a failure.
fn kernel_is_ours() -> bool {
    let missing = [
        (!rustix::process::geteuid().is_root(), "root"),
        (!std::path::Path::new("/sys/kernel/btf/vmlinux").exists(), "a kernel with BTF"),
        (std::process::Command::new("tc").arg("-V").output().is_err(), "iproute2 (ip, tc, ss)"),
    ];
    let Some((_, what)) = missing.into_iter().find(|(missing, _)| *missing) else {
        wait_for_turn();
        return true;
    };
    assert!(std::env::var("CI").as_deref() != Ok("true"), "the test needs {what}, and CI must run it");
    // Past the harness, which keeps the output of tests that pass.
    let _ = writeln!(std::io::stderr(), "skipped: the test needs {what}");
    false
}

fn registered() -> Vec<String> {
    let names = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    names.expect("the kernel's list").split_whitespace().map(str::to_owned).collect()
}

fn module(set: &str) -> Module {
    Module::find(set).unwrap_or_else(|why| panic!("{set}: {why}"))
}

/// Looks until `is_so`; fails with `what` was awaited.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..LOOKS {
        if is_so() {
            return;
        }
        std::thread::sleep(PAUSE);
    }
    panic!("{what}: awaited in vain, {LOOKS} looks long");
}

/// The same while records are taken; each wait for one is as long as a pause.
fn until_recorded(
    what: &str,
    recorder: &mut Recorder,
    mut is_so: impl FnMut(Vec<cwnd_bpf::CallRecord>) -> bool,
) {
    for _ in 0..LOOKS {
        if is_so(recorder.take(PAUSE).expect("records")) {
            return;
        }
    }
    panic!("{what}: awaited in vain, {LOOKS} looks long");
}

/// Fails with everything that was found, not with the first of it.
fn none_of(failures: &[String]) {
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}
