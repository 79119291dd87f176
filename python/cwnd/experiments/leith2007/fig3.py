# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 3: over a sufficiently long period two CUBIC flows get about the same.

Left open: everything (the caption is lost); so the set-up of figure 2, for half an hour (short) or two, measured from 600 s after the second
start on: long after the 300 s that convergence often takes more than.
"""

from __future__ import annotations

import numpy as np

from cwnd.experiments import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup
from cwnd.experiments.leith2007._bench import bench, two
from cwnd.metrics import curves, min_max_ratio, rates

TITLE = "Two CUBIC flows, the second later: long-term throughput at 10, 250 and 500 Mbit/s"
CUBIC, SECOND = "cubic-2.0", "cubic-2.6.18"
RATES = (10, 250, 500)
#: Unstated: measured from here on, s after the second start.
SETTLED_S = 600


def grid(setup: Setup) -> list[Point]:
    end = setup.seconds(full=7200, short=1800)
    return [
        Point(str(rate), bench(rate, end, two(setup.cubic)), seeds=setup.seeds(full=5, short=2 if rate < 500 else 1))
        for rate in RATES
    ]


def reduce(run: Result, point: Point) -> Reduced:
    since, end = run.summary["flows"][1]["start_s"], run.scenario.duration_s

    def ratio(begin: float) -> float:
        got = rates(run.cwnd, packet_bytes=run.scenario.packet_bytes, interval_s=end - begin, begin_s=begin, end_s=end)
        return min_max_ratio(got.mbps[:, 0]).value or 0.0

    every = np.arange(0, end, 5)
    windows = [window.round(1) for window in curves(run.cwnd, every).values()]
    return {"settled": ratio(since + SETTLED_S), "all": ratio(since), "time_s": every, "cwnd": windows}


def claims(results: Results) -> dict[str, Answer]:
    whole = ", ".join(f"{results.mean(key, 'all'):.2f} at {key} Mbit/s" for key in results)
    note = f"from {SETTLED_S} s after the second start on; from that start on: {whole}"
    return {"long-term-equal": Measured({f"{key} Mbit/s": results.values(key, "settled") for key in results}, note)}


def plot(results: Results, figure: Figure) -> None:
    figure.set_size_inches(6.4, 7.2)
    for axes, key in zip(figure.subplots(3, 1, sharex=True), results):
        run = results[key][0]
        for number, (window, dash) in enumerate(zip(run["cwnd"], ("-", (0, (4, 1.2))))):
            axes.plot(run["time_s"], window, linestyle=dash, linewidth=0.9, label=f"flow {number + 1}")
        settled = [value for time, value in zip(run["time_s"], run["cwnd"][0]) if time > 20]
        axes.set(
            title=f"{key} Mbit/s", ylabel="cwnd (packets)", xlim=(0, run["time_s"][-1]), ylim=(0, 1.1 * max(settled))
        )
    axes.set_xlabel("time (s)")
    figure.axes[0].legend(ncols=2)


WHY = {
    "long-term-equal": "Two causes, each tested by runs of its own (1500 s). Phase: at 10 Mbit/s, with packets that leave exactly on time, the smaller flow keeps 0.70 to 0.77 "
    "of the larger one for good; with up to 2 ms of random delay at the sender 0.98 to 0.99, with an acknowledgement for every packet 0.83. The clamp: at 250 and 500 Mbit/s both "
    "flows grow by 20 packets a second, or half of that with delayed acknowledgements; an epoch is 100 to 230 s, and 600 s after the second start they are still on their way. With 160 "
    "packets a second 10 Mbit/s comes to 0.95 to 0.98, but 250 and 500 Mbit/s to 0.69 and 0.63, where the flows pass each other and part again. The paper's 'sufficiently long' is not said.",
}
