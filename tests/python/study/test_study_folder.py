# SPDX-License-Identifier: MIT OR Apache-2.0
"""The folder of a study while others write to it, after commands that were killed, and when it is extended."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import cwnd
from cwnd._internal import temporary_files
from cwnd._internal.temporary_files import replacing, temporary_name
from cwnd.scenario import algorithms
from cwnd.study import points
from cwnd.study.points import key_of

SMALL = {"rate": "20Mbit/s", "duration": "2s"}
OPTIONS = ["cubic", "--rate", "20Mbit/s", "--duration", "2s"]


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cwnd", *arguments], cwd=cwd, capture_output=True, text=True, timeout=100
    )


def gone() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_writers_of_one_file_at_once_do_not_take_each_others(tmp_path: Path) -> None:
    path, faults = tmp_path / "a.json", []

    def write(text: str) -> None:
        try:
            for _ in range(100):
                with replacing(path) as part:
                    part.write_text(text * 1000)
        except OSError as error:
            faults.append(error)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults and len(set(path.read_text())) == 1 and list(tmp_path.iterdir()) == [path]


# A command that was killed while it wrote `a.json` cannot remove what it wrote: the next one that writes `a.json` does.
def test_what_a_killed_writer_left_of_a_file_goes_when_the_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    of_this_process, of_another_file = temporary_name(path), tmp_path / ".a.json.old"
    with monkeypatch.context() as patched:
        patched.setattr(temporary_files.os, "getpid", gone)
        of_one_that_ended, of_b_that_ended = temporary_name(path), temporary_name(tmp_path / "b.json")
    for part in (of_this_process, of_one_that_ended, of_b_that_ended, of_another_file):
        part.write_text("half")
    with replacing(path) as part:
        part.write_text("whole")
    assert set(tmp_path.iterdir()) == {path, of_this_process, of_b_that_ended, of_another_file}


# No process has such a number, so no command of ours has left it: it stays.
def test_a_name_with_the_number_of_no_process_is_no_file_of_ours(tmp_path: Path) -> None:
    planted = tmp_path / f".a.json.{temporary_files.host()}-99999999999999999999-00000000"
    planted.write_text("planted")
    with replacing(tmp_path / "a.json") as part:
        part.write_text("whole")
    temporary_files.sweep(tmp_path, ".*")
    assert set(tmp_path.iterdir()) == {tmp_path / "a.json", planted}


def test_a_folder_that_takes_files_and_is_not_read_gets_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Path) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(temporary_files.os, "scandir", refused)
    with replacing(tmp_path / "a.json") as part:
        part.write_text("whole")
    assert (tmp_path / "a.json").read_text() == "whole"


# A merge sweeps what killed commands have left. What a part writes just now has the name of another process, machine or container.
def test_what_a_running_part_writes_stays_and_what_killed_commands_left_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("sweep", *OPTIONS, "--shard", "1/1", "-o", "s", cwd=tmp_path).returncode == 0
    (kept,) = (tmp_path / "s" / "points").glob("*/*.json")
    of_this_process = temporary_name(kept)
    monkeypatch.setattr(temporary_files.os, "getpid", gone)
    of_one_that_ended = temporary_name(kept)
    table_of_one_that_ended = temporary_name(tmp_path / "s" / "means.csv")
    monkeypatch.setattr(temporary_files, "host", lambda: "0123abcd")
    elsewhere, elsewhere_long_ago = temporary_name(kept), temporary_name(kept)
    before = kept.with_name(f".{kept.name}.4711")
    parts = (of_this_process, of_one_that_ended, table_of_one_that_ended, elsewhere, elsewhere_long_ago, before)
    for part in parts:
        part.write_text("half")
    for part in (elsewhere_long_ago, before):
        os.utime(part, (time.time() - 3601,) * 2)
    done = command("merge", "s", "-o", "s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {part for part in parts if part.exists()} == {of_this_process, elsewhere}


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path: Path) -> None:
    options = ["cubic", "--rate", "100Mbit/s", "--duration", "100s", "--rtt", "10..100ms/10", "--seeds", "8", "-o", "s"]
    process = subprocess.Popen(
        [sys.executable, "-m", "cwnd", "sweep", *options], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    # One of 80 runs is done, which take seconds.
    while not list((tmp_path / "s").glob("points/*/*.json")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "the same command resumes the work" in said
    assert not list((tmp_path / "s").rglob(".*"))
    stopped = cwnd.load(tmp_path / "s")
    assert isinstance(stopped, cwnd.Study) and stopped.stopped and 0 < stopped.done < 80
    done = command("sweep", *options, cwd=tmp_path)
    assert done.returncode == 0 and f"{stopped.done} of them reused" in done.stderr
    assert not list((tmp_path / "s").rglob(".*"))


# 5 seeds first; with more than so many the study has those that `until` has added.
def test_a_merge_keeps_the_seeds_that_until_has_added(tmp_path: Path) -> None:
    options = ["cubic", "reno", "--rate", "20Mbit/s", "--duration", "4s", "--until", "5%", "--most-seeds", "12"]
    done = command("sweep", *options, "-o", "u", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    before = cwnd.load(tmp_path / "u")
    assert isinstance(before, cwnd.Study) and before.done > 5
    merged = command("merge", "u", "-o", "u", cwd=tmp_path)
    assert merged.returncode == 0 and f"{before.done} of {before.done} runs" in merged.stderr, merged.stderr
    after = cwnd.load(tmp_path / "u")
    assert isinstance(after, cwnd.Study) and after.runs.equals(before.runs) and after.wide == before.wide


@pytest.mark.slow
def test_a_study_can_be_read_while_it_is_extended_and_after_a_kill(tmp_path: Path) -> None:
    short = cwnd.sweep("cubic", **SMALL, rtt=["10ms", "40ms"], seeds=2, folder=tmp_path / "s")
    options = ["cubic", "--rate", "20Mbit/s", "--duration", "2s", "--rtt", "10ms,40ms,80ms", "--seeds", "2000"]
    process = subprocess.Popen([sys.executable, "-m", "cwnd", "sweep", *options, "-o", "s"], cwd=tmp_path)
    while len(list((tmp_path / "s").glob("points/*/*.json"))) < 6:
        assert process.poll() is None
        time.sleep(0.01)
    during = cwnd.load(tmp_path / "s")
    process.send_signal(signal.SIGKILL)
    process.wait()
    after = cwnd.load(tmp_path / "s")
    for found in (during, after):
        assert isinstance(found, cwnd.Study) and found.runs.equals(short.runs) and found.fixed == short.fixed
    assert command("plot", "s", cwd=tmp_path).returncode == 0
    longer = cwnd.sweep("cubic", **SMALL, rtt=["10ms", "40ms", "80ms"], seeds=2, folder=tmp_path / "s")
    found = cwnd.load(tmp_path / "s")
    assert isinstance(found, cwnd.Study) and found.runs.equals(longer.runs) and longer.done == 6
    assert "extended" not in json.loads((tmp_path / "s" / "manifest.json").read_text())


def test_a_part_of_another_study_is_refused(tmp_path: Path) -> None:
    part = ("sweep", *OPTIONS, "-o", "s", "--shard")
    assert command(*part, "1/2", "--seeds", "2", cwd=tmp_path).returncode == 0
    for other in (["--seeds", "3"], ["--seeds", "2", "--rtt", "10ms,20ms"]):
        refused = command(*part, "2/2", *other, cwd=tmp_path)
        assert refused.returncode == 2 and refused.stderr.count("\n") == 1, refused.stderr
        assert '-o: "s" is not accepted; expected a folder with parts of this study' in refused.stderr
    assert command(*part, "2/2", "--seeds", "2", cwd=tmp_path).returncode == 0
    assert command("merge", "s", "-o", "s", cwd=tmp_path).returncode == 0
    # A study that is done may be extended in parts; these are of one study again.
    assert command(*part, "1/2", "--seeds", "4", cwd=tmp_path).returncode == 0
    assert command(*part, "2/2", "--seeds", "5", cwd=tmp_path).returncode == 2
    assert command(*part, "2/2", "--seeds", "4", cwd=tmp_path).returncode == 0
    merged = command("merge", "s", "-o", "s", cwd=tmp_path)
    assert (merged.returncode, merged.stderr) == (0, "4 of 4 runs; written to s\n")


@pytest.mark.parametrize("rows", ["{}", "[[1]]", '[["all", 0, "all flows", "jain", "1", "", ""]]', "null"])
def test_a_file_of_points_with_other_rows_is_run_again(tmp_path: Path, rows: str) -> None:
    first = cwnd.sweep("cubic", **SMALL, folder=tmp_path / "s")
    (kept,) = (tmp_path / "s" / "points").glob("*/*.json")
    whole = kept.read_text()
    kept.write_text(f'{{"packets": 1, "rows": {rows}}}')
    again = cwnd.sweep("cubic", **SMALL, folder=tmp_path / "s")
    assert again.found == 0 and again.runs.equals(first.runs) and kept.read_text() == whole


def test_a_run_in_the_kernel_is_of_that_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = cwnd.dumbbell("cubic", rate="20Mbit/s", rtt="20ms", duration="1s")
    live, sim = key_of(scenario, "live"), key_of(scenario, "sim")
    for name in ("release", "version"):
        with monkeypatch.context() as other:
            other.setattr(platform, name, lambda: "another")
            assert key_of(scenario, "live") != live and key_of(scenario, "sim") == sim
    assert key_of(scenario, "live") == live


# A plugin that is loaded and not used changes no run, and so no name of one.
def test_a_plugin_is_in_the_name_of_the_runs_that_use_it(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = cwnd.dumbbell("cubic", rate="20Mbit/s", rtt="20ms", duration="1s")
    before = key_of(plain, "sim")
    monkeypatch.setattr(points, "origin", lambda: {"plugins": {"mine": "another digest"}})
    assert key_of(plain, "sim") == before
    monkeypatch.setattr(algorithms, "built_in_sets", lambda: frozenset({"reno"}))
    assert key_of(plain, "sim") != before
    assert algorithms.has_plugins({"action": [{"switch": {"cc": "mine"}}]}) and not algorithms.has_plugins(
        {"cc": "reno"}
    )
