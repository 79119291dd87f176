# SPDX-License-Identifier: MIT OR Apache-2.0
"""The package's arrows point down: a module imports only modules of a lower level."""

from __future__ import annotations

import ast
from pathlib import Path

import cwnd
from cwnd.experiments.claims import DOCUMENTS

PACKAGE = Path(cwnd.__file__).parent
# The files of the experiments, found by being there: nobody imports them, nor do they each other.
EXPERIMENT = "experiments.<document>.<figure>"
# The package of a document has a sentence in it and nothing else.
DOCUMENT = "experiments.<document>"
# What figures of a document share.
SETUP = "experiments.<document>._<name>"
LEVELS = [
    ["_native", "terminal"],
    ["refused", "table"],
    ["kernel", "kernel.doctor", "kernel.native", "kernel.view", "groups", "flowspec"],
    ["scenario"],
    ["kernel.listing", "kernel.result", "kernel.spec", "progress", "replay", "report", "vectors"],
    ["kernel.hold", "kernel.switch", "kernel.use", "own"],
    ["contract", "options"],
    ["metrics.value"],
    ["metrics.quantile", "metrics.series"],
    ["metrics.capacity", "metrics.change", "metrics.curve", "metrics.fairness", "metrics.loss", "metrics.statistics"],
    ["metrics.amount", "metrics.delay", "metrics.trace"],
    ["metrics.transfers"],
    ["metrics", "metrics.run"],
    ["plot.run", "result"],
    ["plot.draw", "plot.experiments"],
    ["plot", "plot.kernel"],
    ["unfinished"],
    ["store"],
    ["entry", "redraw"],
    ["replicates.document", "replicates.folder", "replicates.report", "replicates.runner"],
    ["replicates.study"],
    ["replicates", "replicates.command"],
    ["experiments.claims", "experiments.forms", "experiments.frame", "experiments.iperf"],
    ["experiments", "experiments.counts"],
    [DOCUMENT],
    [SETUP],
    [EXPERIMENT],
    ["experiments.find"],
    ["experiments.verdict"],
    ["experiments.cache", "experiments.picture"],
    ["experiments.runner"],
    ["experiments.book"],
    ["experiments.page"],
    ["experiments.command"],
    ["kernel.trace"],
    ["kernel.cli"],
    ["catalogue", "own_commands"],
    ["cli"],
    ["__main__"],
    [""],
]


def level(module: str) -> int:
    if module.startswith("experiments.") and module.split(".")[1] in DOCUMENTS:
        _, _, figure = module.split(".") if module.count(".") == 2 else (*module.split("."), "")
        module = DOCUMENT if not figure else SETUP if figure.startswith("_") else EXPERIMENT
    found = [number for number, names in enumerate(LEVELS) if module in names]
    assert found, f"{module or 'the package itself'} has no level: add it to LEVELS"
    return found[0]


def test_imports_point_down() -> None:
    arrows = 0
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        tree = ast.parse(path.read_text())
        typing_only = [
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
            for inner in ast.walk(node)
        ]
        for node in ast.walk(tree):
            if (
                not isinstance(node, ast.ImportFrom)
                or node in typing_only
                or not (node.module or "").startswith("cwnd")
            ):
                continue
            below = (node.module or "").removeprefix("cwnd").removeprefix(".")
            targets = [below] if below else [alias.name for alias in node.names]
            for target in targets:
                # A document's set-ups may build on each other.
                alike = LEVELS[level(module)] == LEVELS[level(target)] == [SETUP]
                assert module == "" or alike or level(target) < level(module), f"{module} imports {target}"
                arrows += 1
    assert arrows >= 10
