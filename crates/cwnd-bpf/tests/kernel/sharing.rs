// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loaders beside each other: found, shared, pinned, taken out while connections run.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use cwnd_bpf::{Error, Load as _, LoadedModule, Registration, registrations};

use crate::network::{Going, TestNetwork};
use crate::{kernel_is_ours, module, registered, until};

fn found(name: &str) -> Option<Registration> {
    registrations().expect("registrations").into_iter().find(|found| found.name == name)
}

#[test]
fn what_one_loader_has_loaded_every_loader_sees() {
    if !kernel_is_ours() {
        return;
    }
    let loaded = module("htcp").load("cwnd_seen").expect("loaded");
    let seen = found("cwnd_seen").expect("seen");
    assert_eq!((seen.set.as_str(), seen.pid), ("htcp", std::process::id()));
    assert_eq!((seen.registered, seen.connections, seen.pinned), (true, Some(0), None));
    drop(loaded);
    assert_eq!(found("cwnd_seen"), None);
}

#[test]
fn the_same_settings_are_shared_and_stay_when_their_first_loader_goes() {
    if !kernel_is_ours() {
        return;
    }
    let veno = module("veno");
    let first = veno.load_or_share("cwnd_shared").expect("loaded");
    let second = veno.load_or_share("cwnd_shared").expect("shared");
    assert!(matches!((&first, &second), (LoadedModule::Owned(_), LoadedModule::Shared(_))));
    drop(first);
    assert!(registered().contains(&"cwnd_shared".to_owned()), "the second holds it");
    drop(second);
    assert!(!registered().contains(&"cwnd_shared".to_owned()));
}

// Each change reads, adds one and writes: without a lock, some of 8 × 801 at once are lost.
#[test]
fn loaders_that_come_and_go_at_once_are_all_counted() {
    if !kernel_is_ours() {
        return;
    }
    let veno = module("veno");
    let first = veno.load_or_share("cwnd_counted").expect("loaded");
    let mut others = thread::scope(|scope| {
        let holders: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..400 {
                        drop(veno.load_or_share("cwnd_counted").expect("shared"));
                    }
                    veno.load_or_share("cwnd_counted").expect("shared")
                })
            })
            .collect();
        holders.into_iter().map(|holder| holder.join().expect("held")).collect::<Vec<_>>()
    });
    assert_eq!(found("cwnd_counted").expect("registered").sharers, 8);
    others.truncate(1);
    assert_eq!(found("cwnd_counted").expect("registered").sharers, 1);
    drop(first);
    assert!(registered().contains(&"cwnd_counted".to_owned()), "the last of them holds it");
    drop(others);
    assert!(!registered().contains(&"cwnd_counted".to_owned()));
}

#[test]
fn other_settings_do_not_share_a_name() {
    if !kernel_is_ours() {
        return;
    }
    let _first = module("veno").load_or_share("cwnd_taken").expect("loaded");
    let mut other = module("veno");
    other.set("beta", "5").expect("a parameter of Veno");
    let error = other.load_or_share("cwnd_taken").expect_err("other settings");
    assert!(matches!(error, Error::Taken { .. }), "{error}");
    assert!(error.to_string().contains("veno with other settings"), "{error}");
    let error = module("reno").load_or_share("cubic").expect_err("the kernel's own");
    assert!(error.to_string().contains("cwnd did not load"), "{error}");
}

// The set's name where it fits, else eight digits that tell settings apart and are always the same.
#[test]
fn names_tell_settings_apart() {
    assert_eq!(module("htcp").kernel_name(), "cwnd_htcp");
    assert_eq!(module("cubic-2.2").kernel_name(), "cwnd_cubic_2.2");
    let long = module("cubic-2.6.18-unfixed").kernel_name();
    let is_hash = |name: &str| {
        name.strip_prefix("cwnd_")
            .is_some_and(|digits| digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
    };
    assert!(is_hash(&long), "{long}");
    let mut tuned = module("cubic");
    tuned.set("beta", "0.8").expect("a parameter");
    let with_beta = tuned.kernel_name();
    assert!(is_hash(&with_beta), "{with_beta}");
    tuned.set("c", "0.5").expect("a parameter");
    assert_ne!(tuned.kernel_name(), with_beta);
    tuned.set("c", "0.4").expect("a parameter");
    assert_eq!(tuned.kernel_name(), with_beta);
    tuned.set("beta", "0.7").expect("a parameter");
    assert_eq!(tuned.kernel_name(), "cwnd_cubic", "set back to what it was");
}

#[test]
fn a_pin_outlives_its_loader_until_it_is_unloaded() {
    if !kernel_is_ours() {
        return;
    }
    for name in ["cwnd_pinned", "cwnd_pin.dot"] {
        let mut loaded = module("hybla-growth").load(name).expect("loaded");
        let (path, _) = loaded.pin().expect("pinned");
        drop(loaded);
        let seen = found(name).expect("it stays");
        assert_eq!(seen.pinned.as_deref(), Some(path.as_path()));
        seen.unload().expect("unloaded");
        assert!(!registered().contains(&name.to_owned()));
        assert!(!Path::new(&path).exists());
        assert_eq!(found(name), None);
    }
}

#[test]
fn unloading_under_a_live_connection_lets_it_finish() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("unload", "100mbit", 30);
    let loaded = module("illinois").load("cwnd_unload").expect("loaded");
    let transfer = thread::scope(|scope| {
        let going = Going::new();
        let more = Arc::clone(&going.0);
        let transfer = scope.spawn(|| network.transfer_while("cwnd_unload", &{ more }));
        until("a connection", || {
            transfer.is_finished() || found("cwnd_unload").is_some_and(|seen| seen.connections != Some(0))
        });
        let seen = found("cwnd_unload").expect("registered");
        assert_eq!(seen.connections, Some(1));
        seen.unload().expect("unloaded");
        assert!(!registered().contains(&"cwnd_unload".to_owned()));
        drop(loaded);
        let seen = found("cwnd_unload").expect("its connection runs");
        assert_eq!((seen.registered, seen.connections), (false, Some(1)));
        drop(going);
        transfer.join().expect("a transfer")
    });
    assert!(transfer.received > 0);
    assert_eq!(transfer.congestion, "cwnd_unload");
}
