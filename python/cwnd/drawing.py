# SPDX-License-Identifier: MIT OR Apache-2.0
"""What `cwnd plot` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cwnd._native import ScenarioError
from cwnd.exit_codes import fail
from cwnd.input_errors import refused
from cwnd.reading import NoResultError, load
from cwnd.redraw import redraw
from cwnd.replicates.folder import replacing
from cwnd.study.results import Study
from cwnd.study.values import split

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
#: Where and how a picture is written: width, format, file.
Output = tuple[str | None, str | None, Path | None]
#: The options that stand for arguments of another name.
OPTIONS = {"comparison": "--ratio", "study": "DIR", "out": "-o"}


def draw_from(
    folder: Path, kind: str | None, options: Mapping[str, str | None], where: Sequence[str], output: Output
) -> list[Path]:
    """Draws what is in a folder; returns the pictures' files. Ends the program where that is not accepted."""
    given = {name: value for name, value in options.items() if value is not None}
    try:
        result = load(folder)
        if not isinstance(result, Study):
            told = [*([] if kind is None else ["kind"]), *given, *(["where"] if where else [])]
            told += [name for name, value in zip(("width", "format", "out"), output, strict=True) if value is not None]
            if told:
                raise refused(option(told[0]), str(folder), "a study, of cwnd sweep -o, with this option")
            return redraw(folder)
    except NoResultError as error:
        fail(f"DIR: {str(error).removeprefix('folder: ')}")
    try:
        return [draw_study(result, folder, kind, given, where, output)]
    except ScenarioError as error:
        # Arguments of Python's functions are options here.
        fail(str(error).replace(error.field, option(error.field), 1))


def option(field: str) -> str:
    """The option that an argument of a function is."""
    return field if field.startswith("-") else OPTIONS.get(field, f"--{field.replace('.', ' ')}")


def draw_study(
    study: Study,
    folder: Path,
    kind: str | None,
    given: Mapping[str, str],
    where: Sequence[str],
    output: Output,
) -> Path:
    """Draws a picture of a study to a file."""
    from cwnd.plot.studies.kinds import DEFAULT, KINDS

    width, form, out = output
    name = kind or DEFAULT
    if name not in KINDS:
        raise refused("kind", name, "a kind of picture", KINDS)
    for argument, value in given.items():
        if argument not in KINDS[name].arguments:
            having = [each for each, found in KINDS.items() if argument in found.arguments]
            raise refused(argument, value, f"it with --kind {' or '.join(having)}, not {name}")
    suffix = out.suffix.removeprefix(".") if out is not None else ""
    if form is not None and suffix and form != suffix:
        raise refused("format", form, f"{suffix}, as the name of the file says")
    chosen = form or suffix or FORMATS[0]
    if chosen not in FORMATS:
        if form is None:
            raise refused("out", str(out), "a name that ends in .png, .svg or .pdf")
        raise refused("format", form, "png, svg or pdf")
    figure = KINDS[name].draw(study, where=conditions(where), **{"width": width} if width else {}, **given)
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
    """Writes a figure, all of it or nothing: text as text, no date, so that the same picture is the same file."""
    import matplotlib as mpl

    metadata = {"png": {"Software": "cwnd"}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    settings = {"svg.fonttype": "none", "svg.hashsalt": "cwnd", "pdf.fonttype": 42}
    with mpl.rc_context(settings), replacing(path) as part:
        figure.savefig(part, format=form, dpi=200, metadata=metadata)
