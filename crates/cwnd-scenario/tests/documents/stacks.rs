// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flows of real stacks: the value that means none, what they are called, and what is refused in which words.

use cwnd_scenario::keys::{Lanes, flow_keys, flow_keys_without};
use cwnd_scenario::{Scenario, Stack};

fn read(flows: &[&str]) -> Result<Scenario, String> {
    let head = "duration = '60s'\n[link]\nrate = '100Mbit/s'\nrtt = '40ms'\n";
    let flows: String = flows.iter().map(|keys| format!("[[flow]]\n{keys}\n")).collect();
    Scenario::from_toml(&format!("{head}{flows}")).map_err(|refused| refused.to_string())
}

fn labels(flows: &[&str]) -> Vec<String> {
    read(flows).expect("accepted").labels()
}

fn refusal(keys: &str) -> String {
    read(&[keys]).expect_err("refused")
}

#[test]
fn tcp_is_the_name_of_no_stack() {
    let named = read(&["cc = 'cubic'\nstack = 'tcp'\nack_every = 1"]).expect("accepted");
    assert_eq!(Ok(named.clone()), read(&["cc = 'cubic'\nack_every = 1"]));
    assert!(!named.to_toml().contains("stack"));
    assert!(refusal("cc = 'stock-cubic'\nstack = 'tcp'").contains("it is a stack's own"));
}

// RFC 9406's slow start is left out in a stack, where its losses end connections: `cubic` has Linux's HyStart there.
#[test]
fn groups_that_differ_in_their_stacks_are_called_by_them() {
    let [tcp, quinn, noq] = ["cc = 'cubic'", "cc = 'cubic'\nstack = 'quinn'", "cc = 'cubic'\nstack = 'noq'"];
    assert_eq!(labels(&[tcp, quinn, noq]), ["cubic", "cubic quinn", "cubic noq"]);
    let stock = ["cc = 'stock-cubic'\nstack = 'quinn'", "cc = 'stock-cubic'\nstack = 'noq'", quinn];
    assert_eq!(labels(&stock), ["stock-cubic quinn", "stock-cubic noq", "cubic"]);
    let exec = "cc = 'stock-a'\nstack = 'exec'\nexec = ";
    assert_eq!(
        labels(&[&format!("{exec}'one'"), &format!("{exec}'another'")]),
        ["stock-a exec=one", "stock-a exec=another"]
    );
}

#[test]
fn a_slow_start_that_a_stack_changes_is_named_as_it_is_there() {
    let quinn = "cc = 'cubic'\nstack = 'quinn'";
    let with = |slow_start: &str| format!("{quinn}\nslow_start = '{slow_start}'");
    assert_eq!(
        labels(&[quinn, &with("hystart++")]),
        ["cubic slow_start=hystart", "cubic slow_start=hystart++"]
    );
    // These two are the same.
    assert_eq!(labels(&[quinn, &with("hystart")]), ["cubic", "cubic"]);
    assert_eq!(
        labels(&["cc = 'cubic'", &with("standard")]),
        ["cubic slow_start=hystart++", "cubic quinn slow_start=standard"]
    );
}

#[test]
fn a_name_of_no_stack_and_of_no_algorithm_offers_the_nearest() {
    let cases = r#"
        cc = 'cubic'\nstack = 'quin'              | flow[0].stack: "quin" is not accepted; expected tcp, quinn, noq, smoltcp or exec (did you mean quinn?)
        cc = 'cubic'\nstack = 'none'              | flow[0].stack: "none" is not accepted; expected tcp, quinn, noq, smoltcp or exec (did you mean tcp?)
        cc = 'cubic'\nstack = 'quic'              | flow[0].stack: "quic" is not accepted; expected tcp, quinn, noq, smoltcp or exec
        cc = 'cubic'\nstack = 7                   | flow[0].stack: 7 is not accepted; expected tcp, quinn, noq, smoltcp or exec
        cc = 'cubic'\nstac = 'quinn'              | flow[0].stac: "quinn" is not accepted; expected a known key (did you mean stack?)
        cc = 'stock-cubc'                         | flow[0].cc: "stock-cubc" is not accepted; expected an algorithm of cwnd or, with a `stack`, one of its own: stock-bbr, stock-cubic, stock-newreno, stock-reno, or a child's with `stack = "exec"` (did you mean stock-cubic?)
        cc = 'stock-bbr'\nstack = 'noq'           | or one of noq's own: stock-cubic, stock-newreno
        cc = 'noq-cubic'                          | expected the name of an algorithm (did you mean stock-cubic, with `stack = "noq"`?)
        cc = 'cubic'\nstack = 'quinn'\ngso = true | flow[0].gso: true is not accepted; expected no gso: it sets up the simulator's TCP and its host, which quinn replaces
        cc = 'cubic'\nstack = 'quinn'\nmin_rto = '1s' | flow[0].min_rto: "1s" is not accepted; expected no min_rto: it sets up the simulator's TCP and its host, which quinn replaces
        cc = 'quinn'                              | expected the name of an algorithm, with `stack = "quinn"`: that name is a stack
        cc = 'CUBIC'\nstack = 'quinn'             | expected the name of an algorithm (did you mean cubic?)
        cc = 'bbr'                                | flow[0].cc: "bbr" is not accepted; expected the name of an algorithm (did you mean stock-bbr, with a `stack`?)
        cc = 'Stock-Cubic'\nstack = 'quinn'       | (did you mean stock-cubic?)
        cc = 'stock-'\nstack = 'quinn'            | one of its own: stock-bbr, stock-cubic, stock-newreno, stock-reno
        cc = 'cubic'\nstack = 'quinn'\ntls = 'yes' | flow[0].tls: "yes" is not accepted; expected true or false
        cc = 'stock-cubic'\nstack = 'quinn'\nslow_start = 'standard' | flow[0].slow_start: "standard" is not accepted; expected a key of any flow: stock-cubic is a stack's own algorithm, which has no parameters here
        cc = 'stock-cubic'\nstack = 'quinn'\nrt = '9ms' | flow[0].rt: "9ms" is not accepted; expected a known key (did you mean rtt?)
    "#;
    for [keys, says] in crate::table(cases) {
        let refused = refusal(keys);
        assert!(refused.contains(says), "{keys}: {refused}");
        assert!(!refused.contains('\n'));
    }
}

