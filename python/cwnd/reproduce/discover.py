# SPDX-License-Identifier: MIT OR Apache-2.0
"""The experiments of the papers, found by their files."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

from cwnd.papers import DOCUMENTS
from cwnd.reproduce.claims import claims
from cwnd.reproduce.experiment import Experiment


def experiments() -> dict[str, Experiment]:
    """All experiments by id, in the order of claims.toml; experiments without claims follow."""
    by_id = {}
    for document in DOCUMENTS:
        package = importlib.import_module(f"cwnd.papers.{document}")
        for module in pkgutil.iter_modules(package.__path__):
            if module.name != "setups":
                name = f"{document}/{module.name.replace('_', '-')}"
                by_id[name] = Experiment(name, importlib.import_module(f"{package.__name__}.{module.name}"))
    order = list(dict.fromkeys(claim.experiment for claim in claims().values()))
    return dict(sorted(by_id.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def select(pattern: str | None, known: Mapping[str, Experiment]) -> list[Experiment]:
    """All experiments, those of a document, or one; `LookupError` if none matches."""
    names = [name for name in known if pattern in (None, name, name.partition("/")[0])]
    if not names:
        raise LookupError(pattern)
    return [known[name] for name in names]
