// SPDX-License-Identifier: MIT OR Apache-2.0
//! Receive windows and applications of flows with a stack: the stacks' defaults, `rwnd`, `app_rate`, `size` and pauses.

use super::{ran, scenario};
use cwnd_sim::Simulation;

/// The stacks that are linked in, with an algorithm that each has.
const STACKS: [&str; 3] = ["quinn", "noq", "smoltcp"];

/// One flow with these keys on a path, for some seconds, all of them measured but the first.
fn alone(path: &str, seconds: u32, flow: &str) -> Simulation {
    ran(&scenario(&format!(
        "duration = '{seconds}s'\nmeasure = ['1s', '{seconds}s']\n[link]\n{path}\n[[flow]]\nlabel = 'f'\n{flow}"
    )))
}

// 1.25 MB per round trip of 60 ms are 166.7 Mbit/s of the link's 300. A window of 2^40 bytes lets slow start overshoot instead: the
// connection ends in the first second.
#[test]
fn the_stacks_own_windows_limit_a_long_fast_path_and_keep_the_connection_alive() {
    let path = "rate = '300Mbit/s'\nrtt = '60ms'\nqueue = { kind = 'droptail', limit = '1bdp' }";
    for stack in ["quinn", "noq"] {
        for cc in ["stock-cubic", "cubic"] {
            let flow = format!("cc = '{cc}'\nstack = '{stack}'");
            let run = alone(path, 5, &flow);
            assert_eq!(run.failures(), [], "{stack} {cc}");
            let summary = run.summary();
            let goodput = summary.flows[0].goodput_mbps;
            assert!((140.0..=167.0).contains(&goodput), "{stack} {cc}: {goodput} Mbit/s");
            let [limit] = summary.receive_limits.as_slice() else { panic!("{stack} {cc}: {summary:?}") };
            assert!((limit.receive_window - 1_250_000.0 / 1472.0).abs() < 1e-9, "{limit:?}");
        }
        let large = alone(path, 5, &format!("cc = 'stock-cubic'\nstack = '{stack}'\nrwnd = 1000000000"));
        assert!(large.failures()[0].why.contains("too many gaps"), "{stack}: {:?}", large.failures());
        assert_eq!(large.summary().receive_limits, [], "{stack}");
    }
}

// 20 datagrams of 1472 bytes per round trip of 100 ms are 2.36 Mbit/s, headers included; of 100 there are 11.8.
#[test]
fn rwnd_limits_a_flow_of_every_stack_and_of_the_simulators_tcp() {
    let path = "rate = '100Mbit/s'\nrtt = '100ms'\nqueue = { kind = 'droptail', limit = '1bdp' }";
    for stack in STACKS
        .map(|stack| format!("cc = 'stock-cubic'\nstack = '{stack}'"))
        .iter()
        .chain([&"cc = 'cubic'".to_owned()])
    {
        for (rwnd, most) in [(20, 2.36), (100, 11.8)] {
            let run = alone(path, 10, &format!("{stack}\nrwnd = {rwnd}"));
            assert_eq!(run.failures(), [], "{stack} {rwnd}");
            let summary = run.summary();
            let goodput = summary.flows[0].goodput_mbps;
            // smoltcp fills its window to a segment, and its Nagle waits for an acknowledgement.
            assert!((0.6 * most..=most).contains(&goodput), "{stack} {rwnd}: {goodput} Mbit/s");
            // smoltcp shows no congestion window, so nothing tells that it is the larger one.
            let limits: Vec<f64> = summary.receive_limits.iter().map(|limit| limit.receive_window).collect();
            let expected = if stack.contains("smoltcp") { vec![] } else { vec![f64::from(rwnd)] };
            assert_eq!(limits, expected, "{stack} {rwnd}: mean window {}", summary.flows[0].cwnd_mean);
        }
    }
}

