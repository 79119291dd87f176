// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every parameter at random within its declared range: the range is a promise too. Built with overflow checks, so that a
//! product that leaves 64 bits fails.

use crate::exceptions::{BY_SETTINGS, excused, excused_by_settings};
use crate::random_history::{ContractPromise, ContractRun, Step, conn, step};
use crate::support::{algorithm, cases, is_called, sets};
use cwnd::params::{ParamKind, Spec};
use cwnd::registry::SetDescription;
use cwnd::{Conn, Controller};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// One parameter's draw: how, and from what.
type RandomSetting = (u8, u32);

/// A value of `spec`'s range; `None` leaves the set's own.
fn drawn(spec: &Spec, (how, raw): RandomSetting) -> Option<u32> {
    let (min, max) = (u64::from(spec.min), u64::from(spec.max));
    let value = match how {
        0..=3 => return None,
        4 => min,
        5 => max,
        6 => (min + u64::from(raw) % 3).min(max),
        7 => max.saturating_sub(u64::from(raw) % 3).max(min),
        8 => (min + (u64::from(raw) >> (raw % 32))).min(max), // any order of magnitude
        _ => min + u64::from(raw) % (max - min + 1),
    };
    u32::try_from(value.clamp(min, max)).ok()
}

/// A value as a scenario writes it.
fn written(spec: &Spec, value: u32) -> String {
    match spec.kind {
        ParamKind::Decimal => format!("{:.9}", f64::from(value) / 65_536.0),
        ParamKind::Whole => value.to_string(),
        ParamKind::Flag => (value == 1).to_string(),
        ParamKind::Choice(names) => names[value as usize].to_owned(),
    }
}

/// A controller of `set` with drawn settings, and all of its settings, as a scenario writes them.
fn with_settings(set: &SetDescription, draws: &[RandomSetting]) -> (Controller, Vec<(String, String)>) {
    let mut cc = set.controller().expect("listed");
    let mut settings = Vec::new();
    for (index, (spec, draw)) in algorithm(set).specs.iter().zip(draws).enumerate() {
        let value = drawn(spec, *draw).unwrap_or(cc.param(index));
        let text = written(spec, value);
        let done = cc.set_param(spec.name, &text);
        assert!(done.is_ok(), "{} {}={text}, in {}..={}: {done:?}", set.name, spec.name, spec.min, spec.max);
        assert_eq!(cc.param(index), value, "{} {}={text}", set.name, spec.name);
        settings.push((spec.name.to_owned(), text));
    }
    (cc, settings)
}

/// What a loss keeps at least with these settings, if that is less than a half. The coarsest (Illinois, as Linux
/// computes it) has its factor in 1/64, and rounds the window down.
fn kept(set: &SetDescription, settings: &[(String, String)]) -> f64 {
    let given = |name: &str| -> f64 {
        let value = settings.iter().find(|(n, _)| n == name).and_then(|(_, value)| value.parse().ok());
        value.unwrap_or_else(|| panic!("{} has {name}", set.name))
    };
    let factor = match algorithm(set).name {
        "illinois" => {
            let (one, other) = (given("beta_min"), given("beta_max"));
            one.min(other).min(1.0 - one.max(other)) // `beta_is` says which of β and 1 − β is kept
        }
        "htcp" => given("beta_min").min(given("beta_max")),
        "bic" | "cubic" | "cubic-linux" => given("beta"),
        "vegas" => given("kept"),
        _ => 0.5,
    };
    if factor < 0.5 { (factor - 1.0 / 64.0).max(0.0) } else { 0.5 }
}

/// The promises that `set` breaks with these draws, without an excuse and with one.
fn broken(
    set: &SetDescription,
    conn: Conn,
    draws: &[RandomSetting],
    steps: &[Step],
) -> [Vec<(ContractPromise, String)>; 2] {
    let (cc, settings) = with_settings(set, draws);
    let play = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut play = ContractRun { kept: kept(set, &settings), ..ContractRun::with(cc, conn) };
        steps.iter().for_each(|step| play.step(*step));
        play.broken
    }));
    let Ok(all) = play else {
        panic!("{} panicked with {settings:?}", set.name);
    };
    let (excused, plain) = all
        .into_iter()
        .map(|(promise, what)| (promise, format!("{} with {settings:?}: {what}", set.name)))
        .partition(|(promise, _)| excused(*promise, set) || excused_by_settings(*promise, set, &settings));
    [plain, excused]
}

/// Thirty-two draws: more than any algorithm has parameters.
fn draws() -> impl Strategy<Value = Vec<RandomSetting>> {
    prop::collection::vec((0..12_u8, any::<u32>()), 32)
}

#[test]
fn every_parameter_has_a_draw() {
    assert!(sets().iter().all(|set| algorithm(set).specs.len() <= 32));
}

// An exception that nobody needs would hide a fault.
#[test]
fn every_exception_by_settings_is_seen_to_be_needed() {
    let mut runner = TestRunner::deterministic();
    let mut seen = vec![false; BY_SETTINGS.len()];
    for _ in 0..300 {
        let case = (conn(), draws(), prop::collection::vec(step(), 100..200));
        let (conn, draws, steps) = case.new_tree(&mut runner).expect("a case").current();
        for set in sets() {
            for (promise, _) in &broken(&set, conn, &draws, &steps)[1] {
                for (seen, (which, whose, ..)) in seen.iter_mut().zip(BY_SETTINGS) {
                    *seen |= which == promise && is_called(&set, whose) && !excused(*promise, &set);
                }
            }
        }
    }
    for (seen, (promise, whose, ..)) in seen.iter().zip(BY_SETTINGS) {
        assert!(seen, "{whose} keeps {promise:?} with any settings: it needs no exception");
    }
}

proptest! {
    #![proptest_config(cases(1000))]

    // The promises of `random_history.rs`, for every set with every parameter anywhere in its range. Rows S6, X8, FB3.
    #[test]
    fn no_legal_setting_breaks_the_contract(
        conn in conn(),
        draws in draws(),
        steps in prop::collection::vec(step(), 1..200),
    ) {
        for set in sets() {
            let [plain, _] = broken(&set, conn, &draws, &steps);
            if let Some((promise, what)) = plain.first() {
                return Err(TestCaseError::fail(format!("{promise:?}: {what}")));
            }
        }
    }
}
