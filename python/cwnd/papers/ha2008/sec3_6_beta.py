# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from cwnd.papers.ha2008.setups.joining_flow import Joined, JoiningFlow, time_ratios
from cwnd.reproduce import Answer, Measured, Results, Setup
from cwnd.reproduce.numbers import JsonObject


class Sec3_6Beta(JoiningFlow):
    """Section 3.6: "a side effect of setting β to a smaller value than 0.5 is slower convergence".

    A second flow joins; both keep 0.8 of their window after a loss, or both keep 0.5, all else alike. Left open: rate, round trip, buffer, and
    when the second flow starts. Two paths on which the windows are outside the TCP region, a buffer of one BDP, no background traffic.
    """

    title = "A second flow joins: 0.8 or 0.5 of the window kept after a loss"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"
    panels: ClassVar = {"kept 0.8": "0.8 kept", "kept 0.5": "0.5 kept"}

    def forms(self, setup: Setup) -> Mapping[str, JsonObject]:
        return {f"kept {kept}": {"cc": setup.cubic, "beta": kept} for kept in (0.8, 0.5)}

    def claims(self, results: Results[Joined]) -> dict[str, Answer]:
        return {"small-decrease-slower": Measured(time_ratios(results, "kept 0.8", "kept 0.5"))}
