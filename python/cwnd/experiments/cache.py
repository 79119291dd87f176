# SPDX-License-Identifier: MIT OR Apache-2.0
"""Numbers that are done, on disk: each a file that is whole or not there, named by the hash of all that it depends on."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from cwnd import _native
from cwnd.experiments.frame import Reduced
from cwnd.result import run

PLAIN = (bool, int, float, str, bytes, type(None))


def names(code: CodeType) -> Iterator[str]:
    """Every name that a function looks up outside itself, inner functions included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names(constant)


def depends(thing: Any, seen: dict[str, str], inside: set[str]) -> None:  # noqa: ANN401
    """Gathers the text of a function or class of this package, and of all in this package that it calls."""
    if isinstance(thing, ModuleType):
        if thing.__name__.partition(".")[0] == "cwnd":
            for name in inside:
                depends(getattr(thing, name, None), seen, inside)
        return
    thing = inspect.unwrap(thing) if callable(thing) else thing
    if (getattr(thing, "__module__", None) or "").partition(".")[0] != "cwnd":
        return
    if not isinstance(thing, FunctionType | type) or thing.__module__ == "cwnd._native":
        return
    if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith("<"):
        return  # written by dataclasses, from what the class says
    name = f"{thing.__module__}.{thing.__qualname__}"
    if name in seen:
        return
    seen[name] = inspect.getsource(thing)
    if isinstance(thing, type):
        for member in vars(thing).values():
            member = getattr(member, "__func__", getattr(member, "fget", member))
            if isinstance(member, FunctionType):
                depends(member, seen, inside)
        return
    wanted = set(names(thing.__code__))
    for one in sorted(wanted & thing.__globals__.keys()):
        constant(f"{thing.__module__}:{one}", thing.__globals__[one], seen, wanted)


def constant(name: str, value: Any, seen: dict[str, str], wanted: set[str]) -> None:  # noqa: ANN401
    """Gathers what a module's name stands for: a plain value as it is, tables of functions by what is in them."""
    if isinstance(value, dict):
        for key, one in value.items():
            constant(f"{name}[{key!r}]", one, seen, wanted)
    elif isinstance(value, list | tuple):
        for place, one in enumerate(value):
            constant(f"{name}[{place}]", one, seen, wanted)
    elif isinstance(value, set | frozenset):
        seen[name] = repr(sorted(value))
    elif isinstance(value, PLAIN) or (is_dataclass(value) and not isinstance(value, type)):
        seen[name] = repr(value)
    elif hasattr(value, "tolist"):  # an array
        seen[name] = repr(value.tolist())
    else:
        depends(value, seen, wanted)


@cache
def text_of(function: Callable[..., Any]) -> str:
    """Hash of a function's text with that of everything in this package that it uses (imported where its module begins)."""
    seen: dict[str, str] = {}
    depends(function, seen, set())
    return hashlib.sha256(json.dumps(sorted(seen.items())).encode()).hexdigest()


@cache
def engine() -> str:
    """Hash of the engine, and of what turns it into a result."""
    native = hashlib.sha256(Path(_native.__file__).read_bytes()).hexdigest()
    return hashlib.sha256((native + text_of(run)).encode()).hexdigest()


class Cache:
    """A folder with the numbers of points."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def name(what: dict[str, Any], function: Callable[..., Any]) -> str:
        """The name of the numbers that `function` makes of `what`."""
        text = json.dumps([what, text_of(function), engine()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def path(self, name: str) -> Path:
        return self.folder / name[:2] / f"{name}.json"

    def get(self, name: str) -> Reduced | None:
        """The numbers, if they are there."""
        try:
            found = json.loads(self.path(name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def put(self, name: str, numbers: Reduced) -> None:
        """Writes the numbers beside, then gives them their name."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{name}.{os.getpid()}")
        try:
            beside.write_text(json.dumps(numbers), encoding="utf-8")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Removes what a killed run left half written."""
        for rest in self.folder.glob("*/.*"):
            rest.unlink(missing_ok=True)
