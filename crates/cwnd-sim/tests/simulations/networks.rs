// SPDX-License-Identifier: MIT OR Apache-2.0
//! Networks of more than one queue, hosts that are not always sending, actions: what an engine for any graph must get right.

use crate::common::{known, run};
use cwnd_link::DropCause;
use cwnd_scenario::Scenario;
use cwnd_sim::{EventKind, FlowSummary, Simulation, Summary};

/// A network, hosts and what is done to them, for 5 s.
const SETTINGS: &[(&str, &str)] = &[
    ("a dumbbell", "[link]\nrate = '20Mbit/s'\nrtt = '30ms'\n[[flow]]\ncc = 'cubic'\ncount = 3"),
    (
        "a reverse path with a queue",
        "[link]\nrate = '20Mbit/s'\nrtt = '30ms'\nreverse = { rate = '300kbit/s', queue = { kind = 'droptail', limit = '5packets' } }\n\
         [[flow]]\ncc = 'cubic'\ncount = 3\n[[flow]]\ncc = 'reno'\ndirection = 'reverse'",
    ),
    (
        "acknowledgements lost",
        "[link]\nrate = '20Mbit/s'\nrtt = '30ms'\nreverse = { loss = 'random:0.2' }\nloss = 'random:0.001'\n[[flow]]\ncc = 'cubic'\ncount = 3",
    ),
    (
        "jitter that reorders",
        "[link]\nrate = '20Mbit/s'\nrtt = '30ms'\njitter = { kind = 'exponential', mean = '1ms', overtaking = true }\n\
         reorder = { share = 0.01, extra = '5ms' }\n[[flow]]\ncc = 'cubic'\ncount = 3",
    ),
    (
        "a parking lot with access links",
        "[parking_lot]\nhops = 3\nrate = '20Mbit/s'\ndelay = '5ms'\nqueue = { kind = 'droptail', limit = '50packets' }\nreverse = true\n\
         [[flow]]\ncc = 'cubic'\nfrom = 'n0'\nto = 'n3'\naccess = { rate = '10Mbit/s', queue = '20packets' }\naccess_delay = '2ms'\n\
         [[flow]]\ncc = 'reno'\nfrom = 'n0'\nto = 'n1'\n[[flow]]\ncc = 'reno'\nfrom = 'n1'\nto = 'n2'\npacing = true\n\
         [[flow]]\ncc = 'reno'\nfrom = 'n3'\nto = 'n2'\noverhead = '300us'",
    ),
    (
        "steps and actions",
        "[link]\nrate = [['0s', '20Mbit/s'], ['1s', '0bit/s'], ['1.5s', '5Mbit/s']]\nrtt = '30ms'\n[[flow]]\ncc = 'cubic'\ncount = 2\n\
         [[action]]\nstop = { flow = 'cubic 1', at = '2s' }\n[[action]]\nstart = { flow = 'cubic 1', at = '3s' }\n\
         [[action]]\nswitch = { flow = 'cubic 2', at = '2.5s', cc = 'reno' }\n[[action]]\ndelay = { link = 'link', at = '3.5s', to = '20ms' }\n\
         [[action]]\nbuffer = { link = 'link', at = '4s', to = '5packets' }",
    ),
    (
        "traffic both ways",
        "[link]\nrate = '20Mbit/s'\nrtt = '30ms'\n[[flow]]\ncc = 'cubic'\n[[traffic]]\npreset = 'ha2008'\nshare = 0.3\n\
         [[traffic]]\npreset = 'leith2007'\nsessions = 5\n[[traffic]]\nmodel = 'udp'\nrate = '1Mbit/s'",
    ),
    (
        "links that tick and count the packet in service",
        "[link]\nrate = '20Mbit/s'\nrtt = '30ms'\ndelay = '3.3ms'\ntick = '1ms'\ncount_in_service = true\n\
         queue = { kind = 'droptail', limit = '60kB' }\n\
         reverse = { queue = { kind = 'codel', limit = '30packets' }, rate = '300kbit/s', tick = '7ms' }\n\
         [[flow]]\ncc = 'cubic'\ncount = 3\n[[flow]]\ncc = 'reno'\ndirection = 'reverse'",
    ),
];

