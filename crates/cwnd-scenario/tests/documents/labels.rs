// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups of flows are called by what differs between them, or by a label of their own; flows by their group and a number.

use cwnd_scenario::{FlowAction, Scenario};

/// A dumbbell of 100 Mbit/s and 40 ms with these flows, each the keys of a `[[flow]]`.
fn document(flows: &[&str], more: &str) -> String {
    let head = "duration = '60s'\n[link]\nrate = '100Mbit/s'\nrtt = '40ms'\n";
    let flows: String = flows.iter().map(|keys| format!("[[flow]]\n{keys}\n")).collect();
    format!("{head}{flows}{more}\n")
}

fn scenario(flows: &[&str]) -> Scenario {
    let text = document(flows, "");
    Scenario::from_toml(&text).unwrap_or_else(|refused| panic!("{refused}\n{text}"))
}

fn names(flows: &[&str]) -> Vec<String> {
    scenario(flows).expand().into_iter().map(|flow| flow.name).collect()
}

fn refusal(flows: &[&str]) -> String {
    match Scenario::from_toml(&document(flows, "")) {
        Ok(_) => panic!("{flows:?} was accepted"),
        Err(refused) => refused.to_string(),
    }
}

#[test]
fn groups_of_one_algorithm_are_called_by_the_parameter_that_differs() {
    // The set's own 0.7 stands beside the 0.85 that was asked for.
    assert_eq!(
        names(&["cc = 'cubic'\ncount = 2", "cc = 'cubic'\ncount = 2\nbeta = 0.85"]),
        ["cubic beta=0.7 1", "cubic beta=0.7 2", "cubic beta=0.85 1", "cubic beta=0.85 2"]
    );
    assert_eq!(
        names(&["cc = 'cubic'\nslow_start = 'standard'", "cc = 'cubic'\nslow_start = 'hystart++'"]),
        ["cubic slow_start=standard", "cubic slow_start=hystart++"]
    );
    // Only what differs: all three have this initial window. 0.70 is 0.7.
    let flows = ["cc = 'cubic'\nbeta = '0.70'", "cc = 'cubic'\nbeta = 0.8", "cc = 'sack'\nrtt = '9ms'"]
        .map(|keys| format!("{keys}\ninitial_cwnd = 4"));
    assert_eq!(names(&flows.each_ref().map(String::as_str)), ["cubic beta=0.7", "cubic beta=0.8", "sack"]);
}

// What follows from the hosts stands for itself; what is written beside one is named, for every group.
#[test]
fn groups_on_different_hosts_are_called_by_the_host() {
    assert_eq!(
        names(&["cc = 'cubic'\nhost = 'linux-2.6'", "cc = 'cubic'\nhost = 'ns-2'", "cc = 'cubic'"]),
        ["cubic host=linux-2.6", "cubic host=ns-2", "cubic"]
    );
    assert_eq!(
        names(&["cc = 'cubic'\nhost = 'ns-2'\ninitial_cwnd = 20", "cc = 'cubic'\nhost = 'rfc'"]),
        ["cubic host=ns-2 initial_cwnd=20", "cubic host=rfc initial_cwnd=10"]
    );
    assert_eq!(
        names(&["cc = 'cubic'\nhost = 'ns-2'", "cc = 'cubic'\nhost = 'ns-2'\nack_every = 2"]),
        ["cubic ack_every=1", "cubic ack_every=2"]
    );
}

#[test]
fn groups_of_one_algorithm_are_called_by_the_keys_that_differ() {
    let cases = r#"
        rtt = '16ms'                          | rtt = '160ms'         | cubic 16 ms                         | cubic 160 ms
        # The link's beside its own.
                                              | rtt = '160ms'         | cubic 40 ms                         | cubic 160 ms
                                              | start = '10s'         | cubic start=0s                      | cubic start=10s
        start = { uniform = ['0s', '100ms'] } | start = '10s'         | cubic start=0s..100ms               | cubic start=10s
        stop = '9s'                           |                       | cubic stop=9s                       | cubic
                                              | recovery = 'newreno'  | cubic recovery=linux                | cubic recovery=newreno
                                              | direction = 'reverse' | cubic forward                       | cubic reverse
        pacing = true                         |                       | cubic pacing=true                   | cubic pacing=false
        access = '20Mbit/s'                   |                       | cubic access=20Mbit/s               | cubic
        access = { rate = '20Mbit/s', queue = '9packets' } | access = '20Mbit/s'   | cubic access.queue=9packets         | cubic
        size = '1500000B'                     | size = '1MB'          | cubic size=1500kB                   | cubic size=1MB
        beta = 0.8\nrtt = '16ms'\ninitial_cwnd = 3 |                       | cubic beta=0.8 16 ms initial_cwnd=3 | cubic beta=0.7 40 ms initial_cwnd=10
    "#;
    for [first, second, expected @ ..] in crate::table::<4>(cases) {
        let flows = [first, second].map(|keys| format!("cc = 'cubic'\n{keys}"));
        let actual = names(&flows.each_ref().map(String::as_str));
        assert_eq!(actual, expected, "{first:?} {second:?}");
    }
}

