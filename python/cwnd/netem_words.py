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
from cwnd.keywords import DEFAULTS, NO_RATE
from cwnd.messages import note
from cwnd.settings import Rate

EXAMPLE = "'delay 20ms 5ms loss gemodel 1% 10% rate 10mbit limit 1000'"
MEANINGS_HELP = "What each word means is said on standard error."
Netem = Annotated[
    str | None,
    typer.Option(
        "--netem",
        metavar="WORDS",
        help=f"The link in the words of tc netem or tc tbf, in place of --rate, --buffer, --loss and --jitter: {EXAMPLE}. Without rate, and without --rate, the link has none. {MEANINGS_HELP}",
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
def netem(words: str, *, rate: Rate | None = None) -> dict[str, Any]:
    """The keywords of `dumbbell` and `compare` that mean the same as `words`, a line of `tc … netem` or `tc … tbf`.

    `cwnd.dumbbell("cubic", rtt="60ms", **cwnd.netem("delay 20ms 5ms loss 1%", rate="10Mbit/s"))`. `rate` is that of the link, where the words have
    none. Without either the link has no rate, as on the command line. Raises `ScenarioError` for a word that has no counterpart, such as
    `duplicate` or a correlation.
    """
    settings = keywords_of(words, rate not in (None, NO_RATE))
    if rate is not None and "rate" in settings:
        raise refused("rate", rate, "no rate=: the words have one")
    return {"rate": NO_RATE if rate is None else rate, **settings}


def keywords_of(words: str, has_rate: bool, link: Mapping[str, object] | None = None) -> dict[str, Any]:
    """The keywords that words mean; arguments as in `link_keys`."""
    keys, _ = link_keys(words, has_rate, link)
    queue = keys.pop("queue", None)
    return {**keys, **({"buffer": queue["limit"]} if queue else {})}


def meanings(words: str, *, has_rate: bool, link: Mapping[str, object] | None = None) -> list[str]:
    """What each word of a line means, a line for each; arguments as in `link_keys`. Raises `ScenarioError`."""
    keys, lines = link_keys(words, has_rate, link)
    if not has_rate and "rate" not in keys:
        lines.append("no rate: a packet takes no time to send, and none waits")
    return lines


def link_keys(
    words: object, has_rate: bool, link: Mapping[str, object] | None = None
) -> tuple[dict[str, Any], list[str]]:
    """The keys of a link that words mean, and what each word means. `has_rate`: whether the link has a rate where the words have none. A limit in the
    table of the `link` stays, where netem's own would be the only other. Raises `ScenarioError`.
    """
    if not isinstance(words, str):
        raise refused("netem", words, 'words of netem, such as "delay 20ms loss 1%"')
    text, lines, default = _native.netem_meaning(words, has_rate)
    keys: dict[str, Any] = json.loads(text)
    if default is not None:
        key, value, line = default
        present = (link or {}).get(key)
        if "limit" not in present if isinstance(present, dict) else present is None:
            keys[key] = json.loads(value)
            lines.append(line)
    return keys, lines


def has_rate(link: Mapping[str, object], forward: Mapping[str, object] | None = None) -> bool:
    """Whether a link's table has a rate; one of a reverse path without the key has that of the `forward` link."""
    if "rate" not in link and forward is not None:
        return has_rate(forward)
    return link.get("rate", NO_RATE) != NO_RATE


def set_netem(link: dict[str, object], words: object, forward: Mapping[str, object] | None = None) -> None:
    """Sets the keys of a link's table that words mean; of its queue, the limit. `forward` as in `has_rate`. Raises `ScenarioError`."""
    keys, _ = link_keys(words, has_rate(link, forward), link)
    if "rate" in keys:
        # With a rate it has a queue instead.
        link.pop("delay_limit", None)
    if (queue := keys.pop("queue", None)) is not None:
        present = link.get("queue")
        link["queue"] = {**present, "limit": queue["limit"]} if isinstance(present, dict) else queue
    link.update(keys)


def with_netem(words: str | None, given: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
    """The options of a link with those that --netem stands for, and what its words mean. A link that neither gives a rate has none. Raises
    `ScenarioError` where both give one thing.
    """
    if words is None:
        return dict(given), []
    is_rated = given.get("rate") not in (None, NO_RATE)
    buffer = given.get("buffer")
    link = {} if buffer is None else {"queue": {"limit": buffer}}
    settings = keywords_of(words, is_rated, link)
    for key in settings:
        if (value := given.get(key)) is not None:
            option, shown = ("trace", value["trace"]) if isinstance(value, Mapping) else (key, value)
            raise refused(f"--{option}", shown, f"no --{option} with --netem, whose words say it")
    if not is_rated:
        settings.setdefault("rate", NO_RATE)
    return {**given, **settings}, meanings(words, has_rate=is_rated, link=link)


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
    reverse = [(table, link) for link in links for table in tables_in(link.get("reverse"))]
    for link, forward in [*((link, None) for link in links), *reverse]:
        with suppress(ScenarioError):
            if "netem" in link and link.keys().isdisjoint(link_keys(link["netem"], has_rate(link, forward), link)[0]):
                set_netem(link, link.pop("netem"), forward)
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
