# SPDX-License-Identifier: MIT OR Apache-2.0
"""A run in lane linux: a kernel in virtual time as a process of this user, which gets all it needs by descriptors and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from cwnd import _native
from cwnd._internal.input_errors import refused
from cwnd._native import PluginError, Scenario, ScenarioError
from cwnd.linux.guest_memory import archive
from cwnd.linux.guest_tools import tc
from cwnd.linux.memory import MEMORY, Memory, place_of_memory
from cwnd.linux.report import VirtualReport
from cwnd.plugin.crate import library_again
from cwnd.plugin.kernel_objects import plugin_sets
from cwnd.scenario.snapshot import scenario_document

if TYPE_CHECKING:
    import pyarrow as pa

    from cwnd._internal.summary_types import MeasuredSummary
    from cwnd._native import Table
    from cwnd.linux.kernels import Kernel

#: The program of the guest, and the library with the links, which the kernel loads.
GUEST = Path(__file__).with_name("cwnd-guest")
LINKS = Path(__file__).with_name("libcwnd_links.so")
#: Time of day at which every guest starts, ns: 2027.
START = 1_800_000_000_000_000_000
#: What a kernel without memory says.
OUT_OF_MEMORY = ("deadlocked on memory", "Out of memory")
#: Lines of the console that a message about a kernel without a result shows.
LAST_LINES = 3
#: How often the kernel is looked at, s.
LOOK = 0.002
#: How long a kernel that has written its result may take to end, s.
END = 5.0


def parts_that_lack() -> list[str]:
    """Files of the lane that this cwnd was built without."""
    return [path.name for path in (GUEST, LINKS) if not path.is_file()]


def check_clock(scenario: Scenario, kernel: Kernel) -> None:
    """Refuses a clock of hosts that is not the kernel's. Raises `ScenarioError`."""
    clock, document = f"{kernel.hz}Hz", scenario_document(scenario)
    for table in ("flow", "traffic"):
        for number, group in enumerate(cast("list[dict[str, object]]", document.get(table, []))):
            if group.get("host_clock", clock) != clock:
                expected = f'"{clock}", the clock of kernel {kernel.name}, or none, in lane {VirtualRun.LANE}'
                raise refused(f"{table}[{number}].host_clock", group["host_clock"], expected)


class Told(VirtualReport):
    """What the library says of the run."""

    packets: int


class Header(TypedDict):
    """The first part of a result."""

    error: NotRequired[str]
    #: attributes of `PluginError`, if the error is the panic of a plugin
    panic: NotRequired[dict[str, object]]
    #: attributes of `ScenarioError`, if the kernel lacks something that the scenario names
    refused: NotRequired[dict[str, object]]
    summary: MeasuredSummary
    report: Told
    #: where the streams of the tables begin behind it, and how long they are
    tables: dict[str, tuple[int, int]]


class BenchHeader(TypedDict):
    """The first part of the result of a queue bench."""

    #: release of the kernel
    kernel: str
    #: the output of `tc -s -j qdisc show` at the end
    qdisc: object


