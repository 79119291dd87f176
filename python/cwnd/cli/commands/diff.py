# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd diff`, as the command line declares it; what it does is imported when it runs."""

from __future__ import annotations

from cwnd.cli.diff_options import DiffOptions
from cwnd.cli.options import takes

#: What `cwnd diff --help` says first.
DIFF = """Compare result B with result A, paired by seed and point, with an interval for each number.

A and B are folders of studies, replicates (--seeds) or runs. With --between, A is one study, and two values of a factor are compared.
Exit code 1 if a condition of --fail-if is met."""


@takes(DiffOptions)
def command(options: DiffOptions) -> None:
    """Compares two results; `DIFF` is the help."""
    from cwnd.cli.actions.diff import invoke

    invoke(options)
