# SPDX-License-Identifier: MIT OR Apache-2.0
"""Draws the pictures of a result on disk again."""

from __future__ import annotations

import json
from pathlib import Path

from cwnd._internal.input_errors import path_of
from cwnd._internal.json_files import read_json
from cwnd._internal.temporary_files import replacing
from cwnd.kernel.result import KernelTrace
from cwnd.load import NoResultError, load
from cwnd.replicates.api import Replicates
from cwnd.result.store import MANIFEST
from cwnd.study.results import Study


def redraw(folder: str | Path) -> list[Path]:
    """Draws a run or a kernel trace into its folder, and replaces the earlier pictures; returns the new ones.

    Raises `NoResultError` for a folder that holds neither.
    """
    folder = path_of("folder", folder)
    result = load(folder)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    if isinstance(result, Replicates | Study):
        what = "such as one of its seeds, not replicates" if isinstance(result, Replicates) else "not a study"
        raise NoResultError(f'folder: "{folder}" is not accepted; expected a run, {what}')
    if isinstance(result, KernelTrace):
        from cwnd.plot.kernel import draw as draw_trace

        if not draw_trace(result, folder):
            raise NoResultError(f'folder: "{folder}" is not accepted; expected a kernel trace with samples of a window')
    else:
        from cwnd.plot import draw

        draw(result, folder)
    drawn = sorted(
        path
        for path in folder.iterdir()
        if path.suffix in (".png", ".svg") and before.get(path.name) != path.stat().st_mtime_ns
    )
    manifest = read_json(folder / MANIFEST)
    files = sorted({*manifest["files"], *(path.name for path in drawn)})
    with replacing(folder / MANIFEST) as part:
        part.write_text(json.dumps({**manifest, "files": files}, indent=1) + "\n")
    return drawn
