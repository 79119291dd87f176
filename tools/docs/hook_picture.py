# SPDX-License-Identifier: MIT OR Apache-2.0
"""docs/pictures/kernel.png: how a hook reaches the kernel, from the source to an acknowledgement."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from cwnd.plot.draw import COLOURS
from tools.docs.pictures import save

VERMILION, BLUE, GREEN, _, ORANGE = COLOURS[:5]
GREY = "#555555"
Point = tuple[float, float]


def box(axes: Axes, at: Point, size: Point, title: str, text: str, colour: str, fill: float = 0.12) -> None:
    """A rounded box around a title and a line or two; `at` is its centre."""
    corner = (at[0] - size[0] / 2, at[1] - size[1] / 2)
    face = (*mpl.colors.to_rgb(colour), fill)
    axes.add_patch(
        FancyBboxPatch(
            corner, *size, edgecolor=colour, facecolor=face, boxstyle="round,pad=0,rounding_size=0.12", linewidth=1.3
        )
    )
    lines = text.count("\n") + 1 if text else 0
    above = 0.07 + 0.085 * lines if lines else 0
    axes.text(at[0], at[1] + above, title, ha="center", va="center", fontsize=9.5, fontweight="bold", color="#111111")
    if text:
        axes.text(at[0], at[1] - 0.15, text, ha="center", va="center", fontsize=8.2, color="#222222", linespacing=1.25)


def arrow(axes: Axes, start: Point, end: Point, text: str = "", shift: Point = (0, 0.17), bend: float = 0) -> None:
    """An arrow with a label at its middle."""
    properties = {"arrowstyle": "-|>", "color": GREY, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0}
    properties["connectionstyle"] = f"arc3,rad={bend}"
    axes.annotate("", xy=end, xytext=start, arrowprops=properties)
    if text:
        middle = ((start[0] + end[0]) / 2 + shift[0], (start[1] + end[1]) / 2 + shift[1])
        axes.text(*middle, text, ha="center", va="center", fontsize=8, color=GREY)


def lane(axes: Axes, bottom: float, top: float, title: str, text: str, side: str = "left") -> None:
    """A stripe of the picture: when it happens, and where."""
    axes.axhspan(bottom, top, color="#f4f4f4", zorder=0)
    x = 0.12 if side == "left" else 11.88
    axes.text(x, top - 0.24, title, fontsize=10.5, fontweight="bold", ha=side, va="center", color="#111111")
    axes.text(x, top - 0.52, text, fontsize=8.2, ha=side, va="center", color=GREY)


def build(axes: Axes) -> None:
    """The first stripe."""
    lane(axes, 6.05, 8.4, "once, when cwnd is built", "where the compilers are")
    box(axes, (4.1, 7.78), (2.6, 0.95), "htcp.rs", "the hooks, in Rust; the same\nsource as in the simulator", BLUE)
    box(axes, (4.1, 6.66), (2.6, 0.95), "glue.bpf.c", "tcp_sock to Conn and back,\nin C, one for all", ORANGE)
    box(axes, (7.25, 7.22), (1.9, 0.95), "one bitcode", "linked, everything\ninlined", GREY, 0.06)
    text = "BPF for any kernel, with type\ninformation (BTF); 39 kB,\ncarried by the wheel"
    box(axes, (10.45, 7.22), (2.6, 1.15), "htcp.bpf.o", text, GREEN)
    arrow(axes, (5.4, 7.78), (6.3, 7.4), "rustc", (0.08, 0.2))
    arrow(axes, (5.4, 6.66), (6.3, 7.04), "clang", (0.08, -0.2))
    arrow(axes, (8.2, 7.22), (9.15, 7.22), "opt, llc")


def load(axes: Axes) -> None:
    """The second stripe."""
    lane(axes, 3.3, 5.85, "when it is loaded", "cwnd kernel load htcp --param …")
    text = "writes parameters and name\ninto the object, fits its offsets\nto this kernel's BTF"
    box(axes, (10.45, 4.85), (2.6, 1.15), "loader", text, GREEN)
    text = "walks every path: it ends, stays\nin bounds, writes only what\na TCP module may write"
    box(axes, (6.85, 4.85), (2.7, 1.15), "verifier", text, VERMILION)
    text = "struct_ops: a name like\nreno or cubic, while its\nlink exists"
    box(axes, (2.2, 4.5), (2.5, 1.15), "registered", text, BLUE)
    arrow(axes, (10.45, 6.64), (10.45, 5.43), "no compiler needed", (-0.95, -0.08))
    arrow(axes, (9.15, 4.85), (8.2, 4.85), "bpf()")
    arrow(axes, (5.5, 4.8), (3.45, 4.55), "machine code", (0, 0.2))
    arrow(axes, (6.85, 4.27), (6.85, 3.72))
    axes.text(6.85, 3.55, "or refused, with the reason", ha="center", va="center", fontsize=8, color=GREY)


def acknowledge(axes: Axes) -> None:
    """The third stripe."""
    text = "in the kernel, for connections that asked for cwnd_htcp"
    lane(axes, 0.1, 3.1, "at every acknowledgement", text, "right")
    text = "tcp_ack() calls cong_avoid\nof the connection's algorithm,\nby address"
    box(axes, (1.75, 0.95), (2.6, 1.15), "TCP", text, GREY, 0.06)
    text = "reads cwnd, srtt, … from\ntcp_sock into Conn; what the\nhook uses, nothing else"
    box(axes, (5.0, 0.95), (2.5, 1.15), "glue, in", text, ORANGE)
    text = "integers only; its state\nlies in the connection's\n104 private bytes"
    box(axes, (7.95, 0.95), (2.2, 1.15), "the hook", text, BLUE)
    text = "writes snd_cwnd,\nssthresh, … where\nthey have changed"
    box(axes, (10.75, 0.95), (2.1, 1.15), "glue, out", text, ORANGE)
    arrow(axes, (3.05, 0.95), (3.75, 0.95))
    arrow(axes, (6.25, 0.95), (6.85, 0.95))
    arrow(axes, (9.05, 0.95), (9.7, 0.95))
    arrow(axes, (2.0, 3.92), (1.75, 1.53))
    words = "a connection asks for it:\nsetsockopt, a route,\nor cwnd kernel use"
    axes.text(2.05, 2.6, words, ha="left", va="center", fontsize=8, color=GREY)
    axes.plot([3.8, 3.8, 11.75, 11.75], [1.66, 1.8, 1.8, 1.66], color=GREY, linewidth=1)
    axes.text(7.8, 1.96, "one program, in which nothing is called", ha="center", va="center", fontsize=8.2, color=GREY)


def draw(path: Path) -> None:
    """Draws the picture."""
    with mpl.rc_context({"font.family": "DejaVu Sans"}):
        figure, axes = plt.subplots(figsize=(10.6, 7.4), layout="constrained")
        axes.set(xlim=(0, 12), ylim=(0, 8.5))
        axes.axis("off")
        build(axes)
        load(axes)
        acknowledge(axes)
        save(figure, path, dpi=150)
        plt.close(figure)
