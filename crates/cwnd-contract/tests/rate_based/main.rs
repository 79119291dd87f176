// SPDX-License-Identifier: MIT OR Apache-2.0
//! The promises of algorithms that set their own rate: what a sound one keeps, and what each fault breaks.

mod steady;

use cwnd::registry::SetDescription;
use cwnd_contract::check::{Exemptions, every_breach, promises};
use steady::{Fault, set};

/// Names of the promises that a set breaks, all of them at once.
fn broken(set: &SetDescription) -> Vec<String> {
    let breaches = every_breach(set, 1, 20, Exemptions::default());
    for breach in &breaches {
        println!("{}: {}", breach.promise, breach.seen);
    }
    let mut names: Vec<String> = breaches.into_iter().map(|breach| breach.promise).collect();
    names.sort();
    names
}

#[test]
fn a_sound_algorithm_with_a_rate_of_its_own_keeps_the_contract() {
    assert_eq!(broken(&set(Fault::None)), [""; 0]);
}

#[test]
fn each_fault_breaks_the_promises_that_name_it_and_no_other() {
    for (fault, expected) in Fault::BROKEN {
        assert_eq!(broken(&set(fault)), expected, "{fault:?}");
    }
}

// The loss-based promises are not asked of it, and these are not asked of a loss-based algorithm.
#[test]
fn an_algorithm_is_held_to_the_promises_of_its_kind() {
    let reno = cwnd_contract::support::set("reno");
    assert_eq!(broken(&reno), [""; 0]);
    let of = |set: &SetDescription| {
        let names = promises();
        names
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| cwnd_contract::check::applies(set, name))
            .collect::<Vec<_>>()
    };
    let (loss_based, rate_based) = (of(&reno), of(&set(Fault::None)));
    for name in ["Paced", "BoundedInFlight", "LeavesStartUp", "RecoversAfterSilence"] {
        assert!(
            rate_based.iter().any(|other| other == name) && loss_based.iter().all(|other| other != name),
            "{name}"
        );
    }
    for name in [
        "NeverShrinksOnAnAck",
        "NoGrowthWhileApplicationLimited",
        "GrowthIsBackedByAcknowledgements",
        "ALossNeverRaises",
    ] {
        assert!(
            loss_based.iter().any(|other| other == name) && rate_based.iter().all(|other| other != name),
            "{name}"
        );
    }
}
