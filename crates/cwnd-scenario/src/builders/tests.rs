// SPDX-License-Identifier: MIT OR Apache-2.0
//! What comparisons mean: their documents, their commands, and what is refused.

use super::*;
use crate::files;

fn of(value: Value) -> Keywords {
    Keywords::from_value(Builder::Compare, &value).expect("settings")
}

fn with(key: &str, value: Value) -> Keywords {
    let mut settings = json!({ "flows": ["cubic"] });
    settings[key] = value;
    of(settings)
}

fn command(key: &str, value: Value) -> Option<String> {
    with(key, value).command()
}

#[test]
fn by_default_it_is_a_minute_of_100_megabit() {
    let document =
        of(json!({ "flows": ["cubic:2@beta=0.85", { "cc": "reno", "start": "1s" }] })).document(&[]);
    let spread = json!({ "uniform": ["0s", "100000000ns"] });
    let expected = json!({
        "duration": "60s",
        "measure": ["12000000000ns", "60s"],
        "name": "cubic:2@beta=0.85 + reno@start=1s",
        "link": {
            "rate": "100Mbit/s", "rtt": "40ms",
            "queue": { "kind": "droptail", "limit": "1bdp" },
        },
        "record": {},
        "flow": [
            { "start": spread, "cc": "cubic", "count": 2, "beta": 0.85 },
            { "start": "1s", "cc": "reno" },
        ],
    });
    assert_eq!(document, Ok(expected));
}

// A tenth of 500 ms is 50 ms, a fifth 100 ms.
#[test]
fn flows_of_a_short_run_begin_in_its_first_tenth() {
    let Timing { starts, measured_from } = timing(&json!("500ms"), false).expect("a duration");
    assert_eq!((starts[1].as_str(), measured_from.as_str()), ("50000000ns", "100000000ns"));
    assert_eq!(timing(&json!("1ns"), false).map(|timing| timing.starts[1].clone()), Ok("1ns".to_owned()));
    let refused = timing(&json!("10sec"), false).expect_err("no unit of a time");
    assert!(refused.field == "duration" && refused.expected.contains("did you mean 10s?"), "{refused}");
}

// A transfer of the first fifth would not be seen: where all flows are transfers, the default interval is the whole run.
#[test]
fn transfers_alone_are_measured_from_the_begin() {
    let measured = |flows: Value| {
        let document = of(json!({ "flows": flows, "duration": "20s" })).document(&[]).expect("a document");
        document["measure"][0].clone()
    };
    assert_eq!(measured(json!(["cubic@size=1MB", { "cc": "reno", "size": "2MB" }])), json!("0s"));
    assert_eq!(measured(json!(["cubic@size=1MB", "reno"])), json!("4000000000ns"));
    let explicit = of(json!({ "flows": ["cubic@size=1MB"], "measure": ["1s", "2s"] })).document(&[]);
    assert_eq!(explicit.expect("a document")["measure"], json!(["1s", "2s"]));
}

#[test]
fn a_queue_that_marks_has_flows_that_negotiate() {
    let marking = of(json!({ "flows": ["cubic", "reno@ecn=false"], "codel": {}, "ecn": true }));
    let document = marking.document(&[]).expect("a document");
    assert_eq!(document["link"]["queue"], json!({ "kind": "codel", "limit": "1bdp", "ecn": true }));
    assert_eq!((&document["flow"][0]["ecn"], &document["flow"][1]["ecn"]), (&json!(true), &json!(false)));
    assert!(marking.scenario(&files::none).is_ok());
}

// Where the table says what a scenario has without the key, the scenario has that.
#[test]
fn defaults_that_are_the_scenarios_own_are_the_scenarios_own() {
    let plain = of(json!({ "flows": ["cubic"] })).scenario(&files::none);
    assert!(plain.is_ok());
    for keyword in KEYWORDS {
        let Some(text) = keyword.default.text() else { continue };
        let value =
            if keyword.option == OptionForm::Number { crate::flow_spec::value(text) } else { json!(text) };
        let same = with(keyword.name, value);
        assert_eq!(same.scenario(&files::none), plain, "{}", keyword.name);
        assert_eq!(same.command().as_deref(), Some("cwnd compare cubic"), "{}", keyword.name);
    }
}

