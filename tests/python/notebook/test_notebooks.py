# SPDX-License-Identifier: MIT OR Apache-2.0
"""The notebooks: stored without outputs, they run from top to bottom, their sliders redraw, and their pages for the site hold what they show."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode
from needs import skip_without
from test_links import broken

from tools.docs.notebooks import NOTEBOOKS, after_run, page_of, plain_html, run_notebook

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
#: Of what a machine leaves in a notebook: absolute paths and hosts.
MACHINE = re.compile(r"(?<![\w.])/(?:home|root|Users|tmp|usr|var|work|mnt)/|[A-Z]:\\\\|127\.0\.0\.1|localhost")
MOST_CELLS = 16
#: How long a slider's run may take, s: it is one of a second or so.
SLIDER_S = 60


def blemishes(notebook: NotebookNode) -> list[str]:
    """What a notebook in the tree must not hold."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "code" and (cell.outputs or cell.execution_count is not None):
            found.append(f"{cell.id}: outputs")
        if cell.metadata:
            found.append(f"{cell.id}: metadata {sorted(cell.metadata)}")
        if MACHINE.search(cell.source):
            found.append(f"{cell.id}: a path of a machine")
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    if notebook.metadata != {"kernelspec": kernel, "language_info": {"name": "python"}}:
        found.append(f"metadata {dict(notebook.metadata)}")
    return found


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs_and_machine_paths(path: Path) -> None:
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert blemishes(notebook) == [], "Kernel > Restart and clear outputs, then save"
    assert sum(cell.cell_type == "code" for cell in notebook.cells) <= MOST_CELLS


def test_outputs_and_paths_are_noticed() -> None:
    notebook = nbformat.read(PATHS[0], as_version=4)
    code = next(cell for cell in notebook.cells if cell.cell_type == "code")
    code.outputs, code.source = [nbformat.v4.new_output("stream", text="1\n")], "open('/home/somebody/run.toml')"
    code.metadata["collapsed"] = True
    notebook.metadata["language_info"]["version"] = "3.11.7"
    *of_cell, of_notebook = blemishes(notebook)
    assert of_cell == [f"{code.id}: outputs", f"{code.id}: metadata ['collapsed']", f"{code.id}: a path of a machine"]
    assert "3.11.7" in of_notebook
    code.outputs, code.source, code.metadata = [], "ratio = a / home / b  # https://www.rfc-editor.org/rfc/rfc9438", {}
    notebook.metadata["language_info"] = {"name": "python"}
    assert blemishes(notebook) == []


def move_sliders(client: NotebookClient) -> None:
    """Each slider is moved by the kernel as by a hand, and the picture under them becomes another."""

    def run(source: str) -> NotebookNode:
        cell = nbformat.v4.new_code_cell(source)
        client.nb.cells.append(cell)
        client.execute_cell(cell, len(client.nb.cells) - 1)
        return client.nb.cells.pop()

    def picture() -> str:
        return str(run("sliders.out.outputs[0]['data']['image/svg+xml']").outputs[0]["data"]["text/plain"])

    client.timeout = SLIDER_S
    pictures = [picture()]
    for number, value in enumerate((0.85, 1.2, 40)):
        run(f"sliders.children[{number}].value = {value}")
        pictures.append(picture())
    assert len(set(pictures)) == 4 and all("<svg" in each for each in pictures)


def run_and_check(path: Path, folder: Path) -> NotebookNode:
    """A notebook after its run: every code cell ran, and none wrote to standard error."""
    notebook = after_run(path, folder, move_sliders if path.stem == "cubic-in-three-formulas" else None)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    for cell in code:
        assert not {"raises-exception", "skip-execution"} & set(cell.metadata.get("tags", []))
        for output in cell.outputs:
            assert (output.output_type, output.get("name")) not in (("stream", "stderr"), ("error", None)), output
    return notebook


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_its_page_has_its_pictures(path: Path, tmp_path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if "!cwnd new" in source:
        skip_without("rust")
    notebook = run_and_check(path, tmp_path)
    text, pictures = page_of(notebook, path.stem)
    shown = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert shown and set(shown) == set(pictures)
    assert all(b"<svg" in picture for picture in pictures.values())
    # Sliders have become the picture that they showed.
    assert "interactive(children" not in text and "application/vnd.jupyter" not in text
    assert str(tmp_path) not in text
    assert broken(path, re.sub(r"!\[[^]]+\]\([^)]+\)", "", text)) == []


@pytest.mark.slow
def test_a_cell_that_fails_fails_the_run(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("assert 1 + 1 == 3")])
    with pytest.raises(Exception, match="AssertionError"):
        run_notebook(notebook, tmp_path)


def test_a_table_keeps_its_rows_and_loses_its_style() -> None:
    html = '<div>\n<style scoped>\n a { color: red }\n</style>\n<table border="1" class="dataframe">\n\n  <tr><td>1</td></tr>\n</table>\n</div>'
    assert plain_html(html) == "<div>\n<table>\n<tr><td>1</td></tr>\n</table>\n</div>"
