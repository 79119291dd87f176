# SPDX-License-Identifier: MIT OR Apache-2.0
"""The report: one page, complete in itself, of what `cwnd reproduce` left in a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from cwnd.experiments.book import Entry, entries
from cwnd.experiments.claims import DOCUMENTS, claims
from cwnd.experiments.counts import of_entries
from cwnd.experiments.find import Experiment, experiments
from cwnd.experiments.verdict import FAILS, HOLDS, OPEN, PART, REPORTED
from cwnd.replicates.folder import alone, read, write
from cwnd.store import MANIFEST, REPRODUCE, NotOursError

PAGE = "report.html"
#: The verdicts of this report and of the one before, so that changes can be marked.
THIS, BEFORE = ".reported.json", ".reported-before.json"
ORDER = (HOLDS, PART, FAILS, REPORTED, OPEN)
#: Told apart by sign and word; the colour only helps.
SIGNS = {HOLDS: ("✓", "yes"), PART: ("◐", "part"), FAILS: ("✗", "no"), REPORTED: ("•", "shown"), OPEN: ("?", "open")}


def badge(verdict: str) -> str:
    """A verdict with its sign."""
    sign, style = SIGNS[verdict]
    return f'<span class="badge {style}"><span aria-hidden="true">{sign}</span> {escape(verdict)}</span>'


def of_claim(row: Mapping[str, Any]) -> str:
    """The verdict on a claim."""
    if row["holds"] is None:
        return OPEN if row.get("undecidable") else REPORTED
    return HOLDS if row["holds"] else FAILS


def said(value: Any) -> str:  # noqa: ANN401
    """A number, numbers by name, or a text, for eyes."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:.4g}" if abs(value) < 9999.5 else f"{value:,.0f}"
    if isinstance(value, Mapping):
        return "<br>".join(f"{escape(str(key))}: {said(one)}" for key, one in value.items())
    if isinstance(value, list):
        return ", ".join(said(one) for one in value)
    return escape(str(value))


def interval(ends: Any) -> str:  # noqa: ANN401
    """A confidence interval, or intervals by name."""
    if isinstance(ends, Mapping):
        parts = [interval(one) for one in ends.values()]
        return "–" if set(parts) == {"–"} else "<br>".join(parts)
    if ends is None:
        return "–"
    return " to ".join("never" if end is None else said(end) for end in ends)


def sweep(row: Mapping[str, Any]) -> str:
    """The points of a sweep, to be unfolded."""
    points = row.get("sweep")
    if not points:
        return ""
    lines = "".join(
        f"<tr><td>{escape(key)}</td><td>{said(one['measured'])}</td><td>{interval(one['ci95'])}</td>"
        f"<td>{'holds' if one['holds'] else 'does not hold'}</td></tr>"
        for key, one in points.items()
    )
    return (
        f"<details><summary>all {len(points)} points; shown: {escape(row['at'])}</summary><table><thead><tr><th>point</th>"
        f"<th>measured</th><th>95 %</th><th></th></tr></thead><tbody>{lines}</tbody></table></details>"
    )


def change(row: Mapping[str, Any], before: Mapping[str, Any] | None, kind: str) -> str:
    """A mark where the verdict is another than in the last report."""
    if before is None:
        return ""
    old = before.get(row["id"])
    now = row["verdict"] if kind == "experiment" else of_claim(row)
    if old is None:
        return ' <span class="changed">new</span>'
    was = old["verdict"] if kind == "experiment" else of_claim(old)
    return "" if was == now else f' <span class="changed">was: {escape(was)}</span>'


def cell(label: str, content: str, style: str = "") -> str:
    """A cell that carries its heading along, for narrow screens."""
    return f'<td data-label="{escape(label)}"{f" class={style!r}" if style else ""}>{content}</td>'


