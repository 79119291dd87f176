// SPDX-License-Identifier: MIT OR Apache-2.0
//! Objects of every algorithm of the registry, embedded into the crate: compiled once, whatever is built with them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use cwnd::registry::ALGORITHMS;
use cwnd_bpf_build::recipe::{Recipe, finish, glue, hooks, object, variant};
use cwnd_bpf_build::toolchain::{self, Toolchain};
use cwnd_bpf_build::{fnv, layout, store};

/// Programs that belong to no algorithm: the file in `bpf/`, and what it does.
const PROGRAMS: [(&str, &str); 4] = [
    ("probe", "The object that looks at every acknowledgement."),
    (
        "sampler",
        "The object that looks at the senders of a network namespace, acknowledgement by acknowledgement.",
    ),
    ("choose", "The programs that put the connections of a cgroup on an algorithm."),
    ("switch", "The program that moves live connections to another algorithm."),
];

/// The kernel's own algorithms that can be recorded.
const WRAPPED: [&str; 2] = ["cubic", "reno"];

/// CUBIC with another glue, embedded nowhere. Three skip every n-th result, or all programs of some acknowledgements, for
/// `tests/kernel/lapse.rs`. The last has the hook that no algorithm of the registry has, so that every build compiles it.
const VARIANTS: [(&str, &str); 4] = [
    ("lapse-50", "LAPSE=50"),
    ("lapse-2", "LAPSE=2"),
    ("lapse-acks", "LAPSE_OF_ACKS=2"),
    ("cong-control", "HAS_CONG_CONTROL"),
];

/// What the objects are made from, below the folder of the crates: each of them, and the programs that make them.
const SOURCES: [&str; 9] = [
    "../Cargo.toml",
    "cwnd/Cargo.toml",
    "cwnd/src",
    "cwnd-bpf-build/src",
    "cwnd-bpf/bpf",
    "cwnd-bpf/build",
    "cwnd-bpf/hooks/Cargo.lock",
    "cwnd-bpf/hooks/Cargo.toml",
    "cwnd-bpf/hooks/src",
];
/// Headers of libbpf's, which the C sources include.
const LIBBPF: &str = "/usr/include/bpf";

/// Puts an object for each algorithm into the build's folder, and `objects.rs`, which embeds them.
pub(crate) fn build() -> Result<(), String> {
    let crate_dir = PathBuf::from(environment("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(environment("OUT_DIR")?);
    let crates = crate_dir.parent().ok_or("the crate's folder has no parent")?;
    for source in SOURCES {
        println!("cargo::rerun-if-changed=../{source}");
    }
    for name in [toolchain::RUSTC, toolchain::LLVM, toolchain::CLANG] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let tools = Toolchain::find()?;
    let recipe = Recipe { tools: &tools, crate_dir: &crate_dir, out: &out };
    let header = layout::header().map_err(|why| why.to_string())?;
    write(&out.join("layout.h"), &header)?;
    let mut facts = tools.versions()?;
    facts.push(store::key(Path::new(LIBBPF), &["."], &[])?);
    let key = store::key(crates, &SOURCES, &facts)?;
    store::stored(&store::folder(&out), &key, &out, || compile(&recipe))?;
    write(&out.join("objects.rs"), &list(&header)?)
}

/// Compiles all objects; returns the names of their files.
fn compile(recipe: &Recipe<'_>) -> Result<Vec<String>, String> {
    let mut cargo = Command::new(environment("CARGO")?);
    cargo.args(["build", "--offline", "--locked"]);
    let hooks = hooks(recipe.tools, cargo, &recipe.crate_dir.join("hooks"), &recipe.out.join("hooks"))?;
    let mut objects = Vec::new();
    for algorithm in ALGORITHMS {
        let name = algorithm.name;
        let controller =
            cwnd::Controller::by_name(name).ok_or(format!("{name} has no parameter set of its name"))?;
        objects.push(object(recipe, (name, &controller), algorithm, &hooks)?);
        for (file, define) in VARIANTS.iter().filter(|_| name == "cubic") {
            objects.push(variant(recipe, (name, &controller), algorithm, &hooks, (file, &[define]))?);
        }
    }
    for name in WRAPPED {
        objects.push(wrapper(recipe, name, "kernel", &[])?);
        objects.push(wrapper(recipe, name, "transport", &["-DTRANSPORT".to_owned()])?);
    }
    for (name, _) in PROGRAMS {
        objects.push(program(recipe, name)?);
    }
    let names = objects.iter().filter_map(|object| object.file_name());
    Ok(names.map(|name| name.to_string_lossy().into_owned()).collect())
}

/// The text of `objects.rs`.
fn list(header: &str) -> Result<String, String> {
    let mut list = String::from("pub(crate) const OBJECTS: &[(&str, &Aligned<[u8]>)] = &[\n");
    let entry = |list: &mut String, name: &str, file: &str| {
        writeln!(list, "    ({name:?}, &Aligned(*include_bytes!(\"{file}.bpf.o\"))),")
            .map_err(|why| why.to_string())
    };
    for algorithm in ALGORITHMS {
        entry(&mut list, algorithm.name, algorithm.name)?;
    }
    list += "];\n/// The kernel's own algorithms that can be recorded, and the wrapper of each.\n";
    list += "pub(crate) const WRAPPERS: &[(&str, &Aligned<[u8]>)] = &[\n";
    for name in WRAPPED {
        entry(&mut list, name, &format!("kernel-{name}"))?;
    }
    list += "];\n/// The same, each with all hooks and what its connections send and receive.\n";
    list += "pub(crate) const TRANSPORTS: &[(&str, &Aligned<[u8]>)] = &[\n";
    for name in WRAPPED {
        entry(&mut list, name, &format!("transport-{name}"))?;
    }
    list += "];\n";
    writeln!(
        list,
        "/// Digest of the structs that objects and loader share.\npub(crate) const LAYOUT: u64 = 0x{:016x};",
        fnv(header.bytes())
    )
    .map_err(|why| why.to_string())?;
    for (name, about) in PROGRAMS {
        writeln!(
            list,
            "/// {about}\npub(crate) const {}: &Aligned<[u8]> = &Aligned(*include_bytes!(\"{name}.bpf.o\"));",
            name.to_uppercase()
        )
        .map_err(|why| why.to_string())?;
    }
    Ok(list)
}

/// The object that wraps the kernel's own algorithm `name`, and records it.
fn wrapper(recipe: &Recipe<'_>, name: &str, prefix: &str, define: &[String]) -> Result<PathBuf, String> {
    let defines = [&[format!("-DWRAPS_{}", name.to_uppercase())], define].concat();
    let compiled = glue(recipe, name, "wrapper.bpf.c", &defines)?;
    finish(recipe, &format!("{prefix}-{name}"), &compiled)
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
