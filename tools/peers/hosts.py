# SPDX-License-Identifier: MIT OR Apache-2.0
"""The host `ns-2` compared with ns-2.35: `Agent/TCP/Sack1` with its own settings, and flows of `sack` with host = "ns-2".

python -m tools.peers.hosts --page docs/results/host-ns-2.md
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from cwnd._internal.json_types import number
from cwnd.result.store import run
from cwnd.scenario.builders import from_document
from tools.dates import today
from tools.docs import pages
from tools.peers.ns2.run import run_ns2
from tools.peers.peer import FlowSpec, Spec

SEEDS = (1, 2, 3)
SECONDS = 60
#: What could stand for Sack1's recovery; the host has the first.
RECOVERIES = ("sack-prr", "sack", "newreno")
#: Bits of a packet on the link, and the time between two starts.
PACKET_BITS, APART_S = 12_000, 0.05
INTRO = """# Host ns-2 compared with ns-2

Written by `python -m tools.peers.hosts --page docs/results/host-ns-2.md` ({date}; needs Debian's `ns2`).
[Host `ns-2`](../reference/hosts/ns-2.md) holds the settings of ns-2.35's `Agent/TCP/Sack1`, but not its recovery.
Sack1 sends one segment for each that arrives while its count of packets in flight is below the window.
It does not subtract a packet from that count when the packet is known to be lost.

The table shows which of the simulator's recoveries is nearest.
It compares ns-2 with `sack` flows that use `host = "ns-2"` and each recovery, over {seconds} s from the start, as means of {seeds} seeds.
Each cell gives the utilisation in per cent, packets dropped, and timeouts.
The buffer includes the packet that is being sent.
Sends are delayed at random by up to one packet's transmission time (`overhead`).

"""


@dataclass(frozen=True)
class Place:
    """A dumbbell, and the round trip times of its flows."""

    rate_mbps: int
    buffer: int
    rtts_ms: tuple[int, ...]

    @property
    def name(self) -> str:
        """For the table."""
        rtts = ", ".join(map(str, sorted(set(self.rtts_ms))))
        flows = f"{len(self.rtts_ms)} flows, " if len(self.rtts_ms) > 1 else ""
        return f"{flows}{self.rate_mbps} Mbit/s, {rtts} ms, {self.buffer} packets"


PLACES = (
    Place(20, 67, (40,)),
    Place(100, 100, (60,)),
    Place(100, 500, (60,)),
    Place(50, 50, (122,)),
    Place(50, 600, (160,)),
    Place(100, 333, (40,) * 4),
    Place(10, 20, (100,) * 4),
    Place(20, 60, (20, 40, 80, 160)),
)


@dataclass(frozen=True)
class Outcome:
    """Of one run."""

    utilisation: float
    drops: int
    timeouts: int


def theirs(place: Place, seed: int) -> Outcome:
    """On ns-2."""
    flows = [FlowSpec("sack", rtt, number * APART_S) for number, rtt in enumerate(place.rtts_ms)]
    jitter_s = PACKET_BITS / (place.rate_mbps * 1e6)
    spec = Spec(
        place.rate_mbps,
        place.buffer,
        SECONDS,
        (0, SECONDS),
        seed,
        flows,
        ack_every=1,
        extra={"iw": 2, "overhead": jitter_s, "headers": 0},
    )
    done = run_ns2(spec)
    return Outcome(
        done["link"]["utilization"], done["link"]["drops_total"], sum(flow["timeouts"] for flow in done["flows"])
    )


def ours(place: Place, seed: int, recovery: str) -> Outcome:
    """Here, on the host `ns-2` with this recovery."""
    flows = [
        {
            "cc": "sack",
            "host": "ns-2",
            "recovery": recovery,
            "rtt": f"{rtt}ms",
            "start": f"{round(1000 * number * APART_S)}ms",
            "overhead": f"{1000 * PACKET_BITS // place.rate_mbps}ns",
        }
        for number, rtt in enumerate(place.rtts_ms)
    ]
    document = {
        "duration": f"{SECONDS}s",
        "seed": seed,
        "link": {
            "rate": f"{place.rate_mbps}Mbit/s",
            "rtt": f"{place.rtts_ms[0]}ms",
            "queue": {"kind": "droptail", "limit": f"{place.buffer - 1}packets"},
        },
        "flow": flows,
        "record": {"interval": "0s"},
    }
    summary = run(from_document(document)).summary
    return Outcome(
        number(summary["link"], "utilization"),
        sum(flow["drops_run"] for flow in summary["flows"]),
        sum(flow["timeouts_run"] for flow in summary["flows"]),
    )


def cell(outcomes: list[Outcome]) -> str:
    """The means of several runs."""
    utilisation = fmean(each.utilisation for each in outcomes)
    drops, timeouts = (fmean(values) for values in zip(*((each.drops, each.timeouts) for each in outcomes)))
    return f"{100 * utilisation:.1f}, {drops:.0f}, {timeouts:.1f}"


def page() -> str:
    """The page, from new runs."""
    rows = [
        [
            place.name,
            cell([theirs(place, seed) for seed in SEEDS]),
            *(cell([ours(place, seed, recovery) for seed in SEEDS]) for recovery in RECOVERIES),
        ]
        for place in PLACES
    ]
    head = INTRO.format(date=today(), seconds=SECONDS, seeds=len(SEEDS))
    names = ["path", "ns-2", *(f"`{recovery}`" for recovery in RECOVERIES)]
    return head + "\n".join(pages.table(names, rows)).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, help="where to write it; without, it is printed")
    to = parser.parse_args().page
    if to:
        to.write_text(page())
    else:
        print(page(), end="")


if __name__ == "__main__":
    main()
