# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd shell`: a command behind emulated links. Needs root, TUN and namespaces."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Cli, refused
from in_kernel import PROGRAM, started, until
from in_lab import NEEDS_LAB

pytestmark = NEEDS_LAB

CLIENT = """
import os, socket, sys, time
peer = socket.create_connection((os.environ["CWND_HOST"], int(sys.argv[1])))
begin = time.monotonic()
peer.sendall(b"x" * int(sys.argv[2]))
peer.shutdown(socket.SHUT_WR)
peer.recv(1)
print(time.monotonic() - begin)
"""


def devices() -> set[str]:
    return {path.name for path in Path("/sys/class/net").iterdir()}


@pytest.fixture
def port() -> Iterator[int]:
    """A server that reads to the end and answers with a byte."""
    with socket.create_server(("0.0.0.0", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    peer, _ = server.accept()
                except OSError:
                    return
                with peer:
                    while peer.recv(1 << 16):
                        pass
                    peer.sendall(b"x")

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def took(port: int, payload: int, *options: str) -> float:
    """How long a transfer of so many bytes took, s."""
    command = [PROGRAM, "shell", *options, "--", sys.executable, "-c", CLIENT, str(port), str(payload)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


# 1 MB is 691 segments, 1 036 500 bytes on the wire: at 8 Mbit/s 1.04 s, and a round trip of 100 ms for the answer. Without
# the links it takes milliseconds.
def test_a_transfer_takes_what_rate_and_round_trip_say(port: int) -> None:
    assert took(port, 1_000_000, "--rate", "8Mbit/s", "--rtt", "100ms", "--buffer", "4bdp") >= 1.03 + 0.1
    # A round trip for the answer, whatever the rate.
    assert took(port, 1, "--rate", "1Gbit/s", "--rtt", "150ms") >= 0.15


# A trace with an opportunity every 10 ms is 1.2 Mbit/s: 100 kB, 70 packets, take 0.7 s.
def test_a_trace_sets_the_rate(port: int, tmp_path: Path) -> None:
    trace = tmp_path / "slow.trace"
    trace.write_text("10\n")
    assert took(port, 100_000, "--trace", str(trace), "--rtt", "20ms", "--buffer", "200packets") >= 0.69


# The same rate in the words of tc; and a delay of 60 ms each way, which a byte and its answer take.
def test_words_of_netem_are_the_links(port: int) -> None:
    assert took(port, 100_000, "--netem", "rate 1200kbit limit 200", "--rtt", "20ms") >= 0.69
    assert took(port, 1, "--netem", "delay 60ms rate 1gbit", "--rtt", "120ms") >= 0.12


@pytest.mark.parametrize(("command", "code"), [(("sh", "-c", "exit 7"), 7), (("sh", "-c", "kill -9 $$"), 137)])
def test_the_exit_code_is_the_commands(command: tuple[str, ...], code: int) -> None:
    before = devices()
    done = subprocess.run([PROGRAM, "shell", "--rate", "1Mbit/s", "--", *command], check=False)
    assert done.returncode == code
    # What other tests have made meanwhile goes too.
    until(lambda: devices() <= before)


@pytest.mark.parametrize("shell", ["/bin/sh", ""])
def test_without_a_command_the_users_shell_runs_behind_the_links(shell: str) -> None:
    done = subprocess.run(
        [PROGRAM, "shell", "--rate", "1Mbit/s"],
        input="echo $0 $CWND_HOST; exit 3\n",
        env={**os.environ, "SHELL": shell},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.split()[0]) == (3, "/bin/sh"), done.stderr
    assert done.stdout.split()[1].startswith("100.64.")


def test_a_shell_that_is_not_there_is_127(program: Cli) -> None:
    done = program("shell", "--rate", "1Mbit/s", env={**os.environ, "SHELL": "/no/such/shell"})
    assert (done.returncode, done.stderr) == (127, "cwnd: /no/such/shell: No such file or directory\n")


def test_a_command_that_is_not_there_is_127(cwnd: Cli) -> None:
    done = cwnd("shell", "--rate", "1Mbit/s", "--", "no-such-command")
    assert (done.returncode, done.stderr) == (127, "cwnd: no-such-command: No such file or directory\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--", "true"), ("--rate", "--trace")),
        (("--rate", "1Mbit/s", "--trace", "x", "--", "true"), ("--rate", "--trace")),
        (("--rate", "100Mbit/s", "--netem", "rate 1mbit", "--", "true"), ("--rate", "100Mbit/s", "--netem")),
        (("--netem", "loss 1%", "--buffer", "9packets", "--", "true"), ("buffer", "without a rate")),
        (("--netem", "rate 1mbit", "--trace-down", "x", "--", "true"), ("--trace-down", "--trace")),
        (("--rate", "fast", "--", "true"), ("rate", "fast")),
        (("--rate", "1Mbit/s", "--trace-down", "x", "--", "true"), ("--trace-down", "--trace")),
        (("--rate", "1Mbit/s", "--seed", "x", "--", "true"), ("--seed", "x")),
    ],
)
def test_bad_input_is_one_line(cwnd: Cli, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    refused(cwnd("shell", *arguments), *words)


# What the command has started is its own; the links go with `cwnd`, and so does the command.
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_signal_is_the_commands_and_nothing_stays(tmp_path: Path, number: signal.Signals, code: int) -> None:
    before, begun = devices(), tmp_path / "begun"
    script = f"import os, time; open({str(begun)!r}, 'w').write(str(os.getpid())); time.sleep(3600)"
    with started([PROGRAM, "shell", "--rate", "1Mbit/s", "--", sys.executable, "-c", script]) as child:
        until(lambda: begun.exists() and begun.read_text() != "")
        # Other tests have devices too, which come and go.
        ours = devices() - before
        assert ours
        child.send_signal(number)
    assert child.returncode == code
    until(lambda: not ours & devices())
    process = int(begun.read_text())
    until(lambda: not Path(f"/proc/{process}").exists() or time.sleep(0.01) is not None)
