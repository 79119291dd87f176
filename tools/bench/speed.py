# SPDX-License-Identifier: MIT OR Apache-2.0
"""Speed compared with ns-2 and ns-3, in turn, CPU time of the whole process.

Figure 6 of the CUBIC paper, and 2.5 Gbit/s with a small and a large buffer. Each round runs ours, ns-2 with all its packet
headers (as its scripts run), ns-2 with only the headers in use (as fast as it goes) and ns-3. CPU time and peak memory are
the system's account of the finished process, start-up included. ns-3 simulates less time; what is compared is CPU time
per packet through the bottleneck. At 2.5 Gbit/s it gets the first seconds, before anything is lost, which flatters it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict

from cwnd.result.typed_summary import Summary
from cwnd.scenario.builders import from_document
from tools import ROOT
from tools.peers.cases import CASES, FIG6, Case, document, spec
from tools.peers.ns2.run import find_ns2, run_ns2
from tools.peers.ns3.run import build_ns3, run_ns3
from tools.peers.peer import PeerError

KINDS = ("cwnd", "ns-2", "ns-2, headers cut", "ns-3")
BY_KEY = {case.key: case for case in CASES}


@dataclass(frozen=True)
class Race:
    """A scenario, the simulated seconds of all and of ns-3, and how many times their speed ours is to be."""

    case: Case
    seconds: int
    ns3_seconds: int
    aims: dict[str, float]
    # CPU seconds of all runs of a round, for the word on how long it takes.
    round_s: int


RACES: tuple[Race, ...] = (
    Race(FIG6, 600, 20, {"ns-2": 35, "ns-3": 1000}, 40),
    Race(BY_KEY["fast-20"], 100, 3, {"ns-2": 55}, 70),
    Race(BY_KEY["fast-200"], 100, 3, {"ns-2": 55}, 75),
)
REAL_TIME_AIM = 20  # at 2.5 Gbit/s


def scenario(case: Case, seed: int, seconds: int) -> str:
    """The scenario as a TOML document, with everything recorded that is recorded unless it is turned off."""
    written = document(case, seed, seconds, min(20, seconds // 2))
    del written["record"]
    return from_document(written).to_toml()


@dataclass(frozen=True)
class SimulatorRun:
    """What a run took."""

    packets: int
    cpu_s: float
    peak_rss_kb: int
    #: Simulated.
    seconds: int
    #: CPU time of the engine alone; ours only.
    engine_s: float = 0.0


class Row(TypedDict):
    """A simulator in a race."""

    scenario: str
    simulator: str
    seconds: int
    cpu_s: float
    ns_per_packet: float
    packets_per_cpu_s: float
    peak_rss_mb: float
    times_cwnd: list[float]
    aim: float | None
    times_real: float
    engine_ns_per_packet: NotRequired[float]


def run_ours(path: Path, seconds: int) -> SimulatorRun:
    """One run of the command line."""
    command = [str(Path(sys.executable).with_name("cwnd")), "run", str(path), "--json"]
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out)
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            child.wait()
            raise
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(command)} ended with status {child.returncode}")
        out.seek(0)
        summary: Summary = json.load(out)
    perf = summary["perf"]
    cpu_s = usage.ru_utime + usage.ru_stime
    return SimulatorRun(perf["packets"], cpu_s, usage.ru_maxrss, seconds, perf["cpu_s"])


def profile(path: Path, packets: int) -> str:
    """Where the engine's instructions are, by source file, if valgrind is installed: the same on every machine."""
    if shutil.which("valgrind") is None:
        return "no profile: valgrind is not installed (Debian: valgrind)"
    build = ["cargo", "build", "--quiet", "--locked", "--profile", "profiling", "-p", "cwnd-sim", "--example", "run"]
    subprocess.run(build, cwd=ROOT, check=True)
    program = ROOT / "target" / "profiling" / "examples" / "run"
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/callgrind.out"
        count = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={data}", str(program), str(path)]
        subprocess.run(count, check=True, capture_output=True)
        annotate = ["callgrind_annotate", "--threshold=100", "--show-percs=no", data]
        lines = subprocess.run(annotate, check=True, capture_output=True, text=True).stdout.splitlines()
    files: dict[str, int] = {}
    total = 0
    for line in lines:
        match = re.match(r"\s*([\d,]+)\s+(?:(PROGRAM TOTALS)|([^:\s]+):)", line)
        if match is None:
            continue
        instructions = int(match[1].replace(",", ""))
        if match[2]:
            total = instructions
            continue
        ours = re.search(r"(?:^|/)crates/(cwnd.*)", match[3])
        name = ours[1] if ours else "standard library (inlined)"
        files[name] = files.get(name, 0) + instructions
    top = sorted(files.items(), key=lambda item: -item[1])[:16]
    rows = [f"  {100 * n / total:5.1f} %  {n / packets:6.1f}  {name}" for name, n in top]
    return "\n".join(
        [f"{total / packets:.0f} instructions a packet; share, instructions a packet, source file:", *rows]
    )


