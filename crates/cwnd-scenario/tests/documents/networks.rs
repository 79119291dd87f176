// SPDX-License-Identifier: MIT OR Apache-2.0
//! Networks, routes and actions: what is read, what it means, what is written.

use cwnd_link::{
    CodelConfig, Discipline, HeadDiscipline, Jitter, Limit, Loss, Rate, ServerConfig, Steps, Tick,
};
use cwnd_scenario::{AccessLink, ActionKind, Buffer, FlowAction, LinkDelay, LinkRate, RouteSpec, Scenario};

const MS: u64 = 1_000_000;
const S: u64 = 1000 * MS;

/// The scenario, which reads back from TOML and JSON.
fn good(text: &str) -> Scenario {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|invalid| panic!("{invalid}\n{text}"));
    let written = scenario.to_toml();
    assert_eq!(Scenario::from_toml(&written).as_ref(), Ok(&scenario), "{written}");
    assert_eq!(Scenario::from_json(&scenario.to_json()).as_ref(), Ok(&scenario), "{written}");
    scenario
}

fn dumbbell(link: &str, rest: &str) -> Scenario {
    good(&format!(
        "duration = '60s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n{link}\n[[flow]]\ncc = 'cubic'\n{rest}"
    ))
}

fn parking_lot(keys: &str, flows: &str) -> Scenario {
    good(&format!(
        "duration = '60s'\n[parking_lot]\nrate = '10Mbit/s'\ndelay = '5ms'\nhops = 3\n{keys}\n{flows}"
    ))
}

#[test]
fn a_link_ticks_and_counts_the_packet_in_service_as_it_is_told() {
    let keys = |limit: &str| {
        format!(
            "count_in_service = true\ntick = '1ms'\nqueue = {{ kind = 'droptail', limit = '{limit}' }}\nreverse = true"
        )
    };
    let limit = |scenario: &Scenario, number: usize| match &scenario.link_configs()[number].server {
        ServerConfig::Fifo(fifo, _) => fifo.limit.first(),
        ServerConfig::Head(_) | ServerConfig::NoRate(_) => panic!("DropTail"),
    };
    let scenario = dumbbell(&keys("9packets"), "");
    for number in [0, 1] {
        // The reverse link is the same machine's.
        assert_eq!((scenario.links[number].tick, scenario.links[number].count_in_service), (Some(MS), true));
        assert_eq!(scenario.link_configs()[number].tick, Some(Tick::every(MS)));
        assert_eq!(limit(&scenario, number), Limit::Packets(8));
    }
    assert_eq!(limit(&dumbbell(&keys("1packets"), ""), 0), Limit::Packets(0));
    assert_eq!(limit(&dumbbell(&keys("9kB"), ""), 0), Limit::BytesInAll(9000));
    let plain = dumbbell("", "");
    assert_eq!((plain.links[0].tick, plain.links[0].count_in_service), (None, false));
    assert!(!plain.to_toml().contains("tick") && !plain.to_toml().contains("count_in_service"));
    let lot = parking_lot("tick = '10ms'", "[[flow]]\ncc = 'reno'\nfrom = 'n0'\nto = 'n3'");
    assert!(lot.links.iter().all(|link| link.tick == Some(10 * MS)));
}

#[test]
fn a_link_disturbs_its_packets_as_it_is_told() {
    let keys = "delay = '3ms'\nreorder = { share = 0.25, extra = '10ms' }\n";
    let scenario = dumbbell(&format!("{keys}jitter = '5ms'"), "");
    let link = &scenario.links[0];
    assert_eq!(
        (link.delay.clone(), link.jitter.delay, link.jitter.overtaking),
        (LinkDelay { first: 3 * MS, series: None }, Jitter::Uniform { most: 5 * MS }, false)
    );
    let reorder = link.reorder.expect("given");
    assert_eq!((reorder.share, reorder.extra), (1 << 62, 10 * MS));
    for (written, expected) in [
        ("{ kind = 'uniform', max = '5ms' }", (Jitter::Uniform { most: 5 * MS }, false)),
        (
            "{ kind = 'normal', mean = '2ms', sd = '1ms', overtaking = true }",
            (Jitter::Normal { mean: 2 * MS, sd: MS }, true),
        ),
        (
            "{ kind = 'exponential', mean = '1ms', overtaking = false }",
            (Jitter::Exponential { mean: MS }, false),
        ),
        ("{ kind = 'none', overtaking = true }", (Jitter::None, true)),
    ] {
        let link = &dumbbell(&format!("jitter = {written}"), "").links[0];
        assert_eq!((link.jitter.delay, link.jitter.overtaking), expected, "{written}");
    }
}

