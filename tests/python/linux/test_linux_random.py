# SPDX-License-Identifier: MIT OR Apache-2.0
"""Random scenarios of the fuzzer's generator are the same bytes in two boots of lane linux.

CWND_RANDOM_SCENARIOS=200 runs so many that the lane accepts; the seed of the first one is printed.
"""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from needs import needs

import cwnd as package

pytestmark = [pytest.mark.slow, needs("linux"), pytest.mark.usefixtures("virtual_kernel")]

ROOT = Path(__file__).parents[3]
SEED = 3801
TABLES = ("flows", "links", "rates", "cwnd", "queue", "events", "transfers", "waits")


def written(folder: Path, count: int) -> list[Path]:
    """So many random scenarios."""
    command = ["cargo", "run", "--quiet", "--locked", "-p", "cwnd-fuzz", "--bin", "failure", "--", "--scenarios"]
    subprocess.run([*command, str(count), str(SEED), str(folder)], check=True, cwd=ROOT)
    return sorted(folder.iterdir(), key=lambda path: int(path.stem.removeprefix("random-")))


def measured(scenario: package.Scenario) -> dict[str, object] | str:
    """All that a run has measured; or, where the lane refuses the scenario or the machine is too small for it, why."""
    try:
        result = package.run(scenario, lane="linux")
    except (package.ScenarioError, OSError) as refusal:
        return str(refusal)
    summary = {name: value for name, value in result.summary.items() if name != "perf"}
    return {"summary": summary} | {name: result.table(name).to_pydict() for name in TABLES}


def twice(path: Path) -> tuple[str, bool, str]:
    """Name of a scenario, whether it ran, and how two runs of it differ."""
    try:
        scenario = package.Scenario.from_toml(path.read_text())
    except package.ScenarioError as refusal:
        return path.stem, False, str(refusal)
    one = measured(scenario)
    if isinstance(one, str):
        return path.stem, False, one
    other = measured(scenario)
    if isinstance(other, str):
        return path.stem, True, other
    return path.stem, True, ", ".join(name for name in one if one[name] != other[name])


def test_random_scenarios_are_the_same_bytes_in_two_boots(tmp_path: Path) -> None:
    wanted = int(os.environ.get("CWND_RANDOM_SCENARIOS", "12"))
    paths = written(tmp_path, 12 * wanted)
    print(f"seed {SEED}")
    ran, refused = 0, 0
    with ThreadPoolExecutor(2) as threads:
        for begin in range(0, len(paths), 8):
            for name, runs, differ in threads.map(twice, paths[begin : begin + 8]):
                refused += not runs
                ran += runs
                assert not (runs and differ), f"{name} (seed {SEED}): {differ}"
            if ran >= wanted:
                break
    print(f"{ran} ran twice, {refused} refused")
    assert ran >= wanted
