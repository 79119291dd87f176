// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stacks are the crates that `cwnd show` says, and have the algorithms that it lists.

use crate::harness::linked;
use cwnd_scenario::{Stack, stock_name};
use cwnd_stacks::stock_algorithms;

#[test]
fn the_versions_that_are_said_are_those_of_the_lock_file() {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).expect("the workspace's");
    for (name, version) in Stack::ALL.iter().filter_map(|stack| stack.package()) {
        let locked = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(lock.contains(&locked), "{name} {version} is not the one that is built");
    }
}

// Scenarios have those alone with which one seed gives one result, which `claims` tests: all but noq's BBRv3.
#[test]
fn scenarios_know_the_algorithms_of_each_stack_that_repeat() {
    for stack in linked() {
        let own = stock_algorithms(stack);
        let repeat: Vec<&str> =
            own.iter().copied().filter(|&name| (stack, name) != (Stack::Noq, "bbr")).collect();
        let listed: Vec<&str> = stack.stock().iter().filter_map(|cc| stock_name(cc)).collect();
        assert_eq!(listed, repeat, "{stack:?}");
    }
}

// What a summary compares congestion windows with.
#[test]
fn the_receive_windows_that_are_said_are_the_stacks_defaults() {
    let said =
        |stack: Stack| format!("stream_receive_window: {},", stack.receive_window().expect("it is known"));
    let quinn = format!("{:?}", quinn_proto::TransportConfig::default());
    assert!(quinn.contains(&said(Stack::Quinn)), "{quinn}");
    let noq = format!("{:?}", noq_proto::TransportConfig::default());
    assert!(noq.contains(&said(Stack::Noq)), "{noq}");
}