#[test]
fn every_algorithm_of_every_stack_is_accepted_and_reads_back() {
    for stack in Stack::ALL {
        for cc in stack.stock() {
            let exec = if *stack == Stack::Exec { "exec = 'a b'" } else { "" };
            let scenario = read(&[&format!("cc = '{cc}'\nstack = '{}'\n{exec}", stack.name())]).expect(cc);
            assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario));
        }
    }
}

#[test]
fn what_a_stack_cannot_have_is_refused_in_one_line() {
    let cases = r#"
        cc = 'stock-a'\nstack = 'exec'                            | flow[0].exec: missing; expected the command of the child process
        cc = 'stock-a'\nstack = 'exec'\nexec = 'a'\npacing = true | flow[0].pacing: true is not accepted
        cc = 'stock-a'\nstack = 'exec'\nexec = 'a'\ntls = true    | flow[0].tls: true is not accepted; expected false
        cc = 'stock-a'\nstack = 'exec'\nexec = 'a'\ncount = 101   | flow[0].count: 101 is not accepted; expected at most 100 flows
        cc = 'cubic'\nstack = 'smoltcp'                           | flow[0].cc: "cubic" is not accepted; expected an algorithm of smoltcp's own: stock-cubic, stock-reno
        cc = 'stock-renno'\nstack = 'smoltcp'                     | of smoltcp's own: stock-cubic, stock-reno (did you mean stock-reno?)
        cc = 'stock-reno'\nstack = 'smoltcp'\ntls = true          | flow[0].tls: true is not accepted; expected false: smoltcp has no TLS
        cc = 'stock-reno'\nstack = 'smoltcp'\necn = true          | flow[0].ecn: true is not accepted; expected false: smoltcp has no ECN
        cc = 'stock-reno'                                         | an algorithm of cwnd, or `stack = "smoltcp"`: it is a stack's own
        cc = 'stock-reno'\nstack = 'smoltcp'\nexec = 'a'          | flow[0].exec: "a" is not accepted; expected `stack = "exec"` with it
    "#;
    for [flow, expected] in crate::table(cases) {
        let why = refusal(flow);
        assert!(why.contains(expected) && !why.contains('\n'), "{flow}: {why}");
    }
}

// What is left of a size after a stop, the stack alone knows.
#[test]
fn a_flow_of_a_stack_that_has_a_size_is_not_started_again() {
    let action = "[[action]]\nstart = { flow = 'cubic', at = '2s' }\n";
    let with = |size: &str| read(&[&format!("cc = 'cubic'\nstack = 'quinn'\n{size}{action}")]);
    assert!(with("").is_ok());
    let refused = with("size = '1MB'\n").expect_err("refused");
    assert!(
        refused.starts_with("action.start.flow: \"cubic\" is not accepted; expected a flow without `size`"),
        "{refused}"
    );
}

