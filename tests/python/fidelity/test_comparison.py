# SPDX-License-Identifier: MIT OR Apache-2.0
"""Simulator and kernel compared number by number: what agrees, what is written, what is refused."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest
from conftest import Cli, refused
from in_lab import LAB
from needs import needs

import cwnd as package
from cwnd.cli.commands.fidelity import compare
from cwnd.fidelity import runner
from cwnd.fidelity.agreement import Agreement
from cwnd.fidelity.numbers import KINDS, numbers
from cwnd.fidelity.report import least, shown, total
from cwnd.fidelity.runner import FidelityDocument, own_scenarios

REAL = [needs(*LAB), pytest.mark.usefixtures("turn")]


# 5 % of 100 is 5; of counts one more is no difference. A transfer of ten that does not end is.
@pytest.mark.parametrize(
    ("name", "simulated", "measured", "agrees"),
    [
        ("cwnd mean, x", 105.0, 100.0, True),
        ("cwnd mean, x", 105.1, 100.0, False),
        ("utilisation", 0.98, 1.0, True),
        ("utilisation", 0.97, 1.0, False),
        ("timeouts, x", 1.0, 0.0, True),
        ("timeouts, x", 2.0, 0.0, False),
        ("drops, x", 24.0, 20.0, True),
        ("drops, x", 25.0, 20.0, False),
        ("queueing delay p50", 0.0, 0.0, True),
        ("finished, x", 1.0, 1.0, True),
        ("finished, x", 0.9, 1.0, False),
    ],
)
def test_a_mean_within_its_tolerance_agrees(name: str, simulated: float, measured: float, agrees: bool) -> None:
    found = Agreement.of(name, [simulated], [measured])
    assert found.p is None and found.agrees is agrees


# Of five and five that do not overlap, p is 2/252 = 0.0079; of five that overlap it is more than 0.01. Of four and four nothing can be said.
def test_a_two_sample_test_tells_apart_what_does_not_overlap() -> None:
    apart = Agreement.of("drops, x", [10, 11, 12, 13, 14], [50, 51, 52, 53, 54])
    assert apart.p == pytest.approx(2 / 252) and not apart.agrees
    mixed = Agreement.of("drops, x", [10, 11, 12, 53, 54], [13, 50, 51, 52, 140])
    assert not mixed.near and mixed.p is not None and mixed.p > 0.01 and mixed.agrees
    few = Agreement.of("drops, x", [10, 11, 12, 13], [50, 51, 52, 53])
    assert few.p is None and not few.agrees


# As before with ties: the same 2/252. Of ten and ten the probability is 2 in 184 756 where nothing overlaps.
@pytest.mark.slow
def test_ties_are_told_apart_like_other_values() -> None:
    tied = Agreement.of("drops, x", [10, 10, 11, 12, 13], [100, 101, 102, 103, 104])
    assert tied.p == pytest.approx(2 / 252) and not tied.agrees
    same_values = Agreement.of("drops, x", [0] * 9 + [3], [3] * 9 + [0])
    assert same_values.p is not None and same_values.p < 0.01 and not same_values.agrees
    apart = Agreement.of("drops, x", [*range(10)], [*range(100, 110)])
    assert apart.p == pytest.approx(2 / math.comb(20, 10))
    many = Agreement.of("drops, x", [*range(12)], [*range(100, 112)])
    assert many.p is not None and many.p < 0.001


# One more in ten runs together is no difference, one more in each is.
def test_a_tolerance_of_counts_is_one_in_all_runs_together() -> None:
    assert Agreement.of("timeouts, x", [0] * 9 + [1], [0] * 10).near
    assert not Agreement.of("timeouts, x", [1] * 10, [0] * 10).agrees


def test_what_one_lane_lacks_is_a_difference() -> None:
    assert not Agreement.of("completion p50, x", [None], [2.0]).agrees
    assert not Agreement.of("completion p50, x", [2.0, None], [2.0, 2.0]).agrees
    assert Agreement.of("completion p50, x", [None, 2.0], [2.0, None]).agrees
    assert shown([2.0, None]) == "2 in 1 of 2 runs" and shown([None]) == "none"


def test_transfers_that_do_not_end_are_counted() -> None:
    text = (
        "duration = '2s'\n[link]\nrate = '1Mbit/s'\nrtt = '20ms'\n[[flow]]\ncc = 'reno'\nsize = '{size}'\ncount = 2\n"
    )
    ended, cut = (numbers(package.run(package.Scenario.from_toml(text.format(size=size)))) for size in ("20kB", "9MB"))
    assert ended["finished, reno"] == 1 and ended["completion p50, reno"] > 0.16
    assert cut["finished, reno"] == 0 and "completion p50, reno" not in cut


def test_windows_that_are_not_recorded_have_no_amplitude() -> None:
    scenario = package.Scenario.from_toml(
        "duration = '1s'\n[link]\nrate = '1Mbit/s'\nrtt = '20ms'\n[record]\nflows = 'none'\n[[flow]]\ncc = 'reno'\n"
    )
    found = numbers(package.run(scenario))
    assert "cwnd mean, reno" in found and "cwnd amplitude, reno" not in found


def test_the_scenario_with_the_fewest_agreements_is_named() -> None:
    def document(name: str, agree: int) -> FidelityDocument:
        numbers = [Agreement.of("utilisation", [float(each < agree)], [1.0]).document() for each in range(10)]
        return {
            "scenario": name,
            "runs": 1,
            "kernel": "6.18",
            "host_clock": "250Hz",
            "day": "2026-11-23",
            "late_p99_ms": 0.1,
            "numbers": numbers,
        }

    assert least([document("far", 1), document("near", 10)]) == "far: 1 of 10"
    assert least([document("near", 10), document("nearer", 10)]) == ""


def test_the_packages_scenarios_run_and_have_every_kind_of_number() -> None:
    scenarios = own_scenarios()
    assert len(scenarios) == 20
    seen = set()
    for name, scenario in scenarios.items():
        assert scenario.name == name
        found = numbers(package.run(scenario))
        assert all(value >= 0 for value in found.values())
        seen |= {name.partition(",")[0] for name in found}
    assert seen == set(KINDS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--runs", "0"), ("--runs", "0", "1 to 1000")),
        (("nowhere.toml",), ("SCENARIO", "nowhere.toml", "exists")),
        # No such file: the package's scenario is called reno.
        (("reno.toml",), ("SCENARIO", "reno.toml", "exists")),
        (("reno", "reno"), ("SCENARIO", "reno", "different names")),
        (("renno",), ("SCENARIO", "renno", "did you mean reno?")),
    ],
)
def test_bad_input_is_one_line(cwnd: Cli, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    refused(cwnd("fidelity", *arguments), *words)


def test_a_scenario_that_this_machine_does_not_keep_up_with_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def behind(*_: object) -> None:
        raise package.FellBehindError("lane live: this machine did not keep up")

    monkeypatch.setattr(runner, "fidelity", behind)
    scenario = package.dumbbell("reno", rate="1Mbit/s", rtt="20ms", duration="1s")
    with pytest.raises(package.FellBehindError, match=r"^far: lane live: this machine"):
        compare({"far": scenario}, 1, None)


def test_a_folder_with_anything_else_is_refused(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    refused(cwnd("fidelity", "-o", tmp_path), "-o", str(tmp_path), "earlier comparisons")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


class TestReal:
    """With the running kernel."""

    pytestmark = REAL

    def test_a_comparison_is_printed_written_and_gone_on_from(self, cwnd: Cli, tmp_path: Path) -> None:
        file, folder = tmp_path / "brief.toml", tmp_path / "out"
        file.write_text(
            "name = 'brief'\nduration = '6s'\nmeasure = ['3s', '6s']\n[link]\nrate = '5Mbit/s'\nrtt = '160ms'\n[[flow]]\ncc = 'reno-linux'\n"
        )
        done = cwnd("fidelity", file, "--runs", "1", "-o", folder)
        assert done.returncode in (0, 1) and "utilisation" in done.stdout and "numbers agree" in done.stdout, (
            done.stderr
        )
        assert {path.name for path in folder.iterdir()} == {
            "manifest.json",
            "brief.json",
            "brief.png",
            "brief.svg",
            "runs",
        }
        kept = package.load(folder / "runs" / "brief" / "seed-1")
        assert isinstance(kept, package.Result) and kept.lane == "live"
        again = cwnd("fidelity", file, "--runs", "1", "-o", folder, "--json")
        (document,) = json.loads(again.stdout)
        # The kernel's run was not made again: the numbers are those of the first time.
        assert document == json.loads((folder / "brief.json").read_text())[1]
        assert total([document]) in done.stdout
        assert document["kernel"] == os.uname().release