#[test]
fn a_rate_follows_steps_or_a_trace() {
    let text = |rate: &str| {
        format!("duration = '60s'\nlink = {{ rtt = '40ms', rate = {rate} }}\n[[flow]]\ncc = 'cubic'")
    };
    let rate = |rate: &str| good(&text(rate)).links[0].rate.clone().expect("a rate");
    let steps = "[['0s', '10Mbit/s'], ['10s', '0bit/s'], ['11s', '5Mbit/s']]";
    let expected = LinkRate::Steps(10_000_000, vec![(10 * S, 0), (11 * S, 5_000_000)]);
    assert_eq!(rate(steps), expected);
    assert_eq!(expected.nominal(), 10_000_000);
    assert_eq!(rate("[['0s', '7Mbit/s']]"), LinkRate::Constant(7_000_000));

    // Three opportunities of 1500 bytes in 4 ms: 9 Mbit/s.
    let traced =
        |trace: &str| Scenario::from_toml_with(&text("{ trace = 'a.trace' }"), &|_| Ok(trace.into()));
    let traced_rate = traced("1\n1\n4\n").expect("a trace").links[0].rate.clone().expect("a rate");
    assert!(
        matches!(&traced_rate, LinkRate::Trace(trace, file) if trace.opportunities() == 3 && file == "a.trace")
    );
    assert_eq!(traced_rate.nominal(), 9_000_000);
    let message = traced("1\nx\n").expect_err("x").to_string();
    assert!(
        message.starts_with("link.rate.trace, line 2: \"x\" is not accepted; expected a whole"),
        "{message}"
    );
}

#[test]
fn a_dumbbells_way_back_is_like_the_way_there_unless_it_says_otherwise() {
    let scenario = dumbbell("delay = '5ms'\nloss = 'every:9'\njitter = '1ms'\nreverse = true", "");
    let [forward, reverse] = &scenario.links[..] else { panic!("two links") };
    assert_eq!((&*forward.name, &*reverse.name), ("link", "reverse"));
    assert_eq!((&reverse.rate, reverse.delay.first, reverse.rtt), (&forward.rate, 5 * MS, 40 * MS));
    assert_eq!(reverse.queue, forward.queue);
    assert_eq!((&reverse.loss, reverse.jitter.delay), (&Loss::None, Jitter::None));
    let flow = &scenario.expand()[0];
    assert_eq!((&flow.path[..], &flow.reverse_path[..], flow.rtt), (&[0][..], &[1][..], 40 * MS));

    let reverse = "reverse = { rate = '1Mbit/s', loss = 'random:0.1', queue = { kind = 'droptail', limit = '9packets' } }";
    let scenario = dumbbell(&format!("delay = '5ms'\n{reverse}"), "");
    let reverse = &scenario.links[1];
    assert_eq!(reverse.rate, Some(LinkRate::Constant(1_000_000)));
    assert_eq!(reverse.queue.as_ref().map(|queue| queue.limit), Some(Buffer::Packets(9)));
    assert!(matches!(reverse.loss, Loss::Random(_)) && reverse.delay.first == 5 * MS);
    assert_eq!(dumbbell("reverse = false", "").links.len(), 1);
}

