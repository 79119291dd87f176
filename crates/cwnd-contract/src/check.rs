// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks one parameter set against the whole contract: random histories from a seed, then the fixed ones.

use crate::random_history::{AskedOf, ContractPromise, ContractRun, Step, conn, step};
use crate::{extremes, rate_path, state, time, undo};
use cwnd::Conn;
use cwnd::registry::SetDescription;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

/// A promise that was broken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breach {
    /// Its name, one of [`promises`].
    pub promise: String,
    /// What it promises, for people.
    pub meaning: String,
    /// The event at which it was broken; empty where it is about a whole history.
    pub event: String,
    /// What was seen.
    pub seen: String,
    /// The connection in the beginning, and the events up to that one; empty where the history is the same in every run.
    pub history: Vec<String>,
}

/// The promise that no hook panics. The host that loaded the algorithm knows the panic's place and words.
pub const NO_PANIC: Named = ("NoHookPanics", "no hook panics");
const INIT_FORGETS: Named = ("InitForgets", "init leaves nothing of an earlier connection's state");
const SAME_STATE: Named = ("SameHistorySameState", "the same calls give the same state");

/// Name and meaning of a promise that is no [`ContractPromise`].
pub type Named = (&'static str, &'static str);

/// The promises that an algorithm need not keep, by name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exemptions<'a>(pub &'a [String]);

impl Exemptions<'_> {
    /// Whether the promise of this name is among them.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        self.0.iter().any(|excepted| excepted == name)
    }
}

/// A case: a connection, another for what came before, and what happens.
type History = (Conn, Conn, Vec<Step>);

fn case() -> impl Strategy<Value = History> {
    (conn(), conn(), prop::collection::vec(step(), 1..200))
}

/// Holds `set` to the promises over `cases` random histories, which are a function of `seed`; the first breach is made small.
#[must_use]
pub fn histories(set: &SetDescription, seed: u64, cases: u32, excepted: Exemptions<'_>) -> Option<Breach> {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 4_000, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let outcome = runner.run(&case(), |case| match breach(set, &case, excepted) {
        None => Ok(()),
        Some(breach) => Err(TestCaseError::fail(breach.promise)),
    });
    match outcome {
        Ok(()) => None,
        Err(TestError::Fail(_, case)) => breach(set, &case, excepted),
        Err(TestError::Abort(why)) => panic!("no case is ever rejected: {why}"),
    }
}

fn breach(set: &SetDescription, case: &History, excepted: Exemptions<'_>) -> Option<Breach> {
    let (conn, before, steps) = case;
    let history = |count: usize| {
        let Conn { cwnd, cwnd_clamp, mss, now_us, ticks, tick_hz, pacing_status, .. } = *conn;
        let begin = format!(
            "connection: cwnd {cwnd}, clamp {cwnd_clamp}, mss {mss}, clock {now_us} µs, ticks {ticks} at {tick_hz} Hz, \
             pacing {pacing_status:?}"
        );
        std::iter::once(begin).chain(steps.iter().take(count).map(|step| format!("{step:?}"))).collect()
    };
    let breach = |(name, meaning): (&str, &str), (count, event): (usize, String), seen: String| Breach {
        promise: name.into(),
        meaning: meaning.into(),
        event,
        seen,
        history: history(count),
    };
    let mut play = ContractRun::begin(set, *conn);
    let has_cong_control = play.cc.has_cong_control();
    let is_asked = |promise: ContractPromise| promise.asked_of().includes(has_cong_control);
    for (number, step) in steps.iter().enumerate() {
        play.step(*step);
        let event = (number + 1, format!("{step:?}"));
        if play.cc.has_failed() {
            // Nothing is called after a panic: what follows says nothing.
            return (!excepted.has(NO_PANIC.0)).then(|| breach(NO_PANIC, event, String::new()));
        }
        if let Some((promise, seen)) =
            play.broken.drain(..).find(|(promise, _)| is_asked(*promise) && !excepted.has(&promise.name()))
        {
            return Some(breach((&promise.name(), promise.meaning()), event, seen));
        }
    }
    let all = || (steps.len(), String::new());
    if !excepted.has(INIT_FORGETS.0)
        && let Err(seen) = state::init_forgets_the_connection_before(set, *before, steps, *conn)
    {
        return Some(breach(INIT_FORGETS, all(), seen));
    }
    if !excepted.has(SAME_STATE.0)
        && let Err(seen) = state::the_same_history_gives_the_same_state(set, *conn, steps)
    {
        return Some(breach(SAME_STATE, all(), seen));
    }
    None
}

type Fixed = (
    &'static str,
    &'static str,
    AskedOf,
    fn(&SetDescription, &dyn Fn(ContractPromise) -> bool) -> Result<(), String>,
);

