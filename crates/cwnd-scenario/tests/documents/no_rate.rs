// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links without a rate: how a document has them, what is written, and what is refused because there is no rate.

use cwnd_link::ServerConfig;
use cwnd_scenario::Scenario;

/// A dumbbell with these keys of its link, flow, and more.
fn dumbbell(link: &str, flow: &str) -> String {
    format!("duration = '9s'\n[link]\nrtt = '40ms'\n{link}\n[[flow]]\ncc = 'cubic'\n{flow}\n")
}

fn refusal(text: &str) -> String {
    match Scenario::from_toml(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(invalid) => invalid.to_string(),
    }
}

#[test]
fn a_link_without_the_key_or_with_none_has_no_rate_and_reads_back() {
    let scenarios: Vec<Scenario> = ["", "rate = 'none'"]
        .map(|rate| Scenario::from_toml(&dumbbell(rate, "rwnd = 10")).expect("good"))
        .into();
    assert_eq!(scenarios[0], scenarios[1]);
    let scenario = &scenarios[0];
    let link = scenario.bottleneck();
    assert!(link.rate.is_none() && link.queue.is_none() && link.bdp_packets(1500).is_none());
    assert!(matches!(scenario.link_configs()[0].server, ServerConfig::NoRate(None)));
    assert_eq!(Scenario::from_toml(&scenario.to_toml()).as_ref(), Ok(scenario));
    assert_eq!(Scenario::from_json(&scenario.to_json()).as_ref(), Ok(scenario));
}

// A reverse path has the forward link's rate, or none, or one of its own; each is written so that it reads back.
#[test]
fn either_direction_may_have_a_rate() {
    for (link, rates) in [
        ("rate = '9Mbit/s'\nreverse = { rate = 'none' }", [true, false]),
        ("rate = '9Mbit/s'\ncount_in_service = true\nreverse = { rate = 'none' }", [true, false]),
        ("reverse = { rate = '1Mbit/s' }", [false, true]),
        ("delay_limit = '30packets'\ndelay = '20ms'\nreverse = { rate = '1Mbit/s' }", [false, true]),
        ("delay_limit = '30packets'\ndelay = '20ms'\nreverse = true", [false, false]),
        ("reverse = true", [false, false]),
    ] {
        let scenario = Scenario::from_toml(&dumbbell(link, "rwnd = 10")).expect(link);
        let found: Vec<_> = scenario.links.iter().map(|link| link.rate.is_some()).collect();
        assert_eq!(found, rates, "{link}");
        assert!(scenario.links.iter().all(|link| link.rate.is_some() == link.queue.is_some()), "{link}");
        assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario), "{link}");
    }
    let [forward, reverse] =
        &Scenario::from_toml(&dumbbell("delay_limit = '30packets'\ndelay = '20ms'\nreverse = true", ""))
            .expect("good")
            .links[..]
    else {
        panic!("two links")
    };
    assert_eq!((forward.delay_limit, reverse.delay_limit), (Some(30), Some(30)));
}

#[test]
fn what_a_rate_is_needed_for_is_refused_in_one_line() {
    let cases = r#"
        rate = 'none'\nqueue = { kind = 'codel', limit = '1bdp' } | rwnd = 10                                 | link.queue: {"kind":"codel","limit":"1bdp"} is not accepted; expected no queue: a link without a rate has no queue
        queue = { kind = 'droptail', limit = '9packets' } | rwnd = 10                                 | link.rate: missing; expected a rate above 0
        count_in_service = true                    | rwnd = 10                                 | link.rate: missing; expected a rate above 0
        rate = '9Mbit/s'\ndelay_limit = '9packets' |                                           | link.delay_limit: "9packets" is not accepted; expected no delay_limit: a link with a rate has a queue
        delay_limit = '0packets'                   | rwnd = 10                                 | link.delay_limit: "0packets" is not accepted; expected packets, such as 300packets
                                                   | rwnd = 10\n[[action]]\nrate = { at = '1s', to = '1Mbit/s' } | action[0].rate.link: "link" is not accepted; expected a link that has a rate
                                                   | rwnd = 10\n[[action]]\nbuffer = { at = '1s', to = '9packets' } | action[0].buffer.link: "link" is not accepted; expected a link that has a queue
                                                   | rwnd = 10\n[[traffic]]\npreset = 'ha2008' | traffic[0].arrivals: missing; expected gaps instead of share: link has no rate
                                                   | rwnd = 10\n[[traffic]]\nmodel = 'long'    | traffic[0].window: missing; expected a receive window: no link on its path
    "#;
    for [link, flow, expected] in crate::table(cases) {
        crate::check_refusal(&refusal(&dumbbell(link, flow)), expected, "", link);
    }
}

