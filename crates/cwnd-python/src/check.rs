// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `cwnd check` asks of a loaded algorithm: the contract, and random simulations.

use std::cell::Cell;

use crate::fault::{self, Fault};
use cwnd::registry::{self, Description, SetDescription};
use cwnd_contract::check::{self, Breach, NO_PANIC};
use cwnd_contract::play::Promise;
use cwnd_fuzz::{Outcome, distance, document_about, kind_of, random_bytes, shrink};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Bytes that a random scenario is made from.
const LENGTH: usize = 400;
/// Smaller scenarios that are tried when one has failed.
const TRIES: u32 = 300;

fn find(name: &str) -> PyResult<(&'static Description, SetDescription)> {
    registry::find(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
}

fn describe<'py>(py: Python<'py>, breach: &Breach) -> PyResult<Bound<'py, PyDict>> {
    let item = PyDict::new(py);
    item.set_item("promise", &breach.promise)?;
    item.set_item("meaning", &breach.meaning)?;
    item.set_item("event", &breach.event)?;
    item.set_item("seen", &breach.seen)?;
    item.set_item("history", &breach.history)?;
    Ok(item)
}

/// Names and meanings of the contract's promises.
#[pyfunction]
pub fn contract_promises() -> Vec<(String, &'static str)> {
    check::promises()
}

/// A breach, with the words of the panic if there was one on this thread.
fn with_fault(breach: Option<Breach>, fault: Option<Fault>) -> Option<Breach> {
    let Some(fault) = fault else { return breach };
    let breach = breach.unwrap_or(Breach {
        promise: NO_PANIC.into(),
        meaning: "no hook panics".into(),
        event: String::new(),
        seen: String::new(),
        history: Vec::new(),
    });
    Some(Breach {
        promise: NO_PANIC.into(),
        meaning: "no hook panics".into(),
        seen: fault.to_string(),
        ..breach
    })
}

/// Holds the parameter set `name` to the contract over `cases` random histories from `seed`, and where `fixed`, over those that are
/// the same in every run, except for the promises in `excepted`. The first breach, made small, or None.
#[pyfunction]
pub fn check_contract<'py>(
    py: Python<'py>,
    name: &str,
    seed: u64,
    cases: u32,
    excepted: Vec<String>,
    fixed: bool,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let (_, set) = find(name)?;
    let breach = py.detach(|| {
        let excused = |promise: Promise| excepted.contains(&promise.name());
        let breach = if fixed {
            check::fixed(&set, &excepted, &excused)
        } else {
            check::histories(&set, seed, cases, &excused)
        };
        with_fault(breach, fault::take())
    });
    breach.map(|breach| describe(py, &breach)).transpose()
}

/// What is wrong with a run of a scenario: the broken promise of the engine's, or the algorithm's panic.
fn failure(text: &str, distance: u64) -> Result<bool, (String, Option<Box<Fault>>)> {
    let outcome = cwnd_fuzz::check(text, distance);
    match (fault::take(), outcome) {
        (Some(fault), _) => Err((fault.to_string(), Some(Box::new(fault)))),
        (None, Err(broken)) => Err((broken, None)),
        (None, Ok(outcome)) => Ok(matches!(outcome, Outcome::Ran { .. })),
    }
}

/// Runs the random scenario of `seed` about the algorithm `name`, audited. Whether it ran (it may be refused), and what it broke, with
/// the scenario made small, in TOML.
#[pyfunction]
pub fn check_simulation<'py>(
    py: Python<'py>,
    name: &str,
    seed: u64,
) -> PyResult<(bool, Option<Bound<'py, PyDict>>)> {
    let (algorithm, _) = find(name)?;
    let bytes = random_bytes(seed, LENGTH);
    let (whole, distance) = (document_about(&bytes, algorithm), distance(&bytes));
    let run = |document: &_| toml::to_string(document).map_or(Ok(false), |text| failure(&text, distance));
    let (first, fault) = match py.detach(|| run(&whole)) {
        Ok(ran) => return Ok((ran, None)),
        Err(broken) => broken,
    };
    let same = |broken: &str, other: &Option<Box<Fault>>| match (&fault, other) {
        (Some(one), Some(other)) => (&one.file, one.line) == (&other.file, other.line),
        (None, None) => kind_of(&first) == kind_of(broken),
        _ => false,
    };
    let (tries, stopped) = (Cell::new(0), Cell::new(false));
    // Ctrl-C is heard between two tries.
    let small = shrink(&whole, |document| {
        tries.set(tries.get() + 1);
        stopped.set(stopped.get() || py.check_signals().is_err());
        !stopped.get()
            && tries.get() < TRIES
            && run(document).err().is_some_and(|(broken, fault)| same(&broken, &fault))
    });
    if stopped.get() {
        return Err(pyo3::exceptions::PyKeyboardInterrupt::new_err(()));
    }
    let seen = run(&small).err().map_or(first, |broken| broken.0);
    let (promise, meaning) = match fault {
        Some(_) => (NO_PANIC, "no hook panics"),
        None => ("SoundSimulation", "a simulation conserves packets, keeps time, and repeats itself"),
    };
    let breach = Breach {
        promise: promise.into(),
        meaning: meaning.into(),
        event: String::new(),
        seen: seen.lines().next().unwrap_or_default().to_owned(),
        history: toml::to_string(&small).unwrap_or_default().lines().map(str::to_owned).collect(),
    };
    Ok((true, Some(describe(py, &breach)?)))
}
