# SPDX-License-Identifier: MIT OR Apache-2.0
"""The scenarios of the comparison with ns-2 and ns-3, and the form of each for each simulator."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cwnd import _native
from cwnd._internal.json_types import number
from cwnd.scenario.builders import from_document
from tools.peers.ns2.run import run_ns2
from tools.peers.ns3.run import run_ns3
from tools.peers.peer import FlowSpec, Spec, Stopped

PACKET_BITS = 12_000
# What a packet through a bottleneck costs, µs of CPU time: for the time left that is shown, and for nothing else.
COST_US = {"cwnd": 0.05, "ns-2": 0.8, "ns-3": 25.0}

# CUBIC is the paper's in each, and keeps 0.8. But ns-2 has what Linux 2.6.22 made of it and ns-3 what Linux 3.14 did, with
# its recovery (PRR): so each is compared with ours by the same rules, and ours by the paper's stands beside them.
Setting = str | float | bool
#: Settings of all flows, and (a table) of those of one algorithm.
Rules = Mapping[str, Setting | Mapping[str, Setting]]
NS2_RULES: Rules = {"cubic-2.2": {"cc": "cubic-2.1"}}
LINUX_314: Mapping[str, Setting] = {"cc": "cubic-linux", "beta": 0.8, "slow_start": "standard", "recovery": "sack-prr"}
NS3_RULES: Rules = {"recovery": "sack-prr", "cubic-2.2": LINUX_314}
OURS: dict[str, Rules] = {"cwnd": {}, "cwnd as ns-2": NS2_RULES, "cwnd as ns-3": NS3_RULES}
SIMULATORS = ("cwnd", "cwnd as ns-2", "ns-2", "cwnd as ns-3", "ns-3")


@dataclass(frozen=True)
class CaseGroup:
    """Like flows: the peers' algorithm and our parameter set that comes nearest, and where they run."""

    peer: str
    rtt_ms: float
    count: int = 1
    start_s: float = 0.0
    way: tuple[int, int] | None = None
    label: str = ""

    @property
    def ours(self) -> str:
        """CUBIC 2.2 keeps 0.8 as ns-2's CUBIC 2.1 does, and as ns-3's is set to."""
        return {"cubic": "cubic-2.2"}.get(self.peer, self.peer)

    @property
    def name(self) -> str:
        if self.label:
            return self.label
        return f"{f'{self.count} ' if self.count > 1 else ''}{self.peer.upper()} {self.rtt_ms:g} ms"


@dataclass(frozen=True, eq=False)
class Case:
    """One scenario. The buffer counts the packet that is being sent, as ns-2's limit does."""

    key: str
    name: str
    rate_mbps: float
    buffer: int
    groups: tuple[CaseGroup, ...]
    # Simulated seconds, measured from; the short form and the long one.
    short: tuple[int, int] = (50, 10)
    full: tuple[int, int] = (200, 40)
    # Segments; 0: slow start ends with a loss.
    ssthresh: int = 0
    hops: int = 1
    hop_ms: float = 0.0
    simulators: tuple[str, ...] = SIMULATORS
    # Settings of one simulator that differ from the scenario's: of ours of every flow, or (a table) of those of one
    # algorithm; of the peers of their script.
    settings: Mapping[str, Rules] = field(default_factory=dict)


def pair(short_ms: int, long_ms: int) -> Case:
    """Two CUBIC flows that differ in their round trip times."""
    groups = (CaseGroup("cubic", short_ms), CaseGroup("cubic", long_ms))
    return Case(f"rtt-{short_ms}-{long_ms}", f"two CUBIC, {short_ms} and {long_ms} ms", 400, 1333, groups, ssthresh=100)


def fast(percent: int) -> Case:
    """2.5 Gbit/s; the buffer is a part of rate × 220 ms."""
    groups = (CaseGroup("cubic", 220, 4), CaseGroup("sack", 20, 4))
    return Case(
        f"fast-{percent}",
        f"2.5 Gbit/s, buffer {percent} % of the BDP",
        2500,
        45_833 * percent // 100,
        groups,
        short=(100, 40),
        full=(400, 100),
        ssthresh=1000,
        # A loss costs ns-3 a walk over the window, tens of thousands of packets here: see docs/results/peers.md.
        simulators=SIMULATORS[:4],
    )


