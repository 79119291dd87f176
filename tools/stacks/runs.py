# SPDX-License-Identifier: MIT OR Apache-2.0
"""What is run, and the numbers that are kept of each run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict, cast

import cwnd
from cwnd._internal.json_files import read_json
from tools import DOCS

RECORD = DOCS / "results" / "stacks.json.xz"
#: For `make check`.
READS = ("docs/results/stacks.json.xz",)
STACKS = ("quinn", "noq")
SLOW_STARTS = ("standard", "hystart", "hystart++")
BUFFERS = ("0.5bdp", "1bdp", "2bdp")
#: Rates (Mbit/s), round trip times (ms) and durations (s) at which our CUBIC is compared with itself on our TCP.
AGREEMENT = [
    (10, 10, 60),
    (10, 40, 60),
    (10, 160, 300),
    (100, 10, 60),
    (100, 40, 60),
    (100, 160, 200),
    (1000, 10, 20),
    (1000, 40, 30),
]
SURVIVAL = [
    (10, 10, 20),
    (10, 40, 20),
    (10, 160, 20),
    (100, 10, 20),
    (100, 40, 20),
    (100, 160, 20),
    (1000, 10, 6),
    (1000, 40, 6),
]
#: Paths on which the stacks' own receive windows are what limits, and one on which they are not.
OWN_WINDOWS = [(100, 40, 6), (100, 160, 6), (300, 60, 6), (1000, 10, 4), (1000, 40, 4)]
SURVIVAL_BUFFERS = ("0.25bdp", "1bdp", "2bdp")
SEEDS = range(1, 21)
#: The algorithms of the sections with seeds: ours, and the stacks' own.
SEEDED = (
    "cubic", "reno", "cubic@stack=quinn", "cubic-linux@stack=quinn", "reno@stack=quinn", "stock-cubic@stack=quinn", "stock-newreno@stack=quinn", "stock-bbr@stack=quinn",
    "cubic@stack=noq", "cubic-linux@stack=noq", "reno@stack=noq", "stock-cubic@stack=noq", "stock-newreno@stack=noq",
)  # fmt: skip
LOSSES = ("0.0001", "0.001", "0.01")


#: A receive window that limits nothing, as a key of a flow.
UNLIMITED = "rwnd=1073741824"


class Kept(TypedDict):
    """What is kept of a run; a list has an entry a flow."""

    #: Mbit/s
    goodput: list[float]
    queue_ms: float
    #: packets declared lost, in the whole run
    lost: list[int]
    jain: float
    #: ends by a fault: when, s, and the stack's words
    failures: NotRequired[list[tuple[float, str]]]
    #: the first flow's window, packets, every 0.1 s
    windows: NotRequired[list[int]]


def on_record() -> dict[str, Kept]:
    """The runs on record by name; none if there is no record. Raises `ValueError` for a damaged file."""
    return cast("dict[str, Kept]", read_json(RECORD)) if RECORD.exists() else {}


@dataclass(frozen=True)
class Run:
    """One run: its name on record, and the keywords of `cwnd.compare`."""

    name: str
    flows: tuple[str, ...]
    settings: dict[str, object] = field(hash=False)
    #: the receive window of flows with a stack; `None`: the stack's own
    window: str | None = UNLIMITED

    def numbers(self) -> Kept:
        """Runs it; what is kept."""
        result = cast("Callable[..., cwnd.Result]", cwnd.compare)(
            [as_run(flow, self.window) for flow in self.flows], **self.settings
        )
        summary = result.summary
        kept: Kept = {
            "goodput": [round(flow["goodput_mbps"], 4) for flow in summary["flows"]],
            "queue_ms": round(summary["link"]["queue_mean_ms"], 4),
            "lost": [flow["retransmits_run"] for flow in summary["flows"]],
            "jain": round(summary["jain"], 4),
        }
        if summary.get("failures"):
            kept["failures"] = [(failure["time_s"], failure["why"]) for failure in summary["failures"]]
        if self.name.startswith("standstill"):
            kept["windows"] = result.cwnd["cwnd"].to_pylist()
        return kept


def path(rate: int, rtt: int, buffer: str, seconds: int, **more: object) -> dict[str, object]:
    """The keywords of a path; a fifth of the time is not measured."""
    return {
        "rate": f"{rate}Mbit/s",
        "rtt": f"{rtt}ms",
        "buffer": buffer,
        "duration": f"{seconds}s",
        "measure": (f"{seconds // 5}s", f"{seconds}s"),
        **more,
    }


def as_run(flow: str, window: str | None) -> str:
    """The flow with this receive window if it has a stack, else with the recovery that is nearest to QUIC's (RFC 9002)."""
    if "stack=" not in flow:
        return with_keys(flow, "recovery=sack-prr")
    return flow if window is None else with_keys(flow, window)


