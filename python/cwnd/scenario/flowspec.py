# SPDX-License-Identifier: MIT OR Apache-2.0
"""Flows as the command line writes them, `cubic:2@rtt=160ms,start=10s,beta=0.8`, traffic, `ha2008`, and the keys of other tables."""

from __future__ import annotations

import json
import math
import tomllib

from cwnd import _native
from cwnd._internal.input_errors import NOT_JSON, refused, shown
from cwnd._native import ScenarioError
from cwnd.scenario.flow import Flow, Value, flow_of

TRAFFIC = 'a preset, such as leith2007-fig4, or keys of [[traffic]], such as preset = "ha2008", share = 0.1, cc = "cubic@beta=0.85"'

LIVE = 'keys of [live], such as sack = false, receive_buffer = "256kB"'


class FlowSyntaxError(ScenarioError):
    """A flow or traffic that does not follow its syntax, or a table that does not; the message is one line. `value` is as it is shown."""

    def __init__(self, field: str, value: str, expected: str) -> None:
        super().__init__(f"{field}: {value} is not accepted; expected {expected}")
        self.field, self.value, self.expected = field, value, expected

    def __reduce__(self) -> tuple[type[FlowSyntaxError], tuple[str, str, str]]:
        # By default an exception is unpickled from its message alone.
        return type(self), (self.field, str(self.value), self.expected)


def value(text: str) -> Value:
    """`true`, a whole number, a decimal, or else text; `0s..100ms` is a uniform draw."""
    try:
        read: Value = json.loads(_native.flow_value(text))
    except UnicodeEncodeError:
        return text  # which every key refuses by its name
    return read


def parse(text: str, field: str = "flow[0]") -> Flow:
    """One flow argument; `field` is what a refusal calls it."""
    try:
        table = json.loads(_native.parse_flow(text, field))
    except UnicodeEncodeError:
        raise refused(field, text, "text in UTF-8") from None
    except ScenarioError as error:
        raise FlowSyntaxError(error.field, str(error.value), error.expected) from None
    return flow_of(table)


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
        raise FlowSyntaxError(option, shown(text), expected)
    return table


def traffic(text: str) -> dict[str, object]:
    """One --traffic: the name of a preset, or the keys of a `[[traffic]]` as TOML writes them in a line."""
    return keys_of("--traffic", text, TRAFFIC) if "=" in text else {"preset": text}


def live(text: str | None, lane: str) -> dict[str, object] | None:
    """--live: the keys of `[live]` as TOML writes them in a line. The simulator has no use for them."""
    if text is not None and lane == "sim":
        raise FlowSyntaxError("--live", shown(text), "--lane live with it")
    return None if text is None else keys_of("--live", text, LIVE)
