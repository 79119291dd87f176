# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel trace`: what connections in the kernel do, call by call, into tables and onto the terminal."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from cwnd import _native, unfinished
from cwnd._native import KernelConnection, KernelEnded, KernelModule, KernelTrace, ScenarioError, Table
from cwnd.kernel.listing import words
from cwnd.kernel.native import KernelInputError
from cwnd.kernel.result import KernelTrace as StoredTrace
from cwnd.kernel.spec import is_object, module, name_of_set
from cwnd.kernel.use import by_the_setting, what_was_not_done
from cwnd.own import LOADED
from cwnd.replay import what_is_compared
from cwnd.store import MANIFEST, TRACE, check, holds, replace

# How the kernel's own algorithms are named here.
KERNELS_OWN = "kernel/"
RING_BYTES = 64 << 20
ROWS_PER_GROUP = 1 << 16
# Seconds between two looks at the ring buffer, which holds several seconds of a fast path.
PATIENCE_S = 0.25


@dataclass
class Wanted:
    """What to trace, and how."""

    cc: str = ""
    settings: list[str] = field(default_factory=list)
    plugins: list[Path] = field(default_factory=list)
    kernel_name: str | None = None
    port: int = 0
    duration_s: float | None = None
    folder: Path | None = None
    force: bool = False
    pictures: bool = True


@dataclass
class Begun:
    """A trace, and what it is of, where it is call by call: the parameter set and the values of its parameters."""

    source: KernelTrace
    about: dict[str, Any] = field(default_factory=dict)


def begin(wanted: Wanted, *, has_command: bool) -> Begun:
    """The trace's source: an algorithm of ours or of somebody's own, one of the kernel's, or acknowledgements of any."""
    asked = module_of(wanted, has_command=has_command)
    if asked is not None:
        if wanted.plugins and asked.algorithm is not None and asked.algorithm not in LOADED:
            whose = f"the crate of {asked.algorithm}, from which {wanted.cc} was built"
            raise KernelInputError("--plugin", wanted.plugins[0], whose)
        name = wanted.kernel_name or asked.kernel_name
        source = KernelTrace.of_module(asked, name, wanted.port, RING_BYTES)
        return Begun(source, {"set": asked.set_name, "params": dict(asked.params)})
    if wanted.settings:
        raise KernelInputError(
            "--param", wanted.settings[0], "none: only an algorithm that is loaded for it has parameters"
        )
    if wanted.cc.startswith(KERNELS_OWN):
        own = wanted.cc.removeprefix(KERNELS_OWN)
        if own not in KernelTrace.kernels_own():
            names = ", ".join(KERNELS_OWN + name for name in KernelTrace.kernels_own())
            raise KernelInputError("--cc", wanted.cc, f"one whose functions the kernel opens to us: {names}")
        name = wanted.kernel_name or f"cwnd_k_{own}"
        source = KernelTrace.of_kernels_own(own, name, wanted.port, RING_BYTES)
        return Begun(source, {"set": f"{own}-linux", "params": {}})
    available = words("tcp_available_congestion_control")
    if wanted.cc and wanted.cc not in available:
        near = " or ".join(_native.nearest(wanted.cc, list(dict.fromkeys([*set_names(), *available]))))
        raise KernelInputError(
            "--cc",
            wanted.cc,
            "an algorithm of ours (cwnd algorithms), an object of cwnd build-kernel, a name that is loaded, kernel/cubic, "
            "kernel/reno, or one that the kernel has" + (f" (did you mean {near}?)" if near else ""),
        )
    if wanted.kernel_name:
        raise KernelInputError("--as", wanted.kernel_name, "none: nothing is loaded for this trace")
    return Begun(KernelTrace.of_acknowledgements(wanted.cc, wanted.port, RING_BYTES))


def module_of(wanted: Wanted, *, has_command: bool) -> KernelModule | None:
    """What is to be loaded for the trace; nothing, where what there is is looked at from outside."""
    if not wanted.cc or wanted.cc.startswith(KERNELS_OWN):
        return None
    try:
        if is_object(wanted.cc):
            return module(wanted.cc, wanted.settings)
        one = name_of_set(wanted.cc)
        if one in set_names():
            if one in {name for known in _native.algorithms() if not known["built_in"] for name in sets_of(known)}:
                expected = f"the object of {one}, as cwnd build-kernel makes it, or the name of one that is loaded"
                raise KernelInputError("--cc", wanted.cc, expected)
            return module(wanted.cc, wanted.settings)
        # Its connections cannot be recorded any more; those of a command are, on the same once more.
        loaded = KernelModule.of_loaded(wanted.cc) if has_command else None
    except ScenarioError as error:
        if getattr(error, "field", "") != "NAME":
            raise
        raise KernelInputError("--cc", (error.value or wanted.cc).strip('"'), error.expected) from None
    if loaded is not None and wanted.settings:
        raise KernelInputError("--param", wanted.settings[0], f"no parameter: {wanted.cc} has those that it has")
    return loaded


