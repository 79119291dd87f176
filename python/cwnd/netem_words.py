# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd.netem` and `--netem`: a link in the words of `tc … netem` or `tc … tbf`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import Annotated, Any

import typer

from cwnd import _native
from cwnd._native import ScenarioError
from cwnd.input_errors import refused
from cwnd.keywords import DEFAULTS
from cwnd.messages import note

EXAMPLE = "'delay 20ms 5ms loss gemodel 1% 10% rate 10mbit limit 1000'"
MEANINGS_HELP = "What each word means is said on standard error."
Netem = Annotated[
    str | None,
    typer.Option(
        "--netem",
        metavar="WORDS",
        help=f"The link in the words of tc netem or tc tbf, in place of --rate, --buffer, --loss and --jitter: {EXAMPLE}. {MEANINGS_HELP}",
        show_default=False,
    ),
]
FileNetem = Annotated[
    str | None,
    typer.Option(
        "--netem",
        metavar="WORDS",
        help=f"Words of tc netem or tc tbf, whose meaning replaces the first link's own keys: {EXAMPLE}. {MEANINGS_HELP}",
        show_default=False,
    ),
]


# `Any`: keywords of functions whose types differ.
def netem(words: str) -> dict[str, Any]:
    """The keywords of `dumbbell` and `compare` that mean the same as `words`, a line of `tc … netem` or `tc … tbf`.

    `cwnd.dumbbell("cubic", rtt="60ms", rate="10Mbit/s", **cwnd.netem("delay 20ms 5ms loss 1%"))`. `meanings` says what each word means. Raises
    `ScenarioError` for a word that has no counterpart, such as `duplicate` or a correlation.
    """
    keys, _ = link_keys(words)
    queue = keys.pop("queue", None)
    return {**keys, **({"buffer": queue["limit"]} if queue else {})}


def meanings(words: str) -> list[str]:
    """What each word of a line means, a line for each. Raises `ScenarioError`."""
    return link_keys(words)[1]


def link_keys(words: object) -> tuple[dict[str, Any], list[str]]:
    """The keys of a link that words mean, and what each word means. Raises `ScenarioError`."""
    if not isinstance(words, str):
        raise refused("netem", words, 'words of netem, such as "delay 20ms loss 1%"')
    keys, lines = _native.netem_meaning(words)
    settings: dict[str, Any] = json.loads(keys)
    return settings, lines


def set_netem(link: dict[str, object], words: object) -> None:
    """Sets the keys of a link's table that words mean; of its queue, the limit. Raises `ScenarioError`."""
    keys, _ = link_keys(words)
    if (queue := keys.pop("queue", None)) is not None:
        present = link.get("queue")
        link["queue"] = {**present, "limit": queue["limit"]} if isinstance(present, dict) else queue
    link.update(keys)


def with_netem(
    words: str | None, given: Mapping[str, object], defaults: Mapping[str, str] = DEFAULTS
) -> tuple[dict[str, object], list[str]]:
    """The options of a link with those that --netem stands for, and what its words mean. Raises `ScenarioError` where both are given:
    an option that has its default is not.
    """
    if words is None:
        return dict(given), []
    settings = netem(words)
    for key in settings:
        if (value := given.get(key)) not in (None, defaults.get(key)):
            option, shown = ("trace", value["trace"]) if isinstance(value, Mapping) else (key, value)
            raise refused(f"--{option}", shown, f"no --{option} with --netem, whose words say it")
    return {**given, **settings}, meanings(words)


def say_netem(lines: Iterable[str], of: str = "") -> None:
    """Notes what words mean; `of` are the words, where there are several lines of them."""
    for line in lines:
        note(f"netem {of}: {line}" if of else f"netem: {line}")


def expanded(document: Mapping[str, object]) -> Mapping[str, object]:
    """A scenario's document in which the key `netem` of a link is replaced by the keys that it means, so that each of them can be changed.

    A link whose words are wrong, or that has one of these keys too, stays as it is: the reader of scenarios refuses it.
    """
    copy = deepcopy(dict(document))
    links = [table for key in ("link", "parking_lot") for table in tables_in(copy.get(key))]
    reverse = [table for link in links for table in tables_in(link.get("reverse"))]
    for link in [*links, *reverse]:
        with suppress(ScenarioError):
            if "netem" in link and link.keys().isdisjoint(link_keys(link["netem"])[0]):
                set_netem(link, link.pop("netem"))
    return copy


def tables_in(value: object) -> list[dict[str, object]]:
    """The tables of a list, or the one table."""
    return [table for table in (value if isinstance(value, list) else [value]) if isinstance(table, dict)]


@contextmanager
def naming_rtt(words: str | None, rtt: str) -> Iterator[None]:
    """Says that --rtt is shorter than a delay that --netem sets, where that is why a scenario is refused."""
    try:
        yield
    except ScenarioError as error:
        if words is None or error.field != "link.rtt" or "the delay of the link" not in (error.expected or ""):
            raise
        raise refused("--rtt", rtt, f"{error.expected} (--netem; without --rtt it is {DEFAULTS['rtt']})") from None