#[test]
fn who_sends_in_reverse_makes_the_way_back_a_link() {
    let flow = dumbbell("", "direction = 'reverse'");
    assert_eq!(flow.dumbbell.and_then(|ways| ways.reverse), Some(1));
    assert_eq!((&flow.expand()[0].path[..], &flow.expand()[0].reverse_path[..]), (&[1][..], &[0][..]));
    for (keys, links) in [
        ("model = 'long'", 1),
        ("model = 'long'\ndirection = 'both'", 2),
        ("model = 'udp'\nrate = '1Mbit/s'\ndirection = 'reverse'", 2),
        // Its requests go against its responses.
        ("model = 'request-response'\nrequest = '1kB'\nresponse = '1MB'", 2),
    ] {
        assert_eq!(dumbbell("", &format!("[[traffic]]\n{keys}")).links.len(), links, "{keys}");
    }
}

#[test]
fn a_parking_lot_is_a_row_of_links() {
    let scenario = parking_lot(
        "reverse = { rate = '1Mbit/s' }",
        "[[flow]]\ncc = 'cubic'\nfrom = 'n0'\nto = 'n3'\n[[flow]]\ncc = 'reno'\npath = ['hop2']\nback = []\n",
    );
    let named: Vec<_> = scenario.links.iter().map(|l| (&*l.name, &*l.from, &*l.to)).collect();
    assert_eq!(named[..2], [("hop1", "n0", "n1"), ("hop2", "n1", "n2")]);
    assert_eq!(named[2..4], [("hop3", "n2", "n3"), ("back1", "n1", "n0")]);
    assert_eq!(named[4..], [("back2", "n2", "n1"), ("back3", "n3", "n2")]);
    assert_eq!(scenario.links[5].rate, Some(LinkRate::Constant(1_000_000)));
    let flows = scenario.expand();
    assert_eq!((&flows[0].path[..], &flows[0].reverse_path[..]), (&[0, 1, 2][..], &[5, 4, 3][..]));
    assert_eq!((&flows[1].path[..], &flows[1].reverse_path[..]), (&[1][..], &[][..]));
    // Three links of 5 ms, forward and reverse; a reverse path without links has the delay of the forward path.
    assert_eq!((flows[0].rtt, flows[1].rtt), (30 * MS, 10 * MS));
    assert!(scenario.to_toml().contains("[[link]]") && !scenario.to_toml().contains("parking_lot"));
}

// 10 Mbit/s × 30 ms = 300 kbit = 25 packets of 1500 bytes; × 10 ms: 8.3.
#[test]
fn a_links_bdp_is_for_the_longest_round_trip_of_the_flows_that_cross_it() {
    let flows =
        "[[flow]]\ncc = 'cubic'\nfrom = 'n0'\nto = 'n3'\n[[flow]]\ncc = 'reno'\nfrom = 'n1'\nto = 'n2'\n";
    let limits = |scenario: &Scenario| {
        let limit = |l: &cwnd_scenario::LinkSpec| (l.rtt / MS, l.threshold(crate::limit_of(l), 1500));
        scenario.links.iter().map(limit).collect::<Vec<_>>()
    };
    assert_eq!(limits(&parking_lot("", flows)), [(30, Limit::Packets(25)); 3]);
    let longer = flows.replace("cc = 'reno'", "cc = 'reno'\nrtt = '60ms'");
    let expected = [(30, Limit::Packets(25)), (60, Limit::Packets(50)), (30, Limit::Packets(25))];
    assert_eq!(limits(&parking_lot("", &longer)), expected);
    assert_eq!(limits(&parking_lot("rtt = '120ms'", &longer)), [(120, Limit::Packets(100)); 3]);
    let short = "[[flow]]\ncc = 'cubic'\nfrom = 'n0'\nto = 'n1'";
    // Nobody crosses the others: twice their own delay.
    assert_eq!(limits(&parking_lot("", short)), [(10, Limit::Packets(8)); 3]);
}

