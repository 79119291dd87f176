# SPDX-License-Identifier: MIT OR Apache-2.0
"""What Python code imports and names, read from its syntax: nothing is imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

#: A module by the parts of its name: `("cwnd", "plot", "run")`.
Module = tuple[str, ...]
Imports = dict[Module, set[Module]]
#: Kinds of nodes that say nothing here.
SILENT = {ast.Load, ast.Store, ast.Del}
#: A constant with patterns of the files that its module reads but does not name: `READS = ("crates/*/src/**/*.rs",)`.
READS = "READS"
Documented = ast.Module | ast.FunctionDef | ast.ClassDef


@dataclass
class Facts:
    """What some code imports and names; imports for types alone (`if TYPE_CHECKING:`) do not count."""

    #: Of `from a import b`, the parts `("a", "b")`; of `import a`, `("a",)`.
    imported: set[Module] = field(default_factory=set)
    #: Of `import cwnd` and `cwnd.run`, the name `run`.
    attributes: set[str] = field(default_factory=set)
    #: What it gives to `import_module` as a text; of `f"cwnd.papers.{name}"` the part before the brace, with its dot.
    loaded: set[str] = field(default_factory=set)
    #: Whether it computes a name that it gives to `import_module`.
    computes_names: bool = False
    #: Its texts, without documentation.
    strings: set[str] = field(default_factory=set)
    #: Its `READS`: they are no texts of it.
    reads: set[str] = field(default_factory=set)
    #: Names that it uses.
    names: set[str] = field(default_factory=set)
    #: Names of arguments, and fixtures that it asks for by a text.
    arguments: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, *trees: ast.AST) -> Facts:
        """Those of syntax trees."""
        facts = cls()
        packages: set[str] = set()
        attributes: list[tuple[str, str]] = []
        left = list(trees)
        while left:
            node = left.pop()
            kind = type(node)
            # Most nodes are one of these two, and have nothing below them.
            if kind is ast.Name:
                facts.names.add(node.id)  # type: ignore[attr-defined]
                continue
            if kind is ast.Constant:
                if isinstance(node.value, str):  # type: ignore[attr-defined]
                    facts.strings.add(node.value)  # type: ignore[attr-defined]
                continue
            if is_for_types(node):
                continue
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == READS:
                facts.reads |= set(ast.literal_eval(node.value))
                continue
            if isinstance(node, ast.Import | ast.ImportFrom):
                facts._add_import(node, packages)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                attributes.append((node.value.id, node.attr))
            elif isinstance(node, ast.Call):
                facts._add_call(node)
            elif isinstance(node, ast.arg):
                facts.arguments.add(node.arg)
            children = ast.iter_child_nodes(node)
            left.extend(each for each in children if type(each) not in SILENT and not is_documentation(each, node))
        facts.attributes = {name for package, name in attributes if package in packages}
        return facts

    @classmethod
    @cache
    def of_program(cls, text: str) -> Facts:
        """Those of a program for another interpreter, or of a part of one."""
        try:
            return cls.of(ast.parse(text))
        except SyntaxError:
            facts = cls(attributes=set(re.findall(r"\bcwnd\.(\w+)", text)))
            for module, names in re.findall(r"\bfrom (cwnd(?:\.\w+)*) import ([\w, ]+)", text):
                facts.imported |= {(*module.split("."), name.strip()) for name in names.split(",")}
            return facts

    def _add_import(self, node: ast.Import | ast.ImportFrom, packages: set[str]) -> None:
        for alias in node.names:
            name = alias.asname or alias.name
            if isinstance(node, ast.ImportFrom):
                self.imported.add((*(node.module or "").split("."), alias.name))
                self.names.add(name)
            else:
                self.imported.add(tuple(alias.name.split(".")))
                if alias.name == "cwnd":
                    packages.add(name)

    def _add_call(self, node: ast.Call) -> None:
        function = ast.unparse(node.func).split(".")[-1] if isinstance(node.func, ast.Name | ast.Attribute) else ""
        if function == "usefixtures":
            self.arguments |= {str(each.value) for each in node.args if isinstance(each, ast.Constant)}
        elif function in ("import_module", "iter_modules") and node.args:
            start = text_start(node.args[0])
            self.computes_names |= start is None
            self.loaded |= {start} if start else set()

    def modules(self, known: Mapping[Module, object], homes: Mapping[str, Module]) -> set[Module]:
        """The modules among `known` that it imports. A name that the package `cwnd` gives stands for its home."""
        found: set[Module] = set()
        for name in self.imported | {("cwnd", name) for name in self.attributes}:
            if name in known:
                found.add(name)
            elif name[:-1] == ("cwnd",) and name[-1] in homes:
                found.add(homes[name[-1]])
            else:
                found |= {name[:-1]} & known.keys()
        return found

    def loaded_modules(self, known: Mapping[Module, object]) -> set[Module]:
        """The modules among `known` that it gives to `import_module`."""
        found: set[Module] = set()
        for text in self.loaded:
            *folder, name_there = text.split(".")
            if name_there:
                found |= {(*folder, name_there)} & known.keys()
            else:
                found |= {module for module in known if list(module[: len(folder)]) == folder != list(module)}
        return found


def sources(folder: Path, top: Module) -> dict[Module, Path]:
    """The modules of a folder, which is the package `top`, or, where that is empty, a folder of top-level modules."""
    modules: dict[Module, Path] = {}
    for path in sorted(folder.rglob("*.py")):
        parts = (*top, *path.relative_to(folder).with_suffix("").parts)
        modules[parts[:-1] if parts[-1] == "__init__" else parts] = path
    return modules


def homes_of(package: Path) -> dict[str, Module]:
    """The module of each name that the package `cwnd` gives, from its table `HOMES`."""
    for node in ast.parse((package / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "HOMES":
            table: dict[str, str] = ast.literal_eval(node.value)
            return {name: (package.name, *home.split(".")) for name, home in table.items()}
    return {}


def reached(imports: Mapping[Module, set[Module]], start: Iterable[Module]) -> set[Module]:
    """These modules, and all that they import directly or through others."""
    seen: set[Module] = set()
    left = list(start)
    while left:
        module = left.pop()
        if module not in seen:
            seen.add(module)
            left.extend(imports.get(module, ()))
    return seen


def is_for_types(node: ast.AST) -> bool:
    """Whether a statement is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def is_documentation(node: ast.AST, parent: ast.AST) -> bool:
    """Whether a statement is the documentation of what holds it."""
    return isinstance(parent, Documented) and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def text_start(node: ast.expr) -> str | None:
    """A text, or its part before the first brace; None for what is no text or begins with a brace."""
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