// Its window doubles with each round trip: a run of it would take all memory, or never end.
#[test]
fn a_flow_over_no_rate_is_limited_by_something() {
    let missing = "flow[0].rwnd: missing; expected a receive window, or size or app_rate: no link on its path limits its window (by a rate, losses other than at:, or a delay_limit with a delay of that link)";
    for (link, flow) in [
        ("", ""),
        ("loss = 'at:5,9'", ""),
        // Packets that take no time are never many.
        ("delay_limit = '300packets'", ""),
        ("", "stop = '3s'"),
        ("", "initial_ssthresh = 20"),
        ("reverse = { rate = '1Mbit/s' }", ""),
    ] {
        assert!(refusal(&dumbbell(link, flow)).starts_with(missing), "{link} {flow}");
    }
    for (link, flow) in [
        ("", "rwnd = 10"),
        ("", "size = '1MB'"),
        ("", "app_rate = '1Mbit/s'"),
        ("", "access = { rate = '1Mbit/s' }"),
        ("", "stack = 'quinn'"),
        ("loss = 'random:0.01'", ""),
        ("delay = '20ms'\ndelay_limit = '300packets'", ""),
        ("netem = 'delay 20ms'", ""),
    ] {
        assert!(Scenario::from_toml(&dumbbell(link, flow)).is_ok(), "{link} {flow}");
    }
}

// Ten packets would be sent, acknowledged and sent again at one instant without end.
#[test]
fn a_round_trip_over_no_rate_takes_time_at_any_time() {
    let expected = |time: &str| format!("expected more than {time}, because no link on the path has a rate");
    let zero = expected("0s");
    let fall = expected("40ms, the decrease of delays on the path during the run");
    let text = "duration = '9s'\nlink = { rtt = '0s' }\n[[flow]]\ncc = 'cubic'\nrwnd = 10\n";
    assert_eq!(refusal(text), format!("flow[0].rtt: \"0s\" is not accepted; {zero}"));
    let falls = "rwnd = 10\n[[action]]\ndelay = { at = '1s', to = '0s' }";
    assert_eq!(
        refusal(&dumbbell("delay = '40ms'", falls)),
        format!("flow[0].rtt: \"40ms\" is not accepted; {fall}")
    );
    assert!(Scenario::from_toml(&dumbbell("delay = '39ms'", falls)).is_ok());
    assert!(Scenario::from_toml(&dumbbell("delay = '40ms'\njitter = '1ms'", falls)).is_ok());
    let instant =
        "rwnd = 10\n[[traffic]]\nmodel = 'sessions'\nsize = '1kB'\ngap = '0s'\nrtt = '0s'\nwindow = '9kB'";
    assert_eq!(refusal(&dumbbell("", instant)), format!("traffic[0].rtt: \"0s\" is not accepted; {zero}"));
    // What a round trip of 40 ms is longer than the link's delay stays when the delay goes; one that is shorter than the delay is the delay.
    let traffic = |rtt: &str, to: &str| {
        let flow = format!(
            "rwnd = 10\nrtt = '100ms'\n[[traffic]]\nmodel = 'sessions'\nsize = '1kB'\ngap = '0s'\nrtt = {rtt}\nwindow = '9kB'\n[[action]]\ndelay = {{ at = '1s', to = '{to}' }}"
        );
        dumbbell("delay = '40ms'", &flow)
    };
    let refused = format!("traffic[0].rtt: \"40ms\" is not accepted; {fall}");
    assert_eq!(refusal(&traffic("'40ms'", "0s")), refused);
    assert_eq!(refusal(&traffic("'10ms'", "0s")), refused);
    let exponential = "{ kind = 'exponential', mean = '10ms', at_most = '41ms' }";
    for (rtt, to) in
        [("'41ms'", "0s"), ("'100ms'", "0s"), ("'40ms'", "20ms"), ("'10ms'", "1ms"), (exponential, "0s")]
    {
        assert!(Scenario::from_toml(&traffic(rtt, to)).is_ok(), "{rtt} {to}");
    }
}

// 10 packets in 100 ms are 100 a second; of one loss in a hundred nothing is known but the largest window.
#[test]
fn what_a_run_may_cost_follows_from_windows() {
    let text = |flow: &str| {
        format!(
            "duration = '60s'\n[link]\nrtt = '100ms'\nloss = 'random:0.01'\n[[flow]]\ncc = 'cubic'\n{flow}\n"
        )
    };
    let packets = |flow: &str| {
        Scenario::from_toml(&text(flow)).map(|scenario| (scenario.packets_per_s(), scenario.cost().packets))
    };
    assert_eq!(packets("rwnd = 10"), Ok((100, 6000)));
    assert_eq!(packets("rwnd = 10\ncount = 3"), Ok((100, 18_000)));
    assert_eq!(packets("app_rate = '120kbit/s'"), Ok((10, 600)));
    assert_eq!(packets(""), Ok((7_415_230, 444_913_800)));
}
