# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd check`: runs the contract of the core's own algorithms, and random simulations, on a plugin's algorithm."""

from __future__ import annotations

import secrets
import shlex
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cwnd import _native
from cwnd._internal.input_errors import path_of, refused
from cwnd._native import ScenarioError
from cwnd.plugin.crate import LOADED, build, load_plugin

#: Random histories per parameter set; each piece of them has its own seed, and Ctrl-C is handled between two pieces.
HISTORIES = 3000
PER_PIECE = 25
MOST_SEED = 2**63
#: How long random simulations run by default, and at most, s.
SECONDS = 60.0
MOST_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Failure:
    """A broken promise, and how to reproduce it."""

    #: The parameter set.
    set: str
    #: Name and meaning of the promise.
    promise: str
    meaning: str
    #: The event at which it was broken, and what was observed; the event is empty if the promise is not about one.
    event: str
    seen: str
    #: The events up to that one, minimised, or the scenario in TOML.
    history: tuple[str, ...]
    seed: int
    #: The command that reproduces it.
    again: str
    #: Whether it is a fault of cwnd and not of the algorithm: a promise of the engine, or a panic in cwnd's own sources.
    of_cwnd: bool = False

    def __str__(self) -> str:
        event = f" at {self.event}" if self.event else ""
        whose = (
            f"a bug in cwnd, not in {self.set}; please report it with the scenario or history"
            if self.of_cwnd
            else self.set
        )
        return f"{whose}: {self.promise}{event}: {self.seen} ({self.meaning}; seed {self.seed})"


@dataclass(slots=True)
class Check:
    """The outcome of `cwnd.check`: how much was run, and every promise that was broken, each once for each parameter set."""

    algorithm: str
    seed: int
    excepted: tuple[str, ...] = ()
    sets: list[str] = field(default_factory=list)
    histories: int = 0
    simulations: int = 0
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether every promise was kept."""
        return not self.failures

    def __str__(self) -> str:
        done = (
            f"{self.histories} histories and {self.simulations} simulations in {self.seconds:.0f} s, seed {self.seed}"
        )
        return f"{self.algorithm}: {'kept' if self.passed else '; '.join(map(str, self.failures))}; {done}"


CheckProgress = Callable[["Check", float], None]


def promises() -> dict[str, str]:
    """Name -> meaning of every promise, which a `Failure` can name and `excepted` can list."""
    return dict(_native.contract_promises())


def check(
    crate: str | Path,
    *,
    seconds: float | None = None,
    simulations: int | None = None,
    seed: int | None = None,
    excepted: Iterable[str] = (),
    progress: CheckProgress | None = None,
) -> Check:
    """Checks the algorithm of a crate against the contract, then runs `simulations` random simulations with it, or as many as fit
    into `seconds` (60).

    The crate is built with overflow checks and assertions. Everything random is a function of `seed`, which is drawn if not given.
    `excepted` names promises that the algorithm breaks on purpose. `progress` is called several times a second with the check and
    the finished part. A broken promise does not end the check: `Check.failures` lists all broken promises, each with its first history.
    Simulations follow only if the contract is kept, and end at the first broken promise. Raises `CrateError` or `ScenarioError`.
    """
    if seconds is not None and (
        isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= MOST_SECONDS
    ):
        raise refused("seconds", seconds, f"a number of seconds from 0 to {MOST_SECONDS}")
    if simulations is not None:
        if isinstance(simulations, bool) or not isinstance(simulations, int) or not 0 <= simulations < MOST_SEED:
            raise refused("simulations", simulations, "a whole number from 0 to 2^63 - 1")
        if seconds is not None:
            raise refused(
                "simulations", simulations, "None when `seconds` is given, because only one of them can end the check"
            )
    if seed is None:
        seed = secrets.randbelow(2**32)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < MOST_SEED:
        raise refused("seed", seed, "a whole number from 0 to 2^63 - 1")
    excepted = (excepted,) if isinstance(excepted, str) else tuple(excepted)
    known = promises()
    for name in excepted:
        if name not in known:
            raise refused("excepted", name, "the name of a promise", known)
    crate = path_of("crate", crate)
    library = build(crate, "crate", profile="checked") if crate.is_dir() else crate
    if not library.is_file():
        raise refused("crate", str(crate), "the folder of a crate that cwnd new made")
    before = dict(LOADED)
    name = load_plugin(library)
    try:
        budget = Budget(SECONDS if seconds is None and simulations is None else seconds, simulations)
        return _check(Check(name, seed, excepted), crate, budget, progress)
    finally:
        # The checked build is slower: later runs get the usual one again, if it was loaded before.
        if name in before and crate.is_dir():
            load_plugin(crate)


@dataclass(frozen=True, slots=True)
class Budget:
    """How long simulations are run: a number of seconds, or a number of simulations."""

    seconds: float | None
    simulations: int | None

    @property
    def none(self) -> bool:
        """Whether no simulation is asked for."""
        return not (self.simulations if self.seconds is None else self.seconds)

    def done(self, elapsed_s: float, simulations: int) -> float:
        """The part that is done, from 0 to 1."""
        if self.none:
            return 1.0
        return elapsed_s / self.seconds if self.seconds is not None else simulations / (self.simulations or 1)


def _check(result: Check, crate: Path, budget: Budget, progress: CheckProgress | None) -> Check:
    begin = time.monotonic()
    (algorithm,) = [each for each in _native.algorithms() if each["name"] == result.algorithm]
    result.sets = [parameter_set["name"] for parameter_set in algorithm["sets"]]
    excepted = list(result.excepted)
    total = len(result.sets) * (HISTORIES // PER_PIECE)

    def failed(name: str, breach: _native.Breach, seed: int, *, simulated: bool) -> None:
        words = ["cwnd", "check", str(crate), "--seed", str(seed)]
        words += ["--simulations", str(int(simulated))]
        words += [word for promise in excepted for word in ("--except", promise)]
        result.failures.append(
            Failure(
                name,
                breach["promise"],
                breach["meaning"],
                breach["event"],
                breach["seen"],
                tuple(breach["history"]),
                seed,
                shlex.join(words),
                breach["of_cwnd"],
            )
        )

    def contract(name: str, seed: int, known: list[str], cases: int) -> None:
        """Holds a set to what is not `known` to be broken, and adds what is to `known`."""
        while (breach := _native.check_contract(name, seed, cases, excepted + known, fixed=cases == 0)) is not None:
            if breach["promise"] in known:
                break
            known.append(breach["promise"])
            failed(name, breach, seed, simulated=False)

    def tell(part: float) -> None:
        result.seconds = time.monotonic() - begin
        if progress is not None:
            progress(result, min(1.0, part))

    # The contract takes seconds, the simulations as long as the budget says.
    for number, name in enumerate(result.sets):
        known: list[str] = []
        for piece in range(HISTORIES // PER_PIECE):
            contract(name, (result.seed + piece) % MOST_SEED, known, PER_PIECE)
            result.histories += PER_PIECE
            done = (number * (HISTORIES // PER_PIECE) + piece + 1) / total
            tell(done if budget.none else 0.0)
        contract(name, result.seed, known, 0)
    start = time.monotonic()
    while result.passed and (part := budget.done(time.monotonic() - start, result.simulations)) < 1:
        tell(part)
        seed = (result.seed + result.simulations) % MOST_SEED
        _, breach = _native.check_simulation(result.algorithm, seed, excepted)
        if breach is not None:
            failed(result.algorithm, breach, seed, simulated=True)
        else:
            result.simulations += 1
    tell(1.0)
    return result


__all__ = ["Check", "Failure", "ScenarioError", "check", "promises"]
