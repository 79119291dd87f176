# SPDX-License-Identifier: MIT OR Apache-2.0
"""The experiments that are there."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from inspect import getdoc
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cwnd.experiments.claims import DOCUMENTS, Claim, claims_of
from cwnd.experiments.frame import Answer, Point, Reduced, Results, Setup

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cwnd.result import Result


@dataclass(frozen=True)
class Experiment:
    """A figure, table or tested statement: its id, and its file."""

    id: str
    module: ModuleType

    @property
    def document(self) -> str:
        return self.id.partition("/")[0]

    @property
    def title(self) -> str:
        title: str = self.module.TITLE
        return title

    @property
    def text(self) -> str:
        """What the document says and what it leaves open, in the file's words."""
        return getdoc(self.module) or ""

    @property
    def cubic(self) -> str | None:
        """The version of CUBIC that the document used, where one runs."""
        name: str | None = self.module.CUBIC
        return name

    @property
    def second(self) -> str | None:
        """Another reading of the document's version, which the second column shows where it is not asked for another."""
        name: str | None = getattr(self.module, "SECOND", None)
        return name

    @cached_property
    def stated(self) -> dict[str, Claim]:
        """Its claims by the last part of their ids."""
        return claims_of(self.id)

    def grid(self, setup: Setup) -> list[Point]:
        points: list[Point] = self.module.grid(setup)
        keys = [point.key for point in points]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            raise ValueError(f"{self.id}: two points are called {twice[0]!r}")
        return points

    @property
    def reduce(self) -> Callable[[Result, Point], Reduced] | None:
        """What makes numbers of a run; absent where nothing is simulated."""
        return getattr(self.module, "reduce", None)

    def answers(self, results: Results) -> dict[str, Answer]:
        """One for each of its claims, in the documents' order; anything else is a `ValueError`."""
        given: dict[str, Answer] = self.module.claims(results)
        if given.keys() != self.stated.keys():
            missing, unknown = sorted(self.stated.keys() - given.keys()), sorted(given.keys() - self.stated.keys())
            raise ValueError(f"{self.id}: claims without an answer: {missing}; answers without a claim: {unknown}")
        return {name: given[name] for name in self.stated}

    @property
    def plot(self) -> Callable[[Results, Figure], None] | None:
        return getattr(self.module, "plot", None)

    def why(self, name: str) -> str:
        """The paragraph on a claim that does not hold; empty where there is none."""
        reasons: Mapping[Any, str] = getattr(self.module, "WHY", {})
        for names, text in reasons.items():
            if name == names or (isinstance(names, tuple) and name in names):
                if text.endswith(".md") and " " not in text:
                    return files(self.module.__package__ or "").joinpath(text).read_text(encoding="utf-8").strip()
                return " ".join(text.split())
        return ""


def experiments() -> dict[str, Experiment]:
    """All of them by id: in the order of the claims, then those without any."""
    found = {}
    for document in DOCUMENTS:
        package = importlib.import_module(f"cwnd.experiments.{document}")
        for one in pkgutil.iter_modules(package.__path__):
            if not one.name.startswith("_"):
                name = f"{document}/{one.name.replace('_', '-')}"
                found[name] = Experiment(name, importlib.import_module(f"{package.__name__}.{one.name}"))
    from cwnd.experiments.claims import claims

    order = list(dict.fromkeys(claim.experiment for claim in claims().values()))
    return dict(sorted(found.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def chosen(pattern: str | None, among: Mapping[str, Experiment]) -> list[Experiment]:
    """All, those of a document, or one; `LookupError` when there is no such."""
    names = [name for name in among if pattern in (None, name, name.partition("/")[0])]
    if not names:
        raise LookupError(pattern)
    return [among[name] for name in names]
