# SPDX-License-Identifier: MIT OR Apache-2.0
"""What an acknowledgement costs: every parameter set of the registry, and quinn's own CUBIC, on the same ACKs.

Times come from criterion (bench/cost), instructions from callgrind where valgrind is installed. A row's time is its
fastest sample: what else runs on the machine only ever adds. --page writes the results as a page of the docs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import ROOT
from tools.dates import today

CRATE = ROOT / "bench" / "cost"
TARGET = CRATE / "target"

PEERS = {
    "packet/quinn": "quinn's `Cubic`, behind `Box<dyn Controller>` as its connections have it",
    "packet/quinn-inline": "quinn's `Cubic`, called directly",
    "packet/cubic": "`cubic`, its hooks",
    "packet/cubic-driver": "`cubic` behind the driver, which keeps track of recovery as quinn's does",
}


def cargo(*arguments: str) -> str:
    """Standard output of a cargo command in the benchmark's crate."""
    done = subprocess.run(["cargo", *arguments], cwd=CRATE, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"cargo {' '.join(arguments)} failed:\n{done.stderr}")
    return done.stdout


def times() -> tuple[str, dict[str, float]]:
    """One run of the benchmark: what stream it used, and ns per acknowledgement for every row, the fastest sample."""
    folder = TARGET / "criterion"
    shutil.rmtree(folder, ignore_errors=True)
    printed = cargo("bench", "--quiet", "--locked", "--bench", "cost")
    stream = re.search(r"^\d+ packets in .*", printed, re.MULTILINE)
    if stream is None:
        raise SystemExit(f"the benchmark did not say what it measured:\n{printed}")
    rows = {}
    for path in folder.glob("*/*/new/sample.json"):
        about = json.loads(path.with_name("benchmark.json").read_text())
        sample = json.loads(path.read_text())
        fastest = min(time / passes for time, passes in zip(sample["times"], sample["iters"]))
        rows[about["full_id"]] = fastest / about["throughput"]["Elements"]
    return stream[0], rows


def instructions() -> dict[str, float]:
    """Instructions per acknowledgement for every row; empty without valgrind."""
    if shutil.which("valgrind") is None:
        return {}
    cargo("build", "--quiet", "--locked", "--release", "--bin", "count")
    with tempfile.TemporaryDirectory() as folder:
        function = "count::counted"
        options = [f"--callgrind-out-file={folder}/out", f"--toggle-collect={function}", f"--dump-after={function}"]
        command = ["valgrind", "--tool=callgrind", *options, str(TARGET / "release" / "count")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"valgrind failed:\n{done.stderr}")
        rows = {}
        for number, line in enumerate(done.stdout.splitlines(), 1):
            name, count = line.split()
            total = re.search(r"^summary: (\d+)", Path(f"{folder}/out.{number}").read_text(), re.MULTILINE)
            if total is None or int(total[1]) == 0:
                raise SystemExit(f"callgrind counted nothing for {name}")
            rows[name] = int(total[1]) / int(count)
    return rows


def machine() -> str:
    """The processor's name, how busy it is, the compiler."""
    info = Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*: (.*)", info.read_text(), re.MULTILINE) if info.exists() else None
    rustc = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout.split()
    load = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors"
    return f"{model[1] if model else platform.machine()}, {load}, rustc {rustc[1]}"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def report(rounds: list[dict[str, float]], counts: dict[str, float]) -> tuple[list[str], list[str]]:
    """The two tables: the comparison with quinn, and every parameter set."""
    best = {name: min(each[name] for each in rounds) for name in rounds[0]}

    def counted(name: str) -> str:
        return f"{counts[name]:.0f}" if name in counts else "not counted"

    peers = []
    for name, description in PEERS.items():
        ratio = f"{best[name] / best['packet/quinn']:.2f}"
        peers.append([description, f"{best[name]:.1f}", counted(name), ratio])
    quinn = min(best["packet/quinn"], best["packet/quinn-inline"])
    every = [
        [f"`{name.removeprefix('ack/')}`", f"{ns:.1f}", counted(name), f"{ns / quinn:.2f}"]
        for name, ns in sorted(best.items(), key=lambda item: item[1])
        if name.startswith("ack/") and name != "ack/loop"
    ]
    return (
        table(["called once a packet", "ns", "instructions", "time against quinn"], peers),
        table(["called once an ACK", "ns", "instructions", "time against quinn's `Cubic` for one packet"], every),
    )


def page(stream: str, rounds: list[dict[str, float]], counts: dict[str, float]) -> str:
    """docs/results/cost.md."""
    peers, every = report(rounds, counts)
    loop = min(each["ack/loop"] for each in rounds)
    version = re.search(r'name = "quinn-proto"\nversion = "([^"]+)"', (CRATE / "Cargo.lock").read_text())
    return "\n".join(
        [
            "# Cost of an acknowledgement",
            "",
            f"Written by `python -m tools.bench.cost --page docs/results/cost.md` on {today()}: {machine()}, one core;",
            f"criterion, the fastest sample of {len(rounds)} rounds of 20.",
            "`make bench` prints the same.",
            "",
            "The stream was recorded from a quinn connection, with both ends in virtual time and a DropTail bottleneck of 10 Mbit/s, 100 ms and 83 packets.",
            f"It begins at the first loss: {stream}.",
            "Every controller receives the same acknowledgements and losses, in congestion avoidance, with advancing time; quinn's must end at the window of the recording.",
            "quinn's transport reports every packet, so the first table compares the cost per packet; TCP calls its module once per ACK.",
            "",
            f"## Compared with quinn-proto {version[1] if version else 'of the lock file'}",
            "",
            *peers,
            "",
            "The number of instructions is similar, but quinn's `on_ack` uses floating point, with four divisions per packet.",
            "Ours multiplies integers, and divides only when a whole segment has accumulated.",
            "",
            "## Every parameter set",
            "",
            "The table shows the cost of `in_ack_event`, `pkts_acked` and `cong_avoid` through the registry's enum, with the connection's fields stored first "
            f"(the loop alone: {loop:.1f} ns).",
            "Each algorithm has the window that its own rule gives on this stream.",
            "",
            *every,
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1, help="runs of the benchmark (default 1)")
    parser.add_argument("--page", type=Path, help="write the results as a page of Markdown")
    args = parser.parse_args()
    if args.rounds < 1:
        parser.error("at least one round")

    rounds = []
    for number in range(1, args.rounds + 1):
        print(f"round {number} of {args.rounds} ...", file=sys.stderr)
        stream, rows = times()
        rounds.append(rows)
    counts = instructions()
    peers, every = report(rounds, counts)
    print(stream)
    print("\n".join([*peers, "", *every]))
    if args.page is not None:
        args.page.write_text(page(stream, rounds, counts))


if __name__ == "__main__":
    main()
