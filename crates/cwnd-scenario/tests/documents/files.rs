// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that a scenario names are handed in; nothing here has a file system.

use cwnd_link::Rate;
use cwnd_scenario::{LinkRate, Scenario};
use std::cell::RefCell;

const S: u64 = 1_000_000_000;
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
    assert_eq!(scenario.links[0].rate.as_ref().map(LinkRate::nominal), Some(9_000_000));
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
    assert_eq!(message(Scenario::from_toml(TRACED)), format!("{expected} (no files are given)"));
    let list = [("radio.trace", TRACE)];
    assert_eq!(
        message(Scenario::from_toml_with(TRACED, &files(&list))),
        format!("{expected} (it is not in the list)")
    );
    let sizes = format!("duration = '60s'\nlink = {{ rtt = '40ms', rate = '1Mbit/s' }}\n{SIZES}");
    let expected = "traffic[0].size.file: \"sizes.csv\" is not accepted; expected a file that can be read";
    assert_eq!(message(Scenario::from_toml(&sizes)), format!("{expected} (no files are given)"));
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
        assert!(
            matches!(&scenario.links[links - 1].rate, Some(LinkRate::Trace(_, path)) if path == "t"),
            "{text}"
        );
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

// Series in any place of a rate or a delay: of a trace's key by its contents, of a reverse link, of a delay. 3 Mbit/s for 1 s, 1 for 3.
#[test]
fn series_are_read_printed_and_renamed_as_traces_are() {
    let list = [("bw.csv", "time_s,rate_mbps\n0,3\n1,1\n4,1\n"), ("rtt.csv", "time_s,rtt_ms\n0,30\n1,10\n")];
    let link = "rtt = '40ms'\nrate = { series = 'bw.csv', end = 'hold' }\ndelay = { series = 'rtt.csv' }\nreverse = { rate = { trace = 'bw.csv' }, delay = '1ms' }";
    let text = format!("duration = '3s'\n[link]\n{link}\n[[flow]]\ncc = 'cubic'\n");
    let scenario = Scenario::from_toml_with(&text, &files(&list)).expect("good");
    let [forward, reverse] = &scenario.links[..] else { panic!("two links") };
    // 3 + 1 · 3 + 1 · 3 (the last lasts as long as the one before) in 7 s: 9/7 Mbit/s.
    assert_eq!(
        (forward.rate.as_ref().map(LinkRate::nominal), forward.delay.first),
        (Some(1_285_714), 30_000_000)
    );
    assert!(
        matches!(&reverse.rate, Some(LinkRate::Series(series, source)) if series.max() == 3_000_000 && source.path == "bw.csv")
    );
    let config = &scenario.link_configs()[0];
    assert!(
        matches!(config.server.rate(), Some(Rate::Steps(steps)) if steps.first() == 3_000_000 && steps.changes() == [(S, 1_000_000)])
    );
    assert_eq!(config.delay.0.propagation.changes(), [(S, 10_000_000), (2 * S, 30_000_000)]);
    assert_eq!(Scenario::from_toml_with(&scenario.to_toml(), &files(&list)).as_ref(), Ok(&scenario));
    assert_eq!(Scenario::from_json_with(&scenario.to_json(), &files(&list)).as_ref(), Ok(&scenario));
    let moved = scenario.with_paths(|path| format!("input-{path}"));
    let named = moved.to_toml();
    assert!(named.matches("input-bw.csv").count() == 2 && named.contains("input-rtt.csv"), "{named}");
    let remarks = scenario.remarks();
    assert_eq!(remarks.len(), 3);
    assert!(
        remarks[0].starts_with("link: rate from bw.csv: series of 3 values over 7 s, mean 1.29 Mbit/s"),
        "{remarks:?}"
    );
}

#[test]
fn what_is_neither_a_trace_nor_a_series_is_told_both_forms() {
    let list = [("a/radio.trace", "[link]\nrate = 1\n")];
    let message = Scenario::from_toml_with(TRACED, &files(&list)).expect_err("a scenario").to_string();
    let expected = "a whole number of milliseconds below 2^32, as in a Mahimahi trace, or a series: a time and a rate in each row";
    assert_eq!(message, format!("link.rate.trace, line 1: \"[link]\" is not accepted; expected {expected}"));
}

// 1 ms a value for 100 days would be 8.64 · 10⁹ changes.
#[test]
fn a_series_that_changes_too_often_is_refused() {
    let list = [("bw.csv", "time_ms,rate_mbps\n0,3\n1,1\n")];
    let text = "duration = '144000min'\nlink = { rtt = '40ms', rate = { series = 'bw.csv' } }\n[[flow]]\ncc = 'cubic'\n";
    let message = Scenario::from_toml_with(text, &files(&list)).expect_err("too many").to_string();
    assert_eq!(
        message,
        "link.rate.series: 8640000000 changes in 8640000s is not accepted; expected at most 4000000, or end = \"hold\""
    );
    assert!(
        Scenario::from_toml_with(&text.replace("bw.csv'", "bw.csv', end = 'hold'"), &files(&list)).is_ok()
    );
}

#[test]
fn a_list_of_flows_is_traffic() {
    let list = [("flow.txt", "2\n2 1 3 100 1500 0.5\n3 1 3 100 9000 0.25\n")];
    let text = "duration = '9s'\nlink = { rtt = '40ms', rate = '1Mbit/s' }\n[[traffic]]\nmodel = 'list'\nfile = 'flow.txt'\n";
    let scenario = Scenario::from_toml_with(text, &files(&list)).expect("good");
    let written = text.replace("file = 'flow.txt'", "list = [['500ms', '1500B'], ['0.25s', '9kB']]");
    assert_eq!(Scenario::from_toml(&written).as_ref(), Ok(&scenario));
    assert_eq!(Scenario::from_toml(&scenario.to_toml()).as_ref(), Ok(&scenario));
    assert!(
        scenario.to_json().contains(r#""list":[["250ms","9kB"],["500ms","1500B"]]"#),
        "{}",
        scenario.to_json()
    );
    let cases = r#"
                                                  | traffic[0].file: missing; expected the path of a file, or list
        list = []                                 | traffic[0].list: [] is not accepted
        list = [['1s', '0B']]                     | traffic[0].list[0]: ["1s","0B"] is not accepted; expected [a time, a size above 0]
        list = [['1s', '1B']]\nfile = 'x'         | traffic[0].list: [["1s","1B"]] is not accepted; expected either file or list
        list = [['1s', '9007199254740993B']]      | traffic[0].list[0]: ["1s","9007199254740993B"] is not accepted
        list = [['1s', '1B']]\ndirection = 'both' | traffic[0].direction: "both" is not accepted
    "#;
    for [keys, expected] in crate::table(cases) {
        let message =
            Scenario::from_toml(&text.replace("file = 'flow.txt'", keys)).expect_err(keys).to_string();
        assert!(message.starts_with(expected), "{keys}: {message}");
    }
}
