// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flows of real stacks in the simulator's engine, beside flows of its own TCP.

mod flow_control;
mod networks;

use cwnd_link::DropCause;
use cwnd_scenario::{Invalid, Scenario};
use cwnd_sim::{EventKind, Simulation, Summary};
use cwnd_stacks::RealStacks;

/// A scenario; each file that it names is this one: a trace of 3 Mbit/s for 600 ms, 12 Mbit/s for 300 ms, nothing for 100 ms.
fn scenario(text: &str) -> Scenario {
    let slow = (0..150).map(|line| 4 * line);
    let times = slow.chain(600..900).chain([1000]).map(|ms: u32| ms.to_string());
    let trace = times.collect::<Vec<_>>().join("\n");
    Scenario::from_toml_with(text, &|_| Ok(trace.clone()))
        .unwrap_or_else(|invalid| panic!("{invalid}\n{text}"))
}

fn set_up(scenario: &Scenario) -> Simulation {
    Simulation::with_stacks(scenario, &RealStacks).unwrap_or_else(|invalid: Invalid| panic!("{invalid}"))
}

fn ran(scenario: &Scenario) -> Simulation {
    let mut simulation = set_up(scenario);
    while !simulation.step(10_000) {}
    simulation
}

/// One flow on a path, measured from 12 s to 60 s; on a long one, where an epoch lasts ten seconds and more, from 60 s to 300 s.
fn alone(flow: &str, rate: u32, rtt: u32, buffer: &str) -> Summary {
    let (from, to) = if rtt < 100 { (12, 60) } else { (60, 300) };
    ran(&scenario(&format!(
        "duration = '{to}s'\nmeasure = ['{from}s', '{to}s']\n[link]\nrate = '{rate}Mbit/s'\nrtt = '{rtt}ms'\n\
         queue = {{ kind = 'droptail', limit = '{buffer}' }}\n[[flow]]\n{flow}"
    )))
    .summary()
}

// A datagram of 1472 bytes has 1440 to 1444 of data, a segment 1448: QUIC's part is 0.5 % lower by its headers alone.
//
// With fast convergence a flow alone has two cycles: either each maximum of the window is as large as the one before, and nothing is
// given away, or every other one is. Which it falls into depends on single packets, so that queues are compared without.
#[test]
#[ignore = "slow, make test-all runs it"]
fn our_cubic_in_a_stack_does_as_on_our_tcp() {
    // At 100 Mbit/s all buffers agree likewise; two of them are enough here.
    let all: &[&str] = &["0.5bdp", "1bdp", "2bdp"];
    for (rate, rtt, buffers) in
        [(10, 10, all), (10, 40, all), (10, 160, all), (100, 10, &all[1..2]), (100, 40, &all[..1])]
    {
        for buffer in buffers {
            // With the slow start that it has in a stack.
            let flow = |more: &str| format!("cc = 'cubic'\nslow_start = 'hystart'\n{more}");
            let variants =
                ["", "fast_convergence = false\n"].map(|more| (more, alone(&flow(more), rate, rtt, buffer)));
            for stack in ["quinn", "noq"] {
                let place = format!("{stack}, {rate} Mbit/s, {rtt} ms, {buffer}");
                let [(goodput, _), (alike, waits)] = variants.each_ref().map(|(more, tcp)| {
                    let quic = alone(&format!("{}stack = '{stack}'", flow(more)), rate, rtt, buffer);
                    assert!(quic.failures.is_empty(), "{place}: {:?}", quic.failures);
                    let goodput = quic.flows[0].goodput_mbps / tcp.flows[0].goodput_mbps;
                    (goodput, quic.links[0].queue_mean_ms / tcp.links[0].queue_mean_ms)
                });
                println!("{place}: goodput {goodput:.3} and {alike:.3} of TCP's, queue {waits:.3}");
                for goodput in [goodput, alike] {
                    assert!((0.95..=1.05).contains(&goodput), "{place}: goodput {goodput:.3} of TCP's");
                }
                assert!((0.9..=1.1).contains(&waits), "{place}: queue {waits:.3} of TCP's");
            }
        }
    }
}

#[test]
#[ignore = "slow, make test-all runs it"]
fn our_reno_in_quinn_does_as_quinns_own() {
    let all: &[&str] = &["0.25bdp", "0.5bdp", "1bdp", "2bdp"];
    for (rate, rtt, buffers) in [(10, 40, all), (20, 40, all), (100, 40, &all[1..2])] {
        for buffer in buffers {
            let [ours, own] = ["reno", "stock-newreno"].map(|cc| {
                alone(&format!("cc = '{cc}'\nstack = 'quinn'"), rate, rtt, buffer).flows[0].goodput_mbps
            });
            let ratio = ours / own;
            assert!(
                (0.95..=1.05).contains(&ratio),
                "{rate} Mbit/s, {rtt} ms, {buffer}: {ours:.2} beside {own:.2}"
            );
        }
    }
}

