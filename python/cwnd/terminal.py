# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables for any terminal: as wide as it is, in the characters that it has, and never a number cut."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence

from rich.box import SIMPLE_HEAD, Box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

# Where standard output is no terminal.
WIDTH = 100
# Wider than any table.
UNLIMITED = 1 << 16
# What stands for a character where there is ASCII only; "?" for any other.
ASCII = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ρ": "rho",
    "τ": "tau",
    "±": "+-",
    "×": "x",
    "·": ".",
    "→": "->",
    "≤": "<=",
    "≥": ">=",
    "…": "...",
    "–": "-",
    "§": "section ",
}
RULE = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)


def is_ascii() -> bool:
    """Whether standard output takes ASCII only: by its encoding, or because the locale is C."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower()
    named = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    return not encoding.startswith("utf") or named in ("C", "POSIX")


def in_ascii(text: str) -> str:
    """The text in ASCII, as `ASCII` has it."""
    return "".join(letter if letter.isascii() else ASCII.get(letter, "?") for letter in text)


def printable(text: str) -> str:
    """The text as standard output can show it."""
    return in_ascii(text) if is_ascii() else text


def forgiving() -> None:
    """Has standard output and error write what their encoding lacks as `in_ascii` does, instead of failing."""

    def replaced(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        # A byte of the command line that is no text, as it came.
        bytes_ = error.object[error.start : error.end]
        return "".join("?" if 0xDC80 <= ord(letter) <= 0xDCFF else in_ascii(letter) for letter in bytes_), error.end

    codecs.register_error("cwnd.ascii", replaced)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and not (stream.encoding or "").lower().startswith("utf"):
            stream.reconfigure(errors="cwnd.ascii")


class Page:
    """Standard output: the terminal, or a page as wide as `WIDTH`."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(
            width=None if sys.stdout.isatty() else WIDTH, highlight=False, markup=False, emoji=False
        )

    def print(self, what: str | Grid, *, soft_wrap: bool = False) -> None:
        """A table, or a text that is broken between words."""
        self._console.print(printable(what) if isinstance(what, str) else what, soft_wrap=soft_wrap)


class Grid:
    """A table whose first column is a name and whose others are numbers.

    Where it is wider than the terminal its columns are spread over several tables, each with the names; where not even two of
    them fit, each row becomes a list.
    """

    def __init__(
        self,
        first: str,
        headings: Sequence[str],
        rows: Iterable[tuple[str, Sequence[str]]],
        *,
        texts: bool = False,
        dim: Collection[int] = (),
    ) -> None:
        """With `texts` the columns are no numbers; the rows `dim` are over."""
        self.texts = texts
        self.dim = dim
        self.first = printable(first)
        self.headings = [printable(heading) for heading in headings]
        self.rows = [(printable(name), [printable(value) for value in values]) for name, values in rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        parts = list(self._parts(console, options))
        narrow = any(len(part) < 2 for part in parts[:-1])
        if narrow or any(self._width(part, console, options) > options.max_width for part in parts):
            yield from self._lists()
        else:
            for part in parts:
                yield self._table(part)

    def _parts(self, console: Console, options: ConsoleOptions) -> Iterator[range]:
        """The columns, in runs of as many as fit beside the names."""
        begin = 0
        for end in range(1, len(self.headings) + 1):
            if end - begin > 1 and self._width(range(begin, end), console, options) > options.max_width:
                yield range(begin, end - 1)
                begin = end - 1
        yield range(begin, len(self.headings))

    def _width(self, columns: range, console: Console, options: ConsoleOptions) -> int:
        table = self._table(columns)
        return Measurement.get(console, options.update(width=UNLIMITED), table).maximum

    def _table(self, columns: range) -> Table:
        made = Table(box=RULE if is_ascii() else SIMPLE_HEAD, pad_edge=False)
        made.add_column(Text(self.first), no_wrap=True, min_width=8)
        for column in columns:
            made.add_column(Text(self.headings[column]), justify="left" if self.texts else "right", no_wrap=True)
        for number, (name, values) in enumerate(self.rows):
            cells = [Text(values[column]) for column in columns]
            made.add_row(Text(name), *cells, style="dim" if number in self.dim else None)
        return made

    def _lists(self) -> Iterator[Text]:
        """A row as lines of a heading and a number, under its name. What is wider than the terminal the terminal breaks."""
        left = max(map(len, self.headings))
        right = max((len(value) for _, values in self.rows for value in values), default=0)
        yield Text()
        for number, (name, values) in enumerate(self.rows):
            yield Text(name, style="dim" if number in self.dim else "bold")
            for heading, value in zip(self.headings, values):
                shown = value if self.texts else f"{value:>{right}}"
                yield Text(
                    f"  {heading:{left}}  {shown}", no_wrap=not self.texts, overflow="fold" if self.texts else "ignore"
                )
        yield Text()
