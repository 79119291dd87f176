# SPDX-License-Identifier: MIT OR Apache-2.0
"""The version stands in `[workspace.package]` of Cargo.toml. Crates, wheel, `cwnd --version`, the web page and the folders of results take it from there.

A few files have to carry it as text. This writes it into them:

    python -m tools.version           writes it, and names the files that it changed
    python -m tools.version --check   changes nothing, and fails if a file has another version
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools import ROOT

NUMBER = r"\d+\.\d+\.\d+"
PACKAGE = r'^\[package\]\nname = "[^"]*"\n(?:(?!\[).*\n)*?version = "'
LOCKED = r'^name = "cwnd[\w-]*"\nversion = "'
#: Patterns of the files that carry the version, and what stands before it there.
PLACES = {
    "Cargo.toml": r'^cwnd[\w-]* = \{ path = "[^"]*", version = "',
    # Separate workspaces.
    "bench/*/Cargo.toml": PACKAGE,
    "crates/*/*/Cargo.toml": PACKAGE,
    "Cargo.lock": LOCKED,
    "bench/*/Cargo.lock": LOCKED,
    "crates/*/*/Cargo.lock": LOCKED,
    "CITATION.cff": "^version: ",
    "docs/guide/*.md": r"\bcwnd[-:](?=\d)",
}
#: For `make check`.
READS = ("**/Cargo.toml", "**/Cargo.lock", "docs/guide/*.md", "CITATION.cff")


def version(root: Path = ROOT) -> str:
    """The version."""
    found: str = tomllib.loads((root / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    return found


def places(root: Path = ROOT) -> Iterator[tuple[Path, re.Pattern[str]]]:
    """The files that carry the version, each with the pattern that finds it there; its group `version` is what is found."""
    for pattern, before in PLACES.items():
        for path in sorted(root.glob(pattern)):
            yield path, re.compile(f"(?P<before>{before})(?P<version>{NUMBER})", re.MULTILINE)


def write(root: Path = ROOT, *, check: bool = False) -> list[str]:
    """Writes the version into every file with another one; returns the names of these files. With `check` no file is changed."""
    wanted, changed = version(root), list[str]()
    for path, pattern in places(root):
        before = path.read_text()
        after = pattern.sub(lambda match: match["before"] + wanted, before)
        if after != before:
            changed.append(path.relative_to(root).as_posix())
            if not check:
                path.write_text(after)
    return changed


def main() -> None:
    """Writes, or checks."""
    parser = argparse.ArgumentParser(description="Brings the files that carry the version in step with Cargo.toml.")
    parser.add_argument("--check", action="store_true", help="change nothing, and fail if a file has another version")
    check = parser.parse_args().check
    changed = write(check=check)
    if check and changed:
        sys.exit(f"another version than {version()} in {', '.join(changed)}: python -m tools.version")
    print("\n".join([version(), *changed]))


if __name__ == "__main__":
    main()
