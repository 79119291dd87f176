# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tables of docs/results/hook-order.md: python -m tools.docs.hook_order DIR. Needs root and what the kernel lane needs.

Records the kernel's CUBIC and Reno in each setting on lane live, into DIR, where that has no record yet, and compares the calls with those of the simulator's sender.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.compute as pc

import cwnd
from cwnd.kernel.result import MANIFEST, KernelTrace
from tools import ROOT
from tools.dates import in_words

if TYPE_CHECKING:
    from cwnd._native import TransportOutcome

PAGE = ROOT / "docs" / "results" / "hook-order.md"
ALGORITHMS = {"CUBIC": "cubic", "Reno": "reno"}
COLUMNS = "| setting | calls | events | other calls | recoveries | timeouts | undone | sent again, others | timers, others | not compared |"
#: Arguments of `set_state`. Linux: TCP_CA_Recovery, TCP_CA_Loss
RECOVERY, LOSS = 3, 4


@dataclass(frozen=True)
class Setting:
    """A path of 40 ms with a queue of one BDP, and one flow."""

    name: str
    rate: str
    seconds: int
    link: str = ""
    flow: str = ""
    #: the application's pauses: every so many seconds, for so many
    pauses_s: tuple[float, float] | None = None
    #: the delay changes between 10 ms and this every two seconds
    steps_to: str = ""

    def document(self, algorithm: str) -> str:
        """As a scenario."""
        lines = [f'duration = "{self.seconds}s"', "[link]", f'rate = "{self.rate}"']
        lines += ['delay = "10ms"', 'rtt = "40ms"'] if self.steps_to else ['rtt = "40ms"']
        lines += ['queue = { kind = "droptail", limit = "1bdp" }', self.link]
        lines += ["[[flow]]", f'cc = "{algorithm}-linux"', 'label = "flow"', self.flow]
        if self.pauses_s is not None:
            every, pause = self.pauses_s
            for number in range(1, int(self.seconds / every)):
                for action, at in (("stop", number * every - pause), ("start", number * every)):
                    lines += ["[[action]]", f'{action} = {{ flow = "flow", at = "{at:.2f}s" }}']
        for number in range(1, self.seconds // 2 if self.steps_to else 0):
            to = self.steps_to if number % 2 == 1 else "10ms"
            lines += ["[[action]]", f'delay = {{ link = "link", at = "{2 * number}s", to = "{to}" }}']
        return "\n".join(lines) + "\n"


FIVE = (
    Setting("losses", "50Mbit/s", 40, link='loss = "random:0.01"'),
    Setting("reordering", "20Mbit/s", 60, link='reorder = { share = 0.05, extra = "10ms" }'),
    Setting("timeouts", "20Mbit/s", 120, link='loss = "random:0.15"'),
    Setting("application-limited", "20Mbit/s", 60, link='loss = "random:0.002"', flow='app_rate = "8Mbit/s"'),
    Setting("idle", "20Mbit/s", 30, link='loss = "random:0.002"', pauses_s=(1.5, 0.7)),
)
HARDER = (
    Setting("delay steps", "10Mbit/s", 40, steps_to="600ms"),
    Setting("tails", "20Mbit/s", 30, link='loss = "random:0.05"', pauses_s=(0.45, 0.3)),
    Setting("late packets", "20Mbit/s", 40, link='loss = "random:0.005"\nreorder = { share = 0.03, extra = "60ms" }'),
    Setting(
        "lost acknowledgements",
        "20Mbit/s",
        30,
        link='loss = "random:0.02"\nreverse = { rate = "10Gbit/s", loss = "random:0.2" }',
    ),
)


def record(setting: Setting, algorithm: str, trace: Path) -> None:
    """Records a connection into `trace`; again where the machine does not keep up, and up to three times where the record lacks something."""
    program = str(Path(sys.executable).with_name("cwnd"))
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "scenario.toml"
        scenario.write_text(setting.document(algorithm))
        recorder = [program, "kernel", "trace", "--cc", f"kernel/{algorithm}", "--transport", "-o", str(trace), "--"]
        for left in (2, 1, 0):
            done = subprocess.run(
                [*recorder, program, "run", str(scenario), "--lane", "live"], capture_output=True, text=True
            )
            if done.returncode == 0 and (left == 0 or cwnd.replay_transport(trace)["gaps"] == 0):
                return
            shutil.rmtree(trace, ignore_errors=True)
    raise SystemExit(f"{setting.name}, {algorithm}: {done.stderr}")


def row(name: str, trace: Path) -> tuple[str, TransportOutcome]:
    """The row of a record."""
    outcome = cwnd.replay_transport(trace)
    loaded = cwnd.load(trace)
    assert isinstance(loaded, KernelTrace)
    hooks = loaded.hooks

    def count(hook: str, argument: int | None = None) -> int:
        of_hook = pc.equal(hooks["hook"].cast("string"), hook)
        chosen = of_hook if argument is None else pc.and_(of_hook, pc.equal(hooks["arg0"], argument))
        return int(pc.sum(chosen).as_py() or 0)

    cells = [
        f"{outcome['calls']:,}",
        f"{outcome['events']:,}",
        f"{outcome['divergent']}",
        f"{count('set_state', RECOVERY)}",
        f"{count('set_state', LOSS)}",
        f"{count('undo_cwnd')}",
        "{}, {}".format(*outcome["retransmissions"]),
        "{}, {}".format(*outcome["timers"]),
        f"{outcome['not_compared']:,}",
    ]
    return f"| {name} | {' | '.join(cells)} |", outcome


def table(settings: tuple[Setting, ...], folder: Path) -> str:
    """The table of these settings, recorded where that was not done."""
    lines = [COLUMNS, "| --- " * 10 + "|"]
    outcomes = []
    for setting in settings:
        for shown, algorithm in ALGORITHMS.items():
            trace = folder / f"{setting.name.replace(' ', '-')}-{algorithm}"
            if not trace.exists():
                record(setting, algorithm, trace)
            line, outcome = row(f"{setting.name}, {shown}", trace)
            print(line, *(kind["first"] for kind in outcome["kinds"]), sep="\n", flush=True)
            lines.append(line)
            outcomes.append(outcome)
    calls, events, divergent = (sum(outcome[key] for outcome in outcomes) for key in ("calls", "events", "divergent"))
    return "\n".join([*lines, f"| together | {calls:,} | {events:,} | {divergent} | | | | | | |"])


def main() -> None:
    """Records, compares, and writes the tables into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of the records")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    text = PAGE.read_text()
    for heading, settings in (("## The five settings", FIVE), ("## Four harder settings", HARDER)):
        found = table(settings, folder)
        before, rest = text.split(heading, 1)
        above, old = rest.split(COLUMNS, 1)
        text = before + heading + above + found + "\n\n" + old.split("\n\n", 1)[1]
    kernel = os.uname().release.split("-")[0]
    recorded = max(path.stat().st_mtime for path in folder.glob(f"*/{MANIFEST}"))
    day = in_words(datetime.fromtimestamp(recorded, UTC).date())
    text = re.sub(r"on \d+ \w+ \d{4} on Linux [\d.]+\d", f"on {day} on Linux {kernel}", text, count=1)
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
