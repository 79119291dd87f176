// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `cwnd check` asks of a loaded algorithm: the contract, and random simulations.

use std::cell::Cell;

use cwnd::registry::{self, Description, SetDescription};
use cwnd_contract::check::{self, Breach, Exemptions, NO_PANIC};
use cwnd_fuzz::{
    Broken, Outcome, SimulationPromise, caught, distance, document_about, kind_of, random_bytes, shrink,
};
use cwnd_plugin_loader::Fault;
use pyo3::exceptions::PyKeyError;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Bytes that a random scenario is made from.
const LENGTH: usize = 400;
/// Smaller scenarios that are tried when one has failed.
const TRIES: u32 = 300;

fn find(name: &str) -> PyResult<(&'static Description, SetDescription)> {
    registry::find(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
}

/// Whose fault a breach is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Cwnd,
    Algorithm,
}

impl Origin {
    const fn of_cwnd(is_so: bool) -> Self {
        if is_so { Self::Cwnd } else { Self::Algorithm }
    }
}

fn describe<'py>(py: Python<'py>, breach: &Breach, origin: Origin) -> PyResult<Bound<'py, PyDict>> {
    let item = PyDict::new(py);
    item.set_item("promise", &breach.promise)?;
    item.set_item("meaning", &breach.meaning)?;
    item.set_item("event", &breach.event)?;
    item.set_item("seen", &breach.seen)?;
    item.set_item("history", &breach.history)?;
    item.set_item("of_cwnd", origin == Origin::Cwnd)?;
    Ok(item)
}

/// Names and meanings of every promise: of the contract's, and of those that only a simulation shows.
#[pyfunction]
pub fn contract_promises() -> Vec<(String, &'static str)> {
    let mut promises = check::promises();
    let simulated = SimulationPromise::ALL.into_iter().map(|promise| (promise.name(), promise.meaning()));
    let further: Vec<_> =
        simulated.filter(|(name, _)| promises.iter().all(|(other, _)| other != name)).collect();
    promises.extend(further);
    promises
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
    let excepted = Exemptions(&excepted);
    let outcome = py.detach(|| {
        caught(|| {
            let mut panic = None;
            let breach = if fixed {
                check::fixed(&set, excepted, || {
                    let now = cwnd_plugin_loader::take();
                    let panicked = now.is_some();
                    panic = now.or(panic.take());
                    panicked
                })
            } else {
                check::histories(&set, seed, cases, excepted)
            };
            (breach, cwnd_plugin_loader::take().or(panic))
        })
    });
    let (breach, panic) = outcome.map_err(PanicException::new_err)?;
    let panic = panic.filter(|_| !excepted.has(NO_PANIC.0));
    match (panic, breach) {
        // Whatever else was seen may come of it.
        (Some(panic), breach) => {
            let Breach { event, history, .. } = breach.unwrap_or_default();
            let (promise, meaning) = (NO_PANIC.0.into(), NO_PANIC.1.into());
            let breach = Breach { promise, meaning, event, seen: panic.to_string(), history };
            describe(py, &breach, Origin::of_cwnd(panic.ours)).map(Some)
        }
        (None, Some(breach)) => describe(py, &breach, Origin::Algorithm).map(Some),
        (None, None) => Ok(None),
    }
}

/// What is wrong with a run of a scenario.
struct Failure {
    promise: (String, &'static str),
    words: String,
    /// The same for every failure of the same cause.
    kind: String,
    /// Whose it is.
    origin: Origin,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self {
            promise: (NO_PANIC.0.to_owned(), NO_PANIC.1),
            words: fault.to_string(),
            kind: format!("{}:{}", fault.file, fault.line),
            origin: Origin::of_cwnd(fault.ours),
        }
    }
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Self {
        Self {
            promise: (broken.promise.name(), broken.promise.meaning()),
            kind: kind_of(&broken.words).to_owned(),
            origin: Origin::of_cwnd(broken.of_cwnd()),
            words: broken.words,
        }
    }
}

/// Runs a scenario, unless it is refused; returns whether it ran.
fn run(text: &str, distance: u64, excepted: Exemptions<'_>) -> Result<bool, Failure> {
    // Nothing of the algorithm's unwinds through here: what does is the engine's.
    let outcome = caught(|| cwnd_fuzz::check(text, distance)).unwrap_or_else(|panic| Err(panic.into()));
    let failure = match (cwnd_plugin_loader::take(), outcome) {
        (Some(fault), _) => Failure::from(fault),
        (None, Err(broken)) => Failure::from(broken),
        (None, Ok(outcome)) => return Ok(matches!(outcome, Outcome::Ran { .. })),
    };
    if excepted.has(&failure.promise.0) { Ok(true) } else { Err(failure) }
}

/// Runs the random scenario of `seed` about the algorithm `name`, audited, except for the promises in `excepted`. Whether it ran (it may
/// be refused), and what it broke, with the scenario made small, in TOML.
#[pyfunction]
pub fn check_simulation<'py>(
    py: Python<'py>,
    name: &str,
    seed: u64,
    excepted: Vec<String>,
) -> PyResult<(bool, Option<Bound<'py, PyDict>>)> {
    let (algorithm, _) = find(name)?;
    let bytes = random_bytes(seed, LENGTH);
    let (whole, distance) = (document_about(&bytes, algorithm), distance(&bytes));
    let run = |document: &_| {
        toml::to_string(document).map_or(Ok(false), |text| run(&text, distance, Exemptions(&excepted)))
    };
    let first = match py.detach(|| run(&whole)) {
        Ok(ran) => return Ok((ran, None)),
        Err(failure) => failure,
    };
    let (tries, stopped) = (Cell::new(0), Cell::new(false));
    // Ctrl-C is heard between two tries.
    let small = shrink(&whole, |document| {
        tries.set(tries.get() + 1);
        stopped.set(stopped.get() || py.check_signals().is_err());
        !stopped.get()
            && tries.get() < TRIES
            && run(document)
                .err()
                .is_some_and(|other| (&other.promise, &other.kind) == (&first.promise, &first.kind))
    });
    if stopped.get() {
        return Err(pyo3::exceptions::PyKeyboardInterrupt::new_err(()));
    }
    let failure = run(&small).err().unwrap_or(first);
    let breach = Breach {
        promise: failure.promise.0,
        meaning: failure.promise.1.into(),
        event: String::new(),
        seen: failure.words.lines().next().unwrap_or_default().to_owned(),
        history: toml::to_string(&small).unwrap_or_default().lines().map(str::to_owned).collect(),
    };
    Ok((true, Some(describe(py, &breach, failure.origin)?)))
}
