# SPDX-License-Identifier: MIT OR Apache-2.0
"""Files that a scenario names: where they are looked for, that they go with the scenario, and what a result says of them."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd import FolderError, NoResultError, Scenario, ScenarioError
from cwnd.scenario.snapshot import names_in_folder

#: Three opportunities of 1500 bytes in 4 ms: 9 Mbit/s; and four: 12 Mbit/s.
TRACE, FASTER = "1\n1\n4\n", "1\n1\n2\n4\n"
SIZES = "1 0.5\n100 1\n"


def document(path: str = "radio.trace", more: str = "") -> str:
    return (
        f'duration = "2s"\n[link]\nrate = {{ trace = "{path}" }}\nrtt = "20ms"\n'
        f'[[flow]]\ncc = "cubic"\nstart = {{ uniform = ["0s", "100ms"] }}\n{more}'
    )


TRAFFIC = '[[traffic]]\nmodel = "sessions"\nsize = { kind = "empirical", file = "sizes.csv", unit = "packets" }\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A scenario with its trace."""
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "radio.toml").write_text(document())
    (tmp_path / "study" / "radio.trace").write_text(TRACE)
    return tmp_path / "study"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_scenario_moved_with_its_trace_runs_the_same_from_anywhere(
    folder: Path, tmp_path: Path, cwnd: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    first = package.run(Scenario.from_file("radio.toml"))
    shutil.copytree(folder, tmp_path / "elsewhere" / "moved")
    shutil.rmtree(folder)
    monkeypatch.chdir(tmp_path)
    moved = Scenario.from_file("elsewhere/moved/radio.toml")
    assert moved == first.scenario and moved.files == first.scenario.files
    assert package.run(moved) == first
    done = cwnd("run", "elsewhere/moved/radio.toml", "--json")
    assert json.loads(done.stdout)["flows"] == first.summary["flows"]


def test_a_text_has_no_folder_but_the_one_that_is_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    of_file = Scenario.from_file(folder / "radio.toml")
    assert Scenario.from_toml(document()) == of_file
    assert Scenario.from_json(of_file.to_json()) == of_file
    assert package.dumbbell("cubic", rate={"trace": "radio.trace"}, rtt="20ms").rate_mbps == 9
    monkeypatch.chdir("/")
    with pytest.raises(ScenarioError, match="No such file") as caught:
        Scenario.from_toml(document())
    assert (caught.value.field, caught.value.value) == ("link.rate.trace", '"radio.trace"')
    with pytest.raises(ScenarioError, match=r"a file that can be read \(/nowhere/radio.trace: No such file"):
        Scenario.from_toml(document(), "/nowhere")
    assert Scenario.from_toml(document(), folder) == Scenario.from_json(of_file.to_json(), str(folder)) == of_file
    for contents in (TRACE, TRACE.encode()):
        given = Scenario.from_toml(document(), {"radio.trace": contents})
        assert given == of_file and given.files == of_file.files


def test_contents_that_are_given_are_the_only_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(ScenarioError, match=r"can be read \(no file with this path was given with the scenario\)"):
        Scenario.from_toml(document(), {})
    with pytest.raises(ScenarioError, match=r"can be read \(expected text in UTF-8; this is binary data"):
        Scenario.from_toml(document(), {"radio.trace": b"\xff"})
    for files, field in ((3, "files"), ({3: "1\n"}, "files"), ({"radio.trace": 3}, "files.radio.trace")):
        with pytest.raises(ScenarioError) as caught:
            Scenario.from_toml(document(), files)  # type: ignore[arg-type]
        assert caught.value.field == field and "\n" not in str(caught.value)


def test_what_is_pickled_has_its_files(folder: Path, tmp_path: Path) -> None:
    (folder / "sizes.csv").write_text(SIZES)
    (folder / "radio.toml").write_text(document(more=TRAFFIC))
    scenario = Scenario.from_file(folder / "radio.toml")
    (tmp_path / "pickle").write_bytes(pickle.dumps(scenario))
    shutil.rmtree(folder)
    twin = pickle.loads(pickle.dumps(scenario))
    assert twin == scenario and hash(twin) == hash(scenario) and twin.files == scenario.files
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')).rate_mbps)"
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "pickle"], capture_output=True, text=True, check=True, cwd="/"
    )
    assert done.stdout == "9.0\n"
    assert scenario.with_seed(3).with_name("three").files == scenario.files


