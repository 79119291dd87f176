# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import from_linux, kernels_alpha, with_c
from cwnd.reproduce.numbers import JsonObject

CUBIC = "cubic-2005"
#: Unstated: a link that never limits, a short round trip, and losses that keep the window between 20 and 400 packets.
LINK: JsonObject = {"rate": "2Gbit/s", "rtt": "10ms", "queue": {"kind": "droptail", "limit": "1bdp"}}
PERIODS = (300, 1000, 3000, 10000, 100000)
#: Without the cubic: 0.001 t³ is less than a packet for ten seconds. Both columns keep what the claim is about.
SMALL_C, KEPT = 0.001, 0.8
FORMS: Mapping[str, JsonObject] = {"formula": {}, "printed": {"alpha": 0.5}}
LABELS = {"standard": "AIMD(1, 0.5)", "formula": "AIMD(1/3, 0.8)", "printed": "AIMD(0.5, 0.8), as printed"}


@dataclass(frozen=True, slots=True)
class Eq2_4Numbers:
    """What a run is reduced to."""

    mbps: float
    cwnd: float
    alpha: float | None = None


class Eq2_4(Experiment[Eq2_4Numbers]):
    """Equations 2 to 4: an increase of 3(1-β)/(1+β) gives AIMD that keeps β the rate of AIMD(1, 0.5) at the same loss rate.

    For β = 0.8 that is 1/3, but the text prints 0.5: both run. The AIMD is CUBIC in its TCP mode, with C so small that the cubic has no effect.
    Left open: link, loss rates; delayed acknowledgements are off.
    """

    title = "AIMD(α, 0.8) with α = 1/3 and 0.5, compared with AIMD(1, 0.5) at the same losses"
    cubic = CUBIC

    def grid(self, setup: Setup) -> list[Point]:
        # The kernel's sets have no parameter α: the printed one then uses the document's form.
        printed = CUBIC if from_linux(setup.cubic) else setup.cubic
        sets = {"formula": setup.cubic, "printed": printed}
        common: JsonObject = {"fast_convergence": False, "beta": KEPT}
        cubic = {name: {**with_c(sets[name], SMALL_C), **common, **keys} for name, keys in FORMS.items()}
        forms: Mapping[str, JsonObject] = {"standard": {"cc": "reno"}, **cubic}
        seeds = setup.seeds(full=10, short=5)

        def point(name: str, kind: str, period: int, loss: str) -> Point:
            # 200 periods at 1.22/√p packets per round trip; the first 20 are not measured.
            seconds = 200 * period * 0.01 / (1.22 * period**0.5)
            scenario: JsonObject = {
                "duration": f"{seconds:.3f}s",
                "measure": [f"{seconds / 10:.3f}s", f"{seconds:.3f}s"],
                "link": {**LINK, "loss": loss},
                # With the recovery of the paper's hosts, all of them.
                "flow": [
                    {**forms[name], "recovery": "sack", "ack_every": 1, "initial_ssthresh": round(1.4 * period**0.5)}
                ],
                "record": {
                    "interval": "1s",
                    "inner": ["alpha_x64k"] if name != "standard" and not from_linux(sets[name]) else False,
                },
            }
            info: dict[str, float | str] = {"name": name, "kind": kind, "period": period}
            return Point(f"{name}, {kind}, 1/{period}", scenario, seeds=1 if kind == "every" else seeds, info=info)

        kinds = {"every": "every:{0}", "random": "random:{1:.8f}"}
        periods = setup.pick(PERIODS, PERIODS[:-1])
        return [
            point(name, kind, n, text.format(n, 1 / n))
            for name in forms
            for kind, text in kinds.items()
            for n in periods
        ]

    def reduce(self, run: Result, point: Point) -> Eq2_4Numbers:
        flow = run.summary["flows"][0]
        alpha = None
        if point.info["name"] != "standard":
            alpha = run.inner["value"][-1].as_py() / 65536 if run.scenario.records_inner else kernels_alpha(KEPT)
        return Eq2_4Numbers(mbps=flow["throughput_mbps"], cwnd=flow["cwnd_mean"], alpha=alpha)

    def claims(self, results: Results[Eq2_4Numbers]) -> dict[str, Answer]:
        periods = results.swept("period")

        def ratio(name: str, kind: str) -> Measured:
            keys = {n: f"{kind}, 1/{n}" for n in periods}
            return Measured(
                {f"p = 1/{n}": results.ratio(f"{name}, {key}", f"standard, {key}", "mbps") for n, key in keys.items()}
            )

        alpha = results.values(f"formula, every, 1/{periods[-1]}", "alpha")
        return {
            "alpha": Measured(alpha, "As computed by the running algorithm; the kernel's with integers."),
            "aimd-rate-deterministic": ratio("formula", "every"),
            "aimd-rate-bernoulli": ratio("formula", "random"),
            "printed-alpha-deterministic": ratio("printed", "every"),
            "printed-alpha-bernoulli": ratio("printed", "random"),
        }

    def plot(self, results: Results[Eq2_4Numbers], figure: Figure) -> None:
        axes = figure.subplots()
        looks = (("every", "every 1/p-th", "full", "-"), ("random", "random", "none", "--"))
        for (name, label), marker in zip(LABELS.items(), "osD"):
            for kind, losses, fill, dash in looks:
                periods, windows = results.line(results.where(name=name, kind=kind), "period", "cwnd")
                form = {"marker": marker, "fillstyle": fill, "linestyle": dash}
                axes.loglog([1 / n for n in periods], windows, **form, label=f"{label}, {losses}")
        axes.set(xlabel="loss rate p", ylabel="mean window (packets)")
        axes.legend()
