# SPDX-License-Identifier: MIT OR Apache-2.0
"""What `cwnd plot` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cwnd._internal.input_errors import refused, refused_path
from cwnd._internal.temporary_files import replacing
from cwnd._native import ScenarioError
from cwnd.cli.entry import fail
from cwnd.kernel.result import KernelTrace
from cwnd.load import NoResultError, load
from cwnd.plot.redraw import redraw
from cwnd.replicates.api import Replicates
from cwnd.study.results import Study
from cwnd.study.values import split

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cwnd.plot.studies.kinds import Kind

FORMATS = ("png", "svg", "pdf")
#: Where and how a picture is written: width, format, file.
Output = tuple[str | None, str | None, Path | None]
#: The options that stand for arguments of another name.
OPTIONS = {"study": "DIR", "runs": "DIR", "DIR": "DIR", "out": "-o"}


def draw_from(
    folders: Sequence[Path],
    kind: str | None,
    options: Mapping[str, object],
    where: Sequence[str],
    output: Output,
) -> list[Path]:
    """Draws what is in folders; returns the pictures' files. Ends the program where that is not accepted."""
    given = {name: value for name, value in options.items() if value is not None}
    try:
        results = [load(folder) for folder in folders]
        first = results[0]
        told = [*given, *(name for name, value in zip(("width", "format", "out"), output, strict=True) if value)]
        if len(folders) == 1 and not isinstance(first, Study | Replicates) and kind is None:
            if told or where:
                fail(f"{option([*told, 'where'][0])}: not accepted without --kind for a run; expected --kind with it")
            return redraw(folders[0])
    except NoResultError as error:
        fail(f"DIR: {str(error).removeprefix('folder: ')}")
    try:
        if isinstance(first, Study) and len(folders) == 1:
            return [draw_study(first, folders[0], kind, given, where, output)]
        for folder, result in zip(folders, results, strict=True):
            if isinstance(result, Study | KernelTrace):
                what = (
                    "a study is drawn alone"
                    if isinstance(result, Study)
                    else "a kernel trace is drawn alone, without --kind"
                )
                raise refused("DIR", str(folder), f"runs or replicates; {what}")
        if where:
            raise refused("where", where[0], "it with a study")
        return [draw_runs(folders, kind, given, output)]
    except ScenarioError as error:
        # Arguments of Python's functions are options here, and results are folders.
        if error.value is None and option(error.field) == "DIR":
            error = refused_path("DIR", Path(" ".join(map(str, folders))), error.expected)
        fail(str(error).replace(error.field, option(error.field), 1))


def draw_runs(folders: Sequence[Path], kind: str | None, given: Mapping[str, object], output: Output) -> Path:
    """Draws a picture of runs to a file."""
    from cwnd.plot.runs.kinds import DEFAULT, KINDS

    # Of several folders none is the picture's.
    return written(folders[0] if len(folders) == 1 else Path(), list(folders), kind or DEFAULT, (KINDS, given), output)


def option(field: str) -> str:
    """The option that an argument of a function is."""
    return field if field.startswith("-") else OPTIONS.get(field, f"--{field.replace('.', ' ')}")


def draw_study(
    study: Study,
    folder: Path,
    kind: str | None,
    given: Mapping[str, object],
    where: Sequence[str],
    output: Output,
) -> Path:
    """Draws a picture of a study to a file."""
    from cwnd.plot.studies.kinds import DEFAULT, KINDS

    return written(folder, study, kind or DEFAULT, (KINDS, given), output, where=conditions(where))


def written(
    folder: Path,
    data: object,
    name: str,
    arguments: tuple[Mapping[str, Kind], Mapping[str, object]],
    output: Output,
    **more: object,
) -> Path:
    """Draws a kind of picture, and writes it to the file that is asked for, or into `folder`."""
    kinds, given = arguments
    width, form, out = output
    if name not in kinds:
        raise refused("kind", name, "a kind of picture for this result", kinds)
    for argument, value in given.items():
        if argument not in kinds[name].arguments:
            having = [each for each, found in kinds.items() if argument in found.arguments]
            expected = f"it with --kind {' or '.join(having)}, not {name}" if having else f"no such option with {name}"
            raise refused(argument, value, expected)
    suffix = out.suffix.removeprefix(".") if out is not None else ""
    if form is not None and suffix and form != suffix:
        raise refused("format", form, f"{suffix}, to match the file's name")
    chosen = form or suffix or FORMATS[0]
    if chosen not in FORMATS:
        if form is None:
            raise refused("out", str(out), "a name that ends in .png, .svg or .pdf")
        raise refused("format", form, "png, svg or pdf")
    figure = kinds[name].draw(data, **more, **{"width": width} if width else {}, **given)
    path = out or folder / f"{name}.{chosen}"
    write(figure, path, chosen)
    return path


def conditions(texts: Sequence[str]) -> dict[str, object]:
    """`COLUMN=VALUES` of the command line as `where`."""
    found: dict[str, object] = {}
    for text in texts:
        column, equals, values = text.partition("=")
        if not (column and equals and values):
            raise refused("where", text, "COLUMN=VALUES, such as rtt=40ms or 'label=cubic,reno'")
        if column in found:
            raise refused("where", column, "each column once")
        found[column] = split(values)
    return found


def write(figure: Figure, path: Path, form: str) -> None:
    """Writes a figure atomically: text as text, without a date, so that equal pictures are equal files."""
    import matplotlib as mpl

    metadata = {"png": {"Software": "cwnd"}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    settings = {"svg.fonttype": "none", "svg.hashsalt": "cwnd", "pdf.fonttype": 42}
    with mpl.rc_context(settings), replacing(path) as part:
        figure.savefig(part, format=form, dpi=200, metadata=metadata)