#[test]
fn a_flow_takes_the_fewest_links_or_those_that_it_names() {
    let link = |from: &str, to: &str| {
        format!("[[link]]\nfrom = '{from}'\nto = '{to}'\nrate = '10Mbit/s'\ndelay = '10ms'\n")
    };
    let links: String =
        [link("a", "b"), link("b", "c"), link("a", "x"), link("x", "b"), link("c", "a")].concat();
    let flow = |keys: &str| {
        let scenario =
            good(&format!("duration = '9s'\npacket_size = '1000B'\n{links}[[flow]]\ncc = 'cubic'\n{keys}"));
        assert_eq!(scenario.packet_size, 1000);
        (scenario.expand().remove(0), scenario.flows[0].route.clone())
    };
    let (resolved, route) = flow("from = 'a'\nto = 'c'");
    assert_eq!(
        (resolved.path.to_vec(), resolved.reverse_path.to_vec(), resolved.rtt),
        (vec![0, 1], vec![4], 30 * MS)
    );
    assert_eq!(route, RouteSpec::Ends("a".into(), "c".into()));
    let (resolved, route) = flow("path = ['a-x', 'x-b', 'b-c']");
    assert_eq!(
        (resolved.path.to_vec(), resolved.reverse_path.to_vec(), resolved.rtt),
        (vec![2, 3, 1], vec![4], 40 * MS)
    );
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(route, RouteSpec::Links(names(&["a-x", "x-b", "b-c"]), names(&["c-a"])));
    let (resolved, _) = flow("path = ['a-b']\nback = ['b-c', 'c-a']\naccess_delay = '5ms'");
    assert_eq!(
        (resolved.path.to_vec(), resolved.reverse_path.to_vec(), resolved.rtt),
        (vec![0], vec![1, 4], 40 * MS)
    );
}

#[test]
fn what_limits_a_sender_is_read() {
    let keys = "access_delay = '2ms'\npacing = true\nburst = 4\nsize = '10packets'\napp_rate = '3Mbit/s'\nidle_restart = false\n";
    for (access, limit) in [
        ("'20Mbit/s'", 1000),
        ("{ rate = '20Mbit/s' }", 1000),
        ("{ rate = '20Mbit/s', queue = '50packets' }", 50),
        ("{ rate = '20Mbit/s', queue = '15kB' }", 10),
        ("{ rate = '20Mbit/s', queue = '6ms' }", 10), // 120 kbit
    ] {
        let scenario = dumbbell("", &format!("{keys}access = {access}"));
        let group = &scenario.flows[0];
        assert_eq!(group.access, Some(AccessLink { rate: 20_000_000, queue: limit }), "{access}");
        assert_eq!((group.access_delay, group.pacing, group.burst), (2 * MS, true, Some(4)));
        // Ten payloads of 1448 bytes.
        assert_eq!((group.size, group.app_rate, group.idle_restart), (Some(14_480), Some(3_000_000), false));
    }
    let group = &dumbbell("", "").flows[0];
    assert_eq!((group.access, group.access_delay, group.pacing, group.burst), (None, 0, false, None));
    assert_eq!((group.size, group.app_rate, group.idle_restart), (None, None, true));
}

const ACTIONS: &str = "count = 2
[[flow]]
cc = 'reno'
[[action]]
switch = { flow = 'cubic 2', at = '20s', cc = 'cubic', beta = 0.8, fast_convergence = false }
[[action]]
stop = { flow = 'cubic', at = '30s' }
[[action]]
rate = { link = 'link', at = '10s', to = '0bit/s' }
[[action]]
rate = { at = '11s', to = '5Mbit/s' }
[[action]]
delay = { link = 'link', at = '12s', to = '8ms' }
[[action]]
buffer = { link = 'link', at = '13s', to = '2bdp' }
[[action]]
start = { flow = 'reno', at = '10s' }
";

