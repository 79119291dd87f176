# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd linux queue`: packets with given times of arrival go through a qdisc of a kernel in virtual time; the result is the fate of each.

No sender reacts to them, so a queue of cwnd can get the same arrivals, and the two are compared packet by packet.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cwnd import _native
from cwnd._internal.input_errors import refused, renamed, unfit
from cwnd._native import Scenario, ScenarioError
from cwnd.linux.arrivals import COLUMNS, arrivals_of
from cwnd.linux.engine import VirtualRun
from cwnd.linux.kernels import Kernel, find
from cwnd.scenario.builders import from_document

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Fates by the library's numbers; the last one is `sent` with a mark.
FATES = ("waits", "dropped", "sent", "sent")
MARKED = 3
#: An arrival and a fate as the library has them.
ARRIVAL = np.dtype([("time", "<u8"), *((name, "<u4") for name in ("flow", "bytes", "class", "from", "to", "none"))])
FATE = np.dtype([("fate", "<u8"), ("at", "<u8")])
#: The smallest size of a full packet that a bench assumes, bytes.
FULL = 1500
#: How long a look at the kernel waits, ms.
LOOK_MS = 50


@dataclass(frozen=True, slots=True)
class Difference:
    """How the fates by two queues differ."""

    #: packets that one queue sends and the other drops, or that only one marks
    fates: int
    #: number of the first of them, from 0; `None` for none
    first: int | None
    #: the largest distance of the departures of a packet that both send (ns)
    apart_ns: int


@dataclass(frozen=True, slots=True)
class QueueBench:
    """The fates of packets in a queue of the kernel."""

    #: the arrivals with `fate` (`sent`, `dropped`, or `waits` if the qdisc still holds it after an hour), `at_ns` (when its last bit left, or
    #: when it was dropped) and `marked`
    fates: pa.Table
    #: the kernel, as `cwnd linux list` shows it
    kernel: str
    #: the output of `tc -s -j qdisc show` at the end
    counters: list[dict[str, object]]
    #: the same arrivals through a queue of cwnd
    beside: pa.Table | None = None

    @property
    def difference(self) -> Difference | None:
        """How the fates by the queue of cwnd differ; `None` without one."""
        return None if self.beside is None else difference(self.fates, self.beside)


def queue(
    arrivals: pa.Table | str | os.PathLike[str],
    qdisc: str | Sequence[str],
    *,
    rate: str,
    beside: dict[str, object] | None = None,
    kernel: str | None = None,
    progress: Callable[[VirtualRun], None] | None = None,
) -> QueueBench:
    """Lets packets arrive at a link of this rate whose queue is a qdisc of the kernel.

    `arrivals` is a table, a file with one (.csv, .parquet), or the folder of a run that recorded packets (docs/guide/kernel-queues.md has the
    columns). `qdisc` and `rate` are those of a link in a scenario; `beside` is a queue of cwnd that gets the same arrivals. `kernel` is the
    name of a kernel that is built, by default the newest with HZ 250. `progress` is called about twenty times a second with the run in
    progress. Raises `ScenarioError` for what is refused, and `OSError` if the system does not allow the run.
    """
    table = arrivals_of(arrivals)
    if not isinstance(qdisc, str | list | tuple):
        raise refused("qdisc", qdisc, "words of tc, or a list of commands")
    words: dict[str, object] = {"kind": "kernel", "qdisc": qdisc if isinstance(qdisc, str) else list(qdisc)}
    largest = max(FULL, pc.max(table["bytes"]).as_py())
    scenario = link_of(rate, words, largest, {"link.queue.qdisc": "qdisc"})
    other = None if beside is None else beside_of(rate, beside, largest)
    built: Kernel = find(kernel)
    given = packed(table)
    run = VirtualRun(scenario, built, arrivals=given)
    while not run.step(LOOK_MS):
        if progress is not None:
            progress(run)
    counters = run.bench["qdisc"]
    return QueueBench(
        with_fates(table, run.fates),
        built.name,
        counters if isinstance(counters, list) else [],
        None if other is None else with_fates(table, _native.queue_bench(other, given)),
    )


