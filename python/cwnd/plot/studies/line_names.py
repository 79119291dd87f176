# SPDX-License-Identifier: MIT OR Apache-2.0
"""The text that names each line of a study's picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cwnd.plot.studies.factors import Cell
from cwnd.plot.studies.layout import Layout, Place, R


def line_names(layout: Layout, rows: Iterable[R]) -> dict[tuple[str, Place], str]:
    """What each line is called: a group by its label, with what is varied of others in parentheses, `reno (beta=0.7)`; anything else by what is varied."""
    rows = list(rows)
    factors = layout.chosen.factors
    left = layout.variants_left
    whole = set(left) == set(layout.chosen.variants)
    levels: dict[tuple[str, str], dict[str, set[Cell]]] = {}
    for row in rows:
        of_label = levels.setdefault((row["name"], row["label"]), {name: set() for name in left})
        for name in left:
            of_label[name].add(row["factors"][name])
    # Without those that a variant on the axis tells apart, a group has its own name.
    own_of: dict[str, dict[str, set[Cell]]] = {}
    for row in rows:
        own = own_of.setdefault(row["name"], {name: set() for name in left})
        for name in left:
            own[name].add(row["factors"][name])
    found: dict[tuple[str, Place], str] = {}
    own_words: list[str]
    for row in rows:
        varied = levels[row["name"], row["label"]]
        if layout.chosen.of != "group":
            words = [factors[name].text(row["factors"][name]) for name in left]
            name = ", ".join(words) or row["label"]
        else:
            others = [factors[each].text(row["factors"][each]) for each in left if len(varied[each]) > 1]
            own_words = [
                factors[each].text(row["factors"][each])
                for each in left
                if len(varied[each]) == 1 and len(own_of[row["name"]][each]) > 1
            ]
            name = row["label"] if whole else " ".join([row["name"], *own_words])
            name = f"{name} ({', '.join(others)})" if others else name
        found[layout.line_key(row)] = name
    return told_apart(found, layout)


def told_apart(names: Mapping[tuple[str, Place], str], layout: Layout) -> dict[tuple[str, Place], str]:
    """Unique names: names that were equal get every varied setting."""
    factors = [layout.chosen.factors[name] for name in layout.variants_left]
    known = list(names.values())
    return {
        key: name
        if known.count(name) == 1
        else f"{name} ({', '.join(factor.text(level) for factor, level in zip(factors, key[1], strict=True))})"
        for key, name in names.items()
    }