def test_a_result_says_which_files_it_used_and_keeps_them(folder: Path, tmp_path: Path) -> None:
    (folder / "sizes.csv").write_text(SIZES)
    (folder / "radio.toml").write_text(document(more=TRAFFIC))
    scenario = Scenario.from_file(folder / "radio.toml")
    assert [(file.path, file.size, file.sha256, file.contents) for file in scenario.files] == [
        ("radio.trace", 6, digest(TRACE), TRACE.encode()),
        ("sizes.csv", 12, digest(SIZES), SIZES.encode()),
    ]
    result = package.run(scenario, folder=tmp_path / "out", pictures=False)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["inputs"] == [
        {"path": "radio.trace", "bytes": 6, "sha256": digest(TRACE), "file": "input-1-radio.trace"},
        {"path": "sizes.csv", "bytes": 12, "sha256": digest(SIZES), "file": "input-2-sizes.csv"},
    ]
    assert {"input-1-radio.trace", "input-2-sizes.csv"} <= set(manifest["files"])
    # Where they came from may change or go.
    (folder / "radio.trace").write_text(FASTER)
    again = package.load(tmp_path / "out")
    assert again == result and again.scenario.files == scenario.files
    changed = Scenario.from_file(folder / "radio.toml")
    assert changed != again.scenario
    assert [file.sha256 for file in changed.files] == [digest(FASTER), digest(SIZES)]
    shutil.rmtree(folder)
    assert package.load(tmp_path / "out") == result


def test_a_scenario_without_files_has_none_in_its_manifest(tmp_path: Path) -> None:
    scenario = package.dumbbell("cubic", rate="9Mbit/s", rtt="20ms", duration="1s")
    package.run(scenario, folder=tmp_path / "out", pictures=False)
    assert "inputs" not in json.loads((tmp_path / "out" / "manifest.json").read_text()) and scenario.files == []


def test_a_results_scenario_runs_from_its_folder(
    folder: Path, tmp_path: Path, cwnd: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "radio.toml").rename(tmp_path / "radio.toml")
    (tmp_path / "radio.toml").write_text(document("study/../study/radio.trace"))
    result = package.run(Scenario.from_file(tmp_path / "radio.toml"), folder=tmp_path / "out", pictures=False)
    shutil.rmtree(folder)
    monkeypatch.chdir("/")
    assert 'trace = "input-1-radio.trace"' in (tmp_path / "out" / "scenario.toml").read_text()
    done = cwnd("run", tmp_path / "out" / "scenario.toml", "--json")
    assert json.loads(done.stdout)["flows"] == result.summary["flows"]
    # What was loaded is what was run, with the path that it had.
    assert package.load(tmp_path / "out") == result
    assert "study/../study/radio.trace" in result.scenario.to_toml()


def test_copies_have_names_that_no_other_file_of_a_result_has() -> None:
    paths = ["a/x.trace", "b/x.trace", "cwnd.parquet", "a b.trace", ".hidden", "input-9", "d/" + "l" * 300]
    text = 'duration = "2s"\n' + "".join(
        f'[[link]]\nfrom = "n{number}"\nto = "n{number + 1}"\ndelay = "20ms"\nrate = {{ trace = "{path}" }}\n'
        for number, path in enumerate(paths)
    )
    text += f'[[flow]]\ncc = "cubic"\nfrom = "n0"\nto = "n{len(paths)}"\n'
    scenario = Scenario.from_toml(text, dict.fromkeys(paths, TRACE))
    assert list(names_in_folder(scenario).values()) == [
        "input-1-x.trace",
        "input-2-x.trace",
        "input-3-cwnd.parquet",
        "input-4-a_b.trace",
        "input-5-.hidden",
        "input-6-input-9",
        f"input-7-{'l' * 64}",
    ]


