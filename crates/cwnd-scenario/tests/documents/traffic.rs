// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[traffic]]`: what is read, what is written, what is refused and in which words.

use cwnd_scenario::traffic::{Context, PRESETS, Traffic, read, to_toml};
use cwnd_scenario::{Invalid, Scenario};
use cwnd_traffic::{
    Arrivals, Directions, Distribution, DistributionKind, GapFrom, Model, Parameter, ParameterKind, Scale,
    Starts,
};

/// 100 s, full payloads of 1448 bytes.
const CONTEXT: Context = Context { duration: 100_000_000_000, payload: 1448 };

fn groups(keys: &str) -> Result<Vec<Traffic>, Invalid> {
    read(&format!("[[traffic]]\n{keys}"), &CONTEXT)
}

fn group(keys: &str) -> Traffic {
    groups(keys).unwrap_or_else(|error| panic!("{error}\n{keys}")).remove(0)
}

#[test]
fn every_preset_is_read_and_what_is_written_reads_back() {
    for preset in PRESETS {
        let read_once = group(&format!("preset = '{}'", preset.name));
        assert_eq!(read_once.name, preset.name);
        let written = to_toml(std::slice::from_ref(&read_once));
        assert_eq!(read(&written, &CONTEXT), Ok(vec![read_once]), "{written}");
        assert!(!preset.help.is_empty() && !preset.source.is_empty());
    }
}

#[test]
fn everything_that_can_be_written_reads_back() {
    for keys in [
        "model = 'long'\nflows = 5\nstart = { uniform = ['0s', '1s'] }\nstop = '50s'\ndirection = 'reverse'\ncc = 'cubic'",
        "model = 'long'\nstart = { poisson = '1s', from = '2s' }\nrtt = { kind = 'uniform', min = '1ms', max = '9ms' }",
        "model = 'long'\nstart = { every = '1s' }\nname = 'long ones'",
        "model = 'sessions'\nobjects = { kind = 'pareto', shape = 1.5, minimum = 2, at_most = 55 }\ngap_from = 'start'",
        "model = 'sessions'\nkeep = true\npages = 3\ngap = '0s'\nsize = '10MB'",
        "model = 'mix'\narrivals = { kind = 'weibull', scale = '1.46s', shape = 0.382 }\nsize = { kind = 'lognormal', mean = '10710B', sigma = 1.3659, at_least = '100B', at_most = '2MB' }",
        "model = 'mix'\nshare = 0.123456\nsize = { kind = 'pareto2', shape = 1.2, scale = '2packets' }\nwindow = '45packets'",
        "model = 'mix'\nshare = 0.000001\nsize = { kind = 'empirical', points = [['1kB', 0.0000001], ['2kB', 1]] }",
        "model = 'mix'\nshare = 1.1\nsize = { kind = 'empirical', points = [['1kB', 0.123456789012345], ['2kB', '1']] }",
        "model = 'request-response'\nrequest = '100B'\nresponse = '1MB'\nthink = { kind = 'exponential', mean = '1s' }",
        "model = 'long'\ncc = 'cubic'\nbeta = 0.85\nslow_start = 'standard'\nhost = 'linux-2.6'\nack_every = 1\nhandshake = false",
        "model = 'mix'\nshare = 0.1\nsize = '1kB'\ncc = 'cubic@beta=0.85,host=linux,gso=false'\necn = true\nhost_clock = '250Hz'",
        "model = 'long'\nrecovery = 'newreno'\naccess = '1Gbit/s'\npacing = true\noverhead = '1ms'\nmin_rto = '1s'",
        "model = 'udp'\nrate = '20Mbit/s'\nsources = 3",
        "model = 'udp'\nrate = '20Mbit/s'\non = '1s'\noff = { kind = 'exponential', mean = '1s' }",
    ] {
        let once = group(keys);
        let written = to_toml(std::slice::from_ref(&once));
        assert_eq!(read(&written, &CONTEXT), Ok(vec![once]), "{written}");
    }
}

