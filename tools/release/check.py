# SPDX-License-Identifier: MIT OR Apache-2.0
"""What has to hold before anything is built."""

from __future__ import annotations

from tools import version
from tools.release.errors import ReleaseError
from tools.release.folder import Release
from tools.release.notes import CHANGELOG, section
from tools.release.running import run

#: All tests that this machine can run.
TESTS = ("make", "test-all")


def check(release: Release) -> str:
    """Version and changelog, then the published crates; the tests if asked for."""
    if differ := version.write(check=True):
        raise ReleaseError(
            f"another version than {release.version} in {', '.join(differ)}: python -m tools.version writes it"
        )
    date, _ = section(CHANGELOG.read_text(), release.version, quick=release.quick)
    run(["make", "--no-print-directory", "published"])
    if release.tests:
        run(TESTS)
        tested = "tests passed"
    else:
        tested = (
            f"tests not run: CI (.ci/run) has to have passed for this commit, or `{' '.join(TESTS)}` (--tests runs it)"
        )
    return f"version {release.version} everywhere, changelog of {date}, published crates as on record; {tested}"
