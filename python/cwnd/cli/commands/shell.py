# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd shell`: a command behind emulated links."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from cwnd import _native
from cwnd._internal import live_part
from cwnd._internal.messages import note, shows_progress
from cwnd._native import Scenario
from cwnd.cli.entry import fail
from cwnd.cli.keywords import given_values, keyword_options
from cwnd.cli.options import SnapLength, takes
from cwnd.cli.rate_file import rate_of
from cwnd.result.packets import capture_file, capturing, check_options
from cwnd.scenario.builders import built
from cwnd.scenario.keywords import DEFAULTS
from cwnd.scenario.netem import naming_rtt, say_netem, with_netem

#: Exit codes of a shell for a command that does not exist, and for one that cannot be run.
ABSENT, NO_PROGRAM = 127, 126
#: Signals that are the command's.
PASSED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# Those that a key of a terminal sends to every process of the group.
FROM_KEYS = (signal.SIGINT, signal.SIGQUIT)
WAIT_MS = 50
#: Longest wait for what the ended command has written, s: Linux's own for a closed connection (tcp_fin_timeout).
DELIVERY_S = 60.0
#: A wait that is longer than this, s, is announced on a terminal.
ANNOUNCED_S = 1.0
#: Longest wait for a server to listen, s.
SERVER_S = 5.0
# linux/prctl.h
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellOptions:
    """What `cwnd shell` is given."""

    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- COMMAND...", help="The command, with its arguments.", show_default="your shell, $SHELL"
        ),
    ] = None
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="In place of --rate: a trace or a series of rates for what the command sends, as in cwnd compare.",
        ),
    ] = None
    netem: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="The link for what the command sends, in tc netem or tc tbf syntax, as in cwnd compare; its rate, delay and limit also apply to what it receives.",
            show_default=False,
        ),
    ] = None
    trace_down: Annotated[
        Path | None,
        typer.Option(
            "--trace-down", metavar="FILE", help="A trace for what the command receives.", show_default="--trace"
        ),
    ] = None
    keywords: Mapping[str, object]
    server: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="A shell command to run at the other end; it ends when the first command ends.",
            show_default=False,
        ),
    ] = None
    pcap: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Capture what the command sends and receives, in pcapng.", show_default=False
        ),
    ] = None
    snap_length: SnapLength = None


@takes(ShellOptions, keyword_options("shell", required=["rate"]))
def command(options: ShellOptions) -> None:
    """Run a command behind emulated links, in its own network namespace.

    Without a command, your shell ($SHELL, or /bin/sh) runs there until it exits. What the command sends takes one link, what it receives another;
    both are the simulator's links, in real time. --rate, --rtt and --buffer apply to both; --loss, --jitter and --netem to what the command sends.
    The command reaches this machine at the address in $CWND_HOST. The exit code is the command's. Without root, the other end is not this machine but
    another namespace of the user, where only --server listens.

    Example: cwnd shell --rate 12Mbit/s --rtt 88ms --buffer 100packets -- sh -c 'curl http://$CWND_HOST:8000/'
    """
    check_options(options.pcap, options.snap_length)
    values = given_values(options.keywords)
    rate = rate_of(options.keywords["rate"], options.trace)
    settings, meanings = with_netem(options.netem, {**values, "rate": rate})
    rtt = values.get("rtt", DEFAULTS["rtt"])
    with naming_rtt(options.netem, rtt):
        scenario = links({**settings, "rtt": rtt, "snap_length": options.snap_length}, options.trace_down)
    say_netem(meanings)
    for remark in scenario.remarks:
        note(remark)
    if options.pcap is not None:
        scenario = capturing(scenario, "--pcap", options.pcap)
    raise typer.Exit(run(scenario, options.arguments or [users_shell()], options.server, options.pcap))


def users_shell() -> str:
    """The shell that the user has chosen, or the system's."""
    return os.environ.get("SHELL") or "/bin/sh"


