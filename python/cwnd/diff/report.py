# SPDX-License-Identifier: MIT OR Apache-2.0
"""A difference as a table on the terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from cwnd._internal.messages import note
from cwnd._internal.terminal import Grid, Printer
from cwnd.diff.conditions import Judged
from cwnd.diff.results import Difference, Effect
from cwnd.scenario.notation import count_of
from cwnd.study.results import place

#: What is shown where no measures are asked for.
SHOWN = {
    "all": ("jain", "convergence_s"),
    "group": ("throughput_mbps", "share", "loss_rate", "retransmits", "timeouts", "failures"),
    "link": ("utilization", "queue_mean_ms", "queue_p95_ms"),
    "traffic": ("carried_mbps",),
    "transfers": ("completion_mean_s", "completion_p95_s"),
}
MOST_ROWS = 200
#: Lines that say what `*` is.
MOST_STARRED = 20


def shown(effects: Sequence[Effect], *, everything: bool) -> list[Effect]:
    """The effects that a table has: those asked for, else the main ones that are not zero on both sides."""
    if everything:
        return list(effects)
    return [effect for effect in effects if effect.measure in SHOWN[effect.of] and (effect.a or effect.b)]


def number(value: float | None, *, signed: bool = False) -> str:
    if value is None:
        return "none"
    if math.isinf(value):
        return "B never" if value > 0 else "A never"
    return f"{value:+.4g}" if signed else f"{value:.4g}"


def centre(effect: Effect, value: float | None, values: Sequence[float]) -> str:
    """A side's mean or median, of these values; half of the runs or more did not reach a time that has none."""
    return "never" if value is None and effect.centre == "median" and values else number(value)


def ends(effect: Effect) -> str:
    """A difference with its interval: as ± if the interval is symmetric, else with both ends."""
    apart, low, high = effect.difference, effect.low, effect.high
    if apart is None:
        return effect.why or "none"
    if low is None and high is None:
        return f"{number(apart, signed=True)}{because(effect)}"
    if low is not None and high is not None and math.isclose(apart - low, high - apart, rel_tol=1e-6, abs_tol=1e-300):
        return f"{number(apart, signed=True)} ± {(high - low) / 2:.2g}"
    neither = f", {effect.undefined} reached by neither" if effect.centre == "median" and effect.undefined else ""
    return f"{number(apart, signed=True)} ({number(low, signed=True)} to {number(high, signed=True)}{neither})"


def because(effect: Effect) -> str:
    """Why there is no interval."""
    return f" ({effect.why})" if effect.why else ""


def percent(effect: Effect) -> str:
    """The change with its interval: as part of A, or as a difference where there is no such part."""
    if effect.relative is None:
        return ends(effect)
    # A that may be zero has a difference with an interval, and no part of A.
    if effect.relative_low is None and effect.low is not None:
        return ends(effect)
    centre = part(effect.relative)
    if effect.relative_low is None or effect.relative_high is None:
        return f"{centre}{because(effect)}"
    return f"{centre} ({part(effect.relative_low)} to {part(effect.relative_high)})"


def part(value: float) -> str:
    """A part in per cent."""
    return f"{value:+.1%}" if abs(value) < 1 else f"{value:+.0%}"


def measure(effect: Effect) -> str:
    """A measure with its unit, where neither its name nor what it counts says it."""
    has_unit = effect.unit in ("", "packets", "segments") or effect.measure.endswith(("_mbps", "_ms", "_s"))
    return effect.measure if has_unit else f"{effect.measure} ({effect.unit})"


def at_fewer(effect: Effect, points: int) -> str:
    """The suffix of a measure that only some points of the table have."""
    return f", at {effect.points}" if effect.points < points else ""


def is_starred(effect: Effect) -> bool:
    """Whether a difference leaves out some pairs. For a median, the row says so."""
    return effect.difference is not None and effect.centre != "median" and effect.undefined > 0


def left_out(effect: Effect, *, paired: bool) -> str:
    """What `*` says: how many pairs a difference is without, and which side's transfers did not end in them."""
    counts = (("A's", effect.unended_a), ("B's", effect.unended_b), ("both sides'", effect.unended_both))
    sides = [(side, count) for side, count in counts if count]
    who = "".join(
        f"{', ' if index else '; '}{side}{'' if index else ' transfers did not end'} in {count}"
        for index, (side, count) in enumerate(sides)
    )
    who += "; undecided without them" if sides else ""
    where = f", {place(effect.place)}" if effect.place else ""
    why = f" ({effect.why})" if effect.why else ""
    what = count_of(effect.undefined, "pair" if paired else "value")
    return f"* {effect.name}{where}, {effect.measure}: {what} left out{why}{who}"


