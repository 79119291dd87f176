# SPDX-License-Identifier: MIT OR Apache-2.0
"""Random scenarios of the fuzzer's generator, less the keys that lane linux refuses, are the same bytes in two boots of it.

CWND_RANDOM_SCENARIOS=200 runs so many that the lane accepts; the seed of the first one is printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from needs import needs

import cwnd as package
from cwnd import _native
from cwnd.linux.engine import check_clock
from cwnd.scenario.builders import from_document

pytestmark = [pytest.mark.slow, needs("linux"), pytest.mark.usefixtures("virtual_kernel")]

ROOT = Path(__file__).parents[3]
SEED = 3801
#: Keys of a scenario that the lane may refuse, before it is given up.
MOST_REFUSED = 60
#: Virtual time, packets of full links, and flows of a run: more take too long for a test.
MOST_S = 1.0
MOST_PACKETS = 20_000
MOST_FLOWS = 50
TABLES = ("flows", "links", "rates", "cwnd", "queue", "events", "transfers", "waits")


def written(folder: Path, count: int) -> list[Path]:
    """So many random scenarios."""
    command = ["cargo", "run", "--quiet", "--locked", "-p", "cwnd-fuzz", "--bin", "failure", "--", "--scenarios"]
    subprocess.run([*command, str(count), str(SEED), str(folder)], check=True, cwd=ROOT)
    return sorted(folder.iterdir(), key=lambda path: int(path.stem.removeprefix("random-")))


def without(document: dict[str, object], field: str) -> bool:
    """Removes a key, such as `flow[0].recovery`, from a document; whether it was there."""
    *path, last = re.findall(r"[a-z_0-9]+", field)
    at: object = document
    for step in path:
        at = at[int(step)] if isinstance(at, list) else at.get(step) if isinstance(at, dict) else None
    if isinstance(at, list) and last.isdigit() and int(last) < len(at):
        del at[int(last)]
        return True
    return isinstance(at, dict) and at.pop(last, None) is not None


def duration_s(document: dict[str, object]) -> float:
    """How long a scenario of the generator takes, which writes whole nanoseconds."""
    return int(str(document["duration"]).removesuffix("ns")) / 1e9


def shorten(document: dict[str, object]) -> None:
    """Gives a scenario a shorter duration, and no rows at each acknowledgement, of which thousands of flows have many."""
    if duration_s(document) > MOST_S:
        document["duration"] = f"{MOST_S}s"
    if isinstance(record := document.get("record"), dict):
        record.pop("per_ack", None)


def as_the_lane_takes_it(path: Path) -> package.Scenario | None:
    """A random scenario less the keys that the lane refuses; `None` where it is none then, or takes long."""
    document = tomllib.loads(path.read_text())
    shorten(document)
    for _ in range(MOST_REFUSED):
        try:
            scenario = from_document(document)
            _native.Lab.check(scenario, "linux")
            check_clock(scenario, package.linux.find())
            is_short = (
                scenario.packets_per_s * scenario.duration_s <= MOST_PACKETS and len(scenario.flow_names) <= MOST_FLOWS
            )
            return scenario if is_short else None
        except package.ScenarioError as refusal:
            if refusal.field is None or not without(document, refusal.field):
                return None
    return None


def measured(scenario: package.Scenario) -> dict[str, object] | str:
    """All that a run has measured; or why the machine is too small for it."""
    try:
        result = package.run(scenario, lane="linux")
    except OSError as refusal:
        return str(refusal)
    summary = {name: value for name, value in result.summary.items() if name != "perf"}
    return {"summary": summary} | {name: result.table(name).to_pydict() for name in TABLES}


def twice(path: Path) -> tuple[str, bool, str]:
    """Name of a scenario, whether it ran, and how two runs of it differ."""
    scenario = as_the_lane_takes_it(path)
    if scenario is None:
        return path.stem, False, ""
    one = measured(scenario)
    if isinstance(one, str):
        return path.stem, False, one
    other = measured(scenario)
    if isinstance(other, str):
        return path.stem, True, other
    return path.stem, True, ", ".join(name for name in one if one[name] != other[name])


def test_random_scenarios_are_the_same_bytes_in_two_boots(tmp_path: Path) -> None:
    wanted = int(os.environ.get("CWND_RANDOM_SCENARIOS", "8"))
    paths = written(tmp_path, 6 * wanted)
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
    print(f"{ran} ran twice, {refused} were left out")
    assert ran >= wanted
