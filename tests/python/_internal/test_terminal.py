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
from needs import needs
from rich.console import Console
from test_results import LOT

import cwnd as package
from cwnd import _native
from cwnd._internal.terminal import Grid, Printer, in_ascii
from cwnd.replicates import report as replicated
from cwnd.result import report

WIDTHS = (40, 60, 80, 120)
# What stands between blanks, with a digit in it: `1,234`, `0.83`, `[1.0`, `100.00%`.
NUMBER = re.compile(r"[^\s;:]*\d[^\s;:]*")


def printed(print_: Callable[[Printer], None], width: int) -> str:
    file = io.StringIO()
    print_(Printer(Console(width=width, file=file, highlight=False, markup=False, color_system=None)))
    return file.getvalue()


def cut(text: str, whole: str) -> Counter[str]:
    """The numbers of `whole` that `text` lacks."""
    return Counter(NUMBER.findall(whole)) - Counter(NUMBER.findall(text))


@pytest.fixture(scope="module")
def lot() -> package.Result:
    return package.run(package.Scenario.from_toml(LOT))


def of_a_run(summary: dict[str, Any]) -> list[str]:
    """Every number of a summary that the tables show, in the digits that they show."""
    numbers = []
    for flow in summary["flows"]:
        numbers += [f"{flow['throughput_mbps']:.2f}", f"{flow['goodput_mbps']:.2f}", f"{flow['share']:.1%}"]
        numbers += [
            f"{flow['cwnd_mean']:.1f}",
            f"{flow['rtt_ms']:.1f}",
            str(flow["retransmits"]),
            str(flow["timeouts"]),
        ]
    for link in summary["links"]:
        numbers += [f"{link['capacity_mbps']:.2f}", f"{link['utilization']:.1%}"]
        numbers += [f"{link[f'queue_{name}_ms']:.1f}" for name in ("mean", "p50", "p95", "p99", "max")]
        numbers += [str(link["drops_queue"]), str(link["drops_loss"])]
    for group in summary["traffic"]:
        numbers += [f"{group['offered_mbps']:.2f}", f"{group['carried_mbps']:.2f}"]
        numbers += [str(group[name]) for name in ("transfers", "finished", "datagrams")]
    return numbers


@pytest.mark.parametrize("width", WIDTHS)
def test_every_number_of_a_run_is_whole_at_any_width(lot: package.Result, width: int) -> None:
    text = printed(lambda printer: report.table(lot.summary, printer), width)
    assert "…" not in text and "..." not in text
    assert max(map(len, text.splitlines())) <= width, text
    numbers = Counter(NUMBER.findall(text))
    for number, times in Counter(of_a_run(lot.summary)).items():
        assert numbers[number] >= times, f"{number} stands {numbers[number]} times, not {times}:\n{text}"
    assert not cut(text, printed(lambda printer: report.table(lot.summary, printer), 400))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("of", ["lot", "groups"])
def test_every_number_of_replicates_is_whole_at_any_width(lot: package.Result, of: str, width: int) -> None:
    flows = [
        package.Flow("cubic", 2, beta=beta, slow_start=how, start={"uniform": ["0s", "100ms"]})
        for beta, how in ((0.7, "standard"), (0.85, "hystart++"))
    ]
    scenario = package.dumbbell(flows, rate="20Mbit/s", rtt="20ms", duration="5s") if of == "groups" else lot.scenario
    document = package.replicate(scenario, 3, 2).document
    assert document is not None

    def show(printer: Printer) -> None:
        replicated.table(document, printer)

    text = printed(show, width)
    assert "…" not in text
    # Reasons are sentences, which the terminal breaks.
    assert max(len(line) for line in text.splitlines() if not line.startswith("*")) <= width, text
    assert not cut(text, printed(show, 400))
    for group in document["groups"]:
        digits = replicated.formatted(group["throughput_mbps"], 1, 2).split()
        assert digits[0] in text.split() and digits[-1] in text.split()


