# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures of a result that is on disk already."""

from __future__ import annotations

import json
from pathlib import Path

from cwnd.refused import path_of
from cwnd.result import Result
from cwnd.store import MANIFEST, load


def redraw(folder: str | Path) -> list[Path]:
    """Draws a run or a kernel trace into its folder, in place of what was drawn there; returns the pictures.

    Raises `NoResultError` for a folder that holds neither.
    """
    folder = path_of("folder", folder)
    found = load(folder)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    if isinstance(found, Result):
        from cwnd.plot import draw

        draw(found, folder)
    else:
        from cwnd.plot.kernel import draw as draw_trace

        draw_trace(found, folder)
    drawn = sorted(
        path
        for path in folder.iterdir()
        if path.suffix in (".png", ".svg") and before.get(path.name) != path.stat().st_mtime_ns
    )
    manifest = json.loads((folder / MANIFEST).read_text())
    files = sorted({*manifest["files"], *(path.name for path in drawn)})
    part = folder / f".{MANIFEST}.part"
    try:
        part.write_text(json.dumps({**manifest, "files": files}, indent=1) + "\n")
        part.replace(folder / MANIFEST)
    finally:
        part.unlink(missing_ok=True)
    return drawn
