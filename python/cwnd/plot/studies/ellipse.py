# SPDX-License-Identifier: MIT OR Apache-2.0
"""The spread of two measures over seeds, as an ellipse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and one-sigma ellipse of points: that of the normal distribution of maximum likelihood (sums over n, not n − 1).

    A part 1 − exp(−½) of that distribution, 39 %, is inside. Such ellipses are those of the throughput–delay plots of Winstein and
    Balakrishnan, "TCP ex Machina: computer-generated congestion control" (SIGCOMM 2013).
    """

    x: float
    y: float
    #: Half of the longer and of the shorter axis: roots of the covariance's eigenvalues.
    long: float
    short: float
    #: From the axis of x to the longer one, in degrees, over −90 to 90.
    angle: float
    n: int

    @classmethod
    def of(cls, points: Sequence[tuple[float, float]]) -> Spread:
        """The spread of one point or more; of one it has no extent."""
        n = len(points)
        x = math.fsum(point[0] for point in points) / n
        y = math.fsum(point[1] for point in points) / n
        xx = math.fsum((point[0] - x) ** 2 for point in points) / n
        yy = math.fsum((point[1] - y) ** 2 for point in points) / n
        xy = math.fsum((point[0] - x) * (point[1] - y) for point in points) / n
        # Of a symmetric matrix of two rows: λ = m ± √(d² + xy²), with m and d half of the sum and of the difference of its diagonal.
        middle, half = (xx + yy) / 2, (xx - yy) / 2
        root = math.hypot(half, xy)
        angle = math.degrees(math.atan2(xy, half)) / 2
        return cls(x, y, math.sqrt(middle + root), math.sqrt(max(0.0, middle - root)), angle, n)

    @property
    def reach(self) -> tuple[float, float]:
        """The largest x and y of the ellipse: the mean and one standard deviation."""
        turned = math.radians(self.angle)
        across = math.hypot(self.long * math.cos(turned), self.short * math.sin(turned))
        up = math.hypot(self.long * math.sin(turned), self.short * math.cos(turned))
        return self.x + across, self.y + up

    def border(self, count: int) -> list[tuple[float, float]]:
        """So many places on the ellipse."""
        turned = math.radians(self.angle)
        found = []
        for number in range(count):
            at = 2 * math.pi * number / count
            along, across = self.long * math.cos(at), self.short * math.sin(at)
            found.append(
                (
                    self.x + along * math.cos(turned) - across * math.sin(turned),
                    self.y + along * math.sin(turned) + across * math.cos(turned),
                )
            )
        return found