def sets_of(algorithm: _native.Algorithm) -> list[str]:
    """Names of an algorithm's parameter sets."""
    return [one["name"] for one in algorithm["sets"]]


def set_names() -> set[str]:
    """Names of all parameter sets."""
    return {name for algorithm in _native.algorithms() for name in sets_of(algorithm)}


class Tables:
    """Parquet files in a folder, `partial`, that gets its name, `folder`, when they are whole."""

    def __init__(self, partial: Path, folder: Path) -> None:
        self.partial = partial
        self.folder = folder
        self.writers: dict[str, pq.ParquetWriter] = {}
        self.waiting: dict[str, list[pa.RecordBatch]] = {}

    def write(self, name: str, rows: pa.RecordBatch) -> None:
        """Keeps the rows until there are enough for a row group: each has a cost of its own for every column."""
        if not rows.num_rows:
            return
        waiting = self.waiting.setdefault(name, [])
        waiting.append(rows)
        if sum(batch.num_rows for batch in waiting) >= ROWS_PER_GROUP:
            self.flush(name)

    def flush(self, name: str) -> None:
        table = pa.Table.from_batches(self.waiting.pop(name, [])).combine_chunks()
        if name not in self.writers:
            self.writers[name] = pq.ParquetWriter(
                self.partial / f"{name}.parquet",
                table.schema,
                compression="zstd",
                compression_level=1,
                use_dictionary=["hook"] if "hook" in table.column_names else False,
                write_statistics=False,
            )
        self.writers[name].write_table(table)

    def finish(self, connections: list[KernelConnection], about: dict[str, Any], *, pictures: bool) -> None:
        """Writes what is known at the end only, draws it, and gives the folder its name."""
        self.write("flows", flows(connections))
        for name in list(self.waiting):
            self.flush(name)
        for writer in self.writers.values():
            writer.close()
        files = sorted([f"{name}.parquet" for name in self.writers] + [MANIFEST])
        if pictures and "cwnd" in self.writers:
            from cwnd.plot.kernel import draw

            drawn = draw(StoredTrace(self.partial, {**about, "files": files}), self.partial)
            files = sorted([*files, *(file.name for file in drawn)])
        (self.partial / MANIFEST).write_text(json.dumps({"kind": TRACE, **about, "files": files}, indent=1) + "\n")
        self.partial.chmod(0o755)
        replace(self.partial, self.folder)


@contextlib.contextmanager
def tables_for(folder: Path | None) -> Iterator[Tables | None]:
    """Tables that are gone afterwards unless they were finished; none where nothing is kept."""
    if folder is None:
        yield None
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with unfinished.made(folder) as partial:
        yield Tables(partial, folder)


def flows(connections: list[KernelConnection]) -> pa.RecordBatch:
    """The table `flows`: a line per connection."""
    columns: dict[str, list[Any]] = {
        "flow": [c.number for c in connections],
        "algorithm": [c.algorithm for c in connections],
        "local_port": [c.local_port for c in connections],
        "remote_port": [c.remote_port for c in connections],
        "first_s": [c.first_s for c in connections],
        "last_s": [c.last_s for c in connections],
        "calls": [c.calls for c in connections],
        "retransmits": [c.retransmissions for c in connections],
        "differences": [c.differences for c in connections],
    }
    return pa.RecordBatch.from_pydict(columns)


