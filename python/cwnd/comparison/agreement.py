# SPDX-License-Identifier: MIT OR Apache-2.0
"""Whether a number of the simulator agrees with the kernel's, over several runs of each."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TypedDict

import numpy as np

from cwnd.comparison.numbers import KINDS

#: The level of the two-sample test.
LEVEL = 0.01
#: Fewer runs of a lane than this cannot be told apart at this level, whatever they are: of five and five that do not overlap the
#: probability by chance is 2 in 252, of four and four 2 in 70.
LEAST_RUNS = 5


class AgreementDocument(TypedDict):
    """An agreement as JSON."""

    name: str
    unit: str
    simulated: list[float]
    measured: list[float]
    near: bool
    p: float | None
    agrees: bool


@dataclass(frozen=True, slots=True)
class Agreement:
    """A number of a scenario, run by run in each lane, and whether the lanes agree on it."""

    name: str
    unit: str
    simulated: list[float]
    measured: list[float]
    #: whether the means are within the number's tolerance
    near: bool
    #: probability that samples of one distribution differ as much (Mann and Whitney's test, two-sided); `None` with fewer than `LEAST_RUNS`
    p: float | None

    @classmethod
    def of(cls, name: str, simulated: list[float], measured: list[float]) -> Agreement:
        """Compares a number of several runs."""
        kind = KINDS[name.partition(",")[0]]
        near = kind.tolerance.holds(float(np.mean(simulated)), float(np.mean(measured)))
        p = None
        if min(len(simulated), len(measured)) >= LEAST_RUNS:
            from scipy.stats import mannwhitneyu

            p = float(mannwhitneyu(simulated, measured).pvalue) if {*simulated} != {*measured} else 1.0
        return cls(name, kind.unit, simulated, measured, near, p)

    @property
    def agrees(self) -> bool:
        """Whether the means are near each other, or a two-sample test at `LEVEL` does not tell the lanes apart."""
        return self.near or (self.p is not None and self.p >= LEVEL)

    def document(self) -> AgreementDocument:
        """As JSON."""
        return {**asdict(self), "agrees": self.agrees}  # type: ignore[typeddict-item]  # the fields above
