# SPDX-License-Identifier: MIT OR Apache-2.0
"""The packages of the published crates, and a dry run of their upload where there is a network."""

from __future__ import annotations

import re
import shutil
import subprocess

from tools import ROOT
from tools.published import CRATES
from tools.published.check import TARGET, packages
from tools.release.errors import ReleaseError
from tools.release.folder import Release

#: What cargo says where it cannot reach the registry.
NO_NETWORK = re.compile(r"network failure|failed to (query|fetch|download)|Could(n't| not) resolve host|attempting to make an HTTP request|offline", re.IGNORECASE)  # fmt: skip


def selected() -> list[str]:
    """The options that name the crates."""
    return [word for crate in CRATES for word in ("-p", crate)]


def dry_run() -> bool:
    """Does everything of the upload but the upload; false where the registry cannot be reached."""
    command = ["cargo", "publish", "--dry-run", "--locked", "--allow-dirty", *selected()]
    print(f"  {' '.join(command)}", flush=True)
    done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        return True
    if NO_NETWORK.search(done.stderr):
        return False
    raise ReleaseError(f"cargo publish --dry-run failed:\n{done.stderr.strip()}")


def crates(release: Release) -> str:
    """Makes the packages, and tries the upload."""
    if wrong := packages():
        raise ReleaseError("\n".join(wrong))
    with release.replacing("crates") as fresh:
        (fresh / "crates").mkdir()
        for crate in CRATES:
            shutil.copy(TARGET / "package" / f"{crate}-{release.version}.crate", fresh / "crates")
    tried = "not tried" if release.quick else "done" if dry_run() else "not done: the registry cannot be reached"
    return f"{len(CRATES)} packages; dry run of their upload {tried}"
