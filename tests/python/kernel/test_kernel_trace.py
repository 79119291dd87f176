# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel trace`: what the kernel did, in tables that replay on the host without a difference."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import path_in_kernel
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import PROGRAM, Cli
from in_kernel import PATIENCE_S, kernel, registered, until

from cwnd import KernelTrace, NoResultError, _native, load
from cwnd.plugin.crate import LOADED
from cwnd.replay.trace import replay

MEGABYTE = 1_000_000
SHORT_SEND = [
    sys.executable,
    "-c",
    "import socket\n"
    "listener = socket.create_server(('127.0.0.1', 0))\n"
    "sender = socket.create_connection(listener.getsockname())\n"
    "sender.sendall(bytes(300_000))\n"
    "sender.close()\n",
]


@pytest.fixture(scope="module")
def network() -> Iterator[path_in_kernel.Path]:
    with path_in_kernel.path("400mbit", 100) as path:
        yield path


def traced(cwnd: Cli, network: path_in_kernel.Path, count: int, *arguments: object) -> dict[str, object]:
    """Sends `count` bytes under a trace without pictures; its summary."""
    with network.receiving() as receiver:
        plots = ("--no-plots",) if "-o" in arguments else ()
        done = cwnd("kernel", "trace", "--json", *arguments, *plots, "--", *network.sends(count))
        assert (done.returncode, done.stderr) == (0, "")
        assert receiver.communicate(timeout=PATIENCE_S)[0] == f"{count}\n"
    summary: dict[str, object] = json.loads(done.stdout)
    return summary


# Every algorithm of the registry carries 50 MB through losses, recorded; kernel and host compute the same at every call,
# while it happens and again from the file.
@kernel
def test_every_algorithms_calls_replay_without_a_difference(
    cwnd: Cli, network: path_in_kernel.Path, tmp_path: Path
) -> None:
    calls = 0
    algorithms = [each["name"] for each in _native.algorithms() if each["name"] not in LOADED]
    for algorithm in algorithms:
        folder = tmp_path / algorithm
        summary = traced(cwnd, network, 50 * MEGABYTE, "--cc", algorithm, "-o", folder)
        assert (summary["lost"], summary["differences"], summary["exit"]) == (0, 0, 0), summary
        again = replay(folder / "hooks.parquet", algorithm)
        assert (again["calls"], again["differences"]) == (summary["calls"], 0), algorithm
        # Of every call, the state's bytes too, and the pacing.
        assert summary["states_compared"] == again["states_compared"] == again["pacing_compared"] == again["calls"]
        hooks = pq.read_table(folder / "hooks.parquet", columns=["hook"]).column("hook").to_pylist()
        assert "ssthresh" in hooks, f"{algorithm}: no loss"
        calls += again["calls"]
    print(f"{calls} calls")
    # However many segments an acknowledgement covers: 50 MB are 763 of the largest packets that the kernel makes.
    assert calls >= 763 * len(algorithms)


@kernel
@pytest.mark.parametrize("kernels_own", ["cubic", "reno"])
def test_the_kernels_own_algorithm_is_repeated_by_ours(
    cwnd: Cli, network: path_in_kernel.Path, tmp_path: Path, kernels_own: str
) -> None:
    summary = traced(cwnd, network, 20 * MEGABYTE, "--cc", f"kernel/{kernels_own}", "-o", tmp_path / "trace")
    assert (summary["lost"], summary["differences"]) == (0, 0), summary
    again = replay(tmp_path / "trace" / "hooks.parquet", f"{kernels_own}-linux")
    assert (again["calls"], again["differences"]) == (summary["calls"], 0)
    # Reno has no state.
    assert again["state_differences"] == (0 if kernels_own == "cubic" else None)
    # Its bytes are laid out by the kernel's module.
    assert (again["states_compared"], again["pacing_compared"]) == (0, again["calls"])
    # Another rule differs: a replay that cannot fail says nothing.
    assert replay(tmp_path / "trace" / "hooks.parquet", "scalable-linux")["differences"] > 0


