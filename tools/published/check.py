# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks the crates that are published, offline:

    python3 -m tools.published.check            features, documentation and its examples, API, packages, what is linked
    python3 -m tools.published.check --accept   records the API as it is

`cargo publish --dry-run -p cwnd -p cwnd-quinn -p cwnd-noq -p cwnd-s2n-quic` does the rest by hand: it asks the registry.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from tools import ROOT
from tools.published import CRATES
from tools.published.api import changes, items
from tools.unlinked import options

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
#: Most bytes of a package, compressed.
MOST = 200_000
#: Features of the core, alone and together; each has to compile alone.
FEATURES = ("", "registry", "std", "kernel-replay", "registry,std", "registry,std,kernel-replay")
ACCEPT = "make published ACCEPT=1"
#: Only a nightly rustdoc counts examples, or one that is told so. Cargo is not told: it would build the dependencies anew.
RUSTDOC = """#!/bin/sh
RUSTC_BOOTSTRAP=1 exec rustdoc "$@"
"""


def cargo(*arguments: str, **environment: str) -> str:
    """Runs cargo, and returns what it writes; what it says of a failure is shown."""
    command = ["cargo", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}{done.stdout}")
    return done.stdout


@cache
def build() -> tuple[str, ...]:
    """As `make lint` checks: what the crates depend on is checked once for both."""
    return ("--quiet", "--release", "--locked", *options())


def features() -> None:
    """The core compiles with every combination of its features, without a warning."""
    for some in FEATURES:
        cargo("clippy", *build(), "-p", "cwnd", "--no-default-features", "--features", some, "--", "-D", "warnings")


def documentation(accept: bool) -> list[str]:
    """Every link in the documentation leads somewhere, with default features and with all; how the API differs from its record."""
    folder = TARGET / "doc"
    arguments = ("doc", *build(), "--no-deps")
    cargo(*arguments, "-p", "cwnd", "--all-features", RUSTDOCFLAGS="-D warnings")
    for crate in CRATES:
        # Else pages of items that are no more would stay.
        shutil.rmtree(folder / crate.replace("-", "_"), ignore_errors=True)
    cargo(*arguments, *(word for crate in CRATES for word in ("-p", crate)), RUSTDOCFLAGS="-D warnings")
    wrong = []
    compiler = subprocess.run(["rustc", "--version"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for crate in CRATES:
        record = ROOT / "crates" / crate / "api.txt"
        now = "\n".join([f"as written by {compiler.strip()}", *items(folder / crate.replace("-", "_")), ""])
        if accept:
            record.write_text(now)
        elif found := changes(record.read_text(), now):
            wrong += [f"the API of {crate} is not the one on record; if it is to be so: {ACCEPT}", *found]
    return wrong


def examples() -> list[str]:
    """Files with a public item that has no example in its documentation. What a private module defines, rustdoc counts only where its example is."""
    rustdoc = TARGET / "rustdoc-with-coverage"
    rustdoc.write_text(RUSTDOC)
    rustdoc.chmod(0o755)
    wrong = []
    for crate in CRATES:
        coverage = cargo(
            *("rustdoc", *build(), "--all-features", "-p", crate),
            *("--", "-Z", "unstable-options", "--show-coverage", "--output-format", "json"),
            RUSTDOC=str(rustdoc),
        )
        for file, counts in json.loads(coverage).items():
            shown, public = counts["with_examples"], counts["total_examples"]
            if shown < public:
                wrong.append(f"{file}: {shown} of {public} public items have an example")
    return wrong


def packages() -> list[str]:
    """What is too large, or lacks its licence, of what would be published."""
    cargo(
        "package",
        "--quiet",
        "--no-verify",
        "--offline",
        "--allow-dirty",
        *(word for crate in CRATES for word in ("-p", crate)),
    )
    wrong = []
    for crate in CRATES:
        (package,) = (TARGET / "package").glob(f"{crate}-[0-9]*.crate")
        size = package.stat().st_size
        print(f"{package.name} {size} bytes")
        if size >= MOST:
            wrong.append(f"{package.name} has {size} bytes; {MOST} are too many")
        listed = subprocess.run(["tar", "tzf", str(package)], capture_output=True, text=True, check=True).stdout
        wrong += [
            f"{package.name} lacks {name}"
            for name in ("README.md", "LICENSE-MIT", "LICENSE-APACHE")
            if name not in listed
        ]
    return wrong


def algorithms(example: str) -> set[str]:
    """Modules of algorithms with an example of a function."""
    program = TARGET / "release" / "examples" / example
    symbols = subprocess.run(["nm", "-C", str(program)], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\bcwnd::algorithms::(\w+)::", symbols))


def linked() -> list[str]:
    """A program that uses one algorithm has no function of another; one that chooses by name has all."""
    cargo(
        "build", "--quiet", "--release", "--locked", "-p", "cwnd", "--example", "one_algorithm", "--example", "by_name"
    )
    one, all_of_them = algorithms("one_algorithm"), algorithms("by_name")
    wrong = [] if one == {"cubic"} else [f"the example one_algorithm has functions of {sorted(one)}"]
    return (
        wrong
        if len(all_of_them) > 10
        else [*wrong, f"the example by_name has functions of {sorted(all_of_them)} alone"]
    )


def main() -> None:
    """Checks, or records."""
    parser = argparse.ArgumentParser(description="Checks the crates that are published.")
    parser.add_argument("--accept", action="store_true", help="record the API as it is")
    accept = parser.parse_args().accept
    features()
    wrong = [*documentation(accept), *examples(), *packages(), *linked()]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
