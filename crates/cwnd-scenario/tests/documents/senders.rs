// SPDX-License-Identifier: MIT OR Apache-2.0
//! The senders of `[[traffic]]`: keys and parameters as those of a flow.

use cwnd_scenario::traffic::{Context, Traffic, read, to_toml};

fn group(keys: &str) -> Traffic {
    let context = Context { duration: 100_000_000_000, payload: 1448 };
    read(&format!("[[traffic]]\n{keys}"), &context)
        .unwrap_or_else(|error| panic!("{error}\n{keys}"))
        .remove(0)
}

#[test]
fn senders_are_written_as_those_of_a_flow() {
    let keys = "model = 'long'\ncc = 'cubic'\nbeta = 0.85\nslow_start = 'standard'\nhost = 'linux'";
    let text = "model = 'long'\ncc = 'cubic@beta=0.85,slow_start=standard,host=linux'";
    assert_eq!(group(keys), group(text));
    assert_eq!(group(keys).senders_text(), "cubic@host=linux,beta=0.85,slow_start=standard");
    assert_eq!(group("model = 'long'").senders_text(), "sack");
    assert_eq!(group("model = 'udp'\nrate = '1Mbit/s'").senders_text(), "");
    // What was not set is not written: documents of traffic without settings are as they were.
    let written = to_toml(&[group("model = 'long'")]);
    let expected = "[[traffic]]\nname = \"long\"\ncc = \"sack\"\ndirection = \"forward\"\nstart = \"0s\"\nmodel = \"long\"\nflows = 1\n";
    assert_eq!(written, expected);
}

// They are keys of one table.
#[test]
fn no_parameter_of_an_algorithm_has_the_name_of_a_key_of_traffic() {
    let schema = cwnd_scenario::keys::schema();
    let alternatives = &schema["$defs"]["traffic"]["anyOf"];
    let with_beta = |kind: &usize| alternatives[0]["anyOf"][*kind]["properties"].get("beta").is_some();
    // Of the models only datagrams, the fifth, have no algorithm; a preset may be of any.
    assert_eq!((0..6).filter(with_beta).collect::<Vec<_>>(), [0, 1, 2, 3, 5]);
    assert!(alternatives[1]["properties"].get("beta").is_some());
    let tables = cwnd_scenario::keys::tables();
    let (_, _, form) = tables.iter().find(|(name, ..)| *name == "traffic").expect("a table");
    let shown = format!("{form:?}");
    for spec in cwnd::registry::all().flat_map(|algorithm| algorithm.specs) {
        assert!(!shown.contains(&format!("name: \"{}\"", spec.name)), "{}", spec.name);
    }
}
