# SPDX-License-Identifier: MIT OR Apache-2.0
"""The links of the post: 2.64 Mbit/s with "an 88ms delay", and a "high BDP network" without numbers.

A link's delay is read as one-way: the round trip is 176 ms. Also left open: queue, durations, start times, and the unit of its "kbps", so only the
order of its numbers can be compared. The post's notebook and its senders, Python programs over UDP with go-back-N, are public; these experiments do
not run them, but the TCP of this project with the post's algorithms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cwnd.reproduce.numbers import JsonObject

#: 38 packets of BDP.
LOW = {"rate": "2.64Mbit/s", "rtt": "176ms"}
#: Unstated: the same round trip, and a BDP of 1466 packets.
HIGH = {"rate": "100Mbit/s", "rtt": "176ms"}
#: Unstated: one BDP of queue.
QUEUE = "1bdp"
#: Unstated: both start within a second; the first 20 s are not measured.
START, WARM_UP_S = {"uniform": ["0s", "1s"]}, 20


def shared_link(
    flows: Sequence[str | JsonObject],
    seconds: float,
    link: Mapping[str, str] = LOW,
    queue: str = QUEUE,
    *,
    warm_up: float = WARM_UP_S,
    record: JsonObject | None = None,
) -> JsonObject:
    """Flows that start together on a link; each an algorithm, or a table of the scenario."""
    tables = [{"cc": flow} if isinstance(flow, str) else dict(flow) for flow in flows]
    return {
        "duration": f"{seconds:g}s",
        "measure": [f"{warm_up:g}s", f"{seconds:g}s"],
        "link": {**link, "queue": {"kind": "droptail", "limit": queue}},
        "flow": [{"start": START, **table} for table in tables],
        "record": dict(record or {"interval": "100ms"}),
    }