const MIXED: &str = "duration = '8s'\n[link]\nrate = '20Mbit/s'\nrtt = '30ms'\nqueue = { kind = 'droptail', limit = '40packets' }\n\
    reverse = { rate = '2Mbit/s' }\n\
    [[flow]]\ncc = 'cubic'\n[[flow]]\ncc = 'cubic'\nstack = 'quinn'\nstart = '1s'\nstop = '5s'\n\
    [[flow]]\ncc = 'stock-cubic'\nstack = 'noq'\nsize = '2MB'\n";

#[test]
fn one_scenario_gives_one_result() {
    let [first, second] = [1, 1].map(|_| ran(&scenario(MIXED)));
    assert_eq!(first.tables(), second.tables());
    assert_eq!(first.digest(), second.digest());
}

#[test]
fn tls_changes_no_packet() {
    let of = |tls: bool| {
        let text =
            MIXED.replace("stack = 'quinn'", &format!("stack = 'quinn'\nlabel = 'quinn'\ntls = {tls}"));
        let run = ran(&scenario(&text));
        (run.tables().clone(), format!("{:?}", run.summary()))
    };
    assert_eq!(of(false), of(true));
}

// The transfer of 2 MB ends; the flow that stops at 5 s sends nothing new by then, and what was handed over drains in a few round trips.
#[test]
fn a_transfer_ends_and_a_stop_stops() {
    let run = ran(&scenario(MIXED));
    let [transfer] = run.tables().transfers.as_slice() else { panic!("{:?}", run.tables().transfers) };
    assert!(transfer.end_ns.is_some_and(|end| end > 500_000_000), "{transfer:?}");
    let events = || run.tables().events.iter();
    let stops: Vec<_> =
        events().filter(|row| row.kind == EventKind::Stop).map(|row| (row.flow, row.time_ns)).collect();
    assert_eq!(stops, [(1, 5_000_000_000)]);
    let forwarded = |at: u64| {
        let row = run.tables().cwnd.iter().find(|row| row.flow == 1 && row.time_ns == at);
        row.unwrap_or_else(|| panic!("no row at {at} ns")).forwarded
    };
    assert!(forwarded(4_900_000_000) > forwarded(2_000_000_000) + 500);
    assert!(forwarded(7_900_000_000) - forwarded(7_000_000_000) < 5, "it goes on");
}

// 60 kB are some 42 datagrams. The last ones are lost, and found lost only by the probes that follow the timeout: several round trips later.
// It begins at 2 s, is stopped at 1 s and goes on at 3 s: nothing is sent before, and 10 Mbit/s for a second carry more than 500 packets.
#[test]
fn a_flow_that_is_stopped_before_it_begins_opens_when_it_goes_on() {
    for stack in ["quinn", "noq", "smoltcp"] {
        let action = |kind: &str, at: u32| format!("[[action]]\n{kind} = {{ flow = 'f', at = '{at}s' }}\n");
        let text = format!(
            "duration = '6s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n[[flow]]\ncc = 'stock-cubic'\nstack = '{stack}'\n\
             label = 'f'\nstart = '2s'\n{}{}",
            action("stop", 1),
            action("start", 3)
        );
        let run = ran(&scenario(&text));
        assert_eq!(run.failures(), [], "{stack}");
        assert!(run.packet_locations()[0].sent > 500, "{stack}: {:?}", run.packet_locations());
    }
}

#[test]
fn a_loss_at_the_end_of_a_transfer_reduces_the_window() {
    for (cc, stack) in [("cubic", "quinn"), ("cubic", "noq"), ("reno", "quinn"), ("stock-cubic", "quinn")] {
        for lost in ["42,43", "38,39,40,41,42,43", "40,41,42,43,44,45"] {
            let text = format!(
                "duration = '5s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\nloss = 'at:{lost}'\n\
                 queue = {{ kind = 'droptail', limit = '2bdp' }}\n[[flow]]\ncc = '{cc}'\nstack = '{stack}'\nsize = '60kB'"
            );
            let run = ran(&scenario(&text));
            let (first, last) =
                (run.tables().cwnd.iter().map(|row| row.cwnd).max(), run.tables().cwnd.last());
            let last = last.unwrap_or_else(|| panic!("no row"));
            assert!(run.summary().flows[0].run.drops.total() >= 2, "{cc} {stack} {lost}");
            assert!(
                last.ssthresh < 100 && Some(last.cwnd) < first,
                "{cc} {stack} {lost}: {last:?}, {first:?} at most"
            );
        }
    }
}

