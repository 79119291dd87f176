# SPDX-License-Identifier: MIT OR Apache-2.0
"""Heat maps of times, which some runs never reach."""

from __future__ import annotations

import pytest
from test_study_pictures import caption, shown

import cwnd
from cwnd.plot import heatmap


# At 10 ms and half a BDP flows with β = 0.7 come to equal shares under all twelve seeds, those with 0.85 under none.
def test_the_difference_of_a_time_has_the_runs_that_never_got_there() -> None:
    found = cwnd.sweep(
        ["cubic:2@recovery=sack-prr,beta={0.7,0.85}", "reno@recovery=sack-prr"],
        rate="20Mbit/s",
        rtt=["10ms", "20ms"],
        buffer=["0.5bdp", "1bdp"],
        seeds=12,
        duration="40s",
    )
    names = {"of": "cubic beta=0.85", "against": "cubic beta=0.7"}
    figure = heatmap(found, **names, measure="convergence_s")
    texts = {each.get_gid(): each.get_text() for each in shown(figure)[0].texts}
    assert texts["10ms, 0.5bdp"] == "+∞", texts
    said = caption(figure)
    assert "+∞: never reached with cubic beta=0.85" in said and "of 96 runs have no value" in said, said
    effects = cwnd.diff(found, between="beta=0.7,0.85", measures=["convergence_s"]).at_points
    for effect in effects:
        if effect.label.startswith("cubic") and effect.difference is not None:
            text = texts[f"{effect.place['rtt']}, {effect.place['buffer']}"]
            assert text.startswith("(") == (not effect.decided), (effect, text)
    with pytest.raises(cwnd.ScenarioError, match="never be reached"):
        heatmap(found, **names, measure="convergence_s", ratio=True)
    one = cwnd.sweep(["cubic@beta={0.7,0.85}"], rtt=["10ms", "20ms"], buffer=["1bdp", "2bdp"], duration="2s")
    assert "or there is none" in caption(heatmap(one, **names, measure="throughput_mbps"))
