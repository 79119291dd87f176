# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd.netem` and `--netem`: a link in the words of `tc … netem` or `tc … tbf`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from cwnd import _native
from cwnd._internal.input_errors import refused
from cwnd._internal.messages import note
from cwnd._native import ScenarioError
from cwnd.scenario.flow import Rate
from cwnd.scenario.keywords import DEFAULTS, NO_RATE

EXAMPLE = "'delay 20ms 5ms loss gemodel 1% 10% rate 10mbit limit 1000'"
MEANINGS_HELP = "The meaning of each word is printed on standard error."
#: Keys of a link that words may leave as they are, and what this means for packets, where the words set the delay.
KEPT = {
    "delay": "",
    "jitter": ", and the delay varies",
    "loss": "",
    "reorder": ", and some packets take longer",
}
Netem = Annotated[
    str | None,
    typer.Option(
        "--netem",
        metavar="WORDS",
        help=f"The link in tc netem or tc tbf syntax: {EXAMPLE}. --rate, --buffer, --loss and --jitter are refused if the line sets the same. Without a rate in the line or --rate, the link has none. {MEANINGS_HELP}",
        show_default=False,
    ),
]
FileNetem = Annotated[
    str | None,
    typer.Option(
        "--netem",
        metavar="WORDS",
        help=f"The first link in tc netem or tc tbf syntax: {EXAMPLE}. What the line sets replaces the link's own keys, and its key netem. {MEANINGS_HELP}",
        show_default=False,
    ),
]


# `Any`: keywords of functions whose types differ.
def netem(words: str, *, rate: Rate | None = None) -> dict[str, Any]:
    """The keywords of `dumbbell` and `compare` that mean the same as `words`, a line of `tc … netem` or `tc … tbf`.

    `cwnd.dumbbell("cubic", rtt="60ms", **cwnd.netem("delay 20ms 5ms loss 1%", rate="10Mbit/s"))`. `rate` is the rate of the link if the words have
    none. Without either (`rate=None`) the link has no rate, as on the command line; `cwnd.compare` takes 100 Mbit/s there.
    Raises `ScenarioError` for a word that has no counterpart, such as `duplicate` or a correlation.
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
    lines += kept_keys(keys, link or {})
    if not has_rate and "rate" not in keys:
        lines.append("no rate: sending a packet takes no time, and no packet waits")
    return lines


def kept_keys(keys: Mapping[str, object], link: Mapping[str, object]) -> Iterator[str]:
    """What stays of the link, a line for each: its own keys that words of netem could set, where the `keys` that the words mean have none."""
    for key, effect in KEPT.items():
        if key not in keys and link.get(key) not in (None, "none", "0s"):
            yield f"{key}: the words do not set it, so the link keeps its own{effect if 'delay' in keys else ''}"


def link_keys(
    words: object, has_rate: bool, link: Mapping[str, object] | None = None
) -> tuple[dict[str, Any], list[str]]:
    """The keys of a link that words mean, `None` for one that they turn off, and what each word means. `has_rate`: whether the link has a rate where the words have none. A limit in the
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
    put_keys(link, link_keys(words, has_rate(link, forward), link)[0])


def put_keys(link: dict[str, object], keys: dict[str, object]) -> None:
    """Sets the keys that a line means in a link's table; of its queue, the limit."""
    if "rate" in keys:
        # With a rate it has a queue instead.
        link.pop("delay_limit", None)
    if isinstance(queue := keys.pop("queue", None), dict):
        present = link.get("queue")
        link["queue"] = {**present, "limit": queue["limit"]} if isinstance(present, dict) else queue
    link.update(keys)
    # `loss 0%`: turned off.
    for key in [key for key, value in keys.items() if value is None]:
        del link[key]


def with_netem(words: str | None, given: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
    """The options of a link with those that --netem stands for, and what its words mean. A link that neither gives a rate has none. Raises
    `ScenarioError` where both give one thing.
    """
    if words is None:
        return dict(given), []
    is_rated = given.get("rate") not in (None, NO_RATE)
    buffer = given.get("buffer")
    link = {**given, **({} if buffer is None else {"queue": {"limit": buffer}})}
    settings = keywords_of(words, is_rated, link)
    for key in settings:
        if (value := given.get(key)) is not None:
            option, shown = ("trace", value["trace"]) if isinstance(value, Mapping) else (key, value)
            raise refused(f"--{option}", shown, f"no --{option} with --netem, whose words set it")
    if not is_rated:
        settings.setdefault("rate", NO_RATE)
    return {**given, **settings}, meanings(words, has_rate=is_rated, link=link)


def say_netem(lines: Iterable[str]) -> None:
    """Notes what words mean."""
    for line in lines:
        note(f"netem: {line}")


def tables_in(value: object) -> list[dict[str, object]]:
    """The tables of a list, or the one table."""
    return [table for table in (value if isinstance(value, list) else [value]) if isinstance(table, dict)]


@contextmanager
def naming_rtt(words: str | None, rtt: object) -> Iterator[None]:
    """Says that --rtt is shorter than a delay that --netem sets, where that is why a scenario is refused."""
    try:
        yield
    except ScenarioError as error:
        if words is None or error.field != "link.rtt" or "the delay of the link" not in (error.expected or ""):
            raise
        raise refused("--rtt", rtt, f"{error.expected} (--netem; without --rtt it is {DEFAULTS['rtt']})") from None
