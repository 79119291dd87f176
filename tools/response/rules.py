# SPDX-License-Identifier: MIT OR Apache-2.0
"""Response functions: from each algorithm's rule, and as published.

Under deterministic loss an algorithm settles into a cycle. A loss is noticed at a window W; for one round trip, in which
it is repaired, the window is W' and does not grow, while the acknowledgements of the W segments that were out arrive. Then
every acknowledgement adds g(w)/w segments, where g is the rule's growth per round trip, until the next loss is noticed at
W: it takes w/g acknowledgements from w to w + 1. Every segment of a cycle is acknowledged in it, and one of them is
lost, so

    W + Σ w/g(w) + s = 1/p,        the sum over w = W' … W − 1, and 0 ≤ s < W/g(W) acknowledgements at W itself.

Time runs by round trips: the acknowledgements of one are the segments that were sent in the one before, which is as many
as it had acknowledgements and by how much the window grew. `Rule.cycle` solves the first for W and follows the second, with
nothing but g and W', in floating point, independently of the code that runs. The published formulas leave out the round
trip of the repair, the wholeness of segments, and the growth within a round trip: they are the limit for cycles of many
round trips and large windows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path

from tools.docs.pages import ABOUT, FragmentError, check, pages


@dataclass(frozen=True)
class Cycle:
    """A steady state: window at a loss, its mean over time, round trips from loss to loss."""

    w_max: float
    mean: float
    rounds: float


@dataclass(frozen=True)
class Rule:
    """One algorithm's rule, as far as deterministic loss without queueing sees it."""

    #: Window after a loss at the given one, in whole segments.
    reduced: Callable[[int], int]
    #: Growth per round trip at window w, r round trips after the repair, when the last loss was noticed at w_max.
    growth: Callable[[int, float, int], float] | None = None
    #: Instead of `growth`: round trips after the repair at which the window reaches w.
    reached: Callable[[int, int], float] | None = None
    #: The published formula: mean window at a loss rate.
    formula: Callable[[float], float] | None = None
    formula_text: str = ""
    #: Largest loss rate at which what the formula leaves out is less than 5 %.
    formula_to: float = 0.0
    #: Settings of the flow that formula and cycle assume.
    settings: dict[str, str | bool] = field(default_factory=dict)

    def segments(self, w_max: int) -> Iterator[tuple[int, float]]:
        """Windows of a climb, the last one w_max, and how many acknowledgements each of them lasts."""
        w = self.reduced(w_max)
        sent, arrived, rounds, grown = float(w), 0.0, 0.0, 0
        while w <= w_max:
            needed = self.needs(w, rounds + arrived / sent, w_max)
            yield w, needed
            w, arrived, grown = w + 1, arrived + needed, grown + 1
            while arrived >= sent and w <= w_max:  # the next round trip
                arrived, sent, rounds, grown = arrived - sent, sent + grown, rounds + 1, 0

    def needs(self, w: int, now: float, w_max: int) -> float:
        """Acknowledgements from w to w + 1, from `now` on, round trips after the repair."""
        if self.reached is not None:
            return w * max(0.0, self.reached(w + 1, w_max) - max(now, self.reached(w, w_max)))
        assert self.growth is not None
        half = now + 0.5 / self.growth(w, now, w_max)
        return w / self.growth(w, half, w_max)

    def cycle(self, p: float) -> Cycle:
        """The steady state at loss rate p: the largest window that a climb has just reached when its loss is noticed.

        At small windows there may be several, because segments are whole, an algorithm remembers W, and some are standard
        TCP below a window, where a loss takes more.
        """

        def packets(w_max: int) -> float:
            return w_max + sum(needed for w, needed in self.segments(w_max) if w < w_max)

        high = 4
        while packets(high) <= 1 / p:
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if packets(middle) <= 1 / p else (low, middle)
        for w_max in range(low + 8, max(1, low - 3), -1):
            *_, (_, stay) = self.segments(w_max)
            if packets(w_max) <= 1 / p < packets(w_max) + stay:
                return self.follow(w_max, 1 / p - w_max)
        return self.follow(low, 1 / p - low)

    def follow(self, w_max: int, acknowledgements: float) -> Cycle:
        """A cycle's mean over time and its length: the repair, then the climb, round trip by round trip."""
        kept = self.reduced(w_max)
        sent = area = float(kept)
        rounds, arrived, grown = 1.0, 0.0, 0
        for w, needed in self.segments(w_max):
            left = min(needed, acknowledgements) if w < w_max else acknowledgements
            while left > 1e-9:
                if arrived >= sent * (1 - 1e-12):
                    sent, arrived, grown = sent + grown, 0.0, 0
                part = min(left, sent - arrived)
                area += w * part / sent
                rounds += part / sent
                left, acknowledgements, arrived = left - part, acknowledgements - part, arrived + part
            grown += 1
        return Cycle(w_max, area / rounds, rounds)