def with_keys(flow: str, *keys: str) -> str:
    """The flow with these keys more."""
    return flow + ("," if "@" in flow else "@") + ",".join(keys)


def runs() -> Iterator[Run]:
    """Every run, the quick ones first."""
    yield Run("standstill/ours", ("cubic@stack=quinn",), path(100, 40, "1bdp", 60))
    yield Run("standstill/own", ("stock-cubic@stack=quinn",), path(100, 40, "1bdp", 60))
    for (rate, rtt, seconds), buffer, stack in itertools.product(SURVIVAL, SURVIVAL_BUFFERS, STACKS):
        place = f"{rate}/{rtt}/{buffer}/{stack}"
        settings = {**path(rate, rtt, buffer, seconds), "measure": ("0s", f"{seconds}s")}
        for slow_start in SLOW_STARTS:
            yield Run(f"survival/{place}/{slow_start}", (f"cubic@stack={stack},slow_start={slow_start}",), settings)
        yield Run(f"survival/{place}/own", (f"stock-cubic@stack={stack}",), settings)
    for (rate, rtt, seconds), stack in itertools.product(OWN_WINDOWS, STACKS):
        for flow in ("cubic", "stock-cubic"):
            settings = {**path(rate, rtt, "1bdp", seconds), "measure": ("1s", f"{seconds}s")}
            yield Run(f"windows/{rate}/{rtt}/{stack}/{flow}", (f"{flow}@stack={stack}",), settings, None)
    for (rate, rtt, seconds), buffer in itertools.product(AGREEMENT, BUFFERS):
        for way, convergence in itertools.product(("tcp", *STACKS), ("on", "off")):
            keys = ["slow_start=hystart"] + ([f"stack={way}"] if way != "tcp" else [])
            keys += ["fast_convergence=false"] if convergence == "off" else []
            name = f"agreement/{rate}/{rtt}/{buffer}/{way}/{convergence}"
            yield Run(name, (with_keys("cubic", *keys),), path(rate, rtt, buffer, seconds))
    for (rate, rtt, seconds), buffer, cc in itertools.product(
        AGREEMENT[:2] + AGREEMENT[3:5], BUFFERS, ("reno", "stock-newreno")
    ):
        yield Run(f"reno/{rate}/{rtt}/{buffer}/{cc}", (f"{cc}@stack=quinn",), path(rate, rtt, buffer, seconds))
    for flow in SEEDED:
        for loss, seed in itertools.product(LOSSES, SEEDS):
            yield Run(f"loss/{flow}/{loss}/{seed}", (flow,), path(20, 40, "1bdp", 30, loss=f"random:{loss}", seed=seed))
        for seed in SEEDS:
            late = with_keys(flow, "start=20s..21s", "label=late")
            yield Run(
                f"late/{flow}/{seed}",
                (with_keys(flow, "label=first"), late),
                {**path(20, 40, "1bdp", 80, seed=seed), "measure": ("50s", "80s")},
            )
        actions = [
            {kind: {"flow": "f", "at": f"{at}s"}} for at in range(5, 40, 5) for kind in ["stop" if at % 10 else "start"]
        ]
        yield Run(
            f"pauses/{flow}",
            (with_keys(flow, "label=f"),),
            {**path(20, 40, "1bdp", 40, actions=actions), "measure": ("0s", "40s")},
        )
