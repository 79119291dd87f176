# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes docs/results/log/live-points.md from folders of `cwnd reproduce --lane live -o DIR`: python -m tools.docs.live_points DIR...

On the machine that has measured them: the page names its kernel.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq

from cwnd.replicates.api import processors
from cwnd.replicates.folder import read
from cwnd.reproduce import Point, Setup
from cwnd.reproduce.discover import experiments
from cwnd.reproduce.experiment import AnyExperiment
from cwnd.reproduce.live import means_of, scenario_in_lane
from cwnd.reproduce.numbers import JsonObject, to_json
from cwnd.reproduce.run_folder import Entry, RunFolder
from cwnd.result.result import run
from cwnd.result.store import MANIFEST
from cwnd.scenario.builders import from_document
from cwnd.scenario.snapshot import scenario_document
from tools import DOCS

PAGE = DOCS / "results" / "log" / "live-points.md"
#: Linux's number differs when it is off by more than this part of the simulator's mean, and outside what the simulator's seeds gave.
OFF = 0.1
#: Seeds of the simulator with Linux's recovery.
SEEDS = range(1, 33)
#: Keys of a flow that the kernel has its own of.
KERNELS = ("host_clock", "min_rto")
#: A flow as Linux sends.
LINUX = {"recovery": "linux"}
HEAD = """# Points of the papers with Linux's TCP

Written by `python -m tools.docs.live_points DIR...` from the results of [`cwnd reproduce --lane live`](../../guide/reproduce.md#with-the-kernels-own-tcp).

Each point of a paper's experiment ran once on [lane live](../../guide/live.md), under the first seed (column *Linux*).
The running kernel ran the same algorithm through the same emulated links, with its own recovery, timers and ACKs.
Where the paper's flows have no random time, each packet waited up to 10 µs at random ([why](../../guide/live.md#simultaneous-packets-and-phase-effects)).
Two columns show the simulator:

* *simulator* has the recovery of the paper's TCP, which the claims are judged by: the mean, and in brackets the minimum and maximum of its seeds.
* *with Linux's recovery* runs the point as lane live does, with `recovery = "linux"` (seeds 1 to 32).

Linux's number differs if it is off by more than 10 % of the simulator's mean and outside the range of the simulator's seeds.
A number from the same distribution falls outside the range of 32 others in two cases of 33.

* *Italics*: the number differs from the paper's TCP, but not from the simulator with Linux's recovery.
  What that column changes accounts for the difference: recovery, ACKs and timers.
  For `freebsd/table` it also changes the clock and the time scale, and for `leith2007/fig12` at 250 Mbit/s the duration.
* **Bold**: the number differs from the simulator with Linux's recovery.
"""
#: How the runs went.
MEASURED = """
The machine had two processors, and other work ran at the same time.
The 35 labs of `leith2007/fig14` ran simultaneously (20 minutes), the rest as the command schedules them.
The machine kept up with every run below: at the first try up to 100 Mbit/s, within three tries above 100 Mbit/s.
The column *simulator* has a different duration at `leith2007/fig12`, 250 Mbit/s (8 numbers, 8 of which differ), and a different time scale at `freebsd/table` (36, 29 of which differ).
Of the other 154 numbers, 15 differ from the simulator's with the paper's TCP.
Two of the ten points of `leith2007/fig12` at 250 Mbit/s, 200 s each, have no run: in one of them the virtual machine was stopped for 60 s in total.
At 10 Mbit/s and 10 ms the loss table of `freebsd` gave no run in 15 minutes.
In a separate run of 20 s, one application action in a hundred was 0.5 ms late, which is the limit.
With time stretched 400-fold the table ran.
"""
#: What was found about an experiment's differences.
WHY: dict[str, str] = {
    "leith2007/fig12": """At 250 Mbit/s the column *simulator* shows runs of 500 s, measured from 100 s on.
The other two columns show runs of 200 s, measured in their second half.
The duration causes the difference: under seed 1 the simulator with the paper's TCP has 0.95 and 1.65 at 16 and 162 ms with CUBIC over 500 s, and 2.26 and 3.79 over 200 s.
Without the 10 µs, the 162 ms flow, whose packets come first, had more with Linux at 40, 80 and 120 ms (CUBIC 2.3, 2.45 and 1.64, SACK 1.1, 1.2 and 1.45).
At 120 ms, packets of both flows reach the full queue at the same instant, and those of the flow with the longer path were always first.
In the simulator, 0.1 µs more or less for the second flow gives a ratio of 1.8 or 2.1 for CUBIC, and of 1.6 or 1.5 for SACK, against 0.9 without.""",
    "leith2007/fig14": """At 16 and 40 ms windows are 2 to 5 packets, and the flows stay in step.
For `exact, 16 ms` the simulator has 0.41 with up to 10 µs at random before each packet, 0.43 with 100 µs, and 0.49 with 1 ms.
For `no spare ACKs` at 40 and 80 ms it stays at 0.44 and 0.37 with 3 ms.
One of its flows keeps windows of 6 to 9 packets and the other of 4 to 7, while Linux's flows change places.
The cause was not found.""",
    "freebsd/table": """With time stretched, the kernel's clock is fine compared with a round trip.
The rows of `tick` therefore say nothing about a clock of 100 or 1000 Hz in a LAN.
They show one run, and can be compared only with the column *with Linux's recovery*, which is stretched as well.
At the document's 0.1 ms and 1 % of loss, the simulator with a clock of 100 Hz has 49 Mbit/s with the paper's recovery and 84 with Linux's (seed 1).
Recovery alone does not undo the collapse.""",
}