FIG6 = Case("fig6", "figure 6: 400 Mbit/s, 40 ms", 400, 1333, (CaseGroup("cubic", 40, 4), CaseGroup("sack", 40, 4)))
LATE = Case(
    "late",
    "250 Mbit/s, 200 ms, the second flow 30 s later",
    250,
    4166,
    (CaseGroup("cubic", 200, label="first CUBIC"), CaseGroup("cubic", 200, start_s=30, label="second CUBIC")),
    short=(110, 30),
    full=(330, 30),
    ssthresh=2000,
)
LOT = Case(
    "lot",
    "parking lot: three times 100 Mbit/s, 10 ms",
    100,
    333,
    (
        CaseGroup("cubic", 80, label="CUBIC through all, 80 ms"),
        *(CaseGroup("cubic", 40, way=(hop, hop + 1), label="CUBIC across, 40 ms (sum of three)") for hop in range(3)),
    ),
    ssthresh=100,
    hops=3,
    hop_ms=10,
)
CASES = (
    FIG6,
    Case("sack-8", "CUBIC and SACK, 8 ms", 400, 1333, (CaseGroup("cubic", 8), CaseGroup("sack", 8)), ssthresh=100),
    Case("sack-82", "CUBIC and SACK, 82 ms", 400, 1333, (CaseGroup("cubic", 82), CaseGroup("sack", 82)), ssthresh=100),
    pair(16, 160),
    pair(40, 80),
    pair(40, 240),
    LATE,
    LOT,
    fast(20),
    fast(200),
)


@dataclass(frozen=True)
class CaseFlow:
    group: CaseGroup
    rtt_ms: float
    start_s: float
    # Routers where it enters and leaves.
    way: tuple[int, int]


def flows(case: Case, seed: int) -> list[CaseFlow]:
    """The seed draws starts within 0.1 s and, against phase effects, round trips up to 1 % longer: the same for all."""
    draw = random.Random(f"{case.key} {seed}")
    drawn = []
    for group in case.groups:
        for _ in range(group.count):
            rtt_ms = round(group.rtt_ms * draw.uniform(1, 1.01), 4)
            drawn.append(CaseFlow(group, rtt_ms, group.start_s + draw.uniform(0, 0.1), group.way or (0, case.hops)))
    return drawn


def changed(case: Case, simulator: str, cc: str) -> dict[str, Setting]:
    """What differs in a flow of ours: what is said of all flows, then what is said of those of this algorithm."""
    settings = case.settings.get(simulator, OURS[simulator])
    of_all = {key: value for key, value in settings.items() if not isinstance(value, Mapping)}
    of_these = settings.get(cc, {})
    return {**of_all, **of_these} if isinstance(of_these, Mapping) else of_all


def document(case: Case, seed: int, seconds: int, measured_from: int, simulator: str = "cwnd") -> dict[str, object]:
    """The scenario as ours takes it. Our queue's limit does not count the packet that is being sent."""
    groups = [
        {
            "cc": flow.group.ours,
            "rtt": f"{flow.rtt_ms * 1e6:.0f}ns",
            "start": f"{flow.start_s * 1e9:.0f}ns",
            **({"initial_ssthresh": case.ssthresh} if case.ssthresh else {}),
            **({"from": f"n{flow.way[0]}", "to": f"n{flow.way[1]}"} if case.hops > 1 else {}),
            **changed(case, simulator, flow.group.ours),
        }
        for flow in flows(case, seed)
    ]
    link = {"rate": f"{case.rate_mbps:g}Mbit/s", "queue": {"kind": "droptail", "limit": f"{case.buffer - 1}packets"}}
    if case.hops > 1:
        network = {"parking_lot": {**link, "hops": case.hops, "delay": f"{case.hop_ms:g}ms"}}
    else:
        network = {"link": {**link, "rtt": f"{case.groups[0].rtt_ms:g}ms"}}
    return {
        "name": case.key,
        "duration": f"{seconds}s",
        "measure": [f"{measured_from}s", f"{seconds}s"],
        "record": {"interval": "0s"},
        **network,
        "flow": groups,
    }


