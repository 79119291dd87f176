# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.papers.rhee2005.setups.simulation import NAMES
from cwnd.papers.rhee2005.setups.stability import BUFFERS, Stability, Variation, variation
from cwnd.reproduce import Answer, Figure, Measured, Results


class Fig10_11(Stability):
    """Figures 10 and 11 (experiment 3): coefficient of variation of throughput by time scale, with buffers of 20 and 200 % of the BDP.

    The runs are those of figures 7 to 9; the coefficient is the mean over the four flows at 220 ms. Left open: time scales, duration, background,
    whose BDP. Jain's index by time scale is the measure that the authors had planned.
    """

    title = "Variation of throughput by time scale: CUBIC, STCP and H-TCP at 220 ms, buffers of 20 and 200 % BDP"
    cubic = "cubic-2005"

    def claims(self, results: Results[Variation]) -> dict[str, Answer]:
        def over(name: str, buffer: int) -> dict[str, list[float]]:
            of_cubic, of_other = (variation(results, protocol, buffer) for protocol in ("cubic", name))
            return {scale: [a / b for a, b in zip(values, of_other[scale])] for scale, values in of_cubic.items()}

        fairness = {
            f"{NAMES[name]}, {buffer} %, {scale} s": [run.jain[index] for run in results[f"{name}, {buffer} %"]]
            for buffer in BUFFERS
            for name in self.protocols
            for index, scale in enumerate(results[f"{name}, {buffer} %"][0].scales)
        }
        return {
            **{
                f"cubic-steadier-than-{name}-{buffer}": Measured(over(name, buffer))
                for name in ("stcp", "htcp")
                for buffer in BUFFERS
            },
            "jain": Measured(fairness, "Of the four flows at 220 ms."),
        }

    def plot(self, results: Results[Variation], figure: Figure) -> None:
        figure.set_size_inches(9, 4)
        for axes, buffer in zip(figure.subplots(1, 2, sharey=True), BUFFERS):
            for name, marker in zip(self.protocols, "sDv"):
                key = f"{name}, {buffer} %"
                axes.semilogx(results[key][0].scales, results.means(key, "variation"), marker=marker, label=NAMES[name])
            axes.set(title=f"buffer {buffer} % BDP", xlabel="time scale (s)")
            axes.minorticks_off()
            axes.set_xticks(results[key][0].scales, [str(scale) for scale in results[key][0].scales])
        figure.axes[0].set_ylabel("coefficient of variation of throughput")
        figure.axes[0].set_ylim(bottom=0)
        figure.axes[0].legend()
