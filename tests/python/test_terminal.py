# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables fit the terminal, and every number is printed whole."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import termios
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import PROGRAM, SHORT, Cli
from rich.console import Console
from test_results import LOT

import cwnd as package
from cwnd import _native, report
from cwnd.replicates import report as replicated
from cwnd.terminal import Grid, Page

WIDTHS = (40, 60, 80, 120)
# What stands between blanks, with a digit in it: `1,234`, `0.83`, `[1.0`, `100.00%`.
NUMBER = re.compile(r"[^\s;:]*\d[^\s;:]*")


def printed(print_: Callable[[Page], None], width: int) -> str:
    file = io.StringIO()
    print_(Page(Console(width=width, file=file, highlight=False, markup=False, color_system=None)))
    return file.getvalue()


def cut(text: str, whole: str) -> Counter[str]:
    """The numbers of `whole` that `text` lacks."""
    return Counter(NUMBER.findall(whole)) - Counter(NUMBER.findall(text))


@pytest.fixture(scope="module")
def lot() -> package.Result:
    return package.run(package.Scenario.from_toml(LOT))


def of_a_run(summary: dict[str, Any]) -> list[str]:
    """Every number of a summary that the tables show, in the digits that they show."""
    found = []
    for flow in summary["flows"]:
        found += [f"{flow['throughput_mbps']:.2f}", f"{flow['goodput_mbps']:.2f}", f"{flow['share']:.1%}"]
        found += [f"{flow['cwnd_mean']:.1f}", f"{flow['rtt_ms']:.0f}", str(flow["retransmits"]), str(flow["timeouts"])]
    for link in summary["links"]:
        found += [f"{link['capacity_mbps']:.2f}", f"{link['utilization']:.1%}"]
        found += [f"{link[f'queue_{name}_ms']:.1f}" for name in ("mean", "p50", "p95", "p99", "max")]
        found += [str(link["drops_queue"]), str(link["drops_loss"])]
    for one in summary["traffic"]:
        found += [f"{one['offered_mbps']:.2f}", f"{one['carried_mbps']:.2f}"]
        found += [str(one[name]) for name in ("transfers", "finished", "datagrams")]
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_every_number_of_a_run_is_whole_at_any_width(lot: package.Result, width: int) -> None:
    text = printed(lambda page: report.table(lot.summary, page), width)
    assert "…" not in text and "..." not in text
    assert max(map(len, text.splitlines())) <= width, text
    found = Counter(NUMBER.findall(text))
    for number, times in Counter(of_a_run(lot.summary)).items():
        assert found[number] >= times, f"{number} stands {found[number]} times, not {times}:\n{text}"
    assert not cut(text, printed(lambda page: report.table(lot.summary, page), 400))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("of", ["lot", "groups"])
def test_every_number_of_replicates_is_whole_at_any_width(lot: package.Result, of: str, width: int) -> None:
    flows = [
        package.Flow("cubic", 2, beta=beta, slow_start=how) for beta, how in ((0.7, "standard"), (0.85, "hystart++"))
    ]
    scenario = package.dumbbell(flows, rate="20Mbit/s", rtt="20ms", duration="5s") if of == "groups" else lot.scenario
    document = package.replicate(scenario, 3, 2).document
    assert document is not None

    def show(page: Page) -> None:
        replicated.table(document, page)

    text = printed(show, width)
    assert "…" not in text
    # Reasons are sentences, which the terminal breaks.
    assert max(len(line) for line in text.splitlines() if not line.startswith("*")) <= width, text
    assert not cut(text, printed(show, 400))
    for group in document["groups"]:
        one = group["throughput_mbps"]
        digits = replicated.said(one, 1, 2).split()
        assert digits[0] in text.split() and digits[-1] in text.split()


def test_a_table_too_wide_is_folded_and_one_much_too_wide_becomes_lists() -> None:
    def shown(width: int) -> list[str]:
        grid = Grid(
            "flow", ["Mbit/s", "share", "cwnd"], [("cubic 1", ["12.34", "50.0%", "99.5"]), ("sack", ["1.00", "-", "7"])]
        )
        return [line.rstrip() for line in printed(lambda page: page.print(grid), width).splitlines() if line.strip()]

    assert shown(34) == [
        " flow       Mbit/s   share   cwnd",
        " ────────────────────────────────",
        " cubic 1     12.34   50.0%   99.5",
        " sack         1.00       -      7",
    ]
    assert shown(33) == [
        " flow       Mbit/s   share",
        " ─────────────────────────",
        " cubic 1     12.34   50.0%",
        " sack         1.00       -",
        " flow       cwnd",
        " ───────────────",
        " cubic 1    99.5",
        " sack          7",
    ]
    assert shown(20) == [
        "cubic 1",
        "  Mbit/s  12.34",
        "  share   50.0%",
        "  cwnd     99.5",
        "sack",
        "  Mbit/s   1.00",
        "  share       -",
        "  cwnd        7",
    ]


