# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from statistics import fmean, median, pstdev

from cwnd import _native
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Results, Setup

#: K in 1/1024 s is the cube root of this times the missing packets (2⁴⁰/410).
FACTOR = 2_681_735_677
#: Missing packets: from one octave to the next.
OCTAVES = range(20)
METHODS = {"bisection": "bisection", "table": "Newton-Raphson with a table"}
CALLS = 4096


@dataclass(frozen=True, slots=True)
class Costs:
    """Time of a root by octave of its argument, ns."""

    ns: list[float]


@dataclass(frozen=True, slots=True)
class Errors:
    """Largest relative error by octave of the argument."""

    largest: list[float]


def cost(method: str, seed: int) -> Costs:
    """Time of a root by octave of its argument, ns: the median of nine chains, each of fresh arguments."""
    random = Random(seed)

    def chain(octave: int) -> float:
        missing = [2 ** (octave + random.random()) for _ in range(CALLS)]
        return _native.cube_root_ns(method, [int(FACTOR * segments) for segments in missing])

    return Costs(ns=[median(chain(octave) for _ in range(9)) for octave in OCTAVES])


def error(method: str) -> Errors:
    """Largest relative error by octave of all 64-bit arguments."""
    random = Random(1)
    largest = []
    for octave in range(64):
        low, high = 2**octave, 2 ** (octave + 1)
        arguments = [low, high - 1, *(random.randrange(low, high) for _ in range(4096))]
        roots = _native.cube_roots(method, arguments)
        largest.append(max(abs(root / math.cbrt(argument) - 1) for argument, root in zip(arguments, roots)))
    return Errors(largest=largest)


class Table1CubeRoot(Experiment[Costs | Errors]):
    """Table 1, the cube root: bisection against Newton-Raphson with a table for small arguments.

    The paper counts 1032 clocks for bisection and 79 for Newton-Raphson on average, and says that the running time of the latter varies less. This
    experiment measures processor time of the core's own roots (docs/results/cube-root.md has clocks) for arguments that CUBIC has, each used only
    once. Left open: processor, arguments, compiler, and the error of either root.
    """

    title = "Cube root by bisection and by Newton-Raphson with a table: cost and error"
    cubic = None

    def grid(self, setup: Setup) -> list[Point]:
        seeds = setup.seeds(full=10, short=7)
        costs = [Point(f"cost, {method}", call=cost, args=(method,), seeds=seeds) for method in METHODS]
        return costs + [Point(f"error, {method}", call=error, args=(method,)) for method in METHODS]

    def claims(self, results: Results[Costs | Errors]) -> dict[str, Answer]:
        slow, fast = ([run.ns for run in results.seeds_of(Costs, f"cost, {method}")] for method in METHODS)
        ranges = {"all arguments": 0, "arguments that CUBIC has": FACTOR.bit_length()}
        return {
            "cost": Measured([fmean(ns) / fmean(of_fast) for ns, of_fast in zip(slow, fast)]),
            "cost-variation": Measured(
                [pstdev(of_fast) / pstdev(ns) for ns, of_fast in zip(slow, fast)],
                "Deviation over octaves of the argument.",
            ),
            "max-error": Measured(
                {
                    f"{method}, {range_}": max(results.of(Errors, f"error, {method}").largest[begin:])
                    for method in METHODS
                    for range_, begin in ranges.items()
                }
            ),
        }

    def plot(self, results: Results[Costs | Errors], figure: Figure) -> None:
        figure.set_size_inches(6.4, 6.0)
        cost_axes, error_axes = figure.subplots(2, 1)
        for (method, label), marker in zip(METHODS.items(), "os"):
            cost_axes.plot(OCTAVES, results.means(f"cost, {method}", "ns"), marker=marker, label=label)
            largest = [100 * error or math.nan for error in results.of(Errors, f"error, {method}").largest]
            error_axes.semilogy(range(64), largest, marker=marker, markersize=3, label=label)
        cost_axes.set(xlabel="missing packets (power of two)", ylabel="time of a root (ns)", ylim=(0, None))
        error_axes.set(xlabel="argument (power of two)", ylabel="largest error (%)")
        cost_axes.legend()
