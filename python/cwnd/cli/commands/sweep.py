# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd sweep`, as the command line declares it; what it does is imported when it runs."""

from __future__ import annotations

from cwnd.cli.keywords import keyword_options
from cwnd.cli.options import takes
from cwnd.cli.sweep_options import SweepOptions
from cwnd.scenario.keywords import AXES

AXIS_OPTIONS = ", ".join(f"--{name.replace('_', '-')}" for name in AXES)
SWEEP = f"""Run a scenario for every combination of its axes' values, with several seeds, and write one tidy table.

An axis is a list, 10ms,40ms, or a range, FROM..TO/COUNT (evenly spaced) or FROM..TO/COUNTlog (by equal factors). {AXIS_OPTIONS} take axes (--loss in braces), and so does a flow,
in braces: 'cubic@beta={{0.7,0.85}}' or '{{cubic,reno}}:2'. --axis takes any other key: 'link.queue.kind=droptail,codel'. The arguments are flows through one bottleneck, as in cwnd compare; SCENARIO.toml, with --axis; or a study's file, GRID.toml.

With -o each run is saved when it ends. After Ctrl-C the same command resumes the work. Another study in the same folder reuses the runs that both
studies have. docs/guide/studies.md has examples.
"""


@takes(SweepOptions, keyword_options("sweep"))
def command(options: SweepOptions) -> None:
    """Runs a study; `SWEEP` is the help."""
    from cwnd.cli.actions.sweep import invoke

    invoke(options)
