# SPDX-License-Identifier: MIT OR Apache-2.0
"""Lane live: inner variables of the flows' algorithms, and rows at every acknowledgement. Needs root, TUN, namespaces and BPF."""

from __future__ import annotations

import subprocess
import threading
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from conftest import refused
from in_kernel import PROGRAM
from in_lab import LOADS, NEEDS_LAB, run
from needs import needs

import cwnd as package
from cwnd import Flow, dumbbell

pytestmark = NEEDS_LAB


def variable(result: package.Result, name: str, flow: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of an inner variable."""
    rows = [row for row in result.inner.to_pylist() if (row["name"], row["flow"]) == (name, flow)]
    return np.array([row["time_s"] for row in rows]), np.array([row["value"] for row in rows])


def epochs(result: package.Result, flow: int = 0) -> list[tuple[float, float, float]]:
    """Of each epoch of CUBIC's that begins after 8 s: K (s), the plateau, the window at its first sample."""
    times, begins = variable(result, "epoch_start_ticks", flow)
    values = [variable(result, name, flow)[1] for name in ("k_s_x1024", "origin")]
    samples = result.cwnd.to_pylist()
    windows = {row["time_s"]: row["cwnd"] for row in samples if row["flow"] == flow}
    first = [n for n in range(1, len(times)) if begins[n] != begins[n - 1] and begins[n] != 0 and times[n] > 8]
    return [(values[0][n] / 1024, values[1][n], windows[times[n]]) for n in first]


def test_an_algorithm_of_the_kernel_by_its_own_name_shows_its_variables() -> None:
    scenario = dumbbell(
        [Flow("kernel/cubic")], rate="20Mbit/s", rtt="40ms", duration="2s", inner=["count", "min_rtt_us"]
    )
    rows = run(scenario).inner.to_pylist()
    assert {row["name"] for row in rows} == {"count", "min_rtt_us"}
    assert all(row["value"] >= 40_000 for row in rows if row["name"] == "min_rtt_us" and row["time_s"] > 1)


# 20 Mbit/s × 40 ms are 66 packets, the queue holds as many: losses at 133 or so, 0.7 of that kept, K = (0.3 × 133 / 0.4)^(1/3) = 4.6 s. The first
# sample of an epoch comes up to 10 ms after its begin: the window may have grown by one. The kernel's root is within 0.2 %.
def test_the_kernels_own_cubic_has_the_simulators_variables() -> None:
    scenario = dumbbell(
        [Flow("cubic-linux", recovery="linux")],
        rate="20Mbit/s",
        rtt="40ms",
        buffer="1bdp",
        duration="40s",
        interval="10ms",
        inner=True,
    )
    simulated, live = package.run(scenario), run(scenario)
    assert live.summary["live"]["algorithms"] == ["cubic"]
    assert live.inner.schema == simulated.inner.schema
    names = [set(result.inner["name"].to_pylist()) for result in (simulated, live)]
    assert names[0] == names[1] >= {"last_max", "origin", "k_s_x1024", "epoch_start_ticks"}
    # The samples of both tables are one.
    assert set(live.inner["time_s"].to_pylist()) <= set(live.cwnd["time_s"].to_pylist())
    means = []
    for result in (simulated, live):
        found = epochs(result)
        assert len(found) >= 5, (result.lane, found)
        for k, origin, window in found:
            least, most = (((origin - cwnd) / 0.4) ** (1 / 3) for cwnd in (window, window - 1))
            assert least * 0.995 - 0.002 < k < most * 1.005 + 0.002, (result.lane, k, origin, window)
        means.append(np.mean(found, axis=0))
        times, minimum = variable(result, "min_rtt_us")
        assert 40_000 <= minimum[-1] < 41_500, result.lane
        # It never grows.
        assert (np.diff(minimum[times > 1]) <= 0).all(), result.lane
    assert np.abs(means[1] / means[0] - 1).max() < 0.05, means


# Two sets of ours, of which the second differs from today's in a parameter: both are BPF objects. H-TCP's variables beside CUBIC's.
@LOADS
def test_algorithms_of_ours_show_their_variables() -> None:
    flows = [Flow("htcp"), Flow("cubic", beta="0.85")]
    scenario = dumbbell(flows, rate="20Mbit/s", rtt="80ms", duration="8s", inner=True, interval="50ms")
    simulated, live = package.run(scenario), run(scenario)
    shown = [{(row["flow"], row["name"]) for row in result.inner.to_pylist()} for result in (simulated, live)]
    assert shown[0] == shown[1]
    assert all(name.startswith("cwnd_") for name in live.summary["live"]["algorithms"])
    # Before the handshake is over nothing is known; from then on each sample has all of them.
    times, minimum = variable(live, "min_rtt_us", 1)
    assert len(times) > 0.9 * 8 / 0.05
    # The path's 80 ms, and the queue that the other flow leaves, which holds as much.
    assert 80_000 <= minimum[-1] < 160_000 and (np.diff(minimum[minimum > 0]) <= 0).all()
    largest = max(row["cwnd"] for row in live.cwnd.to_pylist() if row["flow"] == 1)
    assert 0 < variable(live, "w_max", 1)[1][-1] <= largest


def test_variables_are_chosen_by_name_and_flows_by_number() -> None:
    scenario = dumbbell(
        [Flow("cubic-linux"), Flow("cubic-linux")],
        rate="10Mbit/s",
        rtt="160ms",
        duration="2s",
        inner=["k_s_x1024"],
        record_flows=[1],
    )
    rows = run(scenario).inner.to_pylist()
    assert {(row["flow"], row["name"]) for row in rows} == {(1, "k_s_x1024")}


# A switch from the kernel's own algorithm to one of ours: each sample is read as what ran then.
@LOADS
def test_a_flow_that_switches_shows_the_variables_of_what_it_runs_on() -> None:
    scenario = package.Scenario.from_toml(
        "duration = '4s'\nrecord = { inner = true }\n[link]\nrate = '10Mbit/s'\nrtt = '160ms'\n[[flow]]\ncc = 'cubic-linux'\n"
        "[[action]]\nswitch = { flow = 'cubic-linux', at = '2s', cc = 'htcp' }\n"
    )
    rows = run(scenario).inner.to_pylist()
    before, after = ({row["name"] for row in rows if (row["time_s"] > 2.2) is late} for late in (False, True))
    assert "k_s_x1024" in before and after and "k_s_x1024" not in after


# Segments without data that the sender's host receives are the acknowledgements, the handshake's first one apart: a row each.
@needs("tshark")
def test_every_acknowledgement_is_a_row(tmp_path: Path) -> None:
    scenario = dumbbell(
        [Flow("cubic-linux", recovery="linux")],
        rate="20Mbit/s",
        rtt="80ms",
        buffer="1bdp",
        duration="5s",
        per_ack=True,
        inner=["k_s_x1024"],
        record_packets="senders",
    )
    live = run(scenario)
    rows = live.cwnd.to_pylist()
    (tmp_path / "pcapng").write_bytes(live.packets["senders"])
    only = "tcp.srcport == 10000 && tcp.flags.syn == 0"
    command = ["tshark", "-r", tmp_path / "pcapng", "-Y", only, "-T", "fields", "-e", "tcp.ack"]
    received = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert abs(len(rows) - len(received)) <= 2 and len(rows) > 2000
    assert live.inner.num_rows == len(rows) and live.inner["time_s"] == live.cwnd["time_s"]
    times = [row["time_s"] for row in rows]
    assert times == sorted(times) and 0 < times[0] < 0.2 and 4.9 < times[-1] <= 5
    # What is acknowledged stays so, and has left the link before.
    delivered = [row["delivered"] for row in rows]
    assert delivered == sorted(delivered) and delivered[0] > 0
    assert all(row["forwarded"] >= row["delivered"] for row in rows)
    # In slow start the window grows by what is acknowledged, or less.
    slow = [
        (one, next) for one, next in pairwise(rows) if next["cwnd"] < next["ssthresh"] and next["ca_state"] == "open"
    ]
    assert len(slow) > 20 and max(one["cwnd"] for one, _ in slow) > 100
    assert all(0 <= next["cwnd"] - one["cwnd"] <= next["delivered"] - one["delivered"] for one, next in slow)


def bpf_descriptors() -> int:
    """Descriptors of BPF that this process has open."""
    count = 0
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            count += "bpf" in entry.readlink().name
    return count


@pytest.mark.parametrize("inner", [False, True])
def test_nothing_is_loaded_unless_it_is_asked_for(inner: bool) -> None:
    scenario = dumbbell([Flow("cubic-linux")], rate="10Mbit/s", rtt="160ms", duration="2s", inner=inner)
    before, most, over = bpf_descriptors(), 0, threading.Event()

    def look() -> None:
        nonlocal most
        while not over.wait(0.05):
            most = max(most, bpf_descriptors())

    looker = threading.Thread(target=look)
    looker.start()
    try:
        run(scenario)
    finally:
        over.set()
        looker.join()
    assert (most > before) is inner and bpf_descriptors() == before


# The root of a user namespace makes hosts, but loads nothing into the kernel.
def test_a_kernel_that_loads_nothing_is_one_clear_line() -> None:
    unshare = ["unshare", "--user", "--map-root-user"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs user namespaces: sysctl user.max_user_namespaces=1000")
    command = [*unshare, PROGRAM, "compare", "cubic-linux", "--inner", "--lane", "live", "--duration", "1s"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    refused(done, "record.inner: true", "lane live", "expected", "root")