def cells(effect: Effect, *, placed: bool) -> list[str]:
    """The cells of an effect's row after the first, which is its measure."""
    sides = [centre(effect, effect.a, effect.samples.a), centre(effect, effect.b, effect.samples.b)]
    numbers = [*sides, f"{percent(effect)}{'*' if is_starred(effect) else ''}", effect.verdict]
    return [place(effect.place), *numbers] if placed else numbers


def table(difference: Difference, *, each: bool, everything: bool, printer: Printer | None = None) -> None:
    """Prints the effects over all points, or at each, a table for each group of flows and link, and how many are decided."""
    printer = printer or Printer()
    placed = each and difference.points > 1
    effects = shown(difference.at_points if placed else difference.over_points, everything=everything)
    points = "one point" if difference.points == 1 else f"{'each of' if placed else 'over'} {difference.points} points"
    counts = sorted({effect.n for effect in effects})
    several = "" if not counts else f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    what = f"pair{'' if counts == [1] else 's'} by seed" if difference.paired else "values a side, not paired"
    what += " (0: no value)" if counts[:1] == [0] else ""
    printer.print(f"A: {difference.a}   B: {difference.b}   {points}, {several or 'no'} {what}")
    headings = ["A", "B", f"change ({100 * difference.level:.4g} %)", ""]
    if placed:
        headings = ["point", *headings]
    texts = (0, len(headings) - 1) if placed else (len(headings) - 1,)
    by_name: dict[tuple[str, str], list[Effect]] = {}
    for effect in effects[:MOST_ROWS]:
        by_name.setdefault((effect.of, effect.name), []).append(effect)
    for (_, name), of_name in by_name.items():
        fewer = [at_fewer(effect, 1 if placed else difference.points) for effect in of_name]
        rows = [(measure(effect) + at, cells(effect, placed=placed)) for effect, at in zip(of_name, fewer, strict=True)]
        printer.print(f"\n{name}")
        printer.print(Grid("", headings, rows, texts=texts, keys=int(placed)))
    starred = [effect for effect in effects[:MOST_ROWS] if is_starred(effect)]
    for effect in starred[:MOST_STARRED]:
        printer.print(left_out(effect, paired=difference.paired), soft_wrap=True)
    if len(starred) > MOST_STARRED:
        printer.print(f"* {len(starred) - MOST_STARRED} more: -o FILE.csv")
    if len(effects) > MOST_ROWS:
        printer.print(f"{len(effects) - MOST_ROWS} more rows: -o FILE.csv")
    judgeable = [
        effect for effect in effects if not (effect.low is None and effect.high is None) and not effect.unended
    ]
    decided = sum(effect.decided for effect in judgeable)
    # The number that chance decides is said where it is half of one or more.
    chance = len([effect for effect in judgeable if effect.verdict != "same"]) * (1 - difference.level)
    by_chance = f"; about {chance:.1f} would be by chance alone" if chance >= 0.5 else ""
    compared = sum(effect.difference is not None for effect in effects)
    none = len(effects) - compared
    without = f"; {none} {'row has' if none == 1 else 'rows have'} no difference" if none else ""
    printer.print(f"{decided} of {compared} differences are decided{by_chance}{without}")


def unpaired(difference: Difference) -> None:
    """Prints in which conditions the sides differ, and what only one side has."""
    for text in difference.notes:
        print(text, file=sys.stderr)
    if difference.unpaired:
        print(f"not compared, because only one side has it: {'; '.join(difference.unpaired)}", file=sys.stderr)


def conditions(found: Sequence[Judged]) -> None:
    """Prints the outcome of conditions."""
    for each in found:
        where = f" at {place(each.effect.place)}" if each.effect.place else ""
        change = percent(each.effect) if each.condition.is_relative else ends(each.effect)
        outcome = {"met": "FAILS", "not met": "passes", "undecided": "undecided"}[each.outcome]
        said = f"{outcome}: {each.condition.text}: {each.effect.name}{where}: {change}"
        if each.outcome == "not met":
            note(said)
        else:
            print(said, file=sys.stderr)
