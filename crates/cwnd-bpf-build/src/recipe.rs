// SPDX-License-Identifier: MIT OR Apache-2.0
//! From an algorithm to its BPF object: Rust hooks and C glue to bitcode, linked, inlined, compiled, stripped, checked.

use std::path::{Path, PathBuf};
use std::process::Command;

use cwnd::Controller;
use cwnd::registry::Description;

use crate::metadata;
use crate::toolchain::{TARGET, Toolchain, run};

/// What `internalize` leaves visible: programs, and what the loader reads and writes.
const PUBLIC: &str = "program_*,ops,params,tick_hz,counters,identity,recording,records,guards,\
    answers,wanted,choice,uses,found,connections,license_text";
/// Atomics and 32-bit jumps, in every kernel that has struct_ops links; v4 would need a newer kernel than they do.
const CPU: &str = "v3";
/// The kernel refuses a function without type information, and Rust's have none: everything must go into the programs.
/// Calls that are thought rare have thresholds of their own.
const INLINE: [&str; 3] =
    ["-inline-threshold=1000000", "-inlinecold-threshold=1000000", "-inline-cold-callsite-threshold=1000000"];

/// What is built, and from where.
pub struct Recipe<'a> {
    /// The compilers.
    pub tools: &'a Toolchain,
    /// Folder of `bpf/`.
    pub crate_dir: &'a Path,
    /// Folder for everything that is written; `layout.h` is there.
    pub out: &'a Path,
}

/// Values of an instance's parameters.
pub fn settings(controller: &Controller, algorithm: &Description) -> Vec<u32> {
    (0..algorithm.specs.len()).map(|index| controller.param(index)).collect()
}

/// Bitcode of a crate that exports hooks, and of all that it depends on. `cargo` has been told how to be careful
/// (`--locked`, `--offline`). What `target` has of an earlier build, and is up to date, is not compiled again.
pub fn hooks(
    tools: &Toolchain,
    cargo: Command,
    source: &Path,
    target: &Path,
) -> Result<Vec<PathBuf>, String> {
    hooks_with(tools, cargo, source, target, DebugInfo::None)
}

/// Whether bitcode says where in the source it is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugInfo {
    /// It does not.
    None,
    /// It has lines, and what was inlined where.
    Lines,
}

/// As [`hooks`], with debug information or without.
pub fn hooks_with(
    tools: &Toolchain,
    mut cargo: Command,
    source: &Path,
    target: &Path,
    debug: DebugInfo,
) -> Result<Vec<PathBuf>, String> {
    let debug = if debug == DebugInfo::Lines { "\x1f-Cdebuginfo=1" } else { "" };
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
        .args(["--release", "--message-format=json-render-diagnostics", "--target", TARGET, "--target-dir"])
        .arg(target)
        .arg("--manifest-path")
        .arg(source.join("Cargo.toml"))
        .env("RUSTC", &tools.rustc)
        // One processor for both languages, or nothing is inlined across them.
        .env("CARGO_ENCODED_RUSTFLAGS", format!("--emit=llvm-bc\x1f-Ctarget-cpu={CPU}{debug}"));
    let built = stems(&run(&mut cargo)?);
    let deps = target.join(TARGET).join("release/deps");
    let entries = std::fs::read_dir(&deps).map_err(|why| format!("cannot read {}: {why}", deps.display()))?;
    let mut bitcode: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // Bitcode of an earlier compiler or of another crate lies there too, under another hash.
            name.strip_suffix(".bc").is_some_and(|stem| built.iter().any(|built| built == stem))
        })
        .collect();
    bitcode.sort();
    if bitcode.len() == built.len() {
        return Ok(bitcode);
    }
    Err(format!("{} has the bitcode of {} of {} crates", deps.display(), bitcode.len(), built.len()))
}

