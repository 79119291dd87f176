# SPDX-License-Identifier: MIT OR Apache-2.0
"""What `cwnd kernel trace` and `list` say of connections: when they began and on what, that there were none, and which of them run
without a guard."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import Cli
from in_kernel import PATIENCE_S, PROGRAM, Loader, kernel, registered

# One connection over the loopback, whose sending end asks for an algorithm if one is named.
SEND = """
import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
sender = socket.socket()
if len(sys.argv) > 1:
    sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[1].encode())
sender.connect(listener.getsockname())
receiver, _ = listener.accept()
for _ in range(5):
    sender.sendall(bytes(60_000))
    left = 60_000
    while left:
        left -= len(receiver.recv(left))
"""
SENDS = [sys.executable, "-c", SEND]


@kernel
@pytest.mark.parametrize(("cc", "loaded"), [("cubic", "cwnd_cubic"), ("kernel/cubic", "cwnd_k_cubic")])
def test_each_flow_has_the_time_of_its_first_call_and_the_name_of_its_algorithm(
    cwnd: Cli, tmp_path: Path, cc: str, loaded: str
) -> None:
    # The kernel's TCP has the same clock.
    before = time.clock_gettime(time.CLOCK_MONOTONIC)
    done = cwnd("kernel", "trace", "--cc", cc, "-o", tmp_path / "trace", "--", *SENDS)
    after = time.clock_gettime(time.CLOCK_MONOTONIC)
    assert (done.returncode, done.stderr) == (0, "")
    flows = pq.read_table(tmp_path / "trace" / "flows.parquet").to_pylist()
    # The end that connected, and the one that was accepted.
    assert len(flows) == 2, flows
    assert [flow["algorithm"] for flow in flows] == [loaded, loaded]
    for flow in flows:
        assert before <= flow["first_s"] <= flow["last_s"] <= after, (before, flow, after)
    cwnd_table = pq.read_table(tmp_path / "trace" / "cwnd.parquet")
    assert before <= pc.min(cwnd_table["time_s"]).as_py()
    hooks = pq.read_table(tmp_path / "trace" / "hooks.parquet")
    for flow in flows:
        clocks = hooks.filter(pc.equal(hooks["connection"], flow["flow"]))["now_us"].to_pylist()
        # A socket has its first clock from a packet; the first call may come before that, but not after.
        assert flow["first_s"] <= min(clock for clock in clocks if clock) / 1e6


# Each of them has a reason of its own for recording nothing.
NOTHING = [
    (("--cc", "reno"), ("true",), ("cwnd_reno", "true", "0 made, 0 accepted")),
    (("--cc", "reno"), ("sh", "-c", "exit 3"), ("cwnd_reno", "sh", "exit code 3")),
    (("--cc", "kernel/cubic"), ("true",), ("cwnd_k_cubic", "0 made, 0 accepted")),
    (("--cc", "reno", "--duration", "0.2"), ("sleep", "600"), ("cwnd_reno", "sleep, still running", "0.")),
    (("--cc", "reno", "--port", "9"), SENDS, ("cwnd_reno", "--port 9", "1 made, 1 accepted")),
    (("--cc", "reno", "--duration", "0.2"), (), ("cwnd_reno", " s: ", "tcp_congestion_control", "setsockopt")),
    (("--port", "9", "--duration", "0.2"), (), ("--port 9", "recorded in ")),
]


@kernel
@pytest.mark.parametrize(("arguments", "command", "words"), NOTHING)
def test_a_trace_that_recorded_nothing_is_an_error_that_says_why(
    cwnd: Cli, tmp_path: Path, arguments: tuple[str, ...], command: tuple[str, ...], words: tuple[str, ...]
) -> None:
    run = ("--", *command) if command else ()
    done = cwnd("kernel", "trace", *arguments, "-o", tmp_path / "trace", *run)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert done.stderr.startswith("error: nothing was recorded") and done.stderr.count("\n") == 1, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert not (tmp_path / "trace").exists() and not list(tmp_path.iterdir()), "no table of nothing"
    done = cwnd("kernel", "trace", "--json", *arguments, *run)
    assert done.returncode == 1 and json.loads(done.stdout)["calls"] == 0
    assert done.stderr.startswith("error: nothing was recorded")
    assert not {"cwnd_reno", "cwnd_k_cubic"} & set(registered())


@kernel
def test_a_trace_of_nothing_leaves_an_earlier_one_where_it_is(cwnd: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    assert cwnd("kernel", "trace", "--cc", "reno", "-o", folder, "--no-plots", "--", *SENDS).returncode == 0
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    done = cwnd("kernel", "trace", "--cc", "reno", "-o", folder, "--force", "--", "true")
    assert done.returncode == 1 and "nothing was recorded" in done.stderr
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == files


@kernel
def test_a_trace_by_the_namespaces_setting_says_that_it_is_by_that(namespace: Callable[..., list[str]]) -> None:
    # Where the hierarchy of cgroups is hidden, none can be made.
    hidden = "for at in $(awk '$3 ~ /^cgroup/ {print $2}' /proc/mounts); do umount -l $at 2>/dev/null || :; done"
    script = f'{hidden}; exec "$@"'
    alone = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh"]

    def traced(*command: str) -> subprocess.CompletedProcess[str]:
        trace = [str(PROGRAM), "kernel", "trace", "--json", "--cc", "cubic", "--", *command]
        return subprocess.run(
            namespace(*alone, *trace), capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )

    done = traced(*SENDS)
    assert done.returncode == 0, done.stderr
    line = "cwnd: using the setting of this network namespace, because no cgroup is available: "
    assert done.stderr.startswith(line) and done.stderr.count("\n") == 1, done.stderr
    assert json.loads(done.stdout)["connections"] == 2
    # It asks for another, which the setting lets it have.
    done = traced(*SENDS, "reno")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["connections"] == 1, "the accepted end asks for nothing"
    done = traced("true")
    said, why = done.stderr.splitlines()
    assert done.returncode == 1 and said.startswith(line), done.stderr
    assert "true (exit code 0) had no TCP connection on cwnd_cubic" in why and "this network namespace" in why, why


@pytest.fixture
def namespace() -> Iterator[Callable[..., list[str]]]:
    """A network namespace with a loopback, and how to run a command in it."""
    name = f"cwnd-{os.getpid()}-says"

    def inside(*command: str) -> list[str]:
        return ["ip", "netns", "exec", name, *command]

    for line in (["ip", "netns", "add", name], ["ip", "-n", name, "link", "set", "lo", "up"]):
        subprocess.run(line, check=True, timeout=PATIENCE_S)
    try:
        yield inside
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False, timeout=PATIENCE_S)


@kernel
def test_connections_without_room_for_their_guard_are_counted_as_unguarded(
    cwnd: Cli, namespace: Callable[..., list[str]], load: Callable[..., Loader]
) -> None:
    first = Path("/proc/sys/net/core/optmem_max").read_text()
    load("cubic", "--as", "cwnd_t_bare")

    def unguarded() -> object:
        loaded = json.loads(cwnd("kernel", "list", "--json").stdout)["loaded"]
        return next(row["unguarded"] for row in loaded if row["name"] == "cwnd_t_bare")

    def sends() -> None:
        subprocess.run(namespace(*SENDS, "cwnd_t_bare"), check=True, timeout=PATIENCE_S)

    sends()
    assert unguarded() == 0
    # The setting is the namespace's own, from Linux 6.8 on; before, it is the machine's.
    shrink = "echo 0 > /proc/sys/net/core/optmem_max"
    try:
        shrunk = subprocess.run(namespace("sh", "-c", shrink), check=False, capture_output=True, timeout=PATIENCE_S)
        if shrunk.returncode:
            pytest.skip("needs optmem_max in a namespace: Linux 6.8 or newer")
        sends()
        assert unguarded() == 1, "the sending end; the other one runs on something else"
        assert "unguarded" in cwnd("kernel", "list").stdout
        trace = ("kernel", "trace", "--cc", "reno")
        done = cwnd(*trace, "--json", "--", *namespace(*SENDS))
        summary = json.loads(done.stdout)
        assert (done.returncode, summary["unguarded"], summary["differences"]) == (0, 2, 0)
        done = cwnd(*trace, "--", *namespace(*SENDS))
        assert "unguarded: 2 connections" in done.stdout and "net.core.optmem_max" in done.stdout, done.stdout
        # Where there is room, nothing is said.
        done = cwnd(*trace, "--", *SENDS)
        assert done.returncode == 0 and "unguarded" not in done.stdout
    finally:
        Path("/proc/sys/net/core/optmem_max").write_text(first)
