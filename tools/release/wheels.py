# SPDX-License-Identifier: MIT OR Apache-2.0
"""The wheels: everything for this machine, the simulator only, and aarch64 where a toolchain can be had."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from tools import ROOT
from tools.release.errors import NoToolchainError
from tools.release.folder import Release
from tools.release.running import run
from tools.release.targets import ARM, OTHER, UNIXES, check_types, library, zig
from tools.wheel import add, pages_of

#: Folders of the release. A wheel of the simulator only has the name of one with everything: it is not for an index.
WHEELS, SIMULATOR = "wheels", "simulator"
BIN = ROOT / ".venv" / "bin"
#: The crates that are compiled again, with fewer features of a dependency or of their own, after the wheel with everything.
REBUILT = ("cwnd-fuzz", "cwnd-python", "cwnd-stacks")
#: The oldest glibc that zig links for.
OLDEST = "manylinux_2_28"


def path_with_tools() -> dict[str, str]:
    """The path with the programs of the environment, which find each other by it."""
    return {"PATH": f"{BIN}:{os.environ['PATH']}"}


def everything(folder: Path, *, quick: bool) -> None:
    """The wheel with the kernel part and the web page. A quick one is the wheel that is there, if it is of these sources."""
    run(["make", "--no-print-directory", "wheel", "CI=true", *([] if quick else ["PROFILE=1"])])
    for wheel in (ROOT / "dist").glob("*.whl"):
        shutil.copy(wheel, folder)


def simulator(folder: Path, *, quick: bool) -> None:
    """The wheel without code that only Linux has. In a quick one, what is compiled for it alone is not optimised."""
    unoptimised = [f"--config=profile.release.package.{crate}.opt-level=0" for crate in REBUILT] if quick else []
    with tempfile.TemporaryDirectory() as raw:
        build: list[str | Path] = [
            BIN / "maturin",
            "build",
            "--release",
            "--quiet",
            "--no-default-features",
            *unoptimised,
        ]
        run([*build, "--auditwheel", "skip", "--out", raw])
        (wheel,) = Path(raw).glob("*.whl")
        add(wheel, pages_of(wheel))
        run([BIN / "auditwheel", "repair", "--wheel-dir", folder, wheel], path_with_tools())


def arm(folder: Path) -> None:
    """The wheel for aarch64, without the kernel part, whose loader needs libelf for that machine. Its pages are those of the wheel for this machine,
    whose program runs here.
    """
    (ours,) = folder.glob("*.whl")
    variables = library(ARM)
    zig()
    build: list[str | Path] = [BIN / "maturin", "build", "--release", "--quiet", "--zig", "--target", ARM]
    run([*build, "--compatibility", OLDEST, "--target-dir", OTHER, "--out", folder], variables | path_with_tools())
    (wheel,) = folder.glob("*aarch64.whl")
    add(wheel, pages_of(ours))


def attempted(name: str, work: Callable[[], None]) -> str:
    """Does what this machine may have no toolchain for; returns what was done."""
    try:
        work()
    except NoToolchainError as error:
        print(f"  {name}: not done: {error}", flush=True)
        return f"no {name}"
    return name


def wheels(release: Release) -> str:
    """Builds them."""
    with release.replacing(WHEELS, SIMULATOR) as fresh:
        for name in (WHEELS, SIMULATOR):
            (fresh / name).mkdir()
        everything(fresh / WHEELS, quick=release.quick)
        simulator(fresh / SIMULATOR, quick=release.quick)
        more = []
        if not release.quick:
            more.append(attempted("wheel for aarch64", lambda: arm(fresh / WHEELS)))
            more += [attempted(f"types for {target}", lambda target=target: check_types(target)) for target in UNIXES]  # type: ignore[misc]
        built = [
            f"{wheel.relative_to(fresh)} {wheel.stat().st_size / 1e6:.1f} MB" for wheel in sorted(fresh.rglob("*.whl"))
        ]
    return ", ".join([*built, *more])
