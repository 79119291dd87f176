# SPDX-License-Identifier: MIT OR Apache-2.0
"""Replicates: the same whatever the number of threads, whole or not there, going on where they were stopped."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import PROGRAM, SHORT, Cli, refused
from in_kernel import until
from watched import Watched

import cwnd as package
from cwnd import ScenarioError, _native, dumbbell
from cwnd.metrics import mean_interval
from cwnd.replicates import folder as folders
from cwnd.result.store import FolderError

# About 0.1 s each.
LONG = ("compare", "cubic:2", "sack", "--rate", "400Mbit/s", "--duration", "100s")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def small(seed: int = 1) -> package.Scenario:
    return dumbbell({"cubic": 2, "sack": 1}, rate="20Mbit/s", rtt="20ms", duration="3s", seed=seed)


def test_the_number_of_threads_changes_no_byte(cwnd: Cli, tmp_path: Path) -> None:
    printed = {}
    for jobs in (1, 2, 4):
        done = cwnd(*SHORT, "--seeds", 6, "--jobs", jobs, "--json", "-o", tmp_path / str(jobs))
        assert done.returncode == 0, done.stderr
        printed[jobs] = done.stdout
    assert printed[1] == printed[2] == printed[4]
    first = files(tmp_path / "1")
    assert first == files(tmp_path / "2") == files(tmp_path / "4")
    assert {name.split("/")[0] for name in first} == {
        "manifest.json",
        "summary.json",
        *(f"seed-000{n}" for n in range(1, 7)),
    }
    assert json.loads(first["summary.json"]) == json.loads(printed[1])


def test_each_seed_is_the_run_that_it_would_be_alone(cwnd: Cli, tmp_path: Path) -> None:
    assert cwnd(*SHORT, "--seed", 5, "--seeds", 3, "-o", tmp_path / "many").returncode == 0
    assert cwnd(*SHORT, "--seed", 6, "--no-plots", "-o", tmp_path / "one").returncode == 0
    many, single = files(tmp_path / "many" / "seed-0006"), files(tmp_path / "one")
    assert many.keys() == single.keys() and {"scenario.toml", "cwnd.parquet"} <= single.keys()
    # The summaries differ in what the run cost, and in the measures.
    assert {name for name in single if single[name] != many[name]} == {"summary.json"}
    ours, theirs = json.loads(many["summary.json"]), json.loads(single["summary.json"])
    assert {key for key in theirs if ours[key] != theirs[key]} == {"perf"} and ours.keys() - theirs.keys() == {
        "measures"
    }


def test_the_simulator_runs_without_the_interpreters_lock() -> None:
    # One call of a second of work. With the lock held, the main thread would see it before it begins or when it is over.
    simulation = _native.Simulation(dumbbell({"cubic": 8}, rate="1Gbit/s", rtt="40ms", duration="300s"))
    thread = threading.Thread(target=simulation.step, args=(1_000_000_000,))
    thread.start()
    during = 0
    while thread.is_alive() and not during:
        try:
            _ = simulation.progress
        except RuntimeError as error:
            during += "borrowed" in str(error)
    assert during
    thread.join()
    assert simulation.progress == 1


def test_the_document_is_what_its_runs_say() -> None:
    study = package.replicate(small(), 5, 2)
    document = study.document
    assert document is not None and (study.asked, study.done, study.found, study.stopped) == (5, 5, 0, False)
    assert document["seeds"] == [1, 2, 3, 4, 5] and [group["name"] for group in document["groups"]] == ["cubic", "sack"]
    shares = [run["flows"][0]["share"] + run["flows"][1]["share"] for run in document["runs"]]
    assert document["groups"][0]["share"] == pytest.approx(mean_interval(shares).document("mean"))
    windows = [(run["flows"][0]["cwnd_mean"] + run["flows"][1]["cwnd_mean"]) / 2 for run in document["runs"]]
    assert document["groups"][0]["cwnd_mean"]["mean"] == pytest.approx(sum(windows) / 5)
    delays = [run["link"]["queue_mean_ms"] for run in document["runs"]]
    assert document["link"]["queue_mean_ms"]["mean"] == pytest.approx(sum(delays) / 5)
    assert len(set(delays)) == 5 and not document["identical"]
    assert document["measures"]["jain"]["mean"] == pytest.approx(document["jain"]["mean"])
    # Twelve seconds after the last start, which is within 0.1 s, is the least that has a convergence time.
    converged = document["measures"]["convergence_s"]
    assert (converged["mean"], converged["undefined"]) == (None, 5)
    assert converged["why"] == "run too short: needs 13 s or more"


def test_the_usual_run_has_a_convergence_time(cwnd: Cli) -> None:
    # 60 s, of which the first fifth is not measured: two flows of one kind come to share alike.
    done = cwnd("compare", "reno:2@recovery=sack-prr", "--rate", "10Mbit/s", "--rtt", "20ms", "--seeds", 6, "--json")
    document = json.loads(done.stdout)
    assert document["duration_s"] == 60
    assert document["convergence"] == {"delta": pytest.approx(1 / 9), "interval_s": 4, "hold_s": 24}
    convergence = document["groups"][0]["measures"]["convergence_s"]
    assert 0 <= convergence["median"] <= 36 and convergence["unit"] == "s", convergence
    shown = cwnd("compare", "reno:2@recovery=sack-prr", "--rate", "10Mbit/s", "--rtt", "20ms", "--seeds", 6).stdout
    row = next(line for line in shown[shown.index("converged s") :].splitlines() if line.startswith(" reno "))
    assert f"{convergence['median']:.1f}" in row
    assert "within 11 % of fair for 24 s, by means over 4 s" in " ".join(shown.split())


def test_a_star_beside_a_measure_stands_for_a_line_below(cwnd: Cli) -> None:
    alone = cwnd("compare", "cubic", "--duration", "4s", "--seeds", 2).stdout
    assert "*" not in alone and re.search(r"synchronised *\n.*\n link .* - *\n", alone), alone
    pair = cwnd("compare", "cubic", "sack", "--duration", "4s", "--seeds", 2).stdout
    starred = {line.split()[0] for line in pair.splitlines() if line.rstrip().endswith("-*")}
    told = {line.split()[1].rstrip(",") for line in pair.splitlines() if line.startswith("* ")}
    # Of one flow nobody asks when it came to share alike.
    assert starred == told == {"all"}, pair


def test_that_every_run_is_the_same_is_said_from_python_too(cwnd: Cli) -> None:
    scenario = package.dumbbell([package.Flow("cubic")], rate="10Mbit/s", rtt="20ms", duration="2s")
    with pytest.warns(UserWarning, match="every run is the same"):
        study = package.replicate(scenario, 2, 1)
    assert "every run is the same" in repr(study)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = package.replicate(scenario, 1, 1)
        drawn = package.replicate(package.dumbbell("cubic", rate="10Mbit/s", rtt="20ms", duration="2s"), 2, 1)
    assert "same" not in repr(one) + repr(drawn)
    # The command says it once, below its tables.
    done = cwnd("compare", "sack@start=0s", "--duration", "2s", "--seeds", 2)
    assert done.stdout.count("every run is the same") == 1 and done.stderr == "", done.stderr


def test_a_run_too_short_to_converge_says_how_long_it_has_to_be(cwnd: Cli) -> None:
    late = ("compare", "reno", "reno@start=50s", "--rate", "10Mbit/s", "--rtt", "20ms", "--seeds", 2)
    shown = " ".join(cwnd(*late).stdout.split())
    assert "convergence_s: undefined in 2 of 2 runs (run too short: needs 62 s or more)" in shown
    longer = json.loads(cwnd(*late, "--duration", "62s", "--json").stdout)
    assert longer["convergence"]["hold_s"] == 6
    why = longer["measures"]["convergence_s"].get("why", "")
    assert "too short" not in why


def test_the_hold_grows_with_the_run_up_to_a_minute() -> None:
    from cwnd.metrics.run import Settings

    def hold(duration: str, start: str | dict[str, list[str]] = "0s", measure: tuple[str, str] | None = None) -> float:
        flows = [package.Flow("reno"), package.Flow("reno", start=start)]
        scenario = dumbbell(flows, rate="10Mbit/s", rtt="20ms", duration=duration, measure=measure)
        settings = Settings.of(scenario)
        assert settings.hold_s == 6 * settings.interval_s
        return settings.hold_s

    assert [hold(f"{seconds}s") for seconds in (5, 12, 60, 119, 120, 121, 1000)] == [6, 6, 30, 54, 60, 60, 60]
    # By the latest start that any seed could draw, so that all seeds are measured alike.
    assert hold("60s", {"uniform": ["0s", "100ms"]}) == 24 and hold("60s", "36s") == 12
    assert hold("60s", measure=("0s", "24s")) == 12


def test_runs_that_never_converge_count_as_late_ones() -> None:
    from cwnd.replicates.document import over_measure

    def measure(value: float | None) -> dict[str, Any]:
        return {"value": value, "unit": "s"} | ({} if value is not None else {"why": "never"})

    convergence = over_measure(
        "convergence_s", [measure(value) for value in (10, 20, 30, 40, 50, 60, 70, None, None, None)]
    )
    assert (convergence["median"], convergence["low"], convergence["high"], convergence["undefined"]) == (
        55,
        20,
        None,
        3,
    )
    loss_rate = over_measure("loss_rate", [measure(1.0), measure(None), measure(3.0)])
    assert (loss_rate["mean"], loss_rate["n"], loss_rate["undefined"], loss_rate["why"]) == (2, 2, 1, "never")


def test_a_table_of_replicates_has_intervals(cwnd: Cli) -> None:
    shown = cwnd(*SHORT, "--seeds", 3)
    assert shown.returncode == 0 and shown.stderr == ""
    assert "±" in shown.stdout and "3 of 3 seeds (1 to 3)" in shown.stdout and "synchronised" in shown.stdout


def test_what_is_not_random_is_said(cwnd: Cli) -> None:
    done = cwnd("compare", "cubic:2@start=0s,recovery=sack-prr", "--duration", "2s", "--seeds", 2)
    assert "nothing in this scenario is random" in done.stdout
    # The phases of today's hosts' clocks are drawn.
    drawn = cwnd("compare", "cubic:2@start=0s", "--duration", "2s", "--seeds", 2)
    assert drawn.returncode == 0 and "nothing in this scenario is random" not in drawn.stdout
    assert json.loads(cwnd(*SHORT, "--seeds", 1, "--json").stdout)["identical"] is False


def test_done_seeds_are_not_run_again(cwnd: Cli, tmp_path: Path) -> None:
    out, fresh = tmp_path / "out", tmp_path / "fresh"
    assert cwnd(*SHORT, "--seeds", 3, "-o", out).returncode == 0
    before = {path: path.stat().st_ino for path in out.rglob("seed-*/*")}
    done = cwnd(*SHORT, "--seeds", 5, "-o", out)
    assert done.returncode == 0 and "5 runs" in done.stderr and "3 of them reused" in done.stderr
    assert {path: path.stat().st_ino for path in before} == before
    assert cwnd(*SHORT, "--seeds", 5, "-o", fresh).returncode == 0
    assert files(out) == files(fresh)


# The program, with a disk that takes no more after five runs: those later wait until they are told to give up.
FIVE = """
import time
from cwnd.replicates import folder

