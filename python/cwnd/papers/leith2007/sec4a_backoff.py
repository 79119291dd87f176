# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from cwnd.papers.leith2007.setups import Convergence, SecondFlow, two_flows
from cwnd.reproduce import Answer, Results, Setup
from cwnd.reproduce.numbers import JsonObject


class Sec4aBackoff(SecondFlow):
    """Section IV.A: a backoff factor of 0.8 in place of 0.5 releases bandwidth more slowly, which slows convergence.

    Two flows, the second later, as in figure 2. Left open: rates, how often.
    """

    title = "Two CUBIC flows, the second later: backoff factors 0.8 and 0.5"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"
    few = 3
    labels: ClassVar = {"0.8": "backoff factor 0.8", "0.5": "backoff factor 0.5"}

    def flows(self, setup: Setup) -> dict[str, Sequence[JsonObject]]:
        return {str(factor): two_flows(setup.cubic, beta=factor) for factor in (0.8, 0.5)}

    def claims(self, results: Results[Convergence]) -> dict[str, Answer]:
        return {"slower": self.sooner(results, "0.8", "0.5")}