class VirtualRun:
    """A run of a scenario by a kernel in virtual time: `step` waits for it, and at its end summary and tables are there.

    What the connections of the algorithm `traced` do is in `records` then, as tables of a trace. Raises `ScenarioError` for what the lane does
    not do, `PluginError` for the panic of a plugin, `OSError` where the system does not allow it.
    """

    LANE = "linux"

    def __init__(
        self, scenario: Scenario, kernel: Kernel, traced: str | None = None, arrivals: bytes | None = None
    ) -> None:
        if lacking := parts_that_lack():
            raise OSError(
                f"lane {self.LANE}: this cwnd has no {' and no '.join(lacking)}; `make linux` in a clone builds them"
            )
        _native.Lab.check(scenario, self.LANE)
        check_clock(scenario, kernel)
        of_plugins = plugin_sets()
        plugins = sorted({of_plugins[cc] for cc in _native.Lab.algorithms(scenario) if cc in of_plugins})
        libraries = [library_again(name, f"the kernel of lane {self.LANE} loads it, too") for name in plugins]
        self.kernel = kernel
        self.duration_ns = round(scenario.duration_s * 1e9)
        files = {each.path: each.contents.decode() for each in scenario.files}
        program, tools = tc() if any(link.queue == KERNELS for link in scenario.links) else (None, {})
        document = {
            "scenario": scenario.to_toml(),
            "files": files,
            "traced": traced,
            "tc": program,
            "is_bench": arrivals is not None,
        }
        if plugins:
            document["plugins"] = json.loads(_native.Lab.described_plugins(plugins))
        given = json.dumps(document).encode()
        guest = b"".join(archive(GUEST.read_bytes(), given, tools))
        self.guest, self.given = Memory("guest", guest), Memory("scenario", given)
        self.progress_memory, self.result, self.console = Memory("progress"), Memory("result"), Memory("console")
        self.packets_memory = {host: Memory(host) for host in ("senders", "receivers")}
        self.taken = dict.fromkeys(self.packets_memory, 0)
        self.arrivals = None if arrivals is None else Memory("arrivals", arrivals)
        self.records = {} if traced is None else {table: Memory(table) for table in RECORDS}
        self.libraries = [Memory("plugin", library) for library in libraries]
        self.cpu_s = 0.0
        self.header: Header | None = None
        self.tables: dict[str, pa.Table] = {}
        #: fates of a queue bench, as `cwnd.linux.queue_bench` reads them
        self.fates = b""
        self.process = self.boot(scenario)
        for memory in (self.guest, self.given, *self.libraries):
            memory.file.close()
        # Whatever becomes of this object, the kernel ends with it.
        self.end = weakref.finalize(self, stop, self.process)

    def boot(self, scenario: Scenario) -> subprocess.Popen[bytes]:
        """Starts the kernel."""
        descriptors = {
            "SCENARIO": self.given.number,
            "PROGRESS": self.progress_memory.number,
            "RESULT": self.result.number,
            **{host.upper(): each.number for host, each in self.packets_memory.items()},
            **{RECORDS[table]: each.number for table, each in self.records.items()},
        }
        if self.arrivals is not None:
            descriptors["ARRIVALS"] = self.arrivals.number
        libraries = [each.number for each in self.libraries]
        environment = {
            "LD_PRELOAD": str(LINKS),
            "TMPDIR": place_of_memory(),
            "CWND_LINUX_PARENT": str(os.getpid()),
            "CWND_LINUX_SEED": str(scenario.seed),
            **{f"CWND_LINUX_{name}": str(number) for name, number in descriptors.items()},
            "CWND_LINUX_PLUGINS": ",".join(map(str, libraries)),
        }
        # Of one kernel always the same: its random numbers depend on them, too.
        options = [
            f"mem={MEMORY}M",
            "initrd=/proc/self/fd/0",
            "rdinit=/init",
            "time-travel=inf-cpu",
            f"time-travel-start={START}",
            "con=null",
            "con0=null,fd:1",
            "quiet",
            "panic=-1",
            # Where nobody can make the folder that it would make there for commands to it.
            "uml_dir=/proc/fs/",
        ]
        return subprocess.Popen(
            [str(self.kernel.path), *options],
            stdin=self.guest.number,
            stdout=self.console.number,
            stderr=self.console.number,
            env=environment,
            pass_fds=[*descriptors.values(), *libraries],
            start_new_session=True,
        )

    def step(self, milliseconds: int) -> bool:
        """Waits up to so long; returns whether the run is over."""
        until = time.monotonic() + milliseconds / 1e3
        while True:
            ended, status, used = os.wait4(self.process.pid, os.WNOHANG)
            if ended:
                break
            if time.monotonic() >= until:
                return False
            time.sleep(LOOK)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_s = used.ru_utime + used.ru_stime
        self.conclude()
        return True

    def conclude(self) -> None:
        """Reads the result, and closes what is not needed any more."""
        self.end.detach()
        try:
            self.read_result()
        finally:
            for memory in (self.progress_memory, self.result, self.console):
                memory.file.close()

    def read_result(self) -> None:
        """Reads the result. Raises `OSError` if there is none."""
        if self.result.size < 8:
            raise OSError(f"lane {self.LANE}: kernel {self.kernel.name} ended without a result: {self.last_words()}")
        (length,) = struct.unpack("<Q", self.result.read(0, 8))
        header: Header = json.loads(self.result.read(8, length))
        if why := header.get("error"):
            raise error_of(header, why, self.LANE)
        import pyarrow as pa

        self.header = header
        if self.arrivals is not None:
            self.bench = cast("BenchHeader", header)
            self.fates = self.result.read(8 + length, self.result.size)
            return
        for name, (start, size) in header["tables"].items():
            stream = self.result.read(8 + length + start, size)
            self.tables[name] = pa.ipc.open_stream(stream).read_all()

    def last_words(self) -> str:
        """Why it ended, in a line: a signal, a panic, or what the console says last."""
        lines = self.console.read(0, self.console.size).decode(errors="replace").splitlines()
        # Those about its folder, which it is not to have, say nothing.
        words = [line.strip() for line in lines if line.strip() and "umid" not in line]
        told = next((line for line in words if "panic" in line.lower()), "") or " · ".join(words[-LAST_LINES:])
        if any(line in told for line in OUT_OF_MEMORY):
            return f"windows and buffers of this scenario need more than the {MEMORY} MiB of the guest: expected fewer flows, a lower rate, a shorter round trip or a smaller queue"
        code = self.process.returncode
        if code < 0:
            name = signal.Signals(-code).name
            return f"{name} ended it; perhaps the machine, or {place_of_memory()}, has too little memory"
        return told or f"exit status {code}"

    def told(self) -> tuple[int, int]:
        """Time of the scenario, ns, and packets so far."""
        bytes_of_it = self.progress_memory.read(0, 16)
        return struct.unpack("<QQ", bytes_of_it) if len(bytes_of_it) == 16 else (0, 0)

    @property
    def ended(self) -> Header:
        """The result. Raises `RuntimeError` before the run is over."""
        if self.header is None:
            raise RuntimeError("the run has not ended")
        return self.header

    @property
    def progress(self) -> float:
        """Part of the time that is over, 0 to 1."""
        return 1.0 if self.header else min(self.told()[0] / self.duration_ns, 1.0)

    @property
    def now_s(self) -> float:
        """Time of the scenario, s."""
        return self.duration_ns / 1e9 if self.header else self.told()[0] / 1e9

    @property
    def packets(self) -> int:
        """Data packets that left the flows' last links so far."""
        return self.told()[1] if self.header is None else self.header["report"]["packets"]

    def summary(self) -> MeasuredSummary:
        """The summary over the measured interval."""
        return self.ended["summary"]

    def report(self) -> VirtualReport:
        """What the kernel and the links say of themselves."""
        told = {name: value for name, value in self.ended["report"].items() if name != "packets"}
        return cast("VirtualReport", {**told, "hz": self.kernel.hz, "build": self.kernel.about["key"]})

    def take(self, least: int) -> list[tuple[str, Table]]:
        """Takes the complete rows out of each table of at least `least` rows: all of them at the end, none before."""
        del least
        taken = [(name, batch) for name in RECORDED if name in self.tables for batch in batches(self.tables[name])]
        for name in RECORDED:
            if name in self.tables:
                self.tables[name] = self.tables[name].slice(0, 0)
        return taken

    def take_packets(self) -> list[tuple[str, bytes]]:
        """Takes the packets that were captured: names of hosts with the next piece of their files."""
        pieces = []
        for host, memory in self.packets_memory.items():
            if not memory.file.closed and (size := memory.size) > (start := self.taken[host]):
                pieces.append((host, memory.read(start, size - start)))
                self.taken[host] = size
            if self.header is not None:
                memory.file.close()
        return pieces

    def discard(self) -> None:
        """Drops the samples and events; the transfers stay."""
        for name in set(RECORDED) - {"transfers"}:
            if name in self.tables:
                self.tables[name] = self.tables[name].slice(0, 0)

    def rows(self, name: str) -> int:
        """Rows of a table."""
        return int(self.tables[name].num_rows)

    def table(self, name: str, start: int, count: int) -> Table:
        """Up to `count` rows of a table from row `start` on; those of the summary are always whole."""
        whole = self.tables[name]
        part = whole.slice(start, count) if name in RECORDED else whole
        batch: Table = part.combine_chunks().to_batches()[0] if part.num_rows else empty(part)
        return batch


def error_of(header: Header, why: str, lane: str) -> Exception:
    """The exception for the error in a result, with its attributes."""
    error: Exception
    if attributes := header.get("panic"):
        error = PluginError(why)
    elif attributes := header.get("refused"):
        error = ScenarioError(why)
    else:
        return OSError(f"lane {lane}: {why}")
    vars(error).update(attributes)
    return error


#: Kind of a queue that the kernel has.
KERNELS = "kernel"
#: Tables of a trace, and what the library calls them.
RECORDS = {"hooks": "HOOKS", "packets": "PACKETS", "cwnd": "WINDOWS"}
#: Tables of samples and events, which may be long.
RECORDED = ("cwnd", "queue", "events", "inner", "transfers")


def batches(table: pa.Table) -> Iterator[Table]:
    """The batches of a table that have rows."""
    yield from (batch for batch in table.to_batches() if batch.num_rows)


def empty(table: pa.Table) -> Table:
    """A batch without rows."""
    import pyarrow as pa

    batch: Table = pa.RecordBatch.from_pylist([], schema=table.schema)
    return batch


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ends a kernel and the processes of its guest, which end with it."""
    if process.poll() is None:
        process.kill()
        process.wait(END)
