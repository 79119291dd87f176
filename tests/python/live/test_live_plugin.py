# SPDX-License-Identifier: MIT OR Apache-2.0
"""An algorithm of one's own in lane live: its kernel object is built for the run. Needs root, TUN, namespaces and the BPF compilers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli, New, cargo
from in_kernel import crate_with_object
from in_lab import LOADS, NEEDS_LAB, kept_up

pytestmark = [*NEEDS_LAB, LOADS, cargo]

PATH = ("--rate", "10Mbit/s", "--rtt", "20ms", "--duration", "2s", "--lane", "live")


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    """A crate as `cwnd new` makes it; skipped where no kernel object can be built, but not in CI."""
    crate = crate_with_object(new_crate, "mine", tmp_path_factory.mktemp("live"))
    (crate / "mine.bpf.o").unlink()
    return crate


def test_compare_runs_a_plugin_in_the_kernel_beside_the_kernels_own(mine: Path, cwnd: Cli) -> None:
    done = kept_up(lambda: cwnd("compare", "mine", "mine@beta=0.5", "cubic-linux", "--plugin", mine, *PATH, "--json"))
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    ran_on = list(summary["live"]["algorithms"])
    assert ran_on[0] == "cwnd_mine" and ran_on[1].startswith("cwnd_") and ran_on[1] != "cwnd_mine", ran_on
    assert all(flow["throughput_mbps"] > 0.5 for flow in summary["flows"]), summary["flows"]
    # Nothing is left in the crate but in its target folder, and nothing in the kernel.
    assert not (mine / "mine.bpf.o").exists()
    names = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text()
    assert "cwnd_mine" not in names


def test_a_study_does_too(mine: Path, cwnd: Cli) -> None:
    path = ("--rate", "10Mbit/s", "--rtt", "10ms,20ms", "--duration", "1s", "--lane", "live")
    done = kept_up(lambda: cwnd("sweep", "mine", "--plugin", mine, *path))
    assert done.returncode == 0 and "failed" not in done.stderr, done.stderr
