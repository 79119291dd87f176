# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd.diff`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, Unpack

from cwnd._internal.input_errors import flag_of, path_of, refused
from cwnd._internal.keyword_names import check_keywords
from cwnd.diff.clocks import clock_notes
from cwnd.diff.compute import Comparing, compute
from cwnd.diff.results import Difference
from cwnd.diff.sides import Chosen, Side, factors_of, numbers_of_both, same_factors
from cwnd.diff.statistics import Method
from cwnd.kernel.result import KernelTrace
from cwnd.load import load
from cwnd.metrics.names import measures_in
from cwnd.replicates.api import Replicates
from cwnd.result.result import Result
from cwnd.study.results import Study
from cwnd.study.values import meaning

GIVEN = "a Study, Replicates or a Result, or the folder of one"
METHODS = ("t", "bootstrap")


class IntervalSettings(TypedDict, total=False):
    """Keywords of `cwnd.diff` for the intervals."""

    #: whether runs of the same point and seed are pairs (`True`)
    paired: bool
    #: confidence level of the intervals (0.95)
    level: float
    #: part of `a` within which numbers are equivalent, by two one-sided tests
    margin: float | None
    #: `"t"`, or `"bootstrap"` (BCa)
    method: Method


def diff(
    a: Side | str | os.PathLike[str],
    b: Side | str | os.PathLike[str] | None = None,
    *,
    between: str | None = None,
    where: Mapping[str, object] | None = None,
    measures: Iterable[str] | None = None,
    **settings: Unpack[IntervalSettings],
) -> Difference:
    """Compares `b` with `a`: for each number that both have, the difference with its interval, over all points and at each point.

    Runs of the same point and seed are pairs: their common variation does not widen the interval. With `paired=False` the sides are
    independent samples (Welch), such as simulator and kernel. `between="beta=0.7,0.85"` takes one study and compares two values of
    a factor. `where={"rtt": "40ms"}` selects points. `measures` are names of the tables (`queue_p95_ms`) or words (`p95 queueing delay`).
    `level` is the intervals' confidence level. `margin` is the part of A's mean within which both count as equivalent (0.02: two per cent).
    `method="bootstrap"` uses intervals that do not assume nearly normal values.

    Raises `ScenarioError` for invalid arguments, `NoResultError` for folders without a result.
    """
    check_keywords(settings, diff)
    level, margin = settings.get("level", 0.95), settings.get("margin")
    paired, method = settings.get("paired", True), settings.get("method", "t")
    sides = [side_of("a", a)]
    if between is None:
        if b is None:
            raise refused("b", None, f'{GIVEN}; or between="KEY=VALUE,VALUE" for two values of a factor of one study')
        sides.append(side_of("b", b))
    elif b is not None:
        raise refused("between", between, "one study with it, without b")
    if not isinstance(level, float) or not 0.5 <= level < 1:
        raise refused("level", level, "a number from 0.5 to below 1")
    if margin is not None and (isinstance(margin, bool) or not isinstance(margin, float | int) or not 0 < margin < 1):
        raise refused("margin", margin, "a part above 0 and below 1, such as 0.02")
    if method not in METHODS:
        raise refused("method", method, "a method", METHODS)
    chosen = {name: str(value) for name, value in (where or {}).items()}
    names = tuple(name_of(given, label) for given, label in ((a, "A"), (b, "B")))
    if between is not None:
        key, values = between_of(between)
        both = [Chosen.of(sides[0], {**chosen, key: value}, {key: "between"}) for value in values]
        ours, theirs = numbers_of_both(both, apart=key)
        names = f"{key}={values[0]}", f"{key}={values[1]}"
    else:
        # A run has no factors: the request concerns the study that it is compared with.
        factors = dict.fromkeys(name for side in sides for name in factors_of(side))
        for name in chosen:
            if name not in factors:
                raise refused("where", name, "a factor of a study", factors)
        both = [
            Chosen.of(side, {name: value for name, value in chosen.items() if name in factors_of(side)})
            for side in sides
        ]
        ours, theirs = numbers_of_both(both)
    same_factors(ours, theirs)
    known = list(dict.fromkeys([*ours.measures(), *theirs.measures()]))
    wanted = (
        None
        if measures is None
        else {name for text in texts_of(measures) for name in measures_in("measures", text, known)}
    )
    comparing = Comparing(flag_of("paired", paired), level, margin, method, wanted)
    difference = compute(ours, theirs, (names[0], names[1]), comparing)
    return difference if between is not None else replace(difference, notes=clock_notes(sides[0], sides[1]))


def texts_of(measures: Iterable[str]) -> list[str]:
    found = [measures] if isinstance(measures, str) else list(measures)
    for name in found:
        if not isinstance(name, str):
            raise refused("measures", name, "names of measures")
    return found


def side_of(field: str, given: object) -> Side:
    """A result, read if it is a folder's path."""
    if isinstance(given, str | os.PathLike):
        given = load(path_of(field, given))
    if isinstance(given, KernelTrace) or not isinstance(given, Study | Replicates | Result):
        raise refused(field, given, GIVEN)
    return given


def name_of(given: object, otherwise: str) -> str:
    """What a side is called: its folder, if it is one."""
    return os.fspath(given).rstrip("/") if isinstance(given, str | Path) else otherwise


def between_of(text: object) -> tuple[str, tuple[str, str]]:
    """`KEY=VALUE,VALUE`."""
    key, equals, values = text.partition("=") if isinstance(text, str) else ("", "", "")
    both = [each.strip() for each in values.split(",")]
    if not (key and equals) or len(both) != 2 or not all(both) or meaning(both[0]) == meaning(both[1]):
        raise refused("between", text, "KEY=VALUE,VALUE with two values of a factor, such as beta=0.7,0.85")
    return key.strip(), (both[0], both[1])
