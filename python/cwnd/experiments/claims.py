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

#: Names in an order; an inner tuple: free among themselves.
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
    #: For comparisons the bound, for `within` the middle where there is one.
    value: float | None
    #: For `within`, what is accepted.
    low: float | None
    high: float | None
    #: For `order`, largest first.
    order: Order
    #: What is accepted, in words: "0.9 to 1.1", "≥ 0.9", "cubic > sack, bic"; empty where nothing is asked.
    accepted: str
    #: Whether value or tolerance are this project's choice.
    ours: bool
    #: Conditions.
    where: str
    #: The document's number or numbers; `None` where it states none.
    paper: float | list[float] | None
    #: One of `KINDS`.
    kind: str
    #: Of claims that are readings of one statement: the statement, and which reading this is; else empty.
    statement: str = ""
    reading: str = ""

    @property
    def name(self) -> str:
        """The last part of the id."""
        return self.id.rpartition("/")[2]


def plain(number: Decimal | int) -> float:
    """As the number that it is."""
    return int(number) if number == int(number) and "." not in str(number) else float(number)


def bounds(row: dict[str, Any]) -> tuple[float, float]:
    """What `within` accepts: a range, a middle with a tolerance, or all that rounds to the value as it is written."""
    value, tolerance = row["value"], row.get("tolerance")
    if isinstance(value, list):
        low, high = value
    elif tolerance is None:
        half = Decimal(1).scaleb(Decimal(value).as_tuple().exponent) / 2  # type: ignore[arg-type]
        low, high = value - half, value + half
    else:
        relative = isinstance(tolerance, str)
        wide = abs(value) * Decimal(tolerance.removesuffix("%")) / 100 if relative else tolerance
        low, high = value - wide, value + wide
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
        order = tuple((one,) if isinstance(one, str) else tuple(one) for one in value)
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
        paper=[plain(one) for one in paper] if isinstance(paper, list) else None if paper is None else plain(paper),
        kind=row["kind"],
        statement=row.get("statement", ""),
        reading=row.get("reading", ""),
    )


@cache
def claims() -> dict[str, Claim]:
    """All claims by id, in the order of the documents."""
    text = (Path(__file__).parent / "claims.toml").read_text(encoding="utf-8")
    rows = [claim(row) for row in tomllib.loads(text, parse_float=Decimal)["claim"]]
    found = {one.id: one for one in rows}
    if len(found) != len(rows):
        raise ValueError("claims.toml: an id stands there twice")
    return found


def claims_of(experiment: str) -> dict[str, Claim]:
    """The claims of an experiment by the last part of their id."""
    return {one.name: one for one in claims().values() if one.experiment == experiment}
