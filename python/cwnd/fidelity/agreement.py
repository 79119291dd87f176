# SPDX-License-Identifier: MIT OR Apache-2.0
"""Whether a number of the simulator agrees with the kernel's, over several runs of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TypedDict

import numpy as np

from cwnd.fidelity.numbers import KINDS

#: The level of the two-sample test.
LEVEL = 0.01
#: With so many runs of a lane, or fewer, the probability is counted over all ways to deal them out: 184 756 of ten and ten.
MOST_COUNTED = 10
#: Fewer runs of a lane than this cannot be told apart at this level, whatever they are: of five and five that do not overlap the
#: probability by chance is 2 in 252, of four and four 2 in 70.
LEAST_RUNS = 5


def chance(one: list[float], other: list[float]) -> float:
    """The probability that samples of one distribution differ as much as these: Mann and Whitney's test, with its ties."""
    from scipy.stats import PermutationMethod, mannwhitneyu

    counted = max(len(one), len(other)) <= MOST_COUNTED
    method = PermutationMethod(n_resamples=math.comb(2 * MOST_COUNTED, MOST_COUNTED)) if counted else "asymptotic"
    return float(mannwhitneyu(one, other, method=method).pvalue)


class AgreementDocument(TypedDict):
    """An agreement as JSON."""

    name: str
    unit: str
    #: run by run; `None` where a run does not have it
    simulated: list[float | None]
    measured: list[float | None]
    near: bool
    p: float | None
    agrees: bool


@dataclass(frozen=True, slots=True)
class Agreement:
    """A number of a scenario, run by run in each lane, and whether the lanes agree on it."""

    name: str
    unit: str
    #: run by run; `None` where a run does not have it
    simulated: list[float | None]
    measured: list[float | None]
    #: whether as many runs of either lane have it, and the means are within its tolerance
    near: bool
    #: probability that samples of one distribution differ as much (Mann and Whitney's test, two-sided); `None` where it is not asked for: with
    #: means near each other, fewer than `LEAST_RUNS`, or a number that the lanes do not have in as many runs
    p: float | None

    @classmethod
    def of(cls, name: str, simulated: Sequence[float | None], measured: Sequence[float | None]) -> Agreement:
        """Compares a number of several runs."""
        kind = KINDS[name.partition(",")[0]]
        has, other = ([value for value in values if value is not None] for values in (simulated, measured))
        near, p = False, None
        if len(has) == len(other) and has:
            near = kind.tolerance.holds(float(np.mean(has)), float(np.mean(other)), len(has))
            if not near and len(has) >= LEAST_RUNS:
                p = chance(has, other)
        return cls(name, kind.unit, [*simulated], [*measured], near, p)

    @property
    def agrees(self) -> bool:
        """Whether the means are near each other, or a two-sample test at `LEVEL` does not tell the lanes apart."""
        return self.near or (self.p is not None and self.p >= LEVEL)

    def document(self) -> AgreementDocument:
        """As JSON."""
        return {**asdict(self), "agrees": self.agrees}  # type: ignore[typeddict-item]  # the fields above
