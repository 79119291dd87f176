# SPDX-License-Identifier: MIT OR Apache-2.0
"""`make check` selects a file of tests for each file of the tree that its quick tests are seen to read."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_links import tracked

from tools import ROOT
from tools.affected.crates import Crates
from tools.affected.imports import Module, reached
from tools.affected.plan import EVERYTHING, Plan, add
from tools.affected.python_tests import Tree

HERE = Path(__file__).parents[1]
AUDIT = HERE / "audit_reads.py"
#: What finds files of the tree by a pattern: from a constant folder, or all of a language.
FINDS = re.compile(r"""READS\b|\btracked\(|\b[A-Z]{2,}\b.*\.r?glob\(|\.r?glob\("[^"]*\.(?:py|rs|toml|md)\"""")


def searching(tree: Tree) -> list[Module]:
    """The files of tests that find files of the tree, themselves or by a helper or tool."""
    ours = tree.tests.keys() | tree.tools.keys()
    finding = {module for module in ours if FINDS.search(tree.modules[module].read_text())}
    imports = {module: tree.imports[module] & ours for module in ours}
    return [test for test in tree.test_files() if reached(imports, [test]) & finding and test != (Path(__file__).stem,)]


def read_by(tree: Tree, tests: list[Module], folder: Path) -> dict[str, set[str]]:
    """The files of the tree that the quick tests of these files open."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "CI"))},
        "AUDIT_ROOT": str(ROOT),
        "AUDIT_OUT": str(folder),
        "PYTHONPATH": ":".join([str(HERE), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", AUDIT.stem, "-m", "not slow"]
    files = [tree.path_of(test) for test in tests]
    done = subprocess.run([*command, *files], env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    # A test that fails has read too.
    assert done.returncode in (0, 1), done.stdout
    (record,) = folder.glob("*.json")
    return {test: set(paths) for test, paths in json.loads(record.read_text()).items()}


@pytest.mark.slow
def test_a_file_that_tests_read_selects_them(tmp_path: Path) -> None:
    tree, crates = Tree(ROOT), Crates.of(ROOT)
    needs = {test: tree.needs(test) for test in tree.test_files()}
    ours = {path.relative_to(ROOT).as_posix() for path in tracked()}
    read = read_by(tree, searching(tree), tmp_path)
    assert len(read["tests/python/project/test_regressions.py"] & ours) > 500, "the audit sees what a tool reads"
    missed = []
    for path in sorted(set().union(*read.values()) & ours):
        add(chosen := Plan(), path, tree, crates, needs)
        if not chosen.everything and not path.startswith(EVERYTHING):
            missed += [
                f"{path} does not select {test}" for test in read if path in read[test] and test not in chosen.tests
            ]
    assert missed == [], "give the constant READS to what reads them (tools/affected/imports.py)"