// Leith, Shorten and McCullagh 2007: 6 packets of 1448 bytes are 8688 bytes.
#[test]
fn the_documents_numbers_are_what_is_read() {
    let Model::Sessions(web) = group("model = 'sessions'").model else { panic!("sessions") };
    assert_eq!(web, {
        let Model::Sessions(preset) = group("preset = 'leith2007'").model else { panic!("sessions") };
        preset
    });
    let Distribution::Pareto(size) = &web.size else { panic!("{:?}", web.size) };
    assert_eq!((size.shape, size.minimum, size.at_most), (1_200_000, Scale::Mean(8688), None));
    assert_eq!((web.sessions, web.gap_from, web.pages), (1, GapFrom::Finish, None));

    let fig4 = group("preset = 'leith2007-fig4'");
    assert_eq!(fig4.direction, Directions::Both);
    assert!(matches!(fig4.model, Model::Sessions(web) if web.sessions == 200));

    let ha2008 = group("preset = 'ha2008'\nshare = 0.1");
    assert_eq!((ha2008.direction, ha2008.window), (Directions::Both, Some(65_536)));
    let Model::Mix(mix) = &ha2008.model else { panic!("mix") };
    assert_eq!(mix.arrivals(), Arrivals::Share(100_000));

    let ns2 = group("preset = 'ns2-web'");
    assert_eq!(ns2.start, Starts::Every { from: 100_000_000, gap: 100_000_000 });
}

/// The parameters of a distribution of times as a document writes them: the scale by the mean where `by_mean`.
fn parameters(kind: DistributionKind, by_mean: bool) -> String {
    let key = |row: &Parameter| match row.kind {
        ParameterKind::Number(min, max) => {
            format!("{} = {}", row.name, (max.min(1_500_000).max(min)) as f64 / 1e6)
        }
        ParameterKind::Scale(_) if by_mean => "mean = '2s'".to_owned(),
        ParameterKind::Bounds => "at_least = '1s', at_most = '9s'".to_owned(),
        ParameterKind::UpperBound(_) | ParameterKind::OptionalAbove(_) => format!("{} = '9s'", row.name),
        ParameterKind::Above(_) | ParameterKind::NotBelow(_) => format!("{} = '3s'", row.name),
        _ => format!("{} = '2s'", row.name),
    };
    kind.parameters().iter().map(key).collect::<Vec<_>>().join(", ")
}

// Shapes of 1.5; values that rise from row to row.
#[test]
fn every_distribution_is_read_and_printed_by_its_rows() {
    for kind in DistributionKind::ALL {
        for by_mean in [false, true] {
            let keys = parameters(*kind, by_mean);
            let text = format!("model = 'sessions'\ngap = {{ kind = '{}', {keys} }}", kind.name());
            let once = group(&text);
            let written = once.to_value();
            for key in keys.split(", ").filter_map(|key| key.split(" = ").next()) {
                assert!(written["gap"].get(key).is_some(), "{text}: {written}");
            }
            assert_eq!(read(&to_toml(std::slice::from_ref(&once)), &CONTEXT), Ok(vec![once]), "{text}");
        }
    }
}

#[test]
fn a_misspelt_parameter_of_every_distribution_is_refused_with_the_nearest_one() {
    for kind in DistributionKind::ALL {
        let keys = parameters(*kind, false);
        let (name, _) = keys.rsplit_once(" = ").expect("a key");
        let name = name.rsplit(", ").next().expect("a key");
        let text = format!("model = 'sessions'\ngap = {{ kind = '{}', {keys}, {name}s = 1 }}", kind.name());
        let message = groups(&text).expect_err(&text).to_string();
        assert!(message.contains(&format!("traffic[0].gap.{name}s: 1")), "{message}");
        assert!(message.contains(&format!("did you mean {name}?")), "{message}");
    }
}

// Where the right one is missing, too, the misspelt one is what is named.
#[test]
fn a_misspelt_required_parameter_is_named() {
    for kind in DistributionKind::ALL {
        for by_mean in [false, true] {
            let keys = parameters(*kind, by_mean);
            for key in keys.split(", ").filter_map(|key| key.split(" = ").next()) {
                let misspelt = keys.replacen(&format!("{key} = "), &format!("{key}s = "), 1);
                let text = format!("model = 'sessions'\ngap = {{ kind = '{}', {misspelt} }}", kind.name());
                let message = groups(&text).expect_err(&text).to_string();
                assert!(message.contains(&format!("traffic[0].gap.{key}s: ")), "{message}");
                assert!(message.contains(&format!("did you mean {key}?")), "{message}");
            }
        }
    }
}