// RFC 9002 §7.6.1: what was lost spans more than 3 (smoothed RTT + 4 variations + 25 ms), 0.3 s here; §7.6.2: then the window is the smallest
// there is, two datagrams (§7.2). The blackout begins with datagram 3000 and swallows a window, and eight probes: two after each timeout, which
// doubles (§6.2.1), so that of 0.1 s the fourth comes after 1.5 s. What is sent next is acknowledged.
#[test]
fn a_long_blackout_is_persistent_congestion_and_the_transfer_goes_on() {
    for stack in ["quinn", "noq"] {
        let losing = |count: u32| {
            let lost: Vec<String> = (3000..3000 + count).map(|number| number.to_string()).collect();
            let text = format!(
                "duration = '30s'\nmeasure = ['20s', '30s']\n[record]\ninterval = '1ms'\n\
                 [link]\nrate = '10Mbit/s'\nrtt = '40ms'\nloss = 'at:{}'\n\
                 queue = {{ kind = 'droptail', limit = '30packets' }}\n[[flow]]\ncc = 'cubic'\nstack = '{stack}'",
                lost.join(",")
            );
            ran(&scenario(&text))
        };
        let drops = |run: &Simulation| -> Vec<(u64, u32)> {
            let lost = run.tables().events.iter().filter(|row| row.kind == EventKind::Drop(DropCause::Loss));
            lost.map(|row| (row.time_ns, row.cwnd)).collect()
        };
        let window = drops(&losing(1))[0].1;
        let run = losing(window + 8);
        let summary = run.summary();
        assert_eq!((summary.flows[0].run.timeouts, run.failures()), (1, &[][..]), "{stack}: {summary:?}");
        let lost = drops(&run);
        let (begins, ends) = (lost[0].0, lost[lost.len() - 1].0);
        assert!(ends - begins > 500_000_000, "{stack}: a blackout from {begins} to {ends} ns");
        let smallest = |from: u64, to: u64| {
            let within = run.tables().cwnd.iter().filter(|row| from <= row.time_ns && row.time_ns < to);
            within.map(|row| row.cwnd).min()
        };
        assert!(smallest(begins, ends) > Some(20), "{stack}: nothing is known before something arrives");
        assert_eq!(smallest(ends, 20_000_000_000), Some(2), "{stack}");
        // Slow start up to the threshold, then congestion avoidance: from 20 s on the link is full.
        assert!(summary.links[0].utilization > Some(0.95), "{stack}: {summary:?}");
        assert!(smallest(20_000_000_000, u64::MAX) > Some(20), "{stack}");
    }
}

// A queue that marks: the window goes down without a loss.
#[test]
fn marks_reach_a_stack_with_ecn() {
    let text = |ecn: bool| {
        format!(
            "duration = '20s'\n[link]\nrate = '20Mbit/s'\nrtt = '40ms'\n\
             queue = {{ kind = 'codel', limit = '1000packets', ecn = true }}\n\
             [[flow]]\ncc = 'cubic'\nstack = 'quinn'\necn = {ecn}"
        )
    };
    let with = ran(&scenario(&text(true))).summary();
    assert!(with.links[0].marks_run > 10 && with.flows[0].run.drops.total() == 0, "{with:?}");
    assert!(with.links[0].utilization > Some(0.8), "{with:?}");
    let without = ran(&scenario(&text(false))).summary();
    assert!(without.links[0].marks_run == 0 && without.flows[0].run.drops.total() > 5, "{without:?}");
}

// At 1 Gbit/s, 40 ms, and with a receive window without limit the overshoot of standard slow start leaves more gaps in the stream than quinn keeps.
#[test]
fn a_connection_that_ends_says_why() {
    let text = "duration = '2s'\n[link]\nrate = '1Gbit/s'\nrtt = '40ms'\nqueue = { kind = 'droptail', limit = '1bdp' }\n\
        [[flow]]\ncc = 'stock-cubic'\nstack = 'quinn'\nrwnd = 1000000000";
    let run = ran(&scenario(text));
    let [failure] = run.failures() else { panic!("{:?}", run.failures()) };
    assert!(failure.why.contains("too many gaps in stream buffer"), "{failure:?}");
    assert!((400_000_000..800_000_000).contains(&failure.time_ns) && failure.has_opened, "{failure:?}");
    assert!(run.tables().events.iter().any(|row| row.kind == EventKind::Failure));
    assert_eq!(run.summary().failures, run.failures());
}

