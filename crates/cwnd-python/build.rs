// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lays out the sources that a wheel carries, for people who build algorithms of their own against it: the core, the plugin's
//! interface, and what a kernel object is made from. `pyproject.toml` takes them from here.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders and files below the checkout's root, as they stay below `cwnd/source`.
const SOURCES: &[&str] = &[
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "crates/cwnd/Cargo.toml",
    "crates/cwnd/src",
    "crates/cwnd-plugin/Cargo.toml",
    "crates/cwnd-plugin/src",
    "crates/cwnd-bpf/bpf",
];

fn main() -> io::Result<()> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).ok_or(io::ErrorKind::NotFound);
    let root = folder("CARGO_MANIFEST_DIR")?.join("../..");
    let out = folder("OUT_DIR")?.join("source");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    for source in SOURCES {
        println!("cargo::rerun-if-changed=../../{source}");
        copy(&root.join(source), &out.join(source))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    fs::copy(from, to).map(drop)
}
