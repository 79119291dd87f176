# SPDX-License-Identifier: MIT OR Apache-2.0
"""`-o` replaces an earlier run and nothing else, unless it is told to: refused before any work, and to the last byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import SHORT, Cli, refused
from needs import needs

import cwnd as package
from cwnd import dumbbell
from cwnd.result.store import FolderError

KINDS = ("run", "trace", "replicates", "reproduce")
# A day at 10 Gbit/s takes an hour: whoever refuses it at once has not run it.
LONG = ("compare", "cubic:8", "--rate", "10Gbit/s", "--duration", "86400s")


def small(seed: int = 1) -> package.Scenario:
    return dumbbell({"cubic": 1}, rate="5Mbit/s", rtt="20ms", duration="1s", seed=seed)


def made(folder: Path, kind: str) -> Path:
    """A folder of this kind, as the program leaves it."""
    if kind == "run":
        package.save(package.run(small()), folder, pictures=False)
    elif kind == "replicates":
        package.replicate(small(), 2, 1, folder)
    elif kind == "trace":
        files = ["cwnd.parquet", "flows.parquet", "hooks.parquet", "manifest.json"]
        folder.mkdir(parents=True)
        for name in files[:3]:
            (folder / name).write_bytes(b"of real traffic")
        (folder / "manifest.json").write_text(
            json.dumps({"kind": "cwnd kernel trace", "lane": "kernel", "files": files})
        )
    else:
        (folder / "points" / "ab").mkdir(parents=True)
        (folder / "points" / "ab" / "abcd.json").write_text("{}")
        (folder / "ha2008" / "fig8").mkdir(parents=True)
        (folder / "ha2008" / "fig8" / "figure.png").write_bytes(b"drawn")
        (folder / "verdicts.json").write_text("[]")
        (folder / "report.html").write_text("<p>")
        (folder / "manifest.json").write_text(json.dumps({"kind": "cwnd reproduce"}))
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def kind_of(folder: Path) -> str:
    return str(json.loads((folder / "manifest.json").read_text())["kind"])


@pytest.mark.parametrize("seeds", [(), ("--seeds", "2")], ids=["run", "replicates"])
@pytest.mark.parametrize("kind", KINDS)
def test_another_kind_is_left_alone_without_force_and_before_the_run(
    cwnd: Cli, tmp_path: Path, kind: str, seeds: tuple[str, ...]
) -> None:
    ours = "replicates" if seeds else "run"
    folder = made(tmp_path / "out", kind)
    before = contents(folder)
    if kind != ours:
        done = cwnd(*LONG, *seeds, "-o", folder)
        refused(done, kind, "--force", str(folder))
        assert contents(folder) == before
    done = cwnd(*SHORT, *seeds, "--no-plots", "-o", folder, "--force")
    assert done.returncode == 0, done.stderr
    assert kind_of(folder) == f"cwnd {ours}" and [path.name for path in tmp_path.iterdir()] == ["out"]
    assert not any(b"of real traffic" in data for data in contents(folder).values())


def test_a_scenario_file_has_the_same_option(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "it.toml").write_text(small().to_toml())
    folder = made(tmp_path / "out", "trace")
    assert "--force" in cwnd("run", tmp_path / "it.toml", "-o", folder).stderr
    assert cwnd("run", tmp_path / "it.toml", "--no-plots", "-o", folder, "--force").returncode == 0
    assert kind_of(folder) == "cwnd run"


@needs("kernel")
@pytest.mark.parametrize("kind", KINDS)
def test_a_kernel_trace_is_refused_before_it_begins(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from cwnd.kernel import trace

    def begun(*_: object, **__: object) -> None:
        raise AssertionError("it has begun")

    monkeypatch.setattr(trace, "begin", begun)
    folder = made(tmp_path / "out", kind)
    before = contents(folder)
    with pytest.raises(FolderError, match=f"--force.*{kind}"):
        trace.main(trace.TraceOptions(folder=folder), [])
    assert contents(folder) == before
    with pytest.raises(AssertionError, match="it has begun"):
        trace.main(trace.TraceOptions(folder=folder, force=True), [])
    assert contents(folder) == before, "nothing goes away before there is something in its place"


def test_what_is_beside_a_result_is_kept_from_force_too(cwnd: Cli, tmp_path: Path) -> None:
    for kind in KINDS:
        folder = made(tmp_path / kind, kind)
        deep = folder / "ha2008" if kind == "reproduce" else folder / "seed-0001" if kind == "replicates" else folder
        (deep / "notes.md").write_text("look here")
        before = contents(folder)
        for more in ((), ("--seeds", "2")):
            if (kind, bool(more)) == ("replicates", True):
                continue  # they go on where they are
            done = cwnd(*LONG, *more, "-o", folder, "--force")
            assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
            assert contents(folder) == before
    thesis = tmp_path / "thesis"
    thesis.mkdir()
    (thesis / "thesis.tex").write_text("years of work")
    for more in ((), ("--seeds", "2")):
        assert cwnd(*LONG, *more, "-o", thesis, "--force").returncode == 2
    assert cwnd("reproduce", "ha2008/fig1", "-o", thesis, "--force").returncode == 2
    assert list(thesis.iterdir()) == [thesis / "thesis.tex"]


def test_replicates_of_another_scenario_need_force(cwnd: Cli, tmp_path: Path) -> None:
    folder = made(tmp_path / "out", "replicates")
    done = cwnd(*LONG, "--seeds", 2, "-o", folder)
    assert done.returncode == 2 and "another one" in done.stderr and "--force" in done.stderr
    assert cwnd(*SHORT, "--seeds", 2, "-o", folder, "--force").returncode == 0
    assert json.loads((folder / "summary.json").read_text())["duration_s"] == 3
    # What is theirs is not run again, force or not.
    before = {path: path.stat().st_ino for path in folder.rglob("seed-*/*")}
    assert "2 of them reused" in cwnd(*SHORT, "--seeds", 2, "-o", folder, "--force").stderr
    assert {path: path.stat().st_ino for path in before} == before


def test_a_reproduction_is_no_place_for_another_result_nor_the_other_way_round(cwnd: Cli, tmp_path: Path) -> None:
    folder = made(tmp_path / "out", "trace")
    done = cwnd("reproduce", "ha2008/fig1", "-o", folder)
    assert done.returncode == 2 and "--force" in done.stderr and "trace" in done.stderr, done.stderr


def test_force_is_of_an_output(cwnd: Cli) -> None:
    for arguments in (SHORT, (*SHORT, "--seeds", "2")):
        done = cwnd(*arguments, "--force")
        assert (done.returncode, done.stdout) == (2, "") and "--force" in done.stderr and "-o" in done.stderr


def test_python_has_it_as_an_argument(tmp_path: Path) -> None:
    result = package.run(small())
    folder = made(tmp_path / "trace", "trace")
    before = contents(folder)
    with pytest.raises(FolderError, match=r"--force.*force=True"):
        package.save(result, folder, pictures=False)
    with pytest.raises(FolderError, match="force=True"):
        package.replicate(small(), 2, 1, folder)
    assert contents(folder) == before
    package.save(result, folder, pictures=False, force=True)
    assert kind_of(folder) == "cwnd run"
    assert package.replicate(small(), 2, 1, folder, force=True).done == 2
    assert kind_of(folder) == "cwnd replicates"


@pytest.mark.parametrize("lane", ["sim", pytest.param("linux", marks=needs("linux"))])
def test_a_folder_that_comes_during_the_run_is_not_replaced(
    tmp_path: Path, lane: str, request: pytest.FixtureRequest
) -> None:
    if lane == "linux":
        request.getfixturevalue("virtual_kernel")
    given, folder = package.dumbbell(["cubic-linux"], rate="10Mbit/s", rtt="20ms", duration="20s"), tmp_path / "out"

    def comes(_: object) -> None:
        folder.mkdir(exist_ok=True)
        (folder / "notes.txt").write_text("mine")

    with pytest.raises(package.FolderError, match="expected a free name"):
        package.run(given, comes, folder=folder, lane=lane, pictures=False)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (folder / "notes.txt").read_text() == "mine"


# As root, no folder of the file system refuses a file: what has the name of the folder is a file, or is not there.
@pytest.mark.parametrize(("where", "why"), [("file", "Not a directory"), ("/proc/none", "No such file or directory")])
@pytest.mark.parametrize(
    "command",
    [
        ("run", "x.toml"),
        ("compare", "reno", "--duration", "1000s"),
        pytest.param(("linux", "trace", "x.toml"), marks=needs("linux")),
    ],
)
def test_a_folder_that_cannot_be_written_is_named_before_the_run(
    cwnd: Cli, tmp_path: Path, command: tuple[str, ...], where: str, why: str, request: pytest.FixtureRequest
) -> None:
    if command[0] == "linux":
        request.getfixturevalue("virtual_kernel")
    (tmp_path / "file").touch()
    # Minutes of work.
    (tmp_path / "x.toml").write_text(package.dumbbell(["reno"], rate="1Gbit/s", rtt="20ms", duration="1000s").to_toml())
    done = cwnd(*command, "-o", f"{where}/out", cwd=tmp_path)
    refused(done, f"error: {where}/out: {why}", code=1)
