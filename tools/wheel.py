# SPDX-License-Identifier: MIT OR Apache-2.0
"""Adds to a wheel what maturin does not build: the manual pages and completions of the program in it.

python -m tools.wheel target/wheels/*.whl

The program writes them, so it must run here. `pip` installs them below `share`, in the folder that Python is installed in.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from tools import ROOT

#: The time of a file that has none, as maturin writes it.
NO_TIME = (1980, 1, 1, 0, 0, 0)
READABLE = 0o100644


def pages_of(wheel: Path) -> dict[str, bytes]:
    """The pages and completions of the program in a wheel, by their paths below `share`."""
    with tempfile.TemporaryDirectory() as folder:
        program, share = Path(folder) / "program", Path(folder) / "share"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(program)
        command = [sys.executable, "-m", "tools.docs.man_pages", str(share)]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(program)}, check=True)
        return {
            path.relative_to(share).as_posix(): path.read_bytes() for path in sorted(share.rglob("*")) if path.is_file()
        }


def row(name: str, contents: bytes) -> str:
    """The line of a file in a wheel's RECORD: its name, SHA-256 and size."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(contents)}\n"


def add(wheel: Path, files: Mapping[str, bytes]) -> None:
    """Adds files, by their paths below `share`, to a wheel and to its RECORD. The same input gives the same bytes."""
    part = wheel.with_suffix(".part")
    with zipfile.ZipFile(wheel) as before, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as after:
        (record,) = (each for each in before.infolist() if each.filename.endswith(".dist-info/RECORD"))
        share = record.filename.removesuffix(".dist-info/RECORD") + ".data/data/share/"
        rows = before.read(record).decode()
        for each in before.infolist():
            if each != record:
                after.writestr(each, before.read(each))
        for name, contents in files.items():
            info = zipfile.ZipInfo(share + name, NO_TIME)
            info.external_attr, info.compress_type = READABLE << 16, zipfile.ZIP_DEFLATED
            after.writestr(info, contents)
            rows += row(share + name, contents)
        after.writestr(record, rows)
    part.replace(wheel)


def main() -> None:
    """Adds the pages to a wheel."""
    parser = argparse.ArgumentParser(
        description="Adds the manual pages and completions of the program in a wheel to it."
    )
    parser.add_argument("wheel", type=Path, metavar="FILE.whl", help="a wheel that maturin built for this machine")
    wheel = parser.parse_args().wheel
    add(wheel, pages_of(wheel))


if __name__ == "__main__":
    main()
