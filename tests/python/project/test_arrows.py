# SPDX-License-Identifier: MIT OR Apache-2.0
"""No module of the package imports, by whatever way, one that imports it, nor one of a subpackage above its own."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import cwnd
from tools.affected.imports import Facts, Imports, Module, homes_of, is_for_types, sources

PACKAGE = Path(cwnd.__file__).parent
#: The subpackages of the package: a module imports from its own and from those before it.
SUBPACKAGES = [
    "_native",
    "_internal",
    "metrics",
    "stacks",
    "scenario",
    "plugin",
    "page",
    "linux",
    "result",
    "replay",
    "replicates",
    "kernel",
    "study",
    "load",
    "qlog",
    "diff",
    "plot",
    "fidelity",
    "notebook",
    "reproduce",
    "papers",
    "compare",
    "cli",
]
Arrows = frozenset[tuple[Module, Module]]
#: Arrows that point up, each inside a function: what a result offers in addition to its numbers is imported when it is asked for.
LAZY: Arrows = frozenset(
    (tuple(source.split(".")), tuple(target.split(".")))
    for source, target in (
        ("_internal.notebook_repr", "notebook.html"),
        ("kernel.trace_folder", "plot.kernel"),
        ("linux", "kernel.virtual_trace"),
        ("result.frames", "study.dataset"),
        ("result.result", "qlog.file"),
        ("result.result", "replicates.document"),
        ("result.result", "replicates.rows"),
        ("result.result", "replicates.tables"),
        ("result.result", "study.dataset"),
        ("result.store", "plot.draw"),
    )
)
#: For `make check`.
READS = ("python/cwnd/**/*.py",)


def cycle(imports: Imports, joint: str) -> str | None:
    """A cycle, written with arrows, if there is one."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return " -> ".join(joint.join(module) for module in reversed(error.args[1]))
    return None


def of_package(folder: Path, *, lazy: Arrows = frozenset()) -> Imports:
    """What the modules of a Python package import, in functions and for types too, without these arrows. A name that the package gives is its home's."""
    top = (folder.name,)
    modules, homes = sources(folder, top), homes_of(folder)
    imports = {}
    for module, path in modules.items():
        tree = ast.parse(path.read_text())
        targets = Facts.of(*([tree, *for_types(tree)])).modules(modules, homes)
        imports[module[1:]] = {target[1:] for target in targets - {module, top} if (module[1:], target[1:]) not in lazy}
    # The package itself gives its names when they are asked for, and imports nothing.
    imports[()] = set()
    return imports


def for_types(tree: ast.Module) -> list[ast.stmt]:
    """The statements that only type checkers see."""
    return [each for node in ast.walk(tree) if isinstance(node, ast.If) and is_for_types(node) for each in node.body]


def level_of(module: Module) -> int:
    """The level of a module's subpackage; the first and last modules of the program are above all."""
    return SUBPACKAGES.index(module[0]) if module[:1] not in ((), ("__main__",)) else len(SUBPACKAGES)


def test_no_module_of_the_package_imports_one_that_imports_it() -> None:
    imports = of_package(PACKAGE, lazy=LAZY)
    assert sum(map(len, imports.values())) > 300
    assert cycle(imports, ".") is None


def test_the_package_has_subpackages_alone_and_two_verbs_that_know_every_result() -> None:
    at_top = {path.stem for path in PACKAGE.glob("*.py*") if path.is_file() and path.suffix in (".py", ".pyi")}
    assert at_top == {"__init__", "__main__", "_native", "load", "compare"}
    subpackages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert subpackages | {"_native", "load", "compare"} == set(SUBPACKAGES)


def test_no_module_imports_one_of_a_subpackage_above_its_own_but_for_named_arrows_in_functions() -> None:
    modules = sources(PACKAGE, ("cwnd",))
    arrows = {(module, target) for module, targets in of_package(PACKAGE).items() for target in targets if module}
    for module, path in modules.items():
        # What finds the experiments of the papers by their names does so for `cwnd reproduce` alone.
        if module not in (("cwnd",), ("cwnd", "reproduce", "discover")):
            loaded = Facts.of(ast.parse(path.read_text())).loaded_modules(modules)
            arrows |= {(module[1:], target[1:]) for target in loaded}
    up = {(module, target) for module, target in arrows if level_of(target) > level_of(module)}
    assert up == LAZY, ", ".join(f"{'.'.join(a)} -> {'.'.join(b)}" for a, b in up ^ LAZY)
    for module, target in LAZY:
        tree = ast.parse(modules[("cwnd", *module)].read_text())
        at_once = Facts.of(*(node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)))
        assert ("cwnd", *target) not in at_once.modules(modules, {}), f"{module} imports {target} at once"


def test_only_figures_of_a_paper_stand_above_the_experiments_and_metrics_know_no_picture() -> None:
    imports = of_package(PACKAGE)
    for module, targets in imports.items():
        for target in targets:
            arrow = f"{'.'.join(module)} imports {'.'.join(target)}"
            is_figure = target[0] == "papers" and len(target) == 3 and target[2] != "setups"
            assert not is_figure, f"{arrow}, which is found by being there"
            if module[:1] == ("metrics",):
                assert target[0] not in ("plot", "report", "cli"), arrow
            if target[0] == "reproduce":
                assert module[0] in ("reproduce", "papers", "cli"), arrow
            if module[0] == "papers" and target[0] == "papers":
                assert module[1] == target[1], f"{arrow}: of another document"


def test_a_cycle_is_found(tmp_path: Path) -> None:
    package = tmp_path / "cwnd"
    package.mkdir()
    (package / "__init__.py").write_text("from cwnd.a import x\n")
    (package / "a.py").write_text("def x():\n    from cwnd.b import y\n")
    (package / "b.py").write_text("from cwnd import c\n")
    (package / "c.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from cwnd.a import x\n")
    by_type = of_package(package)
    assert by_type["c",] == {("a",)} and cycle(by_type, ".")
    assert cycle(of_package(package, lazy=frozenset({(("c",), ("a",))})), ".") is None
    (package / "c.py").write_text("from cwnd.a import x\n")
    assert cycle(of_package(package), ".") in ("a -> b -> c -> a", "b -> c -> a -> b", "c -> a -> b -> c")
