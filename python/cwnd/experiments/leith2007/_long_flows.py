# SPDX-License-Identifier: MIT OR Apache-2.0
"""Two long flows on the testbed of Leith, Shorten and McCullagh, and three among the on-off sessions of its figure 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cwnd.metrics.series import forwarded

if TYPE_CHECKING:
    from cwnd.result import Result

#: The round trips of the testbed, ms.
RTTS_MS = (16, 40, 80, 160, 200)
#: Figure 13: the round trips of its two flows.
LONG_MS, SHORT_MS = 162, 16
#: Its start times, unstated: ten or more, at uneven distances, against periods of the first flow.
STARTS_S = (0, 7, 13, 21, 29, 34, 45, 52, 61, 68, 77, 93)
TEN_MINUTES = 600


def long_flows(
    flows: Sequence[Mapping[str, Any]],
    rate: str,
    rtt_ms: float,
    seconds: float,
    *,
    begin: float,
    queue: str = "1bdp",
    **keys: Any,  # noqa: ANN401
) -> dict[str, Any]:
    """Flows (tables of the scenario) without web traffic; `rtt_ms`: that of flows without one, and of the BDP."""
    return {
        "duration": f"{seconds:g}s",
        "measure": [f"{begin:g}s", f"{seconds:g}s"],
        "link": {"rate": rate, "rtt": f"{rtt_ms:g}ms", "queue": {"kind": "droptail", "limit": queue}},
        "flow": [dict(flow) for flow in flows],
        "record": {"interval": "1s"},
        **keys,
    }


def unsynchronised(flow: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """250 Mbit/s, 200 ms, one BDP, three flows, 25 on-off sessions; the first 100 s are not measured."""
    flows = [{**flow, "count": 3, "start": {"uniform": ["0s", "10s"]}}]
    return long_flows(flows, "250Mbit/s", 200, seconds, begin=100, traffic=[{"preset": "leith2007-fig6"}])


def joined_later(flow: Mapping[str, Any], rate: int, start: int) -> dict[str, Any]:
    """Figure 13: `flow` alone, and from `start` seconds on beside a flow of the shorter round trip, for twenty minutes."""
    flows = [flow, {**flow, "rtt": f"{SHORT_MS}ms", "start": f"{start}s"}]
    return long_flows(flows, f"{rate}Mbit/s", LONG_MS, start + 2 * TEN_MINUTES, begin=start)


def ratio_over_ten_minutes(run: Result, begin_s: float) -> float:
    """The throughput of the first flow over that of the second in the ten minutes from `begin_s` on; the last second is left out."""
    sent = forwarded(run.cwnd, begin_s, begin_s + TEN_MINUTES - 1)
    return sent[0] / sent[1]
