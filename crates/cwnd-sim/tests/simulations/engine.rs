// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds for every simulation: packets are conserved, recoveries recover.

use crate::common::{FIG6, known, run};
use cwnd::registry::{ALGORITHMS, Recovery};
use cwnd_link::DropCause;
use cwnd_scenario::Scenario;
use cwnd_sim::{EventKind, Simulation, Summary};

fn small_link(flow: &str, extra: &str) -> String {
    format!(
        "duration = '20s'\nmeasure = ['5s', '20s']\nseed = 3\n[link]\nrate = '10Mbit/s'\nrtt = '30ms'\n{extra}\n[[flow]]\nstart = '10ms'\n{flow}"
    )
}

#[test]
fn packets_are_conserved_at_every_instant() {
    conserved(FIG6);
    // A red queue, and hosts that hold packets back.
    let red = "kind = 'red', limit = '1bdp', min = '0.1bdp', max = '0.3bdp'";
    let random = FIG6.replace("kind = \"droptail\", limit = \"1bdp\"", red);
    conserved(&random.replace("count = 4", "count = 4\noverhead = '300us'"));
    // A queue that holds its packets, also behind an access link and for acknowledgements.
    let codel = FIG6.replace("kind = \"droptail\", limit = \"1bdp\"", "kind = 'codel', limit = '1bdp'");
    conserved(&codel);
    conserved(&codel.replace("rtt = \"40ms\"", "rtt = '40ms'\nreverse = { rate = '9Mbit/s' }"));
    conserved(&codel.replace("count = 4", "count = 4\naccess = { rate = '60Mbit/s', queue = '50packets' }"));
}

fn conserved(scenario: &str) {
    let scenario = Scenario::from_toml(scenario).expect("valid");
    let mut simulation = Simulation::new(&scenario);
    let mut instants = 0;
    while !simulation.step(97) {
        for (number, flow) in simulation.packet_locations().into_iter().enumerate() {
            let accounted = flow.at_host + flow.arrived + flow.queued + flow.propagating + flow.dropped;
            assert_eq!(flow.sent, accounted, "flow {number} at {} ns: {flow:?}", simulation.now());
        }
        instants += 1;
    }
    assert!(instants > 1000);
}

fn alone(cc: &str, recovery: Recovery) -> Summary {
    // The segments that FAST keeps in the queue must fit: its hundred would overflow a queue of 25 at every update.
    let settings = if cc == "fast" { "alpha = 10" } else { "" };
    run(&small_link(&format!("cc = '{cc}'\nrecovery = '{}'\n{settings}", recovery.name()), "")).summary()
}

/// While it knows no maximum (before the first loss, after a timeout), BIC grows without regard to the path: the kernel's
/// below 48 segments by one for three acknowledged; and it keeps 0.8 of where that ends. On a path that holds 50 segments
/// recoveries without selective acknowledgements, and of the kernel's form every one but proportional reduction, then
/// lose retransmissions or repair one segment per round trip, again and again. The paper's form keeps W_max over a timeout,
/// and is held only where recovery ends at the first new acknowledgement of several losses.
fn is_held_in_repairs(cc: &str, recovery: Recovery) -> bool {
    match cc {
        "bic" => !matches!(recovery, Recovery::Sack | Recovery::SackPrr | Recovery::Linux),
        "bic-linux" | "bic-2.6" => !matches!(recovery, Recovery::SackPrr | Recovery::Linux),
        "bic-2004" => recovery == Recovery::Reno,
        _ => false,
    }
}

#[test]
fn bics_probing_of_a_small_path_needs_a_good_recovery() {
    let held = [
        ("bic", Recovery::NewReno),
        ("bic-linux", Recovery::Sack),
        ("bic-2.6", Recovery::NewReno),
        ("bic-2004", Recovery::Reno),
    ];
    for (cc, recovery) in held {
        let timeouts = alone(cc, recovery).flows[0].run.timeouts;
        assert!(timeouts > 12, "{cc}: {timeouts}: no exception is needed any more");
        let with_prr = alone(cc, Recovery::SackPrr);
        assert_eq!(with_prr.flows[0].run.timeouts, 0);
        assert!(known(with_prr.link().utilization) > 0.99);
    }
}

