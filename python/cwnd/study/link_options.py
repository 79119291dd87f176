# SPDX-License-Identifier: MIT OR Apache-2.0
"""`--trace` and `--netem` of `cwnd run` and `cwnd sweep`: the rate of the first link from a file, and the link in the words of tc. In a study several
values are an axis.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from cwnd._native import Scenario
from cwnd.input_errors import refused, refused_path
from cwnd.input_files import InputFileError, read_bytes
from cwnd.keywords import NO_RATE
from cwnd.netem_words import expanded, has_rate, link_keys, meanings, say_netem, tables_in, with_netem
from cwnd.study.grid import Grid, document_in
from cwnd.study.keys import full, with_value
from cwnd.study.netem_axes import Setting, overlap
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
        say_netem(meanings_in(document, line), f'"{line}"' if len(lines) > 1 else "")


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


def grid_with_options(grid: Grid, folder: Path, trace: str | None, netem: str | None) -> Grid:
    """The study of a file in `folder` with these options in place of its first link's own keys. Raises `ScenarioError`."""
    traces, lines = traces_of(trace), lines_of(netem)
    base = with_link_options(grid.base, folder, traces, lines)
    axes = axes_of(first_link(base.document), [beside(folder, file) for file in traces], lines)
    return replace(grid, base=base, axes={**grid.axes, **axes})


def with_link_options(base: Base, folder: Path, traces: list[str], lines: list[str]) -> Base:
    """The scenario of a file in `folder` with the first trace as the rate of its first link, and with the keys that the line means, if it is one.
    Raises `ScenarioError`.
    """
    document = base.document
    link = first_link(document)
    for option, given in (("--trace", traces), ("--netem", lines)):
        if given and "parking_lot" in document:
            expected = "a file with link: the links of a parking_lot have one table"
            raise refused(option, given[0], f"{expected}, whose keys --axis of cwnd sweep sets")
    if traces:
        check_trace(Path(traces[0]))
        document = with_value(document, f"{link}.rate", {"trace": beside(folder, traces[0])})
    for line in lines:
        check_one_rate(line, traces)
    if len(lines) == 1:
        document = with_value(document, f"{link}.netem", lines[0])
    own = {f"{link}.rate": Setting("--trace", traces[0])} if len(traces) == 1 else {}
    return replace(base, document=document, given=own)


def check_one_rate(line: str, traces: list[str]) -> None:
    """Refuses a line that has a rate beside a trace. Raises `ScenarioError`."""
    with_netem(line, {"rate": {"trace": traces[0]} if traces else None})


def check_trace(file: Path) -> None:
    """Refuses a trace that cannot be read, by the option's name. Raises `ScenarioError`."""
    try:
        read_bytes(file)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise refused_path("--trace", file, "a file that exists") from None
    except InputFileError as error:
        raise refused_path("--trace", file, str(error)) from None


def changed_scenario(path: Path, name: str | None, trace: Path | None, netem: str | None) -> tuple[Scenario, list[str]]:
    """The scenario of a file with these options of `cwnd run`, and what the words mean. Raises `ScenarioError`."""
    document, folder = document_in(path, name, ("SCENARIO.toml", "--name"))
    base = Base(expanded(document), folder)
    lines = [] if netem is None else [netem]
    changed = with_link_options(base, folder or Path(), [] if trace is None else [str(trace)], lines)
    said = [meaning for line in lines for meaning in meanings_in(base.document, line)]
    return changed.scenario({}), said


def meanings_in(document: Mapping[str, object], line: str) -> list[str]:
    """What a line means for the first link of a document."""
    links = tables_in(document.get("link"))
    link = links[0] if links else {}
    return meanings(line, has_rate=has_rate(link), link=link)


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
        for key in ("netem", *keys_of(line, has_rate=base_has_rate(document)))
    }
    for axis in axes:
        for key, option in said.items():
            if axis not in own and overlap(full(axis), key):
                raise refused("--axis", axis, f"no axis of it with {option}, which says it")


def base_has_rate(document: Mapping[str, object]) -> bool:
    """Whether the first link of a document has a rate."""
    return any(has_rate(link) for link in tables_in(document.get("link"))[:1])


def keys_of(line: str, *, has_rate: bool) -> Iterator[str]:
    """The keys of a link that a line means; of the queue the limit."""
    for key in link_keys(line, has_rate)[0]:
        yield "queue.limit" if key == "queue" else key
