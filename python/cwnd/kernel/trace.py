# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel trace`: records what connections in the kernel do, in tables and on the terminal."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import pyarrow as pa

from cwnd import _native
from cwnd._internal import partial_folders
from cwnd._internal.escapes import one_line
from cwnd._internal.messages import note, shows_progress
from cwnd._native import ScenarioError, Table
from cwnd.kernel.listing import tcp_setting
from cwnd.kernel.native import KernelEnded, KernelInputError, KernelModule, KernelTrace
from cwnd.kernel.result import LANE, Manifest, TracedSet, TraceSummary
from cwnd.kernel.spec import is_object, module, name_of_set
from cwnd.kernel.trace_folder import TraceWriter, trace_writer
from cwnd.kernel.use import by_namespace_setting, report_exceptions
from cwnd.plugin.crate import LOADED
from cwnd.replay.trace import what_is_compared
from cwnd.result.store import TRACE, check_folder, kind_of_result

# Prefix of the names of the kernel's own algorithms.
KERNELS_OWN = "kernel/"
RING_BYTES = 64 << 20
# Interval between two reads of the ring buffer, which holds several seconds of a fast path, s.
POLL_S = 0.25


@dataclass
class TraceOptions:
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
    transport: bool = False


@dataclass
class RunningTrace:
    """A trace in progress and, if it is call by call, the parameter set and the values of its parameters."""

    source: KernelTrace
    about: TracedSet = field(default_factory=lambda: TracedSet())


def begin(options: TraceOptions, *, has_command: bool) -> RunningTrace:
    """Starts a trace: of an algorithm of ours or of a plugin, of one of the kernel's own, or of the acknowledgements of any."""
    kernels_own = options.cc.removeprefix(KERNELS_OWN)
    if options.transport and (not options.cc.startswith(KERNELS_OWN) or kernels_own not in KernelTrace.kernels_own()):
        names = " or ".join(KERNELS_OWN + name for name in KernelTrace.kernels_own())
        raise KernelInputError("--cc", options.cc, f"{names} with --transport")
    asked = module_of(options, has_command=has_command)
    if asked is not None:
        if options.plugins and asked.algorithm is not None and asked.algorithm not in LOADED:
            whose = f"the crate of {asked.algorithm}, from which {options.cc} was built"
            raise KernelInputError("--plugin", options.plugins[0], whose)
        name = options.kernel_name or asked.kernel_name
        source = KernelTrace.of_module(asked, name, options.port, RING_BYTES)
        return RunningTrace(source, {"set": asked.set_name, "params": dict(asked.params)})
    if options.settings:
        raise KernelInputError(
            "--param", options.settings[0], "no parameter: only an algorithm loaded for this trace has parameters"
        )
    if options.cc.startswith(KERNELS_OWN):
        if kernels_own not in KernelTrace.kernels_own():
            names = ", ".join(KERNELS_OWN + name for name in KernelTrace.kernels_own())
            raise KernelInputError("--cc", options.cc, f"one whose functions the kernel exposes to BPF: {names}")
        name = options.kernel_name or f"cwnd_k_{kernels_own}"
        record = KernelTrace.of_transport if options.transport else KernelTrace.of_kernels_own
        source = record(kernels_own, name, options.port, RING_BYTES)
        return RunningTrace(source, {"set": f"{kernels_own}-linux", "params": {}})
    available = tcp_setting("tcp_available_congestion_control")
    if options.cc and options.cc not in available:
        near = " or ".join(_native.nearest(options.cc, list(dict.fromkeys([*set_names(), *available]))))
        raise KernelInputError(
            "--cc",
            options.cc,
            "an algorithm of cwnd (cwnd algorithms), an object of cwnd build-kernel, a loaded name, kernel/cubic, "
            "kernel/reno, or an algorithm that the kernel has" + (f" (did you mean {near}?)" if near else ""),
        )
    if options.kernel_name:
        raise KernelInputError("--as", options.kernel_name, "none: nothing is loaded for this trace")
    return RunningTrace(KernelTrace.of_acknowledgements(options.cc, options.port, RING_BYTES))