def claim_row(row: Mapping[str, Any], second: str | None, before: Mapping[str, Any] | None) -> str:
    """A claim as a row of its figure's table, and a row of words where there are any."""
    name = row["id"].rpartition("/")[2]
    ours = "<abbr title=\"this project's choice, not the document's\">†</abbr>" if row["tolerance_ours"] else ""
    near = (
        ' <abbr title="the 95 % interval reaches over the bound, or the seeds disagree">near</abbr>'
        if row.get("near")
        else ""
    )
    reading = f"reading: {row['reading']}" if row.get("reading") else ""
    about = "; ".join(filter(None, (row["metric"], row["where"], claims()[row["id"]].kind, reading)))
    what = f"<b>{escape(row['text'])}</b><br><small>{escape(about)}</small>"
    cells = [
        cell("claim", f'<span id="{escape(row["id"])}">{what}</span>', "what"),
        cell("paper", said(row["paper"])),
        cell("asked", (escape(row["tolerance"]) or ("yes" if row["op"] == "holds" else "–")) + ours),
        cell("measured", said(row["measured"])),
        cell("95 % interval", interval(row["ci95"])),
        cell("verdict", badge(of_claim(row)) + near + change(row, before, "claim")),
    ]
    if second is not None:
        other = row.get("second")
        shown = f"{said(other['measured'])}<br>{badge(of_claim(other))}" if other else "–"
        cells.append(cell(second, shown))
    words = [
        f"<p>Asked: {escape(row['criterion'])}.</p>" if row.get("criterion") else "",
        f"<p>{escape(row['note'])}</p>" if row.get("note") else "",
        f"<p>Not decidable here: {escape(row['undecidable'])}</p>" if row.get("undecidable") else "",
        f'<p class="why">{paragraphs(row["why"])}</p>' if row.get("why") else "",
        sweep(row),
    ]
    text = "".join(words)
    span = len(cells)
    more = f'<tr class="words"><td colspan="{span}"><small>{escape(name)}</small>{text}</td></tr>' if text else ""
    return f"<tr>{''.join(cells)}</tr>{more}"


def paragraphs(text: str) -> str:
    """Text with its paragraphs."""
    return "</p><p>".join(escape(" ".join(part.split())) for part in text.split("\n\n"))


def inline(svg: Path, prefix: str, title: str) -> str:
    """A picture as part of the page: its ids are made unique, its size follows the page."""
    text = svg.read_text(encoding="utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", text)
    text = re.sub(r'((?:xlink:)?href)="#([^"]+)"', rf'\1="#{prefix}-\2"', text)
    width = re.search(r'<svg[^>]*?\swidth="([\d.]+)pt"', text)
    most = f"{float(width[1]) * 4 / 3:.0f}px" if width else "100%"
    label = escape(title, quote=True)
    return text.replace("<svg", f'<svg role="img" aria-label="{label}" style="max-width:{most}"', 1)


def figure(experiment: Experiment | None, made: Entry, folder: Path, before: Mapping[str, Any] | None) -> str:
    """One experiment: picture, claims, set-up, data and command."""
    name = made["id"]
    place = folder / name
    picture = place / "figure.svg"
    seen = f"<figure>{inline(picture, name.replace('/', '-'), made['title'])}</figure>" if picture.exists() else ""
    second = made.get("second")
    heading = f"with {second['cubic']}" if second and "failed" not in second else None
    failed = (
        f"<p>With {escape(second['cubic'])} it could not be run: {escape(second['failed'])}</p>"
        if second and "failed" in second
        else ""
    )
    head = "".join(f"<th>{one}</th>" for one in ("claim", "paper", "asked", "measured", "95 % interval", "verdict"))
    head += f"<th>{escape(heading)}</th>" if heading else ""
    rows = "".join(claim_row(row, heading, before) for row in made["claims"])
    setup = paragraphs(experiment.text) if experiment is not None else ""
    version = f"CUBIC: {escape(made['cubic'])}. " if made["cubic"] else ""
    command = f"cwnd reproduce {name}{' --full' if made['full'] else ''}"
    files_there = [
        f'<a href="{escape(f"{name}/{one}")}">{one}</a>'
        for one in ("data.parquet", "figure.svg", "figure.png", "scenarios.json")
        if (place / one).exists()
    ]
    return (
        f'<section id="{escape(name)}"><h3>{escape(name)}: {escape(made["title"])} {badge(made["verdict"])}'
        f"{change(made, before, 'experiment')}</h3>{seen}"
        f'<div class="setup"><p>{setup}</p></div>{failed}'
        f'<table class="claims"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        f"<p><small>{version}{'Full durations' if made['full'] else 'Shortened'}, {made['seeds']} "
        f"seed{'s' if made['seeds'] != 1 else ''} at most. Scenarios {escape(made['scenarios'])}. "
        f"Data: {', '.join(files_there)}. Again: <code>{escape(command)}</code></small></p></section>"
    )


