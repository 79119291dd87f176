# SPDX-License-Identifier: MIT OR Apache-2.0
"""The causes of drops: their columns, their events, and what a report says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from cwnd import _native

if TYPE_CHECKING:
    from cwnd._native import DropCause

#: Every cause, in the order of the columns.
CAUSES = tuple(_native.drop_causes())
#: The column of drops by a queue of the kernel, which only lane linux has.
KERNELS = "drops_kernel"
#: The causes of every lane, and the columns of a flow or a link that count them.
USUAL = tuple(cause for cause in CAUSES if cause["column"] != KERNELS)
COLUMNS = tuple(cause["column"] for cause in USUAL)
#: The column of what the loss process drops, which needs no queue.
LOSSES = "drops_loss"
#: The kinds of their events.
EVENTS = tuple(cause["event"] for cause in CAUSES)


def columns_of(row: Mapping[str, object]) -> tuple[str, ...]:
    """The columns that count the drops of this flow or link."""
    return (*COLUMNS, KERNELS) if KERNELS in row else COLUMNS


def reported(dropped: Callable[[str], bool], *, has_queue: bool) -> list[DropCause]:
    """The causes that a report has: the usual ones (without a queue, the loss process), and those by whose column something was `dropped`."""
    return [
        cause
        for cause in CAUSES
        if (cause["always"] and (has_queue or cause["column"] == LOSSES)) or dropped(cause["column"])
    ]


def legend(causes: list[DropCause]) -> str:
    """What the headings of these causes mean."""
    usual = [cause for cause in causes if cause["always"]]
    headings, meanings = (", ".join(cause[key] for cause in usual) for key in ("heading", "legend"))
    others = (f"; {cause['heading']}: {cause['legend']}" for cause in causes if not cause["always"])
    return f"{headings}: dropped {meanings}{''.join(others)}"
