# SPDX-License-Identifier: MIT OR Apache-2.0
"""No module imports, by whatever way, one that imports it: neither in the package nor in a crate. Nothing here lists modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import cwnd
from tools.affected.imports import Facts, Imports, Module, sources

PACKAGE = Path(cwnd.__file__).parent
CRATES = sorted(path.parent for path in (Path(__file__).parents[2] / "crates").glob("*/src"))


def cycle(imports: Imports, joint: str) -> str | None:
    """A cycle, written with arrows, if there is one."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return " -> ".join(joint.join(module) for module in reversed(error.args[1]))
    return None


def of_package(folder: Path) -> Imports:
    """What the modules of a Python package import when they run: not for types alone."""
    top = (folder.name,)
    modules = sources(folder, top)
    imports = {module: Facts.of(ast.parse(path.read_text())).modules(modules, {}) for module, path in modules.items()}
    # The package itself gives its names when they are asked for, and imports nothing.
    imports[top] = set()
    return {module[1:]: {target[1:] for target in targets - {module, top}} for module, targets in imports.items()}


def of_crate(folder: Path) -> Imports:
    """What the modules of a crate use of each other; tests and what a module's parents hold do not count."""
    names: dict[Module, Path] = {}
    for path in sorted(folder.rglob("*.rs")):
        parts = path.relative_to(folder).with_suffix("").parts
        name = parts[:-1] if parts[-1] in ("lib", "mod") else parts
        if not (name and name[-1].endswith("tests")):
            names[name] = path
    imports: Imports = {}
    for module, path in names.items():
        imports[module] = set()
        for used in paths_in(path.read_text()):
            target = resolved(used, module, names)
            is_kin = target[: len(module)] == module or module[: len(target)] == target
            if not is_kin:
                imports[module].add(target)
    return imports


def resolved(used: list[str], module: Module, names: dict[Module, Path]) -> Module:
    """The module of a crate that a path of Rust leads into; the module itself for a path into another crate."""
    base: Module = ()
    if used[0] in ("super", "self"):
        base = module
        while used and used[0] in ("super", "self"):
            base, used = (base[:-1] if used[0] == "super" else base), used[1:]
    elif used[0] == "crate":
        used = used[1:]
    elif (*module, used[0]) in names:
        base = module
    else:
        return module
    target = (*base, *used)
    while target and target not in names:
        target = target[:-1]
    return target


def paths_in(text: str) -> Iterator[list[str]]:
    """Every path of `use` declarations and every path from `crate` in a Rust source, its tests left out."""
    text = re.sub(r"#\[cfg\(test\)\]\s*mod \w+ \{.*", "", text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", "", text)
    for declared in re.findall(r"\buse ([^;]+);", text):
        for path in leaves(declared):
            yield [part.strip() for part in path.split("::")]
    for written in re.findall(r"\bcrate(?:::\w+)+", re.sub(r"\buse [^;]+;", "", text)):
        yield written.split("::")


def leaves(tree: str, prefix: str = "") -> Iterator[str]:
    """The paths of a tree such as `a::{b, c::{d, e}}`."""
    head, brace, rest = tree.partition("{")
    if not brace:
        yield prefix + head.split(" as ")[0].strip()
        return
    depth, part = 0, ""
    for letter in rest.rpartition("}")[0] + ",":
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            if part.strip():
                yield from leaves(part, prefix + head.strip())
            part = ""
        else:
            part += letter


def test_no_module_of_the_package_imports_one_that_imports_it() -> None:
    imports = of_package(PACKAGE)
    assert sum(map(len, imports.values())) > 300
    assert cycle(imports, ".") is None


@pytest.mark.parametrize("crate", CRATES, ids=lambda path: path.name)
def test_no_module_of_a_crate_uses_one_that_uses_it(crate: Path) -> None:
    assert cycle(of_crate(crate / "src"), "::") is None


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
                assert module[0] in ("reproduce", "papers", "experiments", "cli"), arrow
            if module[0] == "papers" and target[0] == "papers":
                assert module[1] == target[1], f"{arrow}: of another document"


def test_a_cycle_is_found(tmp_path: Path) -> None:
    package, crate = tmp_path / "cwnd", tmp_path / "src"
    for folder in (package, crate / "b"):
        folder.mkdir(parents=True)
    (package / "__init__.py").write_text("from cwnd.a import x\n")
    (package / "a.py").write_text("def x():\n    from cwnd.b import y\n")
    (package / "b.py").write_text("from cwnd import c\n")
    (package / "c.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from cwnd.a import x\n")
    assert cycle(of_package(package), ".") is None
    (package / "c.py").write_text("from cwnd.a import x\n")
    assert cycle(of_package(package), ".") in ("a -> b -> c -> a", "b -> c -> a -> b", "c -> a -> b -> c")

    (crate / "lib.rs").write_text("mod a; mod b;\n")
    (crate / "a.rs").write_text("use crate::b::{deep::{Thing, Other as Else}, More};\n")
    (crate / "b" / "mod.rs").write_text("mod deep;\npub use deep::Thing;\n// use crate::a::X;\n")
    (crate / "b" / "deep.rs").write_text("use super::More;\n#[cfg(test)]\nmod tests {\n    use crate::a::X;\n}\n")
    assert cycle(of_crate(crate), "::") is None
    (crate / "b" / "deep.rs").write_text("fn f() -> crate::a::X {}\n")
    assert cycle(of_crate(crate), "::") in ("a -> b::deep -> a", "b::deep -> a -> b::deep")
