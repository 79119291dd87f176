# SPDX-License-Identifier: MIT OR Apache-2.0
"""The page: every number in it is computed from the runs on record."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from tools import DOCS
from tools.stacks.picture import PICTURE, draw
from tools.stacks.runs import (
    AGREEMENT,
    BUFFERS,
    LOSSES,
    OWN_WINDOWS,
    SEEDED,
    SEEDS,
    SLOW_STARTS,
    STACKS,
    SURVIVAL,
    SURVIVAL_BUFFERS,
    Kept,
)

PAGE = DOCS / "results" / "stacks.md"
#: For `make check`.
READS = ("docs/results/stacks.md",)
#: Of 95 % confidence, of a mean over twenty.
STUDENT = 2.093
#: Between two rows of the table `cwnd`, s.
INTERVAL_S = 0.1
#: The stacks' own receive window of a stream, bits.
OWN_WINDOW_BITS = 10_000_000

Found = dict[str, Kept]


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table in Markdown; the first column is text."""
    lines = [f"| {' | '.join(headings)} |", f"| --- |{' ---: |' * (len(headings) - 1)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def dead(kept: Kept) -> bool:
    """Whether a connection of the run ended by a fault."""
    return bool(kept.get("failures"))


def standstills(windows: Sequence[int]) -> list[tuple[float, int, float]]:
    """After each reduction by more than a sixth: when, s, the window after it, and for how long it stays there, s."""
    found = []
    for place, (before, after) in enumerate(pairwise(windows), start=1):
        if after < before * 5 / 6 and place * INTERVAL_S > 1:
            # Within recovery it may still go down.
            low = min(windows[place : place + 3])
            rows = next(
                (
                    rows
                    for rows, window in enumerate(windows[place:])
                    if window > low and rows >= windows[place : place + 3].index(low)
                ),
                None,
            )
            if rows is not None:
                found.append((place * INTERVAL_S, low, rows * INTERVAL_S))
    return found


def own_windows(found: Found) -> list[str]:
    """The section on the stacks' own receive windows."""
    flows = ("cubic", "stock-cubic")
    rows = []
    for rate, rtt, _ in OWN_WINDOWS:
        row = [f"{rate} Mbit/s, {rtt} ms", f"{min(1.0, OWN_WINDOW_BITS / rtt / rate / 1000):.0%}"]
        for stack, flow in itertools.product(STACKS, flows):
            kept = found[f"windows/{rate}/{rtt}/{stack}/{flow}"]
            row.append(f"**{kept['failures'][0][0]:.1f} s**" if dead(kept) else f"{kept['goodput'][0] / rate:.0%}")
        rows.append(row)
    ended = sum("**" in cell for row in rows for cell in row)
    total = len(rows) * len(STACKS) * len(flows)
    outcome = f"{ended} of {total} connections ended" if ended else f"None of {total} connections ended"
    headings = ["path", "1.25 MB a round trip", *(f"{stack}: `{flow}`" for stack in STACKS for flow in flows)]
    return [
        "## With the stacks' own receive windows",
        "",
        "quinn and noq let a peer send 1.25 MB of a stream before they have read it (`TransportConfig::stream_receive_window`): 12.5 MB/s at a round trip of 100 ms.",
        "On a path that carries more per round trip, this window limits the flow, whatever its algorithm.",
        "The table gives goodput over the rate with a buffer of one BDP, from 1 s on, for our CUBIC and the stack's; connections that ended are in bold:",
        "",
        *table(headings, rows),
        f"{outcome}.",
        "`cwnd compare` reports flows that were limited by their receive window; `rwnd` sets the window.",
        "",
        "`cwnd compare 'stock-cubic@stack=quinn' --rate 300Mbit/s --rtt 60ms --duration 6s`",
        "",
    ]


def agreement(found: Found) -> list[str]:
    """Section 1."""
    rows: list[list[str]] = []
    worst = {"goodput": (1.0, ""), "queue": (1.0, "")}
    cycles: list[str] = []
    deaths: list[str] = []
    compared = 0
    for rate, rtt, _ in AGREEMENT:
        for buffer in BUFFERS:
            place = f"{rate} Mbit/s, {rtt} ms, {buffer.replace('bdp', ' BDP')}"
            of = {
                (way, fast): found[f"agreement/{rate}/{rtt}/{buffer}/{way}/{fast}"]
                for way in ("tcp", *STACKS)
                for fast in ("on", "off")
            }
            cells = []
            for stack in STACKS:
                kept, tcp = of[stack, "off"], of["tcp", "off"]
                if dead(kept):
                    deaths.append(f"{stack} at {place}, {kept['failures'][0][0]:.1f} s")
                    cells += ["ended", "ended"]
                else:
                    ratios = {
                        "goodput": kept["goodput"][0] / tcp["goodput"][0],
                        "queue": kept["queue_ms"] / tcp["queue_ms"],
                    }
                    for name, ratio in ratios.items():
                        # At 1 Gbit/s a run has one epoch or two: the mean queue is that of where it ends.
                        if rate < 1000 and abs(ratio - 1) > abs(worst[name][0] - 1):
                            worst[name] = (ratio, f"{stack}, {place}")
                    cells += [f"{ratios['goodput']:.3f}", f"{ratios['queue']:.3f}"]
                with_convergence = of[stack, "on"]
                if dead(with_convergence):
                    cells.append("ended")
                else:
                    ratio = with_convergence["queue_ms"] / of["tcp", "on"]["queue_ms"]
                    cells.append(f"{ratio:.3f}")
                    compared += rate < 1000
                    if rate < 1000 and abs(ratio - 1) > 0.1 and abs(kept["queue_ms"] / tcp["queue_ms"] - 1) < 0.1:
                        cycles.append(f"{stack} at {place} ({ratio:.2f})")
            rows.append([place, *cells])
    headings = [
        "path",
        *(f"{stack}: {what}" for stack in STACKS for what in ("goodput", "queue", "queue, with fast convergence")),
    ]
    text = [
        "## Our CUBIC in a stack, compared with our CUBIC on our TCP",
        "",
        'Each run has one flow, with `slow_start = "hystart"` on both sides.',
        "Cells give the stack's number over TCP's.",
        "The first two columns of a stack are without fast convergence.",
        "",
        *table(headings, rows),
        f"Up to 100 Mbit/s and without fast convergence, the goodput deviates most at {worst['goodput'][0]:.3f} ({worst['goodput'][1]}), the mean queue at {worst['queue'][0]:.3f} "
        f"({worst['queue'][1]}).\n"
        "QUIC's headers take half a per cent of the goodput: a datagram of 1472 bytes carries 1440 to 1444 bytes of data, a segment 1448.\n"
        "At 1 Gbit/s, runs of 20 s and 30 s have one or two epochs, and the mean queue depends on the part of an epoch in which they end.\n"
        "At 1 Gbit/s and 40 ms, the train of acknowledgements makes HyStart end quinn's slow start at a third of the BDP, and CUBIC needs longer than the run for the rest.\n"
        "Single packets decide this: with the earlier order of events at one nanosecond ([decision 15](../adr/0015-what-comes-at-one-instant.md)), the same runs overshot.",
        "",
        "With fast convergence, a flow alone has two possible cycles: each maximum of the window equals the previous one, and the flow releases no bandwidth, or every other maximum is smaller.\n"
        "Single packets decide which cycle it enters, in a stack as on TCP.\n"
        + (
            f"Up to 100 Mbit/s, stack and TCP are in different cycles in {len(cycles)} of {compared} cases: {'; '.join(cycles)}."
            if cycles
            else "Here every stack is in the same cycle as TCP."
        ),
        "",
    ]
    if deaths:
        text += [
            f"Connections that ended because of too many gaps or too much data after a gap (below), with the time: {'; '.join(deaths)}.",
            "",
        ]
    parts: list[float] = []
    for rate, rtt, _ in AGREEMENT[:2] + AGREEMENT[3:5]:
        for buffer in BUFFERS:
            ours, own = (found[f"reno/{rate}/{rtt}/{buffer}/{cc}"]["goodput"][0] for cc in ("reno", "stock-newreno"))
            parts.append(ours / own)
    text += [
        f"`reno` in quinn has {min(parts):.3f} to {max(parts):.3f} of the goodput of quinn's own NewReno, over {len(parts)} paths without random losses.",
        "",
    ]
    return text


def survival(found: Found) -> list[str]:
    """Section 2."""
    ways = [*SLOW_STARTS, "own"]
    lived = {(stack, way): 0 for stack in STACKS for way in ways}
    rows: list[list[str]] = []
    words = {stack: set[str]() for stack in STACKS}
    for rate, rtt, _ in SURVIVAL:
        for buffer in SURVIVAL_BUFFERS:
            row = [f"{rate} Mbit/s, {rtt} ms, {buffer.replace('bdp', ' BDP')}"]
            for stack in STACKS:
                for way in ways:
                    kept = found[f"survival/{rate}/{rtt}/{buffer}/{stack}/{way}"]
                    if dead(kept):
                        at, why = kept["failures"][0]
                        words[stack].add(why)
                        row.append(f"**{at:.1f} s**")
                    else:
                        lived[stack, way] += 1
                        row.append(f"{kept['goodput'][0] / rate:.0%}")
            if any("**" in cell for cell in row):
                rows.append(row)
    total = len(SURVIVAL) * len(SURVIVAL_BUFFERS)
    said = "; ".join(f"{stack}: {', '.join(sorted(words[stack]))}" for stack in STACKS)
    counts = [[stack, *(f"{lived[stack, way]} of {total}" for way in ways)] for stack in STACKS]
    headings = ["path", *(f"{stack}: {way}" for stack in STACKS for way in ways)]
    return [
        "## Which slow start a connection survives",
        "",
        "The runs have our CUBIC with each slow start, and the stack's own CUBIC, from the first second on.",
        f"The table lists those of {total} paths on which a connection ended, with the time of its end in bold, or the goodput over the rate.",
        "Runs took 20 s, and 6 s at 1 Gbit/s.",
        "noq's connections at 1 Gbit/s that survived these 6 s ended at their first loss in congestion avoidance, as listed above.",
        "",
        *table(headings, rows),
        *table(["connections that survived", *ways], counts),
        f"The stacks' error messages: {said}.",
        "quinn ends a connection with more than 1024 gaps in a stream, noq 1.4 one with 2048 packets behind a lost one.",
        "The overshoot of slow start causes these gaps, and at such large windows any loss can.",
        "With the stacks' own receive windows at most 1.25 MB is in flight, and such gaps cannot build up.",
        "For this reason our algorithms use Linux's HyStart in QUIC (`Controller::for_quic`) if they use HyStart++ on TCP.",
        "",
        "`cwnd compare 'cubic@stack=quinn,slow_start=standard,rwnd=1073741824' --rate 1Gbit/s --rtt 40ms --duration 6s`",
        "",
    ]


def plateau(found: Found) -> list[str]:
    """Section 3."""
    lines = []
    for key, name in (("ours", "`cubic` in quinn"), ("own", "quinn's own CUBIC")):
        rows = standstills(found[f"standstill/{key}"]["windows"])
        text = ", ".join(f"{still:.1f} s at {low} packets ({at:.1f} s)" for at, low, still in rows)
        lines.append(f"* {name}: {text}.")
    return [
        "## After a loss",
        "",
        "The path has 100 Mbit/s, 40 ms and a buffer of one BDP.",
        "The list shows how long the window keeps its value after a reduction, from rows of the table `cwnd`, every 0.1 s (time of the reduction in parentheses):",
        "",
        *lines,
        "",
        f"![Windows of both, 100 Mbit/s, 40 ms](../pictures/{PICTURE})",
        "",
        "After fast convergence, quinn-proto computes K from the lowered W_max and not from the window.",
        "Its curve therefore begins below the window, and the window waits for the curve (RFC 9438 §4.2 computes K from both).",
        "Behind our hooks it does the same: `crates/cwnd-stacks/tests/contract.rs`.",
        "",
        "`cwnd compare 'stock-cubic@stack=quinn' --rate 100Mbit/s --rtt 40ms --out run`, then the table `cwnd`",
        "",
    ]


def mean(values: Sequence[float]) -> str:
    """A mean with its 95 % confidence interval."""
    half = STUDENT * statistics.stdev(values) / len(values) ** 0.5
    return f"{statistics.mean(values):.2f} ± {half:.2f}"


def seeded(found: Found) -> list[str]:
    """Section 4."""

    def over(name: str, number: Callable[[Kept], float]) -> str:
        kept = [found[f"{name}/{seed}"] for seed in SEEDS]
        ended = sum(map(dead, kept))
        return mean([number(each) for each in kept]) + (f" ({ended} ended)" if ended else "")

    losses = [
        [f"`{flow}`", *(over(f"loss/{flow}/{loss}", lambda kept: kept["goodput"][0]) for loss in LOSSES)]
        for flow in SEEDED
    ]
    late = [
        [
            f"`{flow}`",
            over(f"late/{flow}", lambda kept: kept["goodput"][1] / sum(kept["goodput"])),
            over(f"late/{flow}", lambda kept: kept["jain"]),
            over(f"late/{flow}", lambda kept: kept["queue_ms"]),
            over(f"late/{flow}", lambda kept: sum(kept["lost"])),
        ]
        for flow in SEEDED
    ]
    pauses = []
    for flow in SEEDED:
        kept = found[f"pauses/{flow}"]
        pauses.append([f"`{flow}`", f"{kept['goodput'][0]:.2f}", f"{kept['queue_ms']:.1f}", f"{kept['lost'][0]}"])
    return [
        "## Random loss, a late flow, pauses",
        "",
        "The path has 20 Mbit/s, 40 ms and a buffer of one BDP; numbers are means over twenty seeds with 95 % intervals.",
        "The first table gives goodput in Mbit/s at random losses of 0.01, 0.1 and 1 %:",
        "",
        *table(["flow", *(f"{float(loss):.2%}" for loss in LOSSES)], losses),
        "The next runs have two flows of one kind; the second starts 20 s to 21 s later.",
        "The table gives its share from 50 s to 80 s, Jain's index, the mean queue (ms), and packets declared lost in the whole run:",
        "",
        *table(["flow", "share of the late one", "Jain", "queue", "lost"], late),
        "The last runs alternate five seconds of sending and five of silence, four times; there is no randomness, so one run suffices.",
        "After a stop, a stack continues to send data that its application handed over before, up to eight windows; our TCP does not.",
        "The table gives goodput over the 40 s, the mean queue (ms), and packets declared lost:",
        "",
        *table(["flow", "Mbit/s", "queue", "lost"], pauses),
    ]


def apart(found: Found) -> list[str]:
    """Section 5: what stacks' own controllers do that ours in the same stack do not."""

    def lost(name: str) -> float:
        return statistics.mean(sum(found[f"{name}/{seed}"]["lost"]) for seed in SEEDS)

    bbr, cubic = lost("late/stock-bbr@stack=quinn"), lost("late/stock-cubic@stack=quinn")
    pauses = {
        flow: found[f"pauses/{flow}"]["lost"][0]
        for flow in ("stock-cubic@stack=noq", "cubic@stack=noq", "stock-cubic@stack=quinn")
    }
    still = max(still for _, _, still in standstills(found["standstill/own"]["windows"]))
    return [
        "## Differences of the stacks' own controllers",
        "",
        f"* quinn's BBR fills the queue and continues to send: two flows had {bbr:,.0f} packets declared lost in 80 s, two of quinn's CUBIC {cubic:,.0f}.",
        "  This does not reduce its goodput, and random losses do not slow it.",
        "  `cwnd compare 'stock-bbr@stack=quinn' 'stock-bbr@stack=quinn,start=20s' --rate 20Mbit/s --rtt 40ms --duration 80s`",
        f"* noq's CUBIC keeps its window over a pause and sends it when the application resumes: {pauses['stock-cubic@stack=noq']:,} packets declared lost over four pauses, against "
        f"{pauses['cubic@stack=noq']:,} of ours in noq, which restarts from the initial window, and {pauses['stock-cubic@stack=quinn']:,} of quinn's own.",
        '  `python -c \'import cwnd; a = [{k: {"flow": "f", "at": f"{t}s"}} for t in range(5, 40, 5) for k in ["stop" if t % 10 else "start"]]; '
        'print(cwnd.compare("stock-cubic@stack=noq,label=f", rate="20Mbit/s", rtt="40ms", duration="40s", actions=a))\'`',
        f"* quinn's CUBIC does not grow for up to {still:.1f} s after fast convergence (above).",
        "",
    ]


def text(found: Found) -> str:
    """The page."""
    parts = [
        "# Our algorithms in real QUIC stacks",
        "",
        "Measured on 26 November 2026 with quinn-proto 0.11.19 and noq-proto 1.4.0 at both ends of each connection.",
        "The connections run in the simulator in virtual time, with datagrams of 1472 bytes and without cryptography (which changes no packet: `crates/cwnd-stacks/tests/engine`).",
        "Names such as `stock-cubic` are the stacks' own controllers.",
        "A single flow on a path without random losses has no randomness, so one run suffices.",
        "`python -m tools.stacks` repeats all runs; each line of the tables is a `cwnd compare`.",
        "Flows without a stack have `recovery=sack-prr` there, which is nearest to QUIC's.",
        "",
        "**Receive windows**: only the next section uses the stacks' own, 1.25 MB for a stream.",
        "All other sections use `rwnd=1073741824`, a window that limits nothing, so that only congestion control decides.",
        "On fast, long paths some connections end with such a window but survive with the stacks' own.",
        "",
        *own_windows(found),
        *agreement(found),
        *survival(found),
        *plateau(found),
        *seeded(found),
        *apart(found),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def write(found: Found) -> None:
    """Writes the page and its picture."""
    draw(found["standstill/ours"]["windows"], found["standstill/own"]["windows"], INTERVAL_S)
    PAGE.write_text(text(found), encoding="utf-8")