@contextlib.contextmanager
def stopped_by_signals() -> Iterator[list[int]]:
    """Ctrl-C and TERM end a trace as its duration does; the list then holds the signal."""
    seen: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        seen.append(number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main(wanted: Wanted, command: list[str]) -> dict[str, Any]:
    """Traces, beside a command if there is one; returns the summary."""
    if wanted.folder is not None:
        for line in unfinished.sweep(wanted.folder, lambda old: holds(old) is not None):
            print(line, file=sys.stderr)
        check(wanted.folder, TRACE, force=wanted.force)
    begun = begin(wanted, has_command=bool(command))
    source = begun.source
    if not command:
        return run(wanted, begun, lambda: False)
    if source.kernel_name is None:
        source.close()
        raise KernelInputError("--cc", wanted.cc, "an algorithm that is traced call by call, for a command to use")
    ends: list[KernelEnded] = []

    def is_over() -> bool:
        ended = source.ended()
        ends.extend([] if ended is None else [ended])
        return bool(ends)

    because = source.run(command)
    if because is not None:
        by_the_setting(because)
    summary = run(wanted, begun, is_over)
    ended = ends[0] if ends else None
    if ended is not None:
        what_was_not_done(summary["algorithm"], ended)
    counts = dict(zip(("made", "accepted", "refused"), ended.connections)) if ended and ended.connections else None
    return {**summary, "command": command, "exit": None if ended is None else ended.code, "command_connections": counts}


def run(wanted: Wanted, trace: Begun, is_over: Callable[[], bool]) -> dict[str, Any]:
    """Traces until `is_over()`, a signal, or the duration's end; returns the summary."""
    from cwnd.kernel import view

    source = trace.source
    begun = time.monotonic()
    algorithm = source.kernel_name or wanted.cc
    with tables_for(wanted.folder) as tables:
        with stopped_by_signals() as signals, view.live(sys.stderr.isatty(), source, algorithm, begun) as show:

            def done() -> bool:
                late = wanted.duration_s is not None and time.monotonic() - begun >= wanted.duration_s
                return bool(signals) or late or is_over()

            while not done():
                left = PATIENCE_S
                if wanted.duration_s is not None:
                    left = min(left, max(0.0, wanted.duration_s - (time.monotonic() - begun)))
                store(tables, *source.take(left))
                show()
            store(tables, *source.close())
        summary = {**summarised(source, algorithm, time.monotonic() - begun), **trace.about}
        if tables and summary["calls"]:
            tables.finish(source.connections(), {"lane": "kernel", **summary, **plugins()}, pictures=wanted.pictures)
    return summary


def plugins() -> dict[str, dict[str, str]]:
    """Algorithms of somebody's own that the host repeated calls on, by the digest of their library."""
    return {"plugins": dict(sorted(LOADED.items()))} if LOADED else {}


def store(tables: Tables | None, hooks: Table | None, cwnd: Table) -> None:
    if tables is None:
        return
    if hooks is not None:
        tables.write("hooks", pa.record_batch(hooks))
    tables.write("cwnd", pa.record_batch(cwnd))


def summarised(source: KernelTrace, algorithm: str, elapsed_s: float) -> dict[str, Any]:
    """What a trace comes to."""
    return {
        "algorithm": algorithm,
        "seconds": round(elapsed_s, 3),
        "connections": len(source.connections()),
        "calls": source.calls,
        "lost": source.lost,
        "differences": source.differences,
        "first": source.first_difference,
        "states_compared": source.states_compared,
        "repaired": source.repaired,
        "unguarded": source.unguarded,
        "versions": {"cwnd": _native.__version__, "kernel": os.uname().release},
    }


def nothing(summary: dict[str, Any], port: int) -> str:
    """Why nothing was recorded, in one line, and what to do about it."""
    line = f"nothing was recorded in {summary['seconds']:.1f} s: "
    with_port = f" with --port {port}" if port else ""
    if "set" not in summary:
        whose = f" on {summary['algorithm']}" if summary["algorithm"] else ""
        return f"{line}no acknowledgement came on a connection{whose}{with_port}"
    name = summary["algorithm"]
    if "command" not in summary:
        return (
            f"{line}no connection{with_port} used {name}; one does that asks for it (setsockopt TCP_CONGESTION), whose namespace has it in "
            "net.ipv4.tcp_congestion_control, or that a command after -- makes"
        )
    program, code, counts = summary["command"][0], summary["exit"], summary["command_connections"]
    if code is None:
        return f"{line}{program}, which was still running, had no TCP connection on {name}{with_port}"
    ended = f"{program} (exit code {code})"
    if counts is None:
        return (
            f"{line}{ended} had no TCP connection on {name}{with_port}; only one of this network namespace that asks for nothing else "
            "has it"
        )
    if counts["made"] + counts["accepted"] == 0:
        return f"{line}{ended} had no TCP connection on {name} (0 made, 0 accepted)"
    made = f"({counts['made']} made, {counts['accepted']} accepted)"
    return f"{line}no connection of {ended} called {name}{with_port} {made}"


def report(summary: dict[str, Any], folder: Path | None) -> None:
    """The same for eyes."""
    whose = summary["algorithm"] or "every algorithm"
    what = "calls" if "set" in summary else "acknowledgements"
    print(
        f"{whose}: {summary['calls']:,} {what} of {summary['connections']:,} connection"
        f"{'' if summary['connections'] == 1 else 's'} in {summary['seconds']:.1f} s, "
        f"{summary['lost']:,} lost"
    )
    if summary["differences"] is not None:
        calls = summary["calls"]
        print(f"repeated on the host: {summary['differences']:,} differences")
        print(f"compared after every call: {what_is_compared(calls, calls, summary['states_compared'])}")
    elif "set" in summary:
        print(f"not repeated on the host: that takes --plugin and the crate of {summary['set']}")
    if summary["repaired"]:
        print(
            f"repaired: {summary['repaired']:,} windows and thresholds that the algorithm had not given (docs/kernel.md)"
        )
    if summary["unguarded"]:
        count = summary["unguarded"]
        print(
            f"unguarded: {count:,} connection{'' if count == 1 else 's'} without room for a guard (net.core.optmem_max): "
            "nothing is repaired there (docs/kernel.md)"
        )
    if summary["first"]:
        print(f"first: {summary['first']}")
    if summary["lost"]:
        print(
            "What was lost found the ring buffer full; from there on the host's state may be another.", file=sys.stderr
        )
    if folder is not None:
        print(
            f"The tables and the picture are in {folder}."
            if (folder / "trace.png").exists()
            else f"The tables are in {folder}."
        )
