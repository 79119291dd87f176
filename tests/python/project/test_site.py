# SPDX-License-Identifier: MIT OR Apache-2.0
"""`make site` refuses a link that leads nowhere, and a page that the navigation lacks. Its own command builds a small project with each fault.
In a browser, pages opened as files have a search that finds, and a first page whose lab simulates."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from needs import CI, needs

ROOT = Path(__file__).parents[3]
MKDOCS = ROOT / ".venv" / "site" / "bin" / "mkdocs"
LAB = "python/cwnd/page/lab.html"
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
    for name in ("tools/docs/site.py", "web/src/style.css", LAB):
        (folder / name).parent.mkdir(parents=True)
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "tools" / "docs" / "theme", folder / "tools" / "docs" / "theme")
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


def in_browser(page: str, profile: Path, *options: str) -> str:
    """A page as a browser has it after its scripts ran."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", *options]
    command += ["--virtual-time-budget=20000", "--dump-dom", page]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout


@needs("chromium")
@pytest.mark.parametrize(
    ("word", "said", "found"),
    [
        ("plateau", "1 matching document", ["second.html", "second.html#a-plateau"]),
        ("sawtooth", "No matching documents", []),
    ],
)
def test_the_search_finds_in_pages_that_are_opened_as_files(
    tmp_path: Path, word: str, said: str, found: list[str]
) -> None:
    assert built(tmp_path, {"docs/second.md": "\n## A plateau\n"}).returncode == 0
    site = tmp_path / "out" / "site"
    text = in_browser(f"{(site / 'first.html').as_uri()}?q={word}", tmp_path / "profile")
    links = [tag for tag in re.findall(r"<a [^>]*>", text) if "md-search-result__link" in tag]
    targets = [match[1] for tag in links if (match := re.search(r'href="([^"?]*)', tag))]
    assert sorted(target.rpartition("/")[2] for target in targets) == found, text
    assert re.search(rf'class="md-search-result__meta">\s*{said}\s*<', text), text


def test_a_page_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    assert built(tmp_path, {}).returncode == 0
    text = (tmp_path / "out" / "site" / "index.html").read_text()
    loaded = re.findall(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=\"?([^\" >]+)", text)
    assert "iframe-worker.js" in loaded and [place for place in loaded if re.match(r"[a-z]+:|//", place)] == []


# The lab's own frame is looked at from a frame around the first page, which takes a browser that lets files see each other.
@needs("chromium")
@pytest.mark.skipif(not CI and not (ROOT / LAB).exists(), reason="needs the web page: make page")
def test_the_first_page_holds_the_lab_and_it_simulates(tmp_path: Path) -> None:
    assert built(tmp_path, {}).returncode == 0
    site = tmp_path / "out" / "site"
    assert "<iframe" not in (site / "first.html").read_text()
    (site / "look.html").write_text(
        """<iframe id="page" src="index.html" style="width:1400px;height:900px"></iframe><pre id="seen"></pre>
        <script>setInterval(() => {
            const lab = document.getElementById("page").contentDocument.querySelector(".lab iframe");
            const sentence = lab.contentDocument.getElementById("sentence").textContent;
            document.getElementById("seen").textContent = JSON.stringify([lab.clientWidth, sentence]);
        }, 200);</script>"""
    )
    text = in_browser((site / "look.html").as_uri(), tmp_path / "profile", "--allow-file-access-from-files")
    seen = re.search(r'<pre id="seen">(.+?)</pre>', text)
    assert seen, text
    width, sentence = json.loads(seen[1])
    # The lab has the page's whole width, less a scroll bar.
    assert 1380 <= width <= 1400
    assert re.match(r"CUBIC gets [\d.]+ %, Reno gets [\d.]+ % of the link", sentence), sentence