#[test]
fn a_command_has_what_differs_from_the_defaults() {
    let settings = json!({
        "flows": ["cubic:2@beta=0.85", { "cc": "reno", "count": 1 }, { "cc": "bic", "start": { "uniform": ["0s", "1s"] } }],
        "rate": "50Mbit/s", "buffer": "0.1bdp, at least 4packets", "rtt": "40ms", "duration": null,
    });
    let expected = "cwnd compare 'cubic:2@beta=0.85' reno 'bic@start=0s..1s' --rate 50Mbit/s \
                    --buffer '0.1bdp, at least 4packets'";
    assert_eq!(of(settings).command().as_deref(), Some(expected));
    for (key, value, option) in [
        ("measure", json!(["1s", "2s"]), "--measure 1s..2s"),
        ("seed", json!(7), "--seed 7"),
        ("reverse", json!(true), "--reverse"),
        ("per_ack", json!(true), "--per-ack"),
        ("inner", json!(true), "--inner"),
        ("record_flows", json!(["cubic 1", 7]), "--record-flows 'cubic 1,7'"),
        ("record_flows", json!("none"), "--record-flows none"),
        ("traffic", json!("ha2008"), "--traffic ha2008"),
        ("traffic", json!(["ha2008", { "preset": "surge" }]), "--traffic ha2008 --traffic surge"),
        (
            "traffic",
            json!([{ "model": "udp", "rate": "5Mbit/s" }]),
            "--traffic 'model = \"udp\", rate = \"5Mbit/s\"'",
        ),
        ("red", json!({ "min": "20packets", "max": "60packets" }), "--red 20packets..60packets"),
        ("codel", json!({}), "--codel 5ms..100ms"),
        ("codel", json!({ "target": "2ms", "ecn": false }), "--codel 2ms..100ms"),
        ("loss", json!("it's"), r"--loss 'it'\''s'"),
    ] {
        assert_eq!(command(key, value), Some(format!("cwnd compare cubic {option}")));
    }
    for (key, value) in
        [("per_ack", json!(false)), ("traffic", json!([])), ("actions", json!([])), ("name", json!("cubic"))]
    {
        assert_eq!(command(key, value).as_deref(), Some("cwnd compare cubic"), "{key}");
    }
}

#[test]
fn what_no_option_says_has_no_command() {
    for (key, value) in [
        ("name", json!("mine")),
        ("rate", json!([["0s", "1Mbit/s"], ["1s", "2Mbit/s"]])),
        ("rate", json!("1\0")),
        ("seed", json!("7")),
        ("delay", json!("5ms")),
        ("jitter", json!({ "kind": "normal", "mean": "2ms", "sd": "1us" })),
        ("reverse", json!({ "rate": "3Mbit/s" })),
        ("inner", json!(["w_max"])),
        ("measure", json!(["0..1s", "2s"])),
        ("record_flows", json!(["7"])),
        ("record_flows", json!(["a,b"])),
        ("record_flows", json!(["all"])),
        ("record_flows", json!([])),
        ("record_packets", json!("both")),
        ("live", json!({ "sack": false })),
        ("actions", json!([{ "stop": { "flow": "cubic", "at": "4s" } }])),
        ("red", json!({ "min": "20packets", "max": "60packets", "max_p": 0.5 })),
        ("codel", json!({ "ecn": true })),
        ("red", json!({ "min": "20packets" })),
        ("traffic", json!([{ "preset": "a=b" }])),
        ("traffic", json!([{}])),
        ("flows", json!([])),
        ("flows", json!([{ "cc": "cubic", "label": "a,b" }])),
        ("flows", json!(["--help"])),
    ] {
        assert_eq!(command(key, value.clone()), None, "{key} = {value}");
    }
}

#[test]
fn what_is_no_keyword_or_no_form_of_its_value_is_refused() {
    for (key, value, field, expected) in [
        ("rat", json!("1Mbit/s"), "rat", "a keyword of compare (did you mean rate or rtt?)"),
        ("flows", json!("cubic"), "flows", "a list of flows"),
        ("flows", json!([7]), "flows[0]", "a list of flows"),
        ("flows", json!(["cubic", "reno:x"]), "flow[1]", "NAME[:COUNT]"),
        ("ecn", json!(1), "ecn", "true or false"),
        ("ecn", json!(true), "ecn", "a queue that marks packets: red or codel"),
        (
            "codel",
            json!("5ms"),
            "codel",
            r#"its settings, such as {} or {"target": "5ms", "interval": "100ms"}"#,
        ),
    ] {
        let mut settings = json!({ "flows": ["cubic"] });
        settings[key] = value;
        let refused = Keywords::from_value(Builder::Compare, &settings).expect_err(key);
        assert!(refused.field == field && refused.expected.starts_with(expected), "{refused}");
    }
    let two = json!({ "flows": ["cubic"], "red": { "min": "1packets", "max": "2packets" }, "codel": {} });
    let refused = Keywords::from_value(Builder::Compare, &two).expect_err("two disciplines");
    assert_eq!(
        (refused.field.as_str(), refused.expected.as_str()),
        ("codel", "one queue discipline; red is also given")
    );
    let refused = with("traffic", json!(5)).document(&[]).expect_err("no traffic");
    assert_eq!(refused.field, "traffic");
}

fn document(builder: Builder, value: Value) -> Value {
    let keywords = Keywords::from_value(builder, &value).expect("keywords");
    keywords.document(&[]).expect("a document")
}

