# SPDX-License-Identifier: MIT OR Apache-2.0
"""Folders of studies that somebody else has written: what they name stays inside them, and each is read, or refused in one line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd.result.store import MANIFEST
from cwnd.study.design import Design
from cwnd.study.values import Range
from tools.fuzz.seeds import replicates_folder

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


def test_points_of_a_study_may_name_different_files(tmp_path: Path, cwnd: Cli) -> None:
    for name, text in (("a.trace", TRACE), ("b.trace", "5\n20\n"), ('c"é.trace', "7\n30\n")):
        (tmp_path / name).write_text(text)
    (tmp_path / "radio.toml").write_text(SCENARIO.replace("radio.trace", "a.trace"))
    axes = {"link.rate.trace": ["a.trace", "b.trace", 'c"é.trace']}
    study = package.sweep(tmp_path / "radio.toml", axes, folder=tmp_path / "study")
    assert study.done == 3
    for name in ("a.trace", "b.trace", 'c"é.trace'):
        (tmp_path / name).unlink()
    done = cwnd("merge", tmp_path / "study", "-o", tmp_path / "study")
    assert (done.returncode, done.stderr) == (0, f"3 of 3 runs; written to {tmp_path}/study\n")


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
    assert "no file with this path was given with the scenario" in done.stderr and "a-line" not in done.stderr
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


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"seeds": -1}, "seeds: -1 is not accepted; expected a whole number from 1 to 10000"),
        ({"seeds": 10**9}, "seeds: 1000000000 is not accepted; expected a whole number from 1 to 10000"),
        ({"until": "2%", "seeds": 5, "most_seeds": 10**12}, "most_seeds: 1000000000000 is not accepted"),
        ({"until": "\x1b[31m"}, "until: "),
        ({"lane": "\x1b[31m"}, "lane: "),
        ({"axes": {"rtt": []}}, "rtt: [] is not accepted; expected at least one value"),
        ({"axes": {"rtt": [None, {}, [1]]}}, "rtt"),
        ({"axes": {"r\x1b[31m\ntt": ["10ms"]}}, "axis: "),
        ({"axes": {"rtt": ["10ms"]}, "zipped": [["rtt", "nope"]]}, "zip: "),
        ({"latin": 10**9}, "latin: 1000000000 is not accepted"),
        (
            {"latin": 5, "axes": {"rtt": "10..200ms"}, "drawn_with": -1},
            "seed: -1 is not accepted; expected a whole number from 0",
        ),
        (
            {"axes": {"rtt": [f"{i}ms" for i in range(1, 3000)], "buffer": [f"{i}packets" for i in range(1, 3000)]}},
            "axes: ",
        ),
    ],
)
def test_a_study_that_no_command_would_run_is_refused(
    changes: dict[str, object], says: str, part: Path, tmp_path: Path, cwnd: Cli
) -> None:
    with_manifest(part, **changes)
    done = cwnd("merge", part, "-o", tmp_path / "whole")
    refused(done, f'"{part}" is not accepted; expected a part of a study (', says)
    assert "\x1b" not in done.stderr and not (tmp_path / "whole").exists()


@pytest.mark.parametrize("contents", ["abc", "!", "a\nb=", "\xe9"])
def test_a_file_of_a_study_that_is_not_in_base64_is_refused(
    contents: str, part: Path, tmp_path: Path, cwnd: Cli
) -> None:
    with_manifest(part, base={**base_of(part), "files": {"radio.trace": contents}})
    done = cwnd("merge", part, "-o", tmp_path / "whole")
    refused(done, "base.files.radio.trace: ", "in base64")


# Files too large for a manifest that can be read are refused before a run, not found out when the study is loaded.
def test_a_study_of_more_files_than_its_folder_keeps_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "radio.trace").write_text(TRACE)
    (tmp_path / "radio.toml").write_text(SCENARIO)
    monkeypatch.setattr("cwnd.study.manifest.MOST_FILE_BYTES", len(TRACE) - 1)
    with pytest.raises(package.ScenarioError, match="because a study's folder keeps copies"):
        package.sweep(tmp_path / "radio.toml", folder=tmp_path / "study")
    assert not (tmp_path / "study").exists()
    assert package.sweep(tmp_path / "radio.toml").done == 1


def test_a_study_drawn_with_a_seed_that_is_none_is_refused() -> None:
    with pytest.raises(package.ScenarioError, match=r"^seed: -1 is not accepted"):
        Design({"rtt": Range.of("rtt", "10..200ms")}, latin=5, seed=-1)


def replicates(folder: Path) -> dict[str, Any]:
    """The document of replicates."""
    document: dict[str, Any] = json.loads((folder / "summary.json").read_text())
    return document


@pytest.fixture(scope="module")
def whole_replicates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of two seeds."""
    folder = tmp_path_factory.mktemp("replicates") / "seeds"
    replicates_folder(folder)
    return folder


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("groups", 0, "flows"), 0, "groups of 0 flows"),
        (("groups", 0, "flows"), 2, "seed 1 has 1 flows; expected 2"),
        (("groups",), [], "groups of none flows"),
        (("runs",), [], "runs of the seeds none"),
        (("seeds",), [1, 1], "runs of the seeds 1, 2; expected those of seeds, 1, 1"),
        (("seeds",), [1, 2, 3], "runs of the seeds 1, 2"),
        (("asked",), -1, "summary.json.asked: -1 is not accepted; expected a number, 0 or more"),
        (("links",), [], "no link"),
        (("runs", 1, "links"), [], "seed 2 has 0 links; expected 1"),
        (("runs", 0, "measures", "groups"), [], "seed 1 has 0 measures.groups"),
        (("runs", 0, "transfers"), [], "seed 1 has measures of transfers that it does not have"),
        (("groups", 0, "goodput_mbps"), None, "groups without goodput_mbps"),
        (("link", "drops_queue"), None, "links without drops_queue"),
        (("asked",), 2**64, "expected a number of 64 bits"),
    ],
)
def test_replicates_whose_parts_do_not_fit_together_are_refused(
    path: tuple[str | int, ...], value: object, says: str, whole_replicates: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(whole_replicates, tmp_path / "seeds")
    document = replicates(folder)
    outer: Any = document
    for key in path[:-1]:
        outer = outer[key]
    if value is None:
        del outer[path[-1]]
    else:
        outer[path[-1]] = value
    if path == ("runs", 0, "transfers"):
        completion = {part: {"value": 1.0, "unit": "s"} for part in ("mean", "p50", "p95", "p99")}
        measured = {"of": "flow", "index": 0, "direction": "forward", **completion, "by_size": []}
        document["runs"][0]["measures"]["transfers"] = [measured]
    (folder / "summary.json").write_text(json.dumps(document))
    with pytest.raises(package.NoResultError) as refusal:
        package.load(folder)
    assert says in str(refusal.value) and "\n" not in str(refusal.value)
