# SPDX-License-Identifier: MIT OR Apache-2.0
"""A build with the simulator only (`--no-default-features`) simulates; lane live, `cwnd shell` and `cwnd kernel` are refused in one line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

#: Runs `cwnd ARGUMENT...` as a build without the features `live` and `kernel` does. The build itself: test_release_build.py.
WITHOUT = """
from cwnd import _native
for name in dir(_native):
    if name in ("Lab", "Shell") or name.lower().startswith("kernel"):
        delattr(_native, name)
from cwnd.__main__ import main
main()
"""


def simulator_only(*arguments: str, cwd: Path, platform: str = "linux") -> subprocess.CompletedProcess[str]:
    code = f"import sys\nsys.platform = {platform!r}\n{WITHOUT}"
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_simulator_runs(tmp_path: Path) -> None:
    done = simulator_only("compare", "cubic", "reno", "--duration", "1s", "-q", "-o", "run", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "run" / "summary.json").is_file()


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "cubic", "--lane", "live", "--duration", "1s"),
        ("reproduce", "shanker/alone", "--lane", "live"),
        ("shell", "--rate", "1Mbit/s", "--", "true"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_lane_live_and_shell_are_refused_in_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = simulator_only(*arguments, cwd=tmp_path)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1, done
    assert "is not built into this cwnd" in done.stderr and "cwnd doctor live" in done.stderr
    elsewhere = simulator_only(*arguments, cwd=tmp_path, platform="freebsd14")
    assert elsewhere.returncode == 1 and elsewhere.stderr.rstrip().endswith("needs Linux"), elsewhere
    assert list(tmp_path.iterdir()) == []


def test_the_kernel_commands_are_refused_in_one_line(tmp_path: Path) -> None:
    done = simulator_only("kernel", "list", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done
    assert "this cwnd was built without its kernel part" in done.stderr


@pytest.mark.parametrize("part", ["live", "shell"])
def test_doctor_says_which_wheel_has_the_part(tmp_path: Path, part: str) -> None:
    done = simulator_only("doctor", part, cwd=tmp_path)
    assert done.returncode == 1 and done.stderr == ""
    found, detail, remedy = (line.strip() for line in done.stdout.splitlines())
    assert (
        found.startswith("no ")
        and detail == "not built into this cwnd"
        and re.search(r"\bmake (-C \S+ )?wheel\b", remedy)
    )
