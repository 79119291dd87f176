// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every algorithm of the registry promises, whatever a transport does to it. proptest prints the seed of a failure.
//!
//! The promises are in the crate `cwnd-contract`, because `cwnd check` holds algorithms outside the tree to them too: histories
//! in `random_history.rs`, what a state may depend on in `state.rs`, clocks and round trips in `time.rs`, windows and years in `extremes.rs`.
//! Here they are held against the registry; `exceptions.rs` has who breaks one on purpose, `inner.rs` what inner variables mean. Promises about one bug that somebody had are in `../regressions`.

mod constants;
mod exceptions;
mod extremes;
mod inner;
mod settings;
mod slow_start;
mod state;
mod time;
mod undo;

use cwnd::Conn;
use cwnd::registry::SetDescription;
use cwnd_contract::check::Exemptions;
use cwnd_contract::{check, random_history, support};
use exceptions::{EXCEPTIONS, excused};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use random_history::{ContractPromise, ContractRun, Step, conn, step};
use support::{cases, is_called, sets};

/// Holds every set to a promise of the contract.
fn every_set(promise: impl Fn(&SetDescription) -> Result<(), String>) {
    for set in sets() {
        promise(&set).unwrap_or_else(|seen| panic!("{}: {seen}", set.name));
    }
}

/// Plays `steps` with every set; fails on the first promise that is broken without an exception.
fn no_set_breaks_a_promise(conn: Conn, steps: &[Step]) -> Result<(), TestCaseError> {
    for set in sets() {
        let mut play = ContractRun::begin(&set, conn);
        for step in steps {
            play.step(*step);
            let broken = play.broken.drain(..).find(|(promise, _)| !excused(*promise, &set));
            if let Some((promise, what)) = broken {
                return Err(TestCaseError::fail(format!("{}: {promise:?} at {step:?}: {what}", set.name)));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(300))]

    // Rows GV2, NG3, Q1, X5, HA1: the promises of `random_history.rs`, for every set.
    #[test]
    fn no_algorithm_breaks_the_contract(conn in conn(), steps in prop::collection::vec(step(), 1..200)) {
        no_set_breaks_a_promise(conn, &steps)?;
    }
}

// An exception that nobody needs would hide a fault: every one must be seen to break its promise (the same cases in every run).
#[test]
fn every_exception_is_seen_to_be_needed() {
    let mut runner = TestRunner::deterministic();
    let cases: Vec<(Conn, Vec<Step>)> = (0..200)
        .map(|_| {
            (conn(), prop::collection::vec(step(), 100..200)).new_tree(&mut runner).expect("a case").current()
        })
        .collect();
    for (promise, whose, why) in EXCEPTIONS {
        let named: Vec<_> = sets().into_iter().filter(|set| is_called(set, whose)).collect();
        assert!(!named.is_empty(), "{whose} is not registered: {why}");
        for set in named {
            let seen = cases.iter().any(|(conn, steps)| {
                let mut play = ContractRun::begin(&set, *conn);
                steps.iter().for_each(|step| play.step(*step));
                play.broken.iter().any(|(broken, _)| broken == promise)
            });
            assert!(seen, "{} keeps {promise:?}: it needs no exception", set.name);
        }
    }
}

// `cwnd check` runs the same promises over one set: it finds what Vegas breaks on purpose, from any seed, and nothing in reno.
#[test]
fn the_check_of_one_set_finds_what_it_breaks_and_nothing_else() {
    let none = Exemptions::default();
    let reno = support::set("reno");
    assert_eq!(check::histories(&reno, 1, 50, none), None);
    assert_eq!(check::fixed(&reno, none, || false), None);
    let vegas = support::set("vegas");
    for seed in 0..3 {
        let breach = check::histories(&vegas, seed, 50, none).expect("Vegas shrinks on an ACK");
        let promise = ContractPromise::ALL
            .into_iter()
            .find(|promise| promise.name() == breach.promise)
            .expect("a promise");
        assert!(excused(promise, &vegas), "{breach:?}");
        assert!(!breach.seen.is_empty() && breach.history.last() == Some(&breach.event), "{breach:?}");
        assert!(breach.history.len() < 20, "made small: {breach:?}");
        assert_eq!(Some(breach), check::histories(&vegas, seed, 50, none), "a seed is a history");
    }
    let on_purpose = ContractPromise::ALL
        .into_iter()
        .filter(|promise| excused(*promise, &vegas))
        .map(ContractPromise::name);
    let on_purpose: Vec<String> = on_purpose.collect();
    assert_eq!(check::histories(&vegas, 1, 50, Exemptions(&on_purpose)), None);
}
