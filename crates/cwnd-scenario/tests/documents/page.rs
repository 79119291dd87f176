// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every example on `docs/guide/write-a-scenario.md` and every named scenario is accepted.

use cwnd_scenario::Scenario;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The document that an example is a part of.
fn whole(example: &str) -> String {
    let mut head = String::new();
    if !example.contains("duration =") {
        head += "duration = '60s'\n";
    }
    let mut tail = String::new();
    if !["link", "[link]", "[parking_lot]", "[[link]]"]
        .iter()
        .any(|key| example.lines().any(|line| line == *key || line.starts_with(&format!("{key} ="))))
    {
        tail += "[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n";
    }
    if !example.contains("[[flow]]") && !example.contains("[[traffic]]") {
        tail += "[[flow]]\ncc = 'cubic'\n";
    }
    format!("{head}{example}\n{tail}")
}

#[test]
fn every_example_on_the_page_and_every_named_scenario_is_accepted_and_reads_back() {
    let page = std::fs::read_to_string(format!("{ROOT}/docs/guide/write-a-scenario.md")).expect("the page");
    let mut texts: Vec<String> = page
        .split("```toml\n")
        .skip(1)
        .map(|part| whole(part.split("```").next().expect("an end")))
        .collect();
    assert!(texts.len() >= 4, "{}", texts.len());
    let folder = format!("{ROOT}/scenarios");
    for file in std::fs::read_dir(&folder).expect("a folder") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|end| end == "toml") {
            texts.push(std::fs::read_to_string(path).expect("a scenario"));
        }
    }
    let files =
        |path: &str| std::fs::read_to_string(format!("{folder}/{path}")).map_err(|error| error.to_string());
    for text in texts {
        let read = |text: &str| Scenario::from_toml_with(text, &files);
        let scenario = read(&text).unwrap_or_else(|invalid| panic!("{invalid}\n{text}"));
        assert_eq!(read(&scenario.to_toml()), Ok(scenario), "{text}");
    }
}
