# SPDX-License-Identifier: MIT OR Apache-2.0
"""The scenario of `cwnd compare` and `cwnd sweep` from the texts of the command line."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cwnd.cli.disciplines import discipline_settings
from cwnd.cli.options import pair_of
from cwnd.scenario.bottleneck import bottleneck_document
from cwnd.scenario.flow import Flow
from cwnd.scenario.flowspec import traffic as parse_traffic


def compared_document(
    groups: Sequence[Flow],
    *,
    measure: str | None,
    ecn: bool,
    disciplines: Mapping[str, str | None],
    traffic: Sequence[str] | None,
    seed: str,
    sized: Collection[int] = (),
    **settings: object,
) -> dict[str, object]:
    """The keys of the scenario; raises `ScenarioError`, or ends the program, where an option is refused. `sized`: as in `bottleneck_document`."""
    background = [parse_traffic(text) for text in traffic or []]
    queue = discipline_settings(disciplines, ecn=ecn)
    measured = measured_pair(measure)
    others = {"seed": number(seed), "traffic": background, "measure": measured}
    return bottleneck_document(groups, {**settings, **queue, **others}, ecn=ecn, sized=sized)


def measured_pair(text: str | None) -> tuple[str, str] | None:
    """`--measure`."""
    return pair_of("--measure", text, "FROM..TO, such as 20s..100s")


def number(text: str) -> int | str:
    """A whole number if the text is one; anything else as text, which the validation of the scenario refuses."""
    return int(text) if text.isascii() and text.isdigit() else text
