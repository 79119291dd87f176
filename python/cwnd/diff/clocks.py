# SPDX-License-Identifier: MIT OR Apache-2.0
"""The clocks of the hosts of two runs: timers and some algorithms count their ticks."""

from __future__ import annotations

from collections.abc import Sequence

from cwnd.diff.sides import Side
from cwnd.result.lanes import SIM
from cwnd.result.result import Result

#: The name of a kernel's tick rate among the settings that a run reports.
SETTING = "CONFIG_HZ"


def clocks(side: Side) -> list[int]:
    """The tick rates of a run's hosts (Hz), ascending; none for several runs and for earlier versions' runs in a kernel."""
    if not isinstance(side, Result):
        return []
    if side.lane == SIM:
        return side.scenario.host_clocks
    kernels = side.summary.get("live") or side.summary.get("linux")
    rate = kernels["settings"].get(SETTING) if kernels else None
    return [int(rate)] if rate else []


def clock_notes(a: Side, b: Side) -> Sequence[str]:
    """A line where a run in the simulator is compared with one of a kernel whose clock is another one."""
    if not (isinstance(a, Result) and isinstance(b, Result)) or (a.lane == SIM) == (b.lane == SIM):
        return ()
    ours, theirs = clocks(a), clocks(b)
    if not ours or not theirs or ours == theirs:
        return ()
    wanted = f"{(theirs if a.lane == SIM else ours)[0]}Hz"
    return (
        f"A's hosts have a clock of {in_words(ours)}, B's of {in_words(theirs)}: host_clock = \"{wanted}\" makes them comparable",
    )


def in_words(rates: Sequence[int]) -> str:
    return " and ".join(f"{rate} Hz" for rate in rates)
