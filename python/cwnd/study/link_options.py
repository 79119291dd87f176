# SPDX-License-Identifier: MIT OR Apache-2.0
"""`--trace` and `--netem` of `cwnd sweep`: the rate of the first link from a file, and the link in the words of tc. Several values are an axis."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from cwnd.input_errors import refused
from cwnd.keywords import NO_RATE
from cwnd.netem_words import has_rate, link_keys, meanings, say_netem, tables_in, with_netem
from cwnd.study.grid import Grid
from cwnd.study.keys import full, with_value
from cwnd.study.points import Base
from cwnd.study.values import Values, once, values_of
from cwnd.traced import rate_of


def traces_of(text: str | None) -> list[str]:
    """The files of `--trace`, with commas between them."""
    return once("--trace", text.split(",")) if text is not None else []


def lines_of(text: str | None) -> list[str]:
    """The lines of `--netem`: one, or several with commas in braces."""
    if text is None:
        return []
    if not text.strip().startswith("{"):
        return [text]
    lines = values_of("--netem", text)
    return lines if isinstance(lines, list) else [text]


def say_meanings(netem: str | None, document: Mapping[str, object]) -> None:
    """Says what the lines of `--netem` mean for the first link of the base's document."""
    lines = lines_of(netem)
    for line in lines:
        say_netem(meanings(line, has_rate=base_has_rate(document)), f'"{line}"' if len(lines) > 1 else "")


def axes_of(link: str, traces: list[str], lines: list[str]) -> dict[str, Values]:
    """The axes that several values are; `link` is the key of the link."""
    axes: dict[str, Values] = {}
    if len(traces) > 1:
        axes[f"{link}.rate.trace"] = traces
    if len(lines) > 1:
        axes[f"{link}.netem"] = lines
    return axes


def bottleneck_options(
    link: Mapping[str, str | None], trace: str | None, netem: str | None
) -> tuple[dict[str, object], dict[str, Values]]:
    """Settings of the one bottleneck, besides its options `link`, and the axes that these are. Raises `ScenarioError`."""
    traces, lines = traces_of(trace), lines_of(netem)
    given = {**link, "rate": rate_of(link["rate"], Path(traces[0]) if traces else None)}
    settings: dict[str, object] = {"rate": given["rate"]} if traces else {}
    if len(lines) > 1 and given["rate"] is None:
        # Each point has the rate of its line, or none.
        settings["rate"] = NO_RATE
    for line in lines:
        merged, _ = with_netem(line, given)
        if len(lines) == 1:
            settings |= {key: value for key, value in merged.items() if value != link.get(key)}
    return settings, axes_of("link", traces, lines)


def with_link_options(grid: Grid, folder: Path, trace: str | None, netem: str | None) -> Grid:
    """The study of a file in `folder` with these options in place of its first link's own keys. Raises `ScenarioError`."""
    traces, lines = [beside(folder, file) for file in traces_of(trace)], lines_of(netem)
    link = first_link(grid.base.document)
    document: Mapping[str, object] = grid.base.document
    for option, given in (("--trace", trace), ("--netem", netem)):
        if given is not None and "parking_lot" in document:
            raise refused(
                option, given, "a file with link: the links of a parking_lot have one table, whose keys --axis sets"
            )
    if traces:
        document = with_value(document, f"{link}.rate", {"trace": traces[0]})
    for line in lines:
        # Refuses two rates.
        with_netem(line, {"rate": {"trace": traces[0]} if traces else None})
    if len(lines) == 1:
        document = with_value(document, f"{link}.netem", lines[0])
    return replace(grid, base=Base(document, grid.base.files), axes={**grid.axes, **axes_of(link, traces, lines)})


def first_link(document: Mapping[str, object]) -> str:
    """The key of the first link."""
    return "link[0]" if isinstance(document.get("link"), list) else "link"


def beside(folder: Path, file: str) -> str:
    """The path of a file of the working directory as a scenario in `folder` writes it."""
    path = Path(file)
    if path.is_absolute() or folder.absolute() == Path.cwd():
        return file
    # The system follows a link to the folder before `..`.
    return str(Path(os.path.relpath(path.parent.resolve(), folder.resolve())) / path.name)


def check_axes(
    axes: Mapping[str, Values], document: Mapping[str, object], trace: str | None, netem: str | None
) -> None:
    """Refuses an axis of what the options say already. Raises `ScenarioError`."""
    link = first_link(document)
    own = axes_of(link, traces_of(trace), lines_of(netem))
    said = {key: "--trace" for key in [f"{link}.rate"] if trace is not None}
    said |= {
        f"{link}.{key}": "--netem"
        for line in lines_of(netem)
        for key in keys_of(line, has_rate=base_has_rate(document))
    }
    for axis in axes:
        for key, option in said.items():
            if axis not in own and (full(axis) == key or full(axis).startswith(f"{key}.")):
                raise refused("--axis", axis, f"no axis of it with {option}, which says it")


def base_has_rate(document: Mapping[str, object]) -> bool:
    """Whether the first link of a document has a rate."""
    return any(has_rate(link) for link in tables_in(document.get("link"))[:1])


def keys_of(line: str, *, has_rate: bool) -> Iterator[str]:
    """The keys of a link that a line means; of the queue the limit."""
    for key in link_keys(line, has_rate)[0]:
        yield "queue.limit" if key == "queue" else key
