# SPDX-License-Identifier: MIT OR Apache-2.0
"""The keywords of one bottleneck, from the table in `crates/cwnd-scenario/src/compare`: the keys that they are, and their defaults."""

from __future__ import annotations

from cwnd import _native

KEYWORDS = _native.compare_keywords()

#: What `rate` is of a link without one.
NO_RATE = "none"
#: Keys of the link of a dumbbell that are keywords of the same names; `reverse` is always written.
LINK_KEYS = [row["name"] for row in KEYWORDS if row["table"] == "link" and row["name"] != "reverse"]
#: Keys of `[record]`, by their keywords.
RECORD = {row["name"]: row["key"] for row in KEYWORDS if row["table"] == "record"}
#: Defaults of `cwnd compare` and `cwnd sweep`, as options have them.
DEFAULTS = {row["name"]: row["default"] for row in KEYWORDS if row["default"] is not None}
#: Those that a comparison writes into its scenario, which has others or none.
WRITTEN = {row["name"]: row["default"] for row in KEYWORDS if row["default"] is not None and row["is_written"]}
