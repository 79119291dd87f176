# SPDX-License-Identifier: MIT OR Apache-2.0
"""Numbers of long runs that git keeps, as compressed JSON: they are thousands of lines.

`cwnd._internal.json_files.read_json` reads them; `xz -dc FILE | less` shows them.
"""

from __future__ import annotations

import lzma
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Compresses a text to a file, all of it or nothing. The same text gives the same bytes."""
    part = path.with_suffix(".part")
    part.write_bytes(lzma.compress(text.encode(), lzma.FORMAT_XZ, preset=9 | lzma.PRESET_EXTREME))
    part.replace(path)
