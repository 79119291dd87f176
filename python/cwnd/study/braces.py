# SPDX-License-Identifier: MIT OR Apache-2.0
"""Axes in a flow's text: `cubic:2@rtt=40ms,beta={0.7,0.85}` is a flow with β 0.7, whose β is an axis; `{cubic,cubic@stack=quinn}` is TCP beside a stack."""

from __future__ import annotations

from cwnd._internal.input_errors import shown
from cwnd.scenario.flow import Flow, Value
from cwnd.scenario.flowspec import FlowSyntaxError, parse, value
from cwnd.study.values import Range, Values, split, values_of

SYNTAX = "braces around a whole name, count or value, such as {cubic,reno}:2@rtt=40ms or cubic@beta={0.7,0.85},rtt=40ms"


def parse_flow(text: str, number: int) -> tuple[Flow, dict[str, Values]]:
    """The flow with the first value of each axis, and the axes by their keys."""
    field = f"flow[{number}]"
    if "{" not in text and "}" not in text:
        return parse(text, field), {}
    if text.count("{") != text.count("}"):
        raise FlowSyntaxError(field, shown(text), SYNTAX)
    head, at, rest = outside(text, "@")
    name, colon, count = outside(head, ":")
    axes: dict[str, Values] = {}

    def first(key: str, written: str) -> str:
        if "{" not in written and "}" not in written:
            return written
        inner = written[1:-1]
        if not (written.startswith("{") and written.endswith("}")) or "{" in inner or "}" in inner:
            raise FlowSyntaxError(field, shown(text), SYNTAX)
        found = values_of(f"{field}.{key}", written)
        if isinstance(found, Range):
            axes[f"{field}.{key}"] = found
            return found.at(0)
        axes[f"{field}.{key}"] = [typed(key, each) for each in found]
        return found[0]

    # Of an algorithm with settings, each point adds them to what the flow has at all points.
    plain = first("cc", name).partition("@")[0] + (f":{first('count', count)}" if colon else "")
    settings = []
    for part in split(rest) if at else []:
        key, equals, written = part.partition("=")
        settings.append(f"{key}{equals}{first(key, written)}")
    return parse(plain + (f"@{','.join(settings)}" if at else ""), field), axes


def typed(key: str, text: str) -> Value:
    """A value as a flow's text means it."""
    return text if key in ("cc", "label") else value(text)


def outside(text: str, mark: str) -> tuple[str, str, str]:
    """Parts a text at the first mark that is in no braces."""
    depth = 0
    for at, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == mark and depth == 0:
            return text[:at], mark, text[at + 1 :]
    return text, "", ""
