# SPDX-License-Identifier: MIT OR Apache-2.0
"""`--trace FILE`: the rate of the bottleneck from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cwnd._internal.input_errors import refused

TRACE_HELP = "In place of --rate: a Mahimahi trace, or a series of rates (CSV with a header, Pensieve, FCC, HSDPA, Puffer; gzip too), recognised by its contents."

Trace = Annotated[Path | None, typer.Option("--trace", metavar="FILE", help=TRACE_HELP, show_default=False)]


def rate_of(rate: object, trace: Path | None) -> object:
    """The rate of the bottleneck, or its trace; raises `ScenarioError` where both are given."""
    if trace is None:
        return rate
    if rate is not None:
        raise refused("--trace", str(trace), "it or --rate, not both")
    return {"trace": str(trace)}
