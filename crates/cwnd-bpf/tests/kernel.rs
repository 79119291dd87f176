// SPDX-License-Identifier: MIT OR Apache-2.0
//! The algorithms in the running kernel: loaded, used by real connections, and gone afterwards.
//!
//! Needs root, BTF and iproute2 and says so when it skips; with `CI=true` in the environment it does not skip.
#![cfg(target_os = "linux")]

mod network;

use std::io::Write;

use cwnd::{CaState, Controller};
use cwnd_bpf::{Hook, Loaded, load};
use network::{Network, run};

const MEGABYTE: u64 = 1_000_000;

/// Whether this machine can run the test; where it must (CI), what is missing is a failure.
fn kernel_is_ours() -> bool {
    let missing = [
        (!rustix::process::geteuid().is_root(), "root"),
        (!std::path::Path::new("/sys/kernel/btf/vmlinux").exists(), "a kernel with BTF"),
        (std::process::Command::new("tc").arg("-V").output().is_err(), "iproute2 (ip, tc, ss)"),
    ];
    let Some((_, what)) = missing.into_iter().find(|(missing, _)| *missing) else { return true };
    assert!(std::env::var("CI").as_deref() != Ok("true"), "the test needs {what}, and CI must run it");
    // Past the harness, which keeps the output of tests that pass.
    let _ = writeln!(std::io::stderr(), "skipped: the test needs {what}");
    false
}

fn registered() -> Vec<String> {
    let names = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    names.expect("the kernel's list").split_whitespace().map(str::to_owned).collect()
}

fn loaded(set: &str, kernel_name: &str) -> Loaded {
    load(set, kernel_name).unwrap_or_else(|why| panic!("{set}: {why}"))
}

/// 20 MB through a queue of 30 packets, on the algorithm's default parameter set.
fn carries_20_mb(algorithm: &str) {
    if !kernel_is_ours() {
        return;
    }
    let kernel_name = format!("cwnd_{algorithm}");
    let tag = {
        let loaded = loaded(algorithm, &kernel_name);
        assert!(registered().contains(&kernel_name));
        let network = Network::new(algorithm, "100mbit", "45kb");
        let transfer = network.transfer(&kernel_name, 20 * MEGABYTE);
        let counters = loaded.counters().expect("counters");
        println!("{kernel_name}: {counters}\n{}", transfer.info.trim_end());

        assert_eq!(transfer.received, 20 * MEGABYTE);
        assert_eq!(transfer.congestion, kernel_name);
        assert!(transfer.info.contains(&kernel_name), "TCP_INFO names another algorithm: {}", transfer.info);
        assert_eq!(counters.calls(Hook::Init), 1);
        assert!(counters.calls(Hook::Ssthresh) >= 1);
        assert!(counters.entered(CaState::Recovery) >= 1);
        assert!(counters.calls(Hook::CongAvoid) > 100);
        assert!(counters.calls(Hook::PktsAcked) > 100);
        format!("cwnd-{}-{algorithm}", std::process::id())
    };
    assert!(!registered().contains(&kernel_name), "{kernel_name} is left in the kernel");
    assert!(!run("ip netns list").contains(&tag), "a namespace is left");
}

#[test]
fn reno_carries_20_mb_through_losses_and_leaves_nothing_behind() {
    carries_20_mb("reno");
}

#[test]
fn cubic_carries_20_mb_through_losses_and_leaves_nothing_behind() {
    carries_20_mb("cubic");
}

#[test]
fn every_parameter_set_loads_with_its_own_values() {
    if !kernel_is_ours() {
        return;
    }
    for set in cwnd::registry::ALGORITHMS.iter().flat_map(|algorithm| algorithm.sets()) {
        let loaded = loaded(set.name, "cwnd_params");
        let values = loaded.params().expect("parameters");
        let controller = Controller::by_name(set.name).expect("a listed set");
        let expected: Vec<_> = (0..values.len()).map(|index| controller.param(index)).collect();
        assert_eq!(values, expected, "{}", set.name);
    }
    assert!(!registered().contains(&"cwnd_params".to_owned()));
}

#[test]
fn a_name_that_the_kernel_has_already_is_refused() {
    if !kernel_is_ours() {
        return;
    }
    let first = loaded("reno", "cwnd_twice");
    let error = load("cubic", "cwnd_twice").expect_err("the name is taken").to_string();
    assert!(error.contains("registered already"), "{error}");
    drop(first);
    assert!(!registered().contains(&"cwnd_twice".to_owned()));
}

#[test]
fn an_unknown_set_is_refused_with_the_names_that_there_are() {
    let error = load("cubik", "cwnd_cubik").expect_err("no such set").to_string();
    assert!(error.contains("\"cubik\"") && error.contains("cubic-2.2") && error.contains("reno"), "{error}");
}

#[test]
fn a_name_that_the_kernel_cannot_take_is_refused() {
    for name in ["", "sixteen_letters_", "two words", "zero\0"] {
        let error = load("reno", name).expect_err("no name").to_string();
        assert!(error.contains("1 to 15"), "{name:?}: {error}");
    }
}
