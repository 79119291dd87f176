# SPDX-License-Identifier: MIT OR Apache-2.0
"""Programs that a step runs. Whatever ends the step ends them."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tools import ROOT
from tools.release.errors import ReleaseError

#: Time that a program has to end after SIGTERM, s.
GRACE_S = 10.0
#: Signals that end this program.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def git(*arguments: str, root: Path = ROOT) -> str:
    """What git prints."""
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"{shlex.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()


def send(group: int, what: signal.Signals) -> None:
    """Sends a signal to a process group, which may have ended."""
    with suppress(ProcessLookupError):
        os.killpg(group, what)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and all that it has started."""
    send(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S)
    send(process.pid, signal.SIGKILL)
    process.wait()


def wait(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Runs a command in the checkout; returns its exit code."""
    # An exception between the start of the process and the `try` would leave the process running.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)

    def restore() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    try:
        # A process group of its own: Ctrl-C reaches this program only, which then ends the group.
        process = subprocess.Popen(words, cwd=ROOT, env={**os.environ, **environment}, start_new_session=True, preexec_fn=restore)  # fmt: skip
        try:
            restore()
            return process.wait()
        except BaseException:
            end(process)
            raise
    except FileNotFoundError as error:
        raise ReleaseError(f"{error.filename}: no such program") from None
    finally:
        restore()


def run(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> None:
    """Shows a command and runs it in the checkout, with these variables too; raises `ReleaseError` if it fails."""
    words, variables = [str(word) for word in command], environment or {}
    shown = shlex.join([*(f"{name}={value}" for name, value in variables.items() if name != "PATH"), *words])
    print(f"  {shown}", flush=True)
    if code := wait(words, variables):
        raise ReleaseError(f"{words[0]} failed with exit code {code}: {shown}")
