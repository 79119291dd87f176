# SPDX-License-Identifier: MIT OR Apache-2.0
"""Escapes untrusted names and contents of files for terminals, spreadsheets and pictures."""

from __future__ import annotations

import unicodedata

#: Characters that a terminal acts on, or that change the order of those around them: controls, formats, separators of lines.
UNSEEN = ("Cc", "Cf", "Zl", "Zp")
#: How a cell of a spreadsheet begins that is a formula there.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(text: str) -> str:
    """The text with each character that a terminal would act on as Python writes it, such as `\\x1b`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        letter if letter in "\n\t" or unicodedata.category(letter) not in UNSEEN else ascii(letter)[1:-1]
        for letter in text
    )


def one_line(text: str) -> str:
    """The same as one line: names of files and of flows may have line breaks."""
    return harmless(text).replace("\n", "\\n").replace("\t", "\\t")


def cell(text: str | None) -> str | None:
    """A text as a cell of CSV, with an apostrophe where a spreadsheet would take it for a formula."""
    return f"'{text}" if text and text.startswith(FORMULA) else text
