# SPDX-License-Identifier: MIT OR Apache-2.0
"""Positions of names: at the ends of lines without overlap, or at points, where they cover the least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Places in a figure, a row each, in pixels.
Places = NDArray[np.float64]
#: How far a name may stand from its point, in heights of a letter, and from where on a thin line leads to it.
DISTANCES = (0.4, 1.2, 2.4, 4.0, 6.0)
FAR = 2.0
DIRECTIONS = 24
#: What it costs to cover a name, to be crossed by a leading line, to leave the panel, and to stand a letter farther away.
COVERED_NAME, CROSSED_NAME, OUTSIDE, AWAY = 6.0, 1.5, 20.0, 0.12
#: Steps at which a leading line is looked at.
STEPS = 8


@dataclass(frozen=True, slots=True)
class Placed:
    """A name in its place, in pixels."""

    #: The middle of the name, from its point on.
    across: float
    up: float
    #: Left, bottom, right, top.
    box: tuple[float, float, float, float]
    #: The end of the leading line, from the point on; none where the name is near.
    leader: tuple[float, float] | None


@dataclass(slots=True)
class Room:
    """A panel with what names should not cover."""

    panel: tuple[float, float, float, float]
    letter: float
    points: Places
    weights: NDArray[np.float64]
    #: Names and other texts that are there.
    boxes: list[tuple[float, float, float, float]]

    def place(self, point: tuple[float, float], size: tuple[float, float]) -> Placed:
        """Finds and reserves a place for a name of this width and height next to a point."""
        angles = np.pi / 4 + 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
        angle, far = (each.ravel() for each in np.meshgrid(angles, DISTANCES, indexing="ij"))
        across = (size[0] / 2 + far * self.letter) * np.cos(angle)
        up = (size[1] / 2 + far * self.letter) * np.sin(angle)
        left, bottom = point[0] + across - size[0] / 2, point[1] + up - size[1] / 2
        right, top = left + size[0], bottom + size[1]
        ends = np.stack([np.clip(point[0], left, right), np.clip(point[1], bottom, top)], axis=1)
        x, y = self.points[:, 0], self.points[:, 1]
        over = (x >= left[:, None]) & (x <= right[:, None]) & (y >= bottom[:, None]) & (y <= top[:, None])
        cost = AWAY * far + over @ self.weights
        steps = np.array(point) + (ends - np.array(point))[:, None, :] * (np.arange(1, STEPS) / STEPS)[None, :, None]
        for x0, y0, x1, y1 in self.boxes:
            cost += COVERED_NAME * ((left < x1) & (right > x0) & (bottom < y1) & (top > y0))
            crossed = (steps[..., 0] > x0) & (steps[..., 0] < x1) & (steps[..., 1] > y0) & (steps[..., 1] < y1)
            cost += CROSSED_NAME * (crossed.any(axis=1) & (far > FAR))
        x0, y0, x1, y1 = self.panel
        cost += OUTSIDE * ~((left >= x0) & (right <= x1) & (bottom >= y0) & (top <= y1))
        best = int(np.argmin(cost))
        box = (float(left[best]), float(bottom[best]), float(right[best]), float(top[best]))
        self.boxes.append(box)
        leader = None
        if far[best] > FAR:
            leader = (float(ends[best, 0]) - point[0], float(ends[best, 1]) - point[1])
            self.points = np.concatenate([self.points, steps[best]])
            self.weights = np.concatenate([self.weights, np.full(STEPS - 1, 0.6)])
        return Placed(float(across[best]), float(up[best]), box, leader)


def apart(wanted: Sequence[float], step: float, bounds: tuple[float, float]) -> list[float]:
    """Places near the wanted ones, in their order, that are at least `step` apart.

    Half a step within the bounds, where there is so much room; else as far beyond the lower one as they need.
    """
    top = bounds[1] - step / 2
    bottom = min(bounds[0] + step / 2, top - step * (len(wanted) - 1))

    def lowest(block: Sequence[int]) -> float:
        """Where the lowest label of a block stands."""
        height = step * (len(block) - 1)
        return max(bottom, min(top - height, sum(wanted[place] for place in block) / len(block) - height / 2))

    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    # Blocks of labels that touch, each centred on what its labels want.
    blocks: list[list[int]] = []
    for place in order:
        blocks.append([place])
        while len(blocks) > 1 and lowest(blocks[-1]) < lowest(blocks[-2]) + step * len(blocks[-2]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    found = [0.0] * len(wanted)
    for block in blocks:
        for number, place in enumerate(block):
            found[place] = lowest(block) + step * number
    return found