#[test]
fn packets_have_the_room_that_a_quic_needs_and_a_tcp_does_with_less() {
    let scenario = |stack: &str, bytes: u32| {
        let exec = if stack == "exec" { "exec = 'a'" } else { "" };
        let text = read(&[&format!("cc = 'stock-cubic'\nstack = '{stack}'\n{exec}")]).expect(stack).to_toml();
        let lesser = text.replace("packet_size = \"1500B\"", &format!("packet_size = \"{bytes}B\""));
        assert!(lesser != text, "{text}");
        Scenario::from_toml(&lesser).map(|_| ())
    };
    for stack in ["quinn", "noq"] {
        assert_eq!(scenario(stack, 1228), Ok(()));
        assert!(scenario(stack, 1227).expect_err("refused").expected.contains("1228B to 16411B"));
    }
    for stack in ["smoltcp", "exec"] {
        assert_eq!(scenario(stack, 600), Ok(()));
    }
}

#[test]
fn every_stack_takes_a_receive_window_and_an_application_with_a_rate_a_size_and_a_stop() {
    for stack in Stack::ALL {
        let exec = if *stack == Stack::Exec { "exec = 'a'\n" } else { "" };
        let keys = "rwnd = 1000\napp_rate = '2Mbit/s'\nsize = '1MB'\nstop = '9s'";
        let scenario = read(&[&format!("cc = 'stock-cubic'\nstack = '{}'\n{exec}{keys}", stack.name())]);
        let scenario = scenario.unwrap_or_else(|refused| panic!("{}: {refused}", stack.name()));
        assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario));
    }
}

// 1 GiB / 1472 bytes = 729 444.2
#[test]
fn smoltcp_has_receive_windows_up_to_a_gigabyte() {
    let with = |rwnd: u32| read(&[&format!("cc = 'stock-reno'\nstack = 'smoltcp'\nrwnd = {rwnd}")]);
    assert!(with(729_444).is_ok());
    let refused = with(729_445).expect_err("refused");
    assert_eq!(
        refused,
        "flow[0].rwnd: 729445 is not accepted; expected at most 729444: smoltcp's receive window ends at 1 GiB"
    );
}

/// Keys of a flow that have no effect somewhere, each with a value that is not its default.
const OTHER_VALUES: [(&str, &str); 23] = [
    ("stack", "'quinn'"),
    ("tls", "true"),
    ("exec", "'python3 stack.py'"),
    ("host", "'freebsd-14'"),
    ("recovery", "'rfc'"),
    ("initial_cwnd", "4"),
    ("initial_ssthresh", "20"),
    ("ack_every", "1"),
    ("ack_delay", "'5ms'"),
    ("min_rto", "'1s'"),
    ("limited_transmit", "false"),
    ("overhead", "'10us'"),
    ("host_clock", "'100Hz'"),
    ("host_clock_phase", "'4ms'"),
    ("access", "'1Gbit/s'"),
    ("pacing", "true"),
    ("burst", "4"),
    ("handshake", "true"),
    ("gso", "true"),
    ("gro", "'100us'"),
    ("idle_restart", "false"),
    ("ecn", "true"),
    ("rwnd", "20"),
];

// A row without the column is of the simulator's TCP alone. A key that is added without it is in all three lists, and fails here.
#[test]
fn the_row_of_a_key_says_where_it_has_an_effect() {
    let stack = flow_keys_without(Lanes::STACK);
    assert_eq!(
        stack.join(" "),
        "host recovery initial_cwnd initial_ssthresh ack_every ack_delay min_rto limited_transmit overhead host_clock host_clock_phase pacing burst handshake gso gro idle_restart"
    );
    assert_eq!(
        flow_keys_without(Lanes::LIVE_FLOWS).join(" "),
        "stack tls exec host recovery initial_cwnd initial_ssthresh ack_every ack_delay min_rto limited_transmit burst handshake idle_restart"
    );
    let live_traffic = flow_keys_without(Lanes::LIVE_TRAFFIC);
    assert_eq!(
        live_traffic.join(" "),
        "stack tls exec host recovery initial_cwnd initial_ssthresh ack_every ack_delay min_rto limited_transmit overhead access pacing burst handshake gso gro idle_restart"
    );
    // A row of several keys would be looked for under its own name in vain.
    assert!(live_traffic.iter().all(|key| flow_keys().contains(key)));
}

#[test]
fn a_key_without_effect_on_a_stack_is_refused_there_and_any_other_accepted() {
    let without = flow_keys_without(Lanes::STACK);
    assert!(without.iter().all(|key| OTHER_VALUES.iter().any(|(known, _)| known == key)), "{without:?}");
    for (key, value) in OTHER_VALUES.iter().filter(|(key, _)| !["stack", "exec"].contains(key)) {
        let read = read(&[&format!("cc = 'cubic'\nstack = 'quinn'\n{key} = {value}")]);
        assert_eq!(read.is_err(), without.contains(key), "{key}: {:?}", read.err());
        if let Err(said) = read {
            assert!(
                said.starts_with(&format!("flow[0].{key}: "))
                    && said.contains(&format!("expected no {key}: ")),
                "{said}"
            );
        }
    }
}