def links(settings: Mapping[str, object], trace_down: Path | None) -> Scenario:
    """A link each way; the flow only says which is which. `settings` are those of the link of what the command sends."""
    if (rate := settings.get("rate")) is None:
        fail("--rate: missing; expected it (none: without a rate), --trace, or --netem")
    if trace_down is not None and not isinstance(rate, Mapping):
        fail(f'--trace-down: "{trace_down}" is not accepted without --trace; expected both')
    if not isinstance(settings.get("seed", 1), int):
        fail(f'--seed: "{settings["seed"]}" is not accepted; expected a whole number')
    down = {"trace": str(trace_down)} if trace_down is not None else rate
    # What limits the flow is the command's matter.
    return built("dumbbell", "reno@rwnd=1", {**settings, "reverse": {"rate": down}, "duration": "1s"})


def run(scenario: Scenario, arguments: Sequence[str], server: str | None = None, pcap: Path | None = None) -> int:
    """Runs the command behind the links; returns its exit code. `server` runs meanwhile; `pcap` is the file of the
    packets, where the scenario captures them.
    """
    live_part.required("cwnd shell")
    from cwnd.cli.user_namespace import enter

    enter()
    with nullcontext(None) if pcap is None else capture_file(pcap, private=True) as keep, serving(server):
        return behind(scenario, arguments, (lambda _: None) if keep is None else (lambda piece: keep("", piece)))


def behind(scenario: Scenario, arguments: Sequence[str], keep: Callable[[bytes], object]) -> int:
    """Runs the command behind the links; returns its exit code. `keep` gets the pieces of the file of captured packets."""
    try:
        shell = _native.Shell(scenario, list(arguments))
    except (FileNotFoundError, PermissionError) as error:
        if error.filename is None:
            raise
        print(f"cwnd: {error.filename}: {error.strerror}", file=sys.stderr)
        return ABSENT if isinstance(error, FileNotFoundError) else NO_PROGRAM
    code, signalled, ends_now = None, False, False

    def passed(number: int, _frame: FrameType | None) -> None:
        nonlocal signalled, ends_now
        signalled, ends_now = True, code is not None
        if not (ends_now or (number in FROM_KEYS and at_a_terminal())):
            shell.signal(number)

    def awaited(is_so: Callable[[int], bool], message: str) -> None:
        """Waits for what the ended command has left behind, until a signal ends the wait."""
        begin, announced = time.monotonic(), not shows_progress()
        while not (ends_now or is_so(WAIT_MS)) and (waited := time.monotonic() - begin) < DELIVERY_S:
            keep(shell.take_packets())
            if waited >= ANNOUNCED_S and not announced:
                print(f"cwnd: the command has ended; {message}; Ctrl-C stops the wait", file=sys.stderr)
                announced = True

    before = {number: signal.signal(number, passed) for number in PASSED}
    try:
        while (code := shell.wait(WAIT_MS)) is None:
            keep(shell.take_packets())
        # Who has interrupted the command wants nothing more to be sent.
        if not signalled:
            awaited(shell.wait_for_delivery, "its data is still being delivered")
        awaited(shell.drain, "packets are in transit")
        report = shell.finish()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if report is not None:
        keep(report["packets"])
        if shows_progress():
            print(
                f"cwnd: {report['packets_delivered']:,} packets delivered, {report['drops']:,} dropped; 99 % delivered at most "
                f"{report['late_p99_ms']:.2f} ms",
                file=sys.stderr,
            )
    return code


def at_a_terminal() -> bool:
    """Whether keys of a terminal reach this program, and so the command too: they are one process group."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False


@contextmanager
def serving(command: str | None) -> Iterator[None]:
    """Runs a command for the shell while the body runs; the body begins when something new listens, or after `SERVER_S`."""
    if command is None:
        yield
        return
    before = listening()
    # A session of its own: a key that ends the command does not end what it talks to before it.
    with subprocess.Popen(
        ["sh", "-c", command],
        preexec_fn=end_with_parent,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
    ) as server:
        try:
            until = time.monotonic() + SERVER_S
            while server.poll() is None and listening() <= before and time.monotonic() < until:
                time.sleep(0.005)
            yield
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)


def end_with_parent() -> None:
    """The process ends with the thread that has started it, whatever ends that."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def listening() -> set[str]:
    """Sockets of this network namespace that wait for connections or datagrams, by their numbers."""
    found = set()
    for name, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        with suppress(OSError):
            rows = [line.split() for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
            found |= {f"{name} {row[9]}" for row in rows if row[3] == state}
    return found
