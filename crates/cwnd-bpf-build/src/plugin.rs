// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel object of a plugin, an algorithm from outside the tree, built by the same recipe as those of the registry.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use cwnd::Controller;
use cwnd::registry::Description;

use crate::layout;
use crate::recipe::{self, DebugInfo, Recipe};
use crate::refused_code;
use crate::toolchain::Toolchain;

/// Longest name: the kernel registers it behind `cwnd_`, in 15 letters.
const NAME_MAX: usize = 10;

/// A plugin of which a kernel object is to be built.
#[derive(Debug)]
pub struct KernelPlugin<'a> {
    /// Its description in the registry.
    pub algorithm: &'a Description,
    /// The parameter set that the instance is of.
    pub set: &'a str,
    /// An instance: the object has its settings, until a loader writes others.
    pub controller: &'a Controller,
    /// A crate that exports its hooks with `bpf/export.rs`.
    pub hooks: &'a Path,
    /// The folder that has `bpf/`.
    pub crate_dir: &'a Path,
}

/// Why there is no object, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// This machine lacks a compiler; with what to install.
    Toolchain(String),
    /// The algorithm cannot become an object: its name, a hook that the glue lacks, what a compiler said, a panic.
    Refused(String),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Toolchain(why) | Self::Refused(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for BuildError {}

/// Builds the object in `scratch`, a folder of its own for every build, and returns its place there.
///
/// # Errors
/// [`BuildError`].
pub fn build_object(plugin: &KernelPlugin<'_>, scratch: &Path) -> Result<PathBuf, BuildError> {
    let name = plugin.algorithm.name;
    if name.len() > NAME_MAX {
        let why = format!("the name {name} is too long: the kernel allows {NAME_MAX} letters");
        return Err(BuildError::Refused(why));
    }
    let tools = Toolchain::find().map_err(BuildError::Toolchain)?;
    compiled(plugin, &tools, scratch).map_err(BuildError::Refused)
}

fn compiled(plugin: &KernelPlugin<'_>, tools: &Toolchain, scratch: &Path) -> Result<PathBuf, String> {
    let header = layout::header().map_err(|why| why.to_string())?;
    let file = scratch.join("layout.h");
    std::fs::write(&file, header).map_err(|why| format!("cannot write {}: {why}", file.display()))?;
    let mut cargo = Command::new("cargo");
    cargo.arg("build");
    // The core is compiled once for all builds of a plugin; one build at a time writes there and reads what it wrote.
    let target = plugin.hooks.join("target");
    let lock = target.join("lock");
    let held = std::fs::create_dir_all(&target).and_then(|()| File::create(&lock));
    let held = held.and_then(|file| file.lock().map(|()| file));
    let _held = held.map_err(|why| format!("{}: {why}", lock.display()))?;
    let hooks = recipe::hooks(tools, cargo, plugin.hooks, &target)?;
    let recipe = Recipe { tools, crate_dir: plugin.crate_dir, out: scratch };
    let object = recipe::object(&recipe, (plugin.set, plugin.controller), plugin.algorithm, &hooks);
    object.map_err(|why| explained(plugin, &recipe, &target).unwrap_or(why))
}

/// What of the crate's code was refused, by file and line; `None` where nothing of it is found.
fn explained(plugin: &KernelPlugin<'_>, recipe: &Recipe<'_>, target: &Path) -> Option<String> {
    let mut cargo = Command::new("cargo");
    cargo.arg("build");
    let target = target.join("debug-info");
    let hooks = recipe::hooks_with(recipe.tools, cargo, plugin.hooks, &target, DebugInfo::Lines).ok()?;
    let code = recipe::code(recipe, plugin.algorithm.name, &hooks).ok()?;
    // The hooks are in target/cwnd/kernel of the crate.
    let lines = refused_code::explain(&code, plugin.hooks.ancestors().nth(3)?);
    (!lines.is_empty()).then(|| lines.join("\n"))
}
