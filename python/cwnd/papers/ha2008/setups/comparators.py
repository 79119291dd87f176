# SPDX-License-Identifier: MIT OR Apache-2.0
"""Window rules of the comparators, measured on one connection by calling the algorithms' hooks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from cwnd.papers.ha2008.setups.hook_calls import connection, growth_per_round_trip, round_trip, with_window
from cwnd.reproduce import Figure, Results

K = TypeVar("K")
#: Unstated: a round trip without queues, µs.
BASE_US = 40_000


@dataclass(frozen=True, slots=True)
class Stcp:
    """STCP."""

    #: Windows, and the number of round trips until each is reached again after a loss.
    windows: list[int]
    rounds: list[float]


def stcp() -> Stcp:
    """Round trips until the window before a loss is reached again: whole round trips, and the fraction of the last one."""
    windows, round_trips = (100, 1000, 10_000, 100_000), []
    for window in windows:
        hooks = connection("scalable", window)
        hooks.loss()
        count, before = 0, hooks.get("cwnd")
        while hooks.get("cwnd") < window:
            before = hooks.get("cwnd")
            hooks.rounds(1)
            count += 1
        round_trips.append(count - (hooks.get("cwnd") - window) / (hooks.get("cwnd") - before))
    return Stcp(windows=list(windows), rounds=round_trips)


@dataclass(frozen=True, slots=True)
class Hstcp:
    """HSTCP."""

    windows: list[int]
    #: Packets per round trip, and the part given up at a loss, by window.
    increase: list[float]
    decrease: list[float]
    #: Windows below the cutoff.
    below: list[int]
    below_sack: list[int]


def hstcp() -> Hstcp:
    """Below the cutoff, windows of HSTCP and of SACK; above it, increase per round trip and decrease factor, by window."""

    def below(cc: str) -> list[int]:
        hooks, windows_reached = connection(cc, 4), []
        while hooks.get("cwnd") < 38:
            hooks.rounds(1)
            windows_reached.append(hooks.get("cwnd"))
        return windows_reached + [connection(cc, window).loss() for window in (10, 20, 38)]

    windows, increase, decrease = (100, 300, 1000, 5000, 20_000, 80_000), [], []
    for window in windows:
        hooks = connection("highspeed", window)
        # The mean of ten round trips: the window has whole packets.
        hooks.rounds(10)
        increase.append((hooks.get("cwnd") - window) / 10)
        decrease.append(1 - connection("highspeed", window).loss() / window)
    return Hstcp(
        windows=list(windows), increase=increase, decrease=decrease, below=below("highspeed"), below_sack=below("sack")
    )


@dataclass(frozen=True, slots=True)
class HtcpGrowth:
    """H-TCP after a loss."""

    #: Packets per round trip 2, 4 and 8 s after a loss; at three windows each.
    by_time: list[list[int]]


def htcp_growth() -> HtcpGrowth:
    """Growth of a round trip, 2, 4 and 8 s after a loss, at three windows."""
    growths = []
    for seconds in (2, 4, 8):
        row = []
        for window in (100, 1000, 5000):
            hooks = connection("htcp", window)
            hooks.set("now_us", 1_000_000)
            round_trip(hooks, BASE_US)
            hooks.loss()
            with_window(hooks, window).set("now_us", 1_000_000 * (1 + seconds))
            row.append(growth_per_round_trip(hooks, window, BASE_US))
        growths.append(row)
    return HtcpGrowth(by_time=growths)


@dataclass(frozen=True, slots=True)
class HtcpDecrease:
    """H-TCP at a loss."""

    #: The shortest over the longest round trip, and the part of the window kept.
    ratio: list[float]
    kept: list[float]


def htcp_decrease() -> HtcpDecrease:
    """Part kept at a loss, by the longest round trip seen before it."""
    ratios, kept = [], []
    for longest in (51_000, 55_000, 60_000, 65_000, 70_000, 75_000, 79_000):
        hooks = connection("htcp", 1000)
        for rtt_us in (BASE_US, longest):
            round_trip(hooks, rtt_us)
        window = hooks.get("cwnd")
        ratios.append(BASE_US / longest)
        kept.append(hooks.loss() / window)
    return HtcpDecrease(ratio=ratios, kept=kept)


@dataclass(frozen=True, slots=True)
class Vegas:
    """Changes of Vegas's window in ten round trips: with few, some and many packets in queues."""

    rises: list[int]
    holds: list[int]
    falls: list[int]


def vegas() -> Vegas:
    """Changes of the window in ten round trips, by how many of 40 packets are in queues: w (1 − base/RTT)."""
    changes_by_case = {}
    for name, waiting in (("rises", 0.5), ("holds", 2.0), ("falls", 6.0)):
        hooks = connection("vegas", 40)
        round_trip(hooks, BASE_US)
        changes = []
        # The first round trip at this delay ends one without it.
        for _ in range(11):
            with_window(hooks, 40)
            changes.append(round_trip(hooks, round(BASE_US / (1 - waiting / 40))))
        changes_by_case[name] = changes[1:]
    return Vegas(**changes_by_case)


@dataclass(frozen=True, slots=True)
class FastUpdates:
    """Changes of FAST's window, by round trip."""

    changes: list[int]


def fast_updates() -> FastUpdates:
    """Changes of the window in twenty round trips far below the threshold."""
    hooks = connection("fast", 1000)
    for _ in range(10):
        round_trip(hooks, BASE_US)
    return FastUpdates(changes=[round_trip(hooks, BASE_US) for _ in range(20)])


