# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.papers.rhee2005.setups.simulation import NAMES
from cwnd.papers.rhee2005.setups.stability import BUFFERS, Stability, Variation
from cwnd.reproduce import Answer, Figure, Holds, Results

#: A steady oscillation between w and βw has a coefficient of variation of about (1-β)/(1+β)/√3: 0.2 is far above any of these.
OSCILLATES = 0.2


class Fig7_9(Stability):
    """Figures 7 to 9 (experiment 3): throughput of four flows at 220 ms alongside four of SACK at 20 ms, 2.5 Gbit/s, buffers of 20 and 200 % of the BDP.

    STCP and H-TCP are said to oscillate over various time scales. Left open: duration, background, whose BDP, start times, and what oscillates means: here, that the
    throughput of a flow varies at every time scale, by a fifth of its mean, and more than that of CUBIC in the same place.
    """

    title = "Throughput of four flows at 220 ms and four of SACK at 20 ms, 2.5 Gbit/s, buffers of 20 and 200 % BDP"
    cubic = "cubic-2005"

    def claims(self, results: Results[Variation]) -> dict[str, Answer]:
        def oscillates(name: str, buffer: int) -> Holds:
            key, other = f"{name}, {buffer} %", f"cubic, {buffer} %"
            least = results.each(lambda run: min(run[key].variation))
            beyond = results.each(lambda run: all(a > b for a, b in zip(run[key].variation, run[other].variation)))
            return Holds(
                f"at every time scale from 1 s on, a coefficient of variation of at least {OSCILLATES}, and above CUBIC's",
                [ratio >= OSCILLATES and larger for ratio, larger in zip(least, beyond)],
                least,
                within=(OSCILLATES, None),
            )

        return {
            f"{name}-oscillates-{buffer}": oscillates(name, buffer) for name in ("stcp", "htcp") for buffer in BUFFERS
        }

    def plot(self, results: Results[Variation], figure: Figure) -> None:
        figure.set_size_inches(9, 8)
        for row, name in zip(
            figure.subplots(len(self.protocols), len(BUFFERS), sharex=True, sharey=True), self.protocols
        ):
            for axes, buffer in zip(row, BUFFERS):
                for number, mbps in enumerate(results[f"{name}, {buffer} %"][0].mbps):
                    long = number < 4
                    label = {0: f"{NAMES[name]}, 220 ms", 4: "SACK, 20 ms"}.get(number)
                    axes.plot(
                        mbps,
                        color="#D55E00" if long else "#0072B2",
                        linestyle="-" if long else "--",
                        linewidth=0.9,
                        label=label,
                    )
                axes.set_title(f"{NAMES[name]}, buffer {buffer} %")
            row[0].set(ylabel="throughput (Mbit/s)")
            row[0].legend()
        figure.axes[0].set_ylim(bottom=0)
        for axes in figure.axes[-2:]:
            axes.set(xlabel="time (s)", xlim=(0, None))
