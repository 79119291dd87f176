// SPDX-License-Identifier: MIT OR Apache-2.0
//! `docs/scenarios.md` names every key that is read and no other, and every example on it is accepted.

use cwnd_scenario::Scenario;
use cwnd_scenario::traffic::{KINDS, PRESETS};
use std::collections::BTreeSet;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Like no key.
const UNKNOWN: &str = "qqqqqqqqqqqqqqqqqqqq = 1";

fn page() -> String {
    std::fs::read_to_string(format!("{ROOT}/docs/scenarios.md")).expect("the page")
}

/// First cells of the tables under these headings, without their quotes.
fn rows(headings: &[&str]) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for heading in headings {
        let page = page();
        let (_, section) =
            page.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no heading {heading:?}"));
        let section = section.split("\n#").next().expect("a part");
        let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
        keys.extend(cells.map(|(key, _)| key.to_owned()));
    }
    assert!(!keys.is_empty(), "{headings:?}");
    keys
}

/// The keys that are read where `UNKNOWN` stands in the document.
fn read(document: &str) -> BTreeSet<String> {
    let message = match Scenario::from_toml(document) {
        Ok(_) => panic!("accepted:\n{document}"),
        Err(invalid) => invalid.to_string(),
    };
    let (_, list) = message.split_once("one of the keys ").unwrap_or_else(|| panic!("{message}\n{document}"));
    list.split(", ").map(str::to_owned).collect()
}

#[test]
fn the_page_names_every_key_that_is_read_and_no_other() {
    let head = format!("duration = '1s'\n{UNKNOWN}\n");
    let good = "duration = '1s'\n";
    let link = "rate = '1Mbit/s'\nrtt = '1s'\n";
    let ends = "from = 'a'\nto = 'b'\n";
    let flow = "[[flow]]\ncc = 'fast'\n";
    let queue = |keys: &str| format!("{good}[link]\n{link}queue = {{ kind = {keys}, {UNKNOWN} }}\n{flow}");
    let inner =
        |key: &str, keys: &str| format!("{good}[link]\n{link}{key} = {{ {keys}, {UNKNOWN} }}\n{flow}");
    let traffic = |keys: &str| format!("{good}[link]\n{link}[[traffic]]\n{keys}\n{UNKNOWN}\n");
    let params: BTreeSet<String> = {
        let (fast, _) = cwnd::registry::find("fast").expect("registered");
        fast.specs.iter().map(|spec| spec.name.to_owned()).collect()
    };
    let every = "## Every link";
    let general = "## `[[traffic]]`";
    let cases: Vec<(String, Vec<&str>)> = vec![
        (format!("{head}[link]\n{link}{flow}"), vec!["## The document"]),
        (format!("{good}[link]\n{link}{UNKNOWN}\n{flow}"), vec![every, "## `[link]`: a dumbbell"]),
        (
            format!("{good}[[link]]\n{ends}{link}{UNKNOWN}\n{flow}{ends}"),
            vec![every, "## `[[link]]`: a graph"],
        ),
        (
            format!(
                "{good}[parking_lot]\nhops = 1\n{link}{UNKNOWN}\n[[flow]]\ncc = 'fast'\nfrom = 'n0'\nto = 'n1'"
            ),
            vec![every, "## `[parking_lot]`"],
        ),
        (queue("'red', limit = '9packets', min = '1packet', max = '3packets'"), vec!["### `queue`"]),
        (inner("reorder", "share = 0.1, extra = '1ms'"), vec!["### `reorder`"]),
        (
            format!("{good}[link]\n{link}{flow}access = {{ rate = '1Mbit/s', {UNKNOWN} }}"),
            vec!["### `access`"],
        ),
        (format!("{good}[link]\n{link}{flow}{UNKNOWN}"), vec!["## `[[flow]]`"]),
        (format!("{good}[link]\n{link}{flow}[record]\n{UNKNOWN}"), vec!["## `[record]`"]),
        (format!("{good}[link]\n{link}{flow}[[action]]\n{UNKNOWN}"), vec!["## `[[action]]`"]),
        (traffic("model = 'long'"), vec![general, "### Model `long`"]),
        (traffic("model = 'sessions'"), vec![general, "### Model `sessions`"]),
        (traffic("model = 'mix'\nshare = 0.1\nsize = '1MB'"), vec![general, "### Model `mix`"]),
        (
            traffic("model = 'request-response'\nrequest = '1kB'\nresponse = '1kB'"),
            vec![general, "### Model `request-response`"],
        ),
    ];
    for (document, headings) in cases {
        let mut keys = read(&document);
        if headings == ["## `[[flow]]`"] {
            assert!(params.is_subset(&keys));
            keys.retain(|key| !params.contains(key));
        }
        assert_eq!(keys, rows(&headings), "read, and on the page under {headings:?}");
    }

    // Those of which a part is read at a time.
    let union = |documents: Vec<String>| {
        documents.iter().flat_map(|document| read(document)).collect::<BTreeSet<_>>()
    };
    let jitter = ["'uniform', max = '1ms'", "'normal', mean = '1ms', sd = '1ms'", "'none'"]
        .map(|keys| inner("jitter", &format!("kind = {keys}")));
    assert_eq!(union(jitter.into()), rows(&["### `jitter`"]));
    let action = [
        format!("switch = {{ flow = 'fast', at = '0s', cc = 'fast', {UNKNOWN} }}"),
        format!("delay = {{ at = '0s', to = '1s', {UNKNOWN} }}"),
    ]
    .map(|action| format!("{good}[link]\n{link}{flow}[[action]]\n{action}"));
    let mut keys = union(action.into());
    keys.retain(|key| !params.contains(key));
    assert_eq!(keys, rows(&["### Keys of an action"]));
    let udp = read(&traffic("model = 'udp'\nrate = '1Mbit/s'"));
    let mut named = rows(&[general, "### Model `udp`"]);
    named.retain(|key| !["cc", "rtt", "window"].contains(&key.as_str()));
    assert_eq!(udp, named);

    let kinds: BTreeSet<String> = KINDS.iter().map(|kind| kind.name.to_owned()).collect();
    assert_eq!(kinds, rows(&["### Distributions"]));
    let page = page();
    for kind in KINDS {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{}` |", kind.name))).expect("a row");
        for key in kind.keys.split([',', '|']).map(|key| key.trim().trim_matches(['[', ']'])) {
            assert!(row.contains(&format!("`{key}`")), "{}: {key}", kind.name);
        }
    }
    for preset in PRESETS {
        assert!(page.contains(&format!("`{}`", preset.name)), "{}", preset.name);
    }
}

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

// Paths of traces are relative to the working directory.
#[test]
fn every_example_on_the_page_and_every_named_scenario_is_accepted_and_reads_back() {
    std::env::set_current_dir(ROOT).expect("the root of the repository");
    let page = page();
    let mut texts: Vec<String> = page
        .split("```toml\n")
        .skip(1)
        .map(|part| whole(part.split("```").next().expect("an end")))
        .collect();
    assert!(texts.len() > 12, "{}", texts.len());
    for file in std::fs::read_dir("scenarios").expect("a folder") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|end| end == "toml") {
            texts.push(std::fs::read_to_string(path).expect("a scenario"));
        }
    }
    for text in texts {
        let scenario = Scenario::from_toml(&text).unwrap_or_else(|invalid| panic!("{invalid}\n{text}"));
        assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario), "{text}");
    }
}