def test_a_table_too_wide_is_folded_and_one_much_too_wide_becomes_lists() -> None:
    def shown(width: int) -> list[str]:
        grid = Grid(
            "flow", ["Mbit/s", "share", "cwnd"], [("cubic 1", ["12.34", "50.0%", "99.5"]), ("sack", ["1.00", "-", "7"])]
        )
        return [
            line.rstrip() for line in printed(lambda printer: printer.print(grid), width).splitlines() if line.strip()
        ]

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


def test_a_cell_wider_than_the_terminal_goes_on_below() -> None:
    change = "+27.31% (+20.12% to +34.63%, 51 reached by neither)"
    grid = Grid("", ["A", "B", "change (95 %)"], [("throughput_mbps", ["10.81", "10.42", change])])
    text = printed(lambda printer: printer.print(grid), 40)
    assert not cut(text, f"10.81 10.42 {change}") and all(len(line) <= 40 for line in text.splitlines()), text


@pytest.mark.parametrize("width", WIDTHS)
def test_the_view_of_a_kernel_trace_and_the_verdicts_are_whole_too(width: int) -> None:
    from cwnd.cli.commands.reproduce import table
    from cwnd.kernel import view

    connection = SimpleNamespace(
        number=3, local_port=54321, remote_port=443, algorithm="cwnd_cubic", cwnd=1234567, ssthresh=None, srtt_ms=123.4
    )
    more = {"in_flight": 7654321, "calls": 9, "is_over": False, "inner": [("w_max", 123456789), ("k_s_x1024", 5)]}
    over = {"in_flight": 2, "calls": 3, "is_over": True, "inner": []}
    of = [
        SimpleNamespace(**{**vars(connection), **more}),
        SimpleNamespace(**{**vars(connection), **over, "number": 4, "ssthresh": 10}),
    ]
    file = io.StringIO()
    Console(width=width, file=file, color_system=None).print(view.grid(of, "cubic"))  # type: ignore[arg-type]
    shown = file.getvalue()
    assert "…" not in shown and max(map(len, shown.splitlines())) <= width, shown
    for number in ("54321 > 443", "1,234,567", "123.4", "7,654,321", "123,456,789", "k_s_x1024 5"):
        assert number in shown, shown

    claims = [{"holds": True}, {"holds": False}, {"holds": None}]
    entry = {"id": "ha2008/fig10a", "verdict": "partly", "claims": claims, "cubic": "cubic-2.2"}
    entries = [{**entry, "second": {"verdict": "holds", "cubic": "cubic-linux"}}]
    shown = printed(lambda printer: table(entries, {"ha2008/fig10a": 1234.56}, printer), width)
    assert "…" not in shown and max(map(len, shown.splitlines())) <= width, shown
    assert "1 of 2" in shown and "1234.6" in shown and "holds (cubic-linux)" in shown, shown


