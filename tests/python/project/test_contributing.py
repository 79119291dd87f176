# SPDX-License-Identifier: MIT OR Apache-2.0
"""CONTRIBUTING.md's guide to an algorithm, taken as it stands: what it adds passes what `make test-all` asks of an algorithm."""

from __future__ import annotations

import re
import subprocess
import textwrap
from pathlib import Path

import pytest
from conftest import cargo
from test_regressions import load

ROOT = Path(__file__).parents[3]


def steps() -> list[tuple[str, str]]:
    """The guide's blocks in their order: the file that is named before each, and its text."""
    guide = (ROOT / "CONTRIBUTING.md").read_text().split("## Add an algorithm")[1].split("\n## ")[0]
    blocks, file = [], ""
    for text, block in re.findall(r"(.*?)^ {3}```\w+\n(.*?)^ {3}```$", guide, re.DOTALL | re.MULTILINE):
        file = [file, *(name for name in re.findall(r"`([^`\s]+\.(?:rs|py|toml))`", text) if "/" in name)][-1]
        blocks.append((file, textwrap.dedent(block)))
    return blocks


FILES = [
    "crates/cwnd/src/algorithms/lull.rs",
    "crates/cwnd/src/algorithms/mod.rs",
    "crates/cwnd/src/algorithms/mod.rs",
    "docs/reference/algorithms/about/lull.toml",
]


def test_the_guide_names_these_files() -> None:
    assert [file for file, _ in steps()] == FILES


# Of a list's lines the new one follows the last that looks like it.
def insert(path: Path, line: str, like: str) -> None:
    lines = path.read_text().splitlines()
    last = max(number for number, each in enumerate(lines) if re.match(like, each))
    indent = lines[last][: len(lines[last]) - len(lines[last].lstrip())]
    lines.insert(last + 1, indent + line.strip())
    path.write_text("\n".join(lines) + "\n")


# Contract, probes, registry, size of the state, documentation: all that the core's own tests ask of every algorithm.
@pytest.mark.slow
@cargo
def test_the_guides_algorithm_passes_the_cores_tests(tmp_path: Path) -> None:
    tree = load("tests/mutations/run.py").copy(tmp_path / "tree")
    # Under another version, by which cargo tells its packages from those of `make test-rust`: foreign ones are compiled once for both.
    manifest = tree / "Cargo.toml"
    text, count = re.subn(r'^version = "[^"]*"$', 'version = "0.0.0-guide"', manifest.read_text(), flags=re.MULTILINE)
    assert count == 1
    manifest.write_text(text)
    (rule, text), (modules, module), (registry, entry) = steps()[:3]
    (tree / rule).write_text(text)
    insert(tree / modules, module, r"pub mod ")
    insert(tree / registry, entry, r" +Yeah: \$crate")
    command = ["cargo", "test", "--quiet", "--offline", "--target-dir", str(ROOT / "target"), "-p", "cwnd"]
    command += ["--lib", "--test", "contract", "--test", "regressions", "--no-fail-fast"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    form = subprocess.run(
        ["rustfmt", "--check", "--edition", "2024", str(tree / rule)], capture_output=True, text=True, check=False
    )
    assert form.returncode == 0, form.stdout
