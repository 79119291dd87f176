# SPDX-License-Identifier: MIT OR Apache-2.0
"""Several seeds in lane live: the documents of lane sim, one run after another. Needs root, TUN and namespaces."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

from conftest import Cli, refused
from in_kernel import PROGRAM, started, until
from in_lab import NEEDS_LAB, in_time, kept_up, outside, threads

import cwnd as package

pytestmark = NEEDS_LAB

FLOW = ("compare", "cubic-linux", "--rate", "10Mbit/s", "--rtt", "160ms", "--loss", "random:0.01")


def shape(document: object) -> object:
    """The keys of a document, and the lengths of its lists, without its values."""
    if isinstance(document, dict):
        return {key: shape(value) for key, value in document.items()}
    if isinstance(document, list):
        return [shape(value) for value in document]
    return None


def test_seeds_give_the_documents_of_lane_sim(cwnd: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "live"
    arguments = (*FLOW, "--duration", "2s", "--seeds", "3", "--json")
    done = kept_up(lambda: cwnd(*arguments, "--lane", "live", "-o", str(folder)))
    assert done.returncode == 0, done.stderr
    live, simulated = json.loads(done.stdout), json.loads(cwnd(*arguments).stdout)
    assert (live["lane"], live["seeds"], live["asked"]) == ("live", [1, 2, 3], 3)
    for run in live["runs"]:
        assert run.pop("live")["algorithms"] == ["cubic"]
    for document in (live, simulated):
        first, *others = [shape(run) for run in document.pop("runs")]
        assert others == [first, first]
        document["run"] = first
    assert shape(live) == shape(simulated)
    study = package.load(folder)
    assert isinstance(study, package.Replicates) and study.done == 3
    one = package.load(folder / "seed-0002")
    assert isinstance(one, package.Result) and one.lane == "live" and one.summary["seed"] == 2
    # Of another lane it is another study.
    refused(cwnd(*arguments, "-o", str(folder)), "lane sim", "lane live")
    # All seeds are there: nothing is run.
    again = cwnd(*arguments, "--lane", "live", "-o", str(folder))
    assert again.returncode == 0 and "3 of them reused" in again.stderr


def test_ctrl_c_keeps_the_runs_that_are_done(cwnd: Cli, tmp_path: Path) -> None:
    before, folder = outside(), tmp_path / "live"
    command = [str(PROGRAM), *FLOW, "--duration", "2s", "--seeds", "1000", "--lane", "live", "-o", str(folder)]
    with started(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        until(lambda: (folder / "seed-0001").exists() and "cwnd-link" in threads(child.pid))
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
    assert child.returncode == 130 and f"kept in {folder}" in said, said
    until(lambda: outside() <= before)
    done = sorted(path.name for path in folder.iterdir())
    assert done[:2] == ["manifest.json", "seed-0001"] and done[-1] == "summary.json"


def test_replicates_from_python_are_in_the_lane() -> None:
    scenario = package.dumbbell([package.Flow("reno-linux")], rate="10Mbit/s", rtt="160ms", duration="1s")
    study = in_time(lambda: package.replicate(scenario, 2, lane="live"))
    assert study.document is not None and study.document["lane"] == "live" and study.done == 2
