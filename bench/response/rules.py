# SPDX-License-Identifier: MIT OR Apache-2.0
"""Response functions: from each algorithm's rule, and as published.

Under deterministic loss an algorithm settles into a cycle: a loss is noticed at a window W, one round trip passes at the
reduced window W' while the loss is repaired (the window does not grow then), and then the window grows to W again, by
g segments per round trip, that is: it stays at w segments for 1/g round trips and w/g packets. One of the packets of a
cycle is lost:

    W' + Σ w/g(w) + W·s = 1/p,        mean = (1/p) / (1 + Σ 1/g(w) + s),        both sums over w = W' … W − 1,

where s, below 1/g(W), is how long the window is W before the loss.
`Rule.cycle` solves this for W with nothing but g and W', in floating point, independently of the code that runs. The
published formulas leave out the round trip of the repair and the wholeness of segments: they are the limit for cycles
of many round trips and large windows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field


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
    #: Settings of the flow that formula and cycle assume.
    settings: dict[str, str | bool] = field(default_factory=dict)

    def climb(self, w_max: int) -> tuple[float, float, float]:
        """Packets and round trips from one reduction to the arrival at w_max, and how long the window stays there."""
        kept = self.reduced(w_max)
        packets, rounds = float(kept), 0.0
        for w in range(kept, w_max):
            until = self.leaves(w, rounds, w_max)
            packets += w * (until - rounds)
            rounds = until
        return packets, rounds + 1, self.leaves(w_max, rounds, w_max) - rounds

    def leaves(self, w: int, now: float, w_max: int) -> float:
        """When the window becomes w + 1, in round trips after the repair, if it became w at `now`."""
        if self.reached is not None:
            return self.reached(w + 1, w_max)
        assert self.growth is not None
        half = now + 0.5 / self.growth(w, now, w_max)
        return now + 1 / self.growth(w, half, w_max)

    def cycle(self, p: float) -> Cycle:
        """The steady state at loss rate p: the smallest window at which a climb's loss comes while it stays there."""
        high = 4
        while self.climb(high)[0] <= 1 / p:
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.climb(middle)[0] <= 1 / p else (low, middle)
        for w_max in range(max(2, low - 3), low + 1):
            packets, rounds, stay = self.climb(w_max)
            if packets <= 1 / p < packets + w_max * stay:
                break
        part = (1 / p - packets) / w_max
        return Cycle(w_max, 1 / p / (rounds + part), rounds + part)


def aimd(increase: float, kept: float, small: int = 0) -> Rule:
    """Additive increase, multiplicative decrease: mean = √(a(1 + b) / (2(1 − b) p)) (`rhee2005` eq 2).

    Up to a window of `small` it is standard TCP.
    """
    constant = math.sqrt(increase * (1 + kept) / (2 * (1 - kept)))
    return Rule(
        growth=lambda w, _r, _m: increase if w > small else 1.0,
        reduced=lambda w: int(kept * w if w > small else w / 2),
        formula=lambda p: constant / math.sqrt(p),
        formula_text=f"{constant:.3f}/√p",
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
    )


def scalable() -> Rule:
    # Growth by a factor e^0.01 per round trip from 7/8 W to W: 12.5 W packets in ln(8/7)/0.01 = 13.4 round trips, and
    # 7/8 W in that of the repair: mean = 1/(14.35 p). Kelly's own a/(b p) = 0.08/p balances growth and loss at one window.
    return Rule(
        growth=lambda w, _r, _m: 1.0 if w <= 16 else 0.01 * w,
        reduced=lambda w: w - w // 2 if w <= 16 else w - w // 8,
        formula=lambda p: 1 / ((1 + math.log(8 / 7) / 0.01) * p),
        formula_text="0.0697/p, from the rule (Kelly's equilibrium: 0.08/p)",
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
        reached=reached,
        reduced=lambda w: w // 2 if w < 14 else w * 7 // 8,
        settings={"fast_convergence": False},
    )


def sqrt() -> Rule:
    """1/√w per round trip, 2/3 √w taken by a loss: √w · 2/3 √w round trips of w packets, 2/3 w² = 1/p."""
    return Rule(
        growth=lambda w, _r, _m: 1 / math.sqrt(w),
        reduced=lambda w: max(2, w - round(2 / 3 * math.sqrt(w))),
        formula=lambda p: math.sqrt(1.5 / p),
        formula_text="1.225/√p",
    )


def illinois() -> Rule:
    """Without queueing delay α is 10 and β 1/8; below 15 segments it is standard TCP."""
    return Rule(
        growth=lambda w, _r, _m: 10.0 if w >= 15 else 1.0,
        reduced=lambda w: math.floor(7 / 8 * w + 0.5) if w >= 15 else math.floor(w / 2 + 0.5),
        formula=lambda p: math.sqrt(75 / p),
        formula_text="8.66/√p, from the rule without queueing",
    )


def cubic(rtt_s: float, kept: float, name: str, **settings: str | bool) -> Rule:
    """Concave to the plateau, or Reno-friendly where that is the faster one."""
    c, alpha = 0.4, 3 * (1 - kept) / (1 + kept)

    def reached(w: int, w_max: int) -> float:
        after = round(kept * w_max)
        curve = math.cbrt((w_max - after) / c) + math.cbrt((w - w_max) / c)
        return min(curve / rtt_s, (w - after) / alpha)

    constant = (c * (3 + kept) / (4 * (1 - kept))) ** 0.25
    return Rule(
        reached=reached,
        reduced=lambda w: round(kept * w),
        formula=lambda p: max(1.2 / math.sqrt(p), constant * (rtt_s / p) ** 0.75),
        formula_text=f"{constant:.3f} (RTT/p)^0.75, at least 1.2/√p ({name})",
        settings={"fast_convergence": False, "slow_start": "standard", **settings},
    )


def rules(rtt_s: float) -> dict[str, Rule]:
    """Every loss-based algorithm's rule at a round trip time."""
    return {
        "sack": aimd(1, 0.5),
        "highspeed": highspeed(),
        "scalable": scalable(),
        "bic": bic(),
        "bic-2004": bic_2004(),
        "sqrt": sqrt(),
        "illinois": illinois(),
        "cubic": cubic(rtt_s, 0.7, "RFC 9438 §5.1"),
        "cubic-2.2": cubic(rtt_s, 0.8, "ha2008 eq 5"),
    }