#[test]
fn in_a_graph_they_are_called_by_their_ends_or_links() {
    let text = "duration = '9s'\n[parking_lot]\nhops = 3\nrate = '9Mbit/s'\ndelay = '5ms'\n\
                [[flow]]\ncc = 'cubic'\nfrom = 'n0'\nto = 'n3'\nrtt = '40ms'\n\
                [[flow]]\ncc = 'cubic'\nfrom = 'n1'\nto = 'n2'\nrtt = '40ms'\n\
                [[flow]]\ncc = 'sack'\npath = ['hop1', 'hop2']\n[[flow]]\ncc = 'sack'\npath = ['hop3']\nrtt = '20ms'\n";
    let scenario = Scenario::from_toml(text).expect("good");
    let actual: Vec<String> = scenario.expand().into_iter().map(|flow| flow.name).collect();
    // Two links of 5 ms, there and back without links: 20 ms.
    assert_eq!(actual, ["cubic n0→n3", "cubic n1→n2", "sack path=hop1,hop2", "sack path=hop3"]);
}

#[test]
fn where_nothing_differs_flows_are_numbered() {
    assert_eq!(names(&["cc = 'cubic'"]), ["cubic"]);
    assert_eq!(
        names(&["cc = 'cubic'\ncount = 2\nbeta = 0.8", "cc = 'sack'"]),
        ["cubic 1", "cubic 2", "sack"]
    );
    // The same written twice, and one of them in another way.
    assert_eq!(names(&["cc = 'cubic'", "cc = 'cubic'\nrtt = '40ms'"]), ["cubic 1", "cubic 2"]);
    assert_eq!(
        names(&["cc = 'cubic'\nbeta = 0.8", "cc = 'cubic'", "cc = 'cubic'\nbeta = '0.80'"]),
        ["cubic beta=0.8 1", "cubic beta=0.7", "cubic beta=0.8 2"]
    );
}

#[test]
fn a_label_of_ones_own_is_kept_through_toml_and_json() {
    let flows = [
        "cc = 'cubic'\ncount = 2\nlabel = 'bare metal: α, \"x\"'\nbeta = 0.85",
        "cc = 'cubic'",
        "cc = 'cubic'",
    ];
    let scenario = scenario(&flows);
    let label = "bare metal: α, \"x\"";
    let flows = scenario.expand();
    let actual: Vec<(&str, &str)> = flows.iter().map(|flow| (flow.name.as_str(), &*flow.label)).collect();
    // The others are compared with each other only: they differ in nothing.
    let expected = [
        (&*format!("{label} 1"), label),
        (&*format!("{label} 2"), label),
        ("cubic 1", "cubic"),
        ("cubic 2", "cubic"),
    ];
    assert_eq!(actual, expected);
    assert_eq!(scenario.labels(), [label, "cubic", "cubic"]);
    let toml = scenario.to_toml();
    assert_eq!(toml.matches("label").count(), 1, "only labels that were given are written: {toml}");
    assert_eq!(Scenario::from_toml(&toml), Ok(scenario.clone()));
    assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario));
}

#[test]
fn labels_that_cannot_be_printed_or_told_apart_are_refused() {
    for label in ["", " a", "a ", "a\\nb", "a\\tb", "a\\u200bb", "\\u202ea", "\\u001b[31m", &"x".repeat(41)] {
        let refused = refusal(&[&format!("cc = 'cubic'\nlabel = \"{label}\"")]);
        assert!(refused.starts_with("flow[0].label: "), "{refused}");
        assert!(refused.contains("1 to 40 printable characters"), "{refused}");
        assert_eq!(refused.lines().count(), 1);
    }
    assert!(refusal(&["cc = 'cubic'\nlabel = 7"]).contains("printable characters"));
    assert_eq!(names(&["cc = 'cubic'\nlabel = 'ßøλ 日本 (β→0.7)'"]), ["ßøλ 日本 (β→0.7)"]);
    assert_eq!(names(&[&format!("cc = 'cubic'\nlabel = '{}'", "ä".repeat(40))]).len(), 1);

    let twice = refusal(&["cc = 'cubic'\nlabel = 'mine'", "cc = 'sack'\nlabel = 'mine'"]);
    assert_eq!(
        twice,
        "flow[1].label: \"mine\" is not accepted; expected a label that no other group has (flow[0] is called mine)"
    );
    let derived = refusal(&["cc = 'cubic'\nlabel = 'sack'", "cc = 'sack'"]);
    assert!(
        derived.starts_with("flow[0].label: \"sack\"") && derived.contains("flow[1] is called sack"),
        "{derived}"
    );
    let differs =
        refusal(&["cc = 'cubic'\nbeta = 0.8", "cc = 'cubic'", "cc = 'sack'\nlabel = 'cubic beta=0.7'"]);
    assert!(differs.starts_with("flow[2].label: "), "{differs}");
    // A flow of the second group would have the first one's name.
    let numbered = refusal(&["cc = 'sack'\nlabel = 'cubic 2'", "cc = 'cubic'\ncount = 3"]);
    assert!(numbered.starts_with("flow[0].label: \"cubic 2\"") && numbered.contains("flow"), "{numbered}");
}

