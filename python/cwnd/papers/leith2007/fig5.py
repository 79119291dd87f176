# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

import math
from dataclasses import dataclass

from cwnd.metrics import rates
from cwnd.papers.leith2007.setups import ALONE, testbed
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

#: Unstated, MB.
ALL_MB, SOME_MB = (100, 200, 300, 500, 1000, 2000, 3000), (100, 300, 1000, 3000)
NAMES = {"cubic": "CUBIC", "sack": "standard TCP", "htcp": "H-TCP"}
CASES = ("alone", "beside")


@dataclass(frozen=True, slots=True)
class Fig5Numbers:
    """What a run is reduced to."""

    took_s: float
    long_mbps: float


class Fig5(Experiment[Fig5Numbers]):
    """Figure 5: completion time of a download against its size, alone, and alongside one long flow of the same algorithm.

    CUBIC, standard TCP and H-TCP behind a queue of one BDP. Rate, round trip and sizes are left open (the caption is lost): 250 Mbit/s, 200 ms,
    and 100 MB to 3 GB (3 to 96 s of the whole link); the long flow starts 100 to 150 s earlier.

    With two segments per acknowledgement, H-TCP grows by segments, as its module of Linux 2.6.18 did (net/ipv4/tcp_htcp.c), CUBIC corrects its
    count by the acknowledgement ratio, and standard TCP counts acknowledgements.
    """

    title = "Completion time against size, alone and alongside a long flow: CUBIC, SACK and H-TCP, 250 Mbit/s, 200 ms"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        def scenario(cc: str, size: int, case: str) -> JsonObject:
            download, end = {"cc": cc, "size": f"{size}MB"}, max(150, 0.6 * size)
            if case == "alone":
                return testbed(250, end, [download])
            return testbed(250, 150 + end, [{**download, "start": ALONE}, {"cc": cc}])

        return [
            Point(
                f"{name}, {size} MB, {case}",
                scenario(setup.cubic if name == "cubic" else name, size, case),
                seeds=setup.seeds(full=5, short=1),
                info={"name": name, "size": size, "case": case},
            )
            for name in NAMES
            for size in setup.pick(ALL_MB, SOME_MB)
            for case in CASES
        ]

    def reduce(self, run: Result, point: Point) -> Fig5Numbers:
        (transfer,) = (row for row in run.table("transfers").to_pylist() if row["bytes"])
        begin, end = transfer["start_s"], transfer["end_s"]
        if end is None or point.info["case"] == "alone":
            return Fig5Numbers(took_s=math.inf if end is None else end - begin, long_mbps=0.0)
        # Throughput of the long flow during the download.
        bytes_ = run.scenario.packet_bytes
        got = rates(run.cwnd, packet_bytes=bytes_, interval_s=end - begin, begin_s=begin, end_s=end).mbps
        return Fig5Numbers(took_s=end - begin, long_mbps=float(got[1][0]))

    def claims(self, results: Results[Fig5Numbers]) -> dict[str, Answer]:
        def ratio(key: str, other: str, measure: str = "took_s") -> Measured:
            sizes = [f"{size} MB" for size in results.swept("size")]
            return Measured({size: results.ratio(key.format(size), other.format(size), measure) for size in sizes})

        return {
            "cubic-alone": ratio("cubic, {}, alone", "sack, {}, alone"),
            "htcp-alone": ratio("htcp, {}, alone", "sack, {}, alone"),
            **{f"{name}-beside": ratio(f"{name}, {{}}, beside", f"{name}, {{}}, alone") for name in NAMES},
            "long-sack-fifth": ratio("sack, {}, beside", "htcp, {}, beside", "long_mbps"),
        }

    def plot(self, results: Results[Fig5Numbers], figure: Figure) -> None:
        from cwnd.plot import COLOURS, MARKERS

        axes = figure.subplots()
        looks = (("alone", "none", (0, (4, 2)), "alone"), ("beside", "full", "-", "alongside a long flow"))
        for (name, label), colour, marker in zip(NAMES.items(), COLOURS, MARKERS):
            for case, fill, dash, where in looks:
                form = {"color": colour, "marker": marker, "linestyle": dash, "fillstyle": fill}
                sizes = results.line(results.where(name=name, case=case), "size", "took_s")
                axes.loglog(*sizes, **form, label=f"{label}, {where}")
        axes.set(xlabel="size of the download (MB)", ylabel="completion time (s)")
        axes.legend()
