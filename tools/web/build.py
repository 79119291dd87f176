# SPDX-License-Identifier: MIT OR Apache-2.0
"""Makes the page, one self-contained HTML file: python -m tools.web.build [OUT].

Module and program are compressed by LZMA and written in base 85, which `web/src/unpack.ts` undoes; scripts and styles are bundled by esbuild.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import lzma
import os
import subprocess
from pathlib import Path

from tools.web import tables

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
#: Where `.ci/wasm` leaves the module.
MODULE = ROOT / "target/wasm/wasm32-unknown-unknown/wasm/cwnd_wasm.wasm"
#: Bytes of LZMA's header, and of the field in it that holds the size.
HEADER, SIZE = 13, 8


def packed(contents: bytes) -> str:
    """Bytes as text."""
    settings = {"lc": 4, "lp": 0, "pb": 0, "dict_size": 1 << 22, "nice_len": 273, "depth": 1000}
    filters = [{"id": lzma.FILTER_LZMA1, "mode": lzma.MODE_NORMAL, "mf": lzma.MF_BT4, **settings}]
    data = lzma.compress(contents, format=lzma.FORMAT_ALONE, filters=filters)
    # Python leaves the size open, and marks the end.
    data = data[: HEADER - SIZE] + len(contents).to_bytes(SIZE, "little") + data[HEADER:]
    text = base64.b85encode(data + bytes(-len(data) % 4)).decode("ascii")
    # Nothing in it may end the element that it stands in. The alphabet has no slash.
    assert "<!--" not in text, "the text looks like a comment: change a setting of the compression"
    return text


def policy(*scripts: str) -> str:
    """What the page may do: run these scripts, workers made of them, and WebAssembly. It fetches nothing, and evaluates no text.

    An inline handler or a script that a link or a scenario brought in is none of them.
    """
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src 'wasm-unsafe-eval' {hashes}; worker-src blob:; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def bundle(entry: str, *options: str) -> str:
    """A script with all that it imports, minified."""
    command = [
        str(WEB / "node_modules/.bin/esbuild"),
        str(WEB / "src" / entry),
        "--bundle",
        "--minify",
        "--target=es2022",
    ]
    # ASCII: the page is the same whatever a server says of its encoding.
    done = subprocess.run(
        [*command, "--charset=ascii", "--log-level=warning", *options], stdout=subprocess.PIPE, check=True, cwd=WEB
    )
    return done.stdout.decode()


def page(module: Path = MODULE) -> str:
    """The page."""
    worker = bundle("worker.ts", "--format=iife")
    replaced = WEB / "out/worker.txt"
    replaced.parent.mkdir(exist_ok=True)
    replaced.write_text(worker)
    tables.write(module, WEB / "out/tables.json")
    program = bundle(
        "main.ts",
        "--format=iife",
        "--loader:.txt=text",
        "--loader:.html=text",
        "--alias:worker-source=./out/worker.txt",
        "--alias:tables=./out/tables.json",
    )
    script = bundle("boot.ts", "--format=iife")
    style = bundle("style.css", "--loader:.css=css")
    html = (WEB / "src/page.html").read_text()
    assert "</script" not in script, "a script may not hold what ends it"
    script = script.strip()
    parts = {
        "POLICY": policy(script, program),
        "STYLE": style,
        "SCRIPT": script,
        "PROGRAM": packed(program.encode()),
        "MODULE": packed(module.read_bytes()),
    }
    for name, text in parts.items():
        mark = f"@{name}@"
        assert html.count(mark) == 1, f"page.html has {mark} {html.count(mark)} times"
        html = html.replace(mark, text.strip())
    return html


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, nargs="?", default=WEB / "out/lab.html")
    out: Path = parser.parse_args().out
    html = page()
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f".{out.name}.{os.getpid()}")
    part.write_text(html)
    part.replace(out)
    print(f"{out}: {len(html.encode()) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
