# SPDX-License-Identifier: MIT OR Apache-2.0
"""Data of the page's program: the source locations of each algorithm's hooks, and the first run, shown until the module is loaded."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
SOURCES = ROOT / "crates/cwnd/src/algorithms"
HOOK = re.compile(r"^    fn (\w+)\(", re.MULTILINE)
IMPLEMENTATION = re.compile(r"^impl CongestionControl for \w+ \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
NAME = re.compile(r'^\s+name: "([\w.-]+)",', re.MULTILINE)


def sources() -> dict[str, dict[str, str]]:
    """By the name of a parameter set and that of a hook, file and line of the function, from crates/cwnd/src/algorithms on. Hooks that an algorithm leaves out are not there."""
    found = {}
    for path in sorted(SOURCES.glob("**/*.rs")):
        text = path.read_text(encoding="utf-8")
        implementation = IMPLEMENTATION.search(text)
        if implementation is None:
            continue
        begin = implementation.start(1)
        lines = {
            hook[1]: f"{path.relative_to(SOURCES)}:{text.count(chr(10), 0, begin + hook.start()) + 1}"
            for hook in HOOK.finditer(implementation[1])
        }
        forms = path.with_name("parameter_sets.rs")
        for name in NAME.findall(text + (forms.read_text(encoding="utf-8") if forms.exists() else "")):
            found[name] = lines
    return found


def first(module: Path) -> object:
    """The run that the page begins with: description, summary and curves in three digits."""
    bundled = WEB / "out/first.mjs"
    command = [
        str(WEB / "node_modules/.bin/esbuild"),
        str(WEB / "first.mjs"),
        "--bundle",
        "--platform=node",
        "--format=esm",
        "--log-level=warning",
        f"--outfile={bundled}",
    ]
    subprocess.run(command, check=True, cwd=WEB)
    done = subprocess.run(["node", str(bundled), str(module)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def write(module: Path, target: Path) -> None:
    """Writes both as JSON."""
    target.write_text(json.dumps({"sources": sources(), "first": first(module)}, separators=(",", ":")))