/// Of cargo's messages the libraries for the kernel that a build consists of, as `NAME-HASH`: what is common to the names of a
/// library's files. Macros and what they are made of are for the host, and in another folder.
fn stems(messages: &str) -> Vec<String> {
    let below = format!("/{TARGET}/release/deps/lib");
    let files = |line: &str| Some(line.split_once("\"filenames\":[")?.1.split_once(']')?.0.to_owned());
    let stem = |file: &str| Some(file.rsplit_once(&below)?.1.strip_suffix(".rmeta")?.to_owned());
    messages.lines().filter_map(files).filter_map(|files| files.split('"').find_map(stem)).collect()
}

/// The object of one algorithm, whose parameters have these values until the loader writes others.
pub fn object(
    recipe: &Recipe<'_>,
    (set, controller): (&str, &Controller),
    algorithm: &Description,
    hooks: &[PathBuf],
) -> Result<PathBuf, String> {
    variant(recipe, (set, controller), algorithm, hooks, (algorithm.name, &[]))
}

/// The same, as a file of another name, whose glue is compiled with these definitions.
pub fn variant(
    recipe: &Recipe<'_>,
    (set, controller): (&str, &Controller),
    algorithm: &Description,
    hooks: &[PathBuf],
    (file, define): (&str, &[&str]),
) -> Result<PathBuf, String> {
    let Recipe { tools, out, .. } = *recipe;
    let name = algorithm.name;
    let read = |file: &Path| {
        std::fs::read_to_string(file).map_err(|why| format!("cannot read {}: {why}", file.display()))
    };
    let about = out.join(format!("{name}.meta"));
    let text = metadata::text(algorithm, set, controller, &read(&out.join("layout.h"))?);
    std::fs::write(&about, text).map_err(|why| format!("cannot write {}: {why}", about.display()))?;
    let values: Vec<_> = settings(controller, algorithm).iter().map(u32::to_string).collect();
    let mut defines =
        vec![format!("-DPARAMS={}", values.len()), format!("-DPARAM_DEFAULTS={}", values.join(","))];
    defines.push(format!("-DMETA=\"{}\"", about.display()));
    // Until the loader writes another: as much of it as the kernel's field holds, with its final zero.
    let registered: String = format!("cwnd_{name}").chars().take(15).collect();
    defines.push(format!("-DREGISTERED=\"{registered}\""));
    if controller.has_cong_control() {
        defines.push("-DHAS_CONG_CONTROL".to_owned());
    }
    defines.extend(define.iter().map(|name| format!("-D{name}")));
    let compiled = glue(recipe, name, "glue.bpf.c", &defines)?;
    let linked = out.join(format!("{file}.linked.bc"));
    run(tools.llvm("llvm-link").arg(&compiled).args(hooks).arg("-o").arg(&linked))?;
    finish(recipe, file, &linked)
}

/// Bitcode of one of the C files of `bpf/`.
pub fn glue(recipe: &Recipe<'_>, name: &str, file: &str, defines: &[String]) -> Result<PathBuf, String> {
    let Recipe { tools, crate_dir, out } = *recipe;
    let compiled = out.join(format!("{name}.{file}.bc"));
    run(Command::new(&tools.clang)
        .args(["-O2", "-g", "-target", "bpfel", "-emit-llvm", "-c", "-std=gnu11", "-Wall", "-Werror", "-I"])
        .arg(out)
        .arg(format!("-mcpu={CPU}"))
        // The verifier's log cites the source by these names; the same everywhere, for the same bytes.
        .arg(format!("-ffile-prefix-map={}=cwnd-bpf", crate_dir.display()))
        .arg(format!("-ffile-prefix-map={}=cwnd-bpf", out.display()))
        .arg(format!("-DALGORITHM=\"{name}\""))
        .args(defines)
        .arg(crate_dir.join("bpf").join(file))
        .arg("-o")
        .arg(&compiled))?;
    Ok(compiled)
}

