// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections for which the kernel has no room to store the last window and threshold: missing results are not detected there
//! (docs/adr/0007), and such connections are counted.

use std::io::Write;

use cwnd_bpf::{Hook, Load as _, registrations};

use crate::network::TestNetwork;
use crate::{MEGABYTE, kernel_is_ours, module};

/// Bytes of options, of BPF's storage too, that a socket may have; a setting of the network namespace from Linux 6.8 on.
const ROOM: &str = "/proc/sys/net/core/optmem_max";

#[test]
fn connections_without_room_for_their_guard_are_counted_and_all_others_are_not() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("guard", "200mbit", 30);
    if network.in_sender(|| !std::path::Path::new(ROOM).exists()) {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "the test needs Linux 6.8, and CI must run it");
        let _ = writeln!(std::io::stderr(), "skipped: the test needs Linux 6.8");
        return;
    }
    let loaded = module("cubic").load("cwnd_guard").expect("loaded");
    let unguarded = || loaded.counters().expect("counters").unguarded();
    let listed = || {
        let known = registrations().expect("a list").into_iter().find(|known| known.name == "cwnd_guard");
        known.expect("registered").unguarded
    };
    network.transfer("cwnd_guard", MEGABYTE);
    assert_eq!((unguarded(), listed()), (0, Some(0)));
    // The namespace goes with the test, and its setting with it.
    network.in_sender(|| std::fs::write(ROOM, "0")).expect("a setting");
    for connections in 1..=2 {
        assert_eq!(network.transfer("cwnd_guard", MEGABYTE).received, MEGABYTE);
        assert_eq!((unguarded(), listed()), (connections, Some(connections)));
    }
    assert_eq!(loaded.counters().expect("counters").calls(Hook::Init), 3);
    network.in_sender(|| std::fs::write(ROOM, "131072")).expect("a setting");
    network.transfer("cwnd_guard", MEGABYTE);
    assert_eq!(unguarded(), 2);
}
