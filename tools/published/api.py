# SPDX-License-Identifier: MIT OR Apache-2.0
"""A crate's public API as lines of text, read from the pages that rustdoc writes: each item's declaration, its own methods, and the
traits that it implements. Traits that every type has (`Send`, `Into`, …) are left out.

The record is `api.txt` next to the crate's manifest. It makes every change of the API visible: a line that is removed or changed
breaks the API's users.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

#: Parts of a page that are the same for most types, and elements that have no end.
COMMON = {"synthetic-implementations-list", "blanket-implementations-list", "implementors-list", "foreign-impls-list"}
VOID = {"br", "hr", "img", "input", "link", "meta", "wbr"}
#: What rustdoc shows only for readers: links to the source and to a method's page.
SAID = {"src", "since", "rightside", "anchor", "hideme"}
#: Pages of no item and no module.
OTHER = {"all.html", "help.html", "settings.html"}


class Page(HTMLParser):
    """The declarations on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        #: Open elements, each with whether what is in it is left out.
        self.open: list[tuple[str, bool]] = []
        self.declaration: list[str] | None = None
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        classes = set((named.get("class") or "").split())
        if self.declaration is not None and (tag in {"br", "div"} or "where" in classes):
            self.declaration.append(" ")
        if tag in VOID:
            return
        left_out = bool(self.open and self.open[-1][1])
        left_out |= named.get("id") in COMMON or bool(classes & SAID) or "trait-impl" in classes
        self.open.append((tag, left_out))
        if not left_out and self.declaration is None and is_declaration(classes, named.get("id")):
            self.declaration, self.depth = [], len(self.open)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID or not self.open:
            return
        while self.open and self.open[-1][0] != tag:
            self.open.pop()
        if self.declaration is not None and tag == "div":
            self.declaration.append(" ")
        if self.declaration is not None and len(self.open) == self.depth:
            self.lines.append(" ".join("".join(self.declaration).split()))
            self.declaration = None
        if self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.declaration is not None and not (self.open and self.open[-1][1]):
            self.declaration.append(data)


def is_declaration(classes: set[str], name: str | None) -> bool:
    """Whether an element is a declaration: an item's, a method's, or that of something that is exported again."""
    return bool(classes & {"item-decl", "code-header"}) or (name or "").startswith("reexport.")


def declarations(html: str) -> list[str]:
    """The declarations on a page, in its order."""
    page = Page()
    page.feed(html)
    return [line for line in page.lines if line]


def items(folder: Path) -> Iterator[str]:
    """The API in a crate's folder of pages: an item's path, then its declarations."""
    pages = [path for path in folder.rglob("*.html") if path.name not in OTHER and "src" not in path.parts]
    for path in sorted(pages):
        found = declarations(path.read_text())
        if not found:
            continue  # an address that leads to another page, or a module that exports nothing again
        kind, _, name = path.name.removesuffix(".html").partition(".")
        within = (folder.name, *path.relative_to(folder).parent.parts)
        yield f"mod {'::'.join(within)}" if kind == "index" else f"{kind} {'::'.join((*within, name))}"
        yield from (f"    {line}" for line in found)


def changes(record: str, now: str) -> list[str]:
    """The lines by which the API differs from the record; none where it does not."""
    lines = difflib.unified_diff(record.splitlines(), now.splitlines(), "on record", "now", lineterm="", n=0)
    return [line for line in lines if not line.startswith("@@")]
