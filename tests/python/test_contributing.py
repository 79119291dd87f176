# SPDX-License-Identifier: MIT OR Apache-2.0
"""CONTRIBUTING.md's guide to an algorithm, taken as it stands: what it adds passes what `make test` asks of an algorithm."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import textwrap
import tomllib
from pathlib import Path

import pytest
from conftest import New
from test_regressions import load
from test_response import RATES, RTT_S, TOLERANCE

import cwnd as package
from cwnd import _native
from tools.docs import pages
from tools.response.measure import mean_window
from tools.response.rules import rule_of

ROOT = Path(__file__).parents[2]
cargo = pytest.mark.skipif(
    shutil.which("cargo") is None and os.environ.get("CI") != "true", reason="it needs cargo: Rust 1.89 or newer"
)


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


@pytest.fixture(scope="module")
def lull(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    """The guide's algorithm as a crate of one's own, so that this process knows it by its name."""
    crate = new_crate("lull", tmp_path_factory.mktemp("guide") / "lull")
    text = re.sub(r"crate::(conn::|hooks::)?", "cwnd::", steps()[0][1].replace("registration::", "registry::"))
    (crate / "src" / "lull.rs").write_text(text)
    package.load_plugin(crate)
    return crate


@cargo
def test_the_guides_page_is_one(lull: Path, tmp_path: Path) -> None:
    (tmp_path / "lull.toml").write_text(steps()[3][1])
    (algorithm,) = [each for each in _native.algorithms() if each["name"] == "lull"]
    assert pages.read(algorithm, tmp_path).about["title"] == "Lull"


@cargo
def test_the_guides_response_function_is_the_algorithms(lull: Path) -> None:
    fields = tomllib.loads(steps()[3][1])["response"]["lull"]
    rule = rule_of("lull.toml", "lull", fields, RTT_S)
    assert rule is not None and rule.formula is not None
    for p, cycles, skip in RATES:
        cycle = rule.cycle(p)
        window = mean_window("lull", p, RTT_S, cycle.w_max, cycle.rounds, cycles, skip)
        assert (window.cycles, window.timeouts) == (cycles, 0)
        assert window.mean == pytest.approx(cycle.mean, rel=TOLERANCE)
        if p <= rule.formula_to:
            assert window.mean == pytest.approx(rule.formula(p), rel=TOLERANCE)
