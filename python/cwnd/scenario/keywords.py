# SPDX-License-Identifier: MIT OR Apache-2.0
"""The keywords of one bottleneck and the queue disciplines, from their tables in `crates/cwnd-scenario/src/builders` and `crates/cwnd-link/src/aqm`."""

from __future__ import annotations

from cwnd import _native

#: The rows of the table, by name.
KEYWORDS = {row["name"]: row for row in _native.keywords()}
#: What `rate` is of a link without one.
NO_RATE = "none"
#: Defaults of `cwnd compare` and `cwnd sweep`, as options have them.
DEFAULTS = {name: row["default"] for name, row in KEYWORDS.items() if row["default"] is not None}
#: Keywords that are axes of a study, with the keys of the scenario that they set.
AXES = {
    name: "link.packet_size" if name == "packet_size" else f"{row['table']}.{row['key']}".strip(".")
    for name, row in KEYWORDS.items()
    if row["axis"] is not None
}
#: Keywords that are options of `cwnd sweep`: a study keeps tables of its measures, and records no more.
SWEPT = [name for name, row in KEYWORDS.items() if row["form"] is not None and row["table"] != "record"]
#: Keywords of what is recorded, which changes no result.
RECORDS = [name for name, row in KEYWORDS.items() if row["table"] == "record"]


def meaning(row: _native.Keyword) -> str:
    """What a keyword is in Python, with its default."""
    where = " in `compare` and `sweep`" if row["is_written"] else ""
    default = f" ({row['default']}{where})" if row["default"] else ""
    return f"{row['help'].rstrip('.')}{default}.{' ' if row['python_help'] else ''}{row['python_help']}"


_QUEUES = _native.queue_disciplines()
#: Queue disciplines with settings, by their keywords.
DISCIPLINES = {each["name"].replace("-", "_"): each for each in _QUEUES if each["settings"]}
#: Names of queue disciplines without settings, by their keywords, which are flags.
QUEUE_FLAGS = {each["name"].replace("-", "_"): each["name"] for each in _QUEUES if not each["settings"]}
#: Names of all of them, by their keywords.
QUEUES = {each["name"].replace("-", "_"): each["name"] for each in _QUEUES}
#: What queue disciplines are, by name.
DESCRIPTIONS = {each["name"]: each["help"] for each in _QUEUES}
