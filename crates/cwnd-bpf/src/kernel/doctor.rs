// SPDX-License-Identifier: MIT OR Apache-2.0
//! What this kernel and these rights allow, question by question, and what to do about each no. Nothing is loaded for it.

use std::path::Path;

use rustix::thread::{CapabilitySet, capabilities};

use crate::kernel::cgroup::{self, hierarchy};
use crate::kernel::default_cc::is_first;
use crate::kernel::diagnostic::{Answer, Check};
use crate::kernel::error::Error;
use crate::kernel::kernel_types::{KernelTypes, OPS};
use crate::kernel::maps::TX_START;
use crate::kernel::pins::{BPFFS, is_bpffs, stale_pins};
use crate::kernel::registration::may_list;

/// Oldest kernel with links of `struct_ops`.
const OLDEST: (u32, u32) = (6, 4);

fn check(
    name: &'static str,
    needed_for: &'static str,
    is_so: bool,
    detail: &str,
    advice: &'static str,
) -> Check {
    if is_so { yes(name, needed_for, detail) } else { no(name, needed_for, detail, advice) }
}

fn yes(name: &'static str, needed_for: &'static str, detail: &str) -> Check {
    Check { name, answer: Answer::Yes, needed_for, detail: detail.to_owned(), advice: "" }
}

fn no(name: &'static str, needed_for: &'static str, detail: &str, advice: &'static str) -> Check {
    Check { name, answer: Answer::No, needed_for, detail: detail.to_owned(), advice }
}

/// Asks every question. What killed loaders left behind is removed on the way, and reported.
#[must_use]
pub fn doctor() -> Vec<Check> {
    let mut checks = vec![rights(), version()];
    checks.extend(types());
    checks.extend(settings());
    checks.extend(places());
    checks.push(left_behind());
    checks
}

/// Asks what `purpose` (as in [`Check::needed_for`]) needs, and adds the first no to a refusal of the kernel.
pub(crate) fn explain_refusal<T>(purpose: &str, result: Result<T, Error>) -> Result<T, Error> {
    result.map_err(|error| {
        if !matches!(error, Error::Kernel { .. }) {
            return error;
        }
        match first_no(purpose) {
            Some(check) => Error::Lacks { cause: Box::new(error), check },
            None => error,
        }
    })
}

fn first_no(purpose: &str) -> Option<Check> {
    let is_needed = |check: &Check| check.needed_for == "everything" || check.needed_for == purpose;
    let checks = [rights(), version()].into_iter().chain(types()).chain(settings());
    checks.into_iter().find(|check| check.answer == Answer::No && is_needed(check))
}

fn rights() -> Check {
    let has = capabilities(None).map_or(CapabilitySet::empty(), |sets| sets.effective);
    let needed = [
        ("CAP_BPF", CapabilitySet::BPF | CapabilitySet::SYS_ADMIN),
        ("CAP_PERFMON", CapabilitySet::PERFMON | CapabilitySet::SYS_ADMIN),
        ("CAP_NET_ADMIN", CapabilitySet::NET_ADMIN),
        // To see what other loaders have loaded.
        ("CAP_SYS_ADMIN", CapabilitySet::SYS_ADMIN),
    ];
    let (present, missing): (Vec<_>, Vec<_>) = needed.into_iter().partition(|(_, any)| has.intersects(*any));
    let list = |names: Vec<(&'static str, CapabilitySet)>| {
        names.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
    };
    let is_so = missing.is_empty() && may_list().is_ok();
    let detail = match (missing.is_empty(), is_so) {
        (true, true) => list(present),
        (true, false) => "only those of a user namespace, which have no effect outside it".to_owned(),
        _ => format!("without {}", list(missing)),
    };
    check("rights", "everything", is_so, &detail, "run it as root: sudo")
}

fn version() -> Check {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    let version = numbers.next().and_then(Result::ok).zip(numbers.next().and_then(Result::ok));
    let is_so = version.is_some_and(|version| version >= OLDEST);
    check(
        "kernel",
        "load",
        is_so,
        &release,
        "Linux 6.4 or newer is needed, for registrations that end with their loader",
    )
}

