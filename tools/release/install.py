# SPDX-License-Identifier: MIT OR Apache-2.0
"""Installs each wheel where nothing else is, and runs a comparison there (.ci/wheel)."""

from __future__ import annotations

import platform
from pathlib import Path

from tools.release.folder import Release
from tools.release.running import run
from tools.release.wheels import SIMULATOR, WHEELS


def install_wheel(wheel: Path, *, simulator: bool = False) -> None:
    """Installs a wheel; one with the simulator only has to refuse the rest."""
    run([".ci/wheel", *(["--simulator"] if simulator else []), wheel])


def install(release: Release) -> str:
    """Installs the wheels for this machine."""
    here, elsewhere = [], []
    for folder in (WHEELS, SIMULATOR):
        for wheel in sorted((release.folder / folder).glob("*.whl")):
            if wheel.stem.endswith(f"_{platform.machine()}"):
                install_wheel(wheel, simulator=folder == SIMULATOR)
                here.append(wheel.name)
            else:
                elsewhere.append(wheel.name)
    untried = f"; not tried, for another machine: {', '.join(elsewhere)}" if elsewhere else ""
    return f"{len(here)} wheels installed and used where nothing else is{untried}"
