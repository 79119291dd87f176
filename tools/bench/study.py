# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a study costs outside the simulator: measures, names, files, tables.

The study of many short runs into a folder, and the simulations of the same scenarios alone, on as many threads, in CPU time: it depends less than wall time on what others do.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import cwnd
from cwnd import Scenario
from cwnd.replicates.api import processors
from cwnd.replicates.executor import Context, Threads, run_all
from cwnd.result.lanes import SIM, STEPS, start


@dataclass(frozen=True, slots=True)
class Alone:
    """A simulation whose results are discarded."""

    scenario: Scenario

    def run(self, context: Context) -> None:
        engine = start(self.scenario, SIM)
        while not engine.step(STEPS[SIM]):
            pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--rate", default="100Mbit/s")
    parser.add_argument("--duration", default="1s")
    parser.add_argument("--flows", nargs="+", default=["cubic", "reno"])
    parser.add_argument("--jobs", type=int, default=processors())
    options = parser.parse_args()
    settings = {"rate": options.rate, "rtt": "40ms", "duration": options.duration}
    base = cwnd.dumbbell(options.flows, **settings)
    cwnd.sweep(base, seeds=2)  # imports
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        study = cwnd.sweep(base, seeds=options.runs, jobs=options.jobs, folder=Path(folder) / "study")
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert study.done == options.runs
    tasks = {seed: Alone(base.with_seed(seed)) for seed in range(1, options.runs + 1)}
    alone_wall, alone = time.perf_counter(), time.process_time()
    run_all(Threads[None](options.jobs), tasks, lambda *_: None)
    alone_wall, alone = time.perf_counter() - alone_wall, time.process_time() - alone
    print(
        f"{options.runs} runs of {options.duration} at {options.rate}, {len(options.flows)} groups, {options.jobs} threads"
    )
    print(f"  the study: {wall:.1f} s, CPU time {cpu:.1f} s; the simulations alone: {alone_wall:.1f} s, {alone:.1f} s")
    outside = (cpu - alone) / options.runs
    print(
        f"  outside the simulator: {outside * 1e3:.2f} ms of CPU time a run, {1 - alone / cpu:.0%}; "
        f"under 10 % for runs of {9 * outside * 1e3:.0f} ms and more"
    )


if __name__ == "__main__":
    main()
