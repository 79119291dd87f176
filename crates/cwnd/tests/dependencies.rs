// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dependencies point down: no crate depends on one of its own level or above.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Levels of the crates, lowest first; lanes (level 4) never import each other.
const LEVELS: &[(&str, u32)] = &[
    ("cwnd", 1),
    ("cwnd-link", 1),
    ("cwnd-traffic", 1),
    ("cwnd-bpf-build", 2),
    ("cwnd-contract", 2),
    ("cwnd-noq", 2),
    ("cwnd-plugin", 2),
    ("cwnd-quinn", 2),
    ("cwnd-record", 2),
    ("cwnd-s2n-quic", 2),
    ("cwnd-scenario", 2),
    ("cwnd-arrow", 3),
    ("cwnd-kernel-records", 3),
    ("cwnd-plugin-loader", 3),
    ("cwnd-sim", 4),
    ("cwnd-bpf", 4),
    ("cwnd-live", 5),
    ("cwnd-stacks", 5),
    ("cwnd-fuzz", 6),
    ("cwnd-linux", 6),
    ("cwnd-wasm", 6),
    ("cwnd-python", 7),
];

fn level(name: &str) -> Option<u32> {
    LEVELS.iter().find(|(other, _)| *other == name).map(|(_, level)| *level)
}

/// What cargo says of the workspace's packages.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    match metadata["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("{other} is no list of packages"),
    }
}

#[test]
fn dependencies_between_crates_point_down() {
    let mut dependencies = 0;
    for package in packages() {
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

#[test]
fn adapters_ask_for_no_recorded_calls() {
    let adapters: Vec<_> = packages()
        .into_iter()
        .filter(|package| {
            ["cwnd-quinn", "cwnd-noq", "cwnd-s2n-quic"].iter().any(|name| package["name"] == *name)
        })
        .collect();
    assert_eq!(adapters.len(), 3);
    for adapter in adapters {
        let all = adapter["dependencies"].as_array().expect("dependencies");
        let on_core = all.iter().find(|dependency| dependency["name"] == "cwnd").expect("the core");
        assert_eq!(on_core["features"].as_array().map(Vec::len), Some(0), "{}", adapter["name"]);
    }
}

/// The crates that the operating system is an argument of: files are handed in, and so are time and the environment.
const NO_FILES: [&str; 5] = ["cwnd-link", "cwnd-record", "cwnd-scenario", "cwnd-sim", "cwnd-traffic"];

#[test]
fn scenarios_links_and_simulations_open_no_file() {
    let mut sources = 0;
    for name in NO_FILES {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(name).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).expect("a source");
                for module in ["fs", "env", "net", "process", "path"] {
                    assert!(
                        !text.contains(&format!("std::{module}")),
                        "{} uses std::{module}",
                        path.display()
                    );
                }
                sources += 1;
            }
        }
    }
    assert!(sources > 50, "only {sources} sources were read");
}

// The core's manifest names no dependency at all, so nothing can bring in std, a clock or an allocator.
#[test]
fn the_core_depends_on_nothing() {
    let manifest = include_str!("../Cargo.toml");
    assert!(!manifest.contains("\n[dependencies]"));
}