@kernel
def test_parameters_reach_the_kernel_and_the_replay(cwnd: Cli, network: path_in_kernel.Path, tmp_path: Path) -> None:
    summary = traced(cwnd, network, 20 * MEGABYTE, "--cc", "cubic", "--param", "beta=0.6", "-o", tmp_path / "trace")
    assert summary["differences"] == 0
    file = tmp_path / "trace" / "hooks.parquet"
    done = cwnd("replay", file, "--cc", "cubic", "--param", "beta=0.6")
    assert done.returncode == 0 and "result, pacing rate and status and all bytes of the state" in done.stdout
    assert cwnd("replay", file, "--cc", "cubic").returncode == 1
    refused = cwnd("replay", file, "--cc", "cubic", "--param", "beta=7")
    assert refused.returncode == 2 and "beta" in refused.stderr


def attached(pid: int) -> bool:
    """Whether a program of the process hangs on something in the kernel."""
    for path in Path(f"/proc/{pid}/fdinfo").glob("*"):
        try:
            if "link_type" in path.read_text():
                return True
        except OSError:  # closed meanwhile
            continue
    return False


@kernel
def test_any_algorithms_acknowledgements_are_seen_from_outside(network: path_in_kernel.Path, tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    command = [PROGRAM, "kernel", "trace", "--port", str(path_in_kernel.PORT), "-o", str(folder)]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: attached(process.pid) or process.poll() is not None, "a probe")
    assert process.poll() is None
    with network.receiving() as receiver:
        subprocess.run(network.sends(10 * MEGABYTE), check=True, timeout=PATIENCE_S)
        receiver.communicate(timeout=PATIENCE_S)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, stderr) == (0, "")
    flows = pq.read_table(folder / "flows.parquet").to_pylist()
    assert path_in_kernel.PORT in {flow["remote_port"] for flow in flows}
    cwnd = pq.read_table(folder / "cwnd.parquet")
    assert cwnd.num_rows > 1000 and cwnd.column_names[:3] == ["time_s", "flow", "cwnd"]


# One byte back and forth is two calls and more; a table is on the disk after 65 536 of them.
PING_PONG = [
    "setpriv",
    "--pdeathsig",
    "KILL",
    sys.executable,
    "-c",
    "import socket\n"
    "listener = socket.create_server(('127.0.0.1', 0))\n"
    "one = socket.create_connection(listener.getsockname())\n"
    "other, _ = listener.accept()\n"
    "for end in (one, other):\n"
    "    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)\n"
    "while True:\n"
    "    one.send(b'x'), other.recv(1), other.send(b'x'), one.recv(1)\n",
]


@contextmanager
def tracing(folder: Path, *command: str) -> Iterator[subprocess.Popen[str]]:
    """A trace into `folder` that has loaded its algorithm; killed at the end."""
    line = [PROGRAM, "kernel", "trace", "--cc", "veno", "--as", "cwnd_t_kill", "-o", folder]
    arguments = [*map(str, line), *(["--", *command] if command else [])]
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    until(lambda: "cwnd_t_kill" in registered() or process.poll() is not None, "cwnd_t_kill in the kernel")
    try:
        assert process.poll() is None
        yield process
    finally:
        process.kill()
        process.communicate()
        until(lambda: "cwnd_t_kill" not in registered(), "cwnd_t_kill gone")


@kernel
def test_what_a_killed_tracer_leaves_is_no_trace_and_goes_with_the_next_one(cwnd: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    with tracing(folder, *PING_PONG) as process:
        until(lambda: process.poll() is not None or list(tmp_path.glob(".trace*/hooks.parquet")) != [], "a table")
        (left,) = tmp_path.iterdir()
        with pytest.raises(
            NoResultError,
            match=f'^folder: "{folder}" is not accepted; expected a finished run; this one is still running',
        ):
            load(folder)
        # A run into the same folder leaves it alone.
        assert cwnd("compare", "reno", "--duration", "1s", "--no-plots", "-o", folder).returncode == 0
        assert left.exists() and process.poll() is None
        shutil.rmtree(folder)
    assert [path.name for path in tmp_path.iterdir()] == [left.name]
    for name in (folder, left):
        with pytest.raises(
            NoResultError, match=f'^folder: "{name}" is not accepted; expected a finished run; this one was interrupted'
        ):
            load(name)
    done = cwnd("kernel", "trace", "--cc", "veno", "--no-plots", "-o", folder, "--", *SHORT_SEND)
    assert (done.returncode, done.stderr) == (0, f"removed {left}, left by an interrupted run\n")
    assert [path.name for path in tmp_path.iterdir()] == ["trace"]
    assert isinstance(load(folder), KernelTrace)


@kernel
def test_killed_again_and_again_a_tracer_leaves_no_algorithm_and_one_folder(tmp_path: Path) -> None:
    for _ in range(3):
        with tracing(tmp_path / "trace"):
            until(lambda: list(tmp_path.iterdir()) != [], "the folder that it writes to")
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".trace.")


