# SPDX-License-Identifier: MIT OR Apache-2.0
"""The claims of the documents, and the reasons why a claim does not hold here: claims.toml and reasons.toml in their folders.

A claim is what a document states in a figure, a table or a tested sentence, read from the document itself and written so that a program can
decide it. Its fields:

* `id`: `<document>/<experiment>/<name>`; `experiment`: the experiment that tests it; `text`: the statement; `where`: conditions (every point of a
  sweep counts); `metric`: the measured quantity, with its unit; `paper`: the number or numbers that the document states.
* `op`: `>=`, `<=`, `>`, `<` compare the metric with `value`. `within`: `value` ± `tolerance` (absolute, or relative such as `"10%"`), or a range
  `[low, high]`, or, without a tolerance, half a unit of the last digit (10: 9.5 to 10.5; 1.17: 1.165 to 1.175). `order`: `value` lists names, the
  largest metric first (an inner list: in any order). `holds`: yes or no, no number. `report`: shown, no verdict.
* `tolerance_ours = true`: the value or the tolerance is this project's choice, not the document's.
* `kind`: `arithmetic` follows from formulas, whatever an implementation does; `conformance` asks whether an algorithm alone does what the
  document says of it: its hooks called by hand, or one flow (or two that share only prescribed losses) on a link that never limits it;
  `empirical` is the behaviour of flows on a network, with queues that overflow, competitors and random traffic, or the cost on a machine.
* `statement`, `reading`: if a document leaves the details of a statement open, or contradicts itself about them, each reading has its claim.
  Readings exclude each other: counts include only one of them, the same for all statements of the experiment, in which most of them hold.

"Converged": 10 s means of the throughputs stay within 20 % of each other for 60 s; "full link": at least 0.9 of the capacity, all traffic
counted; "share": fraction of the bottleneck's capacity.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import NotRequired, TypedDict

from cwnd.reproduce.list_of_papers import DOCUMENTS

COMPARISONS = (">=", "<=", ">", "<")
ARITHMETIC, CONFORMANCE, EMPIRICAL = "arithmetic", "conformance", "empirical"
#: What a claim is about; the criterion for each stands in claims.toml.
KINDS = (ARITHMETIC, CONFORMANCE, EMPIRICAL)
OPS = (*COMPARISONS, "within", "order", "holds", "report")

Number = Decimal | int


class ClaimRow(TypedDict):
    """An entry of claims.toml."""

    id: str
    experiment: str
    text: str
    metric: str
    op: str
    kind: str
    value: NotRequired[Number | list[Number] | list[str | list[str]]]
    tolerance: NotRequired[Number | str]
    tolerance_ours: NotRequired[bool]
    paper: NotRequired[Number | list[Number]]
    where: NotRequired[str]
    statement: NotRequired[str]
    reading: NotRequired[str]


class ReasonRow(TypedDict):
    """An entry of reasons.toml."""

    claims: list[str]
    text: str


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


def plain(number: Number) -> float:
    """A number of claims.toml as `int` or `float`, as it is written there."""
    return int(number) if number == int(number) and "." not in str(number) else float(number)


def bounds(row: ClaimRow) -> tuple[float, float]:
    """The range that `within` accepts: given, a middle with a tolerance, or all that rounds to the value as it is written."""
    value, tolerance = row["value"], row.get("tolerance")
    if isinstance(value, list):
        low, high = (float(end) for end in value if isinstance(end, int | float | Decimal))
        return low, high
    if tolerance is None:
        half_width = Decimal(1).scaleb(int(Decimal(value).as_tuple().exponent)) / 2
    elif isinstance(tolerance, str):
        half_width = abs(Decimal(value)) * Decimal(tolerance.removesuffix("%")) / 100
    else:
        half_width = Decimal(tolerance)
    return float(value - half_width), float(value + half_width)


def numbers_of(row: ClaimRow, value: object) -> list[Number]:
    """A number, or a list of them."""
    numbers = value if isinstance(value, list) else [value]
    found = [number for number in numbers if isinstance(number, int | Decimal)]
    if len(found) < len(numbers):
        raise ValueError(f"{row['id']}: {value!r}; expected a number, or numbers")
    return found


def order_of(row: ClaimRow) -> Order:
    """The names of an `order`."""
    value = row.get("value")
    if not isinstance(value, list):
        raise ValueError(f"{row['id']}: value {value!r}; expected the names, the largest first")
    return tuple(tuple(map(str, group)) if isinstance(group, list) else (str(group),) for group in value)


def claim(row: ClaimRow) -> Claim:
    """One entry of the file."""
    op, value, paper = row["op"], row.get("value"), row.get("paper")
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
        order = order_of(row)
        accepted = " > ".join(", ".join(group) for group in order)
    elif op in COMPARISONS:
        accepted = f"{op.replace('>=', '≥').replace('<=', '≤')} {plain(numbers_of(row, value)[0]):g}"
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
    rows = [claim(row) for document in DOCUMENTS for row in claim_rows(document)]
    by_id = {row.id: row for row in rows}
    if len(by_id) != len(rows):
        raise ValueError("claims.toml: an id occurs twice")
    return by_id


@cache
def reasons() -> dict[str, str]:
    """Why a claim does not hold, by its id."""
    by_id: dict[str, str] = {}
    for document in DOCUMENTS:
        for row in reason_rows(document):
            for name in row["claims"]:
                claim_id = f"{document}/{name}"
                if claim_id in by_id:
                    raise ValueError(f"reasons.toml: {claim_id} has two reasons")
                by_id[claim_id] = row["text"].strip()
    return by_id


def claim_rows(document: str) -> list[ClaimRow]:
    """The entries of a document's claims.toml."""
    rows: list[ClaimRow] = tomllib.loads(text_of(document, "claims.toml"), parse_float=Decimal)["claim"]
    return rows


def reason_rows(document: str) -> list[ReasonRow]:
    """The entries of a document's reasons.toml."""
    rows: list[ReasonRow] = tomllib.loads(text_of(document, "reasons.toml"))["reason"]
    return rows


def text_of(document: str, file: str) -> str:
    """The text of a file in a document's folder."""
    return files("cwnd.papers").joinpath(document, file).read_text(encoding="utf-8")


def claims_of(experiment: str) -> dict[str, Claim]:
    """The claims of an experiment by the last part of their id."""
    return {each.name: each for each in claims().values() if each.experiment == experiment}