def aimd(increase: float, kept: float, formula_to: float, small: int = 0) -> Rule:
    """Additive increase, multiplicative decrease: mean = √(a(1 + b) / (2(1 − b) p)) (`rhee2005` eq 2).

    Up to a window of `small` it is standard TCP.
    """
    constant = math.sqrt(increase * (1 + kept) / (2 * (1 - kept)))
    return Rule(
        growth=lambda w, _r, _m: increase if w > small else 1.0,
        reduced=lambda w: int(kept * w if w > small else w / 2),
        formula=lambda p: constant / math.sqrt(p),
        formula_text=f"{constant:.3f}/√p",
        formula_to=formula_to,
    )


def highspeed_b(w: float) -> float:
    """RFC 3649 §5: the part of the window that a loss takes."""
    return 0.5 if w <= 38 else 0.5 - 0.4 * math.log(w / 38) / math.log(83_000 / 38)


def highspeed_a(w: float) -> float:
    """RFC 3649 §5: w² p(w) 2b/(2 − b), with p(w) = 0.078125/w^1.2 as its program has it."""
    b = highspeed_b(w)
    return max(1.0, w * w * 0.078125 / w**1.2 * 2 * b / (2 - b)) if w > 38 else 1.0


def highspeed() -> Rule:
    return Rule(
        growth=lambda w, _r, _m: highspeed_a(w),
        reduced=lambda w: w - int(highspeed_b(w) * w),
        formula=lambda p: max(1.2 / math.sqrt(p), 0.12 / p**0.835),
        formula_text="0.12/p^0.835, at least 1.2/√p (RFC 3649, tables 2 and 3)",
        formula_to=1e-3,
    )


def scalable() -> Rule:
    # Growth by a factor e^0.01 per round trip from 7/8 W to W: 12.5 W packets in ln(8/7)/0.01 = 13.4 round trips, and
    # 7/8 W in that of the repair: mean = 1/(14.35 p). Kelly's own a/(b p) = 0.08/p balances growth and loss at one window.
    return Rule(
        growth=lambda w, _r, _m: 1.0 if w <= 16 else 0.01 * w,
        reduced=lambda w: w - w // 2 if w <= 16 else w - w // 8,
        formula=lambda p: 1 / ((1 + math.log(8 / 7) / 0.01) * p),
        formula_text="0.0697/p, from the rule (Kelly's equilibrium: 0.08/p)",
        formula_to=1e-4,
    )


def bic_growth(w: int, _r: float, w_max: int) -> float:
    """Far below the last loss' window 16 segments, then a quarter of the distance, then 1/5 of a segment."""
    step = (w_max - w) // 4  # whole segments, as the code divides
    if w <= 14:
        return 1.0
    return 16.0 if step > 16 else 0.2 if step <= 1 else float(step)


def bic() -> Rule:
    return Rule(
        growth=bic_growth,
        reduced=lambda w: w // 2 if w <= 14 else int(w * 819 / 1024),
        settings={"fast_convergence": False},
    )


