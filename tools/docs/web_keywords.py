# SPDX-License-Identifier: MIT OR Apache-2.0
"""web/src/keywords.ts: the keywords that a link of the page writes, and the queue disciplines, from their tables.

python -m tools.docs.web_keywords [--check]
"""

from __future__ import annotations

import json
import sys

from cwnd import _native
from cwnd.scenario.keywords import QUEUES, SWEPT
from tools import ROOT

TARGET = ROOT / "web" / "src" / "keywords.ts"
HEAD = """\
// SPDX-License-Identifier: MIT OR Apache-2.0
// Keywords and queue disciplines. Written by `make docs` from `crates/cwnd-scenario/src/builders` and `crates/cwnd-link/src/aqm`.

/** How a link has the value of a keyword. */
export type Form = "text" | "number" | "flag" | "pair";
/** The keywords that links have. */
export const FORMS: Readonly<Record<string, Form>> = {
"""
QUEUE_HEAD = """};

/** A setting of a queue discipline: its kind, and the value that it begins with. */
export interface QueueSetting {
  kind: "time" | "size" | "fraction" | "flag";
  start: string;
}
/** The queue disciplines by their keywords, with the settings that links have, in their order. */
export const QUEUES: Readonly<Record<string, { title: string; settings: Readonly<Record<string, QueueSetting>> }>> = {
"""


def text() -> str:
    """The file."""
    forms = {row["name"]: row["form"] for row in _native.keywords() if row["name"] in SWEPT and row["form"] != "tables"}
    lines = [f"  {name}: {json.dumps(form)}," for name, form in forms.items()]
    keywords = {name: keyword for keyword, name in QUEUES.items()}
    queues = []
    for each in _native.queue_disciplines():
        kinds, option = dict(each["settings"]), each["option"]
        pairs = zip(option["names"], option["example"], strict=True) if option else ()
        settings = ", ".join(
            f"{name}: {{ kind: {json.dumps(kinds[name])}, start: {json.dumps(start)} }}" for name, start in pairs
        )
        inner = f"{{ {settings} }}" if settings else "{}"
        queues.append(f"  {keywords[each['name']]}: {{ title: {json.dumps(each['title'])}, settings: {inner} }},")
    return "\n".join([HEAD.rstrip("\n"), *lines, QUEUE_HEAD.rstrip("\n"), *queues, "};\n"])


def main() -> None:
    if "--check" in sys.argv[1:]:
        if TARGET.read_text() != text():
            raise SystemExit(f"out of date: {TARGET.name}; run make docs")
        return
    TARGET.write_text(text())


if __name__ == "__main__":
    main()