// A lognormal distribution with σ = 10 has e^50 times its median as the mean; between that and a nanosecond more is nothing of it that a number could
// hold, and the mean of what is there was no number.
#[test]
fn bounds_that_hold_nothing_are_refused() {
    let gap = |bounds: &str| {
        let text = format!("model = 'mix'\nsize = '1kB'\narrivals = {{ kind = 'lognormal', {bounds} }}");
        groups(&text).map(|_| ()).map_err(|error| error.to_string())
    };
    let narrow = gap("mean = '1000000s', sigma = 10, at_least = '1000000s', at_most = '1000000000000001ns'");
    let message = narrow.expect_err("nothing is between");
    assert!(message.contains("traffic[0].arrivals.at_most: \"1000000000000001ns\""), "{message}");
    assert!(message.contains("a billionth of the distribution between them"), "{message}");
    assert_eq!(gap("mean = '1000000s', sigma = 10, at_least = '1000000s'"), Ok(()));
}

#[test]
fn keys_beside_a_preset_take_its_place() {
    let Model::Mix(mix) = group("preset = 'surge'\narrivals = '10ms'").model else { panic!("mix") };
    assert_eq!(mix.arrivals(), Arrivals::Gap(&Distribution::Constant(10_000_000)));
    assert_eq!(group("preset = 'surge'\nname = 'mine'").name, "mine");
}

