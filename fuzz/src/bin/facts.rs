// SPDX-License-Identifier: MIT OR Apache-2.0
//! `facts COUNT SEED`: so many random facts, in any order, for transports of every parameter set in turn, without libFuzzer.
//! `facts FILE`: those that an input of libFuzzer stands for.

use cwnd_fuzz::{facts_of, random_facts};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [count, seed] => {
            let told = random_facts(count.parse()?, seed.parse()?)?;
            println!("{told} facts, no answer broken");
        }
        [file] => facts_of(&std::fs::read(file)?)?,
        _ => return Err("usage: facts COUNT SEED | facts FILE".into()),
    }
    Ok(())
}
