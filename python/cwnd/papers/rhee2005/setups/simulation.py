# SPDX-License-Identifier: MIT OR Apache-2.0
"""The simulation of section III of this document, and one flow on a link on which only prescribed losses limit it."""

from __future__ import annotations

from collections.abc import Sequence

from cwnd.reproduce.numbers import Json, JsonObject

#: "About 10 % of background traffic is added in both forward and backward directions".
SHARE = 0.1
#: The high-speed protocols; H-TCP and Scalable TCP with their papers' constants, BIC with those of the kernel (the paper gives none).
SETS = {"bic": "bic", "hstcp": "highspeed", "stcp": "scalable", "htcp": "htcp"}
NAMES = {"cubic": "CUBIC", "bic": "BIC", "hstcp": "HSTCP", "stcp": "STCP", "htcp": "H-TCP", "sack": "SACK"}
#: "Starting times … slightly varied": by up to a second.
START = {"uniform": ["0s", "1s"]}
#: Unstated: NS-2's receivers acknowledge every packet by default.
ACK_EVERY = 1


def background(share: float = SHARE) -> Sequence[JsonObject]:
    """Kind unstated: web transfers of Surge's sizes, exponential round trips, windows of 64 KB, in both directions."""
    return [{"preset": "ha2008", "share": share}]


def host_flow(cc: str, rate_mbps: float, **keys: Json) -> JsonObject:
    """A flow of section III. Its hosts add up to a packet's time at the bottleneck before each packet, against phase effects."""
    overhead = f"{12 / rate_mbps * 1000:.0f}us"
    return {"cc": cc, "start": START, "overhead": overhead, "ack_every": ACK_EVERY, **keys}


def varied_rtts(rtt_ms: float, count: int) -> list[str]:
    """Round trips "slightly varied": by 1 % from flow to flow, around `rtt_ms`."""
    return [f"{rtt_ms * (1 + 0.01 * (number - (count - 1) / 2)):.3f}ms" for number in range(count)]


def protocol_and_sack(cc: str, rate_mbps: float, rtt_ms: float, end_s: float, warm_up_s: float) -> JsonObject:
    """Experiments 1 and 2: four flows of `cc` and four of SACK over one path behind a buffer of one BDP."""
    rtts = varied_rtts(rtt_ms, 4)
    return {
        "duration": f"{end_s:g}s",
        "measure": [f"{warm_up_s:g}s", f"{end_s:g}s"],
        "link": {
            "rate": f"{rate_mbps:g}Mbit/s",
            "rtt": f"{rtt_ms:g}ms",
            "queue": {"kind": "droptail", "limit": "1bdp"},
        },
        "flow": [host_flow(name, rate_mbps, rtt=rtt) for name in (cc, "sack") for rtt in rtts],
        "traffic": background(),
        "record": {"interval": "1s"},
    }


def flow_with_losses(cc: str, window: int, rtt_ms: float, end_s: float, loss: str, **keys: Json) -> JsonObject:
    """One flow in congestion avoidance at `window`, on a link so fast that only `loss` limits it; every packet is acknowledged."""
    return {
        "duration": f"{end_s:.4f}s",
        "link": {
            "rate": "100Gbit/s",
            "rtt": f"{rtt_ms:g}ms",
            "queue": {"kind": "droptail", "limit": "100000000packets"},
            "loss": loss,
        },
        "flow": [{"cc": cc, "ack_every": 1, "initial_cwnd": window, "initial_ssthresh": window, **keys}],
    }
