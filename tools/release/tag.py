# SPDX-License-Identifier: MIT OR Apache-2.0
"""The last step: an annotated tag. It prints the commands that upload, and runs none of them."""

from __future__ import annotations

from tools import ROOT
from tools.release.checksums import verify
from tools.release.crates import selected
from tools.release.errors import ReleaseError
from tools.release.folder import Release
from tools.release.running import git
from tools.release.wheels import WHEELS

BRANCH = "main"


def tag(release: Release) -> str:
    """Tags the commit, from `main` only; the command line has checked that the tree is clean."""
    if release.quick:
        raise ReleaseError("tag: a release made with --quick is not tagged; run the steps without it")
    branch = git("rev-parse", "--abbrev-ref", "HEAD")
    if branch != BRANCH:
        raise ReleaseError(f'tag: branch "{branch}" is not accepted; expected {BRANCH}')
    name = f"v{release.version}"
    if git("tag", "--list", name):
        raise ReleaseError(f"tag: {name} exists already; a new release needs a new version")
    verify(release)
    git("tag", "--annotate", "--message", f"cwnd {release.version}", name, release.commit)
    folder = release.whole.relative_to(ROOT) if release.whole.is_relative_to(ROOT) else release.whole
    return f"""{name}; after `git push origin {name}`, these upload it:
    twine upload {folder}/{WHEELS}/*.whl
    cargo publish --locked {" ".join(selected())}"""
