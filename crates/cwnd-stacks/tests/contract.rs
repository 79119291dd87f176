// SPDX-License-Identifier: MIT OR Apache-2.0
//! quinn's own controllers behind our hooks: under the contract that our algorithms keep, and beside our CUBIC in one driver.

use cwnd::registry::SetDescription;
use cwnd_contract::check::{Exemptions, every_breach};
use cwnd_contract::support::{DrivenFlow, set};
use cwnd_stacks::stock_behind_hooks;

/// Names of all promises that a set does not keep, in order, and what was seen first of each.
fn broken(set: &SetDescription) -> Vec<(String, String)> {
    let breaches = every_breach(set, 1, 200, Exemptions::default()).into_iter();
    let mut found: Vec<(String, String)> =
        breaches.map(|breach| (breach.promise, format!("{} {}", breach.event, breach.seen))).collect();
    found.sort();
    found
}

// Their windows are their own, and the contract's histories set windows from outside (an idle restart, an undo, a flow that begins at
// a window): the next acknowledgement brings theirs back, which breaks the first five of each, all but `ClockBackwards`. Times that
// run back do not exist for them: `Instant`s do not. NewReno's floor is two datagrams of 1200 bytes, which is less than two of a
// larger size; it counts bytes only when a whole window has been acknowledged, and one without a sample of the round trip time is what
// quinn never has.
//
// What they keep, no panic, no overflow, one state from one history, ten years without a loss among it, is what is not listed.
#[test]
fn what_of_the_contract_quinns_controllers_do_not_keep_is_on_record() {
    let record: [(&str, &[&str]); 2] = [
        (
            "quinn-cubic",
            &[
                "ALossKeepsAHalf",
                "ALossNeverRaises",
                "ClockBackwards",
                "GrowthIsBackedByAcknowledgements",
                "NeverShrinksOnAnAck",
                "NoGrowthWhileApplicationLimited",
            ],
        ),
        (
            "quinn-newreno",
            &[
                "ABillionSegments",
                "ALossKeepsAHalf",
                "ALossNeverRaises",
                "ClockBackwards",
                "GrowthIsBackedByAcknowledgements",
                "NeverBelowItsFloor",
                "NeverShrinksOnAnAck",
                "NoGrowthWhileApplicationLimited",
                "NoRttSample",
                "SmallestWindows",
            ],
        ),
    ];
    for (set, (name, expected)) in stock_behind_hooks().iter().zip(record) {
        let found = broken(set);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((set.name, names.as_slice()), (name, expected), "{found:#?}");
    }
}

/// For how long the window stands still after each of four losses, of which the second and the fourth come before the window is back where
/// the one before was: fast convergence. 40 ms, an acknowledgement for two packets.
fn standstills(set: &SetDescription) -> Vec<f64> {
    let mut flow = DrivenFlow::in_avoidance(set, 350, 40_000);
    let mut all = Vec::new();
    for seconds in [2.0, 5.0, 2.0, 5.0] {
        flow.lose();
        let (begin, after) = (flow.now_s(), flow.cwnd());
        while flow.cwnd() == after && flow.now_s() - begin < 10.0 {
            flow.round(2);
        }
        all.push(flow.now_s() - begin);
        flow.seconds(seconds);
    }
    all
}

// RFC 9438 §4.2: K is computed from the W_max that fast convergence leaves and the window after the loss, so the curve begins at that
// window. quinn-proto 0.11 computes K from the W_max as it is kept, and so begins below the window: it waits until the curve has
// come up to it.
#[test]
fn after_fast_convergence_quinns_cubic_stands_still_and_ours_grows_within_a_round_trip() {
    for ours in ["cubic", "cubic-linux"] {
        assert!(
            standstills(&set(ours)).iter().all(|still| *still <= 0.041),
            "{ours}: {:?}",
            standstills(&set(ours))
        );
    }
    let quinns = standstills(&stock_behind_hooks()[0]);
    assert!(quinns[1] > 0.8 && quinns[3] > 0.8, "{quinns:?}");
    assert!(quinns[0] <= 0.041 && quinns[2] <= 0.041, "without fast convergence it does not: {quinns:?}");
}
