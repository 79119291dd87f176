# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd fidelity --lane live`: the running kernel in real time, where every scenario is compared by its numbers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import Cli
from in_lab import LAB, kept_up
from needs import needs

pytestmark = [needs(*LAB), pytest.mark.usefixtures("turn")]


def test_lane_live_compares_numbers_in_pairs_of_runs(cwnd: Cli, tmp_path: Path) -> None:
    file = tmp_path / "brief.toml"
    file.write_text(
        "duration = '2s'\nmeasure = ['1s', '2s']\n[link]\nrate = '5Mbit/s'\nrtt = '160ms'\n[[flow]]\ncc = 'reno-linux'\n"
    )
    done = kept_up(lambda: cwnd("fidelity", file, "--lane", "live", "--runs", "2", "--json"))
    assert done.returncode in (0, 1), done.stderr
    (document,) = json.loads(done.stdout)
    assert (document["lane"], document["kernel"], document["runs"]) == ("live", os.uname().release, 2)
    assert document["packets"] is None and "goodput, reno-linux" in [each["name"] for each in document["numbers"]]