@pytest.mark.skipif(not hasattr(_native, "KernelModule"), reason="this build has no kernel part")
@pytest.mark.parametrize("width", WIDTHS)
def test_the_view_of_a_kernel_trace_and_the_verdicts_are_whole_too(width: int) -> None:
    from cwnd.experiments.command import table
    from cwnd.kernel import view

    one = SimpleNamespace(
        number=3, local_port=54321, remote_port=443, algorithm="cwnd_cubic", cwnd=1234567, ssthresh=None, srtt_ms=123.4
    )
    more = {"in_flight": 7654321, "calls": 9, "is_over": False, "inner": [("w_max", 123456789), ("k_s_x1024", 5)]}
    over = {"in_flight": 2, "calls": 3, "is_over": True, "inner": []}
    of = [
        SimpleNamespace(**{**vars(one), **more}),
        SimpleNamespace(**{**vars(one), **over, "number": 4, "ssthresh": 10}),
    ]
    file = io.StringIO()
    Console(width=width, file=file, color_system=None).print(view.grid(of, "cubic"))  # type: ignore[arg-type]
    shown = file.getvalue()
    assert "…" not in shown and max(map(len, shown.splitlines())) <= width, shown
    for number in ("54321 > 443", "1,234,567", "123.4", "7,654,321", "123,456,789", "k_s_x1024 5"):
        assert number in shown, shown

    claims = [{"holds": True}, {"holds": False}, {"holds": None}]
    entry = {"id": "ha2008/fig10a", "verdict": "partly", "claims": claims, "cubic": "cubic-2.2"}
    made = [{**entry, "second": {"verdict": "holds", "cubic": "cubic-linux"}}]
    shown = printed(lambda page: table(made, {"ha2008/fig10a": 1234.56}, page), width)
    assert "…" not in shown and max(map(len, shown.splitlines())) <= width, shown
    assert "1 of 2" in shown and "1234.6" in shown and "holds (cubic-linux)" in shown, shown


def on_a_terminal(columns: int, *arguments: object) -> str:
    """What the program prints on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    environment |= {"TERM": "xterm", "NO_COLOR": "1"}
    child = subprocess.Popen(
        [str(PROGRAM), *map(str, arguments)], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=environment
    )
    os.close(theirs)
    found = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the program has ended
            break
        found += piece
        if not piece:
            break
    os.close(ours)
    assert child.wait() == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", found.decode()).replace("\r", "")


@pytest.mark.parametrize("columns", [40, 80])
def test_on_a_terminal_of_40_or_80_columns_no_number_is_cut(cwnd: Cli, columns: int) -> None:
    document = json.loads(cwnd(*SHORT, "--json").stdout)
    text = on_a_terminal(columns, *SHORT)
    assert "…" not in text and max(map(len, text.splitlines())) <= columns
    found = Counter(NUMBER.findall(text))
    for flow in document["flows"]:
        for number in (f"{flow['throughput_mbps']:.2f}", f"{flow['goodput_mbps']:.2f}", f"{flow['cwnd_mean']:.1f}"):
            assert found[number] >= 1, text
    many = on_a_terminal(columns, *SHORT, "--seeds", 3)
    # A pipe is 100 columns wide: the same numbers.
    assert "…" not in many and not cut(many, cwnd(*SHORT, "--seeds", 3).stdout)


def test_where_there_is_ascii_only_signs_and_greek_letters_are_spelled(cwnd: Cli) -> None:
    arguments = ("compare", "cubic:2@beta=0.7", "cubic:2@beta=0.85", *SHORT[3:], "--seeds", 2)
    for changed in ({"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX"}):
        done = cwnd(*arguments, env={**os.environ, **changed})
        assert (done.returncode, done.stderr) == (0, ""), changed
        assert done.stdout.isascii() and "cubic beta=0.7" in done.stdout and "+-" in done.stdout, changed
        # Spelled before the columns are laid out: every row of a table is as long as its rule.
        lines = done.stdout.splitlines()
        for place, line in enumerate(lines):
            if line.strip().startswith("---"):
                assert len(lines[place - 1]) == len(line) == len(lines[place + 1]), line
    shown = cwnd("show", "cubic", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert shown.returncode == 0 and shown.stdout.isascii()
    document = cwnd(*arguments[:-2], "--json", env={**os.environ, "LC_ALL": "C"})
    assert json.loads(document.stdout)["flows"][0]["label"] == "cubic β=0.7"
