// SPDX-License-Identifier: MIT OR Apache-2.0
//! Objects of every algorithm of the registry, embedded into the crate.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use cwnd::registry::ALGORITHMS;
use cwnd_bpf_build::recipe::{Recipe, finish, glue, hooks, object, variant};
use cwnd_bpf_build::toolchain::{self, Toolchain};
use cwnd_bpf_build::{fnv, layout};

/// Programs that belong to no algorithm: the file in `bpf/`, and what it does.
const PROGRAMS: [(&str, &str); 3] = [
    ("probe", "The object that looks at every acknowledgement."),
    ("choose", "The programs that put the connections of a cgroup on an algorithm."),
    ("switch", "The program that moves live connections to another algorithm."),
];

/// CUBIC with another glue, embedded nowhere. Three skip every n-th result, or all programs of some acknowledgements, for
/// `tests/kernel/lapse.rs`. The last has the hook that no algorithm of the registry has, so that every build compiles it.
const VARIANTS: [(&str, &str); 4] = [
    ("lapse-50", "LAPSE=50"),
    ("lapse-2", "LAPSE=2"),
    ("lapse-acks", "LAPSE_OF_ACKS=2"),
    ("cong-control", "HAS_CONG_CONTROL"),
];

/// Builds an object for each algorithm and `objects.rs`, which embeds them.
pub(crate) fn build() -> Result<(), String> {
    let crate_dir = PathBuf::from(environment("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(environment("OUT_DIR")?);
    for source in ["hooks/src", "hooks/Cargo.toml", "bpf", "../cwnd/src", "../cwnd/Cargo.toml"] {
        println!("cargo::rerun-if-changed={source}");
    }
    for name in [toolchain::RUSTC, toolchain::LLVM, toolchain::CLANG] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let tools = Toolchain::find()?;
    let recipe = Recipe { tools: &tools, crate_dir: &crate_dir, out: &out };
    let header = layout::header().map_err(|why| why.to_string())?;
    write(&out.join("layout.h"), &header)?;
    let mut cargo = Command::new(environment("CARGO")?);
    cargo.args(["build", "--offline", "--locked"]);
    let hooks = hooks(&tools, cargo, &crate_dir.join("hooks"), &out.join("hooks"))?;
    let mut list = String::from("pub(crate) const OBJECTS: &[(&str, &Aligned<[u8]>)] = &[\n");
    for algorithm in ALGORITHMS {
        let name = algorithm.name;
        let controller =
            cwnd::Controller::by_name(name).ok_or(format!("{name} has no parameter set of its name"))?;
        let object = object(&recipe, (name, &controller), algorithm, &hooks)?;
        let file = object.file_name().unwrap_or_default();
        writeln!(list, "    ({name:?}, &Aligned(*include_bytes!({file:?}))),")
            .map_err(|why| why.to_string())?;
        for (file, define) in VARIANTS.iter().filter(|_| name == "cubic") {
            variant(&recipe, (name, &controller), algorithm, &hooks, (file, &[define]))?;
        }
    }
    list += "];\n/// The kernel's own algorithms that can be recorded, and the wrapper of each.\n";
    list += "pub(crate) const WRAPPERS: &[(&str, &Aligned<[u8]>)] = &[\n";
    for name in ["cubic", "reno"] {
        let object = wrapper(&recipe, name)?;
        let file = object.file_name().unwrap_or_default();
        writeln!(list, "    ({name:?}, &Aligned(*include_bytes!({file:?}))),")
            .map_err(|why| why.to_string())?;
    }
    list += "];\n";
    writeln!(
        list,
        "/// Digest of the structs that objects and loader share.\npub(crate) const LAYOUT: u64 = 0x{:016x};",
        fnv(header.bytes())
    )
    .map_err(|why| why.to_string())?;
    for (name, about) in PROGRAMS {
        let object = program(&recipe, name)?;
        let file = object.file_name().unwrap_or_default();
        writeln!(
            list,
            "/// {about}\npub(crate) const {}: &Aligned<[u8]> = &Aligned(*include_bytes!({file:?}));",
            name.to_uppercase()
        )
        .map_err(|why| why.to_string())?;
    }
    write(&out.join("objects.rs"), &list)
}

/// The object that wraps the kernel's own algorithm `name`, and records it.
fn wrapper(recipe: &Recipe<'_>, name: &str) -> Result<PathBuf, String> {
    let compiled = glue(recipe, name, "wrapper.bpf.c", &[format!("-DWRAPS_{}", name.to_uppercase())])?;
    finish(recipe, &format!("kernel-{name}"), &compiled)
}

/// The object of `bpf/<name>.bpf.c`, which belongs to no algorithm.
fn program(recipe: &Recipe<'_>, name: &str) -> Result<PathBuf, String> {
    finish(recipe, name, &glue(recipe, name, &format!("{name}.bpf.c"), &[])?)
}

fn environment(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|why| format!("{name}: {why}"))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|why| format!("cannot write {}: {why}", path.display()))
}