def link_of(rate: str, words: dict[str, object], largest: int, names: dict[str, str]) -> Scenario:
    """A scenario with the link of a bench, and with packets up to this size, bytes. Its flow only makes it valid: the bench starts none.

    A refusal names keys of the scenario as `names` does.
    """
    link = {"rate": rate, "rtt": "1ms", "queue": words}
    document = {"duration": "1s", "packet_size": f"{largest}B", "link": link, "flow": [{"cc": "reno"}]}
    try:
        return from_document(document)
    except ScenarioError as error:
        raise renamed(error, {"link.rate": "rate", **names}) from None


def beside_of(rate: str, words: dict[str, object], largest: int) -> Scenario:
    """A link of a bench with a queue of cwnd."""
    if not isinstance(words, dict):
        raise refused("beside", words, 'a table such as {"kind": "codel", "limit": "1000packets"}')
    for key, value in words.items():
        # The round trip time of the link is no packet's.
        if isinstance(value, str) and value.endswith("bdp"):
            raise refused(f"beside.{key}", value, "packets, a size or a time: a bench has no round trip time")
    if words.get("kind") == "kernel":
        raise refused("beside.kind", "kernel", "a queue of cwnd")
    return link_of(rate, words, largest, {"link.queue": "beside"})


def packed(table: pa.Table) -> bytes:
    """Arrivals for the library."""
    rows = np.zeros(table.num_rows, ARRIVAL)
    rows["time"] = table["time_ns"].to_numpy()
    rows["class"] = table["dscp"].to_numpy() << 2 | table["ecn"].to_numpy()
    for name in ("flow", "bytes", "from", "to"):
        rows[name] = table[name].to_numpy()
    return rows.tobytes()


def with_fates(table: pa.Table, fates: bytes) -> pa.Table:
    """Arrivals with what became of them."""
    rows: NDArray[np.void] = np.frombuffer(fates, FATE)
    if len(rows) != table.num_rows:
        raise OSError("the bench has lost packets")
    at = pa.array(rows["at"].astype(np.int64), mask=rows["fate"] == 0)
    names = pa.DictionaryArray.from_arrays(pa.array(np.minimum(rows["fate"], 2).astype(np.int8)), pa.array(FATES[:3]))
    table = table.append_column("fate", names.cast(pa.string()))
    return table.append_column("at_ns", at).append_column("marked", pa.array(rows["fate"] == MARKED))


def difference(one: pa.Table, other: pa.Table) -> Difference:
    """How the fates of the same packets differ."""
    of_one, of_other = one["fate"], other["fate"]
    differ = pc.or_(pc.not_equal(of_one, of_other), pc.not_equal(one["marked"], other["marked"])).to_numpy()
    both = pc.and_(pc.equal(of_one, "sent"), pc.equal(of_other, "sent")).to_numpy()
    apart = np.abs(one["at_ns"].to_numpy() - other["at_ns"].to_numpy())[both]
    numbers = np.flatnonzero(differ)
    return Difference(len(numbers), int(numbers[0]) if len(numbers) else None, int(apart.max()) if len(apart) else 0)


def write(bench: QueueBench, path: Path) -> None:
    """Writes the fates to a file (.csv, .parquet); those by the queue of cwnd are columns that begin with `beside_`."""
    import pyarrow.csv
    import pyarrow.parquet

    from cwnd._internal.temporary_files import replacing

    table = bench.fates
    if bench.beside is not None:
        for name in bench.beside.column_names:
            if name not in COLUMNS:
                table = table.append_column(f"beside_{name}", bench.beside[name])
    with replacing(path) as part:
        if path.suffix == ".csv":
            pyarrow.csv.write_csv(table, part)
        elif path.suffix == ".parquet":
            pyarrow.parquet.write_table(table, part)
        else:
            raise unfit("out", "a file .csv or .parquet")