// `dumbbell` measures the whole run, of 100 s; a flow that a text gives begins at random, one that a table gives does not.
#[test]
fn a_dumbbell_has_the_scenarios_own_defaults() {
    let flows = json!(["cubic", { "cc": "reno" }]);
    let spread = json!({ "uniform": ["0ns", "100000000ns"] });
    let made = document(
        Builder::Dumbbell,
        json!({ "flows": flows, "rtt": "40ms", "rate": "10Mbit/s", "tick": "1ms" }),
    );
    let expected = json!({
        "duration": "100s",
        "link": {
            "rate": "10Mbit/s", "rtt": "40ms", "tick": "1ms",
            "queue": { "kind": "droptail", "limit": "1bdp" },
        },
        "record": {},
        "flow": [{ "start": spread, "cc": "cubic", "count": 1 }, { "cc": "reno" }],
    });
    assert_eq!(plain(made), plain(expected));
    let names = document(Builder::Dumbbell, json!({ "flows": { "cubic": 2 }, "rtt": "40ms" }));
    assert_eq!(names["flow"][0]["count"], json!(2));
    assert!(names["flow"][0]["start"]["uniform"].is_array() && names["link"].get("queue").is_none());
}

/// With times as numbers of nanoseconds where both ways of writing them occur.
fn plain(mut document: Value) -> Value {
    for flow in document["flow"].as_array_mut().into_iter().flatten() {
        if let Some(first) = flow.pointer_mut("/start/uniform/0") {
            *first = json!("0ns");
        }
    }
    document
}

#[test]
fn links_in_a_row_have_one_table_and_a_graph_has_its_own() {
    let row = json!({ "flows": ["cubic@from=n0,to=n2"], "hops": 2, "delay": "5ms", "rate": "10Mbit/s", "drop_head": true });
    let made = document(Builder::ParkingLot, row);
    let queue = json!({ "kind": "drop-head", "limit": "1bdp" });
    let expected = json!({ "hops": 2, "rate": "10Mbit/s", "delay": "5ms", "queue": queue });
    assert_eq!(made["parking_lot"], expected);
    assert!(made.get("link").is_none());
    let links = json!([{ "from": "a", "to": "b", "rate": "1Mbit/s", "delay": "5ms" }]);
    let made = document(
        Builder::Graph,
        json!({ "flows": [{ "cc": "cubic", "from": "a", "to": "b" }], "links": links }),
    );
    assert_eq!((&made["link"], made.get("measure")), (&links, None));
}

#[test]
fn each_builder_refuses_the_keywords_of_others() {
    for (builder, key, expected) in [
        (Builder::Dumbbell, "ecn", "a keyword of dumbbell"),
        (Builder::Dumbbell, "hops", "a keyword of dumbbell"),
        (Builder::ParkingLot, "jitter", "a keyword of parking_lot"),
        (Builder::Graph, "rate", "a keyword of graph"),
        (Builder::Graph, "codel", "a keyword of graph"),
    ] {
        let mut settings = json!({ "flows": ["cubic"] });
        settings[key] = json!("5ms");
        let refused = Keywords::from_value(builder, &settings).expect_err(key);
        assert!(refused.field == key && refused.expected.starts_with(expected), "{refused}");
    }
}

#[test]
fn a_queue_that_is_asked_for_without_a_rate_is_refused_by_its_keyword() {
    for (builder, key, value) in [
        (Builder::Dumbbell, "buffer", json!("1bdp")),
        (Builder::Dumbbell, "codel", json!({})),
        (Builder::Compare, "drop_head", json!(true)),
    ] {
        let mut settings = json!({ "flows": ["cubic"], "rtt": "40ms", "rate": "none" });
        settings[key] = value;
        let keywords = Keywords::from_value(builder, &settings).expect("keywords");
        let refused = keywords.document(&[]).expect_err(key);
        let expected = format!("no {key}: a link without a rate has no queue");
        assert_eq!((refused.field.as_str(), refused.expected), (key, expected));
    }
}

// A size that is an axis is in no table: the caller says of which groups.
#[test]
fn a_size_that_is_an_axis_counts_as_one() {
    let both = of(json!({ "flows": ["cubic", "reno@size=1MB"], "duration": "20s" }));
    let measured = |sized: &[usize]| both.document(sized).expect("a document")["measure"][0].clone();
    assert_eq!((measured(&[]), measured(&[0])), (json!("4000000000ns"), json!("0s")));
}

#[test]
fn an_option_with_a_value_says_what_its_value_is_called() {
    let silent = KEYWORDS.iter().filter(|row| !matches!(row.option, OptionForm::Flag | OptionForm::None));
    assert_eq!(silent.filter(|row| row.metavar.is_empty()).map(|row| row.name).collect::<Vec<_>>(), [""; 0]);
}