def bic_2004() -> Rule:
    """The paper's: half the distance per round trip, at most 32 segments, once the half is below 0.01 all of it; 7/8 kept."""

    def reached(w: int, w_max: int) -> float:
        at, rounds = float(w_max * 7 // 8), 0.0
        while True:
            distance = w_max - at
            step = max(1.0, -distance) if distance <= 0 else distance if distance < 0.02 else distance / 2
            step = min(32.0, step, at)  # at most a segment per acknowledged segment
            if at + step >= w:
                return rounds + (w - at) / step
            at, rounds = at + step, rounds + 1

    return Rule(
        reached=reached, reduced=lambda w: w // 2 if w < 14 else w * 7 // 8, settings={"fast_convergence": False}
    )


def yeah() -> Rule:
    # Without queueing every round is fast: Scalable TCP, a segment for min(w, 100) acknowledged, an eighth taken by a loss.
    return Rule(
        growth=lambda w, _r, _m: max(1.0, 0.01 * w),
        reduced=lambda w: w - (w >> 3),
        formula=lambda p: 1 / ((1 + math.log(8 / 7) / 0.01) * p),
        formula_text="0.0697/p, as Scalable TCP",
        formula_to=1e-4,
    )


def cubic(rtt_s: float, kept: float, source: str, *, linux: bool = False) -> Rule:
    """Concave to the plateau, or Reno-friendly where that is the faster one."""
    # Linux rounds windows down, and its α is 8/15.
    c, alpha = 0.4, 8 / 15 if linux else 3 * (1 - kept) / (1 + kept)

    def reduced(w: int) -> int:
        return int(kept * w) if linux else round(kept * w)

    def reached(w: int, w_max: int) -> float:
        after = reduced(w_max)
        curve = math.cbrt((w_max - after) / c) + math.cbrt((w - w_max) / c)
        return min(curve / rtt_s, (w - after) / alpha)

    constant = (c * (3 + kept) / (4 * (1 - kept))) ** 0.25
    return Rule(
        reached=reached,
        reduced=reduced,
        formula=lambda p: max(1.2 / math.sqrt(p), constant * (rtt_s / p) ** 0.75),
        formula_text=f"{constant:.3f} (RTT/p)^0.75, at least 1.2/√p ({source})",
        formula_to=1e-3,
        settings={"fast_convergence": False, "slow_start": "standard"},
    )


def htcp(rtt_s: float) -> Rule:
    """H-TCP without queueing: RTTmin = RTTmax, so 0.8 are kept, and α is multiplied by 2 (1 − 0.8) = 0.4."""

    def growth(_w: int, rounds: float, _m: int) -> float:
        over_s = max(0.0, (rounds + 1) * rtt_s - 1)  # since the loss was noticed, beyond Δ_L
        return 0.4 * (1 + 10 * over_s + (over_s / 2) ** 2)

    return Rule(growth=growth, reduced=lambda w: int(0.8 * w))


def sqrt() -> Rule:
    # Binomial with k = l = 1/2 (Bansal and Balakrishnan 2001): mean = √(α/β)/√p, α = 1, β = 2/3.
    return Rule(
        growth=lambda w, _r, _m: 1 / math.sqrt(w),
        reduced=lambda w: w - round(2 / 3 * math.sqrt(w)),
        formula=lambda p: math.sqrt(1.5 / p),
        formula_text="√(α/β)/√p = 1.225/√p (Bansal and Balakrishnan 2001)",
        formula_to=1e-3,
    )


def hybla(rtt_s: float) -> Rule:
    # ρ = RTT / 25 ms, at least 1: ρ² segments per round trip.
    return aimd(max(1.0, rtt_s / 0.025) ** 2, 1 / 2, 1e-4)


def westwood(p: float) -> float:
    """Where Westwood+ stops growing when nothing queues: 1/(2p).

    A loss takes the window to the mean of what was delivered lately. That mean lies less below the window than the
    window has grown since the last loss, so no cycle with growth in it closes: the window gains until there is none,
    that is, until a cycle is two round trips of W segments each, one to notice the loss and one to repair it.
    """
    return 0.5 / p


#: What `rule` of a `[response.SET]` in docs/reference/algorithms/about may name; its other keys are the function's arguments.
RULES: dict[str, Callable[..., Rule]] = {
    each.__name__: each for each in (aimd, bic, bic_2004, cubic, highspeed, htcp, hybla, scalable, sqrt, yeah)
}
#: The same for algorithms without a cycle: they do not settle by losses, or never settle (see `westwood`).
BY_DELAY, WITHOUT_CYCLE = "by_delay", "without_cycle"


def rule_of(about: str, name: str, fields: dict[str, object], rtt_s: float) -> Rule | None:
    """The rule that `[response.NAME]` of a file describes, at a round trip time; none if it has no cycle."""
    kind, given = fields.get("rule"), {key: value for key, value in fields.items() if key != "rule"}
    if kind in (BY_DELAY, WITHOUT_CYCLE):
        check(about, f"[response.{name}]", set(given), set(), set())
        return None
    if not isinstance(kind, str) or kind not in RULES:
        known = ", ".join([*RULES, BY_DELAY, WITHOUT_CYCLE])
        raise FragmentError(f"{about}: [response.{name}]: rule: {kind} is none of {known}")
    arguments = signature(RULES[kind]).parameters
    required = {key for key, each in arguments.items() if each.default is each.empty} - {"rtt_s"}
    check(about, f"[response.{name}]", set(given), required, arguments.keys() - {"rtt_s"})
    return RULES[kind](**given, **({"rtt_s": rtt_s} if "rtt_s" in arguments else {}))


def responses(rtt_s: float, folder: Path = ABOUT) -> dict[str, Rule | None]:
    """Every parameter set that an algorithm's file gives a response function, in the registry's order."""
    return {
        name: rule_of(f"{page.name}.toml", name, fields, rtt_s)
        for page in pages(folder)
        for name, fields in page.about["response"].items()
    }


def rules(rtt_s: float) -> dict[str, Rule]:
    """The rule of every algorithm that settles by losses, at a round trip time."""
    return {name: rule for name, rule in responses(rtt_s).items() if rule is not None}


def settling_by_delay() -> list[str]:
    """Algorithms that judge by delay."""
    return [
        name for page in pages() for name, fields in page.about["response"].items() if fields.get("rule") == BY_DELAY
    ]
