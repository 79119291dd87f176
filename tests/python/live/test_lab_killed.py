# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs of lane live and commands behind links that a signal ends at a random moment leave nothing. Needs root, TUN and namespaces.

`CWND_KILLS` is the number of kills (10), `CWND_KILLS_SEED` their seed, which is printed.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from in_kernel import PROGRAM, until
from in_lab import LOADS, NEEDS_LAB, kept_up, outside

pytestmark = [*NEEDS_LAB, LOADS]

KILLS = int(os.environ.get("CWND_KILLS", "10"))
SEED = int(os.environ.get("CWND_KILLS_SEED", str(time.time_ns() % 1_000_000)))
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
MARK = "CWND_KILLS_MARK"

#: Number of the system call bpf(2) where the tests run, and of its commands that go through programs, maps and links.
BPF = {"x86_64": 321, "aarch64": 280}
NEXT_IDS = {"program": 11, "map": 12, "link": 31}


def bpf_objects() -> set[tuple[str, int]]:
    """Programs, maps and links of BPF in the kernel, by their numbers."""
    libc = ctypes.CDLL(None, use_errno=True)
    found = set()
    for kind, command in NEXT_IDS.items():
        attributes = (ctypes.c_uint32 * 32)()
        while libc.syscall(BPF[os.uname().machine], command, attributes, ctypes.sizeof(attributes)) == 0:
            number = attributes[1]
            found.add((kind, number))
            attributes[0] = number
    return found


def others_hold_bpf() -> bool:
    """Whether some process has objects of BPF open: then it is not known whose those are that are left."""
    kinds = ("prog_id:", "map_id:", "link_id:")
    for folder in Path("/proc").glob("[0-9]*/fdinfo"):
        with suppress(OSError):
            if any(kind in file.read_text() for file in folder.iterdir() for kind in kinds):
                return True
    return False


def processes(mark: str) -> list[int]:
    """Processes that have this mark in their environment, whoever their parents are; those that have ended are left out."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def commands(folder: Path) -> dict[str, list[str]]:
    """A run with an algorithm of ours, with a tracer and with traffic that writes its result, and a command behind links: each lasts about a second."""
    scenario = folder / "scenario.toml"
    scenario.write_text(
        "duration = '800ms'\nrecord = { inner = true, per_ack = true }\n[link]\nrate = '10Mbit/s'\nrtt = '160ms'\n[[flow]]\ncc = 'cubic'\n"
        "[[traffic]]\nmodel = 'mix'\ncc = 'reno-linux'\narrivals = '50ms'\nsize = '5kB'\n"
    )
    sleeper = "import time; time.sleep(0.8)"
    return {
        "run": ["run", str(scenario), "--lane", "live", "--no-plots", "-o", str(folder / "run")],
        "shell": ["shell", "--rate", "10Mbit/s", "--", sys.executable, "-c", sleeper],
    }


def whole_life(arguments: list[str]) -> float:
    """Seconds that this command takes that nobody ends, on a machine that keeps up with it."""

    def once() -> subprocess.CompletedProcess[str]:
        nonlocal begun
        begun = time.monotonic()
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)

    begun = 0.0
    done = kept_up(once)
    assert done.returncode == 0, done.stderr
    return time.monotonic() - begun


def moments(lives: dict[str, float]) -> Iterator[tuple[str, signal.Signals, float]]:
    """What is killed with which signal, and after how many seconds: at random through its whole life, and a little beyond."""
    chance = random.Random(SEED)
    for number in range(KILLS):
        kind = ("run", "shell")[number % 2]
        yield kind, chance.choice(SIGNALS), chance.uniform(0, 1.05 * lives[kind])


def test_kills_at_random_moments_leave_nothing(tmp_path: Path) -> None:
    print(f"CWND_KILLS={KILLS} CWND_KILLS_SEED={SEED}")
    temporary, results = tmp_path / "tmp", tmp_path / "results"
    temporary.mkdir()
    results.mkdir()
    known = commands(results)
    objects, lives = bpf_objects(), {}
    for kind, arguments in known.items():
        lives[kind] = whole_life(arguments)
    algorithms = json.loads((results / "run" / "summary.json").read_text())["live"]["algorithms"]

    def not_others() -> set[str]:
        """`outside()` without algorithms that somebody else on this machine has loaded."""
        return {thing for thing in outside() if not thing.startswith("cwnd_") or thing in algorithms}

    for kind, number, after in moments(lives):
        about = f"seed {SEED}: {kind}, {number.name} after {after:.3f} s"
        before, mark = not_others(), uuid.uuid4().hex
        environment = {**os.environ, MARK: mark, "TMPDIR": str(temporary)}
        with subprocess.Popen(
            [PROGRAM, *known[kind], *(["--force"] if kind == "run" else [])],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        ) as child:
            time.sleep(after)
            child.send_signal(number)
        until(lambda mark=mark: processes(mark) == [], f"{about}: the end of its processes")  # type: ignore[misc]
        until(lambda before=before: not_others() <= before, f"{about}: devices, algorithms and mounts go")  # type: ignore[misc]
        assert list(temporary.iterdir()) == [], about
        names = {path.name for path in results.iterdir()} - {"scenario.toml", "run"}
        if kind == "run" and number != signal.SIGKILL:
            # But for the beginning, when nobody has asked for the signal yet.
            assert all(name.startswith(".run.") for name in names), (about, names)
    until(lambda: bpf_objects() <= objects or others_hold_bpf(), f"seed {SEED}: objects of BPF go")
    # What a killed run has written goes with the next one into the same folder.
    again = [PROGRAM, *("sim" if word == "live" else word for word in known["run"]), "--force"]
    done = subprocess.run(again, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in results.iterdir()) == ["run", "scenario.toml"], done.stderr
