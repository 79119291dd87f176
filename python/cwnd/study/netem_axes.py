# SPDX-License-Identifier: MIT OR Apache-2.0
"""Axes of netem lines: no other axis, option or keyword sets what a line says, because a row would show a value that was not run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from cwnd._internal.input_errors import refused
from cwnd._native import ScenarioError
from cwnd.scenario.keywords import AXES, KEYWORDS
from cwnd.scenario.netem import link_keys
from cwnd.study.keys import full, parts_of
from cwnd.study.values import Range, Values

#: The keys that options and keywords set.
KEYS = {name: f"{row['table']}.{row['key']}".strip(".") for name, row in KEYWORDS.items() if row["key"]}
KEYS |= {**AXES, "trace": "link.rate"}

#: A link whose limits netem's own does not replace.
LIMITED = {"queue": {"limit": "1packets"}, "delay_limit": "1packets"}


class Setting(NamedTuple):
    """What the user has set: the name of the option or keyword, and its value."""

    name: str
    value: object


def link_settings(settings: Mapping[str, object], prefix: str = "") -> dict[str, Setting]:
    """The settings of the one bottleneck by the keys of a scenario. With the `prefix` `--` they have the names of options."""
    found: dict[str, Setting] = {}
    for keyword, value in settings.items():
        name = f"{prefix}{keyword.replace('_', '-')}" if prefix else keyword
        if keyword == "reverse" and isinstance(value, Mapping):
            found |= {f"link.reverse.{key}": Setting(name, value) for key in value}
        elif value is not None:
            found[KEYS.get(keyword, f"link.{keyword}")] = Setting(name, value)
    return found


def check_settings(axes: Iterable[str], settings: Mapping[str, Setting]) -> None:
    """Refuses a setting whose key is an axis too: the axis would replace it. Raises `ScenarioError`."""
    for axis in axes:
        for key, (name, value) in settings.items():
            # Several traces are an axis of the option itself.
            is_own = full(axis).endswith(".rate.trace") and name in ("trace", "--trace")
            if not is_own and full(axis) == key:
                raise refused(name, value, f"no {name} with the axis {axis}, which sets it")


def check_netem_axes(axes: Mapping[str, Values], settings: Mapping[str, Setting]) -> None:
    """Refuses other axes of what the lines of an axis say, and `settings` of it (by the keys of a scenario). Raises `ScenarioError`."""
    for netem in axes:
        if not full(netem).endswith(".netem"):
            continue
        table = full(netem).removesuffix("netem")
        for key in said_by(axes[netem]):
            for axis in axes:
                if axis != netem and overlap(full(axis), f"{table}{key}"):
                    raise refused("axis", axis, f"no axis of it with {netem}, whose lines set it")
            for set_key, (name, value) in settings.items():
                if overlap(set_key, f"{table}{key}"):
                    raise refused(name, value, f"no {name} with the axis {netem}, whose lines set it")


def said_by(lines: Values) -> Iterator[str]:
    """The keys of a link that lines of netem set or remove, whether the link has a rate or not."""
    for line in () if isinstance(lines, Range) else lines:
        # A wrong line is refused at its point.
        with suppress(ScenarioError):
            keys = {*link_keys(line, False, LIMITED)[0], *link_keys(line, True, LIMITED)[0]}
            if "rate" in keys:
                # It takes the limit of a link without a rate away.
                keys.add("delay_limit")
            yield from (("queue.limit" if key == "queue" else key) for key in sorted(keys))


def overlap(one: str, other: str) -> bool:
    """Whether one full key sets the other or a part of it: `link` and `link.loss`, `link[*].loss` and `link[0].loss`."""
    return all(
        name == other_name and (number == other_number or "*" in (number, other_number))
        for (name, number), (other_name, other_number) in zip(parts_of(one), parts_of(other), strict=False)
    )
