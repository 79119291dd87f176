# SPDX-License-Identifier: MIT OR Apache-2.0
"""web/src/keywords.json: the keywords that a link of the page writes, and the queue disciplines, from their tables.

python -m tools.docs.web_keywords [--check]
"""

from __future__ import annotations

import json
import sys

from cwnd import _native
from cwnd.scenario.keywords import QUEUES, SWEPT
from tools import ROOT

TARGET = ROOT / "web" / "src" / "keywords.json"


def text() -> str:
    """The file: the form of each keyword's value, and the queue disciplines by their keywords."""
    rows = [row for row in _native.keywords() if row["name"] in SWEPT and row["form"] != "tables"]
    forms = {row["name"]: row["form"] for row in rows}
    keywords = {name: keyword for keyword, name in QUEUES.items()}
    queues: dict[str, object] = {}
    for each in _native.queue_disciplines():
        kinds, option = dict(each["settings"]), each["option"]
        pairs = zip(option["names"], option["example"], strict=True) if option else ()
        settings = {name: {"kind": kinds[name], "start": start} for name, start in pairs}
        queues[keywords[each["name"]]] = {"title": each["title"], "settings": settings}
    return json.dumps({"forms": forms, "queues": queues}) + "\n"


def main() -> None:
    if "--check" in sys.argv[1:]:
        if TARGET.read_text() != text():
            raise SystemExit(f"out of date: {TARGET.name}; run make docs")
        return
    TARGET.write_text(text())


if __name__ == "__main__":
    main()
