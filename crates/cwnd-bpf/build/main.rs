// SPDX-License-Identifier: MIT OR Apache-2.0
//! With the feature `kernel`, builds one BPF object per algorithm of the registry; without it, nothing.

#[cfg(feature = "kernel")]
mod registry;

fn main() {
    println!("cargo::rerun-if-changed=build");
    #[cfg(feature = "kernel")]
    if let Err(why) = registry::build() {
        for line in why.lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}
