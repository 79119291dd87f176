# SPDX-License-Identifier: MIT OR Apache-2.0
"""What pictures of studies do not accept, and `cwnd plot` of a study."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import cwnd
from cwnd.plot import cdf, delay_throughput, fairness, heatmap, response

SMALL = {"rate": "20Mbit/s", "duration": "4s"}


@pytest.fixture(scope="module")
def study() -> cwnd.Study:
    """Two β of CUBIC, each beside Reno, at two round trip times and three buffers."""
    flows = ["cubic@beta={0.7,0.85}", "reno"]
    return cwnd.sweep(flows, rate="20Mbit/s", rtt=["10ms", "40ms"], buffer="0.5..2bdp/3log", duration="1s")


@pytest.mark.parametrize(
    ("draw", "arguments", "says"),
    [
        (response, {"measure": "queue_p9_ms"}, "did you mean queue_p95_ms or queue_p99_ms"),
        (response, {"x": "rate"}, "a factor of this study: beta, rtt, buffer"),
        (response, {"x": "rtt", "by": "rtt"}, "another factor than that of x, or label"),
        (response, {"by": "bufer"}, "did you mean buffer"),
        (response, {"x": "rtt", "where": {"rtt": "10ms"}}, "a factor with several levels"),
        (
            response,
            {"where": {"rtt": "50ms"}},
            'where.rtt: "50ms" is not accepted; expected a value that the study has there',
        ),
        (response, {"where": {"bufer": "1bdp"}}, "did you mean buffer"),
        (response, {"width": "wide"}, "a width: column, page, slide"),
        (heatmap, {"of": "cubic beta=0.7"}, "against: null|against: None"),
        (
            heatmap,
            {"of": "cubic beta=0.7", "against": "cubic beta=0.8"},
            "did you mean cubic beta=0.7 or cubic beta=0.85",
        ),
        (heatmap, {"ratio": "quotient"}, "True or False"),
        (
            heatmap,
            {"where": {"rtt": "10ms", "beta": 0.7}},
            "a second factor with several levels; what is drawn varies buffer",
        ),
        (response, {"measure": "convergence_s"}, "a measure that has values here: "),
        (fairness, {"of": "bic"}, "the name of a group of flows of each run: cubic, cubic beta=0.7, reno"),
        (fairness, {"where": {"label": "reno"}}, "two groups of flows that share a link"),
        (fairness, {"measure": "loss_rate"}, "throughput_mbps, goodput_mbps, share"),
        (
            delay_throughput,
            {"delay": "queue_p9_ms"},
            'delay: "queue_p9_ms" is not accepted; expected a measure of this study (did you mean queue_p95_ms',
        ),
        (delay_throughput, {"link": "hop"}, "the name of a link: link"),
        (cdf, {"measure": "thruput"}, "a measure of this study"),
    ],
)
def test_what_is_not_accepted_is_named_in_one_line(
    study: cwnd.Study, draw: object, arguments: dict[str, object], says: str
) -> None:
    with pytest.raises(cwnd.ScenarioError) as refusal:
        draw(study, **arguments)  # type: ignore[operator]
    text = str(refusal.value)
    assert any(part in text for part in says.split("|")), text
    assert "\n" not in text


def test_too_many_panels_are_refused_with_what_to_fix() -> None:
    grid = cwnd.sweep(["cubic"], rtt="10..50ms/4", buffer="1..4bdp/4", rate=["10Mbit/s", "20Mbit/s"], duration="1s")
    with pytest.raises(cwnd.ScenarioError) as refusal:
        response(grid)
    assert "at most 6 panels, not 8 (rate has 2 levels, buffer has 4 levels)" in str(refusal.value)
    assert "where={'buffer': '3bdp'} (--where buffer=3bdp)" in str(refusal.value)
    assert len(response(grid, where={"buffer": ["1bdp", "4bdp"]}).axes) == 4


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cwnd", "plot", *map(str, arguments)], capture_output=True, text=True, timeout=120
    )


@pytest.mark.slow
def test_the_command_draws_a_study_and_says_what_it_does_not_accept(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    cwnd.sweep(["cubic", "reno"], **SMALL, rtt="10..40ms/3", seeds=2, folder=folder)
    assert command(folder).stdout == f"{folder}/response.png\n"
    first = (folder / "response.png").read_bytes()
    assert command(folder, "--kind", "response").returncode == 0 and (folder / "response.png").read_bytes() == first
    done = command(
        folder, "--kind", "fairness", "--where", "rtt=10ms,40ms", "--width", "column", "-o", tmp_path / "a.pdf"
    )
    assert done.stdout == f"{tmp_path}/a.pdf\n" and (tmp_path / "a.pdf").read_bytes()[:4] == b"%PDF"
    assert cwnd.load(folder).done == 6, "the pictures in its folder are no part of the study"
    for arguments, says in {
        (
            "--kind",
            "cdf",
            "--x",
            "rtt",
        ): '--x: "rtt" is not accepted; expected it with --kind response or heatmap or fairness or delay-throughput, not cdf',
        (
            "--kind",
            "pie",
        ): '--kind: "pie" is not accepted; expected a kind of picture for this result: response, heatmap, fairness, delay-throughput, cdf',
        ("--where", "rtt"): '--where: "rtt" is not accepted; expected COLUMN=VALUES',
        ("--where", "rtt=5ms"): '--where rtt: "5ms" is not accepted',
        ("-o", "a.gif"): '-o: "a.gif" is not accepted; expected a name that ends in .png, .svg or .pdf',
        ("-o", "a.svg", "--format", "pdf"): '--format: "pdf" is not accepted; expected svg',
    }.items():
        refused = command(folder, *arguments)
        assert refused.returncode == 2 and says in refused.stderr and refused.stderr.count("\n") == 1, refused.stderr
    run = tmp_path / "run"
    cwnd.save(cwnd.run(cwnd.dumbbell(["cubic"], rate="1Mbit/s", rtt="10ms", duration="1s")), run, pictures=False)
    refused = command(run, "--kind", "heatmap")
    assert (
        refused.returncode == 2
        and "expected a kind of picture for this result: windows, throughput, queue, cdf" in refused.stderr
    )


def test_a_map_needs_factors_that_are_crossed() -> None:
    drawn = cwnd.sweep(["cubic"], latin=5, rtt="10..100ms", rate="5..50Mbit/s", duration="1s")
    with pytest.raises(cwnd.ScenarioError, match="a factor that is crossed with"):
        heatmap(drawn)
