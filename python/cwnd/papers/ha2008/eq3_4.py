# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import from_linux, kept_fraction, with_c
from cwnd.reproduce.numbers import JsonObject

CUBIC = "cubic-2.2"
#: Unstated: a link that never limits, a short round trip, and losses that keep the window between 20 and 400 packets.
LINK: JsonObject = {"rate": "2Gbit/s", "rtt": "10ms", "queue": {"kind": "droptail", "limit": "1bdp"}}
PERIODS = (300, 1000, 3000, 10000, 100000)
#: Without the cubic: 0.001 t³ is less than a packet for ten seconds.
SMALL_C = 0.001


@dataclass(frozen=True, slots=True)
class Eq3_4Numbers:
    """What a run is reduced to."""

    mbps: float
    cwnd: float


class Eq3_4(Experiment[Eq3_4Numbers]):
    """Equations 3 and 4: the TCP-friendly region's AIMD is as fast as standard TCP, and W_tcp(t) in closed form.

    An increase of α = 3β/(2−β) for a decrease by β gives AIMD(α, β) the rate of AIMD(1, 0.5) at the same loss rate (β here: the part given up).
    It runs as CUBIC in its TCP region: with C so small that the cubic has no effect. Equation 4 lets W_tcp grow with t/RTT from
    W_max (1−β); Algorithm 1 lets it grow with each acknowledgement. Left open: link, loss rates, delayed acknowledgements.
    """

    title = "AIMD(α, β) compared with AIMD(1, 0.5) at the same losses, and two forms of W_tcp"
    cubic = CUBIC

    def grid(self, setup: Setup) -> list[Point]:
        aimd: JsonObject = {**with_c(setup.cubic, SMALL_C), "fast_convergence": False, "ack_every": 1}
        # The kernel has no closed form: with its sets, both forms are Algorithm 1's with the same part kept.
        with_small_c = {
            **with_c(CUBIC, SMALL_C),
            "beta": kept_fraction(setup.cubic),
            "fast_convergence": False,
            "ack_every": 1,
        }
        either = with_small_c if from_linux(setup.cubic) else aimd
        forms: Mapping[str, JsonObject] = {
            "standard": {"cc": "reno", "ack_every": 1},
            "aimd": aimd,
            "closed": {**either, "friendliness": "formula"},
            "per ACK": {**either, "friendliness": "window"},
            "closed, delayed ACKs": {**either, "friendliness": "formula", "ack_every": 2},
            "per ACK, delayed ACKs": {**either, "friendliness": "window", "ack_every": 2},
        }

        def point(name: str, kind: str, period: int, loss: str, seeds: int) -> Point:
            # 200 periods at the rate of standard TCP, 1.22/√p packets per round trip; the first 20 are not measured.
            seconds = 200 * period * 0.01 / (1.22 * period**0.5)
            scenario: JsonObject = {
                "duration": f"{seconds:.3f}s",
                "measure": [f"{seconds / 10:.3f}s", f"{seconds:.3f}s"],
                "link": {**LINK, "loss": loss},
                # With the recovery of the paper's hosts, all of them.
                "flow": [{**forms[name], "recovery": "sack", "initial_ssthresh": round(1.4 * period**0.5)}],
            }
            info: dict[str, float | str] = {"name": name, "kind": kind, "period": period}
            return Point(f"{name}, {kind}, 1/{period}", scenario, seeds=seeds, info=info)

        periods, seeds = setup.pick(PERIODS, PERIODS[:-1]), setup.seeds(full=10, short=5)
        every = [point(name, "every", n, f"every:{n}", 1) for name in forms for n in periods]
        random = [
            point(name, "random", n, f"random:{1 / n:.8f}", seeds) for name in ("standard", "aimd") for n in periods
        ]
        return every + random

    def reduce(self, run: Result, point: Point) -> Eq3_4Numbers:
        flow = run.summary["flows"][0]
        return Eq3_4Numbers(mbps=flow["throughput_mbps"], cwnd=flow["cwnd_mean"])

    def claims(self, results: Results[Eq3_4Numbers]) -> dict[str, Answer]:
        periods = results.swept("period")

        def ratio(kind: str) -> dict[str, list[float]]:
            return {
                f"p = 1/{n}": results.ratio(f"aimd, {kind}, 1/{n}", f"standard, {kind}, 1/{n}", "mbps") for n in periods
            }

        def apart(n: float, acks: str) -> float:
            closed, per_ack = (results.mean(f"{form}{acks}, every, 1/{n}", "cwnd") for form in ("closed", "per ACK"))
            return closed - per_ack

        forms = {f"p = 1/{n}{acks}": apart(n, acks) for n in periods for acks in ("", ", delayed ACKs")}
        return {
            "aimd-rate-deterministic": Measured(ratio("every")),
            "aimd-rate-bernoulli": Measured(ratio("random")),
            "w-tcp-forms": Measured(forms, "Mean windows over the run."),
        }

    def plot(self, results: Results[Eq3_4Numbers], figure: Figure) -> None:
        axes = figure.subplots()
        for kind, losses, marker in (("every", "every 1/p-th", "o"), ("random", "random", "s")):
            for name, label in (("standard", "AIMD(1, 0.5)"), ("aimd", "AIMD(α, β)")):
                periods, means = results.line(results.where(name=name, kind=kind), "period", "cwnd")
                axes.loglog([1 / n for n in periods], means, marker=marker, label=f"{label}, {losses}")
        rates = [1 / n for n in PERIODS]
        axes.loglog(rates, [(1.5 / p) ** 0.5 for p in rates], "-", color="black", linewidth=0.8, label="√(3/2p)")
        axes.set(xlabel="loss rate p", ylabel="mean window (packets)")
        axes.legend()
