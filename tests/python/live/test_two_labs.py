# SPDX-License-Identifier: MIT OR Apache-2.0
"""Two labs at the same time do not meet. Needs root, TUN and namespaces."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from in_kernel import PROGRAM
from in_lab import NEEDS_LAB

pytestmark = NEEDS_LAB

#: Rate, Mbit/s, and seed: different losses.
LABS = ((10, 1), (4, 2))


def run_both() -> list[tuple[int, str, str]]:
    """Exit code, result and errors of two runs that go on at once."""
    runs = []
    for rate, seed in LABS:
        options = ["--rate", f"{rate}Mbit/s", "--rtt", "160ms", "--loss", "random:0.001", "--seed", str(seed)]
        command = [PROGRAM, "compare", "reno-linux", *options, "--duration", "4s", "--lane", "live", "--json"]
        runs.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    return [(run.returncode, *said) for run in runs for said in [run.communicate(timeout=60)]]


# Both labs have the same addresses and ports. Had they one network, a flow would exceed its link, or a lab would see packets that are not its own.
def test_two_runs_at_once_have_a_network_each() -> None:
    for _ in range(5):
        results = run_both()
        # 1: this machine did not keep up with both.
        if all(code == 0 for code, _, _ in results):
            break
        assert all(code in (0, 1) for code, _, _ in results), results
    else:
        pytest.fail(f"{results}")
    summaries = [json.loads(text) for _, text, _ in results]
    for (rate, seed), summary in zip(LABS, summaries):
        link, flow, live = summary["link"], summary["flows"][0], summary["live"]
        assert (link["capacity_mbps"], summary["seed"], live["packets_foreign"]) == (rate, seed, 0)
        assert 0.2 < link["utilization"] <= 1.001
        assert abs(flow["throughput_mbps"] / (link["utilization"] * rate) - 1) < 0.01


# Each command finds the machine at an address of its own.
def test_two_shells_at_once_have_addresses_of_their_own() -> None:
    script = "import os, sys; print(os.environ['CWND_HOST'], flush=True); sys.stdin.readline()"
    command = [PROGRAM, "shell", "--rate", "5Mbit/s", "--", sys.executable, "-c", script]
    shells = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in LABS]
    addresses = [shell.stdout.readline().strip() for shell in shells if shell.stdout]
    for shell in shells:
        shell.communicate("\n", timeout=60)
    assert [shell.returncode for shell in shells] == [0, 0]
    first, second = addresses
    assert first != second and first.startswith("100.64.") and second.startswith("100.64.")
