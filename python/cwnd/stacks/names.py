# SPDX-License-Identifier: MIT OR Apache-2.0
"""Real stacks and their own algorithms by name, as `cwnd algorithms` lists them and `cwnd show` explains them."""

from __future__ import annotations

import json
from typing import TypedDict

from cwnd import _native
from cwnd._internal.terminal import Printer

#: A flow whose ends are the small stack that the package has for `stack = "exec"`.
CHILD = "stock-aimd@stack=exec,exec=python3 -m cwnd.stacks.exec_child"


class InStack(TypedDict):
    """A stack that has an algorithm."""

    name: str
    package: str | None
    version: str | None


class StockAlgorithm(TypedDict):
    """A stack's own algorithm in the registry's form: without parameter sets, so that lists of those do not change."""

    name: str
    built_in: bool
    summary: str
    params: list[_native.Param]
    sets: list[_native.Set]
    inner: list[_native.Inner]
    #: the stacks that have it, which `stack` names
    stacks: list[InStack]


def is_stock(cc: str) -> bool:
    """Whether a flow's algorithm is one of its stack's own."""
    return cc.startswith("stock-")


def stacks() -> dict[str, _native.Stack]:
    """The stacks by name."""
    return {stack["name"]: stack for stack in _native.stacks()}


def stock_algorithms() -> dict[str, StockAlgorithm]:
    """The stacks' own algorithms by name, in the form of the registry's."""
    found: dict[str, StockAlgorithm] = {}
    for stack in _native.stacks():
        for algorithm in stack["algorithms"]:
            entry: StockAlgorithm = {
                "name": algorithm["name"],
                "summary": algorithm["summary"],
                "built_in": False,
                "params": [],
                "sets": [],
                "inner": [],
                "stacks": [],
            }
            has: InStack = {"name": stack["name"], "package": stack["package"], "version": stack["version"]}
            found.setdefault(algorithm["name"], entry)["stacks"].append(has)
    return found


def package(stack: InStack | _native.Stack) -> str:
    """The crate and its version."""
    return f"{stack['package']} {stack['version']}" if stack["package"] else "your command"


def usage(cc: str, stack: str) -> str:
    """A command that compares a flow of a stack with a TCP flow."""
    return f"cwnd compare '{cc}@stack={stack}' cubic"


def print_list(printer: Printer, column: int) -> None:
    """Prints the stacks and their own algorithms, below those of the registry."""
    printer.print("")
    printer.paragraph(
        "real stacks: with stack=NAME both ends of a flow run that stack, with an algorithm from above if it accepts one, or with its own"
    )
    for name, stack in stacks().items():
        printer.entry(name, f"{stack['summary']} ({package(stack)})", column=column)
    printer.print("")
    printer.paragraph("their own algorithms, with the stacks that have each: stock-cubic@stack=quinn")
    for name, algorithm in stock_algorithms().items():
        by = ", ".join(stack["name"] for stack in algorithm["stacks"])
        printer.entry(name, f"{algorithm['summary']} ({by})", column=column)


def show_stack(stack: _native.Stack, *, as_json: bool) -> None:
    """Prints what a stack is, which algorithms it has, and how a flow gets it."""
    own = [algorithm["name"] for algorithm in stack["algorithms"]]
    of_ours = ["cubic"] if stack["takes_ours"] else []
    commands = [usage(cc, stack["name"]) for cc in (*of_ours, *own[:1])] if own else [f"cwnd compare '{CHILD}' cubic"]
    if as_json:
        print(json.dumps({**stack, "usage": commands}))
        return
    printer = Printer()
    printer.paragraph(f"{stack['name']}: {stack['summary']}")
    printer.paragraph(f"a stack: stack={stack['name']} on any flow, in lane sim; {package(stack)}", indent=2)
    printer.print("")
    if own:
        whose = "cwnd's, by their names, or its own" if stack["takes_ours"] else "only its own"
        printer.paragraph(f"algorithms: {whose}:", indent=2)
    for algorithm in stack["algorithms"]:
        printer.entry(algorithm["name"], algorithm["summary"], column=20, indent=4)
    if not own:
        printer.paragraph(
            "algorithms: the child's own; cc is stock- and a name that the child knows "
            "(docs/reference/exec-protocol.md)",
            indent=2,
        )
    printer.print("")
    for command in commands:
        printer.paragraph(command, indent=2)


def show_stock(algorithm: StockAlgorithm, *, as_json: bool) -> None:
    """Prints what an algorithm of the stacks' own is, which stacks have it, and how a flow gets it."""
    commands = [usage(algorithm["name"], stack["name"]) for stack in algorithm["stacks"]]
    if as_json:
        print(json.dumps({**algorithm, "usage": commands}))
        return
    printer = Printer()
    printer.paragraph(f"{algorithm['name']}: {algorithm['summary']}")
    has = ", ".join(f"{stack['name']} ({package(stack)})" for stack in algorithm["stacks"])
    printer.paragraph(f"a stack's own algorithm, without parameters; available in {has}", indent=2)
    printer.print("")
    for command in commands:
        printer.paragraph(command, indent=2)
