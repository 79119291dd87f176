// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is refused of networks, routes and actions, and in which words.

use cwnd_scenario::Scenario;

const DUMBBELL: &str = "duration = '60s'
[link]
rate = '10Mbit/s'
rtt = '40ms'
[[flow]]
cc = 'cubic'
count = 2
";

const GRAPH: &str = "duration = '60s'
[[link]]
name = 'ab'
from = 'a'
to = 'b'
rate = '10Mbit/s'
delay = '10ms'
[[link]]
from = 'b'
to = 'c'
rate = '10Mbit/s'
delay = '10ms'
[[flow]]
cc = 'cubic'
from = 'a'
to = 'c'
";

const LOT: &str = "duration = '60s'
[parking_lot]
hops = 3
rate = '10Mbit/s'
delay = '5ms'
[[flow]]
cc = 'cubic'
from = 'n0'
to = 'n3'
";

fn message(text: &str) -> String {
    match Scenario::from_toml(text) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(invalid) => invalid.to_string(),
    }
}

/// Of each case the text to replace, what to put there, and how the refusal begins and goes on.
fn check(base: &str, cases: &'static str) {
    assert!(Scenario::from_toml(base).is_ok());
    for [from, to, subject, expectation] in crate::table(cases) {
        let text = base.replacen(from, to, 1);
        assert_ne!(text, base, "{from:?} occurs");
        crate::check_refusal(&message(&text), subject, expectation, to);
    }
}

