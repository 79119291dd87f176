# SPDX-License-Identifier: MIT OR Apache-2.0
"""The report of a run folder: one HTML page that needs no other file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import cast

from cwnd._internal.json_files import read_bytes
from cwnd._internal.temporary_files import replacing
from cwnd._native import ScenarioError
from cwnd.page.html import PAGE as PAGE_FILE
from cwnd.page.html import check_page, link_to
from cwnd.replicates.folder import folder_lock, read, write
from cwnd.reproduce.claims import claims
from cwnd.reproduce.counts import of_entries
from cwnd.reproduce.discover import experiments
from cwnd.reproduce.experiment import AnyExperiment
from cwnd.reproduce.list_of_papers import DOCUMENTS
from cwnd.reproduce.run_folder import Entry, entries
from cwnd.reproduce.verdict import FAILS, HOLDS, OPEN, PART, REPORTED, SecondVerdict, ShownInterval, VerdictDocument
from cwnd.result.lanes import LIVE
from cwnd.result.store import MANIFEST, REPRODUCE, FolderError
from cwnd.scenario.builders import from_document

PAGE = "report.html"
#: The web page in the same folder, to which its figures link.
LAB = "lab.html"
#: The verdicts of this report and of the one before, from which changes are marked.
THIS, BEFORE = ".reported.json", ".reported-before.json"
ORDER = (HOLDS, PART, FAILS, REPORTED, OPEN)
#: Sign and word tell verdicts apart, the colour is an addition.
SIGNS = {HOLDS: ("✓", "yes"), PART: ("◐", "part"), FAILS: ("✗", "no"), REPORTED: ("•", "shown"), OPEN: ("?", "open")}


def badge(verdict: str) -> str:
    """A verdict with its sign."""
    sign, style = SIGNS.get(verdict, SIGNS[OPEN])
    return f'<span class="badge {style}"><span aria-hidden="true">{sign}</span> {escape(verdict)}</span>'


def of_claim(row: VerdictDocument | SecondVerdict) -> str:
    """The verdict on a claim."""
    if row.get("holds") is None:
        return OPEN if row.get("undecidable") else REPORTED
    return HOLDS if row.get("holds") else FAILS


def formatted(value: object) -> str:
    """A number, numbers by name, or a text, as HTML."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:.4g}" if abs(value) < 9999.5 else f"{value:,.0f}"
    if isinstance(value, Mapping):
        return "<br>".join(f"{escape(str(key))}: {formatted(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(formatted(element) for element in value)
    return escape(str(value))


def interval(ends: ShownInterval) -> str:
    """A confidence interval, or intervals by name."""
    if isinstance(ends, Mapping):
        parts = [interval(pair) for pair in ends.values()]
        return "–" if set(parts) == {"–"} else "<br>".join(parts)
    if ends is None:
        return "–"
    return " to ".join("never" if end is None else formatted(end) for end in ends)


def sweep(row: VerdictDocument) -> str:
    """The points of a sweep, folded."""
    points = row.get("sweep")
    if not points:
        return ""
    lines = "".join(
        f"<tr><td>{escape(key)}</td><td>{formatted(point['measured'])}</td><td>{interval(point['ci95'])}</td>"
        f"<td>{'holds' if point['holds'] else 'does not hold'}</td></tr>"
        for key, point in points.items()
    )
    return (
        f"<details><summary>all {len(points)} points; shown: {escape(row.get('at', ''))}</summary><table><thead><tr><th>point</th>"
        f"<th>measured</th><th>95 %</th><th></th></tr></thead><tbody>{lines}</tbody></table></details>"
    )


def change(name: str, verdict: str, before: Mapping[str, str] | None) -> str:
    """A mark if the verdict on an experiment or a claim differs from that of the last report."""
    if before is None:
        return ""
    if name not in before:
        return ' <span class="changed">new</span>'
    return "" if before[name] == verdict else f' <span class="changed">was: {escape(before[name])}</span>'


def cell(label: str, content: str, style: str = "") -> str:
    """A cell that carries its heading, for narrow screens."""
    return f'<td data-label="{escape(label)}"{f" class={style!r}" if style else ""}>{content}</td>'


def claim_row(row: VerdictDocument, second: str | None, before: Mapping[str, str] | None) -> str:
    """A claim as a row of its figure's table, followed by a row of text if there is any."""
    name = row["id"].rpartition("/")[2]
    ours = "<abbr title=\"this project's choice, not the document's\">†</abbr>" if row["tolerance_ours"] else ""
    near = (
        ' <abbr title="the 95 % interval reaches over the bound, or the seeds disagree">near</abbr>'
        if row.get("near")
        else ""
    )
    reading = f"reading: {row['reading']}" if row.get("reading") else ""
    about = "; ".join(filter(None, (row["metric"], row["where"], claims()[row["id"]].kind, reading)))
    description = f"<b>{escape(row['text'])}</b><br><small>{escape(about)}</small>"
    cells = [
        cell("claim", f'<span id="{escape(row["id"])}">{description}</span>', "what"),
        cell("paper", formatted(row["paper"])),
        cell("asked", (escape(row["tolerance"]) or ("yes" if row["op"] == "holds" else "–")) + ours),
        cell("measured", formatted(row["measured"])),
        cell("95 % interval", interval(row["ci95"])),
        cell("verdict", badge(of_claim(row)) + near + change(row["id"], of_claim(row), before)),
    ]
    if second is not None:
        second_row = row.get("second")
        second_cell = f"{formatted(second_row.get('measured'))}<br>{badge(of_claim(second_row))}" if second_row else "–"
        cells.append(cell(second, second_cell))
    sections = [
        f"<p>Criterion: {escape(row['criterion'])}.</p>" if row.get("criterion") else "",
        f"<p>{escape(row['note'])}</p>" if row.get("note") else "",
        f"<p>Not decidable here: {escape(row['undecidable'])}</p>" if row.get("undecidable") else "",
        f'<p class="why">{paragraphs(row["why"])}</p>' if row.get("why") else "",
        sweep(row),
    ]
    text = "".join(sections)
    span = len(cells)
    text_row = f'<tr class="words"><td colspan="{span}"><small>{escape(name)}</small>{text}</td></tr>' if text else ""
    return f"<tr>{''.join(cells)}</tr>{text_row}"


def paragraphs(text: str) -> str:
    """Text as HTML paragraphs, without the first and last tag."""
    return "</p><p>".join(escape(" ".join(part.split())) for part in text.split("\n\n"))


#: What the page may load: nothing. A browser that knows such policies runs no script in it, whatever a folder's files have brought in.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
#: Elements of a picture that matplotlib draws.
DRAWN = frozenset(
    [
        "svg",
        "metadata",
        "defs",
        "style",
        "g",
        "path",
        "use",
        "clippath",
        "rect",
        "text",
        "tspan",
        "image",
        "title",
        "rdf:rdf",
        "cc:work",
        "dc:type",
        "dc:format",
        "dc:creator",
        "dc:date",
        "dc:title",
        "dc:description",
        "cc:agent",
    ]
)
#: Bytes of the largest picture that becomes part of the page.
MOST_PICTURE = 16 << 20


def is_drawing(text: str) -> bool:
    """Whether a picture has only what matplotlib draws: no scripts, no handlers of events, no references outside itself."""
    names = {name.lower() for name in re.findall(r"<\s*/?\s*([^\s<>/!?][^\s<>/]*)", text)}
    references = re.findall(r"""\bhref\s*=\s*["']?([^"'\s>]*)""", text, re.IGNORECASE)
    urls = re.findall(r"""url\(\s*["']?([^)]*)""", text, re.IGNORECASE)
    return (
        names <= DRAWN
        and re.search(r"[\s\"'/]on[a-z]+\s*=|@import|<!\[CDATA\[|<!ENTITY", text, re.IGNORECASE) is None
        and all(each.startswith(("#", "data:image/png;base64,")) for each in references)
        and all(each.startswith("#") for each in urls)
    )


def inline(svg: Path, prefix: str, title: str) -> str:
    """A picture as part of the page: its ids get a prefix, its size follows the page. One that cwnd did not draw is left out."""
    try:
        text = read_bytes(svg, MOST_PICTURE).decode()
        text = text[text.index("<svg") :]
    except (OSError, ValueError):
        text = ""
    if not (text and is_drawing(text)):
        return f"<p>{escape(svg.name)} is not shown: cwnd did not draw it.</p>"
    text = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", text)
    text = re.sub(r'((?:xlink:)?href)="#([^"]+)"', rf'\1="#{prefix}-\2"', text)
    width = re.search(r'<svg[^>]*?\swidth="([\d.]+)pt"', text)
    max_width = f"{float(width[1]) * 4 / 3:.0f}px" if width else "100%"
    label = escape(title, quote=True)
    return text.replace("<svg", f'<svg role="img" aria-label="{label}" style="max-width:{max_width}"', 1)


#: Points of a figure that have their own link.
MOST_LIVE = 4


def live(experiment_folder: Path) -> str:
    """Links that simulate points of a figure again in the web page; none where that has not been built, nor for what no page can run."""
    links = []
    for key, document in read(experiment_folder / "scenarios.json").items():
        try:
            scenario = json.dumps(document, separators=(",", ":"))
            check_page(from_document(cast("Mapping[str, object]", document), {}))
        except (ScenarioError, TypeError, ValueError):
            continue
        links.append(f'<a href="{LAB}{link_to(scenario)}">{escape(key)}</a>')
    more = len(links) - MOST_LIVE
    return f"Live: {', '.join(links[:MOST_LIVE])}{f' and {more} more points' if more > 0 else ''}. " if links else ""


def figure(experiment: AnyExperiment | None, entry: Entry, folder: Path, before: Mapping[str, str] | None) -> str:
    """One experiment: picture, claims, set-up, data and command."""
    name = entry["id"]
    experiment_folder = folder / name
    picture = experiment_folder / "figure.svg"
    figure_html = (
        f"<figure>{inline(picture, name.replace('/', '-'), entry['title'])}</figure>" if picture.exists() else ""
    )
    second = entry.get("second")
    second_heading = f"with {second['cubic']}" if second and "failed" not in second else None
    failed = (
        f"<p>The run with {escape(second['cubic'])} failed: {escape(second['failed'])}</p>"
        if second and "failed" in second
        else ""
    )
    head = "".join(
        f"<th>{heading}</th>" for heading in ("claim", "paper", "asked", "measured", "95 % interval", "verdict")
    )
    head += f"<th>{escape(second_heading)}</th>" if second_heading else ""
    rows = "".join(claim_row(row, second_heading, before) for row in entry["claims"])
    setup = paragraphs(experiment.text) if experiment is not None else ""
    version = f"CUBIC: {escape(entry['cubic'])}. " if entry["cubic"] else ""
    command = f"cwnd reproduce {name}{' --full' if entry['full'] else ''}"
    links = [
        f'<a href="{escape(f"{name}/{file}")}">{file}</a>'
        for file in ("data.parquet", "figure.svg", "figure.png", "scenarios.json")
        if (experiment_folder / file).exists()
    ]
    return (
        f'<section id="{escape(name)}"><h3>{escape(name)}: {escape(entry["title"])} {badge(entry["verdict"])}'
        f"{change(name, entry['verdict'], before)}</h3>{figure_html}"
        f'<div class="setup"><p>{setup}</p></div>{failed}'
        f'<table class="claims"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{in_lane_live(entry, experiment)}'
        f"<p><small>{version}{'Full durations' if entry['full'] else 'Shortened'}, {entry['seeds']:d} "
        f"seed{'s' if entry['seeds'] != 1 else ''} at most. Scenarios {escape(entry['scenarios'])}. "
        f"{live(experiment_folder) if (folder / LAB).exists() else ''}Data: {', '.join(links)}. Run again: <code>{escape(command)}</code></small></p></section>"
    )


def in_lane_live(entry: Entry, experiment: AnyExperiment | None = None) -> str:
    """The points in a kernel's lane and in the simulator, or why they were not run."""
    points = entry.get("live")
    if not points:
        return ""
    lane = escape(entry.get("lane", LIVE))
    whose = "the kernel's own TCP" if lane == LIVE else "Linux's TCP in virtual time"
    rows = []
    for point in points:
        numbers = "".join(
            f"<tr><td>{escape(point['point'])}</td><td>{escape(number['name'])}</td><td>{formatted(number['sim'])}</td>"
            f"<td>{formatted(number['live'])}</td></tr>"
            for number in point["numbers"]
        )
        why = point.get("not_run", "")
        rows.append(numbers or f'<tr><td>{escape(point["point"])}</td><td colspan="3">not run: {escape(why)}</td></tr>')
    ran = sum(bool(point["numbers"]) for point in points)
    note = f"<p>{escape(experiment.live_note)}.</p>" if experiment is not None and experiment.live_note else ""
    return (
        f"<details><summary>in lane {lane}, with {whose}: {ran} of {len(points)} points</summary>{note}<table><thead><tr>"
        f"<th>point</th><th>number</th><th>simulator</th><th>lane {lane}</th></tr></thead><tbody>{''.join(rows)}</tbody></table></details>"
    )


def counts(shown: Iterable[Entry]) -> dict[str, int]:
    """How many claims have each verdict."""
    number = dict.fromkeys(ORDER, 0)
    for entry in shown:
        for row in entry["claims"]:
            number[of_claim(row)] += 1
    return number


def overview(shown: list[Entry], before: Mapping[str, str] | None) -> str:
    """Claims by document and verdict, and a list of the experiments."""
    kinds = [kind for kind in ORDER if kind != PART]
    head = "".join(f"<th>{escape(kind)}</th>" for kind in kinds)
    numbers = "".join(f"<th>{escape(name)}</th>" for name, _ in of_entries([]).parts())
    rows = []
    total = len(claims())
    for document in [*DOCUMENTS, None]:
        of_document = [entry for entry in shown if document in (None, entry["id"].partition("/")[0])]
        number = counts(of_document)
        in_file = sum(claim.id.startswith(f"{document}/") for claim in claims().values()) if document else total
        link = f'<a href="#{document}">{document}</a>' if document and of_document else document or "<b>all</b>"
        cells = "".join(cell(kind, str(number[kind])) for kind in kinds)
        hold_cells = "".join(
            cell(name, f"{part} hold" if part.decided else "–") for name, part in of_entries(of_document).parts()
        )
        other_cells = cell("not run", str(in_file - sum(number.values()))) + hold_cells
        rows.append(f"<tr><td>{link}</td>{cells}{other_cells}</tr>")
    index = "".join(
        f'<li><a href="#{escape(entry["id"])}">{escape(entry["id"])}</a> {badge(entry["verdict"])}{change(entry["id"], entry["verdict"], before)}</li>'
        for entry in shown
    )
    return (
        f'<table class="claims"><thead><tr><th>claims</th>{head}<th>not run</th>{numbers}</tr></thead>'
        f'<tbody>{"".join(rows)}</tbody></table><ul class="index">{index}</ul>'
    )


def page(shown: list[Entry], known: Mapping[str, AnyExperiment], folder: Path, before: Mapping[str, str] | None) -> str:
    """The whole page."""
    manifest = read(folder / MANIFEST)
    versions = manifest.get("versions")
    version = versions.get("cwnd", "") if isinstance(versions, dict) else ""
    when = f"Finished {escape(str(manifest['finished']))}. " if "finished" in manifest else ""
    parts = []
    for document, title in DOCUMENTS.items():
        of_document = [entry for entry in shown if entry["id"].partition("/")[0] == document]
        if of_document:
            inner = "".join(figure(known.get(entry["id"]), entry, folder, before) for entry in of_document)
            parts.append(f'<h2 id="{document}">{document}</h2><p>{escape(title)}.</p>{inner}')
    style = files("cwnd.reproduce").joinpath("html_report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>CUBIC\'s papers, reproduced</title><link rel="icon" href="data:,"><style>{style}</style></head><body><main>'
        "<h1>CUBIC's papers, reproduced</h1>"
        f"<p>Each claim of five papers about CUBIC, compared with what cwnd {escape(str(version))} measures. {when}"
        "A number is a mean over seeds (a median where a time was not always reached), with its 95 % confidence interval. † marks a "
        "bound that this project chose. Near: the interval includes the bound, or the seeds disagree. Arithmetic claims follow from "
        "formulas, conformance claims test an algorithm alone, empirical claims test flows on a network. Where readings exclude each other, "
        "the last four columns count the reading in which most statements hold.</p>"
        f"{overview(shown, before)}{''.join(parts)}</main></body></html>\n"
    )


def last_report(folder: Path, current: list[Entry]) -> Mapping[str, str] | None:
    """The verdicts of the report before this one, by id of experiment and claim; `None` when there was none.

    A report of the same verdicts keeps the marks of the one before.
    """
    plain = json.loads(json.dumps(current))
    shown = entries(folder / THIS)
    if shown != plain:
        if shown:
            write(folder / BEFORE, shown)
        write(folder / THIS, plain)
    old = entries(folder / BEFORE)
    if not old:
        return None
    of_claims = {row["id"]: of_claim(row) for entry in old for row in entry["claims"]}
    return {entry["id"]: entry["verdict"] for entry in old} | of_claims


def write_page(folder: Path) -> Path:
    """Writes the report of a folder; returns its path."""
    if read(folder / MANIFEST).get("kind") != REPRODUCE:
        raise FolderError(f'DIR: "{folder}" is not accepted; expected a folder that cwnd reproduce wrote')
    with folder_lock(folder):
        current = entries(folder / "verdicts.json")
        if unknown := [row["id"] for entry in current for row in entry["claims"] if row["id"] not in claims()]:
            raise FolderError(
                f'DIR: "{folder}" is not accepted; expected verdicts on claims of this version, which has no {unknown[0]}'
            )
        if PAGE_FILE.exists():
            with replacing(folder / LAB) as part:
                part.write_bytes(PAGE_FILE.read_bytes())
        text = page(current, experiments(), folder, last_report(folder, current))
        with replacing(folder / PAGE) as part:
            part.write_text(text, encoding="utf-8")
    return folder / PAGE
