# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the caption of a picture of a study says: the set-up, what is drawn, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence

from cwnd.metrics.rates import is_unfinished
from cwnd.plot.studies.layout import Layout
from cwnd.plot.studies.selection import Chosen
from cwnd.scenario.keywords import NO_RATE
from cwnd.scenario.notation import count_of, level_words

#: The settings that every point has, in the order of a caption, and how each is said.
SETTINGS = {
    "links": "{}",
    "rate": "{}",
    "rtt": "RTT {}",
    "buffer": "buffer {}",
    "delay_limit": "at most {} on the link",
    "queue": "{}",
    "loss": "loss {}",
    "jitter": "{}",
    "reorder": "{}",
    "packet_size": "{}",
    "reverse": "{}",
    "reverse_path": "{}",
    "flows": "{}",
    "duration": "{}",
    "measured": "measured from {}",
}


def set_up(layout: Layout) -> list[str]:
    """The settings that all points share, the factors that are fixed, and those that go with the one along the axis."""
    chosen = layout.chosen
    words = []
    for name, form in SETTINGS.items():
        value = chosen.study.fixed.get(name, "")
        if name == "rate" and value == NO_RATE:
            words.append("no rate")
        elif value and value != "droptail":
            words.append(form.format(value))
    for factor in chosen.factors.values():
        if len(factor.levels) == 1:
            words.append(f"{'RTT' if factor.name == 'rtt' else factor.name} {level_words(factor.levels[0])}")
    if chosen.of == "link":
        links = {row["name"] for row in chosen.means()}
        words.append(f"link {', '.join(sorted(links))}" if links != {"link"} else "")
    if layout.x is not None:
        names = " and ".join(layout.together)
        if names and layout.joined:
            words.append(f"{names} together with {layout.x.name}")
        elif names:
            words.append(f"{names} different from point to point")
    return [", ".join(word for word in words if word)] if any(words) else []


def of_means(chosen: Chosen, drawn_as: str) -> list[str]:
    """What the points and the bands or bars are (nothing where intervals are not drawn), over how many seeds, and how many are missing."""
    rows = chosen.means()
    centre = " and ".join(dict.fromkeys(f"{row['centre']}s" for row in rows))
    has_interval = any(row["low"] is not None for row in rows)
    said = f"{centre} over {seeds_in_words([row['n'] for row in rows])}"
    if has_interval and drawn_as:
        said += f"; {drawn_as}: 95 % intervals"
    return [said, *missing(chosen)]


def seeds_in_words(counts: Sequence[int]) -> str:
    """How many seeds: `10 seeds`, `5 to 40 seeds`."""
    low, high = min(counts), max(counts)
    if low == high:
        return f"{low} seed" if low == 1 else f"{low} seeds"
    return f"{low} to {high} seeds"


def failed_points(chosen: Chosen) -> list[str]:
    """How many points have failed."""
    points = {tuple(map(str, each["factors"].values())) for each in chosen.failed()}
    return [f"{len(points)} {'point' if len(points) == 1 else 'points'} with runs that failed"] if points else []


def missing(chosen: Chosen) -> list[str]:
    """How many points have failed, how many have no value, and how many a mean without the seeds whose transfers did not end."""
    said = failed_points(chosen)
    rows = chosen.means()
    empty = sum(1 for row in rows if row["value"] is None)
    selected = sum(1 for row in rows if row["value"] is not None and row["undefined"] and is_unfinished(row["why"]))
    if selected:
        said.append(f"{count_of(selected, 'value')} without the seeds whose transfers did not end")
    if empty:
        said.append(f"{empty} {'value is' if empty == 1 else 'values are'} undefined")
    return said
