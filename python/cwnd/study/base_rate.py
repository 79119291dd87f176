# SPDX-License-Identifier: MIT OR Apache-2.0
"""The rate of the one bottleneck that a study varies, where axes and lines of netem give one or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from cwnd._native import ScenarioError
from cwnd.scenario.keywords import NO_RATE
from cwnd.scenario.netem import link_keys
from cwnd.study.keys import full
from cwnd.study.values import Range, Values


def base_rate(plain: Mapping[str, object], axes: Mapping[str, Values], lines: Iterable[str] = ()) -> dict[str, object]:
    """The rate of the base, which each point replaces. It is none if a point may have none: the base then has no default queue,
    which a point without a rate would refuse. `lines` are those of `--netem`.
    """
    by_key = {full(key): levels_of(values) for key, values in axes.items()}
    if NO_RATE in by_key.get("link.rate", ()):
        return {"rate": NO_RATE}
    if plain.get("rate") is not None or any(key.startswith("link.rate") for key in by_key):
        return {}
    rates = [rate_in(line) for line in [*lines, *by_key.get("link.netem", ())]]
    if not rates:
        return {}
    return {"rate": NO_RATE if None in rates else rates[0]}


def without_own_limit(
    document: dict[str, object], plain: Mapping[str, object], axes: Mapping[str, Values], lines: Iterable[str] = ()
) -> dict[str, object]:
    """The document of the base without the default limit of the queue, if lines define the link: each brings its own limit."""
    rate_is_given = plain.get("rate") is not None or any(full(key).startswith("link.rate") for key in axes)
    is_line = bool(list(lines)) or any(full(key) == "link.netem" for key in axes)
    link = document.get("link")
    queue = link.get("queue") if isinstance(link, dict) else None
    if is_line and not rate_is_given and plain.get("buffer") is None and isinstance(queue, dict):
        queue.pop("limit", None)
    return document


def levels_of(values: Values) -> list[object]:
    """The values of an axis; none of a range to draw from, which has no words."""
    return [] if isinstance(values, Range) else list(values)


def rate_in(line: object) -> object:
    """The rate that a line says. A wrong line is refused where it is read."""
    with suppress(ScenarioError):
        return link_keys(line, has_rate=True)[0].get("rate")
    return None
