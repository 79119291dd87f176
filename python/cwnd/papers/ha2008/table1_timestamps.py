# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

from cwnd.papers.ha2008.setups.hook_calls import connection
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Point, Reported, Results, Setup

#: W_tcp by acknowledgement (the pseudocode; Linux 2.6.22), and by the closed form of equation 4.
FORMS = {"per ACK": "cubic-2.2", "per ACK, Linux 2.6.22": "cubic-2.1", "closed form": "cubic-rfc8312"}
#: Unstated: the path's round trip and the one that the receiver pretends, µs, the window at the loss, and the duration.
TRUE_US, FALSE_US, WINDOW, SECONDS = 100_000, 20_000, 200, 20
#: A window that differs by less than a packet in the mean is the same.
PACKET = 1.0


@dataclass(frozen=True, slots=True)
class Table1TimestampsNumbers:
    """What a run is reduced to."""

    cwnd: list[int]
    mean: float


def send(cc: str, source: str, echo: str) -> Table1TimestampsNumbers:
    """The windows of a flow, once per round trip, whose round trips come from `source`."""
    hooks = connection(cc, WINDOW, WINDOW, now_us=1_000_000)
    now, end, lost, windows = 1_000_000, 1_000_000 + SECONDS * 1_000_000, False, []
    while now < end:
        # A window's packets, sent over a round trip; each is acknowledged one round trip after it was sent.
        window = hooks.get("cwnd")
        windows.append(window)
        for number in range(window):
            sent = now + TRUE_US * number // window
            arrives = sent + TRUE_US
            # The receiver's echo: the packet's own timestamp, or one so late that FALSE_US remain.
            echoed = sent if echo == "true" else arrives - FALSE_US
            hooks.set("now_us", arrives)
            hooks.ack(1, arrives - (echoed if source == "timestamps" else sent))
        if not lost and now >= 1_500_000:
            hooks.loss()
            lost = True
        now += TRUE_US
    return Table1TimestampsNumbers(cwnd=windows, mean=sum(windows[10:]) / len(windows[10:]))


class Table1Timestamps(Experiment[Table1TimestampsNumbers]):
    """Table 1, timestamps: a receiver that echoes later timestamps pretends a shorter round trip.

    Until 2.6.22 CUBIC takes its round trips from the echoed timestamps; 2.6.23 removes this against "malicious receiver attacks that reports wrong
    timestamps to reduce RTTs for more throughput". Here a sender stores when it sent each packet and also gets the echo. The algorithm is called with
    the round trip from one or the other. One loss, then 20 s. Left open: how much the false echo gains, and in which form of W_tcp.
    """

    title = "A receiver that echoes false timestamps, and CUBIC with and without using them"
    #: The claims are about versions.
    cubic = None

    def grid(self, setup: Setup) -> list[Point]:
        return [
            Point(f"{form}, {source}, {echo}", call=send, args=(cc, source, echo))
            for form, cc in FORMS.items()
            for source in ("timestamps", "own clock")
            for echo in ("true", "false")
        ]

    def claims(self, results: Results[Table1TimestampsNumbers]) -> dict[str, Answer]:
        def apart(source: str, form: str) -> float:
            return results.mean(f"{form}, {source}, false", "mean") - results.mean(f"{form}, {source}, true", "mean")

        linux = ("per ACK", "per ACK, Linux 2.6.22")
        changes = [apart("timestamps", form) for form in linux]
        own_clock_changes = [
            max(
                abs(a - b)
                for a, b in zip(*(results[f"{form}, own clock, {echo}"][0].cwnd for echo in ("true", "false")))
            )
            for form in FORMS
        ]
        words = "; ".join(f"{form}: {apart('timestamps', form):+.1f} packets" for form in FORMS)
        means = "; ".join(f"{form} {results.mean(f'{form}, own clock, true', 'mean'):.1f}" for form in FORMS)
        return {
            "before-2-6-23": Holds(
                f"with round trips from the timestamps, false timestamps change the mean window by more than {PACKET:g} packet in both forms with Algorithm 1's W_tcp",
                all(abs(change) > PACKET for change in changes),
                min(changes, key=abs),
            ),
            "from-2-6-23": Holds(
                "with round trips from the sender's own clock, no form's window changes",
                not any(own_clock_changes),
                max(own_clock_changes),
                "a receiver cannot falsify the sender's clock",
            ),
            "direction": Reported(
                f"{TRUE_US / 1e3:g} ms reported as {FALSE_US / 1e3:g} ms changes the mean window over {SECONDS} s with one loss at {WINDOW} packets by: {words} (mean windows with true timestamps: {means})"
            ),
        }

    def plot(self, results: Results[Table1TimestampsNumbers], figure: Figure) -> None:
        axes = figure.subplots()
        for form, colour in zip(FORMS, ("#0072B2", "#009E73", "#D55E00")):
            for echo, dash in (("true", "-"), ("false", "--")):
                window = results[f"{form}, timestamps, {echo}"][0].cwnd
                times = [n * TRUE_US / 1e6 for n in range(len(window))]
                axes.plot(times, window, linestyle=dash, color=colour, label=f"{form}, {echo} timestamps")
        axes.set(xlabel="time (s)", ylabel="window (packets)", xlim=(0, None))
        axes.legend(fontsize="small")
