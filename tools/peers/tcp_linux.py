# SPDX-License-Identifier: MIT OR Apache-2.0
"""One flow of each algorithm on our simulator and on ns-2's TCP-Linux: what is run, and what is measured.

Differences over 10 % must have a cause in PAIRS; the trials change one thing at a time to show that the cause is the
cause. modules.py runs it all and writes the page.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

import cwnd
from cwnd import _native
from tools.peers.ns2.run import run_ns2
from tools.peers.peer import FlowSpec, Spec

RATE, RTT, BUFFER, SECONDS, SAMPLE = 100, 60, 100, 200, 0.1
# A window that falls by more than this, without a rise between two samples, was reduced.
FALL = 0.05


Series = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class Setting:
    """What both sides run with."""

    ack_every: int = 2
    initial_ssthresh: int = 0
    buffer: int = BUFFER
    measured_from: int = 20


@dataclass(frozen=True)
class Pair:
    """ns-2's module, our nearest parameter set, and which cause each difference over 10 % has."""

    theirs: str
    ours: str
    causes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ModuleTrial:
    """One thing changed, on both sides (`setting`) or on ours (`more`, keys of a flow)."""

    what: str
    theirs: str
    ours: str
    setting: Setting = field(default_factory=Setting)
    more: dict[str, str | int] = field(default_factory=dict)


PAIRS = (
    Pair("bic", "bic", {"drops_start": "start"}),
    Pair("highspeed", "highspeed-linux", {"drops_start": "start"}),
    Pair("scalable", "scalable-linux", {"drops_start": "start", "drops": "halving, steps", "falls": "halving"}),
    Pair("htcp", "htcp-linux", {"drops_start": "start"}),
    Pair("vegas", "vegas-linux", {"drops_start": "start"}),
    Pair("westwood", "westwood", {"drops_start": "start", "drops": "acks", "falls": "estimate"}),
    Pair("illinois", "illinois-2.6.22", {"drops_start": "start"}),
    Pair("hybla", "hybla-linux", {"drops_start": "start, bursts"}),
    Pair("veno", "veno-linux", {"drops_start": "start", "drops": "acks", "falls": "acks"}),
    Pair("yeah", "yeah-linux", {"drops_start": "start", "falls": "acks"}),
    Pair("cubic", "cubic-2.1"),
)

EVERY = Setting(ack_every=1)
# Their constants assume that every second segment is acknowledged: they have separate trials.
FOR_DELAYED_ACKS = ("bic", "scalable")
TRIALS = (
    *(
        ModuleTrial("every segment acknowledged", pair.theirs, pair.ours, EVERY)
        for pair in PAIRS
        if pair.theirs not in FOR_DELAYED_ACKS
    ),
    ModuleTrial("every segment acknowledged, Linux's set", "bic", "bic-linux", EVERY),
    ModuleTrial("Linux's set", "bic", "bic-linux"),
    ModuleTrial(
        "every segment acknowledged, 50 of them for one", "scalable", "scalable-linux", EVERY, {"per_segment": 50}
    ),
    ModuleTrial("buffer of 90 packets", "scalable", "scalable-linux", Setting(buffer=90)),
    ModuleTrial("buffer of 150 packets", "scalable", "scalable-linux", Setting(buffer=150)),
    ModuleTrial("every segment acknowledged, PRR", "hybla", "hybla-linux", EVERY, {"recovery": "sack-prr"}),
    ModuleTrial("measured from 60 s", "westwood", "westwood", Setting(measured_from=60)),
    ModuleTrial("measured from 60 s, every segment acknowledged", "westwood", "westwood", Setting(1, measured_from=60)),
    ModuleTrial("Linux's set", "westwood", "westwood-linux"),
    ModuleTrial("the correct form", "illinois", "illinois-linux"),
    ModuleTrial("the RFC's set", "cubic", "cubic"),
    ModuleTrial("today's Linux's set", "cubic", "cubic-linux"),
)

METRICS = {
    "throughput": "throughput, Mbit/s",
    "drops_start": "drops before 20 s",
    "drops": "drops after",
    "falls": "reductions",
    "cwnd_mean": "mean window",
}


@dataclass(frozen=True)
class SingleFlowResult:
    """What one side gave."""

    values: dict[str, float]
    series: Series


def falls(windows: NDArray[np.float64]) -> int:
    """How often the window was reduced."""
    count = 0
    top = windows[0]
    for before, after in itertools.pairwise(windows):
        if after > before:
            top = after
        elif after < before and before >= (1 - FALL) * top > after:
            count += 1
    return count


def result(series: Series, throughput: float, drops: tuple[int, int], since: int) -> SingleFlowResult:
    """`drops`: of the whole run, and of the measured part."""
    time, windows = series
    measured = windows[time >= since]
    values = {
        "throughput": throughput,
        "drops_start": drops[0] - drops[1],
        "drops": drops[1],
        "falls": falls(measured),
        "cwnd_mean": float(measured.mean()),
    }
    return SingleFlowResult(values, series)