@kernel
def test_an_earlier_trace_that_a_killed_one_had_moved_aside_is_back(cwnd: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    command = ("kernel", "trace", "--cc", "veno", "--no-plots", "-o", folder, "--", *SHORT_SEND)
    assert cwnd(*command).returncode == 0
    folder.rename(tmp_path / ".trace.abcd_123.old")
    refused = cwnd(*command)
    restored = f"restored {folder}, which an interrupted run had moved aside"
    assert refused.returncode == 2 and refused.stderr.splitlines()[0] == restored and "--force" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["trace"] and isinstance(load(folder), KernelTrace)


@kernel
def test_what_is_no_name_or_no_parameter_is_refused_before_anything_is_loaded(cwnd: Cli, tmp_path: Path) -> None:
    for arguments, field in (
        (("--cc", "nope"), "--cc"),
        (("--cc", "cubicc"), "(did you mean cubic?)"),
        (("--cc", "kernel/vegas"), "--cc"),
        (("--cc", "cubic", "--param", "beta"), "--param"),
        (("--cc", "cubic", "--param", "beta=7"), "beta"),
        (("--cc", "bic", "--param", "gamma=7"), "gamma"),
        (("--cc", "kernel/cubic", "--param", "beta=0.8"), "--param"),
        (("--port", "70000"), "--port"),
        (("--duration", "-1"), "--duration"),
    ):
        done = cwnd("kernel", "trace", *arguments, "-o", tmp_path / "trace", "--", "true")
        assert done.returncode == 2 and field in done.stderr and "Traceback" not in done.stderr, (
            arguments,
            done.stderr,
        )
    assert not (tmp_path / "trace").exists()


@kernel
def test_a_command_that_is_not_there_is_an_error(cwnd: Cli) -> None:
    done = cwnd("kernel", "trace", "--cc", "reno", "--", "no-such-program-here")
    assert done.returncode != 0 and "no-such-program-here" in done.stderr and "Traceback" not in done.stderr
    assert "cwnd_reno" not in registered()
    assert cwnd("kernel", "trace", "--cc", "reno", "--", *SHORT_SEND).returncode == 0


# The negative control: window, threshold, progress and result stay as they were recorded.
@kernel
def test_a_state_of_which_one_byte_is_another_and_another_pace_are_reported(
    cwnd: Cli, network: path_in_kernel.Path, tmp_path: Path
) -> None:
    traced(cwnd, network, 2 * MEGABYTE, "--cc", "cubic", "-o", tmp_path / "trace")
    table = pq.read_table(tmp_path / "trace" / "hooks.parquet")
    last = table.num_rows - 1
    state = table.column("state_after").to_pylist()
    state[last] = bytes([state[last][0] ^ 1]) + state[last][1:]
    pace = table.column("pacing_rate_after").to_pylist()
    pace[last] ^= 1
    for name, values, words in (("state_after", state, "state byte 0 "), ("pacing_rate_after", pace, "pacing_rate ")):
        column = table.schema.get_field_index(name)
        other = table.set_column(column, table.schema.field(name), pa.array(values, table.schema.field(name).type))
        pq.write_table(other, tmp_path / f"{name}.parquet")
        outcome = replay(tmp_path / f"{name}.parquet", "cubic")
        assert outcome["differences"] == 1 and words in outcome["first"], outcome
