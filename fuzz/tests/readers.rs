// SPDX-License-Identifier: MIT OR Apache-2.0
//! The readers of what others wrote: the corpus, every input that one has broken on, and changed ones of a fixed seed.

use cwnd_fuzz::{READERS, caught, mutated, read_with, scenario_of, seeds_of};

#[test]
fn every_reader_has_seeds_that_it_reads() {
    for reader in READERS {
        let seeds = seeds_of(reader).expect("a folder");
        assert!(!seeds.is_empty() && seeds.iter().all(|seed| seed.len() < 1 << 14), "{reader}");
        for seed in seeds {
            assert_eq!(
                caught(|| read_with(reader, &seed)).and_then(std::convert::identity),
                Ok(()),
                "{reader}"
            );
        }
    }
}

// Else the search would change documents that are refused before their files are read.
#[test]
fn every_seed_of_a_scenario_or_its_file_is_accepted() {
    for reader in ["scenario", "json", "trace", "distribution", "transfers"] {
        for seed in seeds_of(reader).expect("a folder") {
            let read = scenario_of(reader, &String::from_utf8_lossy(&seed)).expect("a reader of scenarios");
            assert!(read.is_ok(), "{reader}: {read:?}");
        }
    }
}

#[test]
fn changed_seeds_break_no_reader() {
    for reader in READERS {
        let seeds = seeds_of(reader).expect("a folder");
        let mut state = 36_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below.max(1)
        };
        for _ in 0..300 {
            let bytes = mutated(&seeds, &mut random);
            let read = caught(|| read_with(reader, &bytes)).and_then(std::convert::identity);
            assert_eq!(read, Ok(()), "{reader}: {:?}", String::from_utf8_lossy(&bytes));
        }
    }
}

// Each made a message that was no line for a terminal: controls of the document's own words, and a word of a megabyte.
#[test]
fn an_error_is_one_line_whatever_the_document_says() {
    let long = format!("{} = 1", "k".repeat(1 << 20));
    let deep = format!("x = {}", "[".repeat(100_000));
    for text in ["a\u{1b}[31m = 1", "\"\\u001b[31m\" = 1", "name = \"\\u202e\"\nb\u{9b} = 2", &long, &deep] {
        assert_eq!(
            caught(|| read_with("scenario", text.as_bytes())).and_then(std::convert::identity),
            Ok(())
        );
        let error = cwnd_scenario::Scenario::from_toml(text).expect_err("it is none").to_string();
        assert!(error.len() < 10_000, "{}", error.len());
        assert!(!error.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\n']), "{error}");
    }
}