def counts(made: Iterable[Entry]) -> dict[str, int]:
    """How many claims have which verdict."""
    found = dict.fromkeys(ORDER, 0)
    for one in made:
        for row in one["claims"]:
            found[of_claim(row)] += 1
    return found


def overview(made: list[Entry], before: Mapping[str, Any] | None) -> str:
    """Claims by document and verdict, and a list of the experiments."""
    kinds = [kind for kind in ORDER if kind != PART]
    head = "".join(f"<th>{escape(kind)}</th>" for kind in kinds)
    numbers = "".join(f"<th>{escape(name)}</th>" for name, _ in of_entries([]).parts())
    rows = []
    total = len(claims())
    for document in [*DOCUMENTS, None]:
        of = [one for one in made if document in (None, one["id"].partition("/")[0])]
        found = counts(of)
        every = sum(claim.id.startswith(f"{document}/") for claim in claims().values()) if document else total
        name = f'<a href="#{document}">{document}</a>' if document and of else document or "<b>all</b>"
        cells = "".join(cell(kind, str(found[kind])) for kind in kinds)
        three = "".join(cell(name, f"{part} hold" if part.decided else "–") for name, part in of_entries(of).parts())
        rest = cell("not run", str(every - sum(found.values()))) + three
        rows.append(f"<tr><td>{name}</td>{cells}{rest}</tr>")
    index = "".join(
        f'<li><a href="#{escape(one["id"])}">{escape(one["id"])}</a> {badge(one["verdict"])}{change(one, before, "experiment")}</li>'
        for one in made
    )
    return (
        f'<table class="claims"><thead><tr><th>claims</th>{head}<th>not run</th>{numbers}</tr></thead>'
        f'<tbody>{"".join(rows)}</tbody></table><ul class="index">{index}</ul>'
    )


def page(made: list[Entry], known: Mapping[str, Experiment], folder: Path, before: Mapping[str, Any] | None) -> str:
    """The whole page."""
    manifest = read(folder / MANIFEST)
    versions = manifest.get("versions", {})
    when = f"Finished {escape(str(manifest['finished']))}. " if "finished" in manifest else ""
    parts = []
    for document, title in DOCUMENTS.items():
        of = [one for one in made if one["id"].partition("/")[0] == document]
        if of:
            inner = "".join(figure(known.get(one["id"]), one, folder, before) for one in of)
            parts.append(f'<h2 id="{document}">{document}</h2><p>{escape(title)}.</p>{inner}')
    style = files("cwnd.experiments").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>CUBIC\'s papers, run again</title><link rel="icon" href="data:,"><style>{style}</style></head><body><main>'
        "<h1>CUBIC's papers, run again</h1>"
        f"<p>What five texts about CUBIC state, claim by claim, beside what cwnd {escape(str(versions.get('cwnd', '')))} measures. {when}"
        "A number is a mean over seeds (a median where a time was not always reached), with its 95 % confidence interval; † marks a "
        "bound that is this project's choice; near: the interval reaches over the bound, or the seeds disagree. Arithmetic follows from "
        "formulas, conformance is what an algorithm does by itself, empirical what flows do on a network; of readings that exclude each other "
        "the one counts, in the last three columns, in which most statements hold.</p>"
        f"{overview(made, before)}{''.join(parts)}</main></body></html>\n"
    )


def last(folder: Path, made: list[Entry]) -> Mapping[str, Any] | None:
    """The verdicts of the report before this one, by id of experiment and claim; `None` when there was none.

    The same verdicts again are the same report: its changes stay marked.
    """
    plain = json.loads(json.dumps(made))
    shown = entries(folder / THIS)
    if shown != plain:
        if shown:
            write(folder / BEFORE, shown)
        write(folder / THIS, plain)
    old = entries(folder / BEFORE)
    if not old:
        return None
    return {one["id"]: one for one in old} | {row["id"]: row for one in old for row in one["claims"]}


def write_page(folder: Path) -> Path:
    """Writes the report of a folder; returns where it is."""
    if read(folder / MANIFEST).get("kind") != REPRODUCE:
        raise NotOursError(f'DIR: "{folder}" is not accepted; expected a folder that cwnd reproduce wrote')
    with alone(folder):
        made = entries(folder / "verdicts.json")
        text = page(made, experiments(), folder, last(folder, made))
        beside = folder / f".{PAGE}"
        beside.write_text(text, encoding="utf-8")
        beside.replace(folder / PAGE)
    return folder / PAGE
