// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers a kernel object on the running kernel, as `cwnd build-kernel` makes it, for as long as this program runs:
//! `cargo run -p cwnd-bpf --features kernel --example load -- lull.bpf.o cwnd_lull`.
//!
//! Afterwards, however it ends, new connections no longer find the algorithm; those that run on it keep it.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [file, name] = arguments.as_slice() else {
        eprintln!("usage: load FILE NAME, such as: load lull.bpf.o cwnd_lull");
        return std::process::ExitCode::from(2);
    };
    match cwnd_bpf::load_file(file.as_ref(), name) {
        Ok(loaded) => {
            println!("{} is registered until this program ends (Ctrl-C)", loaded.name());
            loop {
                std::thread::park();
            }
        }
        Err(why) => {
            eprintln!("error: {file}: {why}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
