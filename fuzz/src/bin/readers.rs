// SPDX-License-Identifier: MIT OR Apache-2.0
//! `readers SECONDS SEED`: changed seeds of `fuzz/seeds` for each reader, without libFuzzer, for so long in all.
//! `readers READER FILE`: what one reader makes of a file.

use cwnd_fuzz::{READERS, caught, mutated, read_with};
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [first, second] = arguments.as_slice() else {
        return Err("usage: readers SECONDS SEED | readers READER FILE".into());
    };
    if READERS.contains(&first.as_str()) {
        return Ok(read_with(first, &std::fs::read(second)?)?);
    }
    let (each, seed) =
        (Duration::from_secs_f64(first.parse::<f64>()? / READERS.len() as f64), second.parse::<u64>()?);
    for reader in READERS {
        let count = search(reader, each, seed)?;
        println!("{reader}: {count} inputs from seed {seed}, none of which it broke on");
    }
    Ok(())
}

/// Reads changed seeds for so long; returns how many. What breaks is written to `target/fuzz/left`.
fn search(reader: &str, time: Duration, seed: u64) -> Result<u64, Box<dyn Error>> {
    let seeds = cwnd_fuzz::seeds_of(reader)?;
    let mut state = seed | 1;
    let mut random = |below: usize| {
        // xorshift64*. (Vigna 2016)
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % below.max(1)
    };
    let begun = now();
    let mut count = 0;
    while now().duration_since(begun) < time {
        let bytes = mutated(&seeds, &mut random);
        count += 1;
        if let Err(broken) = caught(|| read_with(reader, &bytes)).and_then(std::convert::identity) {
            let file = Path::new("target/fuzz/left").join(format!("{reader}-{seed}-{count}"));
            std::fs::create_dir_all("target/fuzz/left")?;
            std::fs::write(&file, &bytes)?;
            return Err(format!(
                "{reader}: {broken}; again: target/debug/readers {reader} {}",
                file.display()
            )
            .into());
        }
    }
    Ok(count)
}

#[expect(clippy::disallowed_methods, reason = "the search takes real time")]
fn now() -> Instant {
    Instant::now()
}
