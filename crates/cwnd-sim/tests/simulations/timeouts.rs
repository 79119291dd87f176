// SPDX-License-Identifier: MIT OR Apache-2.0
//! Retransmission timeouts whose floor is far below a round trip time.

use crate::common::run;

/// Timeouts, retransmissions and drops of four CUBIC flows in a minute.
fn four_flows(path: &str, flow: &str) -> (u64, u64, u64) {
    let scenario = format!(
        "duration = '60s'\nseed = 1\n[link]\n{path}\n[[flow]]\ncc = 'cubic'\ncount = 4\n{flow}\n\
         start = {{ uniform = ['0s', '100ms'] }}"
    );
    let summary = run(&scenario).summary();
    let flows = summary.flows.iter();
    flows.fold((0, 0, 0), |sum, flow| {
        (sum.0 + flow.run.timeouts, sum.1 + flow.run.retransmits, sum.2 + flow.run.drops.total())
    })
}

// RFC 6298's variation with a sample per acknowledgement decays to nothing within a round trip (RFC 7323 appendix G), and the timer
// then fires before the acknowledgement of a fast retransmission can be there: with a floor of 1 µs 12 to 36 timeouts and 2 to 6
// retransmissions for each drop on these paths. Sampled per round trip, and restarted by the fast retransmit (RFC 6675 §6), it never
// does: every drop is repaired by fast retransmit, once.
// Row DR13.
#[test]
fn a_timeout_without_a_floor_does_not_fire_where_fast_retransmit_repairs() {
    for path in [
        "rate = '100Mbit/s'\nrtt = '40ms'\nqueue = { kind = 'droptail', limit = '1bdp' }",
        "rate = '10Mbit/s'\nrtt = '40ms'\nqueue = { kind = 'droptail', limit = '100packets' }",
    ] {
        for recovery in ["sack", "sack-prr"] {
            for ack_every in [1, 2] {
                for min_rto in ["1us", "1ms", "200ms"] {
                    let flow =
                        format!("recovery = '{recovery}'\nack_every = {ack_every}\nmin_rto = '{min_rto}'");
                    let (timeouts, retransmits, drops) = four_flows(path, &flow);
                    assert_eq!(timeouts, 0, "{path}, {flow}");
                    assert!(drops > 100 && retransmits <= drops, "{path}, {flow}: {retransmits} for {drops}");
                }
            }
        }
    }
}

// The timer is there where nothing else is: the last segments of a transfer are lost with nothing after them. With a floor of 1 µs
// the timeout is a few round trips, not 200 ms and more.
#[test]
fn a_tail_loss_is_repaired_by_the_timer_within_round_trips() {
    let done = |min_rto: &str| {
        let simulation = run(&format!(
            "duration = '2s'\n[link]\nrate = '100Mbit/s'\nrtt = '10ms'\nloss = 'at:40'\n[[flow]]\ncc = 'cubic'\nrecovery = 'sack-prr'\n\
             size = '57920B'\nmin_rto = '{min_rto}'"
        ));
        let events = &simulation.tables().events;
        let timeout = events.iter().find(|event| event.kind == cwnd_sim::EventKind::Timeout);
        timeout.expect("the fortieth of 40 segments is lost").time_ns / 1_000_000
    };
    let (short, long) = (done("1us"), done("200ms"));
    assert!((30..90).contains(&short) && long > 200, "{short} ms, {long} ms");
}