/// Promises whose histories are the same in every run.
const FIXED: &[Fixed] = &[
    ("AnyRoundTripTime", "an RTT of 0 to 10 s leaves a window that lives", AskedOf::Every, |set, _| {
        time::any_round_trip_time_leaves_a_window_that_lives(set)
    }),
    ("NoRttSample", "without a single RTT sample the window grows", AskedOf::WindowBased, |set, _| {
        time::without_a_single_rtt_sample_it_grows(set)
    }),
    (
        "ClockBackwards",
        "a clock that stands still or runs backwards makes no jump",
        AskedOf::WindowBased,
        |set, _| time::a_clock_that_stands_or_runs_backwards_makes_no_jump(set),
    ),
    ("ClockWraps", "clocks and sequence numbers wrap unseen", AskedOf::Every, |set, _| {
        time::clocks_and_sequence_numbers_wrap_unseen(set)
    }),
    (
        "NoBurstOfCredit",
        "credit of a large window is no burst at a small one",
        AskedOf::WindowBased,
        |set, excused| {
            let excused = excused(ContractPromise::GrowthIsBackedByAcknowledgements);
            if excused { Ok(()) } else { extremes::credit_of_a_large_window_is_no_burst(set) }
        },
    ),
    ("TenYears", "ten years without a loss neither panic nor shrink", AskedOf::WindowBased, |set, _| {
        extremes::ten_years_without_a_loss_neither_panic_nor_shrink(set)
    }),
    (
        "ABillionSegments",
        "windows to 2^30 segments keep their arithmetic",
        AskedOf::WindowBased,
        |set, excused| extremes::windows_to_a_billion_segments_keep_their_arithmetic(set, excused),
    ),
    (
        "SmallestWindows",
        "losses at the smallest windows leave a window that grows",
        AskedOf::Every,
        |set, _| extremes::losses_at_the_smallest_windows_leave_a_window_that_grows(set),
    ),
    (
        "Paced",
        "from the twentieth round trip on a pacing rate is set, of at most four times what the path carries",
        AskedOf::RateBased,
        |set, _| rate_path::it_is_paced(set),
    ),
    (
        "BoundedInFlight",
        "after start-up the window is at most four bandwidth-delay products and sixteen packets",
        AskedOf::RateBased,
        |set, _| rate_path::it_is_bounded_in_flight(set),
    ),
    (
        "LeavesStartUp",
        "from the sixtieth round trip on packets wait less than a round trip in the queue, and half of the path is used",
        AskedOf::RateBased,
        |set, _| rate_path::it_leaves_start_up(set),
    ),
    (
        "RecoversAfterSilence",
        "sixty round trips after a rest, and after an outage, half of the path is used again",
        AskedOf::RateBased,
        |set, _| rate_path::it_recovers_after_silence(set),
    ),
    (
        "UndoOfOneEpoch",
        "an undo gives back what its own recovery epoch took",
        AskedOf::WindowBased,
        |set, _| undo::a_proof_gives_back_what_its_own_epoch_took(set),
    ),
];

/// Names and meanings of every promise.
#[must_use]
pub fn promises() -> Vec<(String, &'static str)> {
    let random = ContractPromise::ALL.iter().map(|promise| (promise.name(), promise.meaning()));
    let named = [NO_PANIC, INIT_FORGETS, SAME_STATE].into_iter();
    let named = named.chain(FIXED.iter().map(|(name, meaning, ..)| (*name, *meaning)));
    random.chain(named.map(|(name, meaning)| (name.to_owned(), meaning))).collect()
}

/// Whether the promise of this name is asked of a set: some are about windows that acknowledgements grow and losses cut, some about
/// algorithms that set their own rate (`cong_control`).
#[must_use]
pub fn applies(set: &SetDescription, name: &str) -> bool {
    let has_cong_control = set.controller().is_some_and(|controller| controller.has_cong_control());
    let random = ContractPromise::ALL.into_iter().find(|promise| promise.name() == name);
    let fixed = FIXED.iter().find(|(other, ..)| *other == name);
    let asked_of =
        random.map(ContractPromise::asked_of).or_else(|| fixed.map(|(_, _, asked_of, _)| *asked_of));
    asked_of.is_none_or(|asked_of| asked_of.includes(has_cong_control))
}

/// Every promise that `set` breaks, each with its first breach: of `cases` random histories from `seed`, and of those that are the same in
/// every run.
#[must_use]
pub fn every_breach(set: &SetDescription, seed: u64, cases: u32, excepted: Exemptions<'_>) -> Vec<Breach> {
    let mut names = excepted.0.to_vec();
    let mut found = Vec::new();
    while let Some(breach) =
        histories(set, seed, cases, Exemptions(&names)).or_else(|| fixed(set, Exemptions(&names), || false))
    {
        names.push(breach.promise.clone());
        found.push(breach);
    }
    found
}

/// Holds `set` to the promises whose histories are the same in every run. `panicked` says whether a hook has panicked since it was
/// last asked.
#[must_use]
pub fn fixed(
    set: &SetDescription,
    excepted: Exemptions<'_>,
    mut panicked: impl FnMut() -> bool,
) -> Option<Breach> {
    let excused = |promise: ContractPromise| excepted.has(&promise.name());
    let asked = FIXED.iter().filter(|(name, ..)| applies(set, name) && !excepted.has(name));
    asked.into_iter().find_map(|(name, meaning, _, promise)| {
        let seen = promise(set, &excused).err();
        let (seen, (name, meaning)) = match (panicked(), seen) {
            // A hook that panicked does nothing any more: what was seen then says nothing of this promise.
            (true, _) if excepted.has(NO_PANIC.0) => return None,
            (true, _) => (String::new(), NO_PANIC),
            (false, seen) => (seen?, (*name, *meaning)),
        };
        let (promise, meaning) = (name.into(), meaning.into());
        Some(Breach { promise, meaning, event: String::new(), seen, history: Vec::new() })
    })
}
