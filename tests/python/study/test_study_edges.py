# SPDX-License-Identifier: MIT OR Apache-2.0
"""Where a study meets the command line, other folders, and measures of all flows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import cwnd
from cwnd.study.design import Design
from cwnd.study.values import Range


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cwnd", *arguments], cwd=cwd, capture_output=True, text=True, timeout=100
    )


def points_in(folder: Path) -> set[str]:
    return {file.name for file in folder.glob("points/*/*.json")}


# Each option of the command that has a keyword in Python is given once.
@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        ([], {}),
        (["--rate", "20Mbit/s", "--rtt", "10ms,40ms"], {"rate": "20Mbit/s", "rtt": ["10ms", "40ms"]}),
        (["--buffer", "0.5..2bdp/3log", "--duration", "500ms"], {"buffer": "0.5..2bdp/3log", "duration": "500ms"}),
        (["--measure", "1s..2s", "--seed", "7"], {"measure": ("1s", "2s"), "seed": 7}),
        (["--codel", "5ms..100ms", "--ecn"], {"codel": {"target": "5ms", "interval": "100ms"}, "ecn": True}),
        (["--loss", "{random:0.001,random:0.01}"], {"loss": ["random:0.001", "random:0.01"]}),
        (["--jitter", "1ms", "--reverse"], {"jitter": "1ms", "reverse": True}),
        (["--packet-size", "576B,1500B"], {"packet_size": ["576B", "1500B"]}),
    ],
)
def test_the_same_words_are_the_same_study(options: list[str], keywords: dict[str, object], tmp_path: Path) -> None:
    flows = ["cubic@beta={0.7,0.85}", "reno"]
    if "duration" not in keywords:
        options, keywords = [*options, "--duration", "3s"], {**keywords, "duration": "3s"}
    done = command("sweep", *flows, *options, "-o", "typed", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    study = cwnd.sweep(flows, **keywords, folder=tmp_path / "called")  # type: ignore[arg-type]
    assert points_in(tmp_path / "typed") == points_in(tmp_path / "called") != set()
    assert cwnd.load(tmp_path / "typed").runs.equals(study.runs)


def test_without_keywords_a_study_has_the_defaults_of_a_comparison() -> None:
    study = cwnd.sweep("cubic", duration="2s")
    assert study.fixed["rate"] == "100 Mbit/s" and study.fixed["rtt"] == "40 ms" and study.fixed["buffer"] == "1 BDP"
    with pytest.raises(cwnd.ScenarioError, match=r"^ecn: 1 is not accepted; expected true or false"):
        cwnd.sweep("cubic", ecn=1)  # type: ignore[arg-type]
    with pytest.raises(cwnd.ScenarioError, match=r"^ecn: true is not accepted; expected a queue that marks"):
        cwnd.sweep("cubic", ecn=True)
    with pytest.raises(cwnd.ScenarioError, match=r'^codel: "5ms\.\.100ms" is not accepted; expected its settings'):
        cwnd.sweep("cubic", ecn=True, codel="5ms..100ms")  # type: ignore[arg-type]


@pytest.mark.slow
def test_parts_whose_runs_are_in_another_folder_are_merged(tmp_path: Path) -> None:
    options = ["cubic", "--rtt", "10ms,40ms", "--duration", "2s", "--seeds", "3", "--points", "shared"]
    for part in (1, 2):
        done = command("sweep", *options, "--shard", f"{part}/2", "-o", f"part{part}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    done = command("merge", "part1", "part2", "-o", "whole", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "6 of 6 runs; written to whole\n")


def test_what_others_keep_in_a_studys_folder_stays(tmp_path: Path) -> None:
    study = tmp_path / "s"
    assert command("sweep", "cubic", "--duration", "1s", "-o", "s", cwd=tmp_path).returncode == 0
    (study / ".ipynb_checkpoints").mkdir()
    done = command("sweep", "cubic", "--duration", "1s", "-o", "s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (study / ".ipynb_checkpoints").is_dir()


# Jain's index over one flow is 1; over both it varies from seed to seed.
def test_seeds_are_added_for_a_measure_of_all_flows() -> None:
    study = cwnd.sweep(
        ["cubic", "reno"], rate="20Mbit/s", rtt=["10ms", "40ms"], duration="5s", until="1% of jain", most_seeds=100
    )
    rows = [row for row in study.means.to_pylist() if row["measure"] == "jain" and row["of"] == "all"]
    assert len(rows) == 2 and max(row["n"] for row in rows) > 5
    assert all((row["high"] - row["low"]) / 2 <= 0.01 * row["value"] for row in rows if row["n"] < 100)


def test_a_latin_hypercube_draws_each_whole_number_as_often() -> None:
    drawn = [row["flow.count"] for row in Design({"flow.count": Range.of("count", "1..3")}, latin=60)]
    assert {value: drawn.count(value) for value in drawn} == {1: 20, 2: 20, 3: 20}
    by_factors = Range.of("count", "1..7log")
    # ln 2 / ln 8 is a third: 1 is drawn as often as 2 and 3 together, and as 4 to 7.
    assert [by_factors.drawn(part) for part in (0, 0.333, 0.334, 0.666, 0.667, 0.9999999)] == [
        "1",
        "1",
        "2",
        "3",
        "4",
        "7",
    ]


# A key that takes whole numbers takes those that are drawn, from the command line, from Python and from a file.
@pytest.mark.slow
def test_whole_numbers_that_are_drawn_are_accepted_where_whole_numbers_are(tmp_path: Path) -> None:
    ranges = ["--axis", "flow[0].initial_cwnd=1..20", "--rtt", "10..200ms", "--latin", "4"]
    done = command("sweep", "cubic:{1..4}", *ranges, "--duration", "1s", "-o", "drawn", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "grid.toml").write_text(
        'latin = 3\n[scenario]\nduration = "1s"\nlink = { rate = "10Mbit/s", rtt = "20ms" }\nflow = [{ cc = "cubic" }]\n'
        '[axes]\n"flow[0].ack_every" = { from = 1, to = 4 }\n'
    )
    assert command("sweep", "grid.toml", "-o", "file", cwd=tmp_path).returncode == 0
    study = cwnd.sweep("cubic@initial_cwnd={1..20}", rtt="10..20ms", latin=3, duration="1s")
    assert study.done == 3 and not study.failed
    listed = cwnd.sweep("cubic", axes={"flow[0].initial_cwnd": "10,32"}, duration="1s")
    assert listed.done == 2 and not listed.failed


def test_a_dry_run_with_a_point_that_is_refused_exits_as_the_run_would(tmp_path: Path) -> None:
    done = command("sweep", "cubic@beta={0.7,nan}", "--duration", "1s", "--dry-run", cwd=tmp_path)
    assert done.returncode == 1 and "2 points, 1 of them refused, 1 seed: 1 run" in done.stdout
    assert command("sweep", "cubic@beta={nan,0.7}", "--duration", "1s", cwd=tmp_path).returncode == 1


# The guide's own file has no queue, and an axis `buffer`.
def test_the_guide_s_file_of_a_study_runs(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs/guide/studies.md").read_text()
    (block,) = [text for text in page.split("```") if text.startswith("toml\n# grid.toml")]
    (tmp_path / "grid.toml").write_text(block.removeprefix("toml\n").replace('duration = "5s"', 'duration = "1s"'))
    study = cwnd.sweep(tmp_path / "grid.toml")
    # Two pairs of RTT and rate, three buffers, two β; three seeds.
    assert (study.done, study.failed) == (36, [])
    queueless = 'duration = "1s"\nlink = { rate = "9Mbit/s", rtt = "20ms" }\nflow = [{ cc = "cubic" }]\n'
    assert cwnd.sweep(cwnd.Scenario.from_toml(queueless), {"buffer": ["1bdp", "2bdp"]}).done == 2


def test_a_picture_of_ones_own_in_a_study_s_folder_is_no_obstacle(tmp_path: Path) -> None:
    for seeds in (1, 2):
        study = cwnd.sweep("cubic", rtt=["10ms", "20ms"], duration="1s", seeds=seeds, folder=tmp_path / "s")
        (tmp_path / "s" / "column.pdf").write_text("mine")
        (tmp_path / "s" / "notes.txt").write_text("mine")
    assert (study.done, (tmp_path / "s" / "notes.txt").read_text()) == (4, "mine")


@pytest.mark.slow
def test_another_study_in_the_folder_is_said_and_leaves_no_pictures_of_the_one_before(tmp_path: Path) -> None:
    options = ("--rtt", "10ms,20ms", "--duration", "1s", "-o", "s")
    assert command("sweep", "cubic", *options, cwd=tmp_path).returncode == 0
    assert command("plot", "s", cwd=tmp_path).returncode == 0
    more = command("sweep", "cubic", *options, "--seeds", "2", cwd=tmp_path)
    assert "another study" not in more.stderr and (tmp_path / "s" / "response.png").exists()
    other = command("sweep", "reno", *options, cwd=tmp_path)
    assert (other.returncode, "s held another study" in other.stderr) == (0, True), other.stderr
    assert not (tmp_path / "s" / "response.png").exists()


# Nothing runs, and what the folder had stays: tables, manifest, runs.
@pytest.mark.parametrize("beside", [("--rtt", "40ms"), ("--rtt", "50ms")])
def test_a_study_with_a_missing_file_leaves_the_folder_as_it_was(tmp_path: Path, beside: tuple[str, str]) -> None:
    for name in ("m.csv", "n.csv"):
        (tmp_path / name).write_text("1\n2\n3\n")
    options = ("--trace", "m.csv,n.csv", "--duration", "1s", "-o", "s")
    assert command("sweep", "cubic", "--rtt", "40ms", *options, cwd=tmp_path).returncode == 0

    def contents() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in (tmp_path / "s").rglob("*") if path.is_file()}

    before = contents()
    (tmp_path / "n.csv").unlink()
    done = command("sweep", "cubic", *beside, *options, cwd=tmp_path)
    expected = "a file that can be read (No such file or directory)"
    assert (done.returncode, done.stderr) == (
        2,
        f'error: link.rate.trace: "n.csv" is not accepted; expected {expected}\n',
    )
    assert contents() == before


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: cwnd.sweep("cubic", ["beta"], duration="1s"), "axes: .*a table of keys"),  # type: ignore[arg-type]
        (lambda: cwnd.sweep("cubic", shard="1/2", folder="x"), "shard: .*a part and their number"),  # type: ignore[arg-type]
        (lambda: cwnd.plot.response(cwnd.compare("cubic", seeds=2, duration="1s")), "study: .*cwnd.Study"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_study_s_argument_is_refused_in_one_line(call: Callable[[], object], says: str) -> None:
    with pytest.raises(cwnd.ScenarioError, match=says):
        call()


# Ctrl-C at the first run that is done: a script ends there, as at any other call.
def test_ctrl_c_ends_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cwnd.study import folder as folders

    put = folders.StudyFolder.put

    def interrupted(self: folders.StudyFolder, key: str, numbers: object) -> None:
        put(self, key, numbers)  # type: ignore[arg-type]
        monkeypatch.setattr(folders.StudyFolder, "put", put)
        raise KeyboardInterrupt

    monkeypatch.setattr(folders.StudyFolder, "put", interrupted)
    call = {"rtt": ["10ms", "20ms"], "duration": "1s", "seeds": 4, "jobs": 1, "folder": tmp_path / "s"}
    with pytest.raises(KeyboardInterrupt, match="of 8 runs are done; the same call resumes"):
        cwnd.sweep("cubic", **call)  # type: ignore[arg-type]
    assert cwnd.sweep("cubic", **call).done == 8  # type: ignore[arg-type]


def test_a_studys_file_without_a_scenario_is_refused_as_that(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text("seeds = 3\n")
    done = command("sweep", "grid.toml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: scenario: missing; expected the path of a scenario's file")


# A study's folder with a picture in it goes on; the names are those of the kinds that there are.
def test_the_pictures_of_each_kind_belong_to_the_folders_they_are_drawn_into() -> None:
    from cwnd.plot.runs.kinds import KINDS as OF_RUNS
    from cwnd.plot.studies.kinds import KINDS as OF_STUDIES
    from cwnd.result.store import DRAWN, STUDIED

    for kinds, form in ((OF_RUNS, DRAWN), (OF_STUDIES, STUDIED)):
        for kind in kinds:
            for suffix in ("png", "svg", "pdf"):
                assert form.fullmatch(f"{kind}.{suffix}"), f"{kind}.{suffix} would be taken for somebody's own file"


def test_who_asks_for_hystart_is_told_the_key() -> None:
    with pytest.raises(
        cwnd.ScenarioError, match=r'^flow\[1\]: "hystart=true" is not accepted; expected slow_start=hys'
    ):
        cwnd.sweep(["reno", "cubic@hystart=true"])
    study = cwnd.sweep("cubic@slow_start={standard,hystart++}", duration="2s")
    assert set(study.means["slow_start"].to_pylist()) == {"standard", "hystart++"}


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        ("bufer", "(did you mean buffer?)"),
        ("lnk.rate", "(did you mean link?)"),
        ("btea", "(did you mean flow.beta?)"),
        ("qeue.limit", "(did you mean link.queue?)"),
        ("netem", "expected link.netem"),
        ("queue.limit", "expected link.queue.limit"),
        ("zzz", "expected a key of a scenario, such as rtt, link.queue.limit or flow[0].beta"),
    ],
)
def test_an_axis_that_no_scenario_has_is_refused_with_the_key_that_was_meant(axis: str, expected: str) -> None:
    with pytest.raises(cwnd.ScenarioError) as refusal:
        cwnd.sweep("cubic", {axis: ["1", "2"]})
    assert str(refusal.value).startswith(f'axis: "{axis}" is not accepted; ')
    assert str(refusal.value).endswith(expected)
