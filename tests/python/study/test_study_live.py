# SPDX-License-Identifier: MIT OR Apache-2.0
"""Studies in lane live: their runs go on one after another, and are kept. Needs root, TUN and namespaces."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Cli, refused
from in_lab import NEEDS_LAB, kept_up

import cwnd as package

pytestmark = NEEDS_LAB

STUDY = ("sweep", "cubic-linux", "--rate", "10Mbit/s", "--rtt", "10ms,40ms", "--duration", "2s", "--lane", "live")


def test_a_study_runs_with_the_kernels_own_tcp(cwnd: Cli, tmp_path: Path) -> None:
    done = kept_up(lambda: cwnd(*STUDY, "-o", "s", cwd=tmp_path))
    assert done.returncode == 0, done.stderr
    study = package.load(tmp_path / "s")
    assert isinstance(study, package.Study) and study.done == 2
    assert json.loads((tmp_path / "s" / "manifest.json").read_text())["lane"] == "live"
    throughput = {
        row["rtt"]: row["value"]
        for row in study.means.to_pylist()
        if row["measure"] == "throughput_mbps" and row["of"] == "group"
    }
    assert set(throughput) == {"10ms", "40ms"} and all(1 < value < 10.1 for value in throughput.values())
    again = cwnd(*STUDY, "-o", "s", cwd=tmp_path)
    assert again.returncode == 0 and "2 of them reused" in again.stderr
    refused(cwnd(*STUDY, "--jobs", "2", cwd=tmp_path), "--jobs", "because its runs are sequential")
