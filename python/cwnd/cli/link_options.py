# SPDX-License-Identifier: MIT OR Apache-2.0
"""`--trace` and `--netem` of `cwnd run` and `cwnd sweep`: the rate of the first link from a file, and the link in the words of tc. In a study several
values are an axis.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cwnd._internal.input_errors import refused, refused_path
from cwnd._internal.input_files import InputFileError, read_bytes
from cwnd._native import Scenario
from cwnd.cli.rate_file import rate_of
from cwnd.scenario.flow import Value
from cwnd.scenario.netem import link_keys, with_netem
from cwnd.study.grid import Grid, document_in
from cwnd.study.keys import full
from cwnd.study.netem_axes import Setting, link_settings, overlap, said_by
from cwnd.study.point_document import notes
from cwnd.study.points import Base
from cwnd.study.values import Values, once, values_of


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


def axes_of(link: str, traces: list[str], lines: list[str]) -> dict[str, Values]:
    """The axes that several values are; `link` is the key of the link."""
    axes: dict[str, Values] = {}
    if len(traces) > 1:
        axes[f"{link}.rate.trace"] = traces
    if len(lines) > 1:
        axes[f"{link}.netem"] = lines
    return axes


def bottleneck_options(
    link: Mapping[str, str], trace: str | None, netem: str | None
) -> tuple[dict[str, object], dict[str, Values], list[str]]:
    """Settings of the one bottleneck, besides its options `link`, the axes that these are, and the lines. Raises `ScenarioError`."""
    traces, lines = traces_of(trace), lines_of(netem)
    rate = rate_of(link.get("rate"), Path(traces[0]) if traces else None)
    given = link_settings({**link, "trace": traces[0] if traces else None}, "--")
    for line in lines:
        link_keys(line, has_rate=True)
        for key in said_by([line]):
            for set_key, (name, value) in given.items():
                if overlap(set_key, f"link.{key}"):
                    raise refused(name, value, f"no {name} with --netem, whose words set it")
    return {"rate": rate} if traces else {}, axes_of("link", traces, lines), lines


def grid_with_options(grid: Grid, folder: Path, trace: str | None, netem: str | None) -> Grid:
    """The study of a file in `folder` with these options in place of its first link's own keys. Raises `ScenarioError`."""
    traces, lines = traces_of(trace), lines_of(netem)
    base = with_options(grid.base, folder, traces, lines)
    axes = axes_of(first_link(base.document), [beside(folder, file) for file in traces], lines)
    return replace(grid, base=base, axes={**grid.axes, **axes})


def with_options(base: Base, folder: Path, traces: list[str], lines: list[str]) -> Base:
    """The scenario of a file in `folder` with the first trace as the rate of its first link, and with the line in place of the link's own keys, if
    it is one. Raises `ScenarioError`.
    """
    link = first_link(base.document)
    for option, given in (("--trace", traces), ("--netem", lines)):
        if given and "parking_lot" in base.document:
            expected = "a file with link: the links of a parking_lot have one table"
            raise refused(option, given[0], f"{expected}, whose keys --axis of cwnd sweep sets")
    for line in lines:
        check_one_rate(line, traces)
    fixed: dict[str, Value] = {}
    if traces:
        check_trace(Path(traces[0]))
        fixed[f"{link}.rate"] = {"trace": beside(folder, traces[0])}
    if len(lines) == 1:
        fixed[f"{link}.netem"] = lines[0]
    own = {f"{link}.rate": Setting("--trace", traces[0])} if len(traces) == 1 else {}
    return replace(base, given=own, fixed=fixed)


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
    """The scenario of a file with these options of `cwnd run`, and what its lines mean, as notes. Raises `ScenarioError`."""
    document, folder = document_in(path, name, ("SCENARIO.toml", "--name"))
    lines = [] if netem is None else [netem]
    base = with_options(Base(document, folder), folder or Path(), [] if trace is None else [str(trace)], lines)
    scenario, said = base.explained({})
    return scenario, notes(said, f"{first_link(document)}.netem" if lines else None)


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
    lines = lines_of(netem)
    own = axes_of(link, traces_of(trace), lines)
    said = {key: "--trace" for key in [f"{link}.rate"] if trace is not None}
    said |= {f"{link}.{key}": "--netem" for key in (("netem", *said_by(lines)) if lines else ())}
    for axis in axes:
        for key, option in said.items():
            if axis not in own and overlap(full(axis), key):
                raise refused("--axis", axis, f"no axis of it with {option}, which sets it")
