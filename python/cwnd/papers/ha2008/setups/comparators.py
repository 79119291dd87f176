# SPDX-License-Identifier: MIT OR Apache-2.0
"""Claims about the comparators: window rules, measured on one connection by calling hooks, and networks for what one connection cannot show.

H-TCP counts acknowledged segments, as its module of Linux did from 2.6.18 at the latest (net/ipv4/tcp_htcp.c), and `sack` acknowledgements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cwnd.metrics.series import by_flow
from cwnd.papers.ha2008.setups.hook_calls import connection, growth_per_round_trip, round_trip, with_window
from cwnd.reproduce import Answer, Figure, Holds, Measured, Point, Reduced, Result, Results, Setup

#: Unstated: a round trip without queues, µs.
BASE_US = 40_000


def stcp() -> Reduced:
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
    return {"windows": list(windows), "rounds": round_trips}


def hstcp() -> Reduced:
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
    return {
        "windows": list(windows),
        "increase": increase,
        "decrease": decrease,
        "below": below("highspeed"),
        "below_sack": below("sack"),
    }


def htcp_growth() -> Reduced:
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
    return {"growth": growths}


def htcp_decrease() -> Reduced:
    """Part kept at a loss, by the longest round trip seen before it."""
    ratios, kept = [], []
    for longest in (51_000, 55_000, 60_000, 65_000, 70_000, 75_000, 79_000):
        hooks = connection("htcp", 1000)
        for rtt_us in (BASE_US, longest):
            round_trip(hooks, rtt_us)
        window = hooks.get("cwnd")
        ratios.append(BASE_US / longest)
        kept.append(hooks.loss() / window)
    return {"ratio": ratios, "kept": kept}


def vegas() -> Reduced:
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
    return changes_by_case


def fast_updates() -> Reduced:
    """Changes of the window in twenty round trips far below the threshold."""
    hooks = connection("fast", 1000)
    for _ in range(10):
        round_trip(hooks, BASE_US)
    return {"changes": [round_trip(hooks, BASE_US) for _ in range(20)]}


def fast_steps() -> Reduced:
    """The step of an update at a window of 1000, by the packets in queues; and the part of the window kept at a loss."""
    waitings, steps = (0, 25, 50, 75, 125, 150, 200, 300), []
    for waiting in waitings:
        hooks = connection("fast", 1000)
        round_trip(hooks, BASE_US)
        changes = []
        for _ in range(40):
            # The mean round trip follows after some windows.
            with_window(hooks, 1000)
            changes.append(round_trip(hooks, round(BASE_US / (1 - waiting / 1000))))
        steps.append(max(changes[-2:], key=abs))
    halves = [[window, connection("fast", window).loss() / window] for window in (20, 1000)]
    return {"waiting": list(waitings), "steps": steps, "halves": halves}


def westwood() -> Reduced:
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
    return {"found": ratios}


def illinois() -> Reduced:
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
    return by_delay


def veno() -> Reduced:
    """Part kept at a loss with one packet of 100 in queues, and with ten."""
    by_cause = {}
    for name, waiting in (("random", 1), ("congestive", 10)):
        hooks = connection("veno", 100)
        round_trip(hooks, BASE_US)
        for _ in range(3):
            round_trip(with_window(hooks, 100), round(BASE_US / (1 - waiting / 100)))
        by_cause[name] = with_window(hooks, 100).loss() / 100
    return by_cause


#: All rules, by name.
RULES = {
    rule.__name__: rule
    for rule in (stcp, hstcp, htcp_growth, htcp_decrease, vegas, fast_updates, fast_steps, westwood, illinois, veno)
}


def draw(measured: dict[str, Reduced], figure: Figure) -> None:
    """The rules in four panels: recovery of STCP, HSTCP's two factors, H-TCP's growth, FAST's step."""
    figure.set_size_inches(6.4, 5.6)
    (stcp, hstcp), (htcp, fast) = figure.subplots(2, 2)
    stcp.semilogx(measured["stcp"]["windows"], measured["stcp"]["rounds"], marker="o")
    stcp.set(title="STCP", xlabel="window (packets)", ylabel="recovery (round trips)", ylim=(0, 16))
    hstcp.loglog(measured["hstcp"]["windows"], measured["hstcp"]["increase"], marker="o", label="increase (packets)")
    hstcp.loglog(measured["hstcp"]["windows"], measured["hstcp"]["decrease"], marker="s", label="decrease (part)")
    hstcp.set(title="HSTCP", xlabel="window (packets)", ylabel="per round trip, per loss")
    hstcp.legend(fontsize="small")
    for index, (window, marker) in enumerate(zip((100, 1000, 5000), "os^")):
        increases = [row[index] for row in measured["htcp_growth"]["growth"]]
        htcp.plot((2, 4, 8), increases, marker=marker, markersize=9 - 3 * index, label=f"{window} packets")
    htcp.set(
        title="H-TCP", xlabel="time since the loss (s)", ylabel="increase (packets per round trip)", ylim=(0, None)
    )
    htcp.legend(fontsize="small")
    fast.plot(measured["fast_steps"]["waiting"], measured["fast_steps"]["steps"], marker="o")
    fast.axhline(0, color="black", linewidth=0.8)
    fast.set(title="FAST", xlabel="packets in queues (threshold: 100)", ylabel="step of an update (packets)")