def run_race(race: Race, seed: int, path: Path, kinds: list[str]) -> dict[str, SimulatorRun]:
    """Every simulator once."""
    runs: dict[str, SimulatorRun] = {}
    for kind in kinds:
        seconds = race.ns3_seconds if kind == "ns-3" else race.seconds
        if kind == "cwnd":
            path.write_text(scenario(race.case, seed, seconds))
            runs[kind] = run_ours(path, seconds)
        else:
            asked = spec(race.case, seed, seconds, min(20, seconds // 2), kind)
            if kind != "ns-3":
                asked.extra["headers"] = 0.0 if kind.endswith("cut") else 1.0
            run = run_ns3(asked) if kind == "ns-3" else run_ns2(asked)
            runs[kind] = SimulatorRun(run["packets"], run["cpu_s"], run["peak_rss_kb"], seconds)
    return runs


def summed_up(race: Race, rounds: list[dict[str, SimulatorRun]]) -> list[Row]:
    """A row per simulator: medians over the rounds; ratios within a round."""
    rows: list[Row] = []
    for kind in rounds[0]:
        runs = [each[kind] for each in rounds]
        per_packet = [1e9 * run.cpu_s / run.packets for run in runs]
        ours = [1e9 * each["cwnd"].cpu_s / each["cwnd"].packets for each in rounds]
        ratios = [other / cwnd_ns for cwnd_ns, other in zip(ours, per_packet)]
        rows.append(
            {
                "scenario": race.case.name,
                "simulator": kind,
                "seconds": runs[0].seconds,
                "cpu_s": statistics.median(run.cpu_s for run in runs),
                "ns_per_packet": statistics.median(per_packet),
                "packets_per_cpu_s": 1e9 / statistics.median(per_packet),
                "peak_rss_mb": max(run.peak_rss_kb for run in runs) / 1024,
                "times_cwnd": [min(ratios), statistics.median(ratios), max(ratios)],
                "aim": race.aims.get(kind),
                "times_real": statistics.median(run.seconds / run.cpu_s for run in runs),
            }
        )
    engine = [1e9 * each["cwnd"].engine_s / each["cwnd"].packets for each in rounds]
    rows[0]["engine_ns_per_packet"] = statistics.median(engine)
    return rows


def table(rows: list[Row]) -> list[str]:
    """Markdown."""
    head = ["scenario", "simulator", "simulated s", "CPU s", "ns a packet", "packets a CPU second", "peak MB"]
    head += ["CPU a packet against cwnd", "aim", "times real time"]
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join(["---"] * len(head)) + " |"]
    for row in rows:
        low, middle, high = row["times_cwnd"]
        ours = row["simulator"] == "cwnd"
        alone = f" (the engine alone {row['engine_ns_per_packet']:.1f})" if ours else ""
        cells = [
            row["scenario"] if ours else "",
            row["simulator"],
            f"{row['seconds']}",
            f"{row['cpu_s']:.2f}",
            f"{row['ns_per_packet']:.1f}{alone}",
            f"{row['packets_per_cpu_s']:,.0f}".replace(",", " "),
            f"{row['peak_rss_mb']:.1f}",
            "1" if ours else f"**{middle:.1f}** ({low:.1f} to {high:.1f})",
            "" if row["aim"] is None else f"{row['aim']:g}",
            f"{row['times_real']:.3g}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, help="simulated time of ours and ns-2's (default 600 and 100)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, each of them all simulators in turn (default 3)")
    parser.add_argument("--without", action="append", default=[], choices=KINDS[1:], help="leave a simulator out")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    args = parser.parse_args()
    kinds = [kind for kind in KINDS if kind not in args.without]
    races = RACES
    if args.seconds is not None:
        races = tuple(Race(r.case, args.seconds, min(r.ns3_seconds, args.seconds), r.aims, r.round_s) for r in RACES)
    rows = []
    try:
        # What is missing is said before anything has been simulated.
        if any(kind.startswith("ns-2") for kind in kinds):
            find_ns2()
        if "ns-3" in kinds:
            build_ns3()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "speed.toml"
            left = args.rounds * sum(race.round_s for race in races)
            for race in races:
                rounds = []
                for number in range(1, args.rounds + 1):
                    what = f"{race.case.name}: round {number} of {args.rounds}"
                    print(f"{what}, about {left / 60:.0f} min left ...", file=sys.stderr)
                    rounds.append(run_race(race, number, path, kinds))
                    left -= race.round_s
                rows += summed_up(race, rounds)
            path.write_text(scenario(FIG6, 1, 60))
            print("counting instructions ...", file=sys.stderr)
            where = profile(path, run_ours(path, 60).packets)
    except PeerError as error:
        raise SystemExit(f"error: {error}") from None
    except KeyboardInterrupt:
        raise SystemExit("stopped") from None
    if args.json:
        print(json.dumps({"rows": rows, "real_time_aim": REAL_TIME_AIM}))
        return
    print(f"{args.rounds} rounds in turn, medians; CPU time of the whole process")
    print("\n".join(table(rows)))
    print(f"aim at 2.5 Gbit/s: at least {REAL_TIME_AIM} times real time")
    print("\nwhere cwnd's time goes (figure 6):")
    print(where)


if __name__ == "__main__":
    main()
