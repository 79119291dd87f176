# SPDX-License-Identifier: MIT OR Apache-2.0
"""Killed at any moment, `cwnd kernel` leaves nothing registered and the kernel calm."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator

import pytest
from conftest import PROGRAM
from test_kernel_cli import kernel, registered, until

KILLS = 50
#: The kernel's level of a warning, and everything worse, is this or less.
WARNING = 4


@pytest.fixture
def calm() -> Iterator[None]:
    """Fails when the kernel has warned of anything meanwhile."""
    with open("/dev/kmsg", "rb", buffering=0, opener=lambda path, _: os.open(path, os.O_RDONLY | os.O_NONBLOCK)) as log:  # noqa: PTH123
        log.seek(0, os.SEEK_END)
        yield
        said = []
        while record := log.read(8192):
            said.append(record.decode(errors="replace"))
    warnings = [record for record in said if int(record.partition(",")[0]) & 7 <= WARNING]
    assert not warnings, warnings


@kernel
def test_killed_at_random_loaders_and_their_programs_leave_nothing(calm: None) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    draw = random.Random(seed)
    in_kernel = 0
    for turn in range(KILLS):
        name = f"cwnd_k{turn}"
        command = [str(PROGRAM), "kernel", "load", draw.choice(["cubic", "htcp", "reno", "yeah"]), "--as", name]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if draw.random() < 0.5:
            until(lambda: name in registered())  # noqa: B023
        time.sleep(draw.uniform(0, 0.3))
        in_kernel += name in registered()
        process.send_signal(signal.SIGKILL)
        process.wait()
        until(lambda: name not in registered())  # noqa: B023
    assert in_kernel >= KILLS // 4, "most were killed before they had loaded anything"
    assert not [name for name in registered() if name.startswith("cwnd_k")]
