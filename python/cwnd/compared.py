# SPDX-License-Identifier: MIT OR Apache-2.0
"""The scenario of `cwnd compare` and `cwnd sweep`: flows through one bottleneck, with starts and a measured interval of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cwnd.discipline_options import discipline_settings
from cwnd.flow_and_link import Flow
from cwnd.flowspec import traffic as parse_traffic
from cwnd.options import pair_of
from cwnd.scenario import dumbbell_document, from_document


def compared_document(
    groups: Sequence[Flow],
    *,
    measure: str | None,
    ecn: bool,
    disciplines: Mapping[str, str | None],
    traffic: Sequence[str] | None,
    seed: str,
    duration: str,
    **settings: object,
) -> dict[str, object]:
    """The keys of the scenario; raises `ScenarioError`, or ends the program, where an option is refused."""
    background = [parse_traffic(text) for text in traffic or []]
    has_start = [("start" in group.table) for group in groups]
    queue = discipline_settings(disciplines, ecn=ecn)
    measured = pair_of("--measure", measure, "FROM..TO, such as 20s..100s")

    def build(interval_measured: tuple[str, str] | None) -> dict[str, object]:
        others = {"seed": number(seed), "duration": duration, "traffic": background, "measure": interval_measured}
        return dumbbell_document(groups, {**settings, **queue, **others})

    duration_ns = round(from_document(build(None)).duration_s * 1e9)
    # Against phase effects, flows that name no start begin at random within the first 100 ms (a tenth of a short run).
    spread = f"{min(100_000_000, max(1, duration_ns // 10))}ns"
    for group, given in zip(groups, has_start):
        if ecn:
            group.table.setdefault("ecn", True)
        if not given:
            group.table["start"] = {"uniform": ["0s", spread]}
    return build(measured or (f"{duration_ns // 5}ns", duration))


def number(text: str) -> int | str:
    """A whole number if the text is one; anything else as text, which the validation of the scenario refuses."""
    return int(text) if text.isascii() and text.isdigit() else text
