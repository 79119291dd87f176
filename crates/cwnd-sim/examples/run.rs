// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a scenario file and prints its summary: `cargo run --release --example run -- scenario.toml`.

use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: run SCENARIO.toml")?;
    let scenario = Scenario::from_toml(&std::fs::read_to_string(path)?)?;
    let mut simulation = Simulation::new(&scenario);
    while !simulation.step(1_000_000) {}
    println!("{:#?}\n{} packets", simulation.summary(), simulation.packets());
    Ok(())
}
