# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables for any terminal: they fit its width and its characters, and no number is cut."""

from __future__ import annotations

import codecs
import os
import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence

from rich.box import SIMPLE_HEAD, Box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from cwnd._internal.escapes import harmless

# Width if standard output is no terminal.
WIDTH = 100
# If fewer columns remain after its name, the text of a list entry is printed below it.
MIN_TEXT_WIDTH = 30
# Wider than any table.
UNLIMITED = 1 << 16
# Replacements for characters if there is only ASCII; "?" for any other.
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
    "φ": "phi",
    "Δ": "Delta",
    "µ": "u",
    "√": "sqrt ",
    "²": "^2",
    "³": "^3",
    "−": "-",
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
    """Whether standard output takes only ASCII: by its encoding, or because the locale is C."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower()
    named = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    return not encoding.startswith("utf") or named in ("C", "POSIX")


def in_ascii(text: str) -> str:
    """The text in ASCII, with the replacements of `ASCII`."""
    return "".join(letter if letter.isascii() else ASCII.get(letter, "?") for letter in text)


def printable(text: str) -> str:
    """The text as standard output can show it."""
    return in_ascii(harmless(text)) if is_ascii() else harmless(text)


def replace_unprintable() -> None:
    """Makes standard output and error write characters that their encoding lacks as `in_ascii`, instead of failing."""

    def replaced(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        # Bytes of the command line that are no text are escaped surrogates.
        bytes_ = error.object[error.start : error.end]
        return "".join("?" if 0xDC80 <= ord(letter) <= 0xDCFF else in_ascii(letter) for letter in bytes_), error.end

    codecs.register_error("cwnd.ascii", replaced)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and not (stream.encoding or "").lower().startswith("utf"):
            stream.reconfigure(errors="cwnd.ascii")


class Printer:
    """Prints to standard output: as wide as the terminal, or `WIDTH` if it is none."""

    def __init__(self, console: Console | None = None) -> None:
        # In a pipe or a file an entry of a list is one line, for grep.
        self._breaks = console is not None or sys.stdout.isatty()
        self._console = console or Console(
            width=None if sys.stdout.isatty() else WIDTH, highlight=False, markup=False, emoji=False
        )

    def print(self, content: str | Grid, *, soft_wrap: bool = False) -> None:
        """Prints a table, or a text that is broken between words."""
        self._console.print(printable(content) if isinstance(content, str) else content, soft_wrap=soft_wrap)

    def paragraph(self, text: str, *, indent: int = 0, hang: int = 2) -> None:
        """Prints a text; lines after the first are indented by `hang` more columns."""
        text = printable(text)
        lines = [" " * indent + text.rstrip()]
        if self._breaks and len(lines[0]) > self._console.width:
            first, others = " " * indent, " " * (indent + hang)
            lines = textwrap.wrap(
                text,
                self._console.width,
                initial_indent=first,
                subsequent_indent=others,
                break_long_words=False,
                break_on_hyphens=False,
            )
        for line in lines:
            self._console.print(line, soft_wrap=True)

    def entry(self, name: str, text: str, *, column: int, indent: int = 2) -> None:
        """Prints an entry of a list: its name, and its text from `column` on, or below the name if there is too little room."""
        room = self._console.width - column
        if not self._breaks or room >= MIN_TEXT_WIDTH or len(text) <= room:
            self.paragraph(f"{' ' * indent + name:{column}}{text}", hang=column)
        else:
            self.paragraph(name, indent=indent)
            self.paragraph(text, indent=indent + 2, hang=0)


class Grid:
    """A table whose first column is a name and whose others are numbers.

    If it is wider than the terminal, its columns are split over several tables, each with the names; if not even two columns fit,
    each row becomes a list.
    """

    def __init__(
        self,
        first: str,
        headings: Sequence[str],
        rows: Iterable[tuple[str, Sequence[str]]],
        *,
        texts: Collection[int] = (),
        dim: Collection[int] = (),
        keys: int = 0,
    ) -> None:
        """The columns `texts` are texts, not numbers; the rows `dim` are printed dim. The first `keys` columns tell rows apart: every table has them."""
        self.keys = keys
        self.texts = texts
        self.dim = dim
        self.first = printable(first)
        self.headings = [printable(heading) for heading in headings]
        self.rows = [(printable(name), [printable(value) for value in values]) for name, values in rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        parts = list(self._parts(console, options))
        narrow = any(len(part) < self.keys + 2 for part in parts[:-1])
        if narrow or any(self._width(part, console, options) > options.max_width for part in parts):
            yield from self._lists()
        else:
            for part in parts:
                yield self._table(part)

    def _parts(self, console: Console, options: ConsoleOptions) -> Iterator[list[int]]:
        """The columns, in groups that fit next to the names and keys."""
        keys = list(range(self.keys))
        begin = self.keys
        for end in range(self.keys + 1, len(self.headings) + 1):
            wider = [*keys, *range(begin, end)]
            if end - begin > 1 and self._width(wider, console, options) > options.max_width:
                yield wider[:-1]
                begin = end - 1
        yield [*keys, *range(begin, len(self.headings))]

    def _width(self, columns: Sequence[int], console: Console, options: ConsoleOptions) -> int:
        table = self._table(columns)
        return Measurement.get(console, options.update(width=UNLIMITED), table).maximum

    def _table(self, columns: Sequence[int]) -> Table:
        table = Table(box=RULE if is_ascii() else SIMPLE_HEAD, pad_edge=False)
        table.add_column(Text(self.first), no_wrap=True, min_width=8)
        for column in columns:
            table.add_column(
                Text(self.headings[column]), justify="left" if column in self.texts else "right", no_wrap=True
            )
        for number, (name, values) in enumerate(self.rows):
            cells = [Text(values[column]) for column in columns]
            table.add_row(Text(name), *cells, style="dim" if number in self.dim else None)
        return table

    def _lists(self) -> Iterator[Text]:
        """Each row as a list: its name, then a line with heading and number per column."""
        left = max(map(len, self.headings))
        numbers = [number for number in range(len(self.headings)) if number not in self.texts]
        right = max((len(values[number]) for _, values in self.rows for number in numbers), default=0)
        yield Text()
        for number, (name, values) in enumerate(self.rows):
            yield Text(name, style="dim" if number in self.dim else "bold")
            for column, (heading, value) in enumerate(zip(self.headings, values)):
                text = column in self.texts
                shown = value if text else f"{value:>{right}}"
                # A cell wider than the terminal continues below: a truncated number would be a different number.
                yield Text(f"  {heading:{left}}  {shown}", overflow="fold")
        yield Text()
