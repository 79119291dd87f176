# SPDX-License-Identifier: MIT OR Apache-2.0
"""Time per packet with 8 to 100 000 flows, on one thread and on two, every size in turn.

Each flow has about 1 Mbit/s of the link (the eight have 50), round trips of 100 ms and a buffer of one BDP; starts are drawn within two
seconds, so slow start's losses are in it. What is recorded by default is recorded. On one thread the CPU time of the engine is what counts, between
one thread and two the wall time of both, in pairs.

With --memory instead: the most memory that `cwnd run -o` takes for 100 000 flows, 100 s and the default interval (100 million rows of `cwnd`).
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from cwnd import Scenario
from cwnd._native import Simulation

SIZES = {8: (400, 200), 1000: (1000, 60), 10_000: (10_000, 20), 100_000: (100_000, 4)}  # flows: Mbit/s, simulated s
#: On one thread, ns a packet; on two, times as soon as on one.
AIMS = {10_000: 45, 100_000: 55}
THREADS_AIM = 1.6


def scenario(flows: int) -> Scenario:
    """So many flows through one link."""
    rate, seconds = SIZES[flows]
    return Scenario.from_toml(
        f'name = "{flows} flows"\nduration = "{seconds}s"\n[link]\nrate = "{rate}Mbit/s"\nrtt = "100ms"\n'
        f'[record]\ninterval = "1s"\n'
        f'[[flow]]\ncc = "cubic"\nrecovery = "sack-prr"\ncount = {flows}\nstart = {{ uniform = ["0s", "2s"] }}\n'
    )


class Timing(NamedTuple):
    """Time per packet of the bottleneck, ns."""

    cpu: float
    wall: float


def once(flows: int, threads: int) -> Timing:
    """A run on so many threads."""
    run = Simulation(scenario(flows), threads)
    begin = time.perf_counter()
    while not run.step(10_000_000):
        pass
    wall = time.perf_counter() - begin
    return Timing(1e9 * run.cpu_s / run.packets, 1e9 * wall / run.packets)


def memory() -> str:
    """What a run of 100 000 flows takes, in a sentence; docs/results/speed.md has the aim."""
    text = (
        'duration = "100s"\n[link]\nrate = "1Gbit/s"\nrtt = "100ms"\n[record]\nlimit = "8GB"\n'
        '[[flow]]\ncc = "cubic"\nrecovery = "sack-prr"\ncount = 100_000\nstart = { uniform = ["0s", "2s"] }\n'
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flows.toml"
        path.write_text(text)
        command = [str(Path(sys.executable).with_name("cwnd")), "run", str(path), "-o", f"{folder}/out", "--no-plots"]
        subprocess.run(command, check=True, capture_output=True)
        size = sum(file.stat().st_size for file in (Path(folder) / "out").iterdir())
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        f"100 000 flows, 100 s, a sample of each every 100 ms: {used.ru_maxrss / 1024:.0f} MiB of memory at most, "
        f"{size / 1e6:.0f} MB of tables, {used.ru_utime + used.ru_stime:.0f} s of CPU"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", action="store_true")
    wanted = parser.parse_args()
    if wanted.memory:
        print(memory())
        return
    rounds = wanted.rounds
    seen: dict[tuple[int, int], list[Timing]] = {(flows, threads): [] for flows in SIZES for threads in (1, 2)}
    for number in range(1, rounds + 1):
        print(f"round {number} of {rounds} ...", file=sys.stderr)
        for flows, threads in seen:
            seen[flows, threads].append(once(flows, threads))
    print(
        "| flows | ns of CPU a packet, one thread: median | least to most | aim | two threads: wall time, times as soon, in pairs | aim |"
    )
    print("| ---: | ---: | --- | ---: | --- | ---: |")
    for flows in SIZES:
        one = [timing.cpu for timing in seen[flows, 1]]
        sooner = [one.wall / two.wall for one, two in zip(seen[flows, 1], seen[flows, 2], strict=True)]
        pairs = f"{statistics.median(sooner):.2f} ({min(sooner):.2f} to {max(sooner):.2f})"
        aims = (AIMS.get(flows, ""), THREADS_AIM if flows in (1000, 10_000) else "")
        print(
            f"| {flows:,} | {statistics.median(one):.1f} | {min(one):.1f} to {max(one):.1f} | {aims[0]} | {pairs} | {aims[1]} |"
        )


if __name__ == "__main__":
    main()