def ours(cc: str, setting: Setting, more: dict[str, str | int] | None = None) -> SingleFlowResult:
    """One run of ours."""
    # ns-2's hosts have no proportional rate reduction.
    flow: dict[str, str | int] = {"start": "0s", "recovery": "sack", "ack_every": setting.ack_every, **(more or {})}
    if setting.initial_ssthresh:
        flow["initial_ssthresh"] = setting.initial_ssthresh
    scenario = cwnd.dumbbell(
        [cwnd.Flow(cc, 1, **flow)],
        rate=f"{RATE}Mbit/s",
        rtt=f"{RTT}ms",
        buffer=f"{setting.buffer - 1}packets",  # ns-2's limit counts the packet on the wire too
        duration=f"{SECONDS}s",
        measure=(f"{setting.measured_from}s", f"{SECONDS}s"),
        interval=f"{SAMPLE * 1e3:g}ms",
    )
    run = cwnd.run(scenario)
    series = (run.cwnd["time_s"].to_numpy(), run.cwnd["cwnd"].to_numpy().astype(float))
    row = run.summary["flows"][0]
    return result(
        series, row["throughput_mbps"], (row["drops_run"], run.summary["link"]["drops_queue"]), setting.measured_from
    )


def theirs(cc: str, setting: Setting) -> SingleFlowResult:
    """The same by ns-2."""
    spec = Spec(
        rate_mbps=RATE,
        buffer_packets=setting.buffer,
        duration_s=SECONDS,
        measure=(setting.measured_from, SECONDS),
        seed=1,
        flows=[FlowSpec(cc, RTT, 0.0)],
        ack_every=setting.ack_every,
        initial_ssthresh=setting.initial_ssthresh,
        extra={"sample": SAMPLE},
    )
    run = run_ns2(spec)
    windows = np.array(run["cwnd"], np.float64)
    link = run["link"]
    return result(
        (np.arange(len(windows), dtype=np.float64) * SAMPLE, windows),
        run["flows"][0]["throughput_mbps"],
        (link["drops_total"], link["drops"]),
        setting.measured_from,
    )


def differs(mine: float, peer: float) -> bool:
    """By more than 10 %."""
    return abs(mine - peer) > 0.1 * abs(peer)


def registered() -> set[str]:
    """Names of all parameter sets."""
    return {each["name"] for algorithm in _native.algorithms() for each in algorithm["sets"]}


def compare(
    say: Callable[[str], None],
) -> tuple[
    list[tuple[Pair, SingleFlowResult, SingleFlowResult]], list[tuple[ModuleTrial, SingleFlowResult, SingleFlowResult]]
]:
    """Runs everything that the registry has."""
    names = registered()
    pairs, trials = [], []
    for pair in PAIRS:
        if pair.ours not in names:
            say(f"left out: there is no {pair.ours}")
            continue
        say(f"{pair.ours} and ns-2's {pair.theirs} ...")
        pairs.append((pair, ours(pair.ours, Setting()), theirs(pair.theirs, Setting())))
    for trial in TRIALS:
        if trial.ours in names:
            say(f"{trial.ours} and ns-2's {trial.theirs}: {trial.what} ...")
            trials.append((trial, ours(trial.ours, trial.setting, trial.more), theirs(trial.theirs, trial.setting)))
    return pairs, trials


def unexplained(pairs: list[tuple[Pair, SingleFlowResult, SingleFlowResult]]) -> list[str]:
    """Differences over 10 % that have no cause."""
    return [
        f"{pair.ours} and ns-2's {pair.theirs}: {METRICS[metric]} {mine.values[metric]:g} : {peer.values[metric]:g}"
        for pair, mine, peer in pairs
        for metric in METRICS
        if differs(mine.values[metric], peer.values[metric]) and metric not in pair.causes
    ]


def lowest_share(cc: str) -> float | None:
    """ns-2's lowest window within 0.2 s of a loss over the window that it left recovery with: the median of 100 s."""
    step = 0.002
    spec = Spec(RATE, BUFFER, 100, (20, 100), 1, [FlowSpec(cc, RTT, 0.0)], extra={"sample": step})
    windows = np.array(run_ns2(spec)["cwnd"], np.float64)
    within, after = round(0.2 / step), round(0.22 / step)
    shares = []
    index = round(20 / step)
    while index + after < len(windows):
        if windows[index + 1] < windows[index]:
            low = windows[index : index + within].min()
            if low < (1 - FALL) * windows[index]:
                shares.append(low / windows[index + after])
            index += after
        index += 1
    return float(np.median(shares)) if shares else None
