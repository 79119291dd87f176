// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is refused, and in which words: the field, the value, what was expected.

use cwnd_scenario::{InnerVariables, Scenario};

const GOOD: &str = r#"
duration = "100s"
measure = ["20s", "100s"]
[link]
rate = "400Mbit/s"
rtt = "40ms"
queue = { kind = "droptail", limit = "1bdp" }
[[flow]]
cc = "cubic"
count = 2
start = { uniform = ["0s", "100ms"] }
beta = 0.8
fast_convergence = false
[[flow]]
cc = "sack"
rtt = "160ms"
"#;

const QUEUE: &str = "{ kind = \"droptail\", limit = \"1bdp\" }";

/// RED with these thresholds and one more key.
fn red(min: &str, max: &str, more: &str) -> String {
    format!("{{ kind = 'red', limit = '1bdp', min = '{min}', max = '{max}', {more} }}").replace(",  }", " }")
}

/// The refusal of `GOOD` with `from` replaced by `to`.
fn refusal(from: &str, to: &str) -> String {
    let text = GOOD.replacen(from, to, 1);
    assert_ne!(text, GOOD, "{from:?} occurs");
    match Scenario::from_toml(&text) {
        Ok(_) => panic!("{to:?} was accepted"),
        Err(invalid) => invalid.to_string(),
    }
}

#[test]
fn the_good_one_is_accepted_and_reads_back_from_toml_and_json() {
    let scenario = Scenario::from_toml(GOOD).expect("good");
    assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario.clone()));
    assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario.clone()));
    assert_eq!(scenario.expand().len(), 3);
    assert_eq!(scenario.bottleneck().bdp_packets(1500), Some(1333)); // 400e6 · 0.04 / 12 000 = 1333.3
}

#[test]
fn losses_read_back_from_toml() {
    let losses = ["every:1000", "every:1000,1", "random:0.001", "random:0.00001", "random:0.123456789012345"];
    for loss in
        losses.into_iter().chain(["gilbert:0.01,0.25,0,1", "gilbert:0.001,0.2,0.0001,0.5", "at:5000,9000"])
    {
        let text = GOOD.replace("rtt = \"40ms\"", &format!("rtt = \"40ms\"\nloss = \"{loss}\""));
        let scenario = Scenario::from_toml(&text).expect(loss);
        assert!(scenario.to_toml().contains(&format!("\"{loss}\"")), "{loss}: {}", scenario.to_toml());
        assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario));
    }
}

#[test]
fn red_reads_back_from_toml_with_its_defaults_written_out() {
    let thresholds = [("5packets", "15packets"), ("7500B", "22500B"), ("0.1bdp", "12ms")];
    let more = ["", "max_p = 0.02", "max_p = 1", "weight = 0.00002", "weight = '0.002'", "gentle = false"];
    for ((min, max), more) in thresholds.into_iter().flat_map(|t| more.map(|more| (t, more))) {
        let scenario = Scenario::from_toml(&GOOD.replace(QUEUE, &red(min, max, more))).expect(more);
        assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario.clone()), "{}", scenario.to_toml());
        assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario));
    }
    let text =
        Scenario::from_toml(&GOOD.replace(QUEUE, &red("5packets", "15packets", ""))).expect("good").to_toml();
    for default in ["max_p = 0.1\n", "weight = 0.002\n", "gentle = true"] {
        assert!(text.contains(default), "{default}: {text}");
    }
}

#[test]
fn a_hosts_overhead_and_clock_read_back() {
    let scenario =
        Scenario::from_toml(&GOOD.replace("rtt = \"160ms\"", "overhead = '300us'\nhost_clock = '0.1kHz'"));
    let scenario = scenario.expect("good");
    assert_eq!((scenario.flows[1].overhead, scenario.flows[1].host_clock), (300_000, Some(100)));
    assert_eq!((scenario.flows[0].overhead, scenario.flows[0].host_clock), (0, None));
    assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario));
}

