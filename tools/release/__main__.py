# SPDX-License-Identifier: MIT OR Apache-2.0
"""The command line: `python -m tools.release [STEP...]`."""

from __future__ import annotations

import argparse
import hashlib
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from tools import ROOT
from tools.release.check import check
from tools.release.checksums import checksums
from tools.release.crates import crates
from tools.release.errors import ReleaseError
from tools.release.folder import Release
from tools.release.install import install
from tools.release.notes import notes
from tools.release.running import git
from tools.release.tag import tag
from tools.release.wheels import wheels


@dataclass(frozen=True)
class Step:
    """A step of a release, and the steps whose results it uses."""

    run: Callable[[Release], str]
    uses: tuple[str, ...] = ()


STEPS = {
    "check": Step(check),
    "wheels": Step(wheels),
    "crates": Step(crates),
    "notes": Step(notes),
    "checksums": Step(checksums, uses=("wheels", "crates", "notes")),
    "install": Step(install, uses=("wheels",)),
    "tag": Step(tag, uses=("check", "wheels", "crates", "notes", "checksums", "install")),
}
#: After these the folder is whole.
BEFORE_TAG = STEPS["tag"].uses
EPILOG = """steps, in this order:
  check      one version everywhere, a changelog with a date, published crates as on record
  wheels     everything (x86-64), the simulator only, aarch64 where a toolchain can be had; types for other Unixes
  crates     packages, and a dry run of their upload
  notes      the changelog's section of this version
  checksums  SHA256SUMS
  install    each wheel is installed where nothing else is, and used
  tag        an annotated tag on a clean main; prints the commands that upload

Without a step, all run in order; what is done for this commit is not done again. A named step is.
"""


def modifications() -> str:
    """What the tree has that its commit lacks; empty if nothing."""
    return git("status", "--porcelain")


def open_release(parent: Path, *, quick: bool, tests: bool) -> Release:
    """The release of this commit. Raises `ReleaseError` if the tree has changes, but for a quick one."""
    release = Release(parent, quick, tests)
    if changed := modifications():
        if not quick:
            first = changed.splitlines()[0].split(maxsplit=1)[1]
            raise ReleaseError(f"the tree has changes that are not committed ({first}, …); expected a clean tree, or --quick to try the tool")  # fmt: skip
        release.commit += f"+{hashlib.sha256((git('diff', 'HEAD') + changed).encode()).hexdigest()[:12]}"
    release.open()
    return release


def dependents(name: str) -> list[str]:
    """The steps that use the results of this one, with itself."""
    found = [name]
    for other, step in STEPS.items():
        if set(step.uses) & set(found):
            found.append(other)
    return found


def do(release: Release, name: str) -> None:
    """Runs a step."""
    step = STEPS[name]
    if lacking := [other for other in step.uses if other not in release.done]:
        raise ReleaseError(f"{name}: expected these steps to be done first for this commit: {' '.join(lacking)}")
    print(f"{name} ...", flush=True)
    begun = time.monotonic()
    if name != "tag":
        release.reopen(dependents(name))
    said = step.run(release)
    took = time.monotonic() - begun
    print(f"{name}: {said} ({took:.1f} s)", flush=True)
    if name != "tag":
        release.done[name] = round(took, 1)
        release.record()
        if set(BEFORE_TAG) <= release.done.keys():
            release.finish()
            print(f"{release.whole} is whole", flush=True)


def interrupt(number: int, _frame: FrameType | None) -> None:
    """Ends the program as an exception does, so that each step cleans up."""
    raise SystemExit(128 + number)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the steps; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description="Makes a release, all but the upload.", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("steps", nargs="*", metavar="STEP", help="a step, or several; all if none is named")
    parser.add_argument("--quick", action="store_true", help="try the tool: no profile, no other architecture; cannot be tagged")  # fmt: skip
    parser.add_argument("--tests", action="store_true", help="run `make test-all` in the step check")
    parser.add_argument("--out", type=Path, default=ROOT / "dist" / "release", metavar="DIR", help="where the folder VERSION is made (default: dist/release)")  # fmt: skip
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.steps if name not in STEPS]:
        print(f'error: STEP: "{unknown[0]}" is not accepted; expected {", ".join(STEPS)}', file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGHUP, interrupt)
    try:
        release = open_release(options.out.resolve(), quick=options.quick, tests=options.tests)
        for name in STEPS if not options.steps else [name for name in STEPS if name in options.steps]:
            if not options.steps and name in release.done:
                print(f"{name}: done before for this commit ({release.done[name]} s)", flush=True)
            elif not options.steps and name == "tag" and release.quick:
                print("tag: left out: a quick release is not tagged", flush=True)
            else:
                do(release, name)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
