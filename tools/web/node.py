# SPDX-License-Identifier: MIT OR Apache-2.0
"""The module of the web page under Node: built by `make page`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.web.build import MODULE, WEB


class Module:
    """A process that runs the module."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, **request: object) -> Any:  # noqa: ANN401 -- a document
        """The answer to a request of `web/test/node.mjs`."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the module's process has ended"
        return json.loads(line)


@contextmanager
def module(folder: Path) -> Iterator[Module]:
    """Starts Node with the module; `folder` takes the bundled script."""
    engine = folder / "engine.mjs"
    esbuild = WEB / "node_modules/.bin/esbuild"
    subprocess.run(
        [esbuild, WEB / "src/engine.ts", "--format=esm", f"--outfile={engine}", "--log-level=warning"], check=True
    )
    process = subprocess.Popen(
        ["node", WEB / "test/node.mjs", engine, MODULE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield Module(process)
    finally:
        assert process.stdin
        process.stdin.close()
        process.wait(timeout=60)