def spec(case: Case, seed: int, seconds: int, measured_from: int, simulator: str) -> Spec:
    """The scenario as the peers take it."""
    return Spec(
        rate_mbps=case.rate_mbps,
        buffer_packets=case.buffer,
        duration_s=seconds,
        measure=(measured_from, seconds),
        seed=seed,
        flows=[FlowSpec(flow.group.peer, flow.rtt_ms, flow.start_s, flow.way) for flow in flows(case, seed)],
        initial_ssthresh=case.ssthresh,
        hops=case.hops,
        hop_ms=case.hop_ms,
        extra={
            key: float(value)
            for key, value in case.settings.get(simulator, {}).items()
            if not isinstance(value, Mapping)
        },
    )


@dataclass(frozen=True)
class PeerResult:
    """One run: Mbit/s per flow, and what all of it cost."""

    mbps: list[float]
    # Of the packets that came to a bottleneck while it was measured.
    loss_rate: float
    drops: int
    # Packets that wait, mean over time, of all bottlenecks together.
    queue: float
    timeouts: int
    cpu_s: float
    # Through the bottlenecks, from the start on.
    packets: int

    @property
    def packets_per_cpu_s(self) -> float:
        return self.packets / self.cpu_s


def run_ours(
    case: Case, seed: int, seconds: int, measured_from: int, simulator: str, stopped: Callable[[], bool]
) -> PeerResult:
    """In this thread, whose CPU time is the run's."""
    written = document(case, seed, seconds, measured_from, simulator)
    before = time.thread_time()
    simulation = _native.Simulation(from_document(written))
    while not simulation.step(1_000_000):
        if stopped():
            raise Stopped
    summary = simulation.summary()
    cpu_s = time.thread_time() - before
    per_ms = case.rate_mbps * 1e3 / PACKET_BITS
    through = sum(number(link, "utilization") for link in summary["links"]) * per_ms * (seconds - measured_from) * 1e3
    drops = sum(link["drops_queue"] + link["drops_early"] + link["drops_head"] for link in summary["links"])
    return PeerResult(
        mbps=[flow["throughput_mbps"] for flow in summary["flows"]],
        loss_rate=drops / (through + drops),
        drops=drops,
        queue=sum(
            link["queue_mean_ms"] * number(link, "utilization") * per_ms for link in summary["links"]
        ),  # Little's law
        timeouts=sum(flow["timeouts_run"] for flow in summary["flows"]),
        cpu_s=cpu_s,
        # In a chain every packet counts once per bottleneck, as the peers' do.
        packets=sum(
            (row["packets_sent_run"] - row["drops_run"]) * (flow.way[1] - flow.way[0])
            for row, flow in zip(summary["flows"], flows(case, seed))
        ),
    )


def run_peer(case: Case, seed: int, seconds: int, measured_from: int, simulator: str) -> PeerResult:
    """In a separate process."""
    asked = spec(case, seed, seconds, measured_from, simulator)
    if simulator == "ns-2":
        asked.extra.setdefault("queue", 1.0)
    run = run_ns2(asked) if simulator == "ns-2" else run_ns3(asked)
    links = run["links"]
    drops = sum(link["drops"] for link in links)
    through = (
        sum(number(link, "utilization") for link in links)
        * case.rate_mbps
        * 1e6
        / PACKET_BITS
        * (seconds - measured_from)
    )
    return PeerResult(
        mbps=[flow["throughput_mbps"] for flow in run["flows"]],
        loss_rate=drops / (through + drops),
        drops=drops,
        queue=sum(link["queue_mean"] for link in links),
        timeouts=sum(flow["timeouts"] for flow in run["flows"]),
        cpu_s=run["cpu_s"],
        packets=run["packets"],
    )


def cost_s(case: Case, simulator: str, seconds: int) -> float:
    """About what a run takes, for the time left."""
    return case.hops * case.rate_mbps * 1e6 / PACKET_BITS * seconds * COST_US[simulator.split()[0]] * 1e-6


def shares(case: Case, result: PeerResult) -> dict[str, float]:
    """Throughput of each group (those of one name together) over a bottleneck's rate, per cent."""
    total: dict[str, float] = {}
    number = 0
    for group in case.groups:
        for _ in range(group.count):
            total[group.name] = total.get(group.name, 0.0) + 100 * result.mbps[number] / case.rate_mbps
            number += 1
    return total
