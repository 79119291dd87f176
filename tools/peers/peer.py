# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a run on another simulator is asked for, and how its process is run, accounted for and stopped."""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict


class PeerError(RuntimeError):
    """A simulator is missing, or its run did not end with a result."""


class Stopped(RuntimeError):
    """The run was stopped from here, by `stop_all`."""


@dataclass(frozen=True)
class FlowSpec:
    cc: str
    rtt_ms: float
    start_s: float
    # Routers where it enters and leaves a chain of bottlenecks; without, the whole chain.
    way: tuple[int, int] | None = None


@dataclass(frozen=True)
class Spec:
    rate_mbps: float
    buffer_packets: int
    duration_s: float
    measure: tuple[float, float]
    seed: int
    flows: Sequence[FlowSpec]
    ack_every: int = 2
    # In packets; 0 leaves slow start unbounded.
    initial_ssthresh: int = 0
    # Bottlenecks in series, and the propagation delay of each, one way.
    hops: int = 1
    hop_ms: float = 0.0
    # Further key=value settings of one simulator's script.
    extra: dict[str, float] = field(default_factory=dict)


def number(value: float) -> str:
    """Plain decimal text: the scripts take no exponents in a flow."""
    return f"{value:.9f}".rstrip("0").rstrip(".")


def arguments(spec: Spec) -> list[str]:
    """The command line that the scripts share."""
    options = {
        "rate": spec.rate_mbps,
        "buffer": spec.buffer_packets,
        "duration": spec.duration_s,
        "measure_from": spec.measure[0],
        "measure_to": spec.measure[1],
        "ack_every": spec.ack_every,
        "initial_ssthresh": spec.initial_ssthresh,
        "hops": spec.hops,
        "hop_ms": spec.hop_ms,
        **spec.extra,
    }
    flows = []
    for flow in spec.flows:
        way = "" if flow.way is None else f":{flow.way[0]}-{flow.way[1]}"
        flows.append(f"{flow.cc}:{number(flow.rtt_ms)}:{number(flow.start_s)}{way}")
    return [f"{key}={number(value)}" for key, value in options.items()] + flows


_running: set[subprocess.Popen[bytes]] = set()
_lock = threading.Lock()
_stopped = False


def stop_all() -> None:
    """Ends every run that is under way, in whatever thread, and lets no other begin."""
    global _stopped
    with _lock:
        _stopped = True
        for child in _running:
            child.kill()


class PeerFlow(TypedDict):
    """A flow of a peer's run."""

    throughput_mbps: float
    timeouts: int


class PeerLink(TypedDict):
    """A bottleneck of a peer's run."""

    utilization: float
    #: in the measured interval, and in the whole run
    drops: int
    drops_total: int
    #: packets that wait, mean over time
    queue_mean: float


class PeerDocument(TypedDict):
    """What a peer's script reports of a run, and what its process took."""

    flows: list[PeerFlow]
    links: list[PeerLink]
    #: ns-2 with `sample`: the first flow's window (segments) at each sample
    cwnd: list[float]
    #: the only one of `links`, if there is one
    link: PeerLink
    packets: int
    cpu_s: float
    peak_rss_kb: int
    packets_per_cpu_s: float


def run_child(command: list[str], name: str) -> PeerDocument:
    """The JSON object on the line of stdout that starts with {, and cpu_s, peak_rss_kb, packets_per_cpu_s.

    The CPU time is the child's user and system time from the system, its start included. With one bottleneck, `link` is
    the only one of `links`.
    """
    # Files, not pipes: a full pipe, which is not read during wait4, would stop the child.
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        with _lock:
            if _stopped:
                raise Stopped
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            _running.add(child)
        try:
            # It stays a zombie until it is off the list, so that no other process has its number when it is killed.
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        except BaseException:
            child.kill()
            raise
        finally:
            with _lock:
                _running.discard(child)
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
        if _stopped:
            raise Stopped
        out.seek(0)
        err.seek(0)
        lines, errors = out.read().splitlines(), err.read().strip()
    # TCP-Linux reports an unknown module on stdout and carries on without it.
    trouble = [line for line in lines if line.startswith("Error")]
    results = [line for line in lines if line.startswith("{")]
    if child.returncode != 0 or trouble or len(results) != 1:
        text = "\n".join([*trouble, errors]).strip() or "no result on stdout"
        raise PeerError(f"{name} failed (status {child.returncode}): {text}")
    result: PeerDocument = json.loads(results[0])
    cpu_s = usage.ru_utime + usage.ru_stime
    result["cpu_s"] = cpu_s
    result["peak_rss_kb"] = usage.ru_maxrss
    result["packets_per_cpu_s"] = result["packets"] / cpu_s
    if len(result["links"]) == 1:
        result["link"] = result["links"][0]
    return result


def parse_flow(text: str, draw: random.Random, spread_s: float) -> FlowSpec:
    """`cc:rtt_ms[:start_s[:from-to]]`; a start that is missing is drawn."""
    cc, rtt, start, way = [*text.split(":"), "", "", ""][:4]
    try:
        start_s = float(start) if start else draw.uniform(0, spread_s)
        first, _, last = way.partition("-")
        return FlowSpec(cc, float(rtt), start_s, (int(first), int(last)) if way else None)
    except ValueError:
        raise SystemExit(f"a flow is cc:rtt_ms[:start_s[:from-to]], not {text!r}") from None


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


def spec_from_command_line(description: str) -> Spec:
    """A run as the command lines of the drivers describe it."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rate", type=float, required=True, help="every bottleneck, Mbit/s")
    parser.add_argument("--buffer", type=int, required=True, help="packets, the one being sent among them")
    parser.add_argument("--duration", type=float, required=True, help="seconds")
    parser.add_argument("--measure", type=parse_pair, help="FROM:TO in seconds")
    parser.add_argument("--seed", type=int, default=1, help="of the starts that are not given")
    parser.add_argument("--ack-every", type=int, choices=(1, 2), default=2)
    parser.add_argument("--initial-ssthresh", type=int, default=0, help="packets; 0: none")
    parser.add_argument("--hops", type=int, default=1, help="bottlenecks in series")
    parser.add_argument("--hop-ms", type=float, default=0.0, help="propagation delay of each, one way")
    parser.add_argument("--spread", type=float, default=0.1, help="a flow without a start draws it from 0..SPREAD")
    parser.add_argument("--set", type=parse_setting, action="append", default=[], metavar="KEY=NUMBER")
    parser.add_argument("flows", nargs="+", metavar="cc:rtt_ms[:start_s[:from-to]]")
    args = parser.parse_args()
    draw = random.Random(args.seed)
    return Spec(
        rate_mbps=args.rate,
        buffer_packets=args.buffer,
        duration_s=args.duration,
        measure=args.measure or (0.0, args.duration),
        seed=args.seed,
        flows=[parse_flow(text, draw, args.spread) for text in args.flows],
        ack_every=args.ack_every,
        initial_ssthresh=args.initial_ssthresh,
        hops=args.hops,
        hop_ms=args.hop_ms,
        extra=dict(args.set),
    )
