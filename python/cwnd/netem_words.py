# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd.netem` and `--netem`: a link in the words of `tc … netem` or `tc … tbf`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from cwnd import _native
from cwnd._native import ScenarioError
from cwnd.input_errors import refused
from cwnd.keywords import DEFAULTS

Netem = Annotated[
    str | None,
    typer.Option(
        "--netem",
        metavar="WORDS",
        help="The link in the words of tc netem or tc tbf, in place of --rate, --buffer, --loss and --jitter: 'delay 20ms 5ms loss gemodel 1% 10% rate 10mbit limit 1000'. What each word means is said on standard error.",
        show_default=False,
    ),
]


# `Any`: keywords of functions whose types differ.
def netem(words: str) -> dict[str, Any]:
    """The keywords of `dumbbell` and `compare` that mean the same as `words`, a line of `tc … netem` or `tc … tbf`.

    `cwnd.dumbbell("cubic", rtt="60ms", rate="10Mbit/s", **cwnd.netem("delay 20ms 5ms loss 1%"))`. `meanings` says what each word means. Raises
    `ScenarioError` for a word that has no counterpart, such as `duplicate` or a correlation.
    """
    return _read(words)[0]


def meanings(words: str) -> list[str]:
    """What each word of a line means, a line for each. Raises `ScenarioError`."""
    return _read(words)[1]


def _read(words: object) -> tuple[dict[str, Any], list[str]]:
    if not isinstance(words, str):
        raise refused("netem", words, 'words of netem, such as "delay 20ms loss 1%"')
    keys, lines = _native.netem_meaning(words)
    settings: dict[str, Any] = json.loads(keys)
    queue = settings.pop("queue", None)
    return {**settings, **({"buffer": queue["limit"]} if queue else {})}, lines


def with_netem(words: str | None, given: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
    """The options of a link with those that --netem stands for, and what its words mean. Raises `ScenarioError` where both are given."""
    if words is None:
        return dict(given), []
    settings, lines = _read(words)
    for key in settings:
        if (value := given.get(key)) not in (None, DEFAULTS.get(key)):
            option, shown = ("trace", value["trace"]) if isinstance(value, Mapping) else (key, value)
            raise refused(f"--{option}", shown, f"no --{option} with --netem, whose words say it")
    return {**given, **settings}, lines


@contextmanager
def naming_rtt(words: str | None, rtt: str) -> Iterator[None]:
    """Says that --rtt is shorter than a delay that --netem sets, where that is why a scenario is refused."""
    try:
        yield
    except ScenarioError as error:
        if words is None or error.field != "link.rtt" or "the delay of the link" not in (error.expected or ""):
            raise
        raise refused("--rtt", rtt, f"{error.expected} (--netem; without --rtt it is {DEFAULTS['rtt']})") from None
