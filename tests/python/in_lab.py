# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the tests of lane live share."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import TypeVar

import pytest
from in_kernel import AVAILABLE
from needs import needs

import cwnd as package

T = TypeVar("T")
#: What labs need.
LAB = ("kernel", "load", "live")
#: For modules whose tests need root, TUN and namespaces. Labs do not meet: they run beside each other, and beside tests that load algorithms.
NEEDS_LAB = [needs(*LAB), pytest.mark.usefixtures("lab")]

#: For tests whose labs load algorithms of ours: no other test does meanwhile, as both may want the same name.
LOADS = pytest.mark.usefixtures("turn")


#: How often a run is begun on a machine that does not keep up with it.
TRIES = 8


def wait_before(number: int) -> None:
    """Waits before this try, from the third on ever longer, a minute in all: what a virtual machine's host does beside it lasts for a while."""
    sleep(2 ** (number - 2) if number > 1 else 0)


def kept_up(command: Callable[[], subprocess.CompletedProcess[str]]) -> subprocess.CompletedProcess[str]:
    """Runs a command; again where a busy machine did not keep up."""
    for number in range(TRIES):
        wait_before(number)
        done = command()
        if done.returncode == 0 or "did not keep up" not in done.stderr:
            break
    return done


def in_time(call: Callable[[], T], tries: int = TRIES) -> T:
    """What it gives; called again where a busy machine did not keep up."""
    for number in range(tries):
        wait_before(number)
        try:
            return call()
        except package.FellBehindError as error:
            assert number + 1 < tries, error
    raise AssertionError


def run(scenario: package.Scenario, tries: int = TRIES) -> package.Result:
    """Runs it; again where a busy machine did not keep up."""
    return in_time(lambda: package.run(scenario, lane="live"), tries)


def one_of_three(scenario: package.Scenario, is_right: Callable[[package.Result], bool]) -> package.Result:
    """A run of which this holds, or the third: a busy machine delays at times what a quiet one does not, also where it keeps up on average."""
    for _ in range(3):
        result = run(scenario)
        if is_right(result):
            break
    return result


def outside() -> set[str]:
    """What a run could leave outside its process: devices of this namespace, algorithms in the kernel, mounts of namespaces. A lab's namespaces
    have no names: those with a name are of other tests, which wait for their turn in them."""
    devices = {str(path) for path in Path("/sys/class/net").iterdir()}
    mounts = {
        line
        for line in Path("/proc/mounts").read_text().splitlines()
        if line.startswith("nsfs") and " /run/netns/" not in line
    }
    return devices | set(AVAILABLE.read_text().split()) | mounts


def states(process: int) -> set[str]:
    """States of a process's threads, as proc(5) names them: T is stopped, Z has ended. Those that end meanwhile are left out."""
    found = set()
    for task in Path(f"/proc/{process}/task").iterdir():
        with suppress(OSError):
            found.add((task / "stat").read_text().rpartition(")")[2].split()[0])
    return found


def threads(process: int) -> list[str]:
    """Names of a process's threads; those that end meanwhile are left out."""
    names = []
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            with suppress(OSError):
                names.append((task / "comm").read_text().strip())
    return names
