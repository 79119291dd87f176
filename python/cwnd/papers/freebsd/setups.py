# SPDX-License-Identifier: MIT OR Apache-2.0
"""The testbed of the FreeBSD review: iperf over a LAN of virtual machines that loses data packets at random.

Left open: rate, round trip, queue, delayed acknowledgements, recovery, durations. The document's NewReno needs 0.15 ms or less.
Chosen after runs of this table with 100, 120 and 150 us, SACK recovery with and without PRR, and every or every second segment acknowledged:
the shortest of these round trips, SACK recovery without PRR, and a scenario's default acknowledgements. So the agreement of a number with the
document's says less than the order of the numbers and the settings that change them (reasons.toml).
"""

from __future__ import annotations

from dataclasses import dataclass

from cwnd.reproduce import Experiment, Point, Result
from cwnd.reproduce.numbers import Json, JsonObject

#: The set of the document's patched CUBIC.
PATCHED = "cubic-freebsd-newreno"
#: The kernel's own algorithm without CUBIC: segments counted.
NEWRENO = "reno"
#: Of all three: RFC 6675 alone.
RECOVERY = "sack"
CLOCKS_HZ = (100, 1000, 10_000, 100_000)
LOSSES = (0.01, 0.02)
#: Unstated: the rate of a virtual machine's network card, a round trip that lets NewReno reach its numbers, a queue that never fills.
RATE, RTT, QUEUE = "1Gbit/s", "100us", "1000packets"
#: FreeBSD's own minimum timeout (net.inet.tcp.rexmit_min).
MIN_RTO = "30ms"


def lan(
    cc: str,
    clock_hz: int,
    loss: float,
    seconds: float,
    *,
    rtt: str = RTT,
    rate: str = RATE,
    queue: str = QUEUE,
    **of_flow: Json,
) -> JsonObject:
    """One transfer; the first tenth is not measured."""
    link: JsonObject = {
        "rate": rate,
        "rtt": rtt,
        "queue": {"kind": "droptail", "limit": queue},
        **({"loss": f"random:{loss}"} if loss else {}),
    }
    return {
        "duration": f"{seconds:g}s",
        "measure": [f"{seconds / 10:g}s", f"{seconds:g}s"],
        "link": link,
        "flow": [{"cc": cc, "recovery": RECOVERY, "host_clock": f"{clock_hz}Hz", "min_rto": MIN_RTO, **of_flow}],
        "record": {"interval": "0s"},
    }


@dataclass(frozen=True, slots=True)
class Iperf:
    """The numbers that iperf reports."""

    #: Payload, Mbit/s.
    mbps: float
    #: The mean window, packets.
    cwnd: float
    timeouts: int


def iperf(run: Result) -> Iperf:
    """The numbers of a run."""
    flow = run.summary["flows"][0]
    return Iperf(mbps=flow["goodput_mbps"], cwnd=flow["cwnd_mean"], timeouts=flow["timeouts_run"])


class Lan(Experiment[Iperf]):
    """An experiment on this testbed."""

    def reduce(self, run: Result, point: Point) -> Iperf:
        return iperf(run)
