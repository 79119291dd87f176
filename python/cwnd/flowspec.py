# SPDX-License-Identifier: MIT OR Apache-2.0
"""Flows as the command line writes them, `cubic:2@rtt=160ms,start=10s,beta=0.8`, traffic, `ha2008`, and the keys of other tables."""

from __future__ import annotations

import math
import tomllib

from cwnd._native import ScenarioError
from cwnd.flow_and_link import Flow, Value
from cwnd.input_errors import NOT_JSON, shown

SYNTAX = "NAME[:COUNT][@KEY=VALUE,...], such as cubic:2@rtt=160ms,start=10s,beta=0.8"


TRAFFIC = 'a preset, such as leith2007-fig4, or keys of [[traffic]], such as preset = "ha2008", share = 0.1'

LIVE = 'keys of [live], such as sack = false, receive_buffer = "256kB"'


#: What people look for under other names, which are near to no key.
ELSEWHERE = {"hystart": "slow_start=hystart++, or slow_start=standard"}


class FlowSyntaxError(ScenarioError):
    """A flow or traffic that does not follow `SYNTAX`, or a table its syntax; the message is one line."""

    def __init__(self, field: str, value: str, expected: str) -> None:
        super().__init__(f"{field}: {shown(value)} is not accepted; expected {expected}")
        self.field, self.value, self.expected = field, shown(value), expected
        self._given = value

    def __reduce__(self) -> tuple[type[FlowSyntaxError], tuple[str, str, str]]:
        # By default an exception is unpickled from its message alone.
        return type(self), (self.field, self._given, self.expected)


def value(text: str) -> Value:
    """`true`, a whole number, a decimal, or else text; `0s..100ms` is a uniform draw."""
    if text in ("true", "false"):
        return text == "true"
    first, dots, last = text.partition("..")
    if dots:
        return {"uniform": [first, last]}
    if text.isascii() and text.isdigit():
        return int(text)
    whole, point, fraction = text.partition(".")
    if point and whole.isdigit() and fraction.isdigit():
        return float(text)
    return text


def parse(text: str, field: str = "flow[0]") -> Flow:
    """One flow argument; `field` is what a refusal calls it."""
    head, at, rest = text.partition("@")
    name, colon, count = head.partition(":")
    if not name or (colon and not (count.isascii() and count.isdigit())):
        raise FlowSyntaxError(field, text, SYNTAX)
    settings: dict[str, Value] = {}
    for part in rest.split(",") if at else []:
        key, equals, given = part.partition("=")
        if not key or not equals or not given:
            raise FlowSyntaxError(field, part or text, SYNTAX)
        if key in ELSEWHERE:
            raise FlowSyntaxError(field, part, ELSEWHERE[key])
        if key in settings or key in ("cc", "count"):
            raise FlowSyntaxError(field, text, f"{key} once, not twice")
        # A label is a text whatever it looks like.
        settings[key] = given if key == "label" else value(given)
    return Flow(name, int(count) if colon else 1, **settings)


def finite(text: str) -> float | str:
    """A decimal; `nan` and `inf` become what the scenario refuses by its field's name, also where it takes texts."""
    number = float(text)
    return number if math.isfinite(number) else NOT_JSON + text


def keys_of(option: str, text: str, expected: str) -> dict[str, object]:
    """The keys of a table as TOML writes them in a line, with or without their braces."""
    keys = text.strip()
    try:
        document = tomllib.loads(f"table = {keys if keys.startswith('{') else '{' + keys + '}'}", parse_float=finite)
    except tomllib.TOMLDecodeError:
        document = {}
    table = document.get("table")
    if len(document) != 1 or not isinstance(table, dict):
        raise FlowSyntaxError(option, text, expected)
    return table


def traffic(text: str) -> dict[str, object]:
    """One --traffic: the name of a preset, or the keys of a `[[traffic]]` as TOML writes them in a line."""
    return keys_of("--traffic", text, TRAFFIC) if "=" in text else {"preset": text}


def live(text: str | None, lane: str) -> dict[str, object] | None:
    """--live: the keys of `[live]` as TOML writes them in a line. The simulator has no use for them."""
    if text is not None and lane == "sim":
        raise FlowSyntaxError("--live", text, "--lane live with it")
    return None if text is None else keys_of("--live", text, LIVE)
