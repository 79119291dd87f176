# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.papers.ha2008.setups.prescribed_losses import (
    BETA,
    RATE,
    Short,
    Trace,
    flow_with_losses,
    one_sided,
    phases,
    tcp_region,
)
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Point, Result, Results, Setup
from cwnd.reproduce.forms import recorded
from cwnd.reproduce.numbers import JsonObject

#: Unstated: the slow start threshold, and the packets that are lost: two far apart, and one soon after.
SSTHRESH, LOST = 400, [10_000, 80_000, 95_000]
#: Unstated: an outage that ends in a timeout, s; the flow is recorded until then, and for ten seconds after.
OUTAGE_S = (40, 43)
PACKET = 1


class Algorithm1(Experiment[Trace | Short]):
    """Algorithm 1: CUBIC 2.2 as pseudocode, each labelled part (3.2 to 3.7) in a trace.

    One flow goes through slow start, a first loss, an epoch beyond its plateau, a loss above W_max, one soon after below it, and an outage that ends in a
    timeout. Another flow, with a short round trip, is in the TCP region. No acknowledgement is delayed. Left open: everything but the constants.
    """

    title = "Each part of Algorithm 1 in a trace"
    cubic = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        flow: JsonObject = {"cc": setup.cubic}
        names = recorded(setup.cubic, "w_max", "k", "origin", "w_tcp", "epoch")
        first, last = OUTAGE_S
        trace = flow_with_losses({**flow, "initial_ssthresh": SSTHRESH}, 100, LOST, last + 10, record={"inner": names})
        outage = [{"rate": {"at": f"{at}s", "to": rate}} for rate, at in (("0bit/s", first), (RATE, last))]
        # 200 packets at 8 ms: a third of a packet per round trip is 42 a second, the cubic's 0.4 t³ no more than that for ten seconds.
        short = flow_with_losses(flow, 8, [200], 8, window=200, record={"inner": recorded(setup.cubic, "w_tcp")})
        return [Point("trace", {**trace, "action": outage}), Point("short", short)]

    def reduce(self, run: Result, point: Point) -> Trace | Short:
        return tcp_region(run) if point.key == "short" else phases(run, SSTHRESH)

    def claims(self, results: Results[Trace | Short]) -> dict[str, Answer]:
        run, short = results.of(Trace, "trace"), results.of(Short, "short")
        return {
            "slow-start": Holds(
                f"every acknowledgement up to ssthresh = {SSTHRESH} adds one packet, and the next window of acknowledgements adds less than 5 %",
                run.slow_steps == [1] and run.after_ssthresh < 1.05,
                run.after_ssthresh,
            ),
            "epoch-start": Holds(
                "at the first acknowledgement after recovery the epoch begins, its origin is W_last_max, W_tcp is the window within a packet, and K is ((W_last_max − cwnd)/C)^⅓ within 1 %",
                run.epoch[:2] == [1, 0] and abs(run.epoch[2]) <= PACKET and abs(run.k_error) <= 0.01 * run.k,
                run.k_error,
            ),
            "concave": one_sided(run.concave, -1),
            "convex": one_sided(run.convex, 1),
            "tcp-region": Holds(
                "at 8 ms, from 2 s after the loss on, the cubic lies below the window, which follows W_tcp within 2 packets",
                short.cubic < 1 and short.behind <= 2,
                short.behind,
            ),
            "decrease": Holds(
                "each of three losses leaves 1 − β of the window within 0.01",
                all(abs(part - (1 - BETA)) <= 0.01 for part in run.drops),
                max(run.drops, key=lambda part: abs(part - (1 - BETA))),
            ),
            "fast-convergence-memory": Holds(
                "W_last_max is the window at losses at or above the last one, and (2 − β)/2 of the window at the loss below it, within 0.01",
                all(abs(part - ours) <= 0.01 for part, ours in zip(run.memory, (1, 1, (2 - BETA) / 2))),
                run.memory[2],
            ),
            "timeout-reset": Holds(
                "W_last_max, K, origin and epoch are 0 at the first acknowledgement after a timeout",
                not any(run.after_timeout),
                max(run.after_timeout),
            ),
        }

    def plot(self, results: Results[Trace | Short], figure: Figure) -> None:
        from cwnd.plot.experiments import over_time

        axes = figure.subplots()
        over_time(axes, {"cwnd": results.of(Trace, "trace").cwnd}, 0.2)
        axes.axhline(SSTHRESH, color="black", linestyle=":", label="initial ssthresh")
        axes.axvspan(*OUTAGE_S, color="0.85", label="outage")
        axes.set(xlabel="time (s)", ylabel="window (packets)", xlim=(0, None), ylim=(0, None))
        axes.legend()
