// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a scenario file and prints its summary: `cargo run --release --example run -- scenario.toml`. With `--quiet` behind
//! it prints how many packets there were and nothing else, for who counts instructions; with `--without-trains` every packet takes the
//! engine's general path; `--threads=2` gives it two threads.

use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path =
        arguments.next().ok_or("usage: run SCENARIO.toml [--quiet] [--without-trains] [--threads=N]")?;
    let folder = Path::new(&path).parent().unwrap_or(Path::new(""));
    let files = |file: &str| std::fs::read_to_string(folder.join(file)).map_err(|error| error.to_string());
    let scenario = Scenario::from_toml_with(&std::fs::read_to_string(&path)?, &files)?;
    let options: Vec<String> = arguments.collect();
    let has = |option: &str| options.iter().any(|given| given == option);
    let simulation = Simulation::new(&scenario);
    let mut simulation = if has("--without-trains") { simulation.without_trains() } else { simulation };
    if let Some(threads) = options.iter().find_map(|option| option.strip_prefix("--threads=")) {
        simulation = simulation.with_threads(threads.parse()?);
    }
    while !simulation.step(1_000_000) {}
    if !has("--quiet") {
        println!("{:#?}", simulation.summary());
    }
    println!("{} packets", simulation.packets());
    Ok(())
}
