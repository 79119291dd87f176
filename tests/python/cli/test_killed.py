# SPDX-License-Identifier: MIT OR Apache-2.0
"""A run that `kill -9` ends: what it had written is no result, says so, and goes away with the next run into the same folder."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import SHORT, Cli
from in_kernel import PATIENCE_S, PROGRAM, until

import cwnd as package
from cwnd import NoResultError, dumbbell

LONG = ("compare", "cubic:50", "--duration", "10000s", "--interval", "10ms", "--record-limit", "none")


@pytest.fixture
def going(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run into `tmp_path / "run"` whose tables are on the disk in part."""
    command = [PROGRAM, *LONG, "-o", tmp_path / "run"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until(lambda: list(tmp_path.glob(".run.*/cwnd.parquet")) != [] or process.poll() is not None)
    assert process.poll() is None
    yield process
    process.kill()
    process.communicate()


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()


def half(tmp_path: Path) -> Path:
    """What is there of the run that is not whole."""
    (folder,) = tmp_path.glob(".run.*")
    return folder


def save(folder: Path) -> package.Result:
    result = package.run(dumbbell({"cubic": 1}, rate="5Mbit/s", rtt="20ms", duration="1s"))
    package.save(result, folder, pictures=False)
    return result


def test_the_same_command_again_says_in_a_line_what_it_removes(
    tmp_path: Path, cwnd: Cli, going: subprocess.Popen[bytes]
) -> None:
    kill(going)
    left = half(tmp_path)
    assert not (tmp_path / "run").exists()
    done = cwnd(*SHORT, "--no-plots", "-o", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == [f"removed {left}, left by an interrupted run", f"written to {tmp_path / 'run'}"]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert len(package.load(tmp_path / "run").flows) == 3  # type: ignore[union-attr]


def test_it_is_no_result_and_every_command_says_why(tmp_path: Path, cwnd: Cli, going: subprocess.Popen[bytes]) -> None:
    words = "expected a finished run; this one"
    for state in ("is still running", "was interrupted"):
        for folder in (half(tmp_path), tmp_path / "run"):
            with pytest.raises(NoResultError, match=f'^folder: "{folder}" is not accepted; {words} {state}'):
                package.load(folder)
            done = cwnd("plot", folder)
            assert (done.returncode, done.stderr.count("\n")) == (2, 1) and f"{words} {state}" in done.stderr
        kill(going)


# Both write to folders of their own, and the last one takes the name.
def test_a_run_that_goes_on_is_left_alone(tmp_path: Path, going: subprocess.Popen[bytes]) -> None:
    save(tmp_path / "run")
    assert (half(tmp_path) / "cwnd.parquet").exists() and going.poll() is None
    kill(going)
    save(tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_what_is_left_may_be_named_as_the_folder_itself(tmp_path: Path, going: subprocess.Popen[bytes]) -> None:
    left = half(tmp_path)
    with pytest.raises(package.FolderError, match="another cwnd process is writing to it"):
        save(left)
    kill(going)
    result = save(left)
    assert package.load(left) == result
    assert [path.name for path in tmp_path.iterdir()] == [left.name]


# The moment between the two renames that put a run in an earlier one's place.
def test_an_earlier_result_that_had_been_moved_aside_is_back_or_replaced(tmp_path: Path) -> None:
    earlier = save(tmp_path / "run")
    (tmp_path / "run").rename(tmp_path / ".run.abcd_123.old")
    (tmp_path / ".run.abcd_123").mkdir()
    (tmp_path / ".run.abcd_123" / "cwnd.parquet").write_bytes(b"half")
    with pytest.raises(RuntimeError, match="stop"):
        package.run(earlier.scenario, fail, folder=tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert package.load(tmp_path / "run") == earlier


def fail(_: object) -> None:
    raise RuntimeError("stop")


@pytest.mark.parametrize(
    "name", [".run.abcd_123", ".run.abcdefgh.old", ".run.more", ".other.abcd_123", ".run.abcd_12-"]
)
def test_what_somebody_else_has_beside_it_stays(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "cwnd.parquet").write_bytes(b"mine")
    (tmp_path / name / "notes.md").write_text("mine")
    save(tmp_path / "run")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "run"])
    assert (tmp_path / name / "notes.md").exists()


# A key that is held down, or a shell that sends the signal to the program and to its group: the later ones come while the program tidies up.
def test_ctrl_c_three_times_in_a_tenth_of_a_second_is_one(tmp_path: Path) -> None:
    command = [
        PROGRAM,
        "compare",
        "cubic:20",
        "--duration",
        "200s",
        "--seeds",
        "500",
        "--jobs",
        "2",
        "-o",
        tmp_path / "lot",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    until(lambda: list(tmp_path.glob("lot/seed-*/manifest.json")) != [] or process.poll() is not None)
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    errors = process.communicate(timeout=PATIENCE_S)[1]
    assert process.returncode == 130 and "runs are done" in errors, errors
    assert [path.name for path in (tmp_path / "lot").iterdir() if path.name.startswith(".")] == []
    assert 0 < len(json.loads((tmp_path / "lot" / "summary.json").read_text())["seeds"]) < 500
