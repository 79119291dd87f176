# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd sweep`, as the command line declares it; what it does is imported when it runs."""

from __future__ import annotations

from cwnd.cli.keywords import keyword_options
from cwnd.cli.options import takes
from cwnd.cli.sweep_options import SweepOptions
from cwnd.scenario.keywords import AXES

AXIS_OPTIONS = ", ".join(f"--{name.replace('_', '-')}" for name in AXES)
SWEEP = f"""Run a scenario for every combination of its axes' values, with several seeds, and write one tidy table.

Axes are lists, 10ms,40ms, and ranges, FROM..TO/COUNT (evenly spaced) or FROM..TO/COUNTlog (by equal factors), of {AXIS_OPTIONS} (--loss in braces); in braces in a flow,
'cubic@beta={{0.7,0.85}}' or '{{cubic,reno}}:2'; of any other key with --axis, 'link.queue.kind=droptail,codel'. Flows are those of one bottleneck, as in cwnd compare; or SCENARIO.toml with --axis; or a study's file, GRID.toml.

With -o each run is saved when it ends. After Ctrl-C the same command resumes the work. Another study in the same folder reuses the runs that they
share. docs/guide/studies.md has examples.
"""


@takes(SweepOptions, keyword_options("sweep"))
def command(options: SweepOptions) -> None:
    """Runs a study; `SWEEP` is the help."""
    from cwnd.cli.actions.sweep import invoke

    invoke(options)
