# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes the dates and the tables of docs/results/experiments.md from the verdicts of the shortened and of the full run beside it.

python -m tools.docs.verdicts                        the table, from what is there; the reasons on record become those of reasons.toml
python -m tools.docs.verdicts --short DIR --full DIR takes over the verdicts of runs of `cwnd reproduce` first; a run of some experiments
                                                     replaces those of these, and the date of the whole run stays
python -m tools.docs.verdicts --full DIR --took TEXT …of a run that was continued (--short likewise): its manifest has the time of the last part only
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import cast

from cwnd._internal.json_files import read_json
from cwnd.reproduce.claims import reasons
from cwnd.reproduce.counts import of_entries
from cwnd.reproduce.run_folder import VERDICTS, Entry
from cwnd.reproduce.verdict import VerdictDocument
from tools import DOCS, records

FOLDER = DOCS / "results"
PAGE = FOLDER / "experiments.md"
FILES = {"short": FOLDER / "verdicts.json.xz", "full": FOLDER / "verdicts-full.json.xz"}
RUNS = FOLDER / "runs.json"
#: For `make check`.
READS = ("docs/results/verdicts*.xz", "docs/results/runs.json", "docs/results/experiments.md")
BEGIN, END = "<!-- verdicts: written by tools/docs/verdicts.py -->", "<!-- end of verdicts -->"
BEGIN_DATES, END_DATES = "<!-- dates: written by tools/docs/verdicts.py -->", "<!-- end of dates -->"


def take(name: str, folder: Path, took: str | None) -> None:
    """Copies verdicts, date and duration of a run from a folder of `cwnd reproduce`; `took` replaces the duration in its manifest."""
    manifest = json.loads((folder / "manifest.json").read_text())
    if manifest.get("full", False) != (name == "full"):
        sys.exit(f"error: {folder} holds no {name} run")
    run = {entry["id"]: entry for entry in read_json(folder / VERDICTS)}
    record = {entry["id"]: entry for entry in on_record(name)}
    is_whole = record.keys() <= run.keys()
    write(name, list(run.values()) if is_whole else [*{**record, **run}.values()])
    if not is_whole:
        return
    runs = json.loads(RUNS.read_text()) if RUNS.exists() else {}
    runs[name] = {
        "finished": manifest["finished"],
        "took": took or f"{manifest['took_s'] / 60:.0f} min on two processors",
    }
    RUNS.write_text(json.dumps(runs, indent=2, sort_keys=True) + "\n")


def on_record(name: str) -> list[Entry]:
    """The verdicts of a run on record. Raises `ValueError` for a file that is damaged."""
    return cast("list[Entry]", read_json(FILES[name])) if FILES[name].exists() else []


def write(name: str, record: list[Entry]) -> None:
    """Writes the verdicts of a run."""
    records.write(FILES[name], json.dumps(record, indent=1) + "\n")


def with_todays_reasons(record: list[Entry]) -> list[Entry]:
    """Verdicts on record with the reasons that reasons.toml has now."""
    today = reasons()

    def renewed(row: VerdictDocument) -> VerdictDocument:
        return {**row, "why": today[row["id"]]} if "why" in row and row["id"] in today else row

    return [{**entry, "claims": [renewed(row) for row in entry["claims"]]} for entry in record]


def counted(entry: Entry | None) -> str:
    """A verdict with how many of the decided claims hold."""
    if entry is None:
        return ""
    decided = [row["holds"] for row in entry["claims"] if row["holds"] is not None]
    return f"{entry['verdict']}, {sum(decided)} of {len(decided)}" if decided else entry["verdict"]


def totals(entries: list[Entry]) -> list[str]:
    """Claims that hold, of those that are decided: the four numbers."""
    return [str(part) if part.decided else "" for _, part in of_entries(entries).parts()]


def number(value: object) -> str:
    """A measured value as the table shows it."""
    if isinstance(value, dict):
        return " · ".join(f"{key} {number(inner)}" for key, inner in value.items())
    return f"{value:.3g}" if isinstance(value, float) and math.isfinite(value) else str(value)


def dates() -> list[str]:
    """When the runs finished, and how long they took."""
    about = json.loads(RUNS.read_text()) if RUNS.exists() else {}
    return [
        f"{label}: finished on {about[name]['finished'][:10]}, {about[name]['took']}."
        for name, label in (("short", "Shortened run"), ("full", "Full run"))
        if name in about
    ]


def lines() -> list[str]:
    """The tables of the page."""
    runs = {name: on_record(name) for name in FILES}
    entries_by_id = {name: {entry["id"]: entry for entry in entries} for name, entries in runs.items()}
    order = [entry["id"] for entry in runs["short"]]
    names = [name for name, _ in of_entries([]).parts()]
    headings = [f"{name}{form}" for form in (", shortened", ", full") for name in names]
    text = [f"| claims that hold | {' | '.join(headings)} |", "| --- " * (len(headings) + 1) + "|"]
    documents = list(dict.fromkeys(name.partition("/")[0] for name in order))
    for document in documents:
        by_run = [totals([entry for entry in runs[name] if entry["id"].startswith(f"{document}/")]) for name in runs]
        text.append(f"| `{document}` | {' | '.join(part for counts in by_run for part in counts)} |")
    all_totals = " | ".join(f"**{part}**" for name in runs for part in totals(runs[name]))
    text.append(f"| **all** | {all_totals} |")
    text += [""]
    text += ["| experiment | | shortened | full | seeds (short, full) |", "| --- | --- | --- | --- | --- |"]
    for name in order:
        short, full = entries_by_id["short"][name], entries_by_id["full"].get(name)
        seeds = f"{short['seeds']}, {full['seeds'] if full else ''}" if short["seeds"] > 1 else ""
        text.append(f"| `{name}` | {short['title']} | {counted(short)} | {counted(full)} | {seeds} |")
    rows = {name: {row["id"]: row for entry in runs[name] for row in entry["claims"]} for name in runs}
    differ = [
        f"| `{key}` | {row['text']} | {row['tolerance']} | {shown(row)} | {shown(rows['full'][key])} |"
        for key, row in rows["short"].items()
        if key in rows["full"] and rows["full"][key]["holds"] != row["holds"]
    ]
    if differ:
        text += ["", "Claims on which the two runs disagree:", ""]
        text += ["| claim | | expected | shortened | full |", "| --- | --- | --- | --- | --- |", *differ]
    return text


def shown(row: VerdictDocument) -> str:
    """The measured value, and whether the claim holds."""
    near = ", near" if row.get("near") else ""
    return f"{number(row['measured'])}: {'holds' if row['holds'] else 'does not hold'}{near}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", type=Path, metavar="DIR", help="a folder that cwnd reproduce filled")
    parser.add_argument("--full", type=Path, metavar="DIR", help="a folder that cwnd reproduce --full filled")
    parser.add_argument("--took", metavar="TEXT", help="how long the run took, in words")
    options = parser.parse_args()
    for name in FILES:
        if (folder := getattr(options, name)) is not None:
            take(name, folder, options.took)
        record = on_record(name)
        if (renewed := with_todays_reasons(record)) != record:
            write(name, renewed)
    text = PAGE.read_text()
    for begin, part, end in ((BEGIN_DATES, dates(), END_DATES), (BEGIN, lines(), END)):
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}\n\n" + "\n".join(part) + f"\n\n{end}{after}"
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