#[test]
fn every_refusal_names_field_value_and_expectation() {
    let size = "{ kind = 'pareto', shape = 1.2, mean = '6packets' }";
    let cases = r#"
                                                    | traffic[0].model: missing | one of long, sessions, mix, request-response, udp, list (or a preset)
        model = 'ftp'                               | traffic[0].model: "ftp"   | one of long
        model = 'mixx'                              | traffic[0].model: "mixx"  | (did you mean mix?)
        modle = 'mix'                               | traffic[0].modle: "mix"   | a known key (did you mean model?)
        model = 'mix'\nsize = '1kB'\narivals = '1s' | traffic[0].arivals: "1s"  | did you mean arrivals?
        model = 'mix'\nshare = 0.1\nsize = { kind = 'paretto', shape = 1.2, mean = '6packets' } | traffic[0].size.kind: "paretto" | (did you mean pareto?)
        preset = 'leith2008'                        | traffic[0].preset: "leith2008" | did you mean leith2007?
        preset = 3                                  | traffic[0].preset: 3      | the name of a preset
        model = 'long'\nflows = 0                   | traffic[0].flows: 0       | a whole number from 1
        model = 'long'\ncc = 'cubik'                | traffic[0].cc: "cubik"    | the name of an algorithm
        model = 'long'\ncc = 'cubic'\nbeta = 2      | traffic[0].beta: 2        | a decimal from
        model = 'long'\ncc = 'cubic'\nbta = 0.8     | traffic[0].bta: 0.8       | did you mean beta?
        model = 'long'\ncc = 'cubic@beta=2'         | traffic[0].beta: 2        | a decimal from
        model = 'long'\ncc = 'cubic:2@beta=0.8'     | traffic[0].cc: "cubic:2@beta=0.8" | without a count
        model = 'long'\ncc = 'cubic@beta=0.8'\nbeta = 0.7 | traffic[0].cc: "cubic@beta=0.8" | beta once, not twice
        model = 'long'\nhost = 'linx'               | traffic[0].host: "linx"   | did you mean linux?
        model = 'long'\nrwnd = 10                   | traffic[0].rwnd: 10       | one of the keys
        model = 'long'\nstack = 'quinn'             | traffic[0].stack: "quinn" | one of the keys
        model = 'long'\ncc = 'sack'\ngso = true     | traffic[0].gso: true      | recovery = "linux"
        model = 'long'\ndirection = 'up'            | traffic[0].direction: "up" | forward, reverse or both
        model = 'long'\nstart = '100s'              | traffic[0].start: "100s"  | a time before the end (100s)
        model = 'long'\nstart = { poisson = '0s' }  | traffic[0].start          | poisson
        model = 'long'\nstart = { every = '1s', form = '0s' } | traffic[0].start          | every
        model = 'long'\nwindow = '1kB'              | traffic[0].window: "1kB"  | at least one packet's payload, 1448B
        model = 'long'\nshare = 0.1                 | traffic[0].share: 0.1     | one of the keys preset
        model = 'long'\nrtt = '40'                  | traffic[0].rtt: "40"      | a time with its unit, such as 40ms, or a distribution
        model = 'sessions'\nsessions = 0            | traffic[0].sessions: 0    | from 1 to 1000000
        model = 'sessions'\nsize = 6                | traffic[0].size: 6        | a size with its unit (B, kB, MB, GB, packets)
        model = 'sessions'\nsize = '1.0001pkts'     | traffic[0].size           | a size with its unit
        model = 'sessions'\nobjects = 1.5           | traffic[0].objects: 1.5   | a whole number
        model = 'sessions'\ngap_from = 'end'        | traffic[0].gap_from: "end" | start or finish
        model = 'sessions'\ngap = '0s'\ngap_from = 'start' | traffic[0].gap: "0s"      | above 0, because
        model = 'sessions'\nkeep = true\ngap_from = 'start' | traffic[0].keep: true     | separate connections
        model = 'mix'\nshare = 0.1                  | traffic[0].size: missing  | or a distribution
        model = 'mix'\nsize = '1kB'                 | traffic[0].share: missing | or arrivals
        model = 'mix'\nsize = '1kB'\nshare = 0.1\narrivals = '1s' | traffic[0].arrivals: "1s" | not both
        model = 'mix'\nsize = '1kB'\nshare = 0      | traffic[0].share: 0       | a number from 0.000001 to 10
        model = 'mix'\nsize = '1kB'\nshare = '10%'  | traffic[0].share: "10%"   | a number from
        model = 'mix'\nsize = '1kB'\narrivals = '0s' | traffic[0].arrivals: "0s" | above 0
        model = 'mix'\nshare = 0.1\nsize = { kind = 'pareto', shape = 0.9, minimum = '1kB' } | traffic[0].size: {"kind":"pareto","shape":0.9 | a finite mean, which share needs: a shape above 1, or at_most
        model = 'request-response'\nrequest = '1kB' | traffic[0].response: missing | or a distribution
        model = 'udp'                               | traffic[0].rate: missing  | a rate above 0
        model = 'udp'\nrate = '1Mbit/s'\npacket_size = '20B' | traffic[0].packet_size    | from 28B to 64kB
        model = 'udp'\nrate = '1Mbit/s'\non = '1s'  | traffic[0].off: missing   | pauses between
        model = 'udp'\nrate = '1Mbit/s'\noff = '1s' | traffic[0].on: missing    | bursts between
        model = 'udp'\nrate = '1Mbit/s'\nhost = 'linux' | traffic[0].host: "linux"  | datagrams have none
        model = 'udp'\nrate = '1Mbit/s'\ncc = 'cubic' | traffic[0].cc: "cubic"    | datagrams have none
    "#;
    for [keys, subject, expectation] in crate::table(cases) {
        crate::check_refusal(&groups(keys).expect_err(keys).to_string(), subject, expectation, keys);
    }
    assert!(groups(&format!("model = 'sessions'\nsize = {size}")).is_ok());
}

#[test]
fn every_refused_distribution_says_which_number_is_wrong() {
    let cases = r#"
        { mean = '1s' }                                                    | gap.kind: missing  | one of exponential, pareto
        { kind = 'normal' }                                                | gap.kind: "normal" | one of exponential
        { kind = 'exponential' }                                           | gap.mean: missing  | the mean of exponential
        { kind = 'exponential', mean = '0s' }                              | gap.mean: "0s"     | above 0
        { kind = 'exponential', mean = '1s', shape = 1 }                   | gap.shape: 1       | one of the keys
        { kind = 'pareto', mean = '1s' }                                   | gap.shape: missing | the shape of pareto
        { kind = 'pareto', shape = 1.2 }                                   | gap.mean: missing  | or its minimum
        { kind = 'pareto', shape = 1.2, mean = '1s', minimum = '1s' }      | gap.minimum: "1s"  | not both
        { kind = 'pareto', shape = 1, mean = '1s' }                        | gap.shape: 1       | above 1 with a mean
        { kind = 'pareto', shape = 0, minimum = '1s' }                     | gap.shape: 0       | a number from 0.1 to 100
        { kind = 'pareto', shape = 1.2000001, minimum = '1s' }             | gap.shape          | at most six decimals
        { kind = 'pareto', shape = 1.2, minimum = '1s', at_most = '1s' }   | gap.at_most: "1s"  | above "1s"
        { kind = 'pareto', shape = 1.2, minimum = '1s', at_least = '1s' }  | gap.at_least: "1s" | minimum is its lower bound
        { kind = 'lognormal', median = '1s' }                              | gap.sigma: missing | the sigma of lognormal
        { kind = 'weibull', scale = '1s', shape = 'x' }                    | gap.shape: "x"     | a number from 0.1
        { kind = 'exponential', mean = '1s', at_least = '2s' }             | gap.at_least: "2s" | at most "1s"
        { kind = 'exponential', mean = '1s', at_most = '500ms' }           | gap.at_most: "500ms" | above "1s"
        { kind = 'uniform', min = '2s', max = '1s' }                       | gap.max: "1s"      | not below min
        { kind = 'uniform', max = '1s' }                                   | gap.min: missing   | a time
        { kind = 'body-tail', median = '1s', sigma = 1, tail_from = '1s' } | gap.tail_from: "1s" | above median
        { kind = 'empirical' }                                             | gap.file: missing  | points = [[value, probability], ...]
        { kind = 'empirical', points = [] }                                | gap.points: missing | at least one point
        { kind = 'empirical', points = [['1s', 0.5]] }                     | gap.points: a last probability of 0.5 | of 1
        { kind = 'empirical', points = [['1s', 0.5], ['1s']] }             | gap.points: ["1s"] | probability], ...]
        { kind = 'empirical', points = [['2s', 0.5], ['1s', 1]] }          | gap.points: ["1s",1] | do not decrease
        { kind = 'empirical', file = 'x', points = [] }                    | gap.points: []     | not both
        { kind = 'empirical', file = 'x' }                                 | gap.unit: missing  | ns, us, ms, s, min
        { kind = 'empirical', file = 'no such file', unit = 's' }          | gap.file: "no such file" | a file that can be read
    "#;
    for [gap, subject, expectation] in crate::table(cases) {
        let message = groups(&format!("model = 'sessions'\ngap = {gap}")).expect_err(gap).to_string();
        crate::check_refusal(&message, &format!("traffic[0].{subject}"), expectation, gap);
    }
}

