# SPDX-License-Identifier: MIT OR Apache-2.0
"""The terminal's view of a trace: a line per connection, while it runs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from cwnd._internal.terminal import Grid
from cwnd.kernel.native import KernelConnection, KernelTrace

# A terminal shows the connections with most calls; the tables have all.
MAX_SHOWN = 20
REFRESHES_PER_S = 4


def number(value: int) -> str:
    return f"{value:,}"


def grid(connections: list[KernelConnection], algorithm: str) -> Group:
    """Connections as a table: window, threshold, RTT, flight; below it the algorithm's inner variables."""
    chosen = sorted(connections, key=lambda connection: (connection.is_over, -connection.calls))[:MAX_SHOWN]
    shown = sorted(chosen, key=lambda connection: connection.number)
    rows = [
        (
            str(connection.number),
            [
                f"{connection.local_port} > {connection.remote_port}",
                *([connection.algorithm] if not algorithm else []),
                number(connection.cwnd),
                "-" if connection.ssthresh is None else number(connection.ssthresh),
                f"{connection.srtt_ms:.1f}",
                number(connection.in_flight),
            ],
        )
        for connection in shown
    ]
    headings = ["ports", *(["algorithm"] if not algorithm else []), "cwnd", "ssthresh", "srtt ms", "in flight"]
    table = Grid("flow", headings, rows, dim=[row for row, connection in enumerate(shown) if connection.is_over])
    inner = [
        Text(f"{connection.number}: " + "  ".join(f"{name} {number(value)}" for name, value in connection.inner))
        for connection in shown
        if connection.inner and not connection.is_over
    ]
    return Group(table, *inner)


def status(source: KernelTrace, algorithm: str, elapsed_s: float) -> str:
    """One line: how long, how much, and whether anything was lost or differed."""
    what = "acknowledgements" if source.kernel_name is None else "calls"
    rate = source.calls / elapsed_s if elapsed_s > 0 else 0.0
    parts = [
        algorithm or "every algorithm",
        f"{elapsed_s:.0f} s",
        f"{number(source.calls)} {what} ({rate:,.0f}/s)",
        f"{number(source.lost)} lost",
    ]
    if source.differences is not None:
        parts.append(f"{number(source.differences)} differ on the host")
    return " · ".join(parts)


@contextlib.contextmanager
def live(is_terminal: bool, source: KernelTrace, algorithm: str, begun: float) -> Iterator[Callable[[], None]]:
    """Shows the connections on standard error while the trace runs, if that is a terminal."""
    if not is_terminal:
        yield lambda: None
        return
    console = Console(stderr=True, highlight=False)

    def picture() -> Group:
        elapsed_s = time.monotonic() - begun
        return Group(
            grid(source.connections(), algorithm), Text(status(source, algorithm, elapsed_s) + " · Ctrl-C ends")
        )

    with Live(picture(), console=console, refresh_per_second=REFRESHES_PER_S, transient=True) as screen:
        yield lambda: screen.update(picture())
