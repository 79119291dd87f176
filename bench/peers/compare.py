# SPDX-License-Identifier: MIT OR Apache-2.0
"""Results beside ns-2, scenario by scenario: throughput per flow, utilisation, drops, over several seeds.

Both simulators get the same path, the same start times and the same receivers; what their algorithms differ in is
explained in docs/peers.md.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "peers" / "ns2"))

from run import FlowSpec, Ns2Error, Spec, run_ns2  # noqa: E402

from cwnd import _native  # noqa: E402


@dataclass(frozen=True)
class Case:
    """One scenario: flows as (ours, ns-2's, RTT in ms), 400 Mbit/s, a buffer of 1333 packets (40 ms)."""

    name: str
    flows: tuple[tuple[str, str, int], ...]


CASES = (
    Case("figure 6: 4 CUBIC + 4 SACK, 40 ms", (("cubic-2.2", "cubic", 40),) * 4 + (("sack", "sack", 40),) * 4),
    Case("two CUBIC, 16 and 160 ms", (("cubic-2.2", "cubic", 16), ("cubic-2.2", "cubic", 160))),
    Case("CUBIC and SACK, 8 ms", (("cubic-2.2", "cubic", 8), ("sack", "sack", 8))),
    Case("CUBIC and SACK, 82 ms", (("cubic-2.2", "cubic", 82), ("sack", "sack", 82))),
)
RATE, BUFFER = 400, 1333


def ours(case: Case, starts: list[float], seconds: int, ssthresh: int) -> dict[str, Any]:
    """One run of ours: Mbit/s per flow, utilisation, drops."""
    flow = [
        {
            "cc": cc,
            "rtt": f"{rtt}ms",
            "start": f"{start * 1e9:.0f}ns",
            **({"initial_ssthresh": ssthresh} if ssthresh else {}),
        }
        for (cc, _, rtt), start in zip(case.flows, starts)
    ]
    document = {
        "duration": f"{seconds}s",
        "measure": [f"{seconds // 5}s", f"{seconds}s"],
        "link": {
            "rate": f"{RATE}Mbit/s",
            "rtt": "40ms",
            # ns-2's limit counts the packet on the wire too.
            "queue": {"kind": "droptail", "limit": f"{BUFFER - 1}packets"},
        },
        "record": {"interval": "0s"},
        "flow": flow,
    }
    simulation = _native.Simulation(_native.Scenario.from_json(json.dumps(document)))
    while not simulation.step(1_000_000):
        pass
    summary = simulation.summary()
    return {
        "mbps": [one["throughput_mbps"] for one in summary["flows"]],
        "utilization": summary["link"]["utilization"],
        "drops": summary["link"]["drops_queue"],
        "timeouts": sum(one["timeouts"] for one in summary["flows"]),
    }


def theirs(case: Case, starts: list[float], seconds: int, seed: int, ssthresh: int) -> dict[str, Any]:
    """The same by ns-2."""
    flows = [FlowSpec(cc, rtt, start) for (_, cc, rtt), start in zip(case.flows, starts)]
    spec = Spec(RATE, BUFFER, seconds, (seconds // 5, seconds), seed, flows, initial_ssthresh=ssthresh)
    result = run_ns2(spec)
    return {
        "mbps": [one["throughput_mbps"] for one in result["flows"]],
        "utilization": result["link"]["utilization"],
        "drops": result["link"]["drops"],
        "timeouts": sum(one["timeouts"] for one in result["flows"]),
    }


def grouped(case: Case, runs: list[dict[str, Any]]) -> list[tuple[str, float, float, float]]:
    """Per group of like flows: name, then median, smallest and largest total over the seeds, Mbit/s."""
    groups: dict[str, list[int]] = {}
    for number, (_, cc, rtt) in enumerate(case.flows):
        groups.setdefault(f"{cc} {rtt} ms", []).append(number)
    rows = []
    for name, numbers in groups.items():
        totals = [sum(run["mbps"][n] for n in numbers) for run in runs]
        rows.append((name, statistics.median(totals), min(totals), max(totals)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=100, help="simulated time; the first fifth is not measured")
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds (default 5)")
    parser.add_argument("--initial-ssthresh", type=int, default=0, help="packets, for both; 0: none")
    parser.add_argument("--per-flow", action="store_true", help="every flow of every seed")
    args = parser.parse_args()
    try:
        for case in CASES:
            mine, peer = [], []
            for seed in range(1, args.seeds + 1):
                draw = random.Random(seed)
                starts = [draw.uniform(0, 0.1) for _ in case.flows]
                mine.append(ours(case, starts, args.seconds, args.initial_ssthresh))
                peer.append(theirs(case, starts, args.seconds, seed, args.initial_ssthresh))
            print(f"\n{case.name} ({args.seeds} seeds, {args.seconds} s)")
            print(f"  {'':16} {'cwnd: median (range)':>28} {'ns-2: median (range)':>28} {'ratio':>7}")
            for a, b in zip(grouped(case, mine), grouped(case, peer)):
                left, right = (f"{x[1]:.1f} ({x[2]:.1f} to {x[3]:.1f})" for x in (a, b))
                print(f"  {a[0]:16} {left:>28} {right:>28} {a[1] / b[1]:7.2f}  Mbit/s")
            for key, unit in (("utilization", ""), ("drops", "packets"), ("timeouts", "")):
                left, right = (statistics.median(run[key] for run in runs) for runs in (mine, peer))
                print(f"  {key:16} {left:28.3f} {right:28.3f} {'':7}  {unit}")
            if args.per_flow:
                for seed, (a, b) in enumerate(zip(mine, peer), 1):
                    print(f"  seed {seed}: cwnd {' '.join(f'{x:.1f}' for x in a['mbps'])}")
                    print(f"          ns-2 {' '.join(f'{x:.1f}' for x in b['mbps'])}")
    except Ns2Error as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
