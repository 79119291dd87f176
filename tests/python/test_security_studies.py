# SPDX-License-Identifier: MIT OR Apache-2.0
"""Folders of studies that somebody else has written: what they name stays inside them, and each is read, or refused in one line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Cli

import cwnd as package
from cwnd.store import MANIFEST

TRACE = "10\n20\n30\n40\n"
SCENARIO = 'duration = "1s"\nlink = { rate = { trace = "radio.trace" }, rtt = "20ms" }\nflow = [{ cc = "cubic" }]\n'
PART = ("--axis", "rtt=10ms,20ms", "--shard")


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with both parts of a study whose scenario names a trace, and with neither scenario nor trace, which are gone."""
    folder = tmp_path_factory.mktemp("parts")
    (folder / "radio.trace").write_text(TRACE)
    (folder / "radio.toml").write_text(SCENARIO)
    for number in (1, 2):
        axes = {"rtt": ["10ms", "20ms"]}
        package.sweep(folder / "radio.toml", axes, shard=(number, 2), folder=folder / f"part{number}")
    (folder / "radio.trace").unlink()
    (folder / "radio.toml").unlink()
    return folder


@pytest.fixture
def part(parts: Path, tmp_path: Path) -> Path:
    """A copy of the first part, for a test to change."""
    return shutil.copytree(parts / "part1", tmp_path / "part1")


def with_manifest(folder: Path, **changes: object) -> None:
    """Changes keys of the manifest."""
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({**manifest, **changes}))


def base_of(folder: Path) -> dict[str, object]:
    """The base in the manifest."""
    base: dict[str, object] = json.loads((folder / MANIFEST).read_text())["base"]
    return base


def naming(path: str) -> dict[str, object]:
    """A scenario that names a file."""
    return {"duration": "1s", "link": {"rate": {"trace": path}, "rtt": "20ms"}, "flow": [{"cc": "cubic"}]}


def test_a_study_has_copies_of_the_files_that_its_scenario_names(parts: Path, tmp_path: Path, cwnd: Cli) -> None:
    done = cwnd("merge", parts / "part1", parts / "part2", "-o", tmp_path / "whole")
    assert (done.returncode, done.stderr) == (0, f"2 of 2 runs; written to {tmp_path}/whole\n")
    again = cwnd("merge", tmp_path / "whole", "-o", tmp_path / "whole")
    assert again.returncode == 0, again.stderr


# As root, `cwnd merge` would show a line of the file in its error.
@pytest.mark.parametrize("folder", [None, "/", "."])
@pytest.mark.parametrize("files", [None, {}, {"other": "MQo="}])
def test_a_study_names_no_file_outside_its_folder(
    folder: str | None, files: dict[str, str] | None, part: Path, tmp_path: Path, cwnd: Cli
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a-line-for-root-alone\n")
    base: dict[str, object] = {"scenario": naming(str(secret)), "printed": False}
    base |= {"folder": folder} if folder is not None else {}
    base |= {"files": files} if files is not None else {}
    with_manifest(part, base=base)
    done = cwnd("merge", part, "-o", tmp_path / "whole")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "no such file is handed in" in done.stderr and "a-line" not in done.stderr
    secret.write_text(TRACE)
    assert cwnd("merge", part, "-o", tmp_path / "whole").returncode == 2


# Runs elsewhere are those of `--points`: of that folder only this study's runs are read, whose names are digests of all that they depend on.
def test_of_a_folder_that_a_part_names_only_its_own_runs_are_read(part: Path, tmp_path: Path, cwnd: Cli) -> None:
    outside = tmp_path / "outside"
    shutil.move(part / "points", outside)
    foreign = outside / "00" / f"{'0' * 32}.json"
    foreign.parent.mkdir(exist_ok=True)
    foreign.write_text(json.dumps({"why": "a line of another file"}))
    with_manifest(part, points=str(outside))
    done = cwnd("merge", part, "-o", tmp_path / "whole")
    assert (done.returncode, done.stderr.split(";")[0]) == (1, "1 of 2 runs"), done.stderr
    assert len(list((tmp_path / "whole" / "points").glob("*/*.json"))) == 1


def test_a_link_in_a_part_does_not_lead_outside_it(part: Path, tmp_path: Path, cwnd: Cli) -> None:
    name = "0" * 32
    (tmp_path / f"{name}.json").write_text(json.dumps({"why": "a line of another file"}))
    (part / "points" / "00").symlink_to(tmp_path)
    (part / "points" / "11").mkdir(exist_ok=True)
    (part / "points" / "11" / f"{name}.json").symlink_to(tmp_path / f"{name}.json")
    assert cwnd("merge", part, "-o", tmp_path / "whole").returncode == 1
    assert len(list((tmp_path / "whole" / "points").glob("*/*.json"))) == 1


def test_a_study_is_of_its_files_and_not_of_where_they_are(cwnd: Cli, tmp_path: Path) -> None:
    for number in (1, 2):
        elsewhere = tmp_path / f"machine{number}"
        elsewhere.mkdir()
        (elsewhere / "radio.trace").write_text(TRACE)
        (elsewhere / "radio.toml").write_text(SCENARIO)
        done = cwnd("sweep", elsewhere / "radio.toml", *PART, f"{number}/2", "-o", elsewhere / "part")
        assert done.returncode == 0, done.stderr
    merged = cwnd("merge", tmp_path / "machine1/part", tmp_path / "machine2/part", "-o", tmp_path / "whole")
    assert merged.returncode == 0, merged.stderr
    study = package.load(tmp_path / "whole")
    assert isinstance(study, package.Study) and study.done == 2
