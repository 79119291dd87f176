# SPDX-License-Identifier: MIT OR Apache-2.0
"""Computes a difference from the numbers of both sides."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from cwnd._internal.input_errors import refused
from cwnd.diff.results import Difference, Effect
from cwnd.diff.sides import Key, Numbers, Place, Subject, aligned, alone, partners, places
from cwnd.diff.statistics import Method, PooledSamples, Samples, difference, equivalent, median_difference, relative
from cwnd.metrics.confidence_intervals import median_interval, t_beyond
from cwnd.replicates.document import TIMES
from cwnd.scenario.notation import count_of

KINDS = ("all", "group", "link", "traffic", "transfers")


@dataclass(frozen=True, slots=True)
class Comparing:
    """How two sides are compared."""

    #: Whether values of one seed belong together.
    paired: bool = True
    level: float = 0.95
    #: As part of A's mean: within it two sides count as equivalent.
    margin: float | None = None
    method: Method = "t"
    #: None: all that both have.
    measures: Collection[str] | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """A number at one point: pairs by seed, or the values of each side, and how many have none."""

    samples: Samples
    #: The seeds of its pairs, or of both sides.
    seeds: tuple[Sequence[int], Sequence[int]]
    undefined: int
    why: str
    #: The values of each side; they are shown where there is nothing to compare them with.
    sides: tuple[Sequence[float], Sequence[float]] = ((), ())
    #: Of those without a value, the pairs in which the transfers of A, of B, or of both did not end within the run; not paired, the runs.
    unended: tuple[int, int, int] = (0, 0, 0)

    @property
    def has_difference(self) -> bool:
        """Whether there is a pair, or a value on both sides."""
        return self.samples.n > 0

    def values_of(self, side: int) -> Sequence[float]:
        """The compared values of a side; all of its values if none are compared."""
        return (self.samples.a, self.samples.b)[side] if self.has_difference else self.sides[side]


def series(ours: Numbers, theirs: Numbers, keys: tuple[Key, Key], comparing: Comparing) -> Series:
    """The values of a number at one point."""
    a, b = ours.values[keys[0]], theirs.values[keys[1]]
    why = reason(ours.reasons.get(keys[0], ""), theirs.reasons.get(keys[1], ""))
    open_a, open_b = ours.unfinished.get(keys[0], set()), theirs.unfinished.get(keys[1], set())
    if not comparing.paired:
        left, right = [[seed for seed in side if side[seed] is not None] for side in (a, b)]
        undefined = len(a) + len(b) - len(left) - len(right)
        ours_defined, theirs_defined = [[each for each in side.values() if each is not None] for side in (a, b)]
        samples = Samples(ours_defined, theirs_defined, paired=False)
        unended = len(open_a), len(open_b), 0
        return Series(samples, (left, right), undefined, why, (ours_defined, theirs_defined), unended)
    common = [seed for seed in a if seed in b]
    pairs = {seed: (x, y) for seed in common if (x := a[seed]) is not None and (y := b[seed]) is not None}
    found = Samples([x for x, _ in pairs.values()], [y for _, y in pairs.values()], paired=True)
    # Times that neither side reached say nothing.
    neither = sum(x == y == math.inf for x, y in pairs.values())
    sides = tuple([value for seed in common if (value := side[seed]) is not None] for side in (a, b))
    unended = len((open_a - open_b) & b.keys()), len((open_b - open_a) & a.keys()), len(open_a & open_b)
    undefined = len(common) - len(pairs) + neither
    return Series(found, (list(pairs), list(pairs)), undefined, why, (sides[0], sides[1]), unended)


def reason(ours: str, theirs: str) -> str:
    """Why numbers have no value: of both sides, or of each its own."""
    if ours == theirs:
        return ours
    return "; ".join(f"{side}: {why}" for side, why in (("A", ours), ("B", theirs)) if why)


def pooled(of_points: Sequence[Series], centre: Callable[[Sequence[float]], float], *, paired: bool) -> Series:
    """A number over points. Where they have the same seeds: by seed, the means (of times the medians) over the points, as seeds are independent
    of each other and points are not. Means of points with other seeds (`--until`): of the values that each point has. Medians: of the seeds
    that all points have.
    """
    why = next((each.why for each in of_points if each.why), "")
    undefined = sum(each.undefined for each in of_points)
    open_a, open_b, both = (sum(counts) for counts in zip(*(each.unended for each in of_points), strict=True))
    unended = open_a, open_b, both
    has_others = any(set(each.seeds[side]) != set(of_points[0].seeds[side]) for each in of_points for side in (0, 1))
    if centre is not median and has_others and all(each.samples.n > 1 for each in of_points):
        samples = PooledSamples((), (), paired, tuple(each.samples for each in of_points))
        return Series(samples, ((), ()), undefined, why, unended=unended)
    sides: list[list[float]] = []
    seeds: list[Sequence[int]] = []
    for side in (0, 1):
        common = [seed for seed in of_points[0].seeds[side] if all(seed in each.seeds[side] for each in of_points)]
        values = []
        for seed in common:
            at = [(each.samples.a, each.samples.b)[side][each.seeds[side].index(seed)] for each in of_points]
            values.append(centre(at))
        sides.append(values)
        seeds.append(common)
    found = Samples(sides[0], sides[1], paired)
    if centre is median and found.n and paired:
        undefined = sum(a == b == math.inf for a, b in zip(found.a, found.b, strict=True))
    alone = [side_over_points([each.values_of(side) for each in of_points], centre) for side in (0, 1)]
    return Series(found, (seeds[0], seeds[1]), undefined, why, (alone[0], alone[1]), unended)


def side_over_points(
    of_points: Sequence[Sequence[float]], centre: Callable[[Sequence[float]], float]
) -> Sequence[float]:
    """The centre of a side over points, each with its own values; nothing where it has none at a point."""
    return [centre([centre(values) for values in of_points])] if all(of_points) else []


def effect_of(
    found: Series, effect_name: tuple[str, str, str], measure: str, unit: str, comparing: Comparing
) -> Effect:
    """The effect of a series; `effect_name`: of what, and its label on both sides."""
    of, label, label_b = effect_name
    samples = found.samples
    common = {"of": of, "label": label, "label_b": label_b, "measure": measure, "unit": unit, "samples": samples}
    common |= dict(zip(("unended_a", "unended_b", "unended_both"), found.unended, strict=True))
    empty: dict[str, object] = dict.fromkeys(
        ("a", "b", "difference", "low", "high", "relative", "relative_low", "relative_high", "p", "equivalent")
    )
    empty |= {"place": {}, "centre": "mean", "n": samples.n, "undefined": found.undefined, "why": found.why}
    if measure in TIMES:
        return median_effect(found, {**empty, **common, "centre": "median"}, comparing)
    if not found.has_difference:
        means = [fmean(values) if values else None for values in found.sides]
        numbers = {"a": means[0], "b": means[1], "why": found.why or "no run of one side has a value"}
        return Effect(**{**empty, **common, **numbers, "samples": alone_of(found)})  # type: ignore[arg-type]
    mean_a, mean_b = samples.means()
    apart = difference(samples, comparing.level, comparing.method)
    part = relative(samples, comparing.level, comparing.method)
    # One pair that is left has no interval because the others have no value.
    reasons = [found.why, "" if found.why and samples.n < 2 else apart.why]
    p = None
    if samples.n > 1:
        above, error, nu = samples.beyond(1)
        p = t_beyond(above / error, nu) if error else float(above == 0)
    numbers = {
        "a": mean_a,
        "b": mean_b,
        "difference": apart.centre,
        "low": apart.low,
        "high": apart.high,
        "relative": part.centre,
        "relative_low": part.low,
        "relative_high": part.high,
        "p": p,
        "equivalent": None if comparing.margin is None else equivalent(samples, comparing.margin, comparing.level),
        "why": "; ".join(filter(None, reasons)),
    }
    return Effect(**{**empty, **common, **numbers})  # type: ignore[arg-type]


def alone_of(found: Series) -> Samples:
    """The values of each side of a number without a difference; they are no pairs."""
    return Samples(found.sides[0], found.sides[1], paired=False)


def median_effect(found: Series, known: dict[str, object], comparing: Comparing) -> Effect:
    """The effect on a time: medians, and the median of the pairs' differences."""
    samples = found.samples
    numbers: dict[str, object] = {
        "a": median_interval(found.values_of(0)).centre,
        "b": median_interval(found.values_of(1)).centre,
        "why": found.why,
    }
    if not found.has_difference:
        numbers["samples"] = alone_of(found)
    if samples.paired and samples.n:
        apart = median_difference(samples, comparing.level)
        numbers |= {"difference": apart.centre, "low": apart.low, "high": apart.high, "n": apart.n, "why": apart.why}
    elif samples.n:
        numbers["why"] = "medians have an interval in pairs only"
    return Effect(**{**known, **numbers})  # type: ignore[arg-type]


