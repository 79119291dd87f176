# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd fidelity`: the package's scenarios, what is refused, what a report says, and what a folder keeps."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd._internal.captures import read
from cwnd.fidelity import runner, scenarios
from cwnd.fidelity.documents import FidelityDocument, causes, other_recoveries, summary, unexplained
from cwnd.fidelity.equivalence import Equivalence
from cwnd.fidelity.numbers import KINDS, numbers
from cwnd.fidelity.packets import PacketsDocument
from cwnd.fidelity.report import shown
from cwnd.fidelity.runner import Comparison, PairOfRuns
from cwnd.fidelity.scenarios import clock_phase_us, is_deterministic, own, own_scenarios, what_is_known, with_hosts
from cwnd.scenario.snapshot import scenario_document

DROPTAIL = (
    "duration = '2s'\n[link]\nrate = '5Mbit/s'\nrtt = '20ms'\nqueue = { kind = 'droptail', limit = '10packets' }\n"
)


def scenario(rest: str) -> package.Scenario:
    return package.Scenario.from_toml(DROPTAIL + rest)


def document(name: str, *verdicts: tuple[float, str], packets: dict[str, object] | None = None) -> FidelityDocument:
    """A comparison with numbers of these ratios, and their known causes."""
    each = [Equivalence.of("goodput, x", "", [value] * 2, [1.0] * 2, known=known) for value, known in verdicts]
    return {
        "scenario": name,
        "lane": "linux:6.12",
        "runs": 2,
        "kernel": "6.12.1",
        "hz": 250,
        "day": "2026-11-29",
        "late_ms": 0.0,
        "packets": cast("PacketsDocument | None", packets),
        "numbers": [number.document() for number in each],
        "other_recovery": {},
    }


def test_the_packages_scenarios_run_and_have_every_kind_of_number() -> None:
    all_own = own_scenarios()
    assert len(all_own) == 44
    seen = set()
    for name, each in all_own.items():
        assert each.name == name
        found = numbers(package.run(each))
        assert all(value is None or value >= 0 for value in found.values())
        assert all(key == "packets" or key in found for key in own()[name].known), name
        seen |= {name.partition(",")[0] for name in found}
    assert seen == set(KINDS)


def test_a_known_cause_belongs_to_the_packages_scenario_only() -> None:
    name = next(name for name, each in own().items() if each.known)
    known = what_is_known(own_scenarios()[name])
    assert known.known and ("packets" in known.known) == (known.first_difference is not None)
    assert not what_is_known(own_scenarios()[name].with_seed(7)).known


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("[[flow]]\ncc = 'reno-linux'\nrecovery = 'linux'\n", True),
        ("loss = 'every:100'\n[[flow]]\ncc = 'reno-linux'\nrecovery = 'linux'\n", True),
        ("loss = 'random:0.01'\n[[flow]]\ncc = 'reno-linux'\nrecovery = 'linux'\n", False),
        ("[[flow]]\ncc = 'reno-linux'\nrecovery = 'linux'\nstart = { uniform = ['0s', '100ms'] }\n", False),
        # The transfers of traffic are in no capture.
        (
            "[[traffic]]\nmodel = 'mix'\narrivals = { kind = 'exponential', mean = '100ms' }\nsize = '10kB'\ncc = 'reno-linux'\n",
            False,
        ),
    ],
)
def test_a_scenario_is_deterministic_if_no_seed_changes_it(rest: str, expected: bool) -> None:
    assert is_deterministic(scenario(rest), 250) is expected


def test_all_flows_are_captured_at_the_senders_whatever_is_recorded() -> None:
    given = scenario("[record]\nflows = 'none'\npackets = 'receivers'\n[[flow]]\ncc = 'reno-linux'\n")
    found = with_hosts(given, 250, phase_us=0, captures=True)
    assert found.captured_hosts == ["senders"]
    assert read(package.run(found).packets["senders"]).data[0].length.sum() > 100_000


# Everything of it is the same for every seed, and no capture has it.
def test_traffic_alone_is_compared_by_its_numbers() -> None:
    assert not is_deterministic(
        scenario("[[traffic]]\nmodel = 'list'\nlist = [['100ms', '50kB']]\ncc = 'reno-linux'\n"), 250
    )


def test_what_a_lane_does_not_do_is_refused_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenarios, "run", lambda *_: pytest.fail("nothing is to run"))
    monkeypatch.setattr(runner, "ticks", lambda _: 250)
    stack = scenario("[[flow]]\ncc = 'cubic'\nstack = 'quinn'\n")
    with pytest.raises(package.ScenarioError, match="stack"):
        Comparison.of(stack, "linux:6.12", 2, None)


