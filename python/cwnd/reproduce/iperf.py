# SPDX-License-Identifier: MIT OR Apache-2.0
"""What iperf reports, where a document measured with it: payload that has arrived, once, without headers (docs/guide/experiment.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cwnd.result.result import Result


def shares(run: Result) -> list[float]:
    """Of each flow, as a part of the link's capacity: 1448/1500 of what its packets take of the wire, less what came twice."""
    rate_mbps = run.scenario.rate_mbps
    assert rate_mbps is not None, "the link of an experiment with iperf has a rate"
    return [flow["goodput_mbps"] / rate_mbps for flow in run.summary["flows"]]