def numbers_in_common(
    ours: Numbers, theirs: Numbers, comparing: Comparing
) -> Iterator[tuple[tuple[Subject, Subject], str]]:
    """The numbers that both sides have: of what on both sides, and the measure."""
    both = {(key.subject, key.measure) for key in theirs.values}
    known = dict.fromkeys((key.subject, key.measure) for key in ours.values)
    for of in KINDS:
        for pair in partners(ours, theirs, of):
            for subject, measure in known:
                wanted = comparing.measures is None or measure in comparing.measures
                if wanted and subject == pair[0] and (pair[1], measure) in both:
                    yield pair, measure


def name_at(ours: Numbers, theirs: Numbers, place: Place, pair: tuple[Subject, Subject]) -> tuple[str, str, str]:
    """Of what numbers at a point are, and its label on both sides."""
    return pair[0].of, ours.labels[place, pair[0]], theirs.labels[aligned(ours, theirs, place), pair[1]]


def compute(ours: Numbers, theirs: Numbers, names: tuple[str, str], comparing: Comparing) -> Difference:
    """B (`theirs`) against A (`ours`)."""
    right = set(places(theirs.values))
    common = [place for place in places(ours.values) if aligned(ours, theirs, place) in right]
    left = len(places(ours.values))
    lone = alone(ours, theirs, KINDS)
    if left > len(common) or len(right) > len(common):
        lone.append(f"{count_of(left - len(common), 'point')} of A, {len(right) - len(common)} of B")
    if not common:
        raise refused("b", names[1], "a result with points that A has too (their factors have other values here)")
    over, at = [], []
    for pair, measure in numbers_in_common(ours, theirs, comparing):
        unit = ours.units[measure]
        name = (pair[0].of, ours.names[pair[0]][1], theirs.names[pair[1]][1])
        of_points: list[tuple[Place, Series]] = []
        for place in common:
            keys = Key(place, pair[0], measure), Key(aligned(ours, theirs, place), pair[1], measure)
            if keys[0] in ours.values and keys[1] in theirs.values:
                of_points.append((place, series(ours, theirs, keys, comparing)))
        if not of_points:
            continue
        effects = [
            effect_of(each, name_at(ours, theirs, place, pair), measure, unit, comparing) for place, each in of_points
        ]
        at += [
            replace(effect, place=dict(zip(ours.factors, place, strict=True)))
            for effect, (place, _) in zip(effects, of_points, strict=True)
        ]
        if len(common) == 1:
            over.append(at[-1])
            continue
        centre = median if measure in TIMES else fmean
        merged = pooled([each for _, each in of_points], centre, paired=comparing.paired)
        over.append(replace(effect_of(merged, name, measure, unit, comparing), points=len(of_points)))
    if not at:
        raise refused("measures", ", ".join(sorted(comparing.measures or ())), "a measure that both sides have")
    seeds = seeds_at(ours, theirs) if comparing.paired else []
    if comparing.paired and not any(a & b for a, b in seeds):
        raise refused("b", names[1], "a result with seeds that A has too, or --unpaired")
    if single := sum(len(a ^ b) for a, b in seeds):
        lone.append(f"{count_of(single, 'run')} of one side with seeds that the other side lacks")
    return Difference(
        *names, ours.factors, over, at, len(common), lone, comparing.paired, comparing.level, comparing.method
    )


def seeds_at(ours: Numbers, theirs: Numbers) -> list[tuple[set[int], set[int]]]:
    """The seeds of both sides, at each of the points that both have."""
    seeds: list[dict[Place, set[int]]] = [{}, {}]
    for side, numbers in enumerate((ours, theirs)):
        for key, values in numbers.values.items():
            place = aligned(ours, theirs, key.place) if side == 0 else key.place
            seeds[side].setdefault(place, set()).update(values)
    return [(seeds[0][place], seeds[1][place]) for place in seeds[0] if place in seeds[1]]
