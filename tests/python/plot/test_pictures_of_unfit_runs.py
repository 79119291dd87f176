# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd plot` of folders whose contents a picture does not fit."""

from __future__ import annotations

from pathlib import Path

from conftest import Cli, refused

import cwnd as package


# What the runs hold is no text that the user typed: an error names the folder.
def test_folders_that_a_picture_does_not_fit_are_named(tmp_path: Path, cwnd: Cli) -> None:
    traffic = [{"model": "udp", "rate": "1Mbit/s"}]
    alone = package.dumbbell([], rate="8Mbit/s", rtt="40ms", duration="1s", traffic=traffic)
    package.run(alone, folder=tmp_path / "alone", pictures=False)
    for kind in ("windows", "throughput"):
        refused(
            cwnd("plot", "alone", "--kind", kind, cwd=tmp_path),
            'DIR: "alone" is not accepted; expected runs with flows; these have only traffic',
        )
    names = [f"run-{number}" for number in range(7)]
    for name in names:
        package.run(
            package.dumbbell("cubic", rate="8Mbit/s", rtt="40ms", duration="1s"), folder=tmp_path / name, pictures=False
        )
    refused(
        cwnd("plot", *names, "--kind", "windows", cwd=tmp_path),
        f'DIR: "{" ".join(names)}" is not accepted; expected at most 6 scenarios',
    )
    package.sweep("cubic", {"rtt": ["20ms", "30ms"]}, rate="5Mbit/s", duration="1s", folder=tmp_path / "s")
    refused(
        cwnd("plot", "s", "--kind", "fairness", cwd=tmp_path),
        'DIR: "s" is not accepted; expected two groups of flows that share a link; this has cubic alone',
    )
