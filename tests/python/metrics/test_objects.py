# SPDX-License-Identifier: MIT OR Apache-2.0
"""Traffic with algorithms and hosts of its own, and completion times by size as measures of runs and studies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli

import cwnd as package
from cwnd.metrics.names import meant, words_for

#: Objects of 2 kB to 2 MB, which cover four classes.
SIZES = 'size = { kind = "lognormal", median = "60kB", sigma = 1.5, at_least = "2kB", at_most = "2MB" }'
MIX = f'model = "mix", share = 0.4, {SIZES}, cc = "cubic@beta=0.85,slow_start=standard,host=linux"'
PATH = ("reno", "--rate", "20Mbit/s", "--rtt", "20ms", "--duration", "12s")
CLASSES = ["0..10kB", "10kB..100kB", "100kB..1MB", "1MB..10MB"]


def test_traffic_says_its_senders_and_its_times_by_size(cwnd: Cli) -> None:
    done = cwnd("compare", *PATH, "--traffic", MIX)
    assert done.returncode == 0, done.stderr
    assert "cubic@host=linux,beta=0.85,slow_start=standard" in done.stdout and "100kB..1MB" in done.stdout
    document = json.loads(cwnd("compare", *PATH, "--traffic", MIX, "--json").stdout)
    (group,) = document["transfers"]
    by_size = {each["size"]: each for each in group["by_size"]}
    assert list(by_size) == CLASSES
    assert sum(each["started"] for each in by_size.values()) == group["started"]
    medians = [by_size[size]["completion_s"]["p50"] for size in CLASSES]
    assert medians == sorted(medians), "larger objects take longer"
    over = json.loads(cwnd("compare", *PATH, "--traffic", MIX, "--seeds", "2", "--json").stdout)
    assert [each["size"] for each in over["transfers"][0]["by_size"]] == CLASSES
    plain = json.loads(cwnd("compare", *PATH, "--traffic", "ha2008", "--json").stdout)["traffic"][0]
    assert plain["senders"] == "sack"


def test_a_class_of_sizes_is_that_of_the_table_of_transfers() -> None:
    result = package.compare(["reno"], rate="20Mbit/s", duration="12s", traffic=package_traffic())
    rows = [row for row in result.transfers.to_pylist() if row["group"] == 0 and row["start_s"] >= 2.4]
    (group,) = result.measures.transfers
    for each in group.by_size:
        first, _, last = each.size.partition("..")
        low, high = bytes_of(first), bytes_of(last) if last else float("inf")
        chosen = [row for row in rows if low <= row["bytes"] < high]
        assert len(chosen) == each.started > 0
        took = sorted(row["end_s"] - row["start_s"] for row in chosen if row["end_s"] is not None)
        if len(took) == len(chosen):
            assert each.completion["mean"].value == pytest.approx(sum(took) / len(took))


def package_traffic() -> dict[str, object]:
    return {
        "model": "mix",
        "share": 0.4,
        "size": {"kind": "lognormal", "median": "60kB", "sigma": 1.5, "at_least": "2kB", "at_most": "2MB"},
        "cc": "cubic",
        "beta": 0.85,
    }


def bytes_of(text: str) -> int:
    for unit, factor in (("kB", 1000), ("MB", 1_000_000)):
        if text.endswith(unit):
            return int(text.removesuffix(unit)) * factor
    return int(text)


def test_completion_by_size_is_a_measure_by_name_and_in_words() -> None:
    name = "completion_p95_100kB..1MB_s"
    for text in (
        name,
        "completion_p95_100kB..1MB",
        "p95 completion time of 100kB..1MB",
        "P95 completion time of 100kb..1mb",
    ):
        assert meant(text, ["completion_p95_s", name]) == name
    assert meant("p95 completion time", [name, "completion_p95_s"]) == "completion_p95_s"
    assert words_for(name)[0] == "completion time, 95th percentile of 100kB..1MB"


def test_a_study_varies_the_senders_and_measures_their_objects(cwnd: Cli, tmp_path: Path) -> None:
    measure = "median completion time of 100kB..1MB"
    mix = f'model = "mix", share = 0.4, {SIZES}, cc = "cubic"'
    done = cwnd(
        "sweep", *PATH, "--traffic", mix, "--axis", "traffic.beta=0.5,0.9", "--axis", "traffic.host=linux,rfc", "--seeds", "2",
        "--measures", f"{measure}, p95 completion time", "-o", "out", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "completion_p50_100kB..1MB_s" in done.stdout and "linux" in done.stdout
    means = package.load(tmp_path / "out").means.to_pylist()
    values = {
        (row["beta"], row["host"]): row["value"] for row in means if row["measure"] == "completion_p50_100kB..1MB_s"
    }
    assert len(set(values.values())) == 4, values
    differs = cwnd(
        "diff",
        "out",
        "--between",
        "beta=0.5,0.9",
        "--measures",
        measure,
        "--fail-if",
        f"{measure} > +5000%",
        cwd=tmp_path,
    )
    assert differs.returncode == 0 and "completion_p50_100kB..1MB_s" in differs.stdout, differs.stderr
    plotted = cwnd("plot", "out", "--measure", measure, cwd=tmp_path)
    assert plotted.returncode == 0, plotted.stderr


@pytest.mark.parametrize(
    ("cc", "said"),
    [
        ("cubic@beta=2", "traffic[0].beta: 2 is not accepted"),
        ("cubic:2@beta=0.8", "without a count"),
        ("cubik", 'traffic[0].cc: "cubik" is not accepted'),
        ("cubic@host=linx", "did you mean linux?"),
    ],
)
def test_senders_that_do_not_exist_are_refused_in_a_line(cc: str, said: str, cwnd: Cli) -> None:
    done = cwnd("compare", "reno", "--traffic", f'model = "long", cc = "{cc}"')
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
