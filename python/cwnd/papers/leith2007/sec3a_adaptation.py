# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from cwnd.papers.leith2007.setups import Convergence, SecondFlow, two_flows
from cwnd.reproduce import Answer, Results, Setup
from cwnd.reproduce.numbers import JsonObject


class Sec3aAdaptation(SecondFlow):
    """Sections III.A and IV.C: the adaptation of W_max, which the CUBIC of 2005 does not have, improves the convergence rate.

    Two flows, the second later, as in figure 2 (no web traffic: their losses are nearly synchronised). Left open: the set-up. The two versions
    differ in more than the adaptation (clamp, start, what is counted), so the later one runs without it too.
    """

    title = "Two flows, the second later: with and without the adaptation of W_max, and the CUBIC of 2005"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"
    few = 2
    labels: ClassVar = {"adapting": "as it is", "fixed": "without the adaptation", "2005": "CUBIC of 2005"}

    def flows(self, setup: Setup) -> dict[str, Sequence[JsonObject]]:
        return {
            "adapting": two_flows(setup.cubic),
            "fixed": two_flows(setup.cubic, fast_convergence=False),
            "2005": two_flows("cubic-2005"),
        }

    def claims(self, results: Results[Convergence]) -> dict[str, Answer]:
        return {"sooner": self.sooner(results, "adapting", "2005")}
