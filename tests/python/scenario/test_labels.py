# SPDX-License-Identifier: MIT OR Apache-2.0
"""What differs between two groups of flows is what they are called, from the command line to the picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd import Flow, ScenarioError, dumbbell

SHORT = ("--rate", "20Mbit/s", "--rtt", "20ms", "--duration", "3s")
BETA = ("compare", "cubic:2@beta=0.7", "cubic:2@beta=0.85", *SHORT)
LABELS = ["cubic beta=0.7", "cubic beta=0.85"]
NAMES = [f"{label} {number}" for label in LABELS for number in (1, 2)]


def test_tables_json_and_parquet_tell_two_groups_of_one_algorithm_apart(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd(*BETA, "-o", tmp_path / "out", "--no-plots")
    assert done.returncode == 0 and all(name in done.stdout for name in NAMES)
    flows = json.loads((tmp_path / "out" / "summary.json").read_text())["flows"]
    assert [flow["name"] for flow in flows] == NAMES
    assert [flow["label"] for flow in flows] == [LABELS[0]] * 2 + [LABELS[1]] * 2
    assert {flow["cc"] for flow in flows} == {"cubic"}
    table = pq.read_table(tmp_path / "out" / "flows.parquet")
    assert table["name"].to_pylist() == NAMES
    assert table["label"].to_pylist() == [flow["label"] for flow in flows]
    # The file that was written says the same of itself.
    again = json.loads(cwnd("run", tmp_path / "out" / "scenario.toml", "--json").stdout)
    assert [flow["name"] for flow in again["flows"]] == NAMES


def test_replicates_name_their_groups_by_it(cwnd: Cli) -> None:
    document = json.loads(cwnd(*BETA, "--seeds", 2, "--json").stdout)
    assert [(group["name"], group["label"], group["cc"]) for group in document["groups"]] == [
        (label, label, "cubic") for label in LABELS
    ]
    shown = cwnd(*BETA, "--seeds", 2).stdout
    # Flows, their measures, their convergence.
    assert [shown.count(label + " ") >= 3 for label in LABELS] == [True, True]


def test_a_label_of_ones_own_goes_the_same_way(cwnd: Cli, tmp_path: Path) -> None:
    flows = ("cubic:2@label=0..1,beta=0.7", "cubic@label=007", "sack")
    done = cwnd("compare", *flows, *SHORT, "-o", tmp_path / "out", "--no-plots", "--json")
    rows = json.loads(done.stdout)["flows"]
    assert [(row["name"], row["label"]) for row in rows] == [
        ("0..1 1", "0..1"),
        ("0..1 2", "0..1"),
        ("007", "007"),
        ("sack", "sack"),
    ]
    text = (tmp_path / "out" / "scenario.toml").read_text()
    assert text.count("label = ") == 2
    scenario = package.Scenario.from_toml(text)
    assert scenario.labels == ["0..1", "007", "sack"]
    assert package.Scenario.from_json(scenario.to_json()).to_toml() == text

    built = dumbbell([Flow("cubic", label="mine", beta=0.8), Flow("cubic", count=2)], rate="20Mbit/s", rtt="20ms")
    assert (built.labels, built.flow_names) == (["mine", "cubic"], ["mine", "cubic 1", "cubic 2"])
    assert [(group.name, group.label, group.cc) for group in built.groups] == [
        ("mine", "mine", "cubic"),
        ("cubic", "cubic", "cubic"),
    ]


REFUSED = [
    (("cubic@label=a\tb",), ("flow[0].label", "printable")),
    ((f"cubic@label={'x' * 41}",), ("flow[0].label", "40")),
    (("cubic@label=mine", "sack@label=mine"), ("flow[1].label", "mine", "flow[0] is called mine")),
    (("cubic@label=sack", "sack"), ("flow[0].label", "sack", "flow[1]")),
    (("cubic@lable=mine",), ("flow[0].lable", "mine", "label")),
    (("cubic@label=a,label=b",), ("label", "twice", "once")),
]


@pytest.mark.parametrize(("flows", "words"), REFUSED, ids=[" ".join(flows) for flows, _ in REFUSED])
def test_what_is_no_label_is_refused_in_a_line(
    cwnd: Cli, tmp_path: Path, flows: tuple[str, ...], words: tuple[str, ...]
) -> None:
    done = cwnd("compare", *flows, *SHORT, "-o", "out", cwd=tmp_path)
    refused(done, *words)
    assert list(tmp_path.iterdir()) == []


def test_labels_that_python_gets_wrong_are_refused_as_in_a_file() -> None:
    for label in (7, True, ["a"], ""):
        with pytest.raises(ScenarioError) as caught:
            dumbbell([Flow("cubic", label=label)], rate="20Mbit/s", rtt="20ms")
        assert caught.value.field == "flow[0].label" and "printable" in caught.value.expected


def drawn(flows: list[Flow], **keys: Any) -> Any:  # noqa: ANN401
    from cwnd.plot.data import RunData

    return RunData(package.run(dumbbell(flows, rate="20Mbit/s", rtt="20ms", duration="3s", **keys)))


def test_every_group_has_a_colour_a_dash_and_a_bar_of_its_own() -> None:
    run = drawn([Flow("cubic", count=2, beta=beta) for beta in (0.5, 0.6, 0.7, 0.8, 0.9)] + [Flow("sack", count=2)])
    assert list(run.flows_of) == [f"cubic beta=0.{n}" for n in (5, 6, 7, 8, 9)] + ["sack"]
    looks = [(run.style(number)["color"], run.style(number)["linestyle"]) for number in range(12)]
    assert looks[::2] == looks[1::2] and len(set(looks)) == 6
    # In grey four dashes are left, and neighbours never share one.
    assert all(look[1] != other[1] for look, other in zip(looks[::2], looks[2::2]))
    assert len({(run.style(number)["color"], run.style(number)["alpha"]) for number in range(12)}) == 12

    # Three flows of two labels have three dashes: those of one label differ in grey, too.
    few = drawn([Flow("cubic", count=2), Flow("reno")])
    assert len({str(few.style(number)["linestyle"]) for number in range(3)}) == 3
    assert few.style(0)["color"] == few.style(1)["color"] != few.style(2)["color"]

    # What is the same in all is one group, and its flows have the dashes.
    alike = drawn([Flow("cubic", count=2), Flow("cubic")])
    assert list(alike.flows_of) == ["cubic"] and alike.labels == ["cubic"] * 3
    assert len({str(alike.style(number)["linestyle"]) for number in range(3)}) == 3


def test_share_bars_and_legends_are_of_the_labels() -> None:
    import matplotlib.pyplot as plt

    from cwnd.plot import draw as _  # noqa: F401
    from cwnd.plot.draw import legend, shares

    run = drawn([Flow("cubic", count=2, label="$a_b$"), Flow("cubic", count=2, label="_b")])
    figure, axes = plt.subplots()
    shares(run, axes)
    flows = run.summary["flows"]
    texts = [text.get_text() for text in axes.texts]
    expected = [100 * sum(flows[number]["share"] for number in numbers) for numbers in ((0, 1), (2, 3))]
    assert texts == [f"$a_b$ (2): {expected[0]:.1f} %", f"_b (2): {expected[1]:.1f} %"]
    assert len(axes.patches) == 4
    legend(run, figure)
    (legend_of_figure,) = figure.legends
    assert [text.get_text() for text in legend_of_figure.get_texts()] == ["$a_b$ 1", "$a_b$ 2", "_b 1", "_b 2"]
    figure.canvas.draw()  # a name is no mathematics
    plt.close(figure)


def test_groups_are_named_apart() -> None:
    scenario = dumbbell(
        [Flow("cubic", count=2, rtt="16ms"), Flow("cubic"), Flow("sack", count=2)], rate="10Mbit/s", rtt="40ms"
    )
    assert [(group.name, list(group.flows)) for group in scenario.groups] == [
        ("cubic 16 ms", [0, 1]),
        ("cubic 40 ms", [2]),
        ("sack", [3, 4]),
    ]
