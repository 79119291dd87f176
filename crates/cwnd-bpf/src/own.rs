// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel object of an algorithm from outside the tree, by the same recipe as those of the registry.

use std::path::{Path, PathBuf};
use std::process::Command;

use cwnd::Controller;
use cwnd::registry::Description;

use crate::layout;
use crate::recipe::{self, Recipe, settings};
use crate::toolchain::Toolchain;

/// Longest name: the kernel registers it behind `cwnd_`, in 15 letters.
const NAME_MAX: usize = 10;

/// An algorithm from outside the tree.
#[derive(Debug)]
pub struct Own<'a> {
    /// As the registry describes it, to which it was added.
    pub algorithm: &'a Description,
    /// An instance: the object has its settings, until a loader writes others.
    pub controller: &'a Controller,
    /// A crate that exports its hooks with `hooks/src/export.rs`.
    pub hooks: &'a Path,
    /// The folder of this crate's sources, for `bpf/`.
    pub crate_dir: &'a Path,
}

/// Builds the object in `scratch`, a folder of its own for every build, and returns its place there.
///
/// # Errors
/// In words: a name that is too long for the kernel, an algorithm that the glue cannot carry, compilers that are missing
/// (with what to install), what a compiler said, or a function that the kernel does not have (a panic).
pub fn build_object(own: &Own<'_>, scratch: &Path) -> Result<PathBuf, String> {
    let name = own.algorithm.name;
    if name.len() > NAME_MAX {
        return Err(format!("{name} is too long for the kernel, which has room for {NAME_MAX} letters"));
    }
    let values = settings(own.controller, own.algorithm)?;
    let tools = Toolchain::find()?;
    let header = layout::header().map_err(|why| why.to_string())?;
    let file = scratch.join("layout.h");
    std::fs::write(&file, header).map_err(|why| format!("cannot write {}: {why}", file.display()))?;
    let mut cargo = Command::new("cargo");
    cargo.arg("build");
    let hooks = recipe::hooks(&tools, cargo, own.hooks, &scratch.join("hooks"))?;
    recipe::object(&Recipe { tools: &tools, crate_dir: own.crate_dir, out: scratch }, name, &values, &hooks)
}
