# SPDX-License-Identifier: MIT OR Apache-2.0
"""iperf3 as a sender that is not ours: behind `cwnd shell` it has the goodput of lane live. Needs root, TUN, namespaces and iperf3."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path

import pytest
from in_kernel import PROGRAM, until
from in_lab import NEEDS_LAB, run
from needs import needs

from cwnd import Flow, dumbbell

pytestmark = [*NEEDS_LAB, needs("iperf3")]

RATE, RTT, BUFFER = "20Mbit/s", "160ms", "0.3bdp"
#: Seconds that are not measured, and seconds that are.
BEFORE_S, MEASURED_S = 3, 8


def iperf3_mbps() -> float:
    """What the receiver of iperf3 had, Mbit/s of payload."""
    with socket.socket() as free:
        free.bind(("0.0.0.0", 0))
        port = str(free.getsockname()[1])
    # Its sockets begin with the namespace's default: one that has begun on an algorithm that paces stays paced.
    default = "echo reno >/proc/sys/net/ipv4/tcp_congestion_control"
    client = f"{default}; exec iperf3 -c $CWND_HOST -p {port} -C cubic -O {BEFORE_S} -t {MEASURED_S} --json"
    server = subprocess.Popen(["iperf3", "-s", "-p", port], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        until(lambda: f":{int(port):04X} " in listening())
        shell = [PROGRAM, "shell", "--rate", RATE, "--rtt", RTT, "--buffer", BUFFER, "--", "sh", "-c", client]
        done = subprocess.run(shell, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (done.stdout, done.stderr)
    finally:
        server.kill()
        server.communicate()
    return float(json.loads(done.stdout)["end"]["sum_received"]["bits_per_second"]) / 1e6


def listening() -> str:
    """The kernel's table of TCP sockets."""
    tables = []
    for name in ("tcp", "tcp6"):
        with Path(f"/proc/net/{name}").open() as table:
            tables += [line for line in table if line.split()[3] == "0A"]
    return "".join(tables)


# A busy machine may disturb either of them, and a shell does not judge its run: five tries. (With a buffer of 0.1bdp, where half of the link stays empty,
# they agree as well on a quiet machine: 9.90 and 9.92 Mbit/s.)
def test_iperf3_and_our_sender_agree_within_one_per_cent() -> None:
    scenario = dumbbell(
        [Flow("cubic-linux")],
        rate=RATE,
        rtt=RTT,
        buffer=BUFFER,
        reverse={"rate": RATE},
        duration=f"{BEFORE_S + MEASURED_S}s",
        measure=(f"{BEFORE_S}s", f"{BEFORE_S + MEASURED_S}s"),
    )
    pairs = []
    for _ in range(5):
        ours, theirs = run(scenario).summary["flows"][0]["goodput_mbps"], iperf3_mbps()
        pairs.append((ours, theirs))
        if abs(theirs / ours - 1) < 0.01:
            break
    else:
        pytest.fail(f"Mbit/s of ours and of iperf3: {pairs}")
    print(pairs)
