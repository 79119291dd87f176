# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs the notebooks and writes each as a page with its pictures in out/notebooks, where the site takes them.

    python -m tools.docs.notebooks

Notebooks are stored without outputs. A page shows what the run gives: tables as HTML, pictures as files, and in the place of sliders the
picture that they show at first.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError
from nbconvert.exporters import MarkdownExporter
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
RENDERED = ROOT / "out" / "notebooks"
#: How long a cell may take, s: one of them compiles a crate.
PATIENCE_S = 300
#: How long one that compiles nothing may take when its notebook is begun for the first time, s: most kernels that take longer have fallen silent.
FIRST_PATIENCE_S = 90
#: How often a notebook is begun whose kernel falls silent.
TRIES = 3
WIDGET = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
PICTURE = re.compile(r"!\[(?:png|svg|jpeg)\]\(")


def run_notebook(
    notebook: NotebookNode,
    folder: Path,
    after: Callable[[NotebookClient], None] | None = None,
    patience_s: int = PATIENCE_S,
) -> None:
    """Runs a notebook's cells in `folder`, with this interpreter and the programs in its folder; `after` is called before the kernel ends.

    Raises nbclient's `CellExecutionError` for a cell that fails.
    """
    programs = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONUTF8": "1"}
    client = NotebookClient(
        notebook,
        timeout=patience_s,
        kernel_name="python3",
        # Nothing in it is worth a farewell.
        shutdown_kernel="immediate",
        # Its warning that others on this machine may listen.
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )
    with client.setup_kernel(env=environment):
        for number, cell in enumerate(notebook.cells):
            client.execute_cell(cell, number)
        if after is not None:
            after(client)
        client.set_widgets_metadata()


def after_run(path: Path, folder: Path, after: Callable[[NotebookClient], None] | None = None) -> NotebookNode:
    """A notebook after its run in a new folder inside `folder`; begun again where its kernel falls silent. Raises as `run_notebook`."""
    for number in range(TRIES):
        notebook = nbformat.read(path, as_version=4)
        try:
            (here := folder / str(number)).mkdir()
            is_first = number == 0 and not any("!cwnd new" in cell.source for cell in notebook.cells)
            run_notebook(notebook, here, after, FIRST_PATIENCE_S if is_first else PATIENCE_S)
            break
        except CellTimeoutError:
            # On a busy machine a request or its answer is lost now and then, mostly where a widget is made: both sides wait for each other.
            if number + 1 == TRIES:
                raise
    return notebook


def without_widgets(notebook: NotebookNode) -> None:
    """Puts what a widget shows in the place of the widget, which lives only where a kernel runs."""
    state = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})

    def shown_by(model: str) -> list[NotebookNode]:
        about = state.get(model.removeprefix("IPY_MODEL_"), {}).get("state", {})
        inside = [shown for child in about.get("children", []) for shown in shown_by(child)]
        return [*inside, *(nbformat.from_dict(output) for output in about.get("outputs", []))]

    for cell in notebook.cells:
        outputs: list[NotebookNode] = []
        for output in cell.get("outputs", []):
            view = output.get("data", {}).get(WIDGET)
            outputs += [output] if view is None else shown_by(view["model_id"])
        if cell.cell_type == "code":
            cell.outputs = outputs
    notebook.metadata.pop("widgets", None)


def plain_html(html: str) -> str:
    """A table's HTML in the site's own style, without blank lines, which would end it in Markdown."""
    html = re.sub(r"<style.*?</style>", "", html, flags=re.DOTALL)
    html = html.replace(' border="1" class="dataframe"', "").replace(' style="text-align: right;"', "")
    return "\n".join(line.strip() for line in html.splitlines() if line.strip())


def page_of(notebook: NotebookNode, name: str) -> tuple[str, dict[str, bytes]]:
    """A notebook that was run as a page, and its pictures by their relative paths."""
    without_widgets(notebook)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                data["text/html"] = plain_html(data["text/html"])
            # A figure comes in both forms; a page has the one whose text is text.
            if "image/svg+xml" in data:
                data.pop("image/png", None)
    text, resources = MarkdownExporter().from_notebook_node(
        notebook, {"unique_key": name, "output_files_dir": f"{name}_files"}
    )
    lines: list[str] = []
    heading, in_code = name, False
    for line in text.splitlines():
        in_code ^= line.startswith("```")
        if line.startswith("#") and not in_code:
            heading = line.lstrip("# ")
        # What a reader hears who does not see the picture: which part of the page it belongs to.
        before, picture, after = line.partition("![")
        is_picture = picture and not before and PICTURE.match(line)
        lines.append(f"![{heading}: picture]{after.partition(']')[2]}" if is_picture else line)
    return "\n".join(lines) + "\n", resources["outputs"]


def render(path: Path) -> None:
    """Runs a notebook and writes its page and pictures."""
    with tempfile.TemporaryDirectory(prefix=f"{path.stem}-") as folder:
        notebook = after_run(path, Path(folder))
    text, pictures = page_of(notebook, path.stem)
    shutil.rmtree(RENDERED / f"{path.stem}_files", ignore_errors=True)
    for name, content in pictures.items():
        (RENDERED / name).parent.mkdir(parents=True, exist_ok=True)
        (RENDERED / name).write_bytes(content)
    (RENDERED / f"{path.stem}.md").write_text(text, encoding="utf-8")


def main() -> None:
    """Runs all notebooks, two at a time."""
    RENDERED.mkdir(parents=True, exist_ok=True)
    for path in RENDERED.glob("*.md"):
        path.unlink()
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        list(processes.map(render, sorted(NOTEBOOKS.glob("*.ipynb"))))


if __name__ == "__main__":
    main()
