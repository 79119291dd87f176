# SPDX-License-Identifier: MIT OR Apache-2.0
"""Folders of results that somebody else has written: each is read, or refused in one line, in bounded memory and time."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Cli

import cwnd as package
from cwnd._internal.input_files import head_of
from cwnd._internal.json_files import MOST_BYTES, read_json
from cwnd.load import NoResultError
from cwnd.result.store import MANIFEST
from tools.fuzz.folders import change, read_all, seed_folder
from tools.fuzz.seeds import MAKERS


@pytest.fixture(scope="module")
def seed() -> Iterator[Path]:
    with seed_folder() as folder:
        yield folder


@pytest.fixture
def folder(seed: Path, tmp_path: Path) -> Path:
    """A copy of the folder of a run."""
    return shutil.copytree(seed, tmp_path / "run")


@pytest.mark.slow
def test_a_changed_folder_is_read_or_refused_in_one_line(seed: Path, tmp_path: Path) -> None:
    number = int(os.environ.get("CWND_SEED", "36"))
    print(f"CWND_SEED={number}")
    chance = random.Random(number)
    for _ in range(60):
        change(chance, seed, tmp_path / "changed")
        read_all(tmp_path / "changed", seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["replicates", "study", "trace"])
def test_a_changed_folder_of_another_kind_is_read_or_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    number = int(os.environ.get("CWND_SEED", "36"))
    print(f"CWND_SEED={number}")
    chance = random.Random(number)
    MAKERS[kind](tmp_path / kind)
    assert read_all(tmp_path / kind, draws=True)
    for _ in range(20):
        change(chance, tmp_path / kind, tmp_path / "changed")
        read_all(tmp_path / "changed", tmp_path / kind)


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


# `/proc/kmsg` says that it is a regular file, and waits for the next line of the kernel's log; `/proc/uptime` has more bytes than it says.
@pytest.mark.parametrize("target", ["/proc/kmsg", "/proc/uptime"])
@pytest.mark.parametrize("file", ["manifest.json", "summary.json", "scenario.toml", "cwnd.parquet"])
def test_a_file_of_the_kernel_is_not_read(file: str, target: str, folder: Path) -> None:
    (folder / file).unlink()
    (folder / file).symlink_to(target)
    assert head_of(folder / file) is not None
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
    [
        *(
            "[" * 100_000,
            '{"a":' * 100_000,
            "9" * 5000,
            "1" * 21,
            "1e101",
            "-1e400",
            "NaN",
            '{"a": -Infinity}',
            "",
            "nul",
        ),
        "\ud800".encode("utf-8", "surrogatepass"),
    ],
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
    monkeypatch.setattr("cwnd._internal.parquet_files.memory_bytes", lambda: 100 * 2 * 8 - 1)
    with pytest.raises(NoResultError, match="100 rows need more memory"):
        result.table("cwnd")
    monkeypatch.setattr("cwnd._internal.parquet_files.memory_bytes", lambda: 100 * 2 * 8)
    assert result.rows("cwnd") == 100


# A folder names its captures by its scenario; whatever has the name, a few bytes or a link, is read when it is asked for.
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "too long"])
def test_a_capture_is_a_file_that_fits_into_memory(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    captured = package.dumbbell("cubic", rate="5Mbit/s", rtt="20ms", duration="200ms").capturing_senders()
    package.run(captured, folder=tmp_path / "run", pictures=False)
    path = tmp_path / "run" / "senders.pcapng"
    result = package.load(tmp_path / "run")
    assert isinstance(result, package.Result) and result.packets["senders"] == path.read_bytes() != b""
    if kind == "too long":
        monkeypatch.setattr("cwnd.result.packets.memory_bytes", lambda: path.stat().st_size - 1)
    else:
        path.unlink()
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "device":
            path.symlink_to("/dev/zero")
        else:
            path.mkdir()
    with pytest.raises(NoResultError, match=r"^senders.pcapng: .*expected a capture in pcapng: ") as refusal:
        result.packets["senders"]
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("column", [pa.array(["a"]), pa.array([[1]]), pa.array([b"x"]), pa.array([{"a": 1}])])
def test_a_column_of_another_type_is_refused(column: pa.Array, folder: Path) -> None:
    pq.write_table(pa.table({"time_s": pa.array([0.0]), "flow": column}), folder / "cwnd.parquet")
    result = package.load(folder)
    assert isinstance(result, package.Result)
    with pytest.raises(NoResultError, match="column flow"):
        result.table("cwnd")


def changed_table(folder: Path, name: str, change: Callable[[pa.Table], pa.Table]) -> package.Result:
    """The result in the folder, with a table of it changed."""
    file = folder / f"{name}.parquet"
    pq.write_table(change(pq.read_table(file)), file)
    result = package.load(folder)
    assert isinstance(result, package.Result)
    return result


def with_values(name: str, values: pa.Array) -> Callable[[pa.Table], pa.Table]:
    """A change of a table: to a row with this value in a column."""
    return lambda table: table.slice(0, 1).set_column(table.column_names.index(name), name, values)


# The run has two flows and one link.
@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("cwnd", lambda table: table.drop_columns(["flow"]), "no column flow; expected the columns time_s, flow, "),
        ("waits", lambda table: table.drop_columns(["wait_ms"]), "no column wait_ms"),
        ("transfers", lambda table: table.drop_columns(["number", "end_s"]), "no column number, end_s"),
        ("cwnd", with_values("flow", pa.array([2], pa.uint32())), "column flow has 2; expected less than 2"),
        (
            "cwnd",
            with_values("flow", pa.array([-1])),
            "column flow has -1; expected whole numbers of 32 bits, from 0 on",
        ),
        ("rates", with_values("link", pa.array([-1])), "column link has -1"),
        ("cwnd", with_values("cwnd", pa.array([2**32])), "column cwnd has 4294967296"),
        (
            "waits",
            with_values("wait_ms", pa.array([float("nan")])),
            r"column wait_ms has nan; expected numbers of up to",
        ),
        ("waits", with_values("wait_ms", pa.array([1e300])), "column wait_ms has 1e"),
        ("cwnd", with_values("time_s", pa.array([-1.0])), r"column time_s has -1\.0; expected numbers from 0 on"),
        ("cwnd", with_values("srtt_ms", pa.array([-1])), r"column srtt_ms has -1\.0; expected numbers from 0 on"),
        ("flows", lambda table: table.slice(0, 1), "1 rows; expected the 2 of the summary"),
        (
            "flows",
            lambda table: table.take([1, 0]),
            "column flow has gaps or another order; expected 0, 1, 2 and so on",
        ),
        ("flows", with_values("path", pa.array([[1]])), "column path has 1; expected less than 1"),
        ("flows", with_values("back", pa.array([[None]], pa.list_(pa.uint32()))), "column back has gaps"),
        ("events", with_values("link", pa.array([1], pa.uint32())), "column link has 1; expected less than 1"),
        ("cwnd", with_values("time_s", pa.array([None], pa.float64())), "column time_s has gaps"),
        (
            "cwnd",
            with_values(
                "ca_state", pa.StringArray.from_buffers(1, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\x8e"))
            ),
            "[Uu][Tt][Ff].?8",
        ),
        (
            "events",
            lambda table: with_values("value", pa.array([5], pa.uint64()))(
                with_values("kind", pa.array(["state"]))(table)
            ),
            "state 5; expected less than 5",
        ),
    ],
)
def test_a_table_that_no_run_writes_is_refused(
    name: str, change: Callable[[pa.Table], pa.Table], says: str, folder: Path
) -> None:
    result = changed_table(folder, name, change)
    with pytest.raises(NoResultError, match=rf"{name}\.parquet: .*{says}"):
        result.table(name)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"path": [1]}, "flow 1 crosses link 1, and summary.json has 1"),
        ({"back": [-1]}, r"summary\.json\.flows\[1\]\.back\[0\]: -1 is not accepted; expected a number, 0 or more"),
        (None, "summary.json has 1 flows, and the scenario 2"),
    ],
)
def test_a_summary_of_other_flows_and_links_is_refused(
    change: dict[str, list[int]] | None, says: str, folder: Path
) -> None:
    summary = json.loads((folder / "summary.json").read_text())
    if change is None:
        summary["flows"].pop()
    else:
        summary["flows"][1].update(change)
    (folder / "summary.json").write_text(json.dumps(summary))
    with pytest.raises(NoResultError, match=says):
        package.load(folder)


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
