# SPDX-License-Identifier: MIT OR Apache-2.0
"""A study on a Dask cluster of this machine: how much sooner two workers finish than one, and what the cluster costs compared with threads.

Workers of one thread each, processes of this machine; the same study on threads beside them. All in turn, in an order that alternates. A
round during which others used more than a few per cent of the processors is tried again. CPU time is that of client, scheduler and workers.
"""

from __future__ import annotations

import argparse
import logging
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from distributed import Client, LocalCluster

import cwnd
from cwnd.replicates.api import processors
from tools.bench.threads import busy_s

AIM = 1.8
#: Of all processors, what others may use in a round that counts.
QUIET = 0.05


@dataclass(frozen=True, slots=True)
class Timing:
    """One study."""

    wall_s: float
    #: Of all processes of ours.
    cpu_s: float
    #: Part of all processors that other processes used during the run, 0 to 1.
    others: float


def our_cpu_s() -> float:
    """CPU time of this process and of the workers, s."""
    this = psutil.Process()
    times = [process.cpu_times() for process in (this, *this.children(recursive=True))]
    return sum(float(each.user + each.system) for each in times)


def once(points: int, duration: str, where: Client | int, folder: Path) -> Timing:
    """Runs the study, on a cluster or on threads, and keeps it in a new folder."""
    engine: dict[str, object] = {"jobs": where} if isinstance(where, int) else {"dask": where}
    busy, ours, start = busy_s() or 0.0, our_cpu_s(), time.perf_counter()
    study = cwnd.sweep(
        ["cubic", "reno"],
        rate="100Mbit/s",
        rtt=[f"{number + 1}ms" for number in range(points)],
        duration=duration,
        folder=Path(tempfile.mkdtemp(dir=folder)) / "study",
        **engine,  # type: ignore[arg-type]
    )
    wall, cpu, all_of = time.perf_counter() - start, our_cpu_s() - ours, (busy_s() or 0.0) - busy
    assert study.done == points and not study.found
    return Timing(wall, cpu, max(0.0, all_of - cpu) / wall / (os.cpu_count() or 1))


@contextmanager
def clusters(*counts: int) -> Iterator[Mapping[int, Client]]:
    """Clients of clusters with so many workers."""
    clients: dict[int, Client] = {}
    try:
        for count in counts:
            cluster = LocalCluster(
                n_workers=count, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
            )
            clients[count] = Client(cluster, set_as_default=False)
        yield clients
    finally:
        for client in clients.values():
            client.close()
            client.cluster.close()


def median(values: list[float]) -> str:
    values = sorted(values)
    return f"{statistics.median(values):.2f} ({values[0]:.2f} to {values[-1]:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--duration", default="50s")
    parser.add_argument("--rounds", type=int, default=5, help="how many have to count")
    parser.add_argument("--tries", type=int, default=20, help="rounds at most")
    options = parser.parse_args()
    rounds: list[dict[str, Timing]] = []
    with tempfile.TemporaryDirectory() as scratch, clusters(1, 2) as clients:
        where = {"1 worker": clients[1], "2 workers": clients[2], "1 thread": 1, "2 threads": 2}
        for engine in where.values():  # imports
            once(8, "1s", engine, Path(scratch))
        for number in range(options.tries):
            order = list(where) if number % 2 == 0 else list(reversed(where))
            rounds.append({name: once(options.points, options.duration, where[name], Path(scratch)) for name in order})
            quiet = [each for each in rounds if all(timing.others <= QUIET for timing in each.values())]
            if len(quiet) == options.rounds:
                break
    print(
        f"{options.points} points of {options.duration}, {processors()} processors; {len(quiet)} of {len(rounds)} rounds had them for themselves"
    )
    if not quiet:
        others = statistics.median(timing.others for each in rounds for timing in each.values())
        print(f"  others use {others:.0%} of the processors (median); CPU times alone count")
    for name in where:
        cpu = median([each[name].cpu_s for each in rounds])
        print(f"  {name}: {median([each[name].wall_s for each in quiet or rounds])} s; CPU time {cpu} s")
    for kind, one, two in (("workers", "1 worker", "2 workers"), ("threads", "1 thread", "2 threads")):
        ratios = [each[one].wall_s / each[two].wall_s for each in quiet or rounds]
        print(f"  two {kind}: {median(ratios)} times sooner (aim: {AIM})")


if __name__ == "__main__":
    main()
