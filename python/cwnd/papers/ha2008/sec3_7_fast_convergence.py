# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from cwnd.papers.ha2008.setups.joining_flow import Joined, JoiningFlow, time_ratios
from cwnd.reproduce import Answer, Measured, Results, Setup
from cwnd.reproduce.numbers import JsonObject


class Sec3_7FastConvergence(JoiningFlow):
    """Section 3.7: fast convergence releases bandwidth when another flow joins.

    A second flow joins, with fast convergence on in both flows or off in both, all else alike. Left open: rate, round trip, buffer, and when the
    second flow starts. Two paths on which the windows are outside the TCP region, a buffer of one BDP, no background traffic.
    """

    title = "A second flow joins: fast convergence on and off"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"
    panels: ClassVar = {"on": "fast convergence", "off": "without fast convergence"}

    def forms(self, setup: Setup) -> Mapping[str, JsonObject]:
        return {name: {"cc": setup.cubic, "fast_convergence": name == "on"} for name in ("on", "off")}

    def claims(self, results: Results[Joined]) -> dict[str, Answer]:
        return {"on-sooner": Measured(time_ratios(results, "on", "off"))}
