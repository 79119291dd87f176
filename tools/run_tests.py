# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs parts of the tests to their end and prints one table of what they did: `python3 -m tools.run_tests PART...`.

A part is a target `test-PART` of the Makefile. The counts come from what pytest, cargo and nextest print; a line `skipped: REASON`,
or `skipped N: REASON`, of any program is a skip. A part that does not end within the limit is ended, and what it was doing is printed. The
exit code is 1 if a part failed. Ctrl-C, SIGTERM and SIGHUP end all parts; the exit code is then 128 and the signal's number. Python's
standard library is enough.
"""

from __future__ import annotations

import argparse
import codecs
import contextlib
import io
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from tools import ROOT
from tools.testing import processes
from tools.testing.counts import Part, table

#: They take longest, and mostly wait: the other parts run in parallel on the remaining processor time.
LONG = ("python", "kernel")
#: Several times what a part takes on two busy processors: a guard against a test that waits for ever, and no measure of anything.
LIMIT_S = 4500.0


def command(part: str, parallel: bool) -> list[str]:
    """The command of a part, in the background of the long ones."""
    nice = ["nice", "-n", "10"] if parallel and part not in LONG else []
    return [*nice, os.environ.get("MAKE", "make"), "--no-print-directory", f"test-{part}"]


class Stop:
    """The first signal that asks this program to end. All parts look at it."""

    NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        #: It stays readable once a signal has come, for every part that waits for its own output too.
        self.pipe, self._told = os.pipe()
        os.set_blocking(self._told, False)
        self.signal = 0

    def listen(self) -> None:
        """Takes the signals, but for those that the caller has had ignored."""
        for number in self.NUMBERS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._take)

    def _take(self, number: int, _: object) -> None:
        if not self.signal:
            self.signal = number
            # Also while Python ends, which would take its own handlers back.
            for other in self.NUMBERS:
                signal.signal(other, signal.SIG_IGN)
            os.write(self._told, b"x")


stop = Stop()
#: One part's output at a time is printed.
printing = threading.Lock()
#: Parts that run, and when they began.
began: dict[str, float] = {}
CLEAR = "\r\x1b[K"


def has_terminal() -> bool:
    """Whether standard error is a terminal that can write a line anew."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def show_times(ended: threading.Event) -> None:
    """On a terminal, the parts that run and for how long, until all have ended: their output comes when they end."""
    while not ended.wait(1):
        with printing:
            parts = [f"{name} {time.monotonic() - at:.0f} s" for name, at in sorted(began.items())]
            if parts:
                # A line that wraps could not be cleared. A terminal that says no width has 80 columns.
                columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
                line = f"running: {', '.join(parts)}"[: columns - 1]
                print(f"{CLEAR}{line}", end="", file=sys.stderr, flush=True)


class Output:
    """What a part prints: its processes may hold the pipe open longer than they print, and longer than they may."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe
        self.is_closed = False
        self._decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")("replace"), translate=True)
        self._begun = ""

    def lines(self, until: float) -> Iterator[str]:
        """Lines up to the end, the time or a stop, whatever comes first."""
        while not self.is_closed and not stop.signal and (left := until - time.monotonic()) > 0:
            if self.pipe in select.select([self.pipe, stop.pipe], [], [], left)[0]:
                yield from self._read()

    def rest(self) -> Iterator[str]:
        """What has been printed since, also a line without an end."""
        os.set_blocking(self.pipe, False)
        with contextlib.suppress(BlockingIOError):
            while not self.is_closed:
                yield from self._read()
        if self._begun:
            yield f"{self._begun}\n"

    def _read(self) -> Iterator[str]:
        read = os.read(self.pipe, 1 << 16)
        self.is_closed = not read
        *lines, self._begun = (self._begun + self._decoder.decode(read, final=not read)).split("\n")
        yield from (f"{line}\n" for line in lines)


def has_ended(process: int, until: float) -> bool:
    """Waits for a process, up to the time or a stop. It may have closed its output long before."""
    while not os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if stop.signal or time.monotonic() >= until:
            return False
        select.select([stop.pipe], [], [], 0.02)
    return True


def run(name: str, parallel: bool, limit_s: float) -> Part:
    """Runs a part; prints its output as it comes or, of several at a time, when it ends."""
    part, lines, started = Part(name), list[str](), time.monotonic()
    if stop.signal:
        part.is_stopped, part.unended = True, "did not begin"
        return part

    def take(printed: Iterator[str]) -> None:
        for line in printed:
            part.take(line)
            if parallel:
                lines.append(line)
            else:
                print(line, end="", flush=True)

    mark = f"{os.getpid()}-{name}"
    began[name] = started
    # A part has as many processes as its own command says; nothing of the calling make's.
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    process = subprocess.Popen(
        command(name, parallel),
        cwd=ROOT,
        env=environment | {"PYTHONUNBUFFERED": "1"} | processes.marked(mark),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout
    output, until = Output(process.stdout.fileno()), started + limit_s
    is_ended, running = False, list[str]()
    try:
        take(output.lines(until))
        is_ended = output.is_closed and has_ended(process.pid, until)
    finally:
        # Whatever went wrong, nothing stays.
        if not is_ended:
            running = processes.end(mark, process.pid)
    take(output.rest())
    process.stdout.close()
    _, status, used = os.wait4(process.pid, 0 if is_ended else os.WNOHANG)
    part.code = process.returncode = os.waitstatus_to_exitcode(status)
    # Ctrl-C reaches a part as well, which may end of it before this program has heard of it.
    part.is_stopped = bool(not is_ended or part.code) and bool(select.select([stop.pipe], [], [], 0.1)[0])
    if part.is_stopped or not is_ended:
        part.unended = "was stopped" if part.is_stopped else f"did not end within {limit_s:g} s"
        were = "; these were running:" if running else ""
        lines += [f"test-{name} {part.unended}{were}\n", *(f"  {said}\n" for said in running)]
    part.wall_s = time.monotonic() - started
    with printing:
        del began[name]
        if parallel and has_terminal():
            print(CLEAR, end="", file=sys.stderr, flush=True)
        print("".join(lines), end="")
        print(
            f"test-{name} took {part.wall_s:.0f} s; processor time {used.ru_utime:.0f} + {used.ru_stime:.0f} s",
            flush=True,
        )
    return part


def main(arguments: Sequence[str]) -> int:
    """Runs the parts; 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.run_tests", description="Runs parts of the tests.")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="parts at a time")
    parser.add_argument("--limit", type=float, default=LIMIT_S, metavar="S", help=f"seconds a part has ({LIMIT_S:g})")
    parser.add_argument("parts", nargs="+", metavar="PART")
    parser.add_argument("--slow", nargs="*", default=[], metavar="PART", help="parts that the table names as left out")
    asked = parser.parse_args(arguments)
    stop.listen()
    parallel = asked.jobs > 1
    ended = threading.Event()
    if parallel and has_terminal():
        threading.Thread(target=show_times, args=[ended], daemon=True).start()
    with ThreadPoolExecutor(max(asked.jobs, 1)) as pool:
        parts = list(pool.map(lambda name: run(name, parallel, asked.limit), asked.parts))
    ended.set()
    print(table([*parts, *(Part(name, is_left_out=True) for name in asked.slow)]))
    if stop.signal:
        return 128 + stop.signal
    return 1 if any(part.has_failed for part in parts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