#: Unstated: two round trips for H-TCP and FAST, on figure 9's link.
FAR_MS, NEAR_MS = 162, 40
#: The set that has Hybla's growth rules.
HYBLA = "hybla-growth"
#: Hybla: the document's reference, and round trips below and above it, ms.
REFERENCE_MS, BELOW_MS, ABOVE_MS = 20, (5, 10, 15), (40, 80, 160)


def points(setup: Setup) -> list[Point]:
    """Round trips that differ, random losses, gaps between packets, growth without a limit."""
    end, seeds = setup.seconds(full=600, short=120), setup.seeds(full=10, short=3)
    points = []
    for name in ("sack", "htcp", "fast"):
        flows = [
            {"cc": name, "rtt": f"{rtt}ms", "start": {"uniform": ["0s", "1s"]}, "overhead": "30us"}
            for rtt in (FAR_MS, NEAR_MS)
        ]
        link = {"rate": "400Mbit/s", "rtt": f"{FAR_MS}ms", "queue": {"kind": "droptail", "limit": "2MB"}}
        scenario = {"duration": f"{end:g}s", "measure": [f"{end / 4:g}s", f"{end:g}s"], "link": link, "flow": flows}
        points.append(Point(f"RTTs, {name}", scenario, seeds=seeds))
    for name in ("westwood", "newreno"):
        # The same recovery for both, so that only the window after a loss differs.
        link = {"rate": "10Mbit/s", "rtt": "100ms", "loss": "random:0.01"}
        points.append(
            Point(
                f"random, {name}",
                {"duration": "200s", "link": link, "flow": [{"cc": name, "recovery": "newreno"}]},
                seeds=seeds,
            )
        )
    unlimited: dict[str, Any] = {"rate": "10Gbit/s", "queue": {"kind": "droptail", "limit": "1bdp"}}
    paced = {"cc": "fast", "rwnd": 100, "ack_every": 1}
    record = {"interval": "100us"}
    points.append(
        Point("gaps", {"duration": "5s", "link": {**unlimited, "rtt": "100ms"}, "flow": [paced], "record": record})
    )
    for rtt in (*BELOW_MS, *ABOVE_MS):
        for name in (HYBLA, "newreno"):
            reference = {"rtt0_ms": REFERENCE_MS} if name == HYBLA else {}
            flow: dict[str, Any] = {"cc": name, "initial_ssthresh": 10, "ack_every": 1, **reference}
            growth: dict[str, Any] = {
                "duration": f"{0.1 * rtt:g}s",
                "link": {**unlimited, "rtt": f"{rtt}ms"},
                "flow": [flow],
                "record": {"interval": f"{rtt}ms"},
            }
            points.append(Point(f"growth, {name}, {rtt} ms", growth))
    return points


def reduced(run: Result, point: Point) -> Reduced:
    """The numbers that the claims of a point need."""
    flows = run.summary["flows"]
    if point.key.startswith("RTTs"):
        return {"ratio": flows[0]["throughput_mbps"] / flows[1]["throughput_mbps"]}
    if point.key.startswith("random"):
        return {"mbps": flows[0]["throughput_mbps"]}
    _, (times, left, windows) = next(by_flow(run.cwnd, "time_s", "forwarded", "cwnd"))
    if point.key == "gaps":
        # The second half of the run: the window stands at its limit. Times at which packets had left, to a tenth of a millisecond.
        sent = times[1:][np.diff(left) > 0]
        gaps = np.diff(sent[sent > times[-1] / 2])
        return {"largest": float(gaps.max()), "even": float(times[-1] / 2 / np.diff(left)[len(left) // 2 :].sum())}
    return {"growth": [float(window) for window in windows]}


def answers(results: Results) -> dict[str, Answer]:
    """Answers to the claims about networks."""
    gaps = results["gaps"][0]
    windows = {key: results[key][0]["growth"] for key in results if key.startswith("growth")}

    def above(rtt: int) -> float:
        hybla, newreno = (windows[f"growth, {name}, {rtt} ms"] for name in (HYBLA, "newreno"))
        return float((hybla[-1] - hybla[len(hybla) // 2]) / (newreno[-1] - newreno[len(newreno) // 2]))

    return {
        "htcp-rtt-fairness": Measured(results.ratio("RTTs, htcp", "RTTs, sack", "ratio")),
        "fast-paced": Holds(
            "with a window of 100 packets and a round trip of 100 ms no two packets are further apart than twice an even gap",
            gaps["largest"] <= 2 * gaps["even"],
            gaps["largest"] / gaps["even"],
            "the largest gap over an even one",
        ),
        "fast-rtt-fairness": Measured(results.ratio("RTTs, fast", "RTTs, sack", "ratio")),
        "westwood-random-loss": Measured(results.ratio("random, westwood", "random, newreno", "mbps")),
        "hybla-below-reference": Holds(
            f"at {BELOW_MS} ms its window is NewReno's in each of a hundred round trips, to within a packet",
            all(
                abs(a - b) <= 1
                for rtt in BELOW_MS
                for a, b in zip(windows[f"growth, {HYBLA}, {rtt} ms"], windows[f"growth, newreno, {rtt} ms"])
            ),
        ),
        "hybla-above-reference": Measured({f"{rtt} ms": above(rtt) for rtt in ABOVE_MS}),
    }
