// SPDX-License-Identifier: MIT OR Apache-2.0
//! What flows with a real stack are, and what they cannot have.

use cwnd_scenario::{Scenario, Stack};

/// A scenario with these lines in its only flow.
fn with(flow: &str) -> Result<Scenario, String> {
    let text = format!(
        "duration = '10s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\nqueue = {{ kind = 'droptail', limit = '1bdp' }}\n[[flow]]\n{flow}\n"
    );
    Scenario::from_toml(&text).map_err(|invalid| invalid.to_string())
}

fn refusal(flow: &str) -> String {
    with(flow).map(|_| ()).expect_err(flow)
}

#[test]
fn every_algorithm_of_every_stack_is_accepted_and_reads_back() {
    for stack in Stack::ALL {
        for cc in stack.stock() {
            let exec = if *stack == Stack::Exec { "exec = 'a b'" } else { "" };
            let scenario = with(&format!("cc = '{cc}'\nstack = '{}'\n{exec}", stack.name())).expect(cc);
            assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario));
        }
    }
}

#[test]
fn what_a_stack_cannot_have_is_refused_in_one_line() {
    for (flow, expected) in [
        (
            "cc = 'stock-a'\nstack = 'exec'",
            "flow[0].exec: missing; expected the command of the child process",
        ),
        ("cc = 'stock-a'\nstack = 'exec'\nexec = 'a'\npacing = true", "flow[0].pacing: true is not accepted"),
        (
            "cc = 'stock-a'\nstack = 'exec'\nexec = 'a'\ntls = true",
            "flow[0].tls: true is not accepted; expected false",
        ),
        (
            "cc = 'stock-a'\nstack = 'exec'\nexec = 'a'\ncount = 101",
            "flow[0].count: 101 is not accepted; expected at most 100 flows",
        ),
        (
            "cc = 'cubic'\nstack = 'smoltcp'",
            "flow[0].cc: \"cubic\" is not accepted; expected an algorithm of smoltcp's own: stock-cubic, stock-reno",
        ),
        (
            "cc = 'stock-renno'\nstack = 'smoltcp'",
            "of smoltcp's own: stock-cubic, stock-reno (did you mean stock-reno?)",
        ),
        (
            "cc = 'stock-reno'\nstack = 'smoltcp'\ntls = true",
            "flow[0].tls: true is not accepted; expected false: smoltcp has no TLS",
        ),
        (
            "cc = 'stock-reno'\nstack = 'smoltcp'\necn = true",
            "flow[0].ecn: true is not accepted; expected false: smoltcp has no ECN",
        ),
        ("cc = 'stock-reno'", "or `stack = \"smoltcp\"` or `stack = \"exec\"`: it is a stack's own"),
        (
            "cc = 'stock-reno'\nstack = 'smoltcp'\nexec = 'a'",
            "flow[0].exec: \"a\" is not accepted; expected `stack = \"exec\"` with it",
        ),
    ] {
        let why = refusal(flow);
        assert!(why.contains(expected) && !why.contains('\n'), "{flow}: {why}");
    }
}

#[test]
fn packets_have_the_room_that_a_quic_needs_and_a_tcp_does_with_less() {
    let scenario = |stack: &str, bytes: u32| {
        let exec = if stack == "exec" { "exec = 'a'" } else { "" };
        let text = with(&format!("cc = 'stock-cubic'\nstack = '{stack}'\n{exec}")).expect(stack).to_toml();
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
