# SPDX-License-Identifier: MIT OR Apache-2.0
"""Replicates over threads: how much sooner two threads are done than one, measures included.

Figure 6 of the CUBIC paper under several seeds, with one thread and with more in turn; which goes first alternates. Wall time says
what a user waits, on a machine that has the processors free. Two numbers beside it do not depend on that: the CPU time of the same work
(more of it with more threads means that they fight over caches or allocator), and the part of it outside the engine, during which a
thread may hold the interpreter's lock.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from cwnd import Result, Scenario
from cwnd.groups import groups
from cwnd.replicates.document import describe
from cwnd.replicates.runner import run_all
from cwnd.replicates.study import processors, with_seeds

ROOT = Path(__file__).resolve().parent.parent
AIM = 1.8


def once(scenarios: dict[int, Scenario], jobs: int) -> tuple[float, float, float]:
    """Wall time and CPU time of all runs, and the part of the latter outside the engine, s, s and 0 to 1."""
    of = groups(next(iter(scenarios.values())))

    def finish(seed: int, result: Result, check: Callable[[], None]) -> float:
        engine: float = result.summary["perf"]["cpu_s"]
        describe(result, of)
        return engine

    wall, cpu = time.perf_counter(), time.process_time()
    outcome = run_all(scenarios, jobs, finish)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return wall, cpu, 1 - sum(outcome.done.values()) / cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    text = (ROOT / "scenarios" / "ha2008-fig6.toml").read_text()
    longer = text.replace('duration = "100s"', 'duration = "300s"').replace('"100s"]', '"300s"]')
    assert longer.count('"300s"') == 2, "the scenario is not the one that this script knows"
    scenarios = with_seeds(Scenario.from_toml(longer), options.seeds)
    once(scenarios, 1)  # imports, and the file cache
    rounds = []
    for number in range(options.rounds):
        order = (1, options.jobs) if number % 2 == 0 else (options.jobs, 1)
        rounds.append({jobs: once(scenarios, jobs) for jobs in order})
    ratios = sorted(one[1][0] / one[options.jobs][0] for one in rounds)
    cost = statistics.median(one[options.jobs][1] / one[1][1] for one in rounds)
    outside = statistics.median(one[1][2] for one in rounds)
    load = os.getloadavg()[0]
    print(
        f"{options.jobs} threads against one, {options.seeds} seeds of figure 6 for 300 s, {options.rounds} rounds, "
        f"{processors()} processors, load average {load:.1f}"
    )
    print(f"  wall time: {statistics.median(ratios):.2f} times sooner (median; {ratios[0]:.2f} to {ratios[-1]:.2f})")
    print(f"  CPU time of the same work: {cost:.3f} times one thread's")
    print(f"  outside the engine: {outside:.1%} of the CPU time")
    # Every thread waits at worst for all that the others do under the lock.
    bound = options.jobs / (cost * (1 + outside * (options.jobs - 1)))
    print(f"  on idle processors at least {bound:.2f} times sooner, if all of that is under the lock")
    if load > processors() / 2:
        print("  the machine is not idle: the wall times are not a measure of the program")
    elif statistics.median(ratios) < AIM and options.jobs == 2:
        print(f"  below the aim of {AIM}")


if __name__ == "__main__":
    main()
