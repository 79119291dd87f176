# SPDX-License-Identifier: MIT OR Apache-2.0
"""The release notes: the changelog's section of the version, breaking changes first."""

from __future__ import annotations

import datetime
import re

from tools import ROOT
from tools.release.errors import ReleaseError
from tools.release.folder import Release

CHANGELOG = ROOT / "CHANGELOG.md"
NOTES = "notes.md"
BREAKING = "### Breaking changes\n"
#: The date of a version that has none yet.
UNRELEASED = "unreleased"
#: A link to a file of the tree, which leads nowhere where the notes are read.
LINK = re.compile(r"\[([^]\n]*)\]\((?![a-z]+:)([^)\s]+)\)")


def section(changelog: str, version: str, *, quick: bool = False) -> tuple[str, str]:
    """The date and the text of a version. Raises `ReleaseError` if there is no such section or it has no date; a quick release takes `unreleased`."""
    for text in re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]:
        title, _, body = text.partition("\n")
        name, _, date = title.partition(", ")
        if name != version:
            continue
        if quick and date == UNRELEASED:
            return date, body.strip()
        try:
            datetime.datetime.strptime(date, "%Y-%m-%d")
        except ValueError:
            raise ReleaseError(f'CHANGELOG.md: date of {version}: "{date}" is not accepted; expected a date such as 2026-11-28') from None  # fmt: skip
        return date, body.strip()
    raise ReleaseError(f"CHANGELOG.md: no section of {version}; expected a line such as `## {version}, 2026-11-28`")


def written(changelog: str, version: str, *, quick: bool = False) -> str:
    """The notes in Markdown."""
    date, body = section(changelog, version, quick=quick)
    introduction, *parts = re.split(r"^(?=### )", f"{body}\n", flags=re.MULTILINE)
    parts.sort(key=lambda part: not part.startswith(BREAKING))
    text = "\n\n".join(part.strip() for part in (f"# cwnd {version}, {date}", introduction, *parts) if part.strip())
    return LINK.sub(r"\1 (\2)", text) + "\n"


def notes(release: Release) -> str:
    """Writes them."""
    text = written(CHANGELOG.read_text(), release.version, quick=release.quick)
    with release.replacing(NOTES) as fresh:
        (fresh / NOTES).write_text(text)
    return f"{NOTES}, {len(text.splitlines())} lines"