// SQRT gives away a few segments where slow start has overshot by half a window: with RFC 6675 alone, which sends a window
// into the full queue, only timeouts bring it down. They end with the start.
#[test]
fn sqrt_comes_down_from_slow_starts_overshoot_by_timeouts_and_then_has_none() {
    let flow = "cc = 'sqrt'\nrecovery = 'sack'";
    let timeouts = |flow: &str, s: u32| {
        let scenario = small_link(flow, "").replace("20s", &format!("{s}s"));
        run(&scenario).summary().flows[0].run.timeouts
    };
    let (start, all) = (timeouts(flow, 20), timeouts(flow, 100));
    assert!(start > 6 && all == start, "{start} in 20 s, {all} in 100 s");
    // Started in avoidance at the window that the path holds, it has none.
    assert_eq!(timeouts(&format!("{flow}\ninitial_cwnd = 30\ninitial_ssthresh = 30"), 100), 0);
}

/// H-TCP's α is 4 to 5 segments per round trip where this queue overflows, 1.3 s after a loss, so five segments are lost at
/// once. Fast recovery that ends at the first new acknowledgement (RFC 5681) halves the window twice and waits for the timer.
fn loses_too_many_at_once(cc: &str, recovery: Recovery) -> bool {
    cc == "htcp" && recovery == Recovery::Reno
}

#[test]
fn htcp_needs_a_recovery_that_repairs_several_losses() {
    assert!(
        known(alone("htcp", Recovery::Reno).link().utilization) < 0.75,
        "no exception is needed any more"
    );
    assert!(known(alone("htcp", Recovery::Sack).link().utilization) > 0.95);
}

#[test]
fn every_algorithm_fills_a_small_link_with_every_recovery() {
    for set in ALGORITHMS.iter().flat_map(|algorithm| algorithm.sets()) {
        for recovery in Recovery::ALL {
            if is_held_in_repairs(set.name, recovery) || loses_too_many_at_once(set.name, recovery) {
                continue;
            }
            let summary = alone(set.name, recovery);
            let (name, flow) = (format!("{} with {}", set.name, recovery.name()), &summary.flows[0]);
            let used = known(summary.link().utilization);
            assert!(used > 0.75, "{name}: {used}");
            // Eight of SQRT's start: see the test above.
            let most = if set.name == "sqrt" && recovery == Recovery::Sack { 8 } else { 6 };
            assert!(flow.run.timeouts <= most, "{name}: {} timeouts", flow.run.timeouts);
            assert!(flow.goodput_mbps <= flow.throughput_mbps * 1448.0 / 1500.0 + 0.01, "{name}");
            // Vegas and FAST keep the queue short, once their slow start is over.
            let by_delay = set.name.starts_with("vegas") || set.name == "fast";
            assert!(flow.run.drops.total() > 0 || by_delay, "{name}: the queue never overflowed");
        }
    }
}

/// One loss of segment 199 in congestion avoidance at 50 segments: retransmissions, timeouts, and the window after it.
fn one_loss(recovery: &str, losses: &str) -> (u64, u64, u32, Vec<u64>) {
    let flow = format!(
        "cc = 'sack'\nrecovery = '{recovery}'\ninitial_cwnd = 50\ninitial_ssthresh = 50\nmin_rto = '1s'"
    );
    let simulation = run(&format!(
        "duration = '2s'\n[link]\nrate = '1Gbit/s'\nrtt = '100ms'\nloss = '{losses}'\n\
         queue = {{ kind = 'droptail', limit = '1000packets' }}\n[[flow]]\n{flow}"
    ));
    let flow = simulation.summary().flows[0].clone();
    let states: Vec<u64> =
        simulation.tables().events.iter().filter(|e| e.kind == EventKind::State).map(|e| e.value).collect();
    let after = simulation.tables().events.iter().rfind(|e| e.kind == EventKind::State).map_or(0, |e| e.cwnd);
    (flow.run.retransmits, flow.run.timeouts, after, states)
}

// RFC 5681, 6582, 6675: one loss is one retransmission and half the window (52 and three more by then: 26), without a
// timeout. States: disorder, recovery, open.
#[test]
fn a_single_loss_costs_one_retransmission_and_half_the_window() {
    for recovery in ["sack", "newreno", "reno"] {
        let (retransmits, timeouts, after, states) = one_loss(recovery, "at:200");
        assert_eq!((retransmits, timeouts), (1, 0), "{recovery}");
        assert!((25..=27).contains(&after), "{recovery}: {after}");
        assert_eq!(states, [1, 3, 0], "{recovery}");
    }
}

