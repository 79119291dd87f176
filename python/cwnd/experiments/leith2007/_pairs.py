# SPDX-License-Identifier: MIT OR Apache-2.0
"""Two long flows on the bench of Leith, Shorten and McCullagh, and three among its on-off sessions (figure 6's)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: The round trips of the bench, ms.
RTTS_MS = (16, 40, 80, 160, 200)


def pair(
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
    return pair(flows, "250Mbit/s", 200, seconds, begin=100, traffic=[{"preset": "leith2007-fig6"}])
