// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a scenario file and prints its summary: `cargo run --release --example run -- scenario.toml`. With `--quiet` behind
//! it prints how many packets there were and nothing else, for who counts instructions.

use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: run SCENARIO.toml [--quiet]")?;
    let folder = Path::new(&path).parent().unwrap_or(Path::new(""));
    let files = |file: &str| std::fs::read_to_string(folder.join(file)).map_err(|error| error.to_string());
    let scenario = Scenario::from_toml_with(&std::fs::read_to_string(&path)?, &files)?;
    let mut simulation = Simulation::new(&scenario);
    while !simulation.step(1_000_000) {}
    if arguments.next().as_deref() != Some("--quiet") {
        println!("{:#?}", simulation.summary());
    }
    println!("{} packets", simulation.packets());
    Ok(())
}