// Tahoe: slow start from one segment, and everything beyond the loss is sent again.
#[test]
fn tahoe_starts_over() {
    let (retransmits, timeouts, _, states) = one_loss("tahoe", "at:200");
    assert!(retransmits >= 1 && timeouts == 0, "{retransmits} {timeouts}");
    assert_eq!(states, [1, 4, 0]);
}

// RFC 6675 §5: five losses of one window, one reduction, five retransmissions, one round trip. RFC 6582: the same,
// one hole per round trip. RFC 5681's Reno leaves at the first hole and reduces again, or times out.
#[test]
fn several_losses_of_one_window_are_one_reduction_with_sack_and_newreno() {
    let five = "at:200,203,206,209,212";
    for recovery in ["sack", "sack-prr", "linux", "newreno"] {
        let (retransmits, timeouts, after, states) = one_loss(recovery, five);
        assert_eq!((retransmits, timeouts), (5, 0), "{recovery}");
        assert!((23..=28).contains(&after), "{recovery}: {after}");
        assert_eq!(states, [1, 3, 0], "{recovery}");
    }
    let (_, timeouts, _, states) = one_loss("reno", five);
    assert!(timeouts > 0 || states.iter().filter(|s| **s == 3).count() > 1, "{states:?}");
}

// RFC 6298 §5: the first segment of a flow that can send only one is lost: one second (the initial timeout) later it
// goes again.
#[test]
fn the_initial_timeout_is_one_second() {
    let simulation = run(
        "duration = '3s'\n[link]\nrate = '10Mbit/s'\nrtt = '20ms'\nloss = 'at:1'\n[[flow]]\ncc = 'reno'\nrecovery = 'sack-prr'\ninitial_cwnd = 1",
    );
    let timeout =
        simulation.tables().events.iter().find(|e| e.kind == EventKind::Timeout).expect("a timeout");
    assert_eq!(timeout.time_ns, 1_000_000_000);
}

// RFC 5681 §4.2: one ACK for two segments in slow start with `sack` (one increase per ACK) makes the window grow by
// half per round trip instead of doubling: 10, 15, 22.
#[test]
fn delayed_acknowledgements_slow_an_ack_counter_down() {
    let after_rounds = |ack_every: u32| {
        let simulation = run(&format!(
            "duration = '150ms'\n[link]\nrate = '1Gbit/s'\nrtt = '100ms'\nqueue = {{ kind = 'droptail', limit = '1000packets' }}\n\
             [record]\ninterval = '0s'\nper_ack = true\n[[flow]]\ncc = 'sack'\nack_every = {ack_every}"
        ));
        simulation.tables().cwnd.last().map_or(0, |row| row.cwnd)
    };
    assert_eq!((after_rounds(1), after_rounds(2)), (20, 15));
}

// A lone segment waits for the delayed acknowledgement: RTT 20 ms + 40 ms.
#[test]
fn a_lone_segment_is_acknowledged_after_the_delay() {
    let simulation = run(
        "duration = '1s'\n[link]\nrate = '1Gbit/s'\nrtt = '20ms'\n[record]\ninterval='0s'\nper_ack=true\n\
         [[flow]]\ncc = 'reno'\nrecovery = 'sack-prr'\ninitial_cwnd = 1\nack_delay = '40ms'",
    );
    let first = simulation.tables().cwnd.iter().find(|row| row.cwnd > 1).expect("it grows");
    assert_eq!(first.time_ns, 60_000_000 + 12_000); // 1500 bytes at 1 Gbit/s take 12 µs
}

// RTT 160 ms, delayed ACKs of 40 ms, a queue of 30 ms: 230 ms at times, more than the floor of 200 ms.
#[test]
fn a_long_path_times_out_only_when_nothing_comes_back() {
    let flow = "cc = 'reno'\nrtt = '160ms'\ninitial_ssthresh = 40";
    let summary = run(&small_link(flow, "").replace("20s", "120s")).summary();
    assert_eq!(summary.flows[0].run.timeouts, 0);
    assert!(summary.flows[0].run.retransmits > 0 && summary.link().drops[DropCause::Full] > 0);
}

#[test]
fn the_receive_window_limits_only_when_asked() {
    let limited = run(&small_link("cc = 'cubic'\nrwnd = 10", "")).summary();
    // 10 segments of 1500 bytes per 30 ms (and 10 serialisations of 1.2 ms at most): 4 Mbit/s less a little.
    assert!((3.5..4.01).contains(&limited.flows[0].throughput_mbps), "{}", limited.flows[0].throughput_mbps);
    assert_eq!(limited.link().drops[DropCause::Full], 0);
}

