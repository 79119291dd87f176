# SPDX-License-Identifier: MIT OR Apache-2.0
"""The claims of the documents, read from claims.toml beside this file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

#: The documents, in the order of their claims: short name, and what it is.
DOCUMENTS = {
    "ha2008": 'S. Ha, I. Rhee, L. Xu: "CUBIC: a new TCP-friendly high-speed TCP variant", ACM SIGOPS Operating Systems Review 42(5), 2008',
    "rhee2005": 'I. Rhee, L. Xu: "CUBIC: a new TCP-friendly high-speed TCP variant", PFLDnet 2005',
    "leith2007": 'D. J. Leith, R. N. Shorten, G. McCullagh: "Experimental evaluation of Cubic-TCP", PFLDnet 2007',
    "shanker": 'S. Shanker: "Congestion control II: CUBIC", a post with simulations',
    "freebsd": "FreeBSD's change of CUBIC's TCP-friendly window to NewReno's increase, with its table of measurements",
}
COMPARISONS = (">=", "<=", ">", "<")
ARITHMETIC, CONFORMANCE, EMPIRICAL = "arithmetic", "conformance", "empirical"
#: What a claim is about; the criterion for each stands in claims.toml.
KINDS = (ARITHMETIC, CONFORMANCE, EMPIRICAL)
OPS = (*COMPARISONS, "within", "order", "holds", "report")

#: Groups of names, the largest first; names of one group are in no order.
Order = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """One decidable statement of a document."""

    id: str
    experiment: str
    text: str
    #: What is measured, with unit.
    metric: str
    op: str
    #: For comparisons the bound, for `within` the middle if there is one.
    value: float | None
    #: For `within`, the accepted range.
    low: float | None
    high: float | None
    #: For `order`, largest first.
    order: Order
    #: What is accepted, as text: "0.9 to 1.1", "≥ 0.9", "cubic > sack, bic"; empty for other ops.
    accepted: str
    #: Whether value or tolerance is this project's choice, not the document's.
    ours: bool
    #: Conditions.
    where: str
    #: The document's number or numbers; `None` if it states none.
    paper: float | list[float] | None
    #: One of `KINDS`.
    kind: str
    #: If the claim is one of several readings of a statement: the statement and the reading; else empty.
    statement: str = ""
    reading: str = ""

    @property
    def name(self) -> str:
        """The last part of the id."""
        return self.id.rpartition("/")[2]


def plain(number: Decimal | int) -> float:
    """A number of claims.toml as `int` or `float`, as it is written there."""
    return int(number) if number == int(number) and "." not in str(number) else float(number)


def bounds(row: dict[str, Any]) -> tuple[float, float]:
    """The range that `within` accepts: given, a middle with a tolerance, or all that rounds to the value as it is written."""
    value, tolerance = row["value"], row.get("tolerance")
    if isinstance(value, list):
        low, high = value
    elif tolerance is None:
        half = Decimal(1).scaleb(Decimal(value).as_tuple().exponent) / 2  # type: ignore[arg-type]
        low, high = value - half, value + half
    else:
        relative = isinstance(tolerance, str)
        half_width = abs(value) * Decimal(tolerance.removesuffix("%")) / 100 if relative else tolerance
        low, high = value - half_width, value + half_width
    return float(low), float(high)


def claim(row: dict[str, Any]) -> Claim:
    """One entry of the file."""
    op: str = row["op"]
    value: Any = row.get("value")
    if op not in OPS:
        raise ValueError(f"{row['id']}: op {op!r}; expected one of {OPS}")
    if row.get("kind") not in KINDS:
        raise ValueError(f"{row['id']}: kind {row.get('kind')!r}; expected one of {KINDS}")
    if ("statement" in row) != ("reading" in row):
        raise ValueError(f"{row['id']}: statement or reading alone; expected both, or neither")
    low = high = None
    order: Order = ()
    accepted = ""
    if op == "within":
        low, high = bounds(row)
        accepted = f"{low:.6g} to {high:.6g}"
    elif op == "order":
        order = tuple((group,) if isinstance(group, str) else tuple(group) for group in value)
        accepted = " > ".join(", ".join(group) for group in order)
    elif op in COMPARISONS:
        accepted = f"{op.replace('>=', '≥').replace('<=', '≤')} {plain(value):g}"
    paper = row.get("paper")
    return Claim(
        id=row["id"],
        experiment=row["experiment"],
        text=row["text"],
        metric=row["metric"],
        op=op,
        value=plain(value) if isinstance(value, int | Decimal) else None,
        low=low,
        high=high,
        order=order,
        accepted=accepted,
        ours=row.get("tolerance_ours", False),
        where=row.get("where", ""),
        paper=[plain(number) for number in paper]
        if isinstance(paper, list)
        else None
        if paper is None
        else plain(paper),
        kind=row["kind"],
        statement=row.get("statement", ""),
        reading=row.get("reading", ""),
    )


@cache
def claims() -> dict[str, Claim]:
    """All claims by id, in the order of the documents."""
    text = (Path(__file__).parent / "claims.toml").read_text(encoding="utf-8")
    rows = [claim(row) for row in tomllib.loads(text, parse_float=Decimal)["claim"]]
    by_id = {row.id: row for row in rows}
    if len(by_id) != len(rows):
        raise ValueError("claims.toml: an id stands there twice")
    return by_id


def claims_of(experiment: str) -> dict[str, Claim]:
    """The claims of an experiment by the last part of their id."""
    return {each.name: each for each in claims().values() if each.experiment == experiment}
