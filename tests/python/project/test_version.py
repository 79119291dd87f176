# SPDX-License-Identifier: MIT OR Apache-2.0
"""One version in one place, `[workspace.package]` of Cargo.toml: whatever carries it agrees, and a place that does not is noticed."""

from __future__ import annotations

import re
import shutil
import tomllib
from importlib.metadata import version as installed
from pathlib import Path

import pytest
from conftest import Cli
from test_links import tracked

import cwnd as package
from tools import ROOT, version

#: Crates that `cwnd new` writes: their versions are their users' own.
TEMPLATES = ROOT / "python" / "cwnd"
#: What carries it, by a file of each kind.
KINDS = {
    "Cargo.toml": 1,
    "bench/cost/Cargo.toml": 1,
    "crates/cwnd-bpf/hooks/Cargo.toml": 1,
    "Cargo.lock": 22,
    "CITATION.cff": 1,
    "docs/guide/install.md": 2,
    "docs/guide/cluster.md": 1,
}


def test_program_and_package_have_the_version_of_cargo_toml(cwnd: Cli) -> None:
    assert cwnd("--version").stdout == f"cwnd {version.version()}\n"
    assert package.__version__ == installed("cwnd") == version.version()


def test_every_file_that_carries_it_agrees() -> None:
    assert version.write(check=True) == [], "python -m tools.version writes it"
    counts = {path.relative_to(ROOT).as_posix(): len(form.findall(path.read_text())) for path, form in version.places()}
    assert {name: counts.get(name) for name in KINDS} == KINDS


def test_no_other_manifest_has_a_version_of_its_own() -> None:
    known = {path for path, _ in version.places()}
    for path in tracked("*Cargo.toml"):
        if path in known or path.is_relative_to(TEMPLATES):
            continue
        crate = tomllib.loads(path.read_text())["package"]
        assert crate["version"] == {"workspace": True}, path
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" not in project and "version" in project["dynamic"], "maturin takes it from the crate"
    assert '"version"' not in (ROOT / "web" / "package.json").read_text()
    locks = {path for path in tracked("*Cargo.lock")}
    assert locks <= known


def test_the_changelog_begins_with_it() -> None:
    headings = re.findall(r"^## (\S+?)(?:,| |$)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == version.version()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The places, in a folder of their own."""
    for path in {ROOT / "Cargo.toml", *(path for path, _ in version.places())}:
        there = tmp_path / path.relative_to(ROOT)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, there)
    return tmp_path


@pytest.mark.parametrize("name", KINDS)
def test_a_place_with_another_version_is_noticed_and_written(copy: Path, name: str) -> None:
    (path,) = (path for path, _ in version.places(copy) if path == copy / name)
    form = dict(version.places(copy))[path]
    right = path.read_text()
    path.write_text(form.sub(lambda match: match["before"] + "9.8.7", right))
    assert version.write(copy, check=True) == [name]
    assert version.write(copy) == [name] and path.read_text() == right


def test_a_new_version_is_written_everywhere(copy: Path) -> None:
    manifest = copy / "Cargo.toml"
    head, found, rest = manifest.read_text().partition(f'version = "{version.version()}"')
    assert head.endswith("[workspace.package]\n") and found
    manifest.write_text(f'{head}version = "12.0.3"{rest}')
    assert set(version.write(copy)) >= set(KINDS)
    assert version.write(copy) == [] and 'path = "crates/cwnd", version = "12.0.3"' in manifest.read_text()
    assert "version: 12.0.3\n" in (copy / "CITATION.cff").read_text()