# The kernel in virtual time has one clock, whose phase is the first flow's.
def test_both_lanes_have_hosts_with_one_clock() -> None:
    given = scenario("[[flow]]\ncc = 'reno-linux'\ncount = 2\n[[flow]]\ncc = 'cubic-linux'\n")
    assert clock_phase_us(1) != clock_phase_us(2)
    found = with_hosts(given, 1000, phase_us=clock_phase_us(1))
    assert found.host_clocks == [1000]
    flows = scenario_document(found)["flow"]
    assert isinstance(flows, list) and len({each["host_clock_phase"] for each in flows}) == 1
    traffic = with_hosts(scenario("[[traffic]]\nmodel = 'long'\ncc = 'reno-linux'\n"), 250, phase_us=7)
    (group,) = cast("list[dict[str, object]]", scenario_document(traffic)["traffic"])
    assert group["host_clock_phase"] == "0s"


def test_transfers_that_do_not_end_are_counted() -> None:
    text = "[[flow]]\ncc = 'reno'\nsize = '{size}'\ncount = 2\n"
    ended, cut = (numbers(package.run(scenario(text.format(size=size)))) for size in ("20kB", "9MB"))
    # Two transfers of 20 kB at 5 Mbit/s: the second one is at its end after 64 ms and a round trip.
    assert ended["unfinished, reno"] == 0 and 0.064 < cast("float", ended["completion p99, reno"]) < 0.2
    assert cut["unfinished, reno"] == 2 and cut["completion p50, reno"] is None


def test_a_report_counts_verdicts_and_differences_without_a_cause() -> None:
    packets = {"first": None, "known": "", "measured": 5}
    documents = [
        document("random", (1.0, ""), (1.01, ""), (2.0, "investigated"), (2.0, "")),
        document("exact", packets=packets),
        document("exact, with a difference", packets={"first": {"what": "time"}, "known": "investigated"}),
    ]
    assert summary(documents) == (
        "1 of 2 scenarios agree packet by packet; 2 of 4 numbers are equivalent (differing: 2, undecided: 0)"
    )
    assert unexplained(documents) == 1
    assert causes(documents) == {
        "investigated": ["random (goodput, x)", "exact, with a difference"],
        "": ["random (goodput, x)"],
    }
    assert shown([2.0, None]) == "2 in 1 of 2 runs" and shown([None]) == "none"


def test_a_report_names_a_recovery_that_linux_does_not_have() -> None:
    first, second = document("first"), document("second")
    first["other_recovery"] = {"a": "sack", "b": "newreno", "c": "sack"}
    assert other_recoveries([first, second]) == [
        f'first: {flows} recovers as "{recovery}", which Linux does not have, so the lanes differ; set recovery = "linux"'
        for flows, recovery in (("b", "newreno"), ("a, c", "sack"))
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--runs", "0"), ("--runs", "0", "1 to 1000")),
        (("--jobs", "0"), ("--jobs", "0", "1 to 256")),
        (("nowhere.toml",), ("SCENARIO", "nowhere.toml", "exists")),
        # No such file: the package's scenario is called reno.
        (("reno.toml",), ("SCENARIO", "reno.toml", "exists")),
        (("reno", "reno"), ("SCENARIO", "reno", "different names")),
        (("renno",), ("SCENARIO", "renno", "did you mean reno?")),
        (("reno", "--lane", "sim"), ("--lane", "sim", "a lane with a kernel, linux or live")),
        (("reno", "--lane", "linux:9.9"), ("--lane", "9.9", "cwnd linux build 9.9")),
        (
            ("reno", "--lane", "live", "--packets"),
            ("--lane", "live", "lane linux with --packets", "no two runs of lane live"),
        ),
        (("reno", "--lane", "live", "--jobs", "2"), ("jobs", "2", "1 in lane live")),
    ],
)
def test_bad_input_is_one_line(cwnd: Cli, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    refused(cwnd("fidelity", *arguments), *words)


def test_without_a_kernel_one_line_says_how_to_build_one(cwnd: Cli, tmp_path: Path) -> None:
    refused(cwnd("fidelity", "reno", env={**os.environ, "CWND_LINUX": str(tmp_path)}), "--lane", "cwnd linux build")


def test_a_scenario_that_this_machine_does_not_keep_up_with_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def behind(*_: object) -> None:
        raise package.FellBehindError("lane live: this machine did not keep up")

    monkeypatch.setattr(runner, "run_in_time", behind)
    far = scenario("[[flow]]\ncc = 'reno'\n").with_name("far")
    comparison = Comparison(far, "live", 250, is_exact=False, tasks=[PairOfRuns(far, "live", True, None)])
    with pytest.raises(package.FellBehindError, match=r"^far: lane live: this machine"):
        runner.compare({"far": comparison}, lambda *_: None, 1)


def test_a_folder_with_anything_else_is_refused(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    refused(cwnd("fidelity", "--lane", "live", "-o", tmp_path), "-o", str(tmp_path), "earlier comparisons")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_misspelt_scenario_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(package.ScenarioError, match=r'scenario: "ren" is not accepted; .*did you mean reno'):
        package.fidelity("ren")
