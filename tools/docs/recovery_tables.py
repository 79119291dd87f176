# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures the tables of docs/explanation/recovery-linux.md that compare recoveries with Linux, and writes them there.

    python -m tools.docs.recovery_tables        # needs a kernel: cwnd linux build 6.12

Half a minute on two processors.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cwnd
from cwnd.fidelity.scenarios import clock_phase_us, ticks, with_hosts

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "recovery-linux.md"
LANE = "linux:6.12"
NAMES = {"cubic-linux": "CUBIC", "reno-linux": "Reno"}
LATE = "reorder = {{ share = {}, extra = '{}ms' }}"
LOSS = "loss = 'random:{}'"
#: Rows of the first table: parameter set, what happens to packets, the link's key for that.
ROWS = (
    ("cubic-linux", "1 % of packets 5 ms late", LATE.format(0.01, 5)),
    ("cubic-linux", "5 % of packets 10 ms late", LATE.format(0.05, 10)),
    ("reno-linux", "1 % of packets 5 ms late", LATE.format(0.01, 5)),
    ("reno-linux", "5 % of packets 10 ms late", LATE.format(0.05, 10)),
    ("reno-linux", "2 % random loss", LOSS.format(0.02)),
    ("reno-linux", "5 % random loss", LOSS.format(0.05)),
    ("reno-linux", "10 % random loss", LOSS.format(0.1)),
    ("reno-linux", "20 % random loss", LOSS.format(0.2)),
)
LOSSES = (2, 5, 10, 20)


@dataclass(frozen=True)
class Outcome:
    """What a flow did: goodput in Mbit/s, and timeouts."""

    goodput: float
    timeouts: int


@dataclass(frozen=True)
class Task:
    """A run of one flow."""

    cc: str
    path: str
    recovery: str
    seed: int
    seconds: int
    lane: str

    def run(self) -> Outcome:
        """Runs it, with hosts that both lanes can have."""
        scenario = cwnd.Scenario.from_toml(
            f"duration = '{self.seconds}s'\nseed = {self.seed}\n"
            f"[link]\nrate = '20Mbit/s'\nrtt = '40ms'\nqueue = {{ kind = 'droptail', limit = '1bdp' }}\n{self.path}\n"
            f"[[flow]]\ncc = '{self.cc}'\nrecovery = '{self.recovery}'\n"
        )
        hosts = with_hosts(scenario, ticks(LANE), phase_us=clock_phase_us(self.seed))
        (flow,) = cwnd.run(hosts, lane=self.lane).summary["flows"]
        return Outcome(flow["goodput_mbps"], flow["timeouts"])


def goodputs(outcomes: Iterable[Outcome]) -> str:
    """Goodputs, and timeouts if there are any."""
    return ", ".join(
        (f"{each.goodput:.1f}" if each.goodput >= 3 else f"{each.goodput:.2f}")
        + (f" ({each.timeouts})" if each.timeouts else "")
        for each in outcomes
    )


def first_table(run: dict[Task, Outcome]) -> list[str]:
    """Goodput with seeds 1 and 2."""
    lines = [f"| | `sack-prr` | `linux` | {release()} |", "| --- | --- | --- | --- |"]
    for cc, name, path in ROWS:
        cells = [goodputs(run[task] for task in row) for row in first_tasks(cc, path)]
        lines.append(f"| {NAMES[cc]}, {name} | {' | '.join(cells)} |")
    return lines


def first_tasks(cc: str, path: str) -> list[list[Task]]:
    """The runs of one row, cell by cell."""
    columns = (("sack-prr", "sim"), ("linux", "sim"), ("linux", LANE))
    return [[Task(cc, path, recovery, seed, 20, lane) for seed in (1, 2)] for recovery, lane in columns]


def second_table(run: dict[Task, Outcome]) -> list[str]:
    """Timeouts over six seeds, and the mean goodput."""
    lines = [f"| | {' | '.join(f'{loss} %' for loss in LOSSES)} |", f"| --- {'| --- ' * len(LOSSES)}|"]
    for cc in ("reno-linux", "cubic-linux"):
        cells = []
        for loss in LOSSES:
            lanes = [[run[task] for task in lane] for lane in second_tasks(cc, loss)]
            timeouts = ", ".join(str(sum(each.timeouts for each in lane)) for lane in lanes)
            means = ", ".join(f"{sum(each.goodput for each in lane) / len(lane):.3f}" for lane in lanes)
            cells.append(f"{timeouts} ({means})")
        lines.append(f"| {NAMES[cc]} | {' | '.join(cells)} |")
    return lines


def second_tasks(cc: str, loss: int) -> list[list[Task]]:
    """The runs of one cell, lane by lane."""
    return [
        [Task(cc, LOSS.format(loss / 100), "linux", seed, 60, lane) for seed in range(1, 7)] for lane in ("sim", LANE)
    ]


def release() -> str:
    """Linux, with its version."""
    return f"Linux {LANE.removeprefix('linux:')}"


def put(text: str, name: str, lines: list[str]) -> str:
    """The page with this table between the marks of its name."""
    begin, end = f"<!-- {name}: written by tools/docs/recovery_tables.py -->\n", f"<!-- end of {name} -->"
    before, _, rest = text.partition(begin)
    _, mark, after = rest.partition(end)
    if not mark:
        raise SystemExit(f"{PAGE.name}: no table is marked as {name}")
    return before + begin + "\n".join(lines) + "\n" + mark + after


def main() -> None:
    """Measures, and writes the page."""
    tasks = [task for cc, _, path in ROWS for cell in first_tasks(cc, path) for task in cell]
    tasks += [task for cc in NAMES for loss in LOSSES for lane in second_tasks(cc, loss) for task in lane]
    with ThreadPoolExecutor(2) as pool:
        outcomes = {}
        for number, (task, outcome) in enumerate(zip(tasks, pool.map(Task.run, tasks), strict=True), 1):
            outcomes[task] = outcome
            print(f"\r{number} of {len(tasks)} runs", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    text = PAGE.read_text(encoding="utf-8")
    day = (
        f"Measured on {datetime.date.today().isoformat()} by `python -m tools.docs.recovery_tables`, with {release()}."
    )
    for name, lines in (
        ("day", [day]),
        ("goodput table", first_table(outcomes)),
        ("timeouts table", second_table(outcomes)),
    ):
        text = put(text, name, lines)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
