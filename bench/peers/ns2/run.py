# SPDX-License-Identifier: MIT OR Apache-2.0
"""Run the ns-2.35 dumbbell (dumbbell.tcl) and report its result and its cost.

python bench/peers/ns2/run.py --rate 400 --buffer 1333 --duration 100 \
    --measure 20:100 --seed 1 cubic:40:0.01 sack:40:0.05
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).resolve().parent / "dumbbell.tcl"


class Ns2Error(RuntimeError):
    """ns-2 is missing, or its run did not end with a result."""


@dataclass(frozen=True)
class FlowSpec:
    cc: str
    rtt_ms: float
    start_s: float


@dataclass(frozen=True)
class Spec:
    rate_mbps: float
    buffer_packets: int
    duration_s: float
    measure: tuple[float, float]
    seed: int
    flows: list[FlowSpec]
    ack_every: int = 2
    # Upper bound of the random delay before each send; 0 sends at once, and
    # then the seed changes nothing: all the randomness is in the start times.
    overhead_s: float = 0.0
    # In packets; 0 leaves slow start unbounded.
    initial_ssthresh: int = 0
    # Further key=value settings of dumbbell.tcl (cubic_beta, increase, ...).
    extra: dict[str, float] = field(default_factory=dict)


def find_ns2() -> str:
    """The ns-2 binary: $NS2, or ns2 or ns on the PATH."""
    wanted = os.environ.get("NS2")
    for name in [wanted] if wanted else ["ns2", "ns"]:
        path = shutil.which(name)
        if path is not None:
            return path
    if wanted:
        raise Ns2Error(f"ns-2 is not at $NS2 ({wanted})")
    raise Ns2Error("ns-2 is not installed: on Debian, apt-get install ns2")


def number(value: float) -> str:
    """Plain decimal text: the script takes no exponents in a flow."""
    return f"{value:.9f}".rstrip("0").rstrip(".")


def arguments(spec: Spec) -> list[str]:
    options = {
        "rate": spec.rate_mbps,
        "buffer": spec.buffer_packets,
        "duration": spec.duration_s,
        "measure_from": spec.measure[0],
        "measure_to": spec.measure[1],
        "seed": spec.seed,
        "ack_every": spec.ack_every,
        "overhead": spec.overhead_s,
        "initial_ssthresh": spec.initial_ssthresh,
        **spec.extra,
    }
    return [f"{key}={number(value)}" for key, value in options.items()] + [
        f"{flow.cc}:{number(flow.rtt_ms)}:{number(flow.start_s)}" for flow in spec.flows
    ]


def run_ns2(spec: Spec) -> dict[str, Any]:
    """One run: what dumbbell.tcl reports, and cpu_s, peak_rss_kb, packets_per_cpu_s.

    The CPU time is the child's user and system time, its start included.
    """
    command = [find_ns2(), str(SCRIPT), *arguments(spec)]
    # Files, not pipes: nobody reads while the child is waited for with wait4,
    # and a full pipe would stop it.
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            child.wait()
            raise
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        lines, errors = out.read().splitlines(), err.read().strip()
    # TCP-Linux reports an unknown module on stdout and carries on without it.
    trouble = [line for line in lines if line.startswith("Error")]
    results = [line for line in lines if line.startswith("{")]
    if child.returncode != 0 or trouble or len(results) != 1:
        text = "\n".join([*trouble, errors]).strip() or "no result on stdout"
        raise Ns2Error(f"ns-2 failed (status {child.returncode}): {text}")
    result: dict[str, Any] = json.loads(results[0])
    cpu_s = usage.ru_utime + usage.ru_stime
    result["cpu_s"] = cpu_s
    result["peak_rss_kb"] = usage.ru_maxrss
    result["packets_per_cpu_s"] = result["link"]["packets"] / cpu_s
    return result


def parse_flow(text: str, draw: random.Random, spread_s: float) -> FlowSpec:
    cc, _, rest = text.partition(":")
    rtt, _, start = rest.partition(":")
    try:
        start_s = float(start) if start else draw.uniform(0, spread_s)
        return FlowSpec(cc, float(rtt), start_s)
    except ValueError:
        raise SystemExit(f"a flow is cc:rtt_ms[:start_s], not {text!r}") from None


def parse_pair(text: str) -> tuple[float, float]:
    first, colon, last = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError("expected FROM:TO")
    return float(first), float(last)


def parse_setting(text: str) -> tuple[str, float]:
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("expected KEY=NUMBER")
    return key, float(value)


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the ns-2 dumbbell and print its JSON.")
    parser.add_argument("--rate", type=float, required=True, help="bottleneck, Mbit/s")
    parser.add_argument("--buffer", type=int, required=True, help="packets")
    parser.add_argument("--duration", type=float, required=True, help="seconds")
    parser.add_argument("--measure", type=parse_pair, help="FROM:TO in seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ack-every", type=int, choices=(1, 2), default=2)
    parser.add_argument("--overhead", type=float, default=0.0, help="send jitter, seconds")
    parser.add_argument("--initial-ssthresh", type=int, default=0, help="packets; 0: none")
    parser.add_argument("--spread", type=float, default=0.1, help="a flow without a start draws it from 0..SPREAD")
    parser.add_argument("--set", type=parse_setting, action="append", default=[], metavar="KEY=NUMBER")
    parser.add_argument("flows", nargs="+", metavar="cc:rtt_ms[:start_s]")
    args = parser.parse_args()
    draw = random.Random(args.seed)
    spec = Spec(
        rate_mbps=args.rate,
        buffer_packets=args.buffer,
        duration_s=args.duration,
        measure=args.measure or (0.0, args.duration),
        seed=args.seed,
        flows=[parse_flow(text, draw, args.spread) for text in args.flows],
        ack_every=args.ack_every,
        overhead_s=args.overhead,
        initial_ssthresh=args.initial_ssthresh,
        extra=dict(args.set),
    )
    try:
        print(json.dumps(run_ns2(spec)))
    except Ns2Error as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