#[test]
fn actions_are_in_the_order_of_time_and_name_flows_or_all_of_an_algorithm() {
    let scenario = dumbbell("", ACTIONS);
    let times: Vec<u64> = scenario.actions.iter().map(|action| action.at / S).collect();
    assert_eq!(times, [10, 10, 11, 12, 13, 20, 30]);
    // Of two at one time the one written first.
    assert_eq!(scenario.actions[0].what, ActionKind::Rate("link".into(), 0));
    let actions = scenario.flow_actions();
    let seen: Vec<(u64, u32)> = actions.iter().map(|(at, flow, _)| (at / S, *flow)).collect();
    assert_eq!(seen, [(10, 2), (20, 1), (30, 0), (30, 1)]);
    assert_eq!((&actions[0].2, &actions[3].2), (&FlowAction::Start, &FlowAction::Stop));
    let params =
        vec![("beta".to_owned(), "0.8".to_owned()), ("fast_convergence".to_owned(), "false".to_owned())];
    assert_eq!(actions[1].2, FlowAction::Switch("cubic".into(), params));
    assert!(actions[1].2.controller().is_some() && actions[0].2.controller().is_none());
}

#[test]
fn actions_on_links_are_steps_of_what_the_link_is_made_of() {
    let link = dumbbell("", ACTIONS).link_configs().remove(0);
    let ServerConfig::Fifo(fifo, _) = &link.server else { panic!("DropTail") };
    let Rate::Steps(rate) = &fifo.rate else { panic!("steps") };
    assert_eq!((rate.first(), rate.changes()), (10_000_000, &[(10 * S, 0), (11 * S, 5_000_000)][..]));
    assert_eq!(link.delay.0.propagation.changes(), [(12 * S, 8 * MS)]);
    // 10 Mbit/s × 40 ms: 33 packets; twice that, 66.7.
    let limit = &fifo.limit;
    assert_eq!((limit.first(), limit.changes()), (Limit::Packets(33), &[(13 * S, Limit::Packets(66))][..]));
}

#[test]
fn traffic_alone_is_a_scenario() {
    let text = "duration = '60s'\n[link]\nrate = '10Mbit/s'\nrtt = '0s'\nqueue = { kind = 'droptail', limit = '9packets' }\n[[traffic]]\nmodel = 'udp'\nrate = '5Mbit/s'\n";
    assert!(good(text).expand().is_empty());
}

// RFC 8289 §4.3 and §4.2: a target of 5 ms, an interval of 100 ms. A full packet is that of the scenario.
#[test]
fn codels_defaults_are_those_of_its_rfc_and_are_written_out() {
    let with = |keys: &str| {
        let queue = format!("queue = {{ kind = 'codel', limit = '90packets'{keys} }}");
        good(&format!(
            "duration = '60s'\npacket_size = '1000B'\n[link]\nrate = '9Mbit/s'\nrtt = '1s'\n{queue}\n[[flow]]\ncc = 'cubic'"
        ))
    };
    for (keys, target, interval) in
        [("", 5 * MS, 100 * MS), (", target = '1ms'", MS, 100 * MS), (", interval = '1s'", 5 * MS, S)]
    {
        let scenario = with(keys);
        let ServerConfig::Head(queue) = scenario.link_configs().remove(0).server else { panic!("{keys}") };
        assert_eq!(
            (queue.rate, queue.limit.first()),
            (Rate::Steps(Steps::constant(9_000_000)), Limit::Packets(90))
        );
        assert_eq!(
            queue.discipline,
            HeadDiscipline::Codel(CodelConfig { target, interval, ecn: false, mtu: 1000 })
        );
        assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario));
    }
    assert!(with("").to_toml().contains("target = \"5ms\""), "{}", with("").to_toml());
}

#[test]
fn red_is_checked_against_the_rtt_that_a_graph_gives() {
    let red = "queue = { kind = 'red', limit = '1bdp', min = '10packets', max = '0.5bdp' }";
    let flow = "[[flow]]\ncc = 'cubic'\nfrom = 'n0'\nto = 'n3'\n";
    let scenario = parking_lot(red, flow); // half of 25
    let queue = scenario.links[2].queue.as_ref().expect("a queue");
    assert_eq!(queue.discipline.discipline, Discipline::Red);
    let text =
        format!("duration = '60s'\n[parking_lot]\nrate = '10Mbit/s'\ndelay = '5ms'\nhops = 3\n{red}\n{flow}");
    let message = Scenario::from_toml(&text.replace("'n3'", "'n1'")).expect_err("4 packets").to_string();
    assert_eq!(
        message,
        "parking_lot.queue.max: \"0.5bdp\" is not accepted; expected more than min, which is 10 packets; this is 4 packets"
    );
}

