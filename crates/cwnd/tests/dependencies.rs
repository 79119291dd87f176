// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dependencies point down: no crate depends on one of its own level or above.

use serde_json::Value;
use std::process::Command;

/// Levels of the crates, lowest first; lanes (level 3) never import each other.
const LEVELS: &[(&str, u32)] = &[
    ("cwnd", 1),
    ("cwnd-link", 1),
    ("cwnd-traffic", 1),
    ("cwnd-bpf-build", 2),
    ("cwnd-contract", 2),
    ("cwnd-plugin", 2),
    ("cwnd-record", 2),
    ("cwnd-scenario", 2),
    ("cwnd-sim", 3),
    ("cwnd-bpf", 3),
    ("cwnd-fuzz", 4),
    ("cwnd-python", 5),
];

fn level(name: &str) -> Option<u32> {
    LEVELS.iter().find(|(other, _)| *other == name).map(|(_, level)| *level)
}

#[test]
fn dependencies_between_crates_point_down() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut dependencies = 0;
    for package in metadata["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("name");
        let from = level(name).unwrap_or_else(|| panic!("{name} has no level: add it to LEVELS"));
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let on = dependency["name"].as_str().expect("name");
            let Some(to) = level(on) else { continue };
            if dependency["kind"] == "dev" {
                continue; // tests may depend on higher levels: the core's run the contract
            }
            assert!(to < from, "{name} (level {from}) depends on {on} (level {to})");
            dependencies += 1;
        }
    }
    assert!(dependencies >= 5, "only {dependencies} dependencies were seen");
}

// The core's manifest names no dependency at all, so nothing can bring in std, a clock or an allocator.
#[test]
fn the_core_depends_on_nothing() {
    let manifest = include_str!("../Cargo.toml");
    assert!(!manifest.contains("\n[dependencies]"));
}
