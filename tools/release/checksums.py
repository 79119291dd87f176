# SPDX-License-Identifier: MIT OR Apache-2.0
"""`SHA256SUMS`, in the format of sha256sum."""

from __future__ import annotations

import hashlib

from tools.release.errors import ReleaseError
from tools.release.folder import Release

SUMS = "SHA256SUMS"


def lines(release: Release) -> list[str]:
    """A line for each file of the release."""
    names = (name for name in release.files() if name != SUMS)
    return [f"{hashlib.sha256((release.folder / name).read_bytes()).hexdigest()}  {name}" for name in names]


def checksums(release: Release) -> str:
    """Writes the file."""
    sums = lines(release)
    with release.replacing(SUMS) as fresh:
        (fresh / SUMS).write_text("".join(f"{line}\n" for line in sums))
    return f"{SUMS} of {len(sums)} files"


def verify(release: Release) -> None:
    """Raises `ReleaseError` if a file differs from its sum, is missing or was added."""
    recorded = (release.folder / SUMS).read_text().splitlines()
    if differ := sorted({line.split("  ", 1)[1] for line in set(recorded) ^ set(lines(release))}):
        raise ReleaseError(f"{release.folder / SUMS}: differs for {', '.join(differ)}; run the step checksums again")
