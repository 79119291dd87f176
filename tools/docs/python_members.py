# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the sources say of public names: signatures, docstrings, and the comments `#:` above attributes."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cwnd import _native

STUB = "cwnd._native"


@dataclass(frozen=True, slots=True)
class Member:
    """An attribute, a key or a method of a class; a constant of a module."""

    name: str
    #: Its type; empty for a method, whose name has its parameters.
    type: str
    meaning: str


class Parsed:
    """A module's source, or the stub of the native module."""

    def __init__(self, name: str) -> None:
        native = Path(_native.__file__).with_name("_native.pyi")
        source = native if name == STUB else Path(inspect.getfile(importlib.import_module(name)))
        text = source.read_text()
        self.lines = text.splitlines()
        self.body = ast.parse(text).body

    def comment(self, node: ast.stmt) -> str:
        """The comment `#:` above a statement, or behind it."""
        found: list[str] = []
        decorators = getattr(node, "decorator_list", [])
        at = (decorators[0] if decorators else node).lineno - 2
        while at >= 0 and self.lines[at].strip().startswith("#:"):
            found.insert(0, self.lines[at].strip().removeprefix("#:").strip())
            at -= 1
        return " ".join(found)

    def class_of(self, name: str) -> ast.ClassDef:
        """The statement that defines a class."""
        return next(node for node in self.body if isinstance(node, ast.ClassDef) and node.name == name)


parsed: Callable[[str], Parsed] = cache(Parsed)


def plain(text: str) -> str:
    """A type as the page has it: `or` for the bar, which would end a cell."""
    return " ".join(text.replace(" | ", " or ").replace("|", " or ").split())


def paragraphs(text: str | None) -> list[str]:
    """The paragraphs of a docstring, each in one line, without that of its keywords, which have tables of their own."""
    parts = inspect.cleandoc(text or "").split("\n\n")
    return [" ".join(part.split()) for part in parts if part.strip() and not part.startswith("Keywords:\n")]


def parameters(function: ast.FunctionDef) -> str:
    """The parameters of a method as it is called."""
    names = ast.unparse(function.args).replace("self, ", "", 1).replace("cls, ", "", 1)
    without = ast.parse(f"def f({'' if names in ('self', 'cls') else names}): ...").body[0]
    assert isinstance(without, ast.FunctionDef)
    for argument in (*without.args.posonlyargs, *without.args.args, *without.args.kwonlyargs):
        argument.annotation = None
    for star in (without.args.vararg, without.args.kwarg):
        if star is not None:
            star.annotation = None
    return ast.unparse(without.args)


def own_docstring(thing: object) -> str:
    """What the author of a thing wrote about it, and nothing that Python says of the thing's type: those words differ between versions."""
    # A static method in a class is a wrapper, which may have the text of all wrappers.
    thing = getattr(thing, "__func__", thing)
    words = getattr(thing, "__doc__", None)
    return "" if thing is None or not words or words == getattr(type(thing), "__doc__", None) else words


def member_of(source: Parsed, node: ast.stmt, runtime: object) -> Member | None:
    """The member that a statement of a class declares, if it is public."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.target.id.startswith("_"):
        return Member(node.target.id, plain(ast.unparse(node.annotation)), source.comment(node))
    if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
        return None
    # A native member has its text when it runs, and not in the stub.
    said = ast.get_docstring(node) or own_docstring(runtime) or source.comment(node)
    meaning, returns = " ".join(paragraphs(said)), plain(ast.unparse(node.returns)) if node.returns else ""
    decorators = {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}
    if decorators & {"property", "cached_property"}:
        return Member(node.name, returns, meaning)
    return Member(f"{node.name}({parameters(node)})", returns, meaning)


def members(cls: type) -> list[Member]:
    """The public members of a class, its own first, then those of its bases in this package."""
    found: dict[str, Member] = {}
    for base in cls.__mro__:
        # The native module says of its classes that they are of the package.
        home = STUB if getattr(_native, base.__name__, None) is base else base.__module__
        if home.partition(".")[0] != "cwnd":
            continue
        source = parsed(home)
        for node in source.class_of(base.__name__).body:
            runtime = vars(base).get(getattr(node, "name", ""), None)
            member = member_of(source, node, runtime)
            if member is None:
                continue
            key = member.name.partition("(")[0]
            if key not in found or not found[key].meaning:
                found[key] = Member(found[key].name, found[key].type, member.meaning) if key in found else member
    return list(found.values())


def constant(module: str, name: str) -> Member:
    """A constant that a module has, from where it is assigned."""
    for home in parsed(module).body:
        if not isinstance(home, ast.ImportFrom):
            continue
        if home.module and any(alias.name == name for alias in home.names):
            return constant(home.module, name)
    for node in parsed(module).body:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            kind = type(getattr(importlib.import_module(module), name)).__name__
            return Member(name, kind, parsed(module).comment(node))
    raise LookupError(f"{module}.{name} is not assigned anywhere")


def arguments(function: Callable[..., object]) -> Iterator[inspect.Parameter]:
    """The parameters of a function, without those that stand for the keys of a type."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            yield parameter


def keywords(function: Callable[..., object]) -> str | None:
    """The name of the type whose keys a function takes as `**settings`."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            return str(parameter.annotation).removeprefix("Unpack[").removesuffix("]")
    return None


def is_plain(default: object) -> bool:
    """Whether a default can be written: it is a value, or there is none."""
    return default is inspect.Parameter.empty or isinstance(default, bool | int | float | str | tuple | None)


def call(name: str, function: Callable[..., object]) -> str:
    """A function as it is called, with what it returns."""
    signature = inspect.signature(function)
    bare = [
        parameter.replace(
            annotation=parameter.empty, default=parameter.default if is_plain(parameter.default) else Ellipsis
        )
        for parameter in signature.parameters.values()
    ]
    returns = signature.return_annotation
    # A formula returns a number, and what wraps it a measure.
    words = (
        "Measure"
        if hasattr(function, "__wrapped__") and returns in (float, "float")
        else returns
        if isinstance(returns, str)
        else getattr(returns, "__name__", str(returns))
    )
    return f"{name}{inspect.Signature(bare)} → {plain(words)}".replace("=Ellipsis", "=...")
