# SPDX-License-Identifier: MIT OR Apache-2.0
"""The kernels that are built: listed, found by name, removed; one of another version of cwnd is not used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd import ScenarioError
from cwnd._internal import debian_packages
from cwnd.linux import find, kernels, remove, requirements, trial
from cwnd.linux.kernels import KernelDocument, cache, driver_digest, name_of


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CWND_LINUX", str(tmp_path / "cache"))
    return tmp_path / "cache"


def keep(folder: Path, version: str, hz: int = 250, driver: str | None = None, date: str = "2026-01-01") -> Path:
    """Puts a kernel into the cache, as a build does; returns its executable."""
    driver = driver_digest() if driver is None else driver
    about: KernelDocument = {
        "name": name_of(version, hz),
        "version": version,
        "release": f"{version}.7",
        "hz": hz,
        "source": {"file": "/usr/src/linux.tar.xz", "sha256": "0" * 64},
        "licence": "GPL-2.0",
        "compiler": "cc 12",
        "date": date,
        "key": f"{driver}{date}",
        "driver": driver,
        "without": [],
    }
    place = folder / f"{about['name']}-{driver[:4]}{date}"
    place.mkdir(parents=True)
    (place / "about.json").write_text(json.dumps(about))
    (place / "linux").write_text("#!/bin/sh\n")
    (place / "linux").chmod(0o755)
    return place / "linux"


def test_without_a_name_it_is_the_newest_version_with_the_usual_hz(folder: Path) -> None:
    keep(folder, "6.2")
    assert find().name == "6.2"
    keep(folder, "6.12")
    keep(folder, "7.2", hz=1000)
    assert find().name == "6.12" and find("7.2-hz1000").hz == 1000
    assert [kernel.name for kernel in kernels()] == ["7.2-hz1000", "6.12", "6.2"]
    remove("6.12")
    remove("6.2")
    assert find().name == "7.2-hz1000"


def test_a_kernel_that_is_not_built_is_refused_with_those_that_are_and_the_command(folder: Path) -> None:
    with pytest.raises(ScenarioError, match=r"^kernel: missing; .*none is built; cwnd linux build builds one$"):
        find()
    with pytest.raises(ScenarioError, match=r'^--kernel: "6.1" is not .* none is; cwnd linux build 6\.1 builds it$'):
        find("6.1", field="--kernel")
    keep(folder, "6.12")
    with pytest.raises(ScenarioError, match=r"one that is built \(6\.12\); cwnd linux build 6\.1 --hz 100 builds it$"):
        find("6.1-hz100")
    with pytest.raises(ScenarioError, match=r'"bzImage" .* \(6\.12\); cwnd linux build builds one$'):
        find("bzImage")


def test_a_kernel_of_another_version_of_cwnd_is_listed_and_not_used(cwnd: Cli, folder: Path) -> None:
    keep(folder, "6.12", driver="f" * 64)
    words = "built for another version of cwnd; build it again: cwnd linux build 6.12"
    for name in (None, "6.12"):
        with pytest.raises(ScenarioError, match=words):
            find(name)
    assert [kernel.stale for kernel in kernels()] == [True]
    listed = cwnd("linux", "list")
    assert listed.returncode == 0 and "built for another version of cwnd; build it again" in listed.stdout
    # A build of this version goes before it, whichever is younger.
    path = keep(folder, "6.12", date="2020-01-01")
    assert find("6.12").path == path and len(kernels()) == 1


def test_of_two_builds_the_later_one_is_used(folder: Path) -> None:
    later = keep(folder, "6.12", date="2026-02-01")
    keep(folder, "6.12", date="2026-01-01")
    assert find().path == later


def test_the_list_is_a_table_or_json(cwnd: Cli, folder: Path) -> None:
    empty = cwnd("linux", "list")
    assert (empty.returncode, empty.stdout.count("\n")) == (0, 1) and "cwnd linux build" in empty.stdout
    assert cwnd("linux", "list", "--json").stdout == "[]\n"
    path = keep(folder, "6.12")
    assert cwnd("linux", "list").stdout == f"6.12  Linux 6.12.7, HZ 250, built 2026-01-01: {path}\n"
    (row,) = json.loads(cwnd("linux", "list", "--json").stdout)
    assert (row["name"], row["path"], row["stale"], row["about"]["licence"]) == ("6.12", str(path), False, "GPL-2.0")


def test_remove_removes_all_builds_of_a_name(cwnd: Cli, folder: Path) -> None:
    keep(folder, "6.12")
    keep(folder, "6.12", driver="f" * 64)
    keep(folder, "6.1")
    done = cwnd("linux", "remove", "6.12")
    assert (done.returncode, done.stdout, done.stderr.count("removed ")) == (0, "", 2)
    assert [kernel.name for kernel in kernels()] == ["6.1"]
    refused(cwnd("linux", "remove", "6.12"), "NAME", '"6.12"', "did you mean 6.1")


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"name": 5}'])
def test_a_folder_without_what_a_build_writes_is_no_kernel(folder: Path, text: str) -> None:
    path = keep(folder, "6.12")
    (path.parent / "about.json").write_text(text)
    (folder / "6.1-unpacked").mkdir()
    (folder / ".6.12.lock").touch()
    assert kernels() == []


def test_the_cache_is_the_users_unless_a_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache() == tmp_path / "cache"
    monkeypatch.delenv("CWND_LINUX")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache() == tmp_path / "cwnd" / "linux"
    # A relative one is ignored, as its specification demands.
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache() == tmp_path / "home" / ".cache" / "cwnd" / "linux"


def test_doctor_knows_the_lane_and_what_it_lacks(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "why_not_here", lambda: "")
    monkeypatch.setattr(requirements, "may_trace", lambda: True)
    monkeypatch.setattr(requirements, "lacking", lambda: ["flex"])
    monkeypatch.setattr("cwnd.linux.engine.parts_that_lack", lambda: ["cwnd-guest"])
    (part,) = package.doctor("linux")
    assert (part.present, part.detail) == (False, "not built into this cwnd") and "make" in part.remedy
    monkeypatch.setattr("cwnd.linux.engine.parts_that_lack", list)
    (part,) = package.doctor("linux")
    assert (part.present, part.title, part.detail) == (False, "lane linux", "without flex")
    assert "apt-get install linux-source-" in part.remedy and part.remedy.endswith(" && cwnd linux build")
    monkeypatch.setattr(requirements, "lacking", list)
    monkeypatch.setattr("cwnd.linux.sources.INSTALLED", tmp_path)
    assert "no source of Linux" in package.doctor("linux")[0].detail
    (tmp_path / "linux-source-6.12").mkdir()
    assert package.doctor("linux")[0].remedy == "cwnd linux build"
    keep(folder, "6.12")
    (part,) = package.doctor("linux")
    assert (part.present, part.detail, part.remedy) == (True, "kernels 6.12", "")
    monkeypatch.setattr(requirements, "may_trace", lambda: False)
    (part,) = package.doctor("linux")
    assert (part.present, part.remedy) == (False, "a machine or container that allows ptrace")
    monkeypatch.setattr(requirements, "why_not_here", lambda: "needs Linux on x86_64; this is Darwin on arm64")
    remove("6.12")
    assert package.doctor("linux")[0].remedy == "a machine with Linux on x86_64"


@pytest.mark.parametrize(
    ("there", "newest"),
    [
        (["6.1", "6.12", "6.9"], "6.12"),
        (["6.1"], "6.1"),
        (["5.10"], debian_packages.USUAL_LINUX),
        ([], debian_packages.USUAL_LINUX),
    ],
)
def test_the_package_is_the_newest_source_that_debian_has_and_the_lane_can_use(
    monkeypatch: pytest.MonkeyPatch, there: list[str], newest: str
) -> None:
    monkeypatch.setattr(debian_packages, "listed", lambda *_: there)
    assert f"linux-source-{newest} " in debian_packages.command(["linux"])


@pytest.mark.slow
@pytest.mark.ci_may_skip
def test_a_kernel_of_the_users_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CWND_LINUX")
    try:
        kernel = find()
    except ScenarioError as error:
        pytest.skip(str(error))
    trial.attempt(kernel.path, tmp_path / "trial")