#[test]
fn a_label_too_long_to_read_is_cut_between_settings_and_its_flows_are_still_told_apart() {
    let keys = |n: u32| {
        format!(
            "cc = 'cubic'\nbeta = 0.{n}\nrtt = '{n}ms'\nstart = '{n}s'\nstop = '1{n}s'\ninitial_cwnd = {n}\nack_every = {n}\n\
             ack_delay = '{n}ms'\nsize = '{n}MB'\nburst = {n}"
        )
    };
    let flows = [7, 8, 9].map(keys);
    let actual = names(&flows.each_ref().map(String::as_str));
    for (name, n) in actual.iter().zip([7, 8, 9]) {
        assert!(
            name.starts_with(&format!("cubic beta=0.{n} {n} ms start={n}s ")) && name.ends_with(" …"),
            "{name}"
        );
        assert!(name.chars().count() <= 62, "{name}");
    }
}

// Cut at 50 characters, β to the fourth setting are all that the first label has: rwnd is a later key.
#[test]
fn what_tells_two_groups_apart_is_not_cut_away_by_what_differs_from_a_third() {
    let other = "beta = 0.8\nc = 0.5\nalpha_one = false\nmin_rtt_thresh = 5000\nn_rtt_sample = 9\nrwnd = 50";
    let of = |keys: [&str; 3]| {
        scenario(&keys.map(|keys| format!("cc = 'cubic'\n{keys}")).each_ref().map(String::as_str)).labels()
    };
    let actual = of(["rwnd = 10", "rwnd = 400", other]);
    assert!(actual[0].starts_with("cubic rwnd=10 beta=0.7 ") && actual[0].ends_with(" …"), "{actual:?}");
    assert!(actual[1].starts_with("cubic rwnd=400 beta=0.7 ") && actual[1].ends_with(" …"), "{actual:?}");
    assert!(actual[2].starts_with("cubic rwnd=50 beta=0.8 "), "{actual:?}");
    // Two keys are needed, one for each pair; the group that has none of them says nothing of it.
    let actual = of(["rwnd = 10", "rwnd = 10\nburst = 9", other]);
    assert_ne!(actual[0], actual[1]);
    assert!(actual[1].contains("burst=9"), "{actual:?}");
    assert!(actual.iter().all(|label| label.chars().count() <= 58), "{actual:?}");
    // Those that differ in nothing are called alike still.
    let actual = of(["rwnd = 10", other, "rwnd = 10"]);
    assert_eq!(actual[0], actual[2]);
}

// Each path alone is longer than a label may be: what is left is the group's place in the scenario.
#[test]
fn groups_whose_one_difference_is_too_long_are_called_by_their_place() {
    let path = |first: u32| {
        let links: Vec<String> = (first..first + 12).map(|n| format!("'hop{n}'")).collect();
        format!("[[flow]]\ncc = 'sack'\npath = [{}]\nrtt = '200ms'\n", links.join(","))
    };
    let head = "duration = '9s'\n[parking_lot]\nhops = 14\nrate = '9Mbit/s'\ndelay = '5ms'\n";
    let text = format!("{head}{}{}{}", path(1), path(2), path(1));
    let scenario = Scenario::from_toml(&text).unwrap_or_else(|refused| panic!("{refused}"));
    assert_eq!(scenario.labels(), ["sack … flow[0]", "sack … flow[1]", "sack … flow[0]"]);
}

#[test]
fn actions_name_a_flow_a_label_or_an_algorithm() {
    let flows =
        ["cc = 'cubic'\ncount = 2", "cc = 'cubic'\nbeta = 0.8", "cc = 'sack'\nlabel = 'old'\ncount = 2"];
    let of = |name: &str| -> Result<Vec<u32>, String> {
        let action = format!("[[action]]\nstop = {{ flow = '{name}', at = '5s' }}");
        let scenario =
            Scenario::from_toml(&document(&flows, &action)).map_err(|refused| refused.to_string())?;
        assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario.clone()));
        let actions = scenario.flow_actions();
        assert!(actions.iter().all(|(at, _, what)| *at == 5_000_000_000 && *what == FlowAction::Stop));
        Ok(actions.into_iter().map(|(_, flow, _)| flow).collect())
    };
    for (name, numbers) in [
        ("cubic beta=0.7 2", vec![1]),
        ("cubic beta=0.8", vec![2]),
        ("cubic beta=0.7", vec![0, 1]),
        ("cubic", vec![0, 1, 2]),
        // By number among the flows of the algorithm, whatever they are called.
        ("cubic 1", vec![0]),
        ("cubic 3", vec![2]),
        ("old", vec![3, 4]),
        ("old 2", vec![4]),
        ("sack", vec![3, 4]),
        ("sack 1", vec![3]),
    ] {
        assert_eq!(of(name), Ok(numbers), "{name}");
    }
    for name in ["cubic 4", "cubic 0", "cubic 01", "old 3", "cubic beta=0.9"] {
        let refused = of(name).expect_err(name);
        assert!(refused.starts_with("action[0].stop.flow: "), "{refused}");
    }
}