// Nothing passes the link, or nothing comes back. The flow starts at 1 s of 5. 10 ms are no time to open in where a round trip takes 40.
// An application that stops before the handshake is over has no data to send.
#[test]
fn a_connection_that_never_opens_says_so() {
    let link = "duration = '5s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n";
    let droptail = "queue = { kind = 'droptail', limit = '50packets' }\n";
    let flow = |start: &str| {
        format!("[[flow]]\ncc = 'cubic'\n[[flow]]\ncc = 'cubic'\nstart = '{start}'\nlabel = 'quic'\n")
    };
    for stack in ["quinn", "noq"] {
        for (what, path) in [
            ("loss", format!("{link}{droptail}loss = 'every:1'\n")),
            (
                "reverse loss",
                format!("{link}{droptail}reverse = {{ rate = '10Mbit/s', loss = 'every:1' }}\n"),
            ),
        ] {
            let run = ran(&scenario(&format!("{path}{}stack = '{stack}'\n", flow("1s"))));
            let [failure] = run.failures() else { panic!("{stack}, {what}: {:?}", run.failures()) };
            assert_eq!(
                (failure.flow, failure.time_ns, failure.has_opened),
                (1, 5_000_000_000, false),
                "{what}"
            );
            assert_eq!(failure.why, "no byte was delivered and acknowledged in 4.000 s", "{stack}, {what}");
        }
        let opened = format!("{link}{droptail}{}stack = '{stack}'\n", flow("1s"));
        let young = opened.replace("'1s'", "'4990ms'");
        let stopped = format!("{opened}stop = '1001ms'\n");
        for text in [&opened, &young, &stopped] {
            assert_eq!(ran(&scenario(text)).failures(), [], "{text}");
        }
    }
}

/// The packets of a capture file: blocks of type 6 with their time, ns, and what is behind 28 bytes of the block's head.
/// // draft-ietf-opsawg-pcapng §4.3
fn captured(mut file: &[u8]) -> Vec<(u64, &[u8])> {
    let mut packets = Vec::new();
    while !file.is_empty() {
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes"));
        if word(0) == 6 {
            assert_eq!(word(20), word(24), "whole packets are kept");
            packets
                .push((u64::from(word(12)) << 32 | u64::from(word(16)), &file[28..28 + word(20) as usize]));
        }
        file = &file[word(4) as usize..];
    }
    packets
}

// The protocol of IPv4 is its byte 9 (17 is UDP), the last byte of the source address byte 15, the destination's port bytes 22 and 23:
// 10 000 and the flow's number at the receivers. Each datagram has its size on the links. // RFC 791 §3.1, RFC 768
#[test]
fn a_capture_has_every_datagram_at_both_hosts_and_changes_nothing() {
    let mixed = format!("{MIXED}[[flow]]\ncc = 'stock-cubic'\nstack = 'smoltcp'\n");
    let plain = ran(&scenario(&mixed));
    let mut run = set_up(&scenario(&format!("{mixed}[record]\npackets = 'both'\nsnap_length = '1500B'\n")));
    let mut files = [Vec::new(), Vec::new()];
    while !run.step(10_000) {
        for (host, piece) in run.take_packets() {
            files[usize::from(host == "receivers")].extend(piece);
        }
    }
    for (host, piece) in run.take_packets() {
        files[usize::from(host == "receivers")].extend(piece);
    }
    assert_eq!((run.tables(), run.digest()), (plain.tables(), plain.digest()));
    let [senders, receivers] = files.each_ref().map(|file| captured(file));
    for packets in [&senders, &receivers] {
        assert!(packets.is_sorted_by_key(|packet| packet.0));
    }
    for (flow, places) in run.packet_locations().iter().enumerate() {
        let protocol = if [0, 3].contains(&flow) { 6 } else { 17 };
        let data = |packets: &[(u64, &[u8])]| {
            let port = (10_000 + flow as u16).to_be_bytes();
            let of_flow = packets
                .iter()
                .filter(|(_, bytes)| bytes[9] == protocol && bytes[22..24] == port && bytes[15] == 1);
            of_flow.count() as u64
        };
        assert_eq!((data(&senders), data(&receivers)), (places.sent, places.arrived), "flow {flow}");
    }
    // A full datagram has 1500 bytes with 20 of IP and 8 of UDP; none has more. The first of a connection is padded to 1200, and the long
    // header of its packet begins with two bits of 1. // RFC 9000 §14.1, §17.2
    let udp: Vec<&[u8]> = senders.iter().filter(|(_, bytes)| bytes[9] == 17).map(|packet| packet.1).collect();
    assert_eq!(udp.iter().map(|bytes| bytes.len()).max(), Some(1500));
    assert!(udp[0].len() >= 1228 && udp[0][28] >> 6 == 0b11, "{:?}", &udp[0][..32]);
    // What arrives has the bytes that left.
    let quinn = |packets: &[(u64, &[u8])]| {
        let mut bytes: Vec<Vec<u8>> =
            packets.iter().filter(|(_, bytes)| bytes[9] == 17).map(|packet| packet.1.to_vec()).collect();
        bytes.sort_unstable();
        bytes
    };
    let (sent, arrived) = (quinn(&senders), quinn(&receivers));
    assert!(arrived.iter().all(|packet| sent.binary_search(packet).is_ok() || packet[15] == 2));
}