/// The code of an object in LLVM's text: of its glue, which has been compiled, and of hooks with debug information.
pub fn code(recipe: &Recipe<'_>, name: &str, hooks: &[PathBuf]) -> Result<String, String> {
    let Recipe { tools, out, .. } = *recipe;
    let (linked, text) = (out.join(format!("{name}.debug.bc")), out.join(format!("{name}.ll")));
    let glue = out.join(format!("{name}.glue.bpf.c.bc"));
    run(tools.llvm("llvm-link").arg(glue).args(hooks).arg("-o").arg(&linked))?;
    run(inlining(tools).arg("-S").arg(linked).arg("-o").arg(&text))?;
    std::fs::read_to_string(&text).map_err(|why| format!("cannot read {}: {why}", text.display()))
}

/// The command that inlines everything into the programs.
fn inlining(tools: &Toolchain) -> Command {
    let mut opt = tools.llvm("opt");
    opt.arg("-passes=internalize,globaldce,default<O2>")
        .args(INLINE)
        .arg(format!("-internalize-public-api-list={PUBLIC}"));
    opt
}

/// From linked bitcode to the object.
pub fn finish(recipe: &Recipe<'_>, name: &str, linked: &Path) -> Result<PathBuf, String> {
    let Recipe { tools, out, .. } = *recipe;
    let (inlined, object) = (out.join(format!("{name}.inlined.bc")), out.join(format!("{name}.bpf.o")));
    run(inlining(tools).arg(linked).arg("-o").arg(&inlined))?;
    run(tools
        .llvm("llc")
        .args(["-march=bpfel", "-filetype=obj"])
        .arg(format!("-mcpu={CPU}"))
        .arg(&inlined)
        .arg("-o")
        .arg(&object))?;
    // DWARF goes; BTF, the type information that the kernel needs, stays.
    run(tools.llvm("llvm-strip").arg("-g").arg(&object))?;
    only_programs_are_left(tools, name, &object)?;
    Ok(object)
}

/// Refuses an object with a function that was not inlined or a symbol that nothing defines, such as a panic.
fn only_programs_are_left(tools: &Toolchain, name: &str, object: &Path) -> Result<(), String> {
    for line in run(tools.llvm("llvm-nm").args(["--format=posix", "--no-demangle"]).arg(object))?.lines() {
        let mut words = line.split(' ');
        let (symbol, kind) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        match kind {
            // The kernel's functions that a wrapper calls or names are filled in at load.
            "U" if ["tcp_reno_", "cubictcp_", "bpf_rdonly_cast", "tcp_write_timer"]
                .iter()
                .any(|c| symbol.starts_with(c)) => {}
            "U" => {
                return Err(format!("{name}: it calls {symbol}, which the kernel does not have (a panic?)"));
            }
            "T" | "t" if !["program_", "record_", "contain"].iter().any(|c| symbol.starts_with(c)) => {
                return Err(format!("{name}: {symbol} was not inlined, so the kernel refuses it"));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_consists_of_the_libraries_that_cargo_names_for_the_kernels_target() {
        let deps = format!("/t/{TARGET}/release/deps");
        let messages = [
            // A dependency, up to date or not; the crate itself, whose library has a second name; a macro, and what it is made of.
            format!(r#"{{"filenames":["{deps}/libcwnd-21.rlib","{deps}/libcwnd-21.rmeta"],"fresh":true}}"#),
            format!(
                r#"{{"filenames":["/t/{TARGET}/release/libown.rlib","{deps}/libown-f3.rmeta"],"fresh":false}}"#
            ),
            r#"{"filenames":["/t/release/deps/libderive-77.so"]}"#.to_owned(),
            r#"{"filenames":["/t/release/deps/libsyn-08.rlib","/t/release/deps/libsyn-08.rmeta"]}"#
                .to_owned(),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ];
        assert_eq!(stems(&messages.join("\n")), ["cwnd-21", "own-f3"]);
    }
}
