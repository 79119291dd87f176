# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the tests of `cwnd kernel` share: whether they can run, loaders, connections."""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from needs import needs, skip_without

PROGRAM = Path(sys.executable).with_name("cwnd")
# How long a test waits for what has to come: a guard against waiting for ever, and no measure of anything.
PATIENCE_S = 600
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


Test = Callable[..., None]


def kernel(test: Test) -> Test:
    """For a test that loads something: skipped where that cannot be done, except in CI; one at a time on a machine."""
    return pytest.mark.usefixtures("turn")(needs("kernel", "load")(test))


def registered() -> list[str]:
    return AVAILABLE.read_text().split()


def until(is_so: Callable[[], bool], awaited: str = "what another process is about to do") -> None:
    """Waits for what another process is about to do."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"{awaited}: awaited in vain for {PATIENCE_S} s"
        time.sleep(0.005)


@contextmanager
def started(command: Sequence[object], **options: object) -> Iterator[subprocess.Popen[str]]:
    """A program that runs during the body. It is killed if the body fails: the failure would wait for its end otherwise."""
    with subprocess.Popen(list(map(str, command)), **options) as child:  # type: ignore[call-overload]
        try:
            yield child
        except BaseException:
            child.kill()
            raise


def read_until(file: int, words: bytes) -> bytes:
    """What a descriptor says up to some words."""
    output = b""

    def says() -> bool:
        nonlocal output
        while words not in output and select.select([file], [], [], 0)[0]:
            more = os.read(file, 4096)
            assert more, f"{words!r}: the end came before it, after {output!r}"
            output += more
        return words in output

    until(says, repr(words))
    return output


class Loader:
    """A `cwnd kernel load` that stays."""

    def __init__(self, *arguments: str) -> None:
        command = [str(PROGRAM), "kernel", "load", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout
        try:
            self.said = read_until(self.process.stdout.fileno(), b"Ctrl-C").decode()
        except AssertionError:
            self.process.kill()
            raise AssertionError(self.process.communicate()[1]) from None

    def end(self, sign: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """Exit code, and what it printed since it stayed."""
        self.process.send_signal(sign)
        out, errors = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out, errors


class Connection:
    """Two ends on the loopback interface, the sending one on an algorithm that it asked for."""

    def __init__(self, name: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.sender = socket.socket()
            self.sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
            self.sender.connect(server.getsockname())
            self.receiver, _ = server.accept()
        for end in (self.sender, self.receiver):
            end.settimeout(PATIENCE_S)

    def algorithm(self) -> str:
        return self.sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()

    def move(self, count: int) -> None:
        """`count` times 64 kB, all of it received."""
        data = bytes(range(256)) * 256
        for _ in range(count):
            self.sender.sendall(data)
            received = bytearray()
            while len(received) < len(data):
                received += self.receiver.recv(len(data) - len(received))
            assert received == data

    def close(self) -> None:
        self.sender.close()
        self.receiver.close()


def cgroups() -> list[Path]:
    """Folders of cgroups that `use` has made."""
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if " cgroup2 " in line]
    return [
        Path(found) for mount in mounts for found, _, _ in os.walk(mount) if Path(found).name.startswith("cwnd-use-")
    ]


def crate_with_object(
    new_crate: Callable[[str, Path], Path], name: str, folder: Path, rule: Path | None = None
) -> Path:
    """A crate that the fixture `new_crate` makes, with its kernel object, or with the `rule` of another file; the test is skipped where none can be built, but not in CI. Built by
    the program: an algorithm that this process had loaded would be among those of every later test."""
    skip_without("bpf")
    crate = new_crate(name, folder / name)
    if rule is not None:
        shutil.copy(rule, crate / "src" / f"{name}.rs")
    done = subprocess.run(
        [PROGRAM, "build-kernel", crate], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return crate