def module_of(options: TraceOptions, *, has_command: bool) -> KernelModule | None:
    """The module to load for the trace; `None` if connections are only observed from outside."""
    if not options.cc or options.cc.startswith(KERNELS_OWN):
        return None
    try:
        if is_object(options.cc):
            return module(options.cc, options.settings)
        set_name = name_of_set(options.cc)
        if set_name in set_names():
            if set_name in {name for known in _native.algorithms() if not known["built_in"] for name in sets_of(known)}:
                expected = f"the object of {set_name} from cwnd build-kernel, or the name of a loaded algorithm"
                raise KernelInputError("--cc", options.cc, expected)
            return module(options.cc, options.settings)
        # Connections of a loaded algorithm cannot be recorded any more. For a command, the same module is loaded once more.
        loaded = KernelModule.of_loaded(options.cc) if has_command else None
    except ScenarioError as error:
        if getattr(error, "field", "") != "NAME":
            raise
        raise KernelInputError("--cc", (error.value or options.cc).strip('"'), error.expected) from None
    if loaded is not None and options.settings:
        raise KernelInputError(
            "--param",
            options.settings[0],
            f"no parameter: {options.cc} is loaded already, and its parameters are fixed",
        )
    return loaded


def sets_of(algorithm: _native.Algorithm) -> list[str]:
    """Names of an algorithm's parameter sets."""
    return [parameter_set["name"] for parameter_set in algorithm["sets"]]


def set_names() -> set[str]:
    """Names of all parameter sets."""
    return {name for algorithm in _native.algorithms() for name in sets_of(algorithm)}


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


def main(options: TraceOptions, command: list[str]) -> TraceSummary:
    """Traces, together with a command if there is one; returns the summary."""
    if options.folder is not None:
        for line in partial_folders.remove_leftovers(options.folder, lambda old: kind_of_result(old) is not None):
            note(line)
        check_folder(options.folder, TRACE, force=options.force)
    trace = begin(options, has_command=bool(command))
    source = trace.source
    if not command:
        return run(options, trace, lambda: False)
    if source.kernel_name is None:
        source.close()
        raise KernelInputError("--cc", options.cc, "an algorithm that is traced call by call, for a command to use")
    ends: list[KernelEnded] = []

    def is_over() -> bool:
        ended = source.ended()
        ends.extend([] if ended is None else [ended])
        return bool(ends)

    because = source.run(command)
    if because is not None:
        by_namespace_setting(because)
    summary = run(options, trace, is_over)
    ended = ends[0] if ends else None
    if ended is not None:
        report_exceptions(summary["algorithm"], ended)
    counts = dict(zip(("made", "accepted", "refused"), ended.connections)) if ended and ended.connections else None
    return {**summary, "command": command, "exit": None if ended is None else ended.code, "command_connections": counts}


def run(options: TraceOptions, trace: RunningTrace, is_over: Callable[[], bool]) -> TraceSummary:
    """Traces until `is_over()`, a signal, or the duration's end; returns the summary."""
    from cwnd.kernel import view

    source = trace.source
    start_s = time.monotonic()
    algorithm = source.kernel_name or options.cc
    with trace_writer(options.folder, force=options.force) as tables:
        with stopped_by_signals() as signals, view.live(shows_progress(), source, algorithm, start_s) as show:

            def done() -> bool:
                late = options.duration_s is not None and time.monotonic() - start_s >= options.duration_s
                return bool(signals) or late or is_over()

            while not done():
                left = POLL_S
                if options.duration_s is not None:
                    left = min(left, max(0.0, options.duration_s - (time.monotonic() - start_s)))
                store(tables, source, *source.take(left))
                show()
            store(tables, source, *source.close())
        summary: TraceSummary = {**summary_of(source, algorithm, time.monotonic() - start_s), **trace.about}
        if tables and summary["calls"]:
            manifest: Manifest = {"kind": TRACE, "lane": LANE, **summary, "files": []}
            if LOADED:
                # On which the host repeated calls, by the digests of their libraries.
                manifest["plugins"] = dict(sorted(LOADED.items()))
            tables.finish(pa.record_batch(source.flows()), manifest, pictures=options.pictures)
    return summary


