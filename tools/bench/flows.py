# SPDX-License-Identifier: MIT OR Apache-2.0
"""Time per packet with 8, 10 000 and 100 000 flows: CPU time of the engine alone, one core, every size in turn.

Each flow has about 1 Mbit/s of the link (the eight have 50), round trips of 100 ms and a buffer of one BDP; starts are drawn within two
seconds, so slow start's losses are in it. What is recorded by default is recorded.

With --memory instead: the most memory that `cwnd run -o` takes for 100 000 flows, 100 s and the default interval (100 million rows of `cwnd`).
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from cwnd import Scenario
from cwnd._native import Simulation

SIZES = {8: (400, 200), 10_000: (10_000, 20), 100_000: (100_000, 4)}  # flows: Mbit/s, simulated s
AIMS = {10_000: 2.5, 100_000: 6.0}


def scenario(flows: int) -> Scenario:
    """So many flows through one link."""
    rate, seconds = SIZES[flows]
    return Scenario.from_toml(
        f'name = "{flows} flows"\nduration = "{seconds}s"\n[link]\nrate = "{rate}Mbit/s"\nrtt = "100ms"\n'
        f'[record]\ninterval = "1s"\n'
        f'[[flow]]\ncc = "cubic"\ncount = {flows}\nstart = {{ uniform = ["0s", "2s"] }}\n'
    )


def once(flows: int) -> float:
    """CPU time per packet of the bottleneck, ns."""
    run = Simulation(scenario(flows))
    while not run.step(10_000_000):
        pass
    return 1e9 * run.cpu_s / run.packets


def memory() -> str:
    """What a run of 100 000 flows takes, in a sentence; docs/results/speed.md has the aim."""
    text = (
        'duration = "100s"\n[link]\nrate = "1Gbit/s"\nrtt = "100ms"\n[record]\nlimit = "8GB"\n'
        '[[flow]]\ncc = "cubic"\ncount = 100_000\nstart = { uniform = ["0s", "2s"] }\n'
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
    times: dict[int, list[float]] = {flows: [] for flows in SIZES}
    for number in range(1, rounds + 1):
        print(f"round {number} of {rounds} ...", file=sys.stderr)
        for flows in SIZES:
            times[flows].append(once(flows))
    print("| flows | ns per packet (median) | least to most | times that of 8 flows, in pairs | aim |")
    print("| ---: | ---: | --- | ---: | ---: |")
    for flows, seen in times.items():
        ratio = statistics.median(many / few for many, few in zip(seen, times[8], strict=True))
        aim = f"at most {AIMS[flows]}" if flows in AIMS else ""
        print(f"| {flows} | {statistics.median(seen):.1f} | {min(seen):.1f} to {max(seen):.1f} | {ratio:.2f} | {aim} |")


if __name__ == "__main__":
    main()