/// Every network, with the recovery of each algorithm and with Linux's.
fn networks() -> impl Iterator<Item = (String, String)> {
    SETTINGS.iter().flat_map(|(name, rest)| {
        let linux = rest.replace("\ncc = ", "\nrecovery = 'linux'\ncc = ");
        [((*name).to_owned(), (*rest).to_owned()), (format!("{name}, linux"), linux)]
    })
}

fn scenario(rest: &str) -> Scenario {
    Scenario::from_toml(&format!("duration = '5s'\nseed = 11\n{rest}"))
        .unwrap_or_else(|error| panic!("{error}\n{rest}"))
}

#[test]
fn packets_are_conserved_at_every_instant_in_every_network() {
    for (name, rest) in networks() {
        let mut simulation = Simulation::new(&scenario(&rest));
        let mut instants = 0;
        while !simulation.step(11) {
            for (number, flow) in simulation.packet_locations().into_iter().enumerate() {
                let accounted = flow.at_host + flow.arrived + flow.queued + flow.propagating + flow.dropped;
                assert_eq!(
                    flow.sent,
                    accounted,
                    "{name}: flow {number} at {} ns: {flow:?}",
                    simulation.now()
                );
            }
            instants += 1;
        }
        assert!(instants > 50, "{name}: {instants}");
        let summary = simulation.summary();
        assert!(summary.flows.iter().all(|flow| flow.goodput_mbps > 0.0), "{name}: {summary:#?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_tables_in_every_network() {
    for (name, rest) in networks() {
        let (once, again) = (run_of(&rest), run_of(&rest));
        assert_eq!(once.tables(), again.tables(), "{name}");
        assert_eq!(once.summary(), again.summary(), "{name}");
    }
}

fn run_of(rest: &str) -> Simulation {
    let mut simulation = Simulation::new(&scenario(rest));
    while !simulation.step(10_000) {}
    simulation
}

fn summary(rest: &str) -> Summary {
    run_of(rest).summary()
}

// A reverse path that is a link, but so fast that no packet waits there, must give the same result as the fused
// flow does, in which a packet's arrival and its acknowledgement's are one event. 52 bytes at 1 Tbit/s are 0.4 ps: rounded, nothing.
#[test]
fn an_acknowledgement_that_travels_by_itself_does_what_a_fused_one_does() {
    for recovery in ["sack-prr", "linux"] {
        a_link_that_takes_no_time_changes_nothing(recovery);
    }
}

fn a_link_that_takes_no_time_changes_nothing(recovery: &str) {
    let fused = format!(
        "[link]\nrate = '20Mbit/s'\nrtt = '30ms'\nloss = 'every:1000'\n\
         [[flow]]\ncc = 'cubic'\nrecovery = '{recovery}'\ncount = 3\nstart = {{ uniform = ['0s', '100ms'] }}"
    );
    let linked = fused.replace("loss", "reverse = { rate = '1000Gbit/s', loss = 'at:999999999' }\nloss");
    let (fused, linked) = (run_of(&fused), run_of(&linked));
    let rows = |simulation: &Simulation| -> Vec<_> {
        simulation
            .tables()
            .cwnd
            .iter()
            .map(|row| (row.time_ns, row.flow, row.cwnd, row.ssthresh, row.forwarded))
            .collect()
    };
    assert!(
        fused.tables().events.iter().filter(|event| event.kind == EventKind::Drop(DropCause::Loss)).count()
            > 5
    );
    assert_eq!(rows(&fused), rows(&linked));
    // But for the link on the reverse path, which only one of them has.
    let flows = |simulation: &Simulation| -> Vec<_> {
        simulation
            .summary()
            .flows
            .into_iter()
            .map(|flow| FlowSummary { reverse_path: Vec::new(), ..flow })
            .collect()
    };
    assert_eq!(flows(&fused), flows(&linked));
}

// 20 Mbit/s carry 1666.7 packets of 1500 bytes a second, acknowledged in pairs by 833.3 packets of 52 bytes: 346.7 kbit/s. (Linux also
// acknowledges what its application reads of a window of 60.)
#[test]
fn acknowledgements_load_the_way_back() {
    let all = summary(
        "measure = ['2s', '5s']\n[link]\nrate = '20Mbit/s'\nrtt = '30ms'\nreverse = true\n[[flow]]\ncc = 'reno'\nrecovery = 'rfc'\nrwnd = 60",
    );
    assert!(known(all.links[0].utilization) > 0.99, "{all:#?}");
    let reverse = known(all.links[1].utilization) * 20_000.0;
    assert!((reverse - 346.7).abs() < 4.0, "{reverse} kbit/s");
    // A fourteenth of that rate back cannot carry them: one pair's acknowledgement in 1.67 ms needs 250 kbit/s.
    let starved = summary(
        "measure = ['2s', '5s']\n[link]\nrate = '20Mbit/s'\nrtt = '30ms'\nreverse = { rate = '100kbit/s', queue = { kind = 'droptail', limit = '5packets' } }\n[[flow]]\ncc = 'reno'",
    );
    assert!(
        known(starved.links[1].utilization) > 0.99 && starved.links[1].drops[DropCause::Full] > 100,
        "{starved:#?}"
    );
}

// Ten segments of 1500 bytes at 12 Mbit/s, 1 ms each, over a round trip of 40 ms, the initial window holding all: the last one has
// left after 10 ms and is at the receiver 20 ms later.
#[test]
fn a_transfer_is_complete_when_its_last_byte_is_at_the_receiver() {
    for reverse in ["", "reverse = { rate = '1000Gbit/s' }\n"] {
        let rest = format!(
            "[link]\nrate = '12Mbit/s'\nrtt = '40ms'\n{reverse}[[flow]]\ncc = 'reno'\nrecovery = 'sack-prr'\nstart = '1s'\nsize = '14480B'"
        );
        let run = run_of(&rest);
        let transfers = &run.tables().transfers;
        assert_eq!(transfers.len(), 1);
        assert_eq!(
            (transfers[0].start_ns, transfers[0].end_ns),
            (1_000_000_000, Some(1_030_000_000)),
            "{reverse}"
        );
        assert_eq!(run.summary().flows[0].run.packets_sent, 10);
    }
}

// A request of one segment and a response of one, 1 ms of serialisation and 20 ms of way each, the server 3 ms, then a pause of 5:
// the first exchange begins after the first pause and ends 1 + 20 + 3 + 1 + 20 = 45 ms later, the next begins 5 ms after that.
#[test]
fn a_response_follows_its_request_and_the_next_request_its_response() {
    let rest = "[link]\nrate = '12Mbit/s'\nrtt = '40ms'\nreverse = true\n[[flow]]\ncc = 'reno'\nstart = '4.9s'\n\
                [[traffic]]\nmodel = 'request-response'\nsessions = 1\nrequest = '1448B'\nresponse = '1448B'\nserver = '3ms'\nthink = '5ms'\nkeep = true";
    let run = run_of(rest);
    let ms = |ns: u64| ns as f64 / 1e6;
    let first: Vec<_> = run
        .tables()
        .transfers
        .iter()
        .take(4)
        .map(|t| (ms(t.start_ns), ms(t.end_ns.unwrap_or(0)), t.reverse))
        .collect();
    assert_eq!(first, [(5.0, 26.0, true), (29.0, 50.0, false), (55.0, 76.0, true), (79.0, 100.0, false)]);
}

// Mathis: throughput falls as 1/RTT, and a flow over three bottlenecks meets three times the losses.
#[test]
fn in_a_parking_lot_the_flow_over_all_bottlenecks_gets_least() {
    let cross: String = (0..3)
        .map(|n| format!("[[flow]]\ncc = 'reno'\nfrom = 'n{n}'\nto = 'n{}'\nrtt = '40ms'\n", n + 1))
        .collect();
    let all = run(&format!(
        "duration = '100s'\nmeasure = ['10s', '100s']\nseed = 1\n[parking_lot]\nhops = 3\nrate = '10Mbit/s'\ndelay = '5ms'\n\
         queue = {{ kind = 'droptail', limit = '30packets' }}\n\
         [[flow]]\ncc = 'reno'\nfrom = 'n0'\nto = 'n3'\nrtt = '40ms'\n{cross}"
    ))
    .summary();
    let long = all.flows[0].throughput_mbps;
    for cross in &all.flows[1..] {
        assert!(cross.throughput_mbps > 1.5 * long, "{all:#?}");
    }
    assert!(all.links.iter().take(3).all(|link| known(link.utilization) > 0.9), "{all:#?}");
}

#[test]
fn places_of_flows_that_have_ended_are_used_again() {
    let rest = "[link]\nrate = '100Mbit/s'\nrtt = '10ms'\n[[flow]]\ncc = 'reno'\nrwnd = 1\n\
                [[traffic]]\nmodel = 'mix'\nshare = 0.5\nsize = '14480B'\ndirection = 'both'\nrtt = { kind = 'exponential', mean = '10ms', at_most = '50ms' }";
    let run = run_of(rest);
    let started = run.tables().transfers.len();
    // 50 Mbit/s each way in transfers of ten packets of 12 000 bits: 417 a second.
    assert!((3600..4800).contains(&started), "{started}");
    assert!(run.flow_slots() < 200, "{} places for {started} transfers", run.flow_slots());
    let finished = run.tables().transfers.iter().filter(|transfer| transfer.end_ns.is_some()).count();
    assert!(finished + 100 > started, "{finished} of {started}");
}

// The load asked is 30 % of 20 Mbit/s each way; what the link carried is what was offered, but for what is under way at the ends.
#[test]
fn the_load_achieved_stands_beside_the_one_asked() {
    let rest = "[link]\nrate = '20Mbit/s'\nrtt = '10ms'\n[[flow]]\ncc = 'reno'\nrwnd = 1\n\
                [[traffic]]\nmodel = 'mix'\nshare = 0.3\ndirection = 'both'\nsize = { kind = 'exponential', mean = '14480B' }";
    let text = format!("duration = '60s'\nseed = 4\n{rest}");
    for group in run(&text).summary().traffic {
        let ("rate", Some(asked)) = (group.asked, group.asked_mbps) else { panic!("{group:?}") };
        assert!((asked / 6.0 - 1.0).abs() < 1e-6, "{group:?}");
        // 3000 transfers a minute, exponential: 1/√3000 · √2 = 2.6 % of standard deviation.
        assert!((group.offered_mbps / 6.0 - 1.0).abs() < 0.08, "{group:?}");
        assert!((group.carried_mbps / group.offered_mbps - 1.0).abs() < 0.02, "{group:?}");
    }
}

#[test]
fn a_stop_a_start_and_a_switch_take_place_when_they_are_asked() {
    let run = run_of(SETTINGS[5].1);
    let seen: Vec<_> = run
        .tables()
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Start | EventKind::Stop | EventKind::Switch))
        .map(|event| (event.time_ns / 1_000_000, event.flow, event.kind))
        .collect();
    let expected = [
        (0, 0, EventKind::Start),
        (0, 1, EventKind::Start),
        (2000, 0, EventKind::Stop),
        (2500, 1, EventKind::Switch),
        (3000, 0, EventKind::Start),
    ];
    assert_eq!(seen, expected);
    // Stopped, and what was out has arrived after 200 ms at most: 30 ms of way and a full queue of 50 packets in 30 ms.
    let run = run_of(
        "[link]\nrate = '20Mbit/s'\nrtt = '30ms'\n[[flow]]\ncc = 'cubic'\nrwnd = 90\n\
         [[action]]\nstop = { flow = 'cubic', at = '2s' }\n[[action]]\nstart = { flow = 'cubic', at = '3s' }",
    );
    let sent = |from: u64, to: u64| {
        let at =
            |ms: u64| run.tables().cwnd.iter().find(|row| row.flow == 0 && row.time_ns >= ms * 1_000_000);
        at(to).map_or(0, |row| row.forwarded) - at(from).map_or(0, |row| row.forwarded)
    };
    assert_eq!(sent(2200, 3000), 0);
    assert!(sent(3000, 4000) > 1000);
}
