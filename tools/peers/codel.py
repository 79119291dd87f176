# SPDX-License-Identifier: MIT OR Apache-2.0
"""CoDel compared with ns-3's, packet by packet: the same arrivals at the same link, and when each drops.

    python -m tools.peers.codel

ns-3 takes the root of RFC 8289 §5.6's control law by one Newton step per drop in 16 bits. For the first trace, `predicted` says what
follows from that step alone.
"""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tools import ROOT
from tools.peers.ns3.run import build_ns3
from tools.peers.peer import PeerError

SOURCE = ROOT / "tools" / "peers" / "ns3" / "codel.cc"
MS = 1_000_000
RATE = 12_000_000
TARGET, INTERVAL = 5 * MS, 100 * MS
Arrivals = list[tuple[int, int]]


@dataclass(frozen=True)
class Run:
    sent: int
    sojourn_ns: int
    drops: list[int]

    def words(self) -> str:
        return f"{len(self.drops)} dropped, {self.sojourn_ns / max(self.sent, 1) / 1e6:.2f} ms mean wait"


def standing() -> Arrivals:
    """Twenty packets at 0 and one in each millisecond, which is what the link sends: a queue of 19 ms without drops."""
    return [(0, 1500)] * 20 + [(ms * MS, 1500) for ms in range(1, 1501)]


def overload(load: float, seconds: int, sizes: tuple[int, ...]) -> Arrivals:
    """Poisson arrivals at `load` times the link's rate, of these sizes in turn at random; without congestion control."""
    draw = random.Random(1)
    gap = sum(sizes) / len(sizes) * 8e9 / RATE / load
    time, arrivals = 0.0, []
    while time < seconds * 1e9:
        time += draw.expovariate(1.0 / gap)
        arrivals.append((round(time), draw.choice(sizes)))
    return arrivals


def exact_spacing(count: int) -> int:
    """RFC 8289 §5.6: the interval over √count, ns."""
    return math.isqrt(INTERVAL * INTERVAL // count)


def newton_spacings() -> Callable[[int], int]:
    """The same with 1/√count by one Newton step per drop, from 1, in 16 bits, and times in units of 1024 ns."""
    root = 0xFFFF

    def spacing(count: int) -> int:
        nonlocal root
        if count > 1:
            wide = root << 16
            value = ((3 << 32) - count * (wide * wide >> 32)) >> 2
            root = (value * wide >> 31) >> 16
        return ((INTERVAL >> 10) * root >> 16) << 10

    return spacing


def predicted(spacing: Callable[[int], int]) -> list[int]:
    """The drops of `standing`, ms: from 105 ms on, each at the first whole millisecond from its time on; 15 bring 19 ms to 4 ms."""
    time, drops = TARGET + INTERVAL, []
    for count in range(1, 16):
        drops.append(-(-time // MS))
        time += spacing(count)
    return drops


def run(command: list[str], arrivals: Arrivals) -> Run:
    text = "".join(f"{time} {size}\n" for time, size in arrivals)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PeerError(f"{command[0]} failed: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    if result["refused"] or result["sent"] + len(result["drops"]) != len(arrivals):
        raise PeerError(f"{command[0]}: {result['sent']} sent and {len(result['drops'])} dropped of {len(arrivals)}")
    return Run(result["sent"], result["sojourn_ns"], result["drops"])


def ns3_command() -> list[str]:
    """ns-3's side, built if need be."""
    program = str(build_ns3(SOURCE))
    return [program, f"rate={RATE}", f"target_us={TARGET // 1000}", f"interval_us={INTERVAL // 1000}"]


def main() -> None:
    peer = ns3_command()
    build = ["cargo", "build", "--quiet", "--release", "--locked", "-p", "cwnd-link", "--example", "codel"]
    subprocess.run(build, cwd=ROOT, check=True)
    ours = [str(ROOT / "target" / "release" / "examples" / "codel"), str(RATE), str(TARGET), str(INTERVAL)]

    arrivals = standing()
    rows = {
        "cwnd": [time // MS for time in run(ours, arrivals).drops],
        "exact root": predicted(exact_spacing),
        "ns-3": [time // MS for time in run(peer, arrivals).drops],
        "one Newton step": predicted(newton_spacings()),
    }
    print("a standing queue of 19 ms, drops in ms")
    for name, drops in rows.items():
        print(f"  {name:16} {' '.join(f'{time:4}' for time in drops)}")
    for load, sizes in ((1.05, (1500,)), (1.5, (1500,)), (1.05, (1500, 500, 100))):
        arrivals = overload(load, 60, sizes)
        print(f"Poisson, {load} of the rate, sizes {sizes}, 60 s, {len(arrivals)} packets")
        for name, command in {"cwnd": ours, "ns-3": peer}.items():
            print(f"  {name:16} {run(command, arrivals).words()}")
    agrees = rows["cwnd"] == rows["exact root"] and rows["ns-3"] == rows["one Newton step"]
    print("each drops when its root says" if agrees else "one does not drop when its root says")
    sys.exit(not agrees)


if __name__ == "__main__":
    try:
        main()
    except PeerError as error:
        raise SystemExit(f"error: {error}") from None
