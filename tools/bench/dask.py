# SPDX-License-Identifier: MIT OR Apache-2.0
"""A study on a Dask cluster of this machine: how much sooner two workers are done than one, and what the cluster costs beside threads.

Workers of one thread each, processes of this machine, with one of them and with two in turn; which goes first alternates. CPU time is that of client, scheduler and workers.
Beside it the same study on one thread and on two: what is longer on as many workers is the cluster's part.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from distributed import Client, LocalCluster

import cwnd
from cwnd.replicates.replicating import processors
from tools.bench.threads import busy_s

AIM = 1.8


@dataclass(frozen=True, slots=True)
class Timing:
    """One study."""

    wall_s: float
    #: Part of all processors that was used meanwhile, by anybody, 0 to 1.
    busy: float


def once(points: int, duration: str, where: Client | int, folder: Path) -> Timing:
    """Runs the study, on a cluster or on threads, and keeps it in a new folder."""
    engine: dict[str, object] = {"jobs": where} if isinstance(where, int) else {"dask": where}
    before, start = busy_s() or 0.0, time.perf_counter()
    study = cwnd.sweep(
        ["cubic", "reno"],
        rate="100Mbit/s",
        rtt=[f"{number + 1}ms" for number in range(points)],
        duration=duration,
        folder=Path(tempfile.mkdtemp(dir=folder)) / "study",
        **engine,  # type: ignore[arg-type]
    )
    wall = time.perf_counter() - start
    assert study.done == points and not study.found
    return Timing(wall, ((busy_s() or 0.0) - before) / wall / (os.cpu_count() or 1))


@contextmanager
def clusters(counts: tuple[int, ...]) -> Iterator[dict[int, Client]]:
    """Clients of clusters with so many workers."""
    clients: dict[int, Client] = {}
    try:
        for count in counts:
            cluster = LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)
            clients[count] = Client(cluster, set_as_default=False)
        yield clients
    finally:
        for client in clients.values():
            client.cluster.close()
            client.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--duration", default="100s")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    took: dict[str, list[Timing]] = {}
    with tempfile.TemporaryDirectory() as scratch, clusters((1, 2)) as clients:
        where = {"1 worker": clients[1], "2 workers": clients[2], "1 thread": 1, "2 threads": 2}
        for engine in where.values():  # imports
            once(8, "1s", engine, Path(scratch))
        for number in range(options.rounds):
            for name in where if number % 2 == 0 else reversed(list(where)):
                timing = once(options.points, options.duration, where[name], Path(scratch))
                took.setdefault(name, []).append(timing)
    print(f"{options.points} points of {options.duration}, {options.rounds} rounds, {processors()} processors")
    for name, timings in took.items():
        walls = sorted(timing.wall_s for timing in timings)
        busy = statistics.median(timing.busy for timing in timings)
        print(
            f"  {name}: {statistics.median(walls):.2f} s ({walls[0]:.2f} to {walls[-1]:.2f}); processors busy {busy:.0%}"
        )
    for kind, one, two in (("workers", "1 worker", "2 workers"), ("threads", "1 thread", "2 threads")):
        ratios = sorted(first.wall_s / second.wall_s for first, second in zip(took[one], took[two]))
        print(f"  two {kind} {statistics.median(ratios):.2f} times sooner ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    print(f"  aim: {AIM} times")


if __name__ == "__main__":
    main()