def seeds_of(folder: Path, entry: Entry) -> dict[tuple[str, str], list[float]]:
    """The simulator's numbers by point and name, one per seed."""
    rows = pq.read_table(folder / entry["id"] / "data.parquet").to_pylist()
    numbers: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["cubic"] == (entry["cubic"] or row["cubic"]) and row["index"] is None and row["value"] is not None:
            numbers.setdefault((row["point"], row["name"]), []).append(row["value"])
    return numbers


def with_linux(experiment: AnyExperiment, point: Point) -> dict[str, list[float]]:
    """Numbers of a point as lane live runs it, simulated with Linux's recovery: one per seed."""
    document = scenario_document(scenario_in_lane(experiment, point))
    flows = document["flow"]
    assert isinstance(flows, list)
    document["flow"] = [
        {**{key: value for key, value in flow.items() if key not in KERNELS}, **LINUX} for flow in flows
    ]

    def reduced(seed: int) -> JsonObject:
        return to_json(experiment.reduce(run(from_document(document).with_seed(seed)), point), point.key)

    with ThreadPoolExecutor(processors()) as pool:
        runs = list(pool.map(reduced, SEEDS))
    return {name: [float(each[name]) for each in runs] for name in means_of(runs)}  # type: ignore[arg-type]


def differs(simulated: list[float], live: float) -> bool:
    """Whether Linux's number is another than the simulator's."""
    mean = sum(simulated) / len(simulated)
    return abs(live - mean) > OFF * abs(mean) and not min(simulated) <= live <= max(simulated)


def short(number: float) -> str:
    """Three digits, or a whole number."""
    return f"{number:.0f}" if abs(number) >= 999.5 else f"{number:.3g}"


def shown(values: list[float]) -> str:
    """Mean, least and most."""
    spread = f" ({short(min(values))} to {short(max(values))})" if len(values) > 1 else ""
    return f"{short(sum(values) / len(values))}{spread}"


def table(folder: Path, entry: Entry) -> tuple[list[str], Counter[str]]:
    """The rows of an experiment, one per number; how many differ from which simulation."""
    experiment = experiments()[entry["id"]]
    points = {point.key: point for point in experiment.points(Setup(entry["cubic"] or "cubic", entry["full"]))}
    seeds = seeds_of(folder, entry)
    lines = ["| point | number | simulator | with Linux's recovery | Linux |", "| --- | --- | --- | --- | --- |"]
    count: Counter[str] = Counter()
    for row in entry["live"]:
        linux = with_linux(experiment, points[row["point"]]) if row["numbers"] else {}
        for number in row["numbers"]:
            name, live = number["name"], number["live"]
            of_paper, of_linux = differs(seeds[row["point"], name], live), differs(linux[name], live)
            mark = "**" if of_linux else "*" if of_paper else ""
            count.update(numbers=1, paper=of_paper, linux=of_linux)
            cells = (
                row["point"],
                name,
                shown(seeds[row["point"], name]),
                shown(linux[name]),
                f"{mark}{short(live)}{mark}",
            )
            lines.append(f"| {' | '.join(cells)} |")
    return lines, count


def section(folder: Path, entry: Entry) -> tuple[str, Counter[str]]:
    """What the page has about an experiment, and its counts."""
    lines, count = table(folder, entry)
    ran = sum(bool(point["numbers"]) for point in entry["live"])
    text = f"\n## {entry['id']}\n\n{entry['title']}. {ran} of {len(entry['live'])} points.\n"
    if ran:
        text += f"Of {count['numbers']} numbers, {count['paper']} differ from the simulator's, and {count['linux']} from those with Linux's recovery.\n"
    if note := experiments()[entry["id"]].live_note:
        text += f"In lane live {note}.\n"
    for reason, number in Counter(point["not_run"] for point in entry["live"] if "not_run" in point).items():
        text += f"Not run, {number} of {len(entry['live'])}: {reason}.\n"
    if why := WHY.get(entry["id"]):
        text += f"{why}\n"
    elif count["linux"]:
        text += "The cause was not investigated.\n"
    return text + ("\n" + "\n".join(lines) + "\n" if ran else ""), count


def page(folders: list[Path]) -> str:
    """The page."""
    known = {entry["id"]: (folder, entry) for folder in folders for entry in RunFolder(folder).entries()}
    # A run that was stopped has no date; others of the page do.
    days = sorted({str(day)[:10] for folder in folders if (day := read(folder / MANIFEST).get("finished"))})
    sections, total = "", Counter[str]()
    for name in experiments():
        if name in known and "live" in known[name][1]:
            text, count = section(*known[name])
            sections, total = sections + text, total + count
    return (
        f"{HEAD}\nMeasured {' to '.join(dict.fromkeys([days[0], days[-1]]))}, Linux {os.uname().release}, durations shortened.\n"
        f"**Of {total['numbers']} numbers, {total['paper']} differ from the simulator's with the paper's TCP, and {total['linux']} from those with Linux's "
        f"recovery.**\n{MEASURED}{sections}"
    )


def main() -> None:
    PAGE.write_text(page([Path(name) for name in sys.argv[1:]]))


if __name__ == "__main__":
    main()
