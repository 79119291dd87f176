# SPDX-License-Identifier: MIT OR Apache-2.0
"""Killed at any moment, `cwnd kernel` leaves nothing registered and the kernel calm."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import PROGRAM, Cli
from in_kernel import PATIENCE_S, cgroups, kernel, registered, until

from cwnd import _native

KILLS = 50
#: The kernel's level of a warning, and everything worse, is this or less.
WARNING = 4


@pytest.fixture
def calm() -> Iterator[None]:
    """Fails when the kernel has warned of anything meanwhile."""
    with open("/dev/kmsg", "rb", buffering=0, opener=lambda path, _: os.open(path, os.O_RDONLY | os.O_NONBLOCK)) as log:
        log.seek(0, os.SEEK_END)
        yield
        messages = []
        while record := log.read(8192):
            messages.append(record.decode(errors="replace"))
    warnings = [record for record in messages if int(record.partition(",")[0]) & 7 <= WARNING]
    assert not warnings, warnings


def loader(name: str, algorithm: str) -> list[str]:
    return [str(PROGRAM), "kernel", "load", algorithm, "--as", name]


def tracer(name: str, folder: Path) -> list[str]:
    return [str(PROGRAM), "kernel", "trace", "--cc", "htcp", "--as", name, "-o", str(folder)]


def user(turn: int) -> tuple[str, list[str]]:
    """A `use` whose algorithm has a name of its own, and the name."""
    module = _native.KernelModule("hybla-growth")
    module.set("rtt0_ms", str(1000 + turn))
    command = [str(PROGRAM), "kernel", "use", "hybla-growth", "--param", f"rtt0_ms={1000 + turn}", "--"]
    # It prints its number, and ends with the one that runs it.
    return module.kernel_name, [*command, "sh", "-c", "echo $$; exec setpriv --pdeathsig KILL sleep 20"]


@kernel
def test_killed_at_random_loaders_programs_and_tracers_leave_nothing(cwnd: Cli, tmp_path: Path, calm: None) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    draw = random.Random(seed)
    for turn in range(KILLS):
        victim = ("loader", "user", "program", "tracer")[turn % 4]
        name, command = user(turn)
        if victim == "loader":
            name = f"cwnd_k{turn}"
            command = loader(name, draw.choice(["cubic", "htcp", "reno", "yeah"]))
        elif victim == "tracer":
            name = f"cwnd_k{turn}"
            command = tracer(name, tmp_path / name)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert process.stdout
        target = int(process.stdout.readline()) if victim == "program" else process.pid
        # Half of them are killed when they have loaded what they load, the others at any moment.
        if turn // 4 % 2:
            until(lambda name=name: name in registered(), f"{name} in the kernel")  # type: ignore[misc]
        time.sleep(draw.uniform(0, 0.3))
        os.kill(target, signal.SIGKILL)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == (128 + 9 if victim == "program" else -9)
        until(lambda name=name: name not in registered(), f"{name} gone")  # type: ignore[misc]
    # A killed user cannot take its cgroup away, which is empty; the next one does.
    assert cwnd("kernel", "use", "reno", "--", "true").returncode == 0
    assert cgroups() == []
