// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the registry to BPF objects: Rust hooks and C glue to bitcode, linked, inlined, compiled, stripped, checked.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use cwnd::registry::{ALGORITHMS, Description};

use crate::layout;
use crate::toolchain::{TARGET, Toolchain, run};

/// What `internalize` leaves visible: programs, and what the loader reads and writes.
const PUBLIC: &str = "program_*,ops,params,counters,license_text";
/// Atomics and 32-bit jumps, in every kernel that has struct_ops links; v4 would need a newer kernel than they do.
const CPU: &str = "v3";
/// The kernel refuses a function without type information, and Rust's have none: everything must go into the programs.
const INLINE_THRESHOLD: &str = "-inline-threshold=1000000";

/// Builds an object for each algorithm and `objects.rs`, which embeds them.
pub(crate) fn build() -> Result<(), String> {
    let crate_dir = PathBuf::from(environment("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(environment("OUT_DIR")?);
    for source in ["hooks/src", "hooks/Cargo.toml", "bpf", "src/hook.rs", "../cwnd/src", "../cwnd/Cargo.toml"]
    {
        println!("cargo::rerun-if-changed={source}");
    }
    let tools = Toolchain::find()?;
    write(&out.join("layout.h"), &layout::header().map_err(|why| why.to_string())?)?;
    let hooks = hooks(&tools, &crate_dir.join("hooks"), &out.join("hooks"))?;
    let mut list = String::from("const OBJECTS: &[(&str, &Aligned<[u8]>)] = &[\n");
    for algorithm in ALGORITHMS {
        let object = object(&tools, algorithm, &hooks, &crate_dir, &out)?;
        only_programs_are_left(&tools, algorithm.name, &object)?;
        let (name, file) = (algorithm.name, object.file_name().unwrap_or_default());
        writeln!(list, "    ({name:?}, &Aligned(*include_bytes!({file:?}))),")
            .map_err(|why| why.to_string())?;
    }
    write(&out.join("objects.rs"), &(list + "];\n"))
}

/// Bitcode of the hooks and of the core.
fn hooks(tools: &Toolchain, source: &Path, target: &Path) -> Result<Vec<PathBuf>, String> {
    // Bitcode of an earlier compiler would be linked with today's: cargo keeps it under another hash.
    if target.exists() {
        std::fs::remove_dir_all(target).map_err(|why| format!("cannot empty {}: {why}", target.display()))?;
    }
    let mut cargo = Command::new(environment("CARGO")?);
    // What the outer cargo was told (flags, wrappers such as clippy, another target) is not for this compiler.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let of_outer =
            ["CARGO_", "RUSTC", "RUSTFLAGS", "RUSTDOC"].iter().any(|prefix| text.starts_with(prefix));
        if of_outer && text != "CARGO_HOME" {
            cargo.env_remove(&name);
        }
    }
    cargo
        .args(["build", "--release", "--offline", "--locked", "--target", TARGET, "--target-dir"])
        .arg(target)
        .arg("--manifest-path")
        .arg(source.join("Cargo.toml"))
        .env("RUSTC", &tools.rustc)
        // One processor for both languages, or nothing is inlined across them.
        .env("CARGO_ENCODED_RUSTFLAGS", format!("--emit=llvm-bc\x1f-Ctarget-cpu={CPU}"));
    run(&mut cargo)?;
    let deps = target.join(TARGET).join("release/deps");
    let entries = std::fs::read_dir(&deps).map_err(|why| format!("cannot read {}: {why}", deps.display()))?;
    let mut bitcode: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bc"))
        .collect();
    bitcode.sort();
    Ok(bitcode)
}

/// The object of one algorithm.
fn object(
    tools: &Toolchain,
    algorithm: &Description,
    hooks: &[PathBuf],
    crate_dir: &Path,
    out: &Path,
) -> Result<PathBuf, String> {
    let name = algorithm.name;
    let controller =
        cwnd::Controller::by_name(name).ok_or(format!("{name} has no parameter set of its name"))?;
    if controller.has_cong_control() {
        return Err(format!("{name} wants cong_control, which bpf/glue.bpf.c does not have yet"));
    }
    let defaults: Vec<_> =
        (0..algorithm.specs.len()).map(|index| controller.param(index).to_string()).collect();
    let step = |suffix: &str| out.join(format!("{name}.{suffix}"));
    let (compiled, linked, inlined, object) =
        (step("glue.bc"), step("linked.bc"), step("inlined.bc"), step("bpf.o"));
    run(Command::new(&tools.clang)
        .args(["-O2", "-g", "-target", "bpfel", "-emit-llvm", "-c", "-std=gnu11", "-Wall", "-Werror", "-I"])
        .arg(out)
        .arg(format!("-mcpu={CPU}"))
        // The verifier's log cites the source by these names; the same everywhere, for the same bytes.
        .arg(format!("-ffile-prefix-map={}=cwnd-bpf", crate_dir.display()))
        .arg(format!("-ffile-prefix-map={}=cwnd-bpf", out.display()))
        .arg(format!("-DALGORITHM=\"{name}\""))
        .arg(format!("-DPARAMS={}", defaults.len()))
        .arg(format!("-DPARAM_DEFAULTS={}", defaults.join(",")))
        .arg(crate_dir.join("bpf/glue.bpf.c"))
        .arg("-o")
        .arg(&compiled))?;
    run(tools.llvm("llvm-link").arg(&compiled).args(hooks).arg("-o").arg(&linked))?;
    run(tools
        .llvm("opt")
        .args(["-passes=internalize,globaldce,default<O2>", INLINE_THRESHOLD])
        .arg(format!("-internalize-public-api-list={PUBLIC}"))
        .arg(&linked)
        .arg("-o")
        .arg(&inlined))?;
    run(tools
        .llvm("llc")
        .args(["-march=bpfel", "-filetype=obj"])
        .arg(format!("-mcpu={CPU}"))
        .arg(&inlined)
        .arg("-o")
        .arg(&object))?;
    // DWARF goes; BTF, the type information that the kernel needs, stays.
    run(tools.llvm("llvm-strip").arg("-g").arg(&object))?;
    Ok(object)
}

/// Refuses an object with a function that was not inlined or a symbol that nothing defines, such as a panic.
fn only_programs_are_left(tools: &Toolchain, name: &str, object: &Path) -> Result<(), String> {
    for line in run(tools.llvm("llvm-nm").args(["--format=posix", "--no-demangle"]).arg(object))?.lines() {
        let mut words = line.split(' ');
        let (symbol, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        match kind {
            // The kernel's configuration is filled in at load.
            "U" if symbol.starts_with("CONFIG_") => {}
            "U" => {
                return Err(format!("{name}: {symbol} is called, which the kernel does not have (a panic?)"));
            }
            "T" | "t" if !symbol.starts_with("program_") => {
                return Err(format!("{name}: {symbol} was not inlined, and the kernel refuses it"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn environment(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|why| format!("{name}: {why}"))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|why| format!("cannot write {}: {why}", path.display()))
}