whole = folder.save

def save(result, path, **options):
    while result.scenario.seed > 5:
        options["between"]()
        time.sleep(0.01)
    return whole(result, path, **options)

folder.save = save
from cwnd.cli.app import main
main()
"""


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(cwnd: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [*LONG, "--seeds", "12", "--jobs", "2", "-o", str(out)]
    run = Watched(command, program=[sys.executable, "-c", FIVE])
    until(lambda: len(list(out.glob("seed-*"))) == 5)
    code, shown, errors, cpu_s = run.interrupt()
    seeds = [f"seed-{number:04}" for number in range(1, 6)]
    assert code == 130 and sorted(path.name for path in out.iterdir()) == sorted(
        ["manifest.json", "summary.json", *seeds]
    )
    assert errors[-2:] == [f"5 of 12 runs are done and kept in {out}; the same command resumes the work", "stopped"]
    assert "5 of 12 seeds" in shown
    assert len(json.loads((out / "summary.json").read_text())["runs"]) == 5
    assert cpu_s < 2  # the table of five runs; those in progress are given up, not awaited
    done = cwnd(*command)
    assert done.returncode == 0 and "5 of them reused" in done.stderr
    assert cwnd(*LONG, "--seeds", 12, "-o", tmp_path / "fresh").returncode == 0
    assert files(out) == files(tmp_path / "fresh")


def test_ctrl_c_stops_a_long_run_at_once_and_leaves_nothing_where_nothing_is_done(tmp_path: Path) -> None:
    # 10⁹ packets a run: most of a minute of work.
    long = ["compare", "cubic", "--rate", "10Gbit/s", "--duration", "1200s", "--seeds", "4", "--jobs", "2"]
    run = Watched([*long, "-o", tmp_path / "a" / "out"])
    run.until_said("packets/s")
    code, output, errors, cpu_s = run.interrupt()
    assert (code, output, errors[-2:]) == (130, "", ["0 of 4 runs are done and nothing is kept", "stopped"])
    assert not (tmp_path / "a" / "out").exists()
    # Of its own work; a busy machine may take longer to give it that.
    assert cpu_s < 1, cpu_s


def test_ctrl_c_without_a_folder_shows_what_is_done() -> None:
    run = Watched([*LONG, "--seeds", "2000", "--jobs", "2", "--json"])
    run.until_said(r"\b[1-9]\d* of 2000 runs")
    code, output, errors, _ = run.interrupt()
    assert code == 130 and "in the numbers" in errors[-2]
    document = json.loads(output)
    assert document["asked"] == 2000 and 0 < len(document["seeds"]) == len(document["runs"]) < 2000


def test_a_disk_that_fails_ends_it_and_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = folders.save

    def full(result: package.Result, *arguments: object, **options: object) -> Path:
        if result.scenario.seed == 3:
            raise OSError(28, "No space left on device")
        return whole(result, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(folders, "save", full)
    with pytest.raises(OSError, match="No space left"):
        package.replicate(small(), 6, 1, tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"manifest.json", "seed-0001", "seed-0002"}
    monkeypatch.undo()
    study = package.replicate(small(), 6, 1, tmp_path / "out")
    assert (study.done, study.found) == (6, 2)


REFUSED = [
    (("--seeds", "0"), ("--seeds", "0", "from 1 to 10000")),
    (("--seeds", "10001"), ("--seeds", "10001", "from 1")),
    (("--seeds", "-3"), ("--seeds", "-3", "whole number")),
    (("--seeds", "many"), ("--seeds", "many", "whole number")),
    (("--seeds", "2.5"), ("--seeds", "2.5", "whole number")),
    (("--seeds", "3", "--jobs", "0"), ("--jobs", "0", "from 1 to 256")),
    (("--seeds", "3", "--jobs", "two"), ("--jobs", "two", "whole number")),
    (("--jobs", "2"), ("--jobs", "2", "--seeds")),
    (("--seeds", "3", "--seed", str(2**63 - 2)), ("seed", str(2**63), "whole number")),
    (("--seeds", "3", "--seeds", "4"), ("--seeds", "twice", "once")),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=[" ".join(arguments) for arguments, _ in REFUSED])
def test_bad_numbers_are_one_line(
    cwnd: Cli, tmp_path: Path, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    done = cwnd(*SHORT, *arguments, "-o", tmp_path / "out")
    refused(done, *words)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_else_is_left_alone(cwnd: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert cwnd(*SHORT, "--seeds", 2, "-o", out).returncode == 0
    before = files(out)
    other = cwnd(*SHORT, "--buffer", "2bdp", "--seeds", 2, "-o", out)
    assert other.returncode == 2 and "another one" in other.stderr
    single = cwnd(*SHORT, "-o", out)
    assert single.returncode == 2 and files(out) == before
    # Another build's runs are not replicates of these.
    manifest = json.loads(before["manifest.json"])
    manifest["versions"]["engine"] = "0" * 64
    (out / "manifest.json").write_text(json.dumps(manifest))
    assert "another build" in cwnd(*SHORT, "--seeds", 2, "-o", out).stderr
    thesis = tmp_path / "thesis"
    thesis.mkdir()
    (thesis / "thesis.tex").write_text("years of work")
    assert cwnd(*SHORT, "--seeds", 2, "-o", thesis).returncode == 2
    assert list(thesis.iterdir()) == [thesis / "thesis.tex"]


def test_two_programs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    handle = os.open(out, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(FolderError, match="another cwnd process is writing"):
        package.replicate(small(), 2, 1, out)
    os.close(handle)
    assert package.replicate(small(), 2, 1, out).done == 2


def test_what_a_killed_run_left_half_written_goes_away(tmp_path: Path) -> None:
    out = tmp_path / "out"
    package.replicate(small(), 2, 1, out)
    whole = files(out)
    (out / ".seed-0003.x1y2").mkdir()
    (out / ".seed-0003.x1y2" / "cwnd.parquet").write_text("half")
    (out / "seed-0002" / "summary.json").write_text("{")  # not by us: done again
    assert package.replicate(small(), 2, 1, out).found == 1
    assert files(out) == whole


def test_a_scenario_file_has_replicates_too_and_a_bar_on_a_terminal(cwnd: Cli, tmp_path: Path) -> None:
    assert cwnd(*SHORT, "--no-plots", "-o", tmp_path / "one").returncode == 0
    path = tmp_path / "one" / "scenario.toml"
    document = json.loads(cwnd("run", path, "--seed", 4, "--seeds", 2, "--json").stdout)
    assert document["seeds"] == [4, 5]
    script = f"script -qec '{PROGRAM} run {path} --seeds 3 --json 2>&1 >/dev/null' /dev/null"
    done = subprocess.run(script, shell=True, capture_output=True, text=True, check=True)
    assert "of 3 runs" in done.stdout


def test_a_seed_that_is_refused_is_refused_before_any_work() -> None:
    with pytest.raises(ScenarioError, match="seed"):
        package.replicate(small(seed=2**63 - 1), 2)