@dataclass(frozen=True, slots=True)
class FastSteps:
    """FAST."""

    #: Packets in queues, and the step of an update, packets.
    waiting: list[int]
    steps: list[int]
    #: Windows, each with the part kept at a loss.
    halves: list[list[float]]


def fast_steps() -> FastSteps:
    """The step of an update at a window of 1000, by the packets in queues; and the part of the window kept at a loss."""
    waitings, steps = (0, 25, 50, 75, 125, 150, 200, 300), []
    for waiting in waitings:
        hooks = connection("fast", 1000)
        round_trip(hooks, BASE_US)
        changes = []
        for _ in range(40):
            # The mean round trip adapts within some windows.
            with_window(hooks, 1000)
            changes.append(round_trip(hooks, round(BASE_US / (1 - waiting / 1000))))
        steps.append(max(changes[-2:], key=abs))
    halves = [[window, connection("fast", window).loss() / window] for window in (20, 1000)]
    return FastSteps(waiting=list(waitings), steps=steps, halves=halves)


@dataclass(frozen=True, slots=True)
class Westwood:
    """Westwood's threshold over rate × minimum RTT."""

    found: list[float]


def westwood() -> Westwood:
    """ssthresh at a loss over rate × minimum RTT, at rates of acknowledgements of 1000, 5000 and 20 000 packets/s."""
    ratios = []
    for rate in (1000, 5000, 20_000):
        bdp = rate * BASE_US / 1e6
        for times in (1, 3):
            # One window has no queue, the other waits for two thirds of its round trip.
            hooks = connection("westwood", round(times * bdp))
            for count in range(40 * times * round(bdp)):
                hooks.set("now_us", 1_000_000 + round(count * 1e6 / rate))
                hooks.ack(1, BASE_US if count < bdp else BASE_US * times)
                hooks.in_ack_event(0)
                with_window(hooks, round(times * bdp))
            ratios.append(hooks.loss() / bdp)
    return Westwood(found=ratios)


@dataclass(frozen=True, slots=True)
class Illinois:
    """Growth of a round trip, packets, and part given up at a loss: without delay, and near the largest."""

    low: list[float]
    high: list[float]


def illinois() -> Illinois:
    """Growth of a round trip and part given up at a loss, without delay and at 90 % of the largest delay (20 ms)."""
    by_delay = {}
    for name, delay_us in (("low", 0), ("high", 18_000)):
        hooks = connection("illinois", 200)
        for rtt_us in (BASE_US, BASE_US + 20_000):
            round_trip(with_window(hooks, 200), rtt_us)
        for _ in range(20):
            change = round_trip(with_window(hooks, 200), BASE_US + delay_us)
        with_window(hooks, 200)
        by_delay[name] = [change, 1 - hooks.loss() / 200]
    return Illinois(**by_delay)


@dataclass(frozen=True, slots=True)
class Veno:
    """The part of Veno's window that a loss leaves."""

    random: float
    congestive: float


def veno() -> Veno:
    """Part kept at a loss with one packet of 100 in queues, and with ten."""
    by_cause = {}
    for name, waiting in (("random", 1), ("congestive", 10)):
        hooks = connection("veno", 100)
        round_trip(hooks, BASE_US)
        for _ in range(3):
            round_trip(with_window(hooks, 100), round(BASE_US / (1 - waiting / 100)))
        by_cause[name] = with_window(hooks, 100).loss() / 100
    return Veno(**by_cause)


#: The numbers of all rules.
Rule = Stcp | Hstcp | HtcpGrowth | HtcpDecrease | Vegas | FastUpdates | FastSteps | Westwood | Illinois | Veno
#: All rules, by name.
RULES: dict[str, Callable[[], Rule]] = {
    rule.__name__: rule
    for rule in (stcp, hstcp, htcp_growth, htcp_decrease, vegas, fast_updates, fast_steps, westwood, illinois, veno)
}


def draw(results: Results[K], figure: Figure) -> None:
    """The rules in four panels: recovery of STCP, HSTCP's two factors, H-TCP's growth, FAST's step."""
    figure.set_size_inches(6.4, 5.6)
    (stcp, hstcp), (htcp, fast) = figure.subplots(2, 2)
    of_stcp, of_hstcp = results.of(Stcp, "stcp"), results.of(Hstcp, "hstcp")
    growth, steps = results.of(HtcpGrowth, "htcp_growth"), results.of(FastSteps, "fast_steps")
    stcp.semilogx(of_stcp.windows, of_stcp.rounds, marker="o")
    stcp.set(title="STCP", xlabel="window (packets)", ylabel="recovery (round trips)", ylim=(0, 16))
    hstcp.loglog(of_hstcp.windows, of_hstcp.increase, marker="o", label="increase (packets)")
    hstcp.loglog(of_hstcp.windows, of_hstcp.decrease, marker="s", label="decrease (part)")
    hstcp.set(title="HSTCP", xlabel="window (packets)", ylabel="per round trip, per loss")
    hstcp.legend(fontsize="small")
    for index, (window, marker) in enumerate(zip((100, 1000, 5000), "os^")):
        increases = [row[index] for row in growth.by_time]
        htcp.plot((2, 4, 8), increases, marker=marker, markersize=9 - 3 * index, label=f"{window} packets")
    htcp.set(
        title="H-TCP", xlabel="time since the loss (s)", ylabel="increase (packets per round trip)", ylim=(0, None)
    )
    htcp.legend(fontsize="small")
    fast.plot(steps.waiting, steps.steps, marker="o")
    fast.axhline(0, color="black", linewidth=0.8)
    fast.set(title="FAST", xlabel="packets in queues (threshold: 100)", ylabel="step of an update (packets)")
