# SPDX-License-Identifier: MIT OR Apache-2.0
"""Fails where the web page has become too large: python -m tools.web.budgets PAGE."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.web.build import MODULE, WEB

#: Most bytes of the page and of its module, and most lines of its sources: the laboratory with what unpacks the page, and the essay (decision 13).
# Linux's send buffer and receiver, which today's names have, take 8 kB of the page, 25 kB of the module; in which packets the send buffer keeps what is
# reported, and rate samples, 3 kB and 9 kB.
PAGE_BYTES = 509_000
MODULE_BYTES = 1_300_000
LINES = 4_370


def main(page: str) -> int:
    sources = sorted((WEB / "src").glob("*.*"))
    found = (
        ("page", Path(page).stat().st_size, PAGE_BYTES, "bytes"),
        ("module", MODULE.stat().st_size, MODULE_BYTES, "bytes"),
        ("web/src", sum(len(source.read_text().splitlines()) for source in sources), LINES, "lines"),
    )
    for name, size, most, unit in found:
        print(f"{name}: {size:,} {unit}, of at most {most:,}")
    return int(any(size > most for _, size, most, _ in found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