# The working directory has a file of that name: it may be anyone's folder, and anyone's name.
def test_a_folder_without_a_copy_of_its_trace_reads_no_other_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package.run(Scenario.from_file(folder / "radio.toml"), folder=tmp_path / "out", pictures=False)
    (tmp_path / "out" / "input-1-radio.trace").unlink()
    with pytest.raises(NoResultError, match=r"radio\.trace"):
        package.load(tmp_path / "out")
    written = tmp_path / "out" / "scenario.toml"
    written.write_text(written.read_text().replace("input-1-radio.trace", "radio.trace"))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    del manifest["inputs"]
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.chdir(folder)
    with pytest.raises(NoResultError, match="a scenario that can be read: link"):
        package.load(tmp_path / "out")


def test_replicates_with_another_trace_are_others(folder: Path, tmp_path: Path) -> None:
    scenario = Scenario.from_file(folder / "radio.toml")
    package.replicate(scenario, 2, folder=tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["inputs"] == [{"path": "radio.trace", "bytes": 6, "sha256": digest(TRACE)}]
    assert package.replicate(scenario, 3, folder=tmp_path / "out").found == 2
    (folder / "radio.trace").write_text(FASTER)
    with pytest.raises(FolderError, match="of another one"):
        package.replicate(Scenario.from_file(folder / "radio.toml"), 3, folder=tmp_path / "out")
    assert package.load(tmp_path / "out" / "seed-0003").scenario == scenario.with_seed(3)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda out: (out / "input-1-radio.trace").write_text(FASTER), "input-1-radio.trace has changed since the run"),
        (lambda out: rename_input(out, "../study/radio.trace"), "../study/radio.trace is no file of the folder"),
        (lambda out: rename_input(out, "/etc/hostname"), "/etc/hostname is no file of the folder"),
        (lambda out: (out / "summary.json").write_text("[]"), "summary.json: [] is not accepted; expected a table"),
        (lambda out: (out / "summary.json").write_text("{}"), "summary.json.measured_s: missing"),
    ],
)
def test_a_result_whose_files_are_not_those_of_the_run_is_refused(
    folder: Path, tmp_path: Path, change: Callable[[Path], object], why: str
) -> None:
    package.run(Scenario.from_file(folder / "radio.toml"), folder=tmp_path / "out", pictures=False)
    change(tmp_path / "out")
    with pytest.raises(NoResultError, match=re.escape(why)):
        package.load(tmp_path / "out")


def rename_input(out: Path, name: str) -> None:
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["inputs"][0]["file"] = name
    (out / "manifest.json").write_text(json.dumps(manifest))


# As a run leaves it that is killed while it draws: everything but the manifest, in a folder with a name of `tempfile`'s.
def test_what_a_killed_run_with_a_trace_has_left_is_removed(folder: Path, tmp_path: Path, cwnd: Cli) -> None:
    package.run(Scenario.from_file(folder / "radio.toml"), folder=tmp_path / "out", pictures=False)
    (tmp_path / "out" / "manifest.json").unlink()
    (tmp_path / "out").rename(tmp_path / ".next.abcd1234")
    done = cwnd("run", folder / "radio.toml", "-o", tmp_path / "next", "--no-plots")
    assert done.returncode == 0 and "removed" in done.stderr, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["next", "study"]


def test_a_missing_trace_is_refused_in_one_line(tmp_path: Path, cwnd: Cli) -> None:
    (tmp_path / "radio.toml").write_text(document())
    refused(cwnd("run", tmp_path / "radio.toml"), "link.rate.trace", str(tmp_path / "radio.trace"), "No such file")