#[test]
fn a_flow_stops_when_its_application_does() {
    // Of Linux what is in the send buffer leaves, too.
    let simulation = run(&small_link("cc = 'cubic'\nrecovery = 'rfc'\nstop = '5s'", ""));
    let counts = simulation.summary().flows[0].run;
    let accepted = counts.packets_sent - counts.drops.total();
    // 5 s at 10 Mbit/s are 4167 packets; a buffer of one BDP (25) more can be out, and the start costs some.
    assert!((3_500..=4_192).contains(&accepted), "{accepted}");
    let stops = |simulation: &Simulation| -> Vec<u64> {
        let events = simulation.tables().events.iter();
        events.filter(|row| row.kind == EventKind::Stop).map(|row| row.time_ns / 1_000_000).collect()
    };
    assert_eq!(stops(&simulation), [5_000], "as an action's stop");
    // An action that comes before it has its own event, and takes the key's away.
    let earlier = "[[action]]\nstop = { flow = 'cubic', at = '3s' }";
    assert_eq!(stops(&run(&small_link(&format!("cc = 'cubic'\nstop = '5s'\n{earlier}"), ""))), [3_000]);
}

// RFC 3042: with limited transmit, two duplicates release two new segments; without, nothing moves until the third.
#[test]
fn limited_transmit_keeps_a_small_window_from_timing_out() {
    let small = |limited| {
        let flow = format!(
            "cc = 'newreno'\ninitial_cwnd = 3\ninitial_ssthresh = 3\nack_every = 1\nlimited_transmit = {limited}"
        );
        run(&format!(
            "duration = '1s'\n[link]\nrate = '10Mbit/s'\nrtt = '100ms'\nloss = 'at:1'\n[[flow]]\n{flow}"
        ))
        .summary()
        .flows[0]
            .run
            .timeouts
    };
    assert_eq!((small(true), small(false)), (0, 1));
}

// Two like flows with the same path share it about evenly over a minute.
#[test]
fn like_flows_share_evenly() {
    let summary =
        run("duration = '120s'\nmeasure = ['20s', '120s']\n[link]\nrate = '20Mbit/s'\nrtt = '40ms'\n\
         [[flow]]\ncc = 'reno'\ncount = 2\nstart = { uniform = ['0s', '1s'] }")
        .summary();
    assert!(summary.jain > 0.9, "{}", summary.jain);
}

#[test]
fn inner_variables_are_sampled_with_the_windows_and_only_when_asked_for() {
    let scenario = |inner: &str| {
        format!(
            "duration = '5s'\n[link]\nrate = '20Mbit/s'\nrtt = '20ms'\n[record]\n{inner}\n[[flow]]\ncc = 'cubic'\nfast_convergence = false\n[[flow]]\ncc = 'scalable'"
        )
    };
    assert!(run(&scenario("")).tables().inner.is_empty());
    let all = run(&scenario("inner = true"));
    let named = run(&scenario("inner = ['w_max', 'w_est']"));
    let cubic = cwnd::registry::find("cubic").expect("registered").0.inner().count();
    // Samples at 0, 0.1, … 5 s: 51 of each of CUBIC's variables, and none of Scalable TCP, which has none.
    assert_eq!(all.tables().inner.len(), 51 * cubic);
    assert_eq!(named.tables().inner.len(), 51 * 2);
    let w_max: Vec<_> = all.tables().inner.iter().filter(|row| row.name == "w_max").collect();
    assert!(named.tables().inner.iter().filter(|row| row.name == "w_max").eq(w_max.iter().copied()));
    // W_max is the window that the last loss came at, and ssthresh 0.7 of it, to the nearest segment.
    let cwnd = all.tables().cwnd.iter().filter(|row| row.flow == 0);
    let judged = w_max.iter().zip(cwnd).filter(|(w_max, cwnd)| w_max.value > 0 && cwnd.ca_state == 0);
    let judged = judged.map(|(w_max, cwnd)| {
        assert!((0.7 * w_max.value as f64 - f64::from(cwnd.ssthresh)).abs() <= 0.5, "{w_max:?} {cwnd:?}");
    });
    assert!(judged.count() > 20);
    // Watching changes nothing.
    assert_eq!(all.tables().cwnd, run(&scenario("")).tables().cwnd);
}
