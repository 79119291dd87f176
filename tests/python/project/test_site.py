# SPDX-License-Identifier: MIT OR Apache-2.0
"""`make site` refuses a link that leads nowhere, and a page that the navigation lacks. Its own command builds a small project with each fault."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MKDOCS = ROOT / ".venv" / "site" / "bin" / "mkdocs"
#: `make site` installs it; .ci/run runs this file again after that.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.ci_may_skip,
    pytest.mark.skipif(not MKDOCS.exists(), reason="needs mkdocs: make .venv/site/.packages"),
]
PAGES = {
    "README.md": "# Home\n\n[first](docs/first.md) and [its part](docs/first.md#a-part)\n",
    "docs/first.md": "# First\n\n## A part\n\n[second](second.md), [this part](#a-part), [home](../README.md), [code](../src/code.rs)\n",
    "docs/second.md": "# Second\n",
    "src/code.rs": "\n",
}


def built(folder: Path, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Builds a project of these pages, with this project's settings and hook, as `make site` does."""
    for name, text in {**PAGES, **more}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text() if path.exists() else ""
        path.write_text(before + text)
    (folder / "tools" / "docs").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "docs" / "site.py", folder / "tools" / "docs")
    settings = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[0]
    (folder / "mkdocs.yml").write_text(f"{settings}\nnav:\n  - index.md\n  - first.md\n  - second.md\n")
    (command,) = re.findall(r"site/bin/mkdocs (build.*)", (ROOT / "Makefile").read_text())
    return subprocess.run(
        [MKDOCS, *command.split()],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )


def test_a_project_whose_links_all_lead_somewhere_is_built(tmp_path: Path) -> None:
    done = built(tmp_path, {})
    assert done.returncode == 0, done.stdout
    assert "src/code.rs" in (tmp_path / "out" / "site" / "first.html").read_text()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("docs/second.md", "\n[broken](nowhere.md)\n", "nowhere.md"),
        ("docs/second.md", "\n![broken](nowhere.png)\n", "nowhere.png"),
        ("docs/second.md", "\n[source](../src/nowhere.rs)\n", "../src/nowhere.rs"),
        ("docs/second.md", "\n[out of the project](../../../../nowhere)\n", "../../../../nowhere"),
        ("docs/second.md", "\n[folder](../nothing/)\n", "../nothing/"),
        ("docs/second.md", "\n[anchor](first.md#no-such-part)\n", "no-such-part"),
        ("docs/second.md", "\n[anchor](#no-such-part)\n", "no-such-part"),
        ("README.md", "\n[broken](docs/nowhere.md)\n", "docs/nowhere.md"),
        ("README.md", "\n[anchor](docs/first.md#no-such-part)\n", "no-such-part"),
        ("docs/third.md", "# A page outside the navigation\n", "third.md"),
    ],
)
def test_a_link_to_nowhere_and_a_page_outside_the_navigation_are_refused(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    done = built(tmp_path, {name: text})
    assert done.returncode == 1, done.stdout
    assert said in done.stdout and "Aborted with 1 warnings in strict mode" in done.stdout, done.stdout