// 20 packets of 1500 bytes per round trip of 100 ms are 2.4 Mbit/s: 600 kB are over after about 2 s of 5.
#[test]
fn a_flow_whose_application_or_size_limits_it_is_not_limited_by_its_receive_window() {
    let path = "rate = '100Mbit/s'\nrtt = '100ms'\nqueue = { kind = 'droptail', limit = '1bdp' }";
    let stop = "[[action]]\nstop = { flow = 'f', at = '2s' }\n";
    for flow in ["cc = 'cubic'", "cc = 'stock-cubic'\nstack = 'quinn'", "cc = 'stock-cubic'\nstack = 'noq'"] {
        for (more, limits) in [
            ("app_rate = '1Mbit/s'", 0),
            ("app_rate = '2Mbit/s'", 0),
            ("app_rate = '10Mbit/s'", 1),
            ("size = '25kB'", 0),
            ("size = '600kB'", 0),
            ("size = '1GB'", 1),
            (stop, 0),
            ("stop = '3s'", 0),
        ] {
            let run = alone(path, 5, &format!("{flow}\nrwnd = 20\n{more}"));
            assert_eq!(run.failures(), [], "{flow} {more}");
            let summary = run.summary();
            assert_eq!(summary.receive_limits.len(), limits, "{flow} {more}: {:?}", summary.flows[0]);
        }
    }
}

// 1 Mbit/s of payload on 100 Mbit/s. From 1 s to 10 s are 9 s of it, less what is on its way; from 4 s to 7 s the application rests, and
// 6 s are left of 9: 0.67 Mbit/s.
#[test]
fn an_application_writes_at_its_rate_to_every_stack_and_pauses() {
    let path = "rate = '100Mbit/s'\nrtt = '100ms'\nqueue = { kind = 'droptail', limit = '1bdp' }";
    for stack in STACKS {
        let flow = format!("cc = 'stock-cubic'\nstack = '{stack}'\napp_rate = '1Mbit/s'\n");
        let rate = |more: &str| {
            let run = alone(path, 10, &format!("{flow}{more}"));
            assert_eq!(run.failures(), [], "{stack}");
            run.summary().flows[0].goodput_mbps
        };
        let steady = rate("");
        assert!((0.97..=1.03).contains(&steady), "{stack}: {steady} Mbit/s");
        let action = |kind: &str, at: u32| format!("[[action]]\n{kind} = {{ flow = 'f', at = '{at}s' }}\n");
        let paused = rate(&format!("{}{}", action("stop", 4), action("start", 7)));
        assert!((0.63..=0.7).contains(&paused), "{stack}: {paused} Mbit/s");
    }
}

// 300 001 bytes at 1 Mbit/s are written in 2.400 s. The first piece leaves after the handshake, the last is there half a round trip after it
// was written; smoltcp's Nagle holds a last piece back for up to a round trip more.
#[test]
fn a_size_that_is_written_at_a_rate_ends_when_the_rate_has_filled_it() {
    let path = "rate = '100Mbit/s'\nrtt = '100ms'\nqueue = { kind = 'droptail', limit = '1bdp' }";
    for stack in STACKS {
        let flow = format!("cc = 'stock-cubic'\nstack = '{stack}'\napp_rate = '1Mbit/s'\nsize = '300001B'\n");
        let run = alone(path, 5, &flow);
        let [transfer] = run.tables().transfers.as_slice() else {
            panic!("{stack}: {:?}", run.tables().transfers)
        };
        let end = transfer.end_ns.unwrap_or_else(|| panic!("{stack}: it did not end"));
        assert!((2_400_000_000..2_700_000_000).contains(&end), "{stack}: {end} ns");
    }
}

// At 1 kbit/s the first piece of 1408 bytes is full after 11 s: the connection is open and has nothing to send.
#[test]
fn an_application_that_has_written_nothing_is_no_failure() {
    for stack in STACKS {
        let flow = format!("cc = 'stock-cubic'\nstack = '{stack}'\napp_rate = '1kbit/s'\n");
        let run = alone("rate = '10Mbit/s'\nrtt = '40ms'", 5, &flow);
        assert_eq!(run.failures(), [], "{stack}");
    }
}