// 0.1 BDP and times refer to the first rate above 0: 8 Mbit/s × 40 ms are 40 000 bytes, 26 packets.
#[test]
fn a_link_may_begin_with_an_outage() {
    let text = |rate: &str| {
        format!("duration = '60s'\nlink = {{ rtt = '40ms', rate = {rate} }}\n[[flow]]\ncc = 'cubic'")
    };
    let scenario = good(&text("[['0s', '0bit/s'], ['1s', '8Mbit/s'], ['2s', '0bit/s']]"));
    let link = &scenario.links[0];
    let expected = LinkRate::Steps(0, vec![(S, 8_000_000), (2 * S, 0)]);
    assert_eq!((expected.nominal(), link.bdp_packets(1500)), (8_000_000, Some(26)));
    assert_eq!(link.rate, Some(expected));
    assert_eq!(good(&scenario.to_toml()), scenario);
    let never = Scenario::from_toml(&text("[['0s', '0bit/s'], ['1s', '0.0bit/s']]"))
        .expect_err("no rate")
        .to_string();
    assert_eq!(
        never,
        "link.rate: 2 steps of 0bit/s is not accepted; expected a rate above 0 in at least one step"
    );
}

#[test]
fn rates_and_times_are_rounded_to_the_unit_wherever_they_are() {
    let text = "duration = '10.00000000049s'
        link = { rtt = '40.1234567ms', delay = '0.2345678ms', rate = [['0s', '4.18Mbit/s'], ['1.0000000004s', '1.2345678Mbit/s']], queue = { kind = 'droptail', limit = '2.0000001kB' } }
        [[flow]]
        cc = 'cubic'
        size = '0.33335MB'
        app_rate = '0.1234567Mbit/s'
        [[action]]
        rate = { at = '2s', to = '1.2345kbit/s' }";
    let scenario = good(text);
    let link = &scenario.links[0];
    assert_eq!(scenario.duration, 10 * S);
    assert_eq!((link.rtt, link.delay.first), (40_123_457, 234_568));
    assert_eq!(link.rate, Some(LinkRate::Steps(4_180_000, vec![(S, 1_234_568)])));
    assert_eq!(crate::limit_of(link), Buffer::Bytes(2000));
    assert_eq!((scenario.flows[0].size, scenario.flows[0].app_rate), (Some(333_350), Some(123_457)));
    assert!(matches!(scenario.actions[0].what, ActionKind::Rate(_, 1235)));
    assert_eq!(good(&scenario.to_toml()), scenario);
}

#[test]
fn a_queue_may_have_no_limit_and_drop_at_its_head() {
    let text = |queue: &str| {
        format!(
            "duration = '60s'\nlink = {{ rtt = '0s', rate = '8Mbit/s', queue = {queue} }}\n[[flow]]\ncc = 'cubic'\n[[action]]\nbuffer = {{ at = '1s', to = 'infinite' }}"
        )
    };
    for kind in ["droptail", "codel", "drop-head"] {
        let scenario = good(&text(&format!("{{ kind = '{kind}', limit = 'infinite' }}")));
        let queue = scenario.links[0].queue.as_ref().expect("a queue");
        assert_eq!((queue.limit, queue.discipline.discipline.name()), (Buffer::Infinite, kind));
        assert!(matches!(scenario.actions[0].what, ActionKind::Buffer(_, Buffer::Infinite)));
        assert_eq!(good(&scenario.to_toml()), scenario);
    }
    let red = text("{ kind = 'red', limit = '99packets', min = 'infinite', max = '50packets' }");
    let message = Scenario::from_toml(&red).expect_err("no threshold").to_string();
    assert!(message.starts_with("link.queue.min: \"infinite\" is not accepted"), "{message}");
}
