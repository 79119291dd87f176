# SPDX-License-Identifier: MIT OR Apache-2.0
"""The testbed of section 6: its background traffic."""

from __future__ import annotations

from typing import Any

#: "Comparable to around 15 % of the bottleneck bandwidth", in both directions (section 6.1).
SHARE = 0.15
#: Against phase effects (Floyd and Jacobson 1992): hosts add up to one packet's time at the bottleneck, at random, before each packet.
OVERHEAD = "30us"


def background(share: float = SHARE) -> list[dict[str, Any]]:
    """Web transfers of Surge's sizes with more of medium size, exponential RTTs, 64 KB of socket buffer, in both directions."""
    return [{"preset": "ha2008", "share": share}]
