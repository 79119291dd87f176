# SPDX-License-Identifier: MIT OR Apache-2.0
"""A hook of mkdocs: the navigation of folders, pages of the project that lie outside docs/, notebooks, the links to and from them, and the lab.

mkdocs knows files below docs/ only. The README becomes the site's first page, and the lab stands above its text. The other pages that docs/ links to are added under their
own paths. A notebook's page is what tools/docs/notebooks.py wrote when it ran it; the notebook itself is beside it.
A link to a source file, which is no page, becomes the file's path in code type. A link to a file that is missing is a warning, as mkdocs'
own are, and `--strict` ends the build with them.
"""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
#: `mkdocs build --strict` counts the warnings of loggers below "mkdocs".
LOG = logging.getLogger("mkdocs.hooks.site")
#: Where a page outside docs/ stands on the site.
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "fuzz/README.md": "fuzz/README.md",
    "vectors/README.md": "vectors/README.md",
    "vectors/golden/README.md": "vectors/golden/README.md",
}
#: Notebooks, and where their pages and pictures are written.
NOTEBOOKS, RENDERED = ROOT / "notebooks", ROOT / "out" / "notebooks"
#: The lab, which is on the site where it has been built, and its stylesheet.
PAGE = ROOT / "python" / "cwnd" / "page" / "lab.html"
STYLE = ROOT / "web" / "src" / "style.css"
#: The rules of the stylesheet that name its colours, light and then dark.
COLOURS = re.compile(r":root \{(.*?)\}", re.DOTALL)
LINK = r"(!?)\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)"
CODE_OR_LINK = re.compile(rf"(?P<code>^```.*?^```$|`[^`\n]*`)|{LINK}", re.DOTALL | re.MULTILINE)


def place_of(path: Path) -> str | None:
    """The place of a file of the project on the site, if it has one."""
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir() and (path / "README.md").is_file():
        return place_of(path / "README.md")
    if name in OUTSIDE:
        return OUTSIDE[name]
    if path.is_relative_to(NOTEBOOKS):
        is_page = path.suffix == ".ipynb" and path.is_file()
        # A picture of a notebook is in the folder of its page.
        return name.removesuffix(".ipynb") + ".md" if is_page else name if (ROOT / "out" / name).is_file() else None
    is_shown = path.is_file() and path.is_relative_to(DOCS) and path.suffix in {".md", ".png", ".svg"}
    return path.relative_to(DOCS).as_posix() if is_shown else None


def rewritten(text: str, source: Path, place: str) -> str:
    """A page's text with the links that it has at `place` on the site; `source` is its file."""

    def link(match: re.Match[str]) -> str:
        _, picture, words, target, anchor = match.groups()
        if re.match(r"[a-z]+:", target):
            return match[0]
        path = (source.parent / target).resolve()
        there = place_of(path) if path.is_relative_to(ROOT) else None
        if there is None and not (path.is_relative_to(ROOT) and path.exists()):
            LOG.warning("Doc file '%s' contains a link '%s', but there is no such file in the project.", place, target)
            return words
        if there is None:
            name = path.relative_to(ROOT).as_posix()
            return f"`{name}`" if words.strip("`") in {name, path.name} else f"{words} (`{name}`)"
        return f"{picture}[{words}]({os.path.relpath(there, Path(place).parent)}{anchor or ''})"

    # In code nothing is a link; the words of a link may be code.
    return CODE_OR_LINK.sub(lambda match: match[0] if match["code"] else link(match), text)


def pages_of(folder: str) -> list[str]:
    """The pages of a folder of docs/, its index first."""
    names = sorted(path.name for path in (DOCS / folder).glob("*.md"))
    names.sort(key=lambda name: name != "README.md")
    return [f"{folder}/{name}" for name in names]


#: The navigation as mkdocs reads it from YAML.
Nav = str | list["Nav"] | dict[str, "Nav"]


def with_folders(nav: Nav) -> Nav:
    """The navigation with the pages of each folder that it names."""
    if isinstance(nav, dict):
        return {title: with_folders(part) for title, part in nav.items()}
    if isinstance(nav, list):
        return [with_folders(part) for part in nav]
    return [*pages_of(nav)] if (DOCS / nav).is_dir() else nav


def colours(style: str) -> str:
    """The lab's colours under the names of the theme's two schemes."""
    light, dark = COLOURS.findall(style)
    return f'[data-md-color-scheme="default"] {{{light}}}\n[data-md-color-scheme="slate"] {{{light}{dark}}}\n'


def on_config(config: Any) -> Any:  # noqa: ANN401 -- mkdocs has no type for it
    """Completes the navigation, and tells the theme's first page where the lab is."""
    config["nav"] = with_folders(config["nav"])
    config["extra"]["lab"] = PAGE.name if PAGE.exists() else ""
    return config


def on_files(files: Files, config: Any) -> Files:  # noqa: ANN401 -- as above
    """Adds the pages that lie outside docs/, the lab, and its colours."""
    files.append(File.generated(config, "colours.css", content=colours(STYLE.read_text())))
    if PAGE.exists():
        files.append(File.generated(config, PAGE.name, abs_src_path=str(PAGE)))
    for name, place in OUTSIDE.items():
        if (ROOT / name).is_file():
            files.append(File.generated(config, place, abs_src_path=str(ROOT / name)))
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        rendered = RENDERED / f"{notebook.stem}.md"
        if not rendered.is_file():
            raise PluginError(f"{rendered.relative_to(ROOT)} is missing: make site runs the notebooks")
        files.append(File.generated(config, f"notebooks/{notebook.name}", abs_src_path=str(notebook)))
        for path in (rendered, *sorted(RENDERED.glob(f"{notebook.stem}_files/*"))):
            files.append(
                File.generated(config, f"notebooks/{path.relative_to(RENDERED).as_posix()}", abs_src_path=str(path))
            )
    return files


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # noqa: ANN401 -- as above
    """Each page with links that work on the site; that of a notebook says where the notebook is. The first page has no navigation beside it."""
    place = page.file.src_uri
    if place == "index.md":
        page.meta["hide"] = ["navigation"]
    if not place.startswith("notebooks/"):
        text = rewritten(markdown, Path(page.file.abs_src_path), place)
        return with_web_page(text, page.url) if place == "guide/lab.md" and PAGE.exists() else text
    notebook = NOTEBOOKS / f"{Path(place).stem}.ipynb"
    title, rest = rewritten(markdown, notebook, place).split("\n", maxsplit=1)
    return f"{title}\n\n*A notebook, run when this page was made: [{notebook.name}]({notebook.name}).*\n{rest}"


def with_web_page(text: str, url: str) -> str:
    """The guide of the web page with links to it, which the site has."""
    target = "../" * url.count("/") + PAGE.name
    title, rest = text.split("\n", maxsplit=1)
    return (
        f'{title}\n\n<a href="{target}">Open the laboratory</a> · <a href="{target}#essay">CUBIC hands-on</a>\n{rest}'
    )