def store(tables: TraceWriter | None, source: KernelTrace, hooks: Table | None, cwnd: Table) -> None:
    packets = source.take_packets()
    if tables is None:
        return
    if packets is not None:
        tables.write("packets", pa.record_batch(packets))
    if hooks is not None:
        tables.write("hooks", pa.record_batch(hooks))
    tables.write("cwnd", pa.record_batch(cwnd))


def summary_of(source: KernelTrace, algorithm: str, elapsed_s: float) -> TraceSummary:
    """The summary of a trace."""
    return {
        "algorithm": algorithm,
        "seconds": round(elapsed_s, 3),
        "connections": len(source.connections()),
        "calls": source.calls,
        "lost": source.lost,
        "unseen": source.unseen,
        "differences": source.differences,
        "first": source.first_difference,
        "states_compared": source.states_compared,
        "repaired": source.repaired,
        "unguarded": source.unguarded,
        "versions": {"cwnd": _native.__version__, "kernel": os.uname().release},
    }


def why_nothing_recorded(summary: TraceSummary, port: int) -> str:
    """The reason why nothing was recorded, in one line, and what to do about it."""
    line = f"nothing was recorded in {summary['seconds']:.1f} s: "
    with_port = f" with --port {port}" if port else ""
    if "set" not in summary:
        whose = f" on {summary['algorithm']}" if summary["algorithm"] else ""
        return f"{line}no acknowledgement came on a connection{whose}{with_port}"
    name = summary["algorithm"]
    if "command" not in summary:
        return (
            f"{line}no connection{with_port} used {name}; select it with setsockopt TCP_CONGESTION, with net.ipv4.tcp_congestion_control in the namespace, "
            "or with a command after --"
        )
    program, code, counts = summary["command"][0], summary["exit"], summary["command_connections"]
    if code is None:
        return f"{line}{program}, still running, had no TCP connection on {name}{with_port}"
    ended = f"{program} (exit code {code})"
    if counts is None:
        return (
            f"{line}{ended} had no TCP connection on {name}{with_port}; only connections of this network namespace that ask for no other "
            "algorithm use it"
        )
    if counts["made"] + counts["accepted"] == 0:
        return f"{line}{ended} had no TCP connection on {name} (0 made, 0 accepted)"
    made = f"({counts['made']} made, {counts['accepted']} accepted)"
    return f"{line}no connection of {ended} called {name}{with_port} {made}"


def report(summary: TraceSummary, folder: Path | None) -> None:
    """Prints the summary."""
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
        print(f"not repeated on the host: cwnd has no parameter set {summary['set']}; one of a plugin needs --plugin")
    if summary["repaired"]:
        print(
            f"repaired: {summary['repaired']:,} windows and thresholds that the algorithm did not set (docs/guide/kernel.md)"
        )
    if summary["unguarded"]:
        count = summary["unguarded"]
        print(
            f"unguarded: {count:,} connection{'' if count == 1 else 's'} without room for a guard (net.core.optmem_max): "
            "nothing is repaired there (docs/guide/kernel.md)"
        )
    if summary["first"]:
        print(f"first: {summary['first']}")
    if summary["lost"]:
        print(
            "Events were lost because the ring buffer was full; after that the host's state may differ.",
            file=sys.stderr,
        )
    if unseen := summary.get("unseen"):
        print(
            f"The packets lack {unseen:,} data segments that the kernel counts (docs/guide/hook-order.md).",
            file=sys.stderr,
        )
    if folder is not None:
        what = "The tables and the picture are" if (folder / "trace.png").exists() else "The tables are"
        print(one_line(f"{what} in {folder}."))
