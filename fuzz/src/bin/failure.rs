// SPDX-License-Identifier: MIT OR Apache-2.0
//! `failure FILE`: reduces an input of libFuzzer, or a scenario in TOML, to the smallest scenario with the same failure, and prints both.
//! `failure --hunt COUNT SEED`: the same for every failure, known or not, each once, of random inputs without libFuzzer.
//! `failure --seeds COUNT SEED FOLDER`: fills a folder with random inputs for libFuzzer to begin with.
//! `failure --scenarios COUNT SEED FOLDER`: fills a folder with their scenarios in TOML, for other lanes.

use cwnd_fuzz::{distance, document, failure_of, kind_of, random_bytes, shrink};
use serde_json::Value;
use std::error::Error;
use std::path::Path;

/// Bytes of a random input: enough for most scenarios.
const LENGTH: usize = 400;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--seeds", count, seed, folder] => seeds(count.parse()?, seed.parse()?, Path::new(folder)),
        ["--scenarios", count, seed, folder] => scenarios(count.parse()?, seed.parse()?, Path::new(folder)),
        ["--hunt", count, seed] => hunt(count.parse()?, seed.parse()?),
        [file] => from_file(Path::new(file)),
        _ => Err(
            "usage: failure FILE | failure --hunt COUNT SEED | failure --seeds|--scenarios COUNT SEED FOLDER"
                .into(),
        ),
    }
}

fn seeds(count: u64, seed: u64, folder: &Path) -> Result<(), Box<dyn Error>> {
    for number in 0..count {
        let bytes = random_bytes(seed.wrapping_add(number), LENGTH);
        std::fs::write(folder.join(format!("random-{number}")), bytes)?;
    }
    Ok(())
}

fn scenarios(count: u64, seed: u64, folder: &Path) -> Result<(), Box<dyn Error>> {
    for number in 0..count {
        let whole = document(&random_bytes(seed.wrapping_add(number), LENGTH));
        std::fs::write(folder.join(format!("random-{number}.toml")), toml::to_string(&whole)?)?;
    }
    Ok(())
}

fn hunt(count: u64, seed: u64) -> Result<(), Box<dyn Error>> {
    let mut kinds = Vec::new();
    for number in 0..count {
        let bytes = random_bytes(seed.wrapping_add(number), LENGTH);
        let whole = document(&bytes);
        let Some(failure) = failure_of(&whole, distance(&bytes)) else { continue };
        let kind = kind_of(&failure).to_owned();
        if !kinds.contains(&kind) {
            kinds.push(kind);
            println!("{}", smallest(&whole, distance(&bytes), &failure)?);
        }
    }
    println!("# {} different failures in {count} scenarios", kinds.len());
    if kinds.is_empty() { Ok(()) } else { Err("some scenarios fail".into()) }
}

fn from_file(file: &Path) -> Result<(), Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let scenario = file.extension().is_some_and(|extension| extension == "toml");
    let (whole, distance): (Value, u64) = if scenario {
        (toml::from_str(std::str::from_utf8(&bytes)?)?, 1)
    } else {
        (document(&bytes), distance(&bytes))
    };
    let Some(failure) = failure_of(&whole, distance) else {
        print!("{}", toml::to_string(&whole)?);
        return Err("this scenario does not fail here".into());
    };
    print!("{}", smallest(&whole, distance, &failure)?);
    Ok(())
}

/// The smallest scenario that fails for the same reason, with it.
fn smallest(whole: &Value, distance: u64, failure: &str) -> Result<String, Box<dyn Error>> {
    let fails =
        |other: &Value| failure_of(other, distance).is_some_and(|other| kind_of(&other) == kind_of(failure));
    let small = shrink(whole, fails);
    let words = failure_of(&small, distance).unwrap_or_default();
    Ok(format!("# {}\n{}", words.lines().next().unwrap_or_default(), toml::to_string(&small)?))
}
