# SPDX-License-Identifier: MIT OR Apache-2.0
"""Keywords of `cwnd.compare`: those of a scenario, and how it is run. A misspelt one is an error for type checkers too."""

from __future__ import annotations

from pathlib import Path

from cwnd.scenario.keyword_types import BottleneckSettings


class CompareSettings(BottleneckSettings, total=False):
    """Keywords of `cwnd.compare`."""

    #: with `seeds`: how many runs at a time (all processors; in lane `live` 1)
    jobs: int | None
    #: without `seeds`: threads of the run (1)
    threads: int
    #: folder for tables, pictures and the scenario; with `seeds`, for each run
    folder: str | Path | None
    #: without `seeds`: whether pictures are drawn in the folder
    pictures: bool
    #: replace another result in the folder
    force: bool
    #: where the flows run: `"sim"`, the simulator; `"live"`, the running kernel's TCP (root); `"linux"`, that of a kernel in virtual time (`"linux:6.12"`)
    lane: str