#[test]
fn what_is_wrong_with_a_link_is_said() {
    let cases = r#"
        '10Mbit/s' | []                                 | link.rate: []                    | steps ([["0s", "10Mbit/s"], ...]), a trace
        '10Mbit/s' | [['1s', '1Mbit/s']]                | link.rate[0]: ["1s","1Mbit/s"]   | as the first step
        rtt = '40ms' | rtt = '40ms'\ntick = '0s'          | link.tick: "0s"                  | a time above 0 with its unit
        rtt = '40ms' | rtt = '40ms'\ntick = 1             | link.tick: 1                     | a time above 0 with its unit
        rtt = '40ms' | rtt = '40ms'\ncount_in_service = 1 | link.count_in_service: 1         | true or false
        '10Mbit/s' | [['0s', '0bit/s']]                 | link.rate: 1 steps of 0bit/s     | a rate above 0
        '10Mbit/s' | [['0s', '1Mbit/s'], ['0s', '2Mbit/s']] | link.rate[1]                     | [a time after 0s, a rate or
        '10Mbit/s' | [['0s', '1Mbit/s'], ['2s']]        | link.rate[1]: ["2s"]             | [a time after 0s
        '10Mbit/s' | { trace = 3 }                      | link.rate.trace: 3               | Mahimahi
        '10Mbit/s' | { trace = '/nowhere' }             | link.rate.trace: "/nowhere"      | a file that can be read
        '10Mbit/s' | { trac = 'x' }                     | link.rate.trac: "x"              | did you mean trace?
        rtt        | delay = '-1ms'\nrtt                | link.delay: "-1ms"               | a time with its unit
        rtt        | delay = '41ms'\nrtt                | link.rtt: "40ms"                 | at least 41ms, the delay of the link
        rtt        | delay = '21ms'\nreverse = true\nrtt | link.rtt: "40ms"                 | at least 42ms
        rtt        | jitter = '0ms'\nrtt                | link.jitter: "0ms"               | a time above 0
        rtt        | jitter = { kind = 'gamma' }\nrtt   | link.jitter.kind: "gamma"        | uniform, normal
        rtt        | jitter = { kind = 'normal', mean = '1ms' }\nrtt | link.jitter.sd: missing          | above 0
        rtt        | jitter = { kind = 'none', max = '1ms' }\nrtt | link.jitter.max: "1ms"           | keys kind
        rtt        | reorder = { share = 0, extra = '1ms' }\nrtt | link.reorder.share: 0            | above 0, at most 1
        rtt        | reorder = { share = 0.1 }\nrtt     | link.reorder.extra: missing      | a time above 0
        rtt        | reverse = 1\nrtt                   | link.reverse: 1                  | true, false, or a table
        rtt        | reverse = { rtt = '40ms' }\nrtt    | link.reverse.rtt: "40ms"         | the forward link sets it
        rtt        | reverse = { rat = '1Mbit/s' }\nrtt | link.reverse.rat                 | did you mean rate
        rtt        | reverse = { queue = { kind = 'droptail', limit = '0bdp' } }\nrtt | link.reverse.queue.limit: "0bdp" | room for at least one packet
        [link]     | packet_size = '99B'\n[link]        | packet_size: "99B"               | a size from 100B
        [link]     | packet_size = '1kB'\n[link]\npacket_size = '1kB' | link.packet_size                 | not both
        [link]     | parking_lot = 1\n[link]            | parking_lot: 1                   | either link or parking_lot
        [link]\nrate = '10Mbit/s'\nrtt = '40ms' | link = []                          | link: []                         | several [[link]] of a graph
        [link]\nrate = '10Mbit/s'\nrtt = '40ms' | link = 3                           | link: 3                          | [parking_lot]
    "#;
    check(DUMBBELL, cases);
}

#[test]
fn what_is_wrong_with_a_graph_or_a_parking_lot_is_said() {
    let cases = r#"
        from = 'a'\n   |                            | link[0].from: missing | the name of a node
        to = 'b'       | to = 'a'                   | link[0].to: "a"       | a node other than from
        from = 'b'     | name = 'ab'\nfrom = 'b'    | link[1].name: "ab"    | no other link has
        name = 'ab'    | name = 'b-c'               | link[1].name: "b-c"   | no other link has
        name = 'ab'    | name = ''                  | link[0].name: ""      | a name
        name = 'ab'    | reverse = true             | link[0].reverse: true | one of the keys
        name = 'ab'    | packet_size = '1kB'        | link[0].packet_size   | one of the keys
        delay = '10ms' | delay = '10ms'\nrtt = '0s' | link[0].rtt: "0s"     | more than 0, because the queue's limit is a multiple of the BDP
    "#;
    check(GRAPH, cases);
    let cases = r#"
        hops = 3\n          |                                    | parking_lot.hops: missing   | from 1 to 1000
        hops = 3\n          | hops = 1001\n                      | parking_lot.hops: 1001      | from 1 to 1000
        hops = 3\n          | hops = 3\nname = 'x'\n             | parking_lot.name            | one of the keys
        rate = '10Mbit/s'\n |                                    | flow[0].rwnd: missing       | no link on its path limits its window (by a rate
        hops = 3\n          | hops = 3\nreverse = { hops = 2 }\n | parking_lot.reverse.hops: 2 | one of the keys
        'n3'                | 'n4'                               | flow[0].to: "n4"            | did you mean n0 or n1 or n2?
    "#;
    check(LOT, cases);
}

#[test]
fn what_is_wrong_with_a_route_is_said() {
    let cases = r#"
        from = 'a'\nto = 'c'\n |                       | flow[0].from: missing | two nodes, or path
        from = 'a'\nto = 'c'   | from = 'a'            | flow[0].to: missing   | because from is given
        from = 'a'\nto = 'c'   | from = 'a'\nto = 'd'  | flow[0].to: "d"       | did you mean a or b or c?
        from = 'a'\nto = 'c'   | from = 'c'\nto = 'a'  | flow[0].to: "a"       | no links lead from c to a
        from = 'a'\nto = 'c'   | from = 'a'\nto = 'a'  | flow[0].to: "a"       | another node
        from = 'a'\nto = 'c'   | direction = 'reverse' | flow[0].direction     | from and to, or path
        from = 'a'\nto = 'c'   | from = 'a'\nto = 'c'\npath = ['ab'] | flow[0].path          | not both
        from = 'a'\nto = 'c'   | from = 'a'\nto = 'c'\nback = ['ab'] | flow[0].back          | no back without path
        from = 'a'\nto = 'c'   | path = []             | flow[0].path: []      | a list of names of links
        from = 'a'\nto = 'c'   | path = 'ab'           | flow[0].path: "ab"    | a list of names of links
        from = 'a'\nto = 'c'   | path = ['ac']         | flow[0].path[0]: "ac" | did you mean ab?
        from = 'a'\nto = 'c'   | path = ['b-c', 'ab']  | flow[0].path[1]: "ab" | begins at c, where b-c
        from = 'a'\nto = 'c'   | path = ['ab']\nback = ['b-c'] | flow[0].back          | a reverse path from b to a
    "#;
    check(GRAPH, cases);
    let text = GRAPH.replace("cc = 'cubic'", "cc = 'cubic'\nrtt = '19ms'");
    assert!(message(&text).starts_with("flow[0].rtt: \"19ms\" is not accepted; expected at least 20ms"));
    let cases = r#"
        count = 2 | direction = 'back'                | flow[0].direction: "back"     | forward or reverse
        count = 2 | from = 'left'\nto = 'right'       | flow[0].from: "left"          | forward or reverse
        count = 2 | path = ['link']                   | flow[0].path: ["link"]        | with one [link] a flow has a direction
        count = 2 | rtt = '1ms'\naccess_delay = '2ms' | flow[0].rtt: "1ms"            | at least 2ms
        count = 2 | access_delay = '41ms'             | flow[0].access_delay: "41ms"  | this is 40ms
        count = 2 | access = '0bit/s'                 | flow[0].access: "0bit/s"      | or a table with rate and queue
        count = 2 | access = { rate = '1Mbit/s', queue = '1bdp' } | flow[0].access.queue: "1bdp"  | room for at least one packet
        count = 2 | access = { rate = '1Mbit/s', queue = '1499B' } | flow[0].access.queue: "1499B" | room for at least one packet
        count = 2 | pacing = 1                        | flow[0].pacing: 1             | true or false
        count = 2 | burst = 0                         | flow[0].burst: 0              | packets, 1 to 1048576
        count = 2 | size = '0B'                       | flow[0].size: "0B"            | such as 100kB or 6packets
        count = 2 | size = 1000                       | flow[0].size: 1000            | a size with its unit
        count = 2 | app_rate = '0bit/s'               | flow[0].app_rate: "0bit/s"    | a rate above 0
        count = 2 | idle_restart = 'no'               | flow[0].idle_restart: "no"    | true or false
        [[flow]]  | [[traffic]]\nmodel = 'long'\nfrom = 'a'\n[[flow]] | traffic[0].to: missing        | from is given
        [[flow]]  | [[traffic]]\nmodel = 'long'\nfrom = 'a'\nto = 'b'\n[[flow]] | traffic[0].from: "a"          | with one [link] traffic has a direction
        [[flow]]\ncc = 'cubic'\ncount = 2\n |                                   | flow: missing                 | at least one [[flow]] or [[traffic]]
    "#;
    check(DUMBBELL, cases);
    let traffic = |keys: &str| message(&format!("{GRAPH}[[traffic]]\n{keys}\n"));
    assert!(traffic("model = 'long'").starts_with("traffic[0].from: missing; expected from and to"));
    let both = traffic("model = 'long'\nfrom = 'a'\nto = 'b'\ndirection = 'both'");
    assert!(both.contains("no links lead from b to a"), "{both}");
    assert!(traffic("model = 'long'\nfrom = 'a'\nto = 'd'").starts_with("traffic[0].to: \"d\""));
}

#[test]
fn what_is_wrong_with_an_action_is_said() {
    let refusal = |action: &str| message(&format!("{DUMBBELL}[[action]]\n{action}\n"));
    let cases = r#"
                                                        | action[0]: {}                  | one of start, stop, switch, rate, delay, buffer, each in an [[action]]
        pause = { flow = 'cubic' }                      | action[0].pause                | one of the keys start, stop
        stopp = { flow = 'cubic' }                      | action[0].stopp                | did you mean stop?
        stop = { flow = 'cubic', at = '1s' }\nstart = { flow = 'cubic', at = '2s' } | action[0].stop                 | each in an [[action]] of its own
        stop = 'cubic'                                  | action[0].stop: "cubic"        | a table of keys
        stop = { at = '1s' }                            | action[0].stop.flow: missing   | the name of a flow
        stop = { flow = 'cubic 3', at = '1s' }          | action[0].stop.flow: "cubic 3" | cubic 1 or cubic 2
        stop = { flow = 'qqqqqqqqqqqq', at = '1s' }     | action[0].stop.flow            | cubic, cubic 1, cubic 2
        stop = { flow = 'cubic' }                       | action[0].stop.at: missing     | before the end
        stop = { flow = 'cubic', at = '60s' }           | action[0].stop.at: "60s"       | before the end
        stop = { flow = 'cubic', at = '1s', to = '2s' } | action[0].stop.to: "2s"        | one of the keys flow, at
        switch = { flow = 'cubic', at = '1s' }          | action[0].switch.cc: missing   | an algorithm
        switch = { flow = 'cubic', at = '1s', cc = 'ren' } | action[0].switch.cc: "ren"     | reno
        switch = { flow = 'cubic', at = '1s', cc = 'cubic', beta = 2 } | action[0].switch.beta: 2       | a decimal from 0.1 to 0.99
        rate = { at = '1s' }                            | action[0].rate.to: missing     | or 0bit/s for an outage
        rate = { link = 'reverse', at = '1s', to = '1Mbit/s' } | action[0].rate.link            | a link: link
        delay = { at = '1s', to = 3 }                   | action[0].delay.to: 3          | a time with its unit
        buffer = { at = '1s', to = '3' }                | action[0].buffer.to: "3"       | packets (1000packets)
        buffer = { at = '1s', to = '0bdp' }             | action[0].buffer.to: "0bdp"    | room for at least one
    "#;
    for [action, subject, expectation] in crate::table(cases) {
        crate::check_refusal(&refusal(action), subject, expectation, action);
    }
    let graph = message(&format!("{GRAPH}[[action]]\nrate = {{ at = '1s', to = '1Mbit/s' }}\n"));
    assert!(graph.starts_with("action[0].rate.link: missing; expected the name of a link"), "{graph}");
    assert!(message(&format!("action = 3\n{DUMBBELL}")).starts_with("action: 3"));

    let traced = DUMBBELL.replace("'10Mbit/s'", "{ trace = 'a.trace' }");
    let traced = format!("{traced}[[action]]\nrate = {{ at = '1s', to = '1Mbit/s' }}\n");
    let traced = Scenario::from_toml_with(&traced, &|_| Ok("1\n".into()))
        .expect_err("a trace has no rate")
        .to_string();
    assert!(traced.starts_with("action[0].rate.link: \"link\""), "{traced}");
    assert!(traced.contains("does not follow a trace"), "{traced}");
}
