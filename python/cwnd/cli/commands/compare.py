# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd compare`: flows through one bottleneck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import typer

from cwnd import _native
from cwnd.cli.actions.run import run_and_report
from cwnd.cli.commands.lab import written_page
from cwnd.cli.entry import fail
from cwnd.cli.keywords import given_values, keyword_options, number
from cwnd.cli.options import LiveKeys, RunOptions, SnapLength, takes
from cwnd.cli.rate_file import Trace, rate_of
from cwnd.page.html import compared_state
from cwnd.result.packets import check_options
from cwnd.scenario.builders import built
from cwnd.scenario.flowspec import live as live_keys
from cwnd.scenario.keywords import DEFAULTS, RECORDS
from cwnd.scenario.netem import Netem, naming_rtt, say_netem, with_netem

#: Keys of a flow that its argument has a syntax for, and those of a graph.
ELSEWHERE = ("cc", "count", "from", "to", "path", "back")
#: Keys of a flow that lane live refuses with another value than the kernel's.
KERNELS, _ = _native.flow_keys_without_live()
COMPARE = f"""Run flows through one bottleneck and report the throughput of each.

A flow's keys: {", ".join(key for key in _native.flow_keys() if key not in ELSEWHERE)}, and every parameter of its algorithm (see
`cwnd show NAME`). The default start is random, 0s..100ms. docs/reference/scenario.md explains each key;
docs/guide/write-a-scenario.md shows networks with more than one bottleneck.

With --lane live the running kernel is the host. It accepts only its own value for the flow keys {", ".join(KERNELS)}; host_clock
has no effect. --interval must be at least 1ms, --rtt more than 0 and --jobs 1. Algorithms of
this package, --inner and --per-ack load BPF objects. See docs/guide/live.md.

Example: cwnd compare cubic:4 sack:4 --rate 400Mbit/s --rtt 40ms --buffer 1bdp --duration 100s -o fig6
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(RunOptions):
    """What `cwnd compare` is given."""

    flows: Annotated[
        list[str],
        typer.Argument(metavar="FLOW...", help="NAME[:COUNT][@KEY=VALUE,...], such as cubic:2@rtt=160ms,beta=0.8"),
    ]
    trace: Trace = None
    netem: Netem = None
    keywords: Mapping[str, object]
    snap_length: SnapLength = None
    live: LiveKeys = None


@takes(CompareOptions, keyword_options("compare"))
def command(options: CompareOptions) -> None:
    """Runs flows through one bottleneck; `COMPARE` is the help."""
    check_options(options.pcap, options.snap_length, options.out)
    if options.page is not None and options.netem is not None:
        fail("--page: not accepted with --netem; expected the options of the link, which pages have")
    values = given_values(options.keywords)
    rate = rate_of(options.keywords["rate"], options.trace)
    settings, meanings = with_netem(options.netem, {**values, "rate": rate})
    live = live_keys(options.live, options.lane)
    with naming_rtt(options.netem, values.get("rtt", DEFAULTS["rtt"])):
        scenario = built("compare", options.flows, {**settings, "snap_length": options.snap_length, "live": live})
    say_netem(meanings)
    with written_page(
        options.page, options.lane, lambda: compared_state(scenario, page_settings(options.flows, values))
    ):
        run_and_report(scenario, options)


def page_settings(flows: list[str], values: Mapping[str, object]) -> dict[str, object]:
    """The settings that a page begins with. It records what it draws."""
    defaults = {**DEFAULTS, "seed": number(DEFAULTS["seed"])}
    return {"flows": flows, **{name: value for name, value in {**defaults, **values}.items() if name not in RECORDS}}
