// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds the compilers among what is installed; nothing is pinned, as security updates remove old versions.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The Rust target of the hooks.
pub const TARGET: &str = "bpfel-unknown-none";
/// Where Debian and LLVM's own packages put each version.
const LLVM_PARENT: &str = "/usr/lib";
const LLVM_TOOLS: [&str; 5] = ["llvm-link", "opt", "llc", "llvm-strip", "llvm-nm"];

/// What the recipe runs.
pub struct Toolchain {
    /// A rustc that has `core` for [`TARGET`].
    pub rustc: PathBuf,
    /// Folder of [`LLVM_TOOLS`], at least as new as that rustc's LLVM.
    pub llvm: PathBuf,
    /// No newer than the tools, which read its bitcode.
    pub clang: PathBuf,
}

impl Toolchain {
    /// Chooses from what is installed, or from what the environment names.
    pub fn find() -> Result<Self, String> {
        let rustc = PathBuf::from(variable(RUSTC).unwrap_or_else(|| "/usr/bin/rustc".into()));
        let rust_llvm = llvm_of(&rustc).map_err(|why| format!("{why}\n{}", packages("NN")))?;
        let advice = packages(&rust_llvm.to_string());
        require_core(&rustc).map_err(|why| format!("{why}\n{advice}"))?;
        // A folder that the environment names is taken as it is, whatever its version.
        let named = variable(LLVM).map(PathBuf::from);
        let places =
            named.as_ref().map_or(format!("{LLVM_PARENT}/llvm-*/bin"), |bin| bin.display().to_string());
        let candidates = named.map_or_else(|| installed(Path::new(LLVM_PARENT)), |bin| vec![(u32::MAX, bin)]);
        let has = |bin: &Path, tools: &[&str]| tools.iter().all(|tool| bin.join(tool).exists());
        let (version, llvm) = candidates
            .iter()
            .find(|(version, bin)| *version >= rust_llvm && has(bin, &LLVM_TOOLS))
            .ok_or_else(|| {
                format!(
                    "no LLVM tools ({}) of version {rust_llvm} or newer in {places}: {} has LLVM {rust_llvm}, and \
                     older tools cannot read its bitcode\n{advice}",
                    LLVM_TOOLS.join(", "),
                    rustc.display(),
                )
            })?;
        let clang = match variable(CLANG) {
            Some(clang) => PathBuf::from(clang),
            None => candidates
                .iter()
                .rev()
                .find(|(of, bin)| of <= version && has(bin, &["clang"]))
                .map(|(_, bin)| bin.join("clang"))
                .ok_or_else(|| {
                    format!("no clang in {places} that is no newer than the LLVM tools\n{advice}")
                })?,
        };
        Ok(Self { rustc, llvm: llvm.clone(), clang })
    }

    /// What the compilers are, each with its version.
    ///
    /// # Errors
    /// One that does not tell.
    pub fn versions(&self) -> Result<Vec<String>, String> {
        [(&self.rustc, "-vV"), (&self.clang, "--version"), (&self.llvm.join("llc"), "--version")]
            .iter()
            .map(|(program, ask)| {
                Ok(format!("{}: {}", program.display(), run(Command::new(program).arg(ask))?))
            })
            .collect()
    }

    /// One of the LLVM tools.
    pub fn llvm(&self, tool: &str) -> Command {
        Command::new(self.llvm.join(tool))
    }
}

/// Environment variable that names a rustc.
pub const RUSTC: &str = "CWND_BPF_RUSTC";
/// Environment variable that names the LLVM tools' folder.
pub const LLVM: &str = "CWND_BPF_LLVM";
/// Environment variable that names a clang.
pub const CLANG: &str = "CWND_BPF_CLANG";

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn packages(version: &str) -> String {
    format!(
        "a kernel object needs these Debian packages: rustc-web libstd-rust-web-dev-bpf clang-{version} \
         llvm-{version} libbpf-dev libelf-dev zlib1g-dev pkg-config (CWND_BPF_RUSTC, CWND_BPF_LLVM (a bin folder) \
         and CWND_BPF_CLANG name others)"
    )
}

/// Runs `command` and returns its output.
pub fn run(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|why| format!("cannot run {shown}: {why}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{shown} failed ({}):\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// Major version of the LLVM inside `rustc`.
fn llvm_of(rustc: &Path) -> Result<u32, String> {
    let about = run(Command::new(rustc).arg("-vV"))?;
    about
        .lines()
        .find_map(|line| line.strip_prefix("LLVM version: ")?.split('.').next()?.parse().ok())
        .ok_or_else(|| format!("{} -vV shows no LLVM version", rustc.display()))
}

fn require_core(rustc: &Path) -> Result<(), String> {
    let libdir = run(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]))?;
    let is_core = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with("libcore-");
    let has_core = std::fs::read_dir(libdir.trim()).is_ok_and(|dir| dir.flatten().any(is_core));
    if has_core { Ok(()) } else { Err(format!("{} has no `core` for {TARGET}", rustc.display())) }
}

/// Versions of LLVM below `parent`, the oldest first, each with its folder of programs.
fn installed(parent: &Path) -> Vec<(u32, PathBuf)> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let version = |name: &str| name.strip_prefix("llvm-")?.parse().ok();
    let mut versions: Vec<_> = entries
        .filter_map(|entry| Some((version(entry.file_name().to_str()?)?, entry.path().join("bin"))))
        .collect();
    versions.sort();
    versions
}
