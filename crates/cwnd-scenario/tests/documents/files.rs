// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that a scenario names are handed in; nothing here has a file system.

use cwnd_scenario::{LinkRate, Scenario};
use std::cell::RefCell;

const TRACED: &str =
    "duration = '60s'\nlink = { rtt = '40ms', rate = { trace = 'a/radio.trace' } }\n[[flow]]\ncc = 'cubic'\n";
const SIZES: &str =
    "[[traffic]]\nmodel = 'sessions'\nsize = { kind = 'empirical', file = 'sizes.csv', unit = 'packets' }\n";
/// Three opportunities of 1500 bytes in 4 ms: 9 Mbit/s.
const TRACE: &str = "1\n1\n4\n";

/// Hands in the files of this list.
fn files<'a>(list: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Result<String, String> + 'a {
    |path| {
        let found = list.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| "it is not in the list".to_owned())
    }
}

#[test]
fn a_file_is_asked_for_by_its_path_as_written() {
    let asked = RefCell::new(Vec::new());
    let list = [("a/radio.trace", TRACE), ("sizes.csv", "1 0.5\n100 1\n")];
    let hand_in = |path: &str| {
        asked.borrow_mut().push(path.to_owned());
        files(&list)(path)
    };
    let text = format!("{TRACED}{SIZES}");
    let scenario = Scenario::from_toml_with(&text, &hand_in).expect("good");
    assert_eq!(*asked.borrow(), ["a/radio.trace", "sizes.csv"]);
    assert_eq!(scenario.links[0].rate.nominal(), 9_000_000);
    // Written out it still names the trace; the points of the sizes are in it.
    let trace_alone = &files(&list[..1]);
    assert_eq!(Scenario::from_toml_with(&scenario.to_toml(), trace_alone).as_ref(), Ok(&scenario));
    assert_eq!(Scenario::from_json_with(&scenario.to_json(), trace_alone).as_ref(), Ok(&scenario));
}

#[test]
fn what_is_not_handed_in_is_refused_with_the_reason() {
    let message = |result: Result<Scenario, _>| match result {
        Ok(_) => panic!("accepted"),
        Err(invalid) => cwnd_scenario::Invalid::to_string(&invalid),
    };
    let expected = "link.rate.trace: \"a/radio.trace\" is not accepted; expected a file that can be read";
    assert_eq!(message(Scenario::from_toml(TRACED)), format!("{expected} (no file is handed in)"));
    let list = [("radio.trace", TRACE)];
    assert_eq!(
        message(Scenario::from_toml_with(TRACED, &files(&list))),
        format!("{expected} (it is not in the list)")
    );
    let sizes = format!("duration = '60s'\nlink = {{ rtt = '40ms', rate = '1Mbit/s' }}\n{SIZES}");
    let expected = "traffic[0].size.file: \"sizes.csv\" is not accepted; expected a file that can be read";
    assert_eq!(message(Scenario::from_toml(&sizes)), format!("{expected} (no file is handed in)"));
}

#[test]
fn reverse_links_graphs_and_parking_lots_are_handed_files_too() {
    let list = [("t", TRACE)];
    let rate = "rate = { trace = 't' }";
    for (keys, links) in [
        (format!("link = {{ rtt = '40ms', rate = '1Mbit/s', reverse = {{ {rate} }} }}"), 2),
        (format!("parking_lot = {{ hops = 2, delay = '1ms', {rate} }}"), 2),
        (format!("link = [{{ from = 'n0', to = 'n2', delay = '20ms', {rate} }}]"), 1),
    ] {
        let ends = if keys.contains("reverse") { "" } else { "from = 'n0'\nto = 'n2'\n" };
        let text = format!("duration = '60s'\n{keys}\n[[flow]]\ncc = 'cubic'\n{ends}");
        let scenario = Scenario::from_toml_with(&text, &files(&list)).expect(&text);
        assert_eq!(scenario.links.len(), links);
        assert!(matches!(&scenario.links[links - 1].rate, LinkRate::Trace(_, path) if path == "t"), "{text}");
    }
}

#[test]
fn a_copy_with_other_paths_has_the_same_contents() {
    let list = [("a/radio.trace", TRACE), ("b", TRACE)];
    let scenario = Scenario::from_toml_with(TRACED, &files(&list)).expect("good");
    let copy = scenario.with_paths(|path| {
        assert_eq!(path, "a/radio.trace");
        "b".to_owned()
    });
    assert_ne!(copy, scenario);
    assert_eq!(copy.with_paths(|_| "a/radio.trace".to_owned()), scenario);
    assert_eq!(Scenario::from_toml_with(&copy.to_toml(), &files(&list)), Ok(copy));
}
