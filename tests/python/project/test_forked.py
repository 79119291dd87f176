# SPDX-License-Identifier: MIT OR Apache-2.0
"""The server that the tests' commands are forked from: what it gives is what a shell gives, also after a command that hangs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from forked import Server
from in_kernel import PATIENCE_S, PROGRAM, until

from cwnd.plugin import crate as plugin

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd_open: Linux 5.3 or newer")


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server whose commands find a `cargo` that says its process id and does not return."""
    cargo = tmp_path / "bin" / "cargo"
    cargo.parent.mkdir()
    cargo.write_text(f"#!/bin/sh\necho $$ >{tmp_path}/id.part\nmv {tmp_path}/id.part {tmp_path}/id\nexec sleep 1000\n")
    cargo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{cargo.parent}:{os.environ['PATH']}")
    server = Server(PROGRAM)
    yield server
    server.end()


def runs(process: int) -> bool:
    """Whether a process exists and has not ended: init may take its time with one that has."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


@pytest.mark.slow
def test_a_command_that_does_not_return_is_killed_with_its_children_and_the_next_has_a_new_server(
    hanging: Server, tmp_path: Path
) -> None:
    crate = plugin.new("ease", tmp_path / "ease")
    said = tmp_path / "id"
    for exponent in range(10):
        # On a slow machine the time is over before the build has begun; the next command waits longer.
        with pytest.raises(subprocess.TimeoutExpired):
            hanging.run(["algorithms", "--plugin", str(crate)], tmp_path, timeout=2**exponent)
        if said.exists():
            break
    child = int(said.read_text())
    until(lambda: not runs(child), "the end of the build that hangs")
    done = hanging.run(["show", "cubic", "--json"], tmp_path, PATIENCE_S)
    assert (done.returncode, done.stderr) == (0, "") and '"cubic"' in done.stdout


def test_a_server_that_has_ended_fails_one_command(hanging: Server, tmp_path: Path) -> None:
    hanging._process.kill()
    hanging._process.wait()
    with pytest.raises((AssertionError, OSError)):
        hanging.run(["show", "cubic"], tmp_path, PATIENCE_S)
    assert hanging.run(["show", "cubic"], tmp_path, PATIENCE_S).returncode == 0


def test_a_command_has_its_own_environment_and_the_next_one_the_servers(tmp_path: Path) -> None:
    server = Server(PROGRAM)
    broken = {**server.environment, "CWND_DEFAULTS": "nowhere.toml"}
    del broken["PATH"]
    changes = server.changes(broken)
    assert changes == {"CWND_DEFAULTS": "nowhere.toml", "PATH": None}
    try:
        refused = server.run(["algorithms"], tmp_path, PATIENCE_S, changes)
        assert refused.returncode == 2 and "nowhere.toml" in refused.stderr
        assert server.run(["algorithms"], tmp_path, PATIENCE_S).returncode == 0
    finally:
        server.end()
