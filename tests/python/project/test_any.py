# SPDX-License-Identifier: MIT OR Apache-2.0
"""`Any` stands only where a value comes from or goes to a foreign library that has no type for it."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[3]
#: For `make check`.
READS = ("python/**/*.py*", "tools/**/*.py")
#: The modules that may name it, how often, and why; the code says so too.
BORDERS = {
    "python/cwnd/cli/defaults.py": (6, "values of options, which the parser knows by their names alone"),
    "python/cwnd/scenario/netem.py": (4, "keywords of functions, whose types differ"),
    "python/cwnd/cli/application.py": (1, "the keywords of typer's decorators, which are handed on"),
    "python/cwnd/qlog/records.py": (1, "rows of Arrow tables, whose columns have a type each"),
    "python/cwnd/scenario/builders.py": (2, "a JSON schema, which other libraries validate by"),
    "python/cwnd/_internal/json_files.py": (
        6,
        "documents of others before they are checked, and the types that they are checked by",
    ),
    "tools/docs/scenario_page.py": (1, "the parts of that schema"),
    "tools/docs/site.py": (4, "objects of mkdocs, which has no types"),
    "tools/fuzz/folders.py": (5, "documents that are changed at random"),
    "tools/web/node.py": (1, "answers of another process, of a shape for each request"),
}


def uses(source: str) -> int:
    """How often a module names `Any`, its import and texts aside."""
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(ast.parse(source)))


def test_any_stands_only_at_the_border_to_foreign_libraries() -> None:
    paths = [path for pattern in READS for path in ROOT.glob(pattern)]
    named = {
        path.relative_to(ROOT).as_posix(): count
        for path in paths
        if path.suffix in (".py", ".pyi") and "source" not in path.parts and (count := uses(path.read_text()))
    }
    assert named == {module: count for module, (count, _) in BORDERS.items()}


def test_every_use_is_counted() -> None:
    assert uses("from typing import Any\nx: dict[str, Any] = {}\ndef f(*a: Any) -> list[Any]: ...\n") == 3
    assert uses("'Any'\n# Any\nAnything = 1\n") == 0
