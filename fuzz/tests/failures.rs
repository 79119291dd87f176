// SPDX-License-Identifier: MIT OR Apache-2.0
//! Regression tests for all failures that the fuzzer has found, and random scenarios of a fixed seed.

use cwnd_fuzz::{
    Outcome, check, distance, document, facts_of, failure_of, known, known_lines, random_bytes, random_facts,
};
use std::path::Path;

/// Names and texts of the scenarios in failures/.
fn failures() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("failures");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files
        .iter()
        .map(|file| (file.display().to_string(), std::fs::read_to_string(file).expect("text")))
        .collect()
}

#[test]
fn no_failure_that_was_ever_found_is_back_and_every_known_one_is_still_there() {
    let mut open: Vec<&str> = known_lines().collect();
    for (name, text) in failures() {
        let document = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        for distance in [1, 97] {
            let Some(failure) = failure_of(&document, distance) else { continue };
            let Some(line) = known(&failure) else {
                panic!("{name}, audited every {distance} events: {failure}")
            };
            open.retain(|other| *other != line);
        }
    }
    assert!(open.is_empty(), "mended, it seems: take out of fuzz/known.txt {open:#?}");
}

// 150 scenarios, the same in every run: most are valid, and most valid ones reach their end.
#[test]
fn random_scenarios_keep_what_the_engine_promises() {
    let (mut ran, mut over) = (0, 0);
    for seed in 0..150 {
        let bytes = random_bytes(seed, 400);
        let document = document(&bytes);
        if let Some(failure) = failure_of(&document, distance(&bytes)) {
            let text = toml::to_string(&document).unwrap_or_default();
            println!("seed {seed}: {failure}\n{text}"); // the hook keeps panics' own words
            assert!(known(&failure).is_some());
            continue;
        }
        let text = toml::to_string(&document).expect("a table");
        match check(&text, distance(&bytes)) {
            Ok(Outcome::Ran { over: to_its_end, .. }) => {
                (ran, over) = (ran + 1, over + u32::from(to_its_end))
            }
            Ok(Outcome::Refused(invalid)) => println!("seed {seed}: {invalid}"),
            Err(broken) => panic!("seed {seed}: {broken}"),
        }
    }
    println!("{ran} of 150 ran, {over} to their end");
    assert!(ran >= 100 && over >= 60);
}

// For any bytes, the document can be written as TOML; without bytes it is the simplest valid scenario.
#[test]
fn every_input_is_a_document() {
    for (seed, length) in (0..200).map(|seed| (seed, (seed as usize * 7) % 300)) {
        assert!(toml::to_string(&document(&random_bytes(seed, length))).is_ok(), "seed {seed}");
    }
    let plainest = toml::to_string(&document(&[])).expect("a table");
    assert!(matches!(check(&plainest, 1), Ok(Outcome::Ran { over: true, .. })), "{plainest}");
}

#[test]
fn random_facts_leave_the_transport_in_order() {
    assert_eq!(random_facts(20_000, 1), Ok(20_000));
    for seed in 0..20 {
        assert_eq!(facts_of(&random_bytes(seed, 400)), Ok(()), "seed {seed}");
    }
}
