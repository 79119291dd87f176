# SPDX-License-Identifier: MIT OR Apache-2.0
"""One flow of each algorithm compared with ns-2's TCP-Linux: throughput, drops and the shape of the window.

100 Mbit/s, 60 ms, a buffer of 100 packets, 200 s. --page writes the page of the docs, the causes of all differences over
10 % included, and its picture; a difference without a cause is an error.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt

from tools.dates import today
from tools.peers.peer import PeerError
from tools.peers.tcp_linux import (
    METRICS,
    PAIRS,
    SECONDS,
    ModuleTrial,
    Pair,
    SingleFlowResult,
    compare,
    differs,
    lowest_share,
    unexplained,
)

# Okabe and Ito's colours, which the colour-blind can tell apart; ns-2 wide and light, ours thin and dark on top.
THEIRS = {"color": "#56B4E9", "linewidth": 2.0}
OURS = {"color": "#B33F00", "linewidth": 0.8}
TOP = 720  # segments: the overshoot of slow start is cut off

# One sentence a line, in the page too.
CAUSES = {
    "start": """ns-2's slow start grows by one packet per ACK, ours by what the ACK acknowledges (RFC 5681 §3.1, today's Linux).
        With a receiver that acknowledges every second packet, ns-2's window grows 1.5-fold per round trip and ours 2-fold; both overshoot accordingly.
        With every segment acknowledged the two are the same (trials).
        `cubic-2.1` counts ACKs and needs no such trial.""",
    "bursts": """Hybla's slow start overshoots by hundreds of packets.
        RFC 6675 removes them from the pipe when they are known to be lost, so they are sent again in bursts, and some are lost again.
        ns-2 halves step by step.
        With proportional rate reduction (`recovery = "sack-prr"`) and every segment acknowledged the two agree (trials).""",
    "acks": """ns-2's modules are those of Linux 2.6.22, where growth counts ACKs, in standard TCP and in YeAH's Scalable phase.
        Today's modules count acknowledged segments.
        With a receiver that acknowledges every second packet, ns-2's window grows half as fast.
        With every segment acknowledged the difference is gone (trials).""",
    "halving": """Linux 2.6.22 uses rate halving instead of proportional rate reduction.
        One packet leaves for every second ACK as long as recovery lasts.
        Unless the module forbids it, the window falls as far as half the threshold, and slow start then brings it back.
        BIC, CUBIC, H-TCP and Westwood forbid it.
        The last column of the first table is ns-2's lowest window of a reduction over its window at the end of recovery (median; sampled every 2 ms).
        If the window falls below the 500 packets that fill the link, the link idles for about one round trip, and the next reduction is delayed by the same time.""",
    "steps": """The drops of a reduction are a whole number: the increments between the first drop and the ACK that shows it.
        Scalable's window grows by 6 packets per round trip here, and 6.0 is on the edge between 6 and 7 drops.
        With buffers of 90 and of 150 packets both lose the same number in each reduction, 6 and 7 (drops over reductions, trials).""",
    "estimate": """Linux 2.6.22 asks Westwood for the lowest window at each step of rate halving, so it reads the estimate when recovery ends.
        Grieco and Mascolo read it at the loss.
        In steady state both give the same window.
        At the end of slow start the estimate has not caught up yet: ours restarts from a lower window and needs half a minute to return.
        Measured from 60 s on, the difference is gone (trials).
        Today's Linux halves at the loss and jumps to the estimate when recovery ends (`westwood-linux`).
        It sends 200 packets in one burst into a queue of 100 and loses 80 to 100 of them, again and again (trials).""",
}

ALSO = """BIC: Linux divides its count by the ratio of segments to ACKs, and today's Linux counts segments as well.
Its window therefore grows twice as fast as the constants say, as the trial with Linux's set shows.
In ns-2 the ratio works, but with every segment acknowledged an integer division in its average keeps it at 31/16 instead of 1.
ns-2's window then grows twice as fast too, and equals that of `bic-linux` (trials).
Scalable TCP in Linux 2.6.22 counts 50 ACKs where today's counts 100 segments.
With every segment acknowledged and 50 for ours, only the halving is left.
Illinois in Linux 2.6.22 keeps the part that it should give up.
After a full queue both parts are a half, so the correct form gives the same here.
CUBIC 2.1 agrees even in the number of reductions.
The RFC's CUBIC and today's Linux's keep 0.7 where CUBIC 2.1 keeps 0.8, so their reductions are fewer and deeper."""


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A Markdown table."""
    return ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows)]


def cell(metric: str, mine: SingleFlowResult, peer: SingleFlowResult) -> str:
    """Both values; bold where they differ by more than 10 %."""
    a, b = mine.values[metric], peer.values[metric]
    digits = 0 if metric in ("drops", "drops_start", "falls") else 1
    text = f"{a:.{digits}f} : {b:.{digits}f}"
    return f"**{text}**" if differs(a, b) else text


def tables(
    pairs: list[tuple[Pair, SingleFlowResult, SingleFlowResult]],
    trials: list[tuple[ModuleTrial, SingleFlowResult, SingleFlowResult]],
) -> tuple[list[str], list[str]]:
    """As it is, and with one thing changed."""
    heads = list(METRICS.values())
    as_is = []
    for pair, mine, peer in pairs:
        low = lowest_share(pair.theirs)
        causes = dict.fromkeys(
            cause
            for metric in METRICS
            if differs(mine.values[metric], peer.values[metric])
            for cause in pair.causes.get(metric, "unknown").split(", ")
        )
        row = [f"`{pair.ours}`", pair.theirs, *(cell(metric, mine, peer) for metric in METRICS), ", ".join(causes)]
        as_is.append([*row, "no reduction" if low is None else f"{low:.2f}"])
    changed = [
        [trial.what, f"`{trial.ours}`", trial.theirs, *(cell(metric, mine, peer) for metric in METRICS)]
        for trial, mine, peer in trials
    ]
    return (
        table(["ours", "ns-2", *heads, "causes", "ns-2's lowest"], as_is),
        table(["changed", "ours", "ns-2", *heads], changed),
    )


def page(
    pairs: list[tuple[Pair, SingleFlowResult, SingleFlowResult]], as_is: list[str], changed: list[str], picture: str
) -> str:
    """The page, in Markdown."""
    causes = []
    for name, text in CAUSES.items():
        first, *others = (line.strip() for line in text.splitlines())
        causes += [f"* **{name}**: {first}", *(f"  {line}" for line in others)]
    left_out = [f"`{pair.ours}`" for pair in PAIRS if pair.ours not in {each.ours for each, _, _ in pairs}]
    return "\n".join(
        [
            "# Compared with ns-2's TCP-Linux",
            "",
            f"Written by `python -m tools.peers.modules --page docs/results/peers-linux.md` (part of `make compare`) on {today()}.",
            f"One flow: 100 Mbit/s, 60 ms, a buffer of 100 packets, {SECONDS} s, no initial threshold, every second segment acknowledged.",
            "ns-2.35's `Agent/TCP/Linux` runs the modules of Linux 2.6.22; ours is the parameter set nearest to each.",
            "Each cell shows ours : ns-2's, in bold where they differ by more than 10 %.",
            "A reduction is a fall of the window by more than 5 %.",
            *([f"Left out because they are not built yet: {', '.join(left_out)}."] if left_out else []),
            "",
            f"![The windows of both, algorithm by algorithm]({picture})",
            "",
            *as_is,
            "",
            "## Causes of the differences",
            "",
            *causes,
            "",
            ALSO,
            "",
            "## Trials with one change each",
            "",
            *changed,
            "",
        ]
    )


def draw(pairs: list[tuple[Pair, SingleFlowResult, SingleFlowResult]], path: Path) -> None:
    """The windows, small multiples on the same axes."""
    rows = (len(pairs) + 1) // 2
    style = {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
    with mpl.rc_context(style):
        figure, grid = plt.subplots(
            rows, 2, figsize=(14, 0.8 + 1.9 * rows), sharex=True, sharey=True, squeeze=False, layout="constrained"
        )
        for axes in grid.flat[len(pairs) :]:
            axes.remove()
        for axes, (pair, mine, peer) in zip(grid.flat, pairs):
            axes.plot(*peer.series, **THEIRS, label="ns-2 (TCP-Linux)")
            axes.plot(*mine.series, **OURS, label="cwnd")
            axes.set_title(f"{pair.ours}  and ns-2's {pair.theirs}", fontsize=10, loc="left")
            axes.grid(alpha=0.25)
            axes.set(xlim=(0, SECONDS), ylim=(0, TOP))
        for axes in grid[:, 0]:
            axes.set_ylabel("cwnd (segments)")
        for axes in grid.flat[max(0, len(pairs) - 2) : len(pairs)]:
            axes.set_xlabel("time (s)")
            axes.tick_params(labelbottom=True)
        handles = [plt.Line2D([], [], **line, label=name) for name, line in (("ns-2", THEIRS), ("cwnd", OURS))]
        figure.legend(handles=handles, loc="outside upper right", ncols=2, frameon=False)
        figure.suptitle("One flow, 100 Mbit/s, 60 ms, 100 packets of buffer", fontsize=12)
        path.parent.mkdir(exist_ok=True)
        figure.savefig(path, dpi=120, metadata={"Software": "cwnd"})
        plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--page", type=Path, help="write the page to this file, its picture to the folder pictures beside its own"
    )
    args = parser.parse_args()
    try:
        pairs, trials = compare(lambda text: print(text, file=sys.stderr))
        as_is, changed = tables(pairs, trials)
    except PeerError as error:
        raise SystemExit(f"error: {error}") from None
    print("\n".join([*as_is, "", *changed]))
    if args.page is not None:
        picture = Path("../pictures") / args.page.with_suffix(".png").name
        draw(pairs, args.page.parent / picture)
        args.page.write_text(page(pairs, as_is, changed, str(picture)))
    if missing := unexplained(pairs):
        raise SystemExit("no cause is known for:\n" + "\n".join(missing))


if __name__ == "__main__":
    main()
