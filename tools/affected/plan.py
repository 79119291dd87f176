# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tests that changed files concern, with the reason for each file."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tools.affected.crates import MODULE, Crates
from tools.affected.imports import Module
from tools.affected.python_tests import NATIVE, TESTS, WORD, Needs, Tree

#: Files that all tests depend on.
EVERYTHING = (
    "Makefile",
    "Cargo.toml",
    "Cargo.lock",
    "clippy.toml",
    "pyproject.toml",
    "requirements.lock",
    "requirements-dev.lock",
    ".cargo/",
    ".ci/",
    ".config/",
    "tools/affected/",
    "tests/python/conftest.py",
    # What conftest.py imports.
    "tests/python/forked.py",
    "tests/python/passed.py",
    "tests/python/real_time.py",
    "tests/python/in_kernel.py",
    "tests/python/needs.py",
    "tests/python/skip_reasons.py",
    "tests/python/slow.py",
)
#: Files whose text no test reads unless it names them.
PROSE = (
    ".md",
    ".txt",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    ".gitignore",
    ".gitattributes",
    ".editorconfig",
    "mkdocs.yml",
    "rustfmt.toml",
)
#: Folders whose names mean something else in tests too.
GENERAL = {"crates", "cwnd", "python", "src", "tests"}
#: Crates that other parts of the tests concern too.
OTHER_PARTS = {"cwnd-bpf": "make test-kernel", "cwnd-wasm": "make test-web"}
#: Crates without a test for cargo: the one has its tests in Python, the other is empty without the feature `kernel`.
WITHOUT_TESTS = {MODULE, "cwnd-bpf"}


@dataclass
class Plan:
    """What is to be run."""

    #: Why everything is to be run; empty where the tests are known.
    everything: str = ""
    crates: set[str] = field(default_factory=set)
    #: Files of Python tests.
    tests: set[str] = field(default_factory=set)
    #: Those of them that are changed: their slow tests run too.
    changed_tests: set[str] = field(default_factory=set)
    #: Parts of `make test-all` that the change concerns and that this does not run.
    others: set[str] = field(default_factory=set)
    reasons: list[str] = field(default_factory=list)


def plan(changed: Iterable[str], root: Path) -> Plan:
    """The tests that a change of these files concerns."""
    result = Plan()
    changed = sorted(changed)
    for path in changed:
        if path.startswith(EVERYTHING):
            result.everything = f"{path} concerns all tests"
            return result
    try:
        tree = Tree(root)
    except SyntaxError as error:
        result.everything = f"{error.filename or 'a Python file'} cannot be parsed: {error.msg}"
        return result
    crates = Crates.of(root)
    needs = {test: tree.needs(test) for test in tree.test_files()}
    for path in changed:
        add(result, path, tree, crates, needs)
    return result


def add(result: Plan, path: str, tree: Tree, crates: Crates, needs: dict[Module, Needs]) -> None:
    """Adds what one changed file concerns."""
    is_gone = path.endswith(".py") and not (tree.root / path).exists()
    found_crates = crates.concerned(path) | crates.compiling(tree.root, path)
    if crates.crate_of(path) is None and not path.endswith(".py"):
        found_crates = crates.naming(tree.root, path)
    tests = python_tests(path, found_crates, tree, needs)
    if path.startswith("web/"):
        result.others.add("make test-web")
    if is_gone:
        result.everything = f"{path} is gone: what imported it is not known"
    if not found_crates and not tests and not path.endswith(PROSE) and not path.startswith("web/"):
        result.everything = result.everything or f"no test is known to read {path}"
    result.crates |= found_crates - WITHOUT_TESTS
    result.others |= {OTHER_PARTS[crate] for crate in found_crates & OTHER_PARTS.keys()}
    result.tests |= {tree.path_of(test) for test in tests}
    if path.startswith(TESTS) and PurePosixPath(path).name.startswith("test_"):
        result.changed_tests |= {path} & result.tests
    files = f"{len(tests)} of {len(needs)} files of Python tests" if len(tests) != 1 else f"{'.'.join(*tests)}.py"
    result.reasons.append(
        f"{path}: {', '.join(sorted(found_crates)) or 'no crate'}; {files if tests else 'no Python test'}"
    )


def python_tests(path: str, crates: set[str], tree: Tree, needs: dict[Module, Needs]) -> set[Module]:
    """The files of Python tests that a changed file concerns."""
    module = tree.module_of(path)
    words = words_of(path)
    found = {test for test, each in needs.items() if each.is_of(path, words)}
    if MODULE in crates:
        module = NATIVE
    if module is None and path.startswith("python/cwnd/"):
        # Data of the package: for the modules that name it.
        readers = {m for m, file in tree.package.items() if words & set(WORD.findall(file.read_text()))}
        return found | {test for test, each in needs.items() if each.whole or each.modules & readers}
    if module is None:
        return found
    concerned = {module}
    if module in tree.package and not any(module in targets for targets in tree.imports.values()):
        # Found by being there: for whatever imports its package.
        concerned |= {module[:length] for length in range(2, len(module))}
    is_of_package = module in tree.package or module == NATIVE
    return found | {test for test, each in needs.items() if each.modules & concerned or (each.whole and is_of_package)}


def words_of(path: str) -> set[str]:
    """The words by which a test names a file: its name, a pattern of its suffix, a folder of it.

    The folders of code do not count: `plot` and `algorithms` are commands of the program too.
    """
    pure = PurePosixPath(path)
    words = {pure.name, f"*{pure.suffix}"} if pure.suffix else {pure.name}
    if pure.suffix not in (".py", ".rs"):
        words |= set(pure.parts[:-1]) - GENERAL
    return words


def changed_files(root: Path, since: str) -> list[str]:
    """The files that differ from the last commit that HEAD shares with `since`, and those that git does not know yet."""

    def git(*arguments: str) -> list[str]:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.split("\0" if "-z" in arguments else "\n")

    base = git("merge-base", "HEAD", since)[0]
    names = [
        *git("diff", "--name-only", "--no-renames", "-z", base),
        *git("ls-files", "--others", "--exclude-standard", "-z"),
    ]
    return sorted({name for name in names if name})
