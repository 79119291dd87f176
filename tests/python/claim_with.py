# SPDX-License-Identifier: MIT OR Apache-2.0
"""A claim as an entry of claims.toml would have it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from cwnd.reproduce.claims import Claim, claim

Value = int | float | list[Any] | None


def claim_with(op: str, value: Value = None, **more: object) -> Claim:
    exact = Decimal(str(value)) if isinstance(value, float) else value
    row = {
        "id": "d/f/c",
        "experiment": "d/f",
        "text": "",
        "metric": "",
        "kind": "empirical",
        "op": op,
        "value": exact,
        **more,
    }
    return claim({key: field for key, field in row.items() if field is not None})
