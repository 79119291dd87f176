// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the machine is said to allow, and rights that are given up.

use std::process::Command;
use std::thread;

use cwnd_bpf::{Answer, Check, CommandScope, Hook, Load as _, doctor, give_up_rights, registrations};
use libbpf_rs::Link;
use rustix::process::{Signal, kill_process};

use crate::network::TestNetwork;
use crate::{MEGABYTE, kernel_is_ours, module, registered, until, until_recorded};

fn find<'a>(checks: &'a [Check], name: &str) -> &'a Check {
    checks.iter().find(|check| check.name == name).unwrap_or_else(|| panic!("no {name} in {checks:?}"))
}

#[test]
fn a_machine_that_runs_these_tests_allows_what_they_do_and_every_no_comes_with_advice() {
    if !kernel_is_ours() {
        return;
    }
    let checks = doctor();
    for check in &checks {
        println!(
            "{:?} {} ({}): {}. {}",
            check.answer, check.name, check.needed_for, check.detail, check.advice
        );
        assert_eq!(check.answer == Answer::No, !check.advice.is_empty(), "{check:?}");
        assert!(!check.detail.is_empty(), "{check:?}");
    }
    // The other tests load, trace, switch and use.
    for name in [
        "rights",
        "kernel",
        "BTF",
        "links of struct_ops",
        "ring buffer",
        "kernel's cubic",
        "tcp_probe",
        "iter/tcp",
        "hooks for events",
        "JIT",
        "lockdown",
        "cgroup2",
    ] {
        assert_eq!(find(&checks, name).answer, Answer::Yes, "{name}");
    }
}

#[test]
fn without_rights_the_doctor_says_which_and_what_to_do() {
    let checks = thread::spawn(|| {
        give_up_rights().expect("given up");
        doctor()
    });
    let checks = checks.join().expect("checks");
    let rights = find(&checks, "rights");
    assert_eq!(rights.answer, Answer::No);
    assert!(rights.detail.contains("CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN, CAP_SYS_ADMIN"), "{rights:?}");
    assert!(rights.advice.contains("sudo"), "{rights:?}");
}

#[test]
fn a_pin_of_a_registration_that_was_taken_out_past_us_is_found_and_removed() {
    if !kernel_is_ours() {
        return;
    }
    let mut loaded = module("reno").load("cwnd_stale").expect("loaded");
    let (path, _) = loaded.pin().expect("pinned");
    assert!(!find(&doctor(), "left behind").detail.contains("cwnd_stale"));
    assert!(path.exists(), "a pin of what is registered stays");
    Link::open(&path).expect("a link").detach().expect("taken out");
    drop(loaded);
    assert!(path.exists());
    let checks = doctor();
    // Another test may have asked at the same moment, and removed it.
    let shown = path.display().to_string();
    println!("{}: {}", find(&checks, "left behind").detail.contains(&shown), shown);
    assert!(!path.exists());
    assert!(!registrations().expect("a list").iter().any(|registration| registration.name == "cwnd_stale"));
}

#[test]
fn a_loader_without_rights_reads_counters_and_records_and_takes_its_algorithm_out() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("rights", "200mbit", 30);
    let (loaded, mut recorder) = module("reno").load_recording("cwnd_rights", 1 << 22).expect("loaded");
    thread::scope(|scope| {
        let loader = scope.spawn(|| {
            give_up_rights().expect("given up");
            let refused = module("reno").load("cwnd_rights_2").expect_err("no right to load").to_string();
            assert!(refused.contains("ermi"), "{refused}");
            assert!(registrations().is_err());
            // The network's own threads are of the test, which has its rights.
            until_recorded("a record", &mut recorder, |records| !records.is_empty());
            until_recorded("the connection's end", &mut recorder, |_| {
                loaded.counters().expect("counters").calls(Hook::Release) > 0
            });
            assert_eq!(loaded.connections(), Some(0));
            drop((recorder, loaded));
        });
        network.transfer("cwnd_rights", MEGABYTE);
        loader.join().expect("the loader's end");
    });
    assert!(!registered().contains(&"cwnd_rights".to_owned()));
}

#[test]
fn who_waits_for_a_command_without_rights_passes_signals_on_and_cleans_up() {
    if !kernel_is_ours() {
        return;
    }
    thread::spawn(|| {
        // Another user's before long.
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sleep", "600"]);
        let running = CommandScope::new("reno").expect("a scope").start(command).expect("started");
        running.give_up_rights().expect("given up");
        assert!(module("reno").load("cwnd_rights_3").is_err(), "no right to load");
        let status = || std::fs::read_to_string(format!("/proc/{}/status", running.id())).expect("it runs");
        until("the command to be sleep", || status().contains("Name:\tsleep"));
        let cwnd_bpf::ScopeMethod::Cgroup(path) = running.scope().means() else { panic!("{running:?}") };
        kill_process(rustix::process::getpid(), Signal::TERM).expect("sent");
        assert_eq!(running.wait().expect("an end").code(), 143);
        assert!(!path.exists());
    })
    .join()
    .expect("the end");
}
