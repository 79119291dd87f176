# SPDX-License-Identifier: MIT OR Apache-2.0
"""The words of a line that bash has not finished reading."""

from __future__ import annotations

#: In double quotes a backslash quotes these only.
QUOTED = '"\\$`\n'


def split(line: str) -> list[str]:
    """The words of a line, unquoted; the last is empty if the line ends behind a blank. An open quote ends with the line."""
    words, current, quote = [], "", ""
    begun = False
    letters = iter(line)
    for letter in letters:
        if quote == "'" or (quote == '"' and letter != "\\"):
            if letter == quote:
                quote = ""
            else:
                current += letter
        elif letter == "\\":
            following = next(letters, "")
            current += following if not quote or following in QUOTED else letter + following
            begun = True
        elif letter in "'\"":
            quote, begun = letter, True
        elif letter.isspace():
            if current or begun:
                words.append(current)
            current, begun = "", False
        else:
            current += letter
    return [*words, current]


def of_bash(line: str, typed: str) -> tuple[list[str], str, int]:
    """The words before the last one, the last one, and how much of it bash keeps: it replaces `typed`, which begins behind `=` or `:`.

    The line ends at the cursor, and begins with the program's name.
    """
    *before, current = split(line)
    replaced = split(typed)[-1]
    cut = len(current) - len(replaced) if current.endswith(replaced) else 0
    return before[1:], current, cut
