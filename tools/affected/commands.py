# SPDX-License-Identifier: MIT OR Apache-2.0
"""The modules of each command of the program, from where it is declared."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tools.affected.imports import Facts, Module

#: The module that declares the commands of the program.
CLI: Module = ("cwnd", "cli")


def command_modules(
    package: Mapping[Module, ast.Module], known: Mapping[Module, object], homes: Mapping[str, Module]
) -> dict[str, set[Module]]:
    """The modules that each command uses; under "" those that all commands use."""
    bound = bindings(package[CLI], known, homes)
    found: dict[str, set[Module]] = {"": {CLI, ("cwnd", "__main__")}}
    for node in package[CLI].body:
        name, function = declared(node)
        uses = {bound[each] for each in Facts.of(node).names & bound.keys()}
        uses |= Facts.of(node).modules(known, homes)
        if name:
            found[name] = {bound[function]} if function in bound else uses
        elif not isinstance(node, ast.Expr | ast.Import | ast.ImportFrom):
            found[""] |= uses
    for module, tree in package.items():
        names = [declared(node)[0] for node in ast.walk(tree)] if module != CLI else []
        found |= {name: {module} for name in names if name}
    # `cwnd kernel list`: an application of its own.
    found["kernel"] = {("cwnd", "kernel", "cli")}
    return found


def bindings(tree: ast.Module, known: Mapping[Module, object], homes: Mapping[str, Module]) -> dict[str, Module]:
    """The module behind each name that a module imports from the package."""
    bound: dict[str, Module] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                facts = Facts.of(ast.ImportFrom(node.module, [alias], 0))
                bound |= dict.fromkeys([alias.asname or alias.name], *facts.modules(known, homes))
    return bound


def declared(node: ast.AST) -> tuple[str | None, str]:
    """The command that a statement declares, and the first part of its function's name where that stands elsewhere."""
    if isinstance(node, ast.FunctionDef):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and is_command(decorator):
                return given_name(decorator) or node.name.replace("_", "-"), ""
    # app.command("name")(module.function)
    outer = node.value if isinstance(node, ast.Expr) else None
    if isinstance(outer, ast.Call) and isinstance(outer.func, ast.Call) and is_command(outer.func) and outer.args:
        function = ast.unparse(outer.args[0]).split(".")
        return given_name(outer.func) or function[-1].replace("_", "-"), function[0]
    return None, ""


def is_command(call: ast.Call) -> bool:
    """Whether this is `app.command(...)`."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "command"


def given_name(call: ast.Call) -> str | None:
    """The name in `app.command("name")`."""
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