/// What the kernel's type information says.
fn types() -> Vec<Check> {
    const BTF: &str = "/sys/kernel/btf/vmlinux";
    let Some(types) = KernelTypes::read() else {
        let advice = "a kernel with CONFIG_DEBUG_INFO_BTF is needed; checks that depend on it were skipped";
        return vec![no("BTF", "everything", &format!("no {BTF}"), advice)];
    };
    let function = |name: &'static str, needed_for, function: &str, advice| {
        let is_so = types.has_function(function);
        check(name, needed_for, is_so, if is_so { "there" } else { "not there" }, advice)
    };
    let is_module = Path::new("/sys/kernel/btf/tcp_cubic").exists();
    let has_cubic = is_module || types.has_function("cubictcp_cong_avoid");
    let cubic = if is_module {
        "its functions are there, in a module"
    } else if has_cubic {
        "its functions are there"
    } else {
        "its functions are not there"
    };
    let has_probe = types.has_typedef("btf_trace_tcp_probe");
    let (event, by_itself) =
        (types.member(OPS, "cwnd_event").is_some(), types.member(OPS, TX_START).is_some());
    let events = match (event, by_itself) {
        (true, true) => "cwnd_event, and cwnd_event_tx_start for the first of them (as from 7.1)",
        (true, false) => "cwnd_event (as until 7.0)",
        (false, true) => "cwnd_event_tx_start alone",
        (false, false) => "none",
    };
    let arguments = types.arguments(OPS, "cong_control");
    let control = match arguments {
        Some(2) => "(sk, rs), as until 6.9",
        Some(4) => "(sk, ack, flag, rs), as from 6.10",
        Some(_) => "different from Linux 4.9 to 6.18",
        None => "not there",
    };
    vec![
        yes("BTF", "everything", BTF),
        function(
            "links of struct_ops",
            "load",
            "bpf_struct_ops_link_create",
            "Linux 6.4 or newer with CONFIG_BPF_SYSCALL and CONFIG_BPF_JIT is needed",
        ),
        function("ring buffer", "trace", "bpf_ringbuf_reserve", "Linux 5.8 or newer is needed"),
        check("kernel's cubic", "trace --cc cubic", has_cubic, cubic, "modprobe tcp_cubic, if there is one"),
        check(
            "tcp_probe",
            "trace of other algorithms",
            has_probe,
            if has_probe { "the tracepoint is there" } else { "no such tracepoint" },
            "a kernel with CONFIG_TRACEPOINTS is needed",
        ),
        function("iter/tcp", "switch", "bpf_iter_tcp_get_func_proto", "Linux 5.15 or newer is needed"),
        check("hooks for events", "load", event, events, "these objects need cwnd_event"),
        check(
            "cong_control",
            "",
            arguments.is_some(),
            control,
            "your own algorithm may need it; none of cwnd's does",
        ),
    ]
}

/// What the machine is set to.
fn settings() -> Vec<Check> {
    let read = |file: &str| std::fs::read_to_string(file).ok().map(|text| text.trim().to_owned());
    let jit = read("/proc/sys/net/core/bpf_jit_enable");
    let mut jit_check = check(
        "JIT",
        "load",
        jit.as_deref() != Some("0"),
        jit.as_deref().unwrap_or("shown only in the machine's first network namespace"),
        "sysctl net.core.bpf_jit_enable=1",
    );
    if jit.is_none() {
        jit_check.answer = Answer::Unknown;
    }
    let unprivileged = match read("/proc/sys/kernel/unprivileged_bpf_disabled").as_deref() {
        Some("0") => "any user may load restricted programs (0), but not the programs needed here",
        Some("1") => "only with rights, until the machine restarts (1)",
        Some("2") => "only with rights (2)",
        _ => "always with rights",
    };
    let lockdown = read("/sys/kernel/security/lockdown").unwrap_or_default();
    let locked = lockdown.contains("[confidentiality]");
    vec![
        jit_check,
        yes("BPF without rights", "", unprivileged),
        check(
            "lockdown",
            "everything",
            !locked,
            if lockdown.is_empty() { "none" } else { &lockdown },
            "the kernel must not be started with lockdown=confidentiality",
        ),
    ]
}

/// Where things are mounted.
fn places() -> Vec<Check> {
    let has_bpffs = is_bpffs().unwrap_or(false);
    let cgroup2 = hierarchy();
    let shown = cgroup2.as_ref().map(|place| place.display().to_string());
    let first = is_first();
    vec![
        check(
            "bpffs",
            "load --pin",
            has_bpffs,
            if has_bpffs { BPFFS } else { "not mounted" },
            "load --pin mounts it; by hand: mount -t bpf bpf /sys/fs/bpf",
        ),
        check(
            "cgroup2",
            "use",
            cgroup2.is_some(),
            shown.as_deref().unwrap_or("not mounted"),
            "mount it (mount -t cgroup2 none DIRECTORY), or run `use` in a separate network namespace",
        ),
        check(
            "network namespace",
            "",
            true,
            if first {
                "the machine's first: its default is never changed"
            } else {
                "a separate one: `use` can fall back to its setting"
            },
            "",
        ),
    ]
}

/// What loaders that were killed left, now removed; and what of it is still in use.
fn left_behind() -> Check {
    let (removed, running) = cgroup::clean();
    let pins = stale_pins();
    let mut parts = Vec::new();
    let mut say = |what: &str, places: &[std::path::PathBuf]| {
        if !places.is_empty() {
            let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
            parts.push(format!("{what} {}", places.join(", ")));
        }
    };
    say("removed", &removed);
    say("removed, a stale pin:", &pins);
    say("a command still runs after its loader ended, in", &running);
    let detail = if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") };
    let advice =
        "its connections use the machine's default; the cgroup is removed when the command has ended";
    check("left behind", "", running.is_empty(), &detail, advice)
}
