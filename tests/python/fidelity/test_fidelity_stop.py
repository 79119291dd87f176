# SPDX-License-Identifier: MIT OR Apache-2.0
"""Ctrl-C in `cwnd fidelity` says what is kept and how to go on. Needs root, TUN and namespaces."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from in_kernel import PROGRAM, started, until
from in_lab import NEEDS_LAB, outside, threads

pytestmark = NEEDS_LAB


@pytest.mark.parametrize("keeps", [True, False])
def test_ctrl_c_says_what_is_kept(tmp_path: Path, keeps: bool) -> None:
    before, out = outside(), tmp_path / "out"
    command = [str(PROGRAM), "fidelity", "reno", *(["-o", str(out)] if keeps else [])]
    with started(command, stderr=subprocess.PIPE, text=True) as child:
        until(lambda: "cwnd-link" in threads(child.pid))
        child.send_signal(signal.SIGINT)
        _, said = child.communicate()
    assert child.returncode == 130
    expected = f"kept in {out}; the same command resumes the work" if keeps else "nothing is kept without -o DIR"
    assert expected in said and "stopped" in said and "Traceback" not in said, said
    until(lambda: outside() <= before)
