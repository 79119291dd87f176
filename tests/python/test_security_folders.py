# SPDX-License-Identifier: MIT OR Apache-2.0
"""Folders of results that somebody else has written: each is read, or refused in one line, in bounded memory and time."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Cli

import cwnd as package
from cwnd.reading import NoResultError
from cwnd.store import MANIFEST
from cwnd.stored_json import MOST_BYTES, read_json
from tools.fuzz.folders import change, read_all, seed_folder


@pytest.fixture(scope="module")
def seed() -> Iterator[Path]:
    with seed_folder() as folder:
        yield folder


@pytest.fixture
def folder(seed: Path, tmp_path: Path) -> Path:
    """A copy of the folder of a run."""
    return shutil.copytree(seed, tmp_path / "run")


def test_a_changed_folder_is_read_or_refused_in_one_line(seed: Path, tmp_path: Path) -> None:
    number = int(os.environ.get("CWND_SEED", "36"))
    print(f"CWND_SEED={number}")
    chance = random.Random(number)
    for _ in range(60):
        change(chance, seed, tmp_path / "changed")
        read_all(tmp_path / "changed")


@pytest.mark.parametrize("file", ["manifest.json", "summary.json", "scenario.toml", "cwnd.parquet"])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "nothing", "a byte"])
def test_what_is_no_file_is_not_waited_for(file: str, kind: str, folder: Path) -> None:
    path = folder / file
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"" if kind == "nothing" else b"\xff")
    with pytest.raises(NoResultError) as refusal:
        result = package.load(folder)
        assert isinstance(result, package.Result)
        result.table("cwnd")
    assert "\n" not in str(refusal.value)


# A sparse file takes no room on the disk, and says that it has 2 GiB.
@pytest.mark.parametrize("file", ["manifest.json", "summary.json", "scenario.toml"])
def test_a_file_that_is_too_long_is_not_read(file: str, folder: Path, program: Cli) -> None:
    with (folder / file).open("r+b") as opened:
        opened.truncate(2 * MOST_BYTES)
    limit = 2 << 30

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    done = program("plot", folder, preexec_fn=bounded)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, "9" * 5000, "1" * 21, "", "nul", "\ud800".encode("utf-8", "surrogatepass")],
)
def test_no_document_is_too_deep_or_too_large_to_be_refused(text: str | bytes, folder: Path) -> None:
    (folder / MANIFEST).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError):
        read_json(folder / MANIFEST)
    with pytest.raises(NoResultError):
        package.load(folder)


# Rows are counted before they are read, whatever the memory of this machine: here it has room for 99 of the 100.
def test_a_table_that_would_fill_the_memory_is_refused_before_it_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {"time_s": pa.array([0.0] * 100), "flow": pa.array([0] * 100, pa.uint32())}
    pq.write_table(pa.table(columns), folder / "cwnd.parquet")
    result = package.load(folder)
    assert isinstance(result, package.Result)
    monkeypatch.setattr("cwnd.tables.memory_bytes", lambda: 100 * 2 * 8 - 1)
    with pytest.raises(NoResultError, match="100 rows take more memory"):
        result.table("cwnd")
    monkeypatch.setattr("cwnd.tables.memory_bytes", lambda: 100 * 2 * 8)
    assert result.rows("cwnd") == 100


@pytest.mark.parametrize("column", [pa.array(["a"]), pa.array([[1]]), pa.array([b"x"]), pa.array([{"a": 1}])])
def test_a_column_of_another_type_is_refused(column: pa.Array, folder: Path) -> None:
    pq.write_table(pa.table({"time_s": pa.array([0.0]), "flow": column}), folder / "cwnd.parquet")
    result = package.load(folder)
    assert isinstance(result, package.Result)
    with pytest.raises(NoResultError, match="column flow"):
        result.table("cwnd")


@pytest.mark.parametrize("name", ["../outside", "/etc/hostname", "", "."])
def test_a_folder_names_no_file_outside_itself(name: str, folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["inputs"] = [{"path": "radio.trace", "bytes": 1, "sha256": "0", "file": name}]
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(NoResultError):
        package.load(folder)


STUDY = {
    **{
        "kind": "cwnd study",
        "lane": "sim",
        "seeds": 1,
        "until": None,
        "most_seeds": None,
        "zipped": [],
        "latin": None,
        "drawn_with": 1,
    },
    "base": {"scenario": {}, "printed": False},
    **{"axes": {}, "factors": [], "asked": 0, "done": 0},
}


@pytest.mark.parametrize("key", ["lane", "seeds", "base", "axes", "zipped", "drawn_with", "factors", "asked", "done"])
@pytest.mark.parametrize("value", [None, [1], {"a": 1}, "x", 1.5])
def test_a_study_with_a_manifest_of_another_form_is_refused_in_one_line(
    key: str, value: object, tmp_path: Path, cwnd: Cli
) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps({**STUDY, key: value}))
    for command in (("merge", tmp_path, "-o", tmp_path / "whole"), ("plot", tmp_path)):
        done = cwnd(*command)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), (command, done.stderr)
