# SPDX-License-Identifier: MIT OR Apache-2.0
"""`python -m tools.release` in a scratch checkout: notes, sums, what it refuses, what it resumes, and what an interrupt leaves. Nothing is built here."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tools import ROOT, version
from tools.release.__main__ import STEPS, dependents
from tools.release.errors import ReleaseError
from tools.release.notes import section, written

#: For `make check`.
READS = ("tools/**/*.py", "docs/release.md")
CHANGELOG = """# Changelog

## 1.2.3, 2026-11-28

### What there is

* A [page](docs/page.md), a [site](https://example.org).

### Breaking changes

* `old` is `new`.

## 1.2.2, unreleased

### What there is
"""
NOTES = """# cwnd 1.2.3, 2026-11-28

### Breaking changes

* `old` is `new`.

### What there is

* A page (docs/page.md), a [site](https://example.org).
"""
Release = Callable[..., subprocess.CompletedProcess[str]]


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    return subprocess.run(["git", *identity, *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The tool, and the files that carry the version, committed on `main`; a `make` that fails, if it is in front on the path."""
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "tools", root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    for path in {ROOT / "Cargo.toml", ROOT / ".gitignore", *(path for path, _ in version.places())}:
        (root / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path.relative_to(ROOT))
    (root / "CHANGELOG.md").write_text(CHANGELOG.replace("1.2.3", version.version()))
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "A release")
    return root


def environment(root: Path) -> dict[str, str]:
    """`make` is a script beside the checkout; tags have an author."""
    names = {f"GIT_{role}_{what}": "test" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {**os.environ, **names, "PYTHONPATH": str(root), "PATH": f"{root.parent / 'bin'}:{os.environ['PATH']}"}


@pytest.fixture
def release(checkout: Path) -> Release:
    """Runs the tool there."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tools.release", *arguments]
        return subprocess.run(
            command, cwd=checkout, env=environment(checkout), capture_output=True, text=True, check=False
        )

    return run


def make(root: Path, script: str) -> None:
    (root.parent / "bin").mkdir(exist_ok=True)
    (root.parent / "bin" / "make").write_text(f"#!/bin/sh\n{script}\n")
    (root.parent / "bin" / "make").chmod(0o755)


def part(root: Path, *, quick: bool = False) -> Path:
    return root / "dist" / "release" / f"{version.version()}{'-quick' if quick else ''}.part"


def record(root: Path, *done: str) -> Path:
    """A release of which these steps are done, with a file of two of them."""
    folder = part(root)
    for name in ("wheels/one.whl", "crates/one.crate"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    steps = dict.fromkeys(done, 1.0)
    (folder / ".steps.json").write_text(json.dumps({"commit": git(root, "rev-parse", "HEAD").strip(), "steps": steps}))
    return folder


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 1 and done.stderr.startswith("error: ") and done.stderr.count("\n") == 1, done
    assert [word for word in words if word not in done.stderr] == []


def test_the_notes_are_the_section_of_the_version_with_breaking_changes_first() -> None:
    assert written(CHANGELOG, "1.2.3") == NOTES


def test_a_version_without_a_section_or_without_a_date_is_refused() -> None:
    with pytest.raises(ReleaseError, match=r"no section of 1\.2\.4; expected a line such as `## 1\.2\.4, "):
        section(CHANGELOG, "1.2.4")
    with pytest.raises(ReleaseError, match=r'date of 1\.2\.2: "unreleased" is not accepted; expected a date'):
        section(CHANGELOG, "1.2.2")
    date, _ = section(CHANGELOG, "1.2.2", quick=True)
    assert date == "unreleased"


def test_the_changelog_gives_notes_once_it_has_a_date() -> None:
    dated = (ROOT / "CHANGELOG.md").read_text().replace(", unreleased\n", ", 2026-11-28\n")
    notes = written(dated, version.version())
    assert notes.startswith(f"# cwnd {version.version()}, 20") and "](docs/" not in notes


def test_an_unknown_step_is_refused(release: Release) -> None:
    done = release("notes", "upload")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f'error: STEP: "upload" is not accepted; expected {", ".join(STEPS)}\n'


def test_a_tree_with_changes_is_refused_but_for_a_quick_release(release: Release, checkout: Path) -> None:
    (checkout / "CHANGELOG.md").open("a").write("One more line.\n")
    refused(release("notes"), "CHANGELOG.md", "not committed", "expected a clean tree, or --quick")
    assert not (checkout / "dist").exists()
    assert release("notes", "--quick").returncode == 0
    assert (part(checkout, quick=True) / "notes.md").exists()
    refused(release("tag", "--quick"), "tag: expected these steps to be done first")


def test_a_step_is_refused_until_the_steps_that_it_uses_are_done(release: Release, checkout: Path) -> None:
    assert release("notes").returncode == 0
    refused(release("checksums"), "checksums: expected these steps to be done first for this commit: wheels crates\n")
    assert dependents("notes") == ["notes", "checksums", "tag"]
    assert dependents("wheels") == ["wheels", "checksums", "install", "tag"]


def test_sha256sum_agrees_and_a_changed_file_is_not_tagged(release: Release, checkout: Path) -> None:
    record(checkout, "check", "wheels", "crates", "install")
    done = release("notes", "checksums")
    assert done.returncode == 0, done
    folder = part(checkout).with_suffix("")
    sums = subprocess.run(
        ["sha256sum", "--check", "SHA256SUMS"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (sums.returncode, sums.stdout) == (0, "crates/one.crate: OK\nnotes.md: OK\nwheels/one.whl: OK\n")
    (folder / "notes.md").open("a").write("More.\n")
    (folder / "wheels" / "two.whl").touch()
    refused(release("tag"), "SHA256SUMS: differs for notes.md, wheels/two.whl;")
    assert git(checkout, "tag") == ""


def test_steps_that_are_done_for_this_commit_are_not_done_again_and_the_tag_comes_last(
    release: Release, checkout: Path
) -> None:
    record(checkout, "check", "wheels", "crates", "install")
    done = release()
    assert done.returncode == 0, done
    before = re.findall(r"^(\w+): done before for this commit", done.stdout, re.MULTILINE)
    assert before == ["check", "wheels", "crates", "install"]
    name = f"v{version.version()}"
    assert git(checkout, "cat-file", "-t", name) == "tag\n" and git(checkout, "rev-list", "-1", name) == git(
        checkout, "rev-parse", "HEAD"
    )
    *_, twine, cargo = done.stdout.splitlines()
    assert twine.strip() == f"twine upload dist/release/{version.version()}/wheels/*.whl"
    assert cargo.strip().startswith("cargo publish --locked -p cwnd -p cwnd-quinn")
    refused(release("tag"), f"{name} exists already")


def test_another_commit_begins_again_and_a_whole_folder_of_one_is_left_alone(release: Release, checkout: Path) -> None:
    folder = record(checkout, "check", "wheels", "crates", "install")
    git(checkout, "commit", "--quiet", "--allow-empty", "--message", "More")
    assert "of another commit" in release("notes").stdout
    assert [path.name for path in sorted(folder.iterdir())] == [".steps.json", "notes.md"]
    folder.rename(folder.with_suffix(""))
    git(checkout, "commit", "--quiet", "--allow-empty", "--message", "Even more")
    refused(release("notes"), "is not of commit", "remove it first")


def test_a_branch_other_than_main_is_not_tagged(release: Release, checkout: Path) -> None:
    record(checkout, *(step for step in STEPS if step not in ("tag", "notes", "checksums")))
    git(checkout, "switch", "--quiet", "--create", "topic")
    done = release()
    assert done.returncode == 1 and 'branch "topic" is not accepted; expected main' in done.stderr
    assert git(checkout, "tag") == ""


def test_a_step_that_fails_leaves_what_was_there(release: Release, checkout: Path) -> None:
    folder = record(checkout, "check", "wheels")
    make(checkout, "exit 3")
    refused(release("wheels"), "make failed with exit code 3", "wheel CI=true PROFILE=1")
    assert (folder / "wheels" / "one.whl").exists() and not (folder / ".fresh").exists()
    assert json.loads((folder / ".steps.json").read_text())["steps"] == {"check": 1.0}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_what_runs_and_leaves_nothing(checkout: Path, how: signal.Signals) -> None:
    said = checkout.parent / "said"
    make(checkout, f"sleep 600 & echo $! >{said}.new; mv {said}.new {said}; wait")
    command = [sys.executable, "-m", "tools.release", "wheels"]
    process = subprocess.Popen(command, cwd=checkout, env=environment(checkout), stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 60
        while not said.exists():
            assert time.monotonic() < until and process.poll() is None
            time.sleep(0.02)
        process.send_signal(how)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, errors) == (128 + how, "")
    sleeper = Path("/proc") / said.read_text().strip() / "stat"
    with suppress(OSError):
        assert sleeper.read_text().rpartition(")")[2].split()[0] == "Z"
    assert [path.name for path in part(checkout).iterdir()] == [".steps.json"]


def test_the_page_and_the_help_name_every_step_in_order(release: Release) -> None:
    page = (ROOT / "docs" / "release.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(STEPS)
    shown = release("--help")
    assert shown.returncode == 0 and re.findall(r"^  (\w+)  +\S.*$", shown.stdout, re.MULTILINE)[-len(STEPS) :] == list(
        STEPS
    )
