# SPDX-License-Identifier: MIT OR Apache-2.0
"""The experiments of the papers, found by their files."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import ModuleType

from cwnd.reproduce.claims import claims
from cwnd.reproduce.experiment import AnyExperiment, Experiment
from cwnd.reproduce.list_of_papers import DOCUMENTS


def experiments() -> dict[str, AnyExperiment]:
    """All experiments by id, in the order of the claims; experiments without claims follow."""
    by_id = {}
    for document in DOCUMENTS:
        package = importlib.import_module(f"cwnd.papers.{document}")
        for file in pkgutil.iter_modules(package.__path__):
            for experiment in of_module(importlib.import_module(f"{package.__name__}.{file.name}")):
                by_id[experiment.id] = experiment
    order = list(dict.fromkeys(claim.experiment for claim in claims().values()))
    return dict(sorted(by_id.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def of_module(module: ModuleType) -> list[AnyExperiment]:
    """The experiments that a module defines: the classes with a title."""
    return [
        member()
        for member in vars(module).values()
        if isinstance(member, type)
        and issubclass(member, Experiment)
        and member.__module__ == module.__name__
        and "title" in vars(member)
    ]


def select(pattern: str | None, known: Mapping[str, AnyExperiment]) -> list[AnyExperiment]:
    """All experiments, those of a document, or one; `LookupError` if none matches."""
    names = [name for name in known if pattern in (None, name, name.partition("/")[0])]
    if not names:
        raise LookupError(pattern)
    return [known[name] for name in names]