def on_a_terminal(columns: int, *arguments: object) -> str:
    """What the program prints on a terminal of so many columns."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    environment |= {"TERM": "xterm", "NO_COLOR": "1"}
    child = subprocess.Popen(
        [str(PROGRAM), *map(str, arguments)],
        stdin=terminal,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    os.close(terminal)
    output = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the program has ended
            break
        output += piece
        if not piece:
            break
    os.close(master)
    assert child.wait() == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output.decode()).replace("\r", "")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 80])
def test_on_a_terminal_of_40_or_80_columns_no_number_is_cut(cwnd: Cli, columns: int) -> None:
    document = json.loads(cwnd(*SHORT, "--json").stdout)
    text = on_a_terminal(columns, *SHORT)
    assert "…" not in text and max(map(len, text.splitlines())) <= columns
    numbers = Counter(NUMBER.findall(text))
    for flow in document["flows"]:
        for number in (f"{flow['throughput_mbps']:.2f}", f"{flow['goodput_mbps']:.2f}", f"{flow['cwnd_mean']:.1f}"):
            assert numbers[number] >= 1, text
    many = on_a_terminal(columns, *SHORT, "--seeds", 3)
    # A pipe is 100 columns wide: the same numbers.
    assert "…" not in many and not cut(many, cwnd(*SHORT, "--seeds", 3).stdout)


LISTS = [
    ("algorithms",),
    ("show", "cubic"),
    ("show", "illinois"),
    ("show", "hystart++"),
    ("reproduce", "--list"),
    ("reproduce", "rhee2005", "--list"),
    pytest.param(("kernel", "list"), marks=needs("kernel")),
]


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("arguments", LISTS, ids=" ".join)
def test_a_list_breaks_between_words_and_says_what_a_pipe_gets(
    cwnd: Cli, turn: None, columns: int, arguments: tuple[str, ...]
) -> None:
    text = on_a_terminal(columns, *arguments)
    assert max(map(len, text.splitlines())) <= columns, text
    assert text.split() == cwnd(*arguments).stdout.split()


def test_an_entry_of_a_list_stands_beside_its_name_or_below_it() -> None:
    def shown(width: int) -> list[str]:
        return printed(
            lambda printer: printer.entry("sack", "one increase per acknowledgement", column=8), width
        ).splitlines()

    assert shown(40) == ["  sack  one increase per acknowledgement"]
    assert shown(39) == ["  sack  one increase per", "        acknowledgement"]
    assert shown(37) == ["  sack", "    one increase per acknowledgement"]


def test_the_list_of_what_is_loaded_into_the_kernel_is_whole_at_any_width() -> None:
    from cwnd.kernel import listing

    module = {
        "name": "cwnd_cubic",
        "set": "cubic-2.6.18-unfixed",
        "connections": 12345,
        "repaired": 7,
        "unguarded": None,
    }
    module |= {"registered": True, "pinned": "/sys/fs/bpf/cwnd/cubic", "pid": 4194304, "running": True}
    loaded = {
        "loaded": [module],
        "kernel": {"available": ["reno", "cubic"], "default": "cubic"},
        "available": [{"algorithm": "reno", "sets": [{"name": "reno"}, {"name": "reno-linux"}]}],
    }
    for width in WIDTHS:
        text = printed(lambda printer: listing.show(loaded, printer), width)
        assert max(map(len, text.splitlines())) <= width, text
        for part in ["cwnd_cubic", "cubic-2.6.18-unfixed", "12345", "4194304,", "pinned", "reno-linux", "default)"]:
            assert part in text.split(), text


@pytest.mark.slow
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
    assert json.loads(document.stdout)["flows"][0]["label"] == "cubic beta=0.7"


def test_every_sign_of_a_formula_or_a_unit_has_a_spelling_in_ascii() -> None:
    texts = json.dumps([_native.algorithms(), _native.slow_starts()], ensure_ascii=False)
    assert not texts.isascii()
    assert in_ascii(texts).count("?") == texts.count("?"), sorted({sign for sign in texts if in_ascii(sign) == "?"})


# 5 kbit/s for 80 s carry 26 packets of 1500 bytes: 0.0039 Mbit/s, which two decimals would print as 0.00.
def test_a_rate_too_small_for_two_decimals_is_printed_with_two_digits(cwnd: Cli) -> None:
    done = cwnd("compare", "cubic@recovery=sack-prr", "--rate", "5kbit/s", "--rtt", "100ms", "--duration", "100s")
    row = next(line for line in done.stdout.splitlines() if line.startswith(" cubic "))
    assert row.split()[2:4] == ["0.0039", "0.0038"] and "\n0.005 Mbit/s" in done.stdout


# 0.2, 1.5, 40 and 162.8 ms: three significant digits each, and all digits of a larger whole part.
@pytest.mark.parametrize(
    ("rtt", "shown"),
    [
        ("200us", "0.200"),
        ("1.5ms", "1.50"),
        ("40ms", "40.0"),
        ("162.8ms", "163"),
        ("9.996ms", "10.0"),
        ("1234ms", "1234"),
    ],
)
def test_a_round_trip_time_has_three_significant_digits(cwnd: Cli, rtt: str, shown: str) -> None:
    done = cwnd("compare", "cubic", "--rate", "1Mbit/s", "--rtt", rtt, "--duration", "1s")
    row = next(line for line in done.stdout.splitlines() if line.startswith(" cubic "))
    assert row.split()[1] == shown
