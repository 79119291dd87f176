// SPDX-License-Identifier: MIT OR Apache-2.0
//! Copies of a scenario that differ in one setting, and how its parts are named.

use cwnd_scenario::{Buffer, Scenario};
use serde_json::json;

const SCENARIO: &str = "
name = 'two'
duration = '10s'
[link]
rate = '10Mbit/s'
rtt = '40ms'
loss = 'random:0.001'
queue = { kind = 'codel', limit = '1.5bdp' }
[[flow]]
cc = 'cubic'
count = 2
[[flow]]
cc = 'cubic'
[[flow]]
cc = 'sack'
count = 3
[[action]]
buffer = { at = '7s', to = '20packets' }
[[action]]
switch = { flow = 'cubic 1', at = '5s', cc = 'reno' }
[[action]]
rate = { at = '6s', to = '1Mbit/s' }
";

fn scenario() -> Scenario {
    Scenario::from_toml(SCENARIO).expect("good")
}

#[test]
fn a_scenario_with_a_seed_is_that_of_the_document_with_the_seed() {
    let written = Scenario::from_toml(&format!("seed = 7\n{SCENARIO}")).expect("good");
    assert_eq!(scenario().with_seed(&json!(7)), Ok(written));
    for (seed, shown) in [
        (json!(9_223_372_036_854_775_808_u64), "9223372036854775808"),
        (json!(-1), "-1"),
        (json!("7"), "\"7\""),
        (json!(true), "true"),
        (json!(1.5), "1.5"),
    ] {
        let message = scenario().with_seed(&seed).expect_err(shown).to_string();
        let expected =
            format!("seed: {shown} is not accepted; expected a whole number from 0 to 9223372036854775807");
        assert_eq!(message, expected);
    }
}

// Datagrams have no clock: a document that gives them one is refused.
#[test]
fn a_scenario_with_another_clock_has_it_in_its_transfers_too() {
    let udp = "[[traffic]]\nmodel = 'udp'\nrate = '1Mbit/s'\n";
    let text = |clock: &str| format!("{SCENARIO}[[traffic]]\npreset = 'surge'\n{clock}\n{udp}");
    let (as_it_is, with_clock) = (text(""), text("host_clock = '250Hz'"));
    let scenario = Scenario::from_toml(&as_it_is).expect("good");
    let clocks = |scenario: &Scenario| -> Vec<Option<u32>> {
        scenario.traffic.iter().map(|group| group.sender.host_clock).collect()
    };
    assert_eq!(clocks(&scenario), [None, None]);
    let copy = scenario.with_host_clock(&json!("250Hz")).expect("a clock");
    assert_eq!(clocks(&copy), [Some(250), None]);
    assert_eq!(copy.traffic, Scenario::from_toml(&with_clock).expect("good").traffic);
    assert_eq!(Scenario::from_toml(&copy.to_toml()), Ok(copy.clone()));
    // Without one they count milliseconds.
    let ticks = |scenario: &Scenario| {
        let flow = scenario.traffic_flow(&scenario.traffic[0], cwnd_traffic::Direction::Forward);
        flow.expect("has a way").host_clock()
    };
    assert_eq!((ticks(&scenario), ticks(&copy)), (1000, 250));
    let refused =
        Scenario::from_toml(&format!("{as_it_is}host_clock = '250Hz'\n")).expect_err("of datagrams");
    assert_eq!(
        refused.to_string(),
        "traffic[1].host_clock: \"250Hz\" is not accepted; expected no host_clock: datagrams have none"
    );
}

#[test]
fn a_scenario_with_another_clock_is_that_of_the_document_with_it_in_every_flow() {
    let written = SCENARIO.replace("[[flow]]", "[[flow]]\nhost_clock = '250Hz'");
    assert_ne!(written, SCENARIO);
    assert_eq!(scenario().with_host_clock(&json!("250Hz")), Scenario::from_toml(&written));
    for (clock, shown) in [(json!("0Hz"), "\"0Hz\""), (json!(250), "250")] {
        let message = scenario().with_host_clock(&clock).expect_err(shown).to_string();
        let expected = "expected a frequency with its unit (Hz, kHz, MHz) from 1Hz to 1MHz, such as 100Hz";
        assert_eq!(message, format!("host_clock: {shown} is not accepted; {expected}"));
    }
}

#[test]
fn a_scenario_with_a_name_is_that_of_the_document_with_the_name() {
    let written = Scenario::from_toml(&SCENARIO.replace("'two'", "'three'")).expect("good");
    assert_eq!(scenario().with_name("three"), written);
}

#[test]
fn groups_are_called_by_their_label_or_where_several_have_it_by_their_flows() {
    assert_eq!(scenario().group_names(), ["cubic 1 to 2", "cubic 3", "sack"]);
}

#[test]
fn actions_and_links_are_shown_as_they_are_written() {
    let scenario = scenario();
    let actions: Vec<_> = scenario.actions.iter().map(cwnd_scenario::Action::written).collect();
    let action = |kind: &str, on: &str, to: Option<&str>| (kind.into(), on.into(), to.map(str::to_owned));
    assert_eq!(
        actions,
        [
            action("switch", "cubic 1", None),
            action("rate", "link", Some("1Mbit/s")),
            action("buffer", "link", Some("20packets"))
        ]
    );
    let link = scenario.bottleneck();
    assert_eq!(link.loss_text().as_deref(), Some("random:0.001"));
    assert_eq!(link.queue_in_words(), Some(("codel", "1.5 BDP".to_owned())));
    for (limit, words) in [
        (Buffer::Packets(100), "100 packets"),
        (Buffer::Bytes(64_000), "64 kB"),
        (Buffer::Time(50_000_000), "50 ms"),
        (Buffer::Bdp(100_000, 4), "0.1 BDP, at least 4 packets"),
    ] {
        assert_eq!(limit.in_words(), words);
    }
}