// A file in packets; what is written holds its points in bytes, so it no longer needs the file.
#[test]
fn a_file_of_points_is_read_and_written_out() {
    let sizes = "size = { kind = 'empirical', file = 'sizes.csv', unit = 'packets' }";
    let text = format!("{SCENARIO}[[traffic]]\nmodel = 'sessions'\n{sizes}\n");
    let with_file = |points: &str| Scenario::from_toml_with(&text, &|_| Ok(points.into()));
    let message =
        with_file("packets,probability\n1,0.15\n6,0.5\n1e2,1\n").expect_err("1e2 is no plain decimal");
    let message = message.to_string();
    assert!(message.starts_with("traffic[0].size.file, line 4: \"1e2,1\""), "{message}");
    let once = with_file("packets,probability\n1,0.15\n6,0.5\n100,1\n").expect("good").traffic.remove(0);
    let Model::Sessions(web) = &once.model else { panic!("sessions") };
    let Distribution::Empirical(cdf) = &web.size else { panic!("{:?}", web.size) };
    let certain = cwnd_traffic::CERTAIN;
    assert_eq!(cdf.points(), [(1448, certain / 100 * 15), (8688, certain / 2), (144_800, certain)]);
    let written = to_toml(std::slice::from_ref(&once));
    assert_eq!(read(&written, &CONTEXT), Ok(vec![once]), "{written}");
}

const SCENARIO: &str =
    "duration = '100s'\n[link]\nrate = '400Mbit/s'\nrtt = '40ms'\n[[flow]]\ncc = 'cubic'\n";

#[test]
fn a_scenario_holds_its_traffic_and_reads_back() {
    let whole = |keys: &str| Scenario::from_toml(&format!("{SCENARIO}[[traffic]]\n{keys}\n"));
    let scenario = whole("preset = 'ha2008'").expect("good");
    assert_eq!((scenario.traffic.len(), scenario.traffic[0].name.as_str()), (1, "ha2008"));
    assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario.clone()));
    assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario));
    let refusal = |keys: &str| whole(keys).expect_err(keys).to_string();
    assert!(refusal("preset = 'ha2007'").starts_with("traffic[0].preset: \"ha2007\""));
    assert!(refusal("model = 'long'\nstart = '100s'").starts_with("traffic[0].start: \"100s\""));
    assert!(Scenario::from_toml(&format!("traffic = []\n{SCENARIO}")).is_ok());
    let message = Scenario::from_toml(&format!("traffic = 3\n{SCENARIO}")).expect_err("no list").to_string();
    assert!(message.starts_with("traffic: 3"), "{message}");
}
