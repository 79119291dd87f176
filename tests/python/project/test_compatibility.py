# SPDX-License-Identifier: MIT OR Apache-2.0
"""What docs/compatibility.md says of folders of other versions, of exit codes, and of where the version stands."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Cli
from test_links import tracked

import cwnd as package
from cwnd import NoResultError
from tools import ROOT

#: For `make check`.
READS = ("tests/python/**/test_*.py",)
FLOWS = ("cubic", "reno", "--rate", "20Mbit/s", "--rtt", "20ms", "--duration", "2s")
Change = Callable[[Path], None]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run."""
    folder = tmp_path_factory.mktemp("compatibility") / "run"
    scenario = package.dumbbell({"cubic": 1, "reno": 1}, rate="20Mbit/s", rtt="20ms", duration="2s")
    package.run(scenario, folder=folder, pictures=False)
    return folder


@pytest.fixture
def copy(run: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(run, tmp_path / "run")
    return tmp_path / "run"


def edit(path: Path, change: Callable[[Any], object]) -> None:
    """Changes a document of JSON."""
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def with_table(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Changes the table `cwnd`."""
    path = folder / "cwnd.parquet"
    pq.write_table(change(pq.read_table(path)), path)


def set_version(folder: Path) -> None:
    edit(folder / "manifest.json", lambda manifest: manifest["versions"].update(cwnd="9.8.7"))


def add_key(folder: Path) -> None:
    scenario = folder / "scenario.toml"
    scenario.write_text(f"new = 1\n{scenario.read_text()}")


READ: dict[str, Change] = {
    "another version": set_version,
    "no versions": lambda folder: edit(folder / "manifest.json", lambda manifest: manifest.pop("versions")),
    "a key more in the manifest": lambda folder: edit(folder / "manifest.json", lambda manifest: manifest.update(n=1)),
    "a number more": lambda folder: edit(folder / "summary.json", lambda summary: summary["flows"][0].update(n=1)),
    "a column more": lambda folder: with_table(
        folder, lambda table: table.append_column("n", pa.array([1] * table.num_rows))
    ),
}


@pytest.mark.parametrize("name", READ)
def test_a_folder_is_read_by_what_it_holds_whatever_its_version(run: Path, copy: Path, name: str) -> None:
    READ[name](copy)
    before, after = package.load(run), package.load(copy)
    assert isinstance(before, package.Result) and isinstance(after, package.Result)
    assert after.scenario == before.scenario
    assert after.table("cwnd").column("cwnd") == before.table("cwnd").column("cwnd")


REFUSED: dict[str, tuple[Change, str]] = {
    "a number less": (
        lambda folder: edit(folder / "summary.json", lambda summary: summary["flows"][0].pop("goodput_mbps")),
        "goodput_mbps: missing",
    ),
    "a table less": (
        lambda folder: edit(folder / "manifest.json", lambda manifest: manifest["files"].remove("waits.parquet")),
        "the tables waits, which the version that wrote it did not save",
    ),
    "a column less": (
        lambda folder: with_table(folder, lambda table: table.drop_columns(["srtt_ms"])),
        "no column srtt_ms",
    ),
    "a key that is not known": (add_key, "new: 1 is not accepted"),
    "another kind": (
        lambda folder: edit(folder / "manifest.json", lambda manifest: manifest.update(kind="cwnd dream")),
        "not a cwnd dream",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_folder_that_lacks_what_this_version_reads_is_refused_in_one_line(copy: Path, name: str) -> None:
    change, words = REFUSED[name]
    change(copy)
    with pytest.raises(NoResultError) as caught:
        result = package.load(copy)
        assert isinstance(result, package.Result)
        result.table("cwnd")
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_parts_of_a_study_by_two_versions_are_not_merged(cwnd: Cli, tmp_path: Path) -> None:
    parts = [tmp_path / "1", tmp_path / "2"]
    for number, part in enumerate(parts, start=1):
        done = cwnd("sweep", *FLOWS, "--buffer", "0.5bdp,1bdp", "--seeds", 1, "--shard", f"{number}/2", "-o", part)
        assert done.returncode == 0, done.stderr
    set_version(parts[1])
    done = cwnd("merge", *parts, "-o", tmp_path / "whole")
    assert done.returncode == 2 and "expected a part of the same study" in done.stderr
    set_version(parts[0])
    assert cwnd("merge", *parts, "-o", tmp_path / "whole").returncode == 0


def test_the_manifest_of_every_folder_names_the_version(cwnd: Cli, run: Path, tmp_path: Path) -> None:
    replicates, study = tmp_path / "replicates", tmp_path / "study"
    assert cwnd("compare", *FLOWS, "--seeds", 2, "-o", replicates).returncode == 0
    assert cwnd("sweep", *FLOWS, "--buffer", "0.5bdp,1bdp", "--seeds", 1, "-o", study).returncode == 0
    for folder in (run, replicates, replicates / "seed-0001", study):
        manifest = json.loads((folder / "manifest.json").read_text())
        assert manifest["versions"]["cwnd"] == package.__version__, folder


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, ("algorithms",)),
        (2, ("compare", "cubc")),
        (2, ("compare", "cubic", "--rat", "1Mbit/s")),
        (1, ("compare", "cubic", "--duration", "1s", "-o", "/dev/null/folder")),
    ],
)
def test_the_exit_code_says_whose_fault_it_is(cwnd: Cli, code: int, words: tuple[str, ...]) -> None:
    assert cwnd(*words).returncode == code


def test_the_page_names_tests_and_files_that_are_there() -> None:
    page = (ROOT / "docs" / "compatibility.md").read_text()
    texts = [path.read_text() for path in tracked("tests/python/**/test_*.py")]
    tests = set(re.findall(r"`(test_\w+)`", page))
    assert len(tests) > 10
    assert [name for name in tests if not any(f"def {name}(" in text for text in texts)] == []
    files = set(re.findall(r"`((?:tests|web|crates)/[^`]+)`", page))
    assert len(files) > 5
    assert [name for name in files if not list(ROOT.glob(name))] == []
