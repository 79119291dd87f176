# SPDX-License-Identifier: MIT OR Apache-2.0
"""Speed beside ns-2: figure 6 of the CUBIC paper for 600 simulated seconds, in turn, CPU time of the whole process.

Each round runs ours, ns-2 with all its packet headers (as its scripts run) and ns-2 with only the headers in use (as
fast as it goes). CPU time and peak memory are the system's account of the finished process, start-up included.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench" / "peers" / "ns2"))

from run import FlowSpec, Ns2Error, Spec, run_ns2  # noqa: E402

FLOWS = [("cubic-2.2", "cubic")] * 4 + [("sack", "sack")] * 4
BUFFER_PACKETS = 1333  # one BDP: 400 Mbit/s x 40 ms in packets of 1500 bytes


def scenario(seconds: int, starts: list[float]) -> str:
    """Figure 6 with these start times, as a TOML document."""
    flows = "".join(
        f'[[flow]]\ncc = "{ours}"\nstart = "{start * 1e9:.0f}ns"\n' for (ours, _), start in zip(FLOWS, starts)
    )
    return (
        f'name = "speed"\nduration = "{seconds}s"\nmeasure = ["20s", "{seconds}s"]\n'
        f'[link]\nrate = "400Mbit/s"\nrtt = "40ms"\nqueue = {{ kind = "droptail", limit = "1bdp" }}\n{flows}'
    )


def run_ours(path: Path) -> dict[str, Any]:
    """One run of the command line: its JSON document, and cpu_s and peak_rss_kb of the process."""
    command = [str(Path(sys.executable).with_name("cwnd")), "run", str(path), "--json"]
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(command)} ended with status {child.returncode}")
        out.seek(0)
        result: dict[str, Any] = json.load(out)
    result["cpu_s"] = usage.ru_utime + usage.ru_stime
    result["peak_rss_kb"] = usage.ru_maxrss
    result["packets"] = result["perf"]["packets"]
    return result


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600, help="simulated time (default 600)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of three runs each (default 3)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    args = parser.parse_args()

    kinds = ("cwnd", "ns-2", "ns-2, headers cut")
    runs: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speed.toml"
        for number in range(1, args.rounds + 1):
            draw = random.Random(number)
            starts = [draw.uniform(0, 0.1) for _ in FLOWS]
            path.write_text(scenario(args.seconds, starts))
            print(f"round {number} of {args.rounds} ...", file=sys.stderr)
            runs["cwnd"].append(run_ours(path))
            for kind, headers in (("ns-2", 1.0), ("ns-2, headers cut", 0.0)):
                flows = [FlowSpec(cc, 40, start) for (_, cc), start in zip(FLOWS, starts)]
                spec = Spec(
                    400, BUFFER_PACKETS, args.seconds, (20, args.seconds), number, flows, extra={"headers": headers}
                )
                try:
                    result = run_ns2(spec)
                except Ns2Error as error:
                    raise SystemExit(f"error: {error}") from None
                runs[kind].append({**result, "packets": result["link"]["packets"]})
        path.write_text(scenario(60, starts))
        print("counting instructions ...", file=sys.stderr)
        where = profile(path, run_ours(path)["packets"])

    rows = []
    for kind in kinds:
        cpu = [run["cpu_s"] for run in runs[kind]]
        per_packet = [1e9 * run["cpu_s"] / run["packets"] for run in runs[kind]]
        ratios = [other["cpu_s"] / own["cpu_s"] for own, other in zip(runs["cwnd"], runs[kind])]
        rows.append(
            {
                "simulator": kind,
                "cpu_s": statistics.median(cpu),
                "ns_per_packet": statistics.median(per_packet),
                "packets_per_cpu_s": 1e9 / statistics.median(per_packet),
                "peak_rss_mb": max(run["peak_rss_kb"] for run in runs[kind]) / 1024,
                "times_cwnd": [min(ratios), statistics.median(ratios), max(ratios)],
            }
        )
    engine = statistics.median(1e9 * run["perf"]["cpu_s"] / run["packets"] for run in runs["cwnd"])
    if args.json:
        print(json.dumps({"seconds": args.seconds, "rows": rows, "engine_ns_per_packet": engine}))
        return
    print(f"figure 6, {args.seconds} s simulated, {args.rounds} rounds, medians; CPU time of the whole process")
    print(f"{'':20} {'CPU s':>8} {'ns/packet':>10} {'packets/CPU s':>14} {'peak MB':>8} {'CPU against cwnd':>24}")
    for row in rows:
        low, middle, high = row["times_cwnd"]
        print(
            f"{row['simulator']:20} {row['cpu_s']:8.2f} {row['ns_per_packet']:10.1f} {row['packets_per_cpu_s']:14,.0f}"
            f" {row['peak_rss_mb']:8.1f} {f'{middle:.1f} ({low:.1f} to {high:.1f})':>24}"
        )
    print(f"the engine alone: {engine:.1f} ns/packet")
    print("\nwhere cwnd's time goes:")
    print(where)


if __name__ == "__main__":
    main()