#[test]
fn inner_variables_are_recorded_all_or_by_name_and_read_back() {
    for (written, expected) in [
        ("true", InnerVariables::All),
        ("false", InnerVariables::Off),
        ("[\"w_max\"]", InnerVariables::Only(vec!["w_max".into()])),
    ] {
        let text = GOOD.replace("[link]", &format!("record = {{ inner = {written} }}\n[link]"));
        let scenario = Scenario::from_toml(&text).expect(written);
        assert_eq!(scenario.record.inner, expected);
        assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario));
    }
    assert_eq!(Scenario::from_toml(GOOD).expect("good").record.inner, InnerVariables::Off);
}

#[test]
fn every_refusal_names_field_value_and_expectation() {
    let cases = r#"
        400Mbit/s         | 0Mbit/s                          | link.rate: "0Mbit/s"      | a rate above 0 with its unit
        400Mbit/s         | 400                              | link.rate: "400"          | a rate above 0 with its unit
        "400Mbit/s"       | 400                              | link.rate: 400            | a rate above 0 with its unit
        40ms              | -40ms                            | link.rtt: "-40ms"         | a time with its unit
        1bdp              | 1499B                            | link.queue.limit: "1499B" | room for at least one packet of 1500B
        1bdp              | 0packets                         | link.queue.limit: "0packets" | room for at least one packet
        1bdp              | lots                             | link.queue.limit: "lots"  | multiples of the BDP
        droptail          | blue                             | link.queue.kind: "blue"   | expected droptail, red
        droptail          | red                              | link.queue.min: missing   | packets (1000packets)
        { kind = "droptail", limit = "1bdp" } | { kind = 'codel' }               | link.queue.limit: missing | packets (1000packets)
        { kind = "droptail", limit = "1bdp" } | { kind = 'codel', limit = '1bdp', target = '0ms' } | link.queue.target: "0ms"  | a time above 0 with its unit
        { kind = "droptail", limit = "1bdp" } | { kind = 'codel', limit = '1bdp', target = '100ms', interval = '5ms' } | link.queue.interval: "5ms" | at least target, which is 100ms
        { kind = "droptail", limit = "1bdp" } | { kind = 'codel', limit = '1bdp', target = '101ms' } | link.queue.interval: the default, 100ms | at least target, which is 101ms
        droptail          | dropptail                        | link.queue.kind: "dropptail" | (did you mean droptail?)
        kind =            | knd =                            | link.queue.knd: "droptail" | a known key (did you mean kind?)
        rate =            | rat =                            | link.rat: "400Mbit/s"     | a known key (did you mean rate?)
        cc = "sack"       | c = "sack"                       | flow[1].c: "sack"         | a known key (did you mean cc?)
        { kind = "droptail", limit = "1bdp" } | { kind = 'codel', limit = '1bdp', intervall = '1s' } | link.queue.intervall: "1s" | did you mean interval?
        limit = "1bdp"    | limit = "1bdp", min = "5packets" | link.queue.min: "5packets" | one of the keys kind, limit
        { kind = "droptail", limit = "1bdp" } | { kind = 'red', limit = '1bdp', min = '5packets', max = '5packets' } | link.queue.max: "5packets" | more than min, which is 5 packets
        { kind = "droptail", limit = "1bdp" } | { kind = 'red', limit = '1bdp', min = '5packets', max = '50kB' } | link.queue.max: "50kB"    | packets, a time
        { kind = "droptail", limit = "1bdp" } | { kind = 'red', limit = '1bdp', min = '5kB', max = '50packets' } | link.queue.max: "50packets" | a size (60kB)
        { kind = "droptail", limit = "1bdp" } | { kind = 'red', limit = '1bdp', min = '1packet', max = '9packets', max_p = 0 } | link.queue.max_p: 0       | a number above 0, at most 1
        { kind = "droptail", limit = "1bdp" } | { kind = 'red', limit = '1bdp', min = '1packet', max = '9packets', weight = 1.5 } | link.queue.weight: 1.5    | at most 1
        { kind = "droptail", limit = "1bdp" } | { kind = 'red', limit = '1bdp', min = '1packet', max = '9packets', gentle = 1 } | link.queue.gentle: 1      | true or false
        "cubic"           | "cubik"                          | flow[0].cc: "cubik"       | did you mean cubic?
        "cubic"           | "zzzzzzzzz"                      | flow[0].cc: "zzzzzzzzz"   | cubic, cubic-2.2
        count = 2         | count = 0                        | flow[0].count: 0          | a whole number from 1
        "0s", "100ms"     | "-1s", "100ms"                   | flow[0].start             | 0 or more before the end
        { uniform = ["0s", "100ms"] } | "100s"                           | flow[0].start: "100s"     | before the end (100s)
        beta = 0.8        | beta = 1.5                       | flow[0].beta: 1.5         | a decimal from 0.1 to 0.99
        beta = 0.8        | bata = 0.8                       | flow[0].bata: 0.8         | did you mean beta?
        false             | "no"                             | flow[0].fast_convergence: "no" | true or false
        "160ms"           | 160                              | flow[1].rtt: 160          | a time with its unit
        rtt = "160ms"     | overhead = 300                   | flow[1].overhead: 300     | at most 1s, such as 300us
        rtt = "160ms"     | overhead = "2s"                  | flow[1].overhead: "2s"    | at most 1s
        rtt = "160ms"     | host_clock = 100                 | flow[1].host_clock: 100   | a frequency with its unit
        rtt = "160ms"     | host_clock = "0Hz"               | flow[1].host_clock: "0Hz" | from 1Hz to 1MHz
        measure           | mesure                           | mesure: ["20s","100s"]    | did you mean measure?
        ["20s", "100s"]   | ["20s", "101s"]                  | measure: ["20s","101s"]   | within the duration
        duration = "100s" |                                  | duration: missing         | a time above 0
        duration = "100s" | duration = "0s"                  | duration: "0s"            | a time above 0
        [link]            | seed = -1\n[link]                | seed: -1                  | a whole number from 0
        rtt = "40ms"      | rtt = "40ms"\nloss = "every:0"   | link.loss: "every:0"      | every:N
        rtt = "40ms"      | rtt = "40ms"\nloss = "random:1"  | link.loss: "random:1"     | 0 < P < 1
        rtt = "40ms"      | rtt = "40ms"\nloss = "every:9,0" | link.loss: "every:9,0"    | FIRST
        rtt = "40ms"      | rtt = "40ms"\nloss = "gilbert:0.1,2,0,1" | link.loss: "gilbert:0.1,2,0,1" | 0 to 1
        rtt = "40ms"      | rtt = "40ms"\nloss = "gilbert:0.1,0.2" | link.loss: "gilbert:0.1,0.2" | four
        rtt = "40ms"      | rtt = "40ms"\nloss = "at:9,5"    | link.loss: "at:9,5"       | increasing
        duration = "100s" | duration =                       | scenario: the document    | TOML
        duration = "100s" | duration = nan                   | duration: "nan"           | unit
        # A text is no quantity without a unit, and what is no text is none by being shown as one.
        duration = "100s" | duration = "100s"\nname = 7      | name: 7 is not accepted; expected a string |
        duration = "100s" | duration = "100s"\nname = nan    | name: "nan"               | a string
        duration = "100s" | duration = "100s"\nname = 1979-05-27 | name: "1979-05-27"        | a string
        ["20s", "100s"]   | [-inf, 1.5]                      | measure: ["-inf",1.5]     | two increasing times
        [link]            | record = { inner = 1 }\n[link]   | record.inner: 1           | true, false, or a list of names
        [link]            | record = { inner = [] }\n[link]  | record.inner: []          | true, false, or a list of names
        [link]            | record = { inner = ["w_mx"] }\n[link] | record.inner: "w_mx"      | w_max
    "#;
    for [from, to, subject, expectation] in crate::table(cases) {
        let message = refusal(from, to);
        crate::check_refusal(&message, subject, expectation, to);
        assert!(!to.contains("name =") || !message.contains("did you mean"), "{message}");
    }
}

#[test]
fn a_scenario_without_flows_is_refused() {
    let text = GOOD.split("[[flow]]").next().expect("head");
    assert!(
        Scenario::from_toml(text).is_err_and(|invalid| invalid.field == "flow" && invalid.value.is_none())
    );
}
