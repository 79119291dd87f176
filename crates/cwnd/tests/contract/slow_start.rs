// SPDX-License-Identifier: MIT OR Apache-2.0
//! HyStart++ in every algorithm that carries a slow start: what an undone loss leaves of it, and its settings.

use crate::support::{DrivenFlow, algorithm, sets};
use cwnd::INFINITE_SSTHRESH;
use cwnd::registry::SetDescription;

/// The sets whose slow start can be chosen.
fn carriers() -> impl Iterator<Item = SetDescription> {
    sets().into_iter().filter(|set| algorithm(set).specs.iter().any(|spec| spec.name == "slow_start"))
}

/// A flow of 50 segments in its first slow start, with HyStart++ and these settings.
fn watching(set: &SetDescription, settings: &[(&str, &str)]) -> DrivenFlow {
    let mut flow = DrivenFlow::new(set, 50, 50_000);
    flow.driver.conn.ssthresh = INFINITE_SSTHRESH; // some sets begin with a threshold of their own
    for (name, value) in [("slow_start", "hystart++")].iter().chain(settings) {
        flow.driver.cc.set_param(name, value).expect("a slow start's setting");
    }
    flow
}

/// Rounds, the RTT 20 ms longer in each, until slow start ends or the window is a million; the window at the end.
fn until_the_exit(flow: &mut DrivenFlow) -> u32 {
    while flow.driver.conn.ssthresh == INFINITE_SSTHRESH && flow.cwnd() < 1_000_000 {
        flow.round(1);
        flow.rtt_us += 20_000;
    }
    flow.cwnd()
}

// RFC 9406 §4.3: HyStart++ is for the initial slow start, while ssthresh has its initial value. RFC 9438 §4.9.2: an undone loss
// gives that value back, and the first slow start goes on with HyStart++: without the loss it ends at this window, with it
// within the growth of a round (of two: the round that the loss fell into is judged late).
#[test]
fn an_undone_loss_leaves_hystart_plus_plus_on_watch() {
    let mut seen = 0;
    for set in carriers() {
        let plain = until_the_exit(&mut watching(&set, &[]));
        assert!(plain < 2_000, "{}: {plain}", set.name);
        for timeout in [false, true] {
            let mut flow = watching(&set, &[]);
            flow.round(1);
            if timeout {
                flow.time_out();
            } else {
                flow.declare_lost();
            }
            assert!(flow.driver.conn.ssthresh < INFINITE_SSTHRESH);
            for _ in 0..5 {
                flow.pace(1);
                flow.ack(1); // of data that was out before, with its RTT
            }
            assert!(flow.spurious(), "{}", set.name);
            assert_eq!(flow.driver.conn.ssthresh, INFINITE_SSTHRESH, "{}", set.name);
            let after = until_the_exit(&mut flow);
            assert!(after <= 4 * plain, "{}, timeout {timeout}: {after} beside {plain}", set.name);
            seen += 1;
        }
    }
    assert!(seen >= 20, "{seen}");
}

// RFC 9406 §4.3: after a loss that stands, slow start is the standard's: it doubles through any rise of the RTT.
// R9406-4.2-g
#[test]
fn a_loss_that_stands_ends_hystart_plus_plus() {
    for set in carriers() {
        let mut flow = watching(&set, &[]);
        flow.round(1);
        flow.time_out();
        flow.repair();
        flow.driver.conn.ssthresh = 10_000;
        let before = flow.cwnd();
        for _ in 0..4 {
            flow.round(1);
            flow.rtt_us += 20_000;
        }
        assert_eq!(flow.cwnd(), 16 * before, "{}", set.name);
    }
}
