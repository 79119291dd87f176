# SPDX-License-Identifier: MIT OR Apache-2.0
"""Threads of one run: its result does not depend on their number."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cwnd as package
from cwnd.replicates.api import processors
from cwnd.result.store import Writer

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

#: Flows that start one after another, stop, change their algorithm, and end; with losses, timeouts and samples.
MANY = """
duration = "6s"
measure = ["1s", "6s"]
seed = 4
[link]
rate = "400Mbit/s"
rtt = "80ms"
loss = "random:0.0005"
queue = { kind = "droptail", limit = "0.5bdp" }
[[flow]]
cc = "cubic"
count = 40
start = { uniform = ["0s", "2s"] }
[[flow]]
cc = "sack"
count = 30
rtt = "120ms"
recovery = "linux"
stop = "5s"
start = { uniform = ["0s", "1s"] }
[[flow]]
cc = "newreno"
count = 20
size = "300kB"
start = { uniform = ["0s", "4s"] }
[[action]]
switch = { flow = "cubic 2", at = "3s", cc = "htcp" }
"""


def test_a_run_is_the_same_on_one_thread_and_on_several() -> None:
    """Every table and every number of the summary, of 90 flows in one queue."""
    scenario = package.Scenario.from_toml(MANY)
    one = package.run(scenario)
    assert one.rows("events") > 1000 and len(one.summary["transfers"]) > 0
    taken = {}
    for threads in (2, 3, 7, 256):
        several = package.run(scenario, threads=threads)
        assert several == one, f"{threads} threads"
        taken[threads] = several.summary["perf"].get("threads", 1)
    # 2667 packets in 80 ms, so it takes all that there are.
    assert all(number == min(threads, taken[256]) for threads, number in taken.items()), taken
    if taken[256] == 1:
        assert os.environ.get("CI") != "true" or processors() == 1, taken
        pytest.skip("needs two processors: taskset --cpu-list 0,1 make test-python")


def test_the_command_line_prints_and_writes_the_same_with_threads(cwnd: Cli, tmp_path: Path) -> None:
    """Byte for byte but for the time that it took."""
    (tmp_path / "many.toml").write_text(MANY)
    seen = {}
    for threads in (1, 2):
        done = cwnd(
            "run", tmp_path / "many.toml", "--threads", threads, "--json", "-o", tmp_path / str(threads), "--no-plots"
        )
        document = json.loads(done.stdout)
        del document["perf"]
        tables = {path.name: path.read_bytes() for path in (tmp_path / str(threads)).glob("*.parquet")}
        assert len(tables) > 5
        seen[threads] = (document, tables)
    assert seen[1] == seen[2]


def test_a_run_that_takes_one_thread_of_several_says_so_beside_its_json(cwnd: Cli) -> None:
    """On standard error; standard output is the summary."""
    done = cwnd("compare", "cubic", "reno", "--duration", "1s", "--threads", "2", "--json")
    assert done.returncode == 0 and "threads" not in json.loads(done.stdout)["perf"]
    assert done.stderr.startswith("this run used one of 2 threads"), done.stderr


def test_files_have_groups_of_as_many_rows_however_the_rows_came(tmp_path: Path) -> None:
    """250 000 rows in batches of 250 000, of 70 000, and of 1 to 99 999: three groups, byte for byte the same."""
    rows = pa.record_batch({"number": np.arange(250_000)})
    cuts = {"whole": [250_000], "equal": [70_000] * 4, "odd": [1, 99_999, 100_001, 7, 99_999]}
    written = set()
    for name, sizes in cuts.items():
        (tmp_path / name).mkdir()
        with Writer(tmp_path / name) as writer:
            start = 0
            for size in sizes:
                writer.write("events", rows.slice(start, size))
                start += size
        file = tmp_path / name / "events.parquet"
        groups = pq.ParquetFile(file).metadata
        assert [groups.row_group(at).num_rows for at in range(groups.num_row_groups)] == [100_000, 100_000, 50_000]
        written.add(file.read_bytes())
    assert len(written) == 1


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ({"threads": 0}, "a whole number from 1 to 256"),
        ({"threads": 257}, "a whole number from 1 to 256"),
        ({"threads": True}, "a whole number from 1 to 256"),
        ({"threads": "2"}, "a whole number from 1 to 256"),
        ({"threads": 2, "lane": "live"}, "1 in lane live"),
        ({"threads": 2, "seeds": 2}, "no seeds= with it"),
    ],
)
def test_threads_that_cannot_be_are_refused(call: dict[str, object], expected: str) -> None:
    """In one line, which says what is expected."""
    with pytest.raises(package.ScenarioError, match=f"^threads: .*{expected}"):
        package.compare("cubic", duration="1s", **call)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--threads", "0"), "from 1 to 256"),
        (("--threads", "two"), "from 1 to 256"),
        (("--threads", "2", "--seeds", "3"), "--jobs N"),
        (("--threads", "2", "--lane", "live"), "--lane live"),
    ],
)
def test_threads_that_cannot_be_end_the_command(cwnd: Cli, options: tuple[str, ...], expected: str) -> None:
    """With one line and a code."""
    done = cwnd("compare", "cubic", "--duration", "1s", *options)
    assert done.returncode != 0 and len(done.stderr.strip().splitlines()) == 1
    assert "--threads" in done.stderr and expected in done.stderr
