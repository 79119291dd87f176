# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel use` and `switch`: a command's connections on an algorithm, and live ones moved to another."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import PROGRAM, Cli, refused
from in_kernel import PATIENCE_S, Connection, Loader, cgroups, kernel, read_until, registered, until

# A program that asks for reno, connects to itself, moves 100 kB, and says what its two ends ran on.
PAIR = """
import socket
server = socket.create_server(("127.0.0.1", 0))
sender = socket.socket()
sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
sender.connect(server.getsockname())
receiver, _ = server.accept()
sender.sendall(b"x" * 100_000)
received = 0
while received < 100_000:
    received += len(receiver.recv(65536))
for end in (sender, receiver):
    print(end.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\\0").decode())
"""
PYTHON = sys.executable


@kernel
def test_a_commands_connections_use_it_whatever_they_ask_for(cwnd: Cli) -> None:
    default = Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text()
    done = cwnd("kernel", "use", "vegas:vegas-linux", "--", PYTHON, "-c", PAIR)
    sender, receiver = done.stdout.split()
    assert (done.returncode, done.stderr) == (0, "")
    assert sender == receiver and sender.startswith("cwnd_"), "it asked for reno"
    assert not [name for name in registered() if name == sender], "it goes with the command"
    assert Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text() == default


@kernel
def test_the_childrens_connections_use_it_too_with_parameters(cwnd: Cli) -> None:
    script = f"echo first; {PYTHON} -c '{PAIR}'; exit 7"
    done = cwnd("kernel", "use", "cubic", "--param", "beta=0.8", "--param", "c=0.5", "--", "sh", "-c", script)
    first, *ends = done.stdout.split()
    assert done.returncode == 7 and first == "first"
    assert len(ends) == 2 and ends[0] == ends[1] and ends[0].startswith("cwnd_") and ends[0] != "cwnd_cubic"


@kernel
def test_the_kernels_own_and_one_that_is_loaded_can_be_used(cwnd: Cli, load: Callable[..., Loader]) -> None:
    done = cwnd("kernel", "use", "kernel/cubic", "--", PYTHON, "-c", PAIR)
    assert (done.returncode, done.stdout) == (0, "cubic\ncubic\n")
    load("hybla-growth", "--as", "cwnd_u_held")
    done = cwnd("kernel", "use", "cwnd_u_held", "--", PYTHON, "-c", PAIR)
    assert (done.returncode, done.stdout) == (0, "cwnd_u_held\n" * 2)
    assert "cwnd_u_held" in registered()


@kernel
def test_its_exit_code_is_the_commands(cwnd: Cli) -> None:
    for command, code in (
        (("true",), 0),
        (("sh", "-c", "exit 3"), 3),
        (("sh", "-c", "kill -TERM $$"), 128 + 15),
        (("no-such-program",), 127),
        (("/",), 126),
    ):
        done = cwnd("kernel", "use", "reno", "--", *command)
        assert done.returncode == code, (command, done.stderr)
        assert "Traceback" not in done.stderr
        assert done.stderr.count("\n") == (code in (126, 127)), done.stderr
        assert cgroups() == []


@kernel
def test_options_after_the_dashes_are_the_commands(cwnd: Cli) -> None:
    done = cwnd("kernel", "use", "reno", "--", "printf", "%s,", "--param", "--json", "--json", "--")
    assert (done.returncode, done.stdout) == (0, "--param,--json,--json,--,")


@kernel
def test_ctrl_c_is_the_commands_to_hear() -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        script = "trap 'echo heard; exit 5' INT; echo ready; while :; do sleep 0.05; done"
        os.execv(PROGRAM, [str(PROGRAM), "kernel", "use", "reno", "--", "sh", "-c", script])
    try:
        read_until(terminal, b"ready")
        os.write(terminal, b"\x03")
        read_until(terminal, b"heard")
        _, status = os.waitpid(pid, 0)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise
    finally:
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 5
    assert cgroups() == []


@kernel
def test_a_signal_to_the_loader_reaches_the_command(cwnd: Cli) -> None:
    script = "trap 'echo heard; exit 6' TERM; echo ready; while :; do sleep 0.05; done"
    command = [str(PROGRAM), "kernel", "use", "reno", "--", "sh", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == "heard\n"
        assert process.wait(timeout=PATIENCE_S) == 6


@kernel
def test_live_connections_move_and_keep_what_was_loaded_for_them(cwnd: Cli, load: Callable[..., Loader]) -> None:
    load("reno", "--as", "cwnd_s_from")
    connection = Connection("cwnd_s_from")
    other = Connection("cwnd_s_from")
    try:
        connection.move(3)
        port = connection.sender.getsockname()[1]
        done = cwnd("kernel", "switch", "--port", port, "--from", "cwnd_s_from", "htcp")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"127.0.0.1:{port} - " in done.stdout and "cwnd_s_from -> cwnd_htcp" in done.stdout
        assert "1 moved to cwnd_htcp, 0 already on it, 0 refused" in done.stdout
        assert "cwnd_htcp" not in registered(), "it was loaded for the connection only"
        connection.move(3)
        assert connection.algorithm() == "cwnd_htcp"
        assert other.algorithm() == "cwnd_s_from", "the other one was not asked for"
        done = cwnd("kernel", "switch", "--from", "cwnd_s_from", "kernel/reno")
        assert done.returncode == 0 and "cwnd_s_from -> reno" in done.stdout
        assert other.algorithm() == "reno"
        other.move(3)
    finally:
        connection.close()
        other.close()


REFUSED = [
    (("use", "htpc", "--", "true"), ("NAME", "htpc", "htcp")),
    (("use", "kernel/htpc", "--", "true"), ("NAME", "htpc", "kernel has")),
    (("use", "kernel/reno", "--param", "beta=2", "--", "true"), ("--param", "beta=2", "no parameter")),
    (("use", "reno", "--param", "beta=-1", "--", "true"), ("beta", "-1", "expected")),
    (("use", "reno"), ("COMMAND", "", "Missing")),
    (("switch", "htcp"), ("--port", "--from", "select connections")),
    (("switch", "--port", "70000", "htcp"), ("--port", "70000", "1 to 65535")),
    (("switch", "--port", "80", "htpc"), ("NAME", "htpc", "htcp")),
]


@kernel
@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=[" ".join(arguments) for arguments, _ in REFUSED])
def test_bad_input_is_one_line_and_nothing_runs(cwnd: Cli, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    done = cwnd("kernel", *arguments)
    refused(done, *words)
    until(lambda: not {"cwnd_reno", "cwnd_htcp"} & set(registered()), "the algorithms gone")
