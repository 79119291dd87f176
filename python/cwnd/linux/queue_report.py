# SPDX-License-Identifier: MIT OR Apache-2.0
"""The report of `cwnd linux queue`, as text and JSON, and the checks of its options."""

from __future__ import annotations

import tomllib
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cwnd._internal.input_errors import refused, refused_path
from cwnd._internal.terminal import Printer
from cwnd.linux.queue_bench import QueueBench

#: Percentiles of the delays that a report has.
PERCENTILES = (50, 95, 99, 100)


def writable(path: Path, arrivals: Path) -> None:
    """Refuses a file that a bench of these arrivals cannot write. The bench may take minutes, so this runs first."""
    if path.exists() and path.samefile(arrivals):
        raise refused_path("out", path, "another file than that of the arrivals")
    if path.suffix not in (".csv", ".parquet"):
        raise refused_path("out", path, "a file .csv or .parquet")
    if path.is_dir() or not path.parent.is_dir():
        raise refused_path("out", path, "a file in a folder that exists")


def table_of(text: str) -> dict[str, object]:
    """A queue of cwnd as the command line has it: a table of TOML in braces."""
    try:
        return dict(tomllib.loads(f"queue = {text}")["queue"])
    except (tomllib.TOMLDecodeError, ValueError, TypeError):
        raise refused("beside", text, 'a table such as \'{ kind = "codel", limit = "1000packets" }\'') from None


def counts(fates: pa.Table) -> dict[str, int]:
    """How many packets were sent, dropped and marked, and how many still wait."""
    of = {name: int(pc.sum(pc.equal(fates["fate"], name)).as_py() or 0) for name in ("sent", "dropped", "waits")}
    return {**of, "marked": int(pc.sum(fates["marked"]).as_py() or 0)}


def delays_ms(fates: pa.Table) -> list[float]:
    """Percentiles of the times from the arrival of a packet to its last bit, ms; none where nothing was sent."""
    sent = fates.filter(pc.equal(fates["fate"], "sent"))
    took = sent["at_ns"].to_numpy() - sent["time_ns"].to_numpy()
    return [float(each) / 1e6 for each in np.percentile(took, PERCENTILES)] if len(took) else []


def document(bench: QueueBench) -> dict[str, object]:
    """A bench as JSON."""
    of = {"kernel": bench.kernel, "packets": bench.fates.num_rows, **counts(bench.fates)}
    of["delay_ms"] = dict(zip((f"p{each}" for each in PERCENTILES), delays_ms(bench.fates)))
    of["qdisc"] = bench.counters
    if bench.beside is not None and bench.difference is not None:
        delay = dict(zip((f"p{each}" for each in PERCENTILES), delays_ms(bench.beside)))
        of["beside"] = {**counts(bench.beside), "delay_ms": delay, "difference": asdict(bench.difference)}
    return of


def report(bench: QueueBench, qdisc: str, rate: str, beside: str | None) -> None:
    """Prints a bench."""
    printer = Printer()
    flows = len(pc.unique(bench.fates["flow"]))
    of = f"{bench.fates.num_rows} packets of {flows} flow{'s' if flows > 1 else ''}"
    printer.paragraph(f"{of} at {rate}, kernel {bench.kernel}")
    line(printer, qdisc, bench.fates)
    if bench.beside is None or bench.difference is None:
        return
    line(printer, str(beside), bench.beside)
    apart = f"packets that both send leave within {bench.difference.apart_ns / 1e3:.3f} us of each other"
    if bench.difference.first is None:
        printer.paragraph(f"same fates; {apart}")
        return
    row = bench.difference.first
    at = bench.fates["time_ns"][row].as_py() / 1e9
    fates = [
        f"{of['fate'][row]}{', marked' if of['marked'][row].as_py() else ''}" for of in (bench.fates, bench.beside)
    ]
    printer.paragraph(
        f"{bench.difference.fates} fates differ; first packet {row} (from 0), which arrives at {at:.9f} s: {fates[0]} by the kernel, {fates[1]} by cwnd; {apart}"
    )


def line(printer: Printer, name: str, fates: pa.Table) -> None:
    """Prints the line of one queue."""
    number = counts(fates)
    words = f"sent {number['sent']}, dropped {number['dropped']}, marked {number['marked']}"
    if number["waits"]:
        words += f", waiting {number['waits']}"
    if delays := delays_ms(fates):
        shown = ", ".join(f"{'max' if at == 100 else f'p{at}'} {each:.3f}" for at, each in zip(PERCENTILES, delays))
        words += f"; delay (ms) {shown}"
    printer.paragraph(f"{name}: {words}", hang=2)
