# SPDX-License-Identifier: MIT OR Apache-2.0
"""Makes web/src/presets.json, what the page offers to begin with: the scenarios of scenarios/, and points of the papers' figures with their claims and verdicts.

python -m tools.docs.web_presets [--check]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any, cast

from cwnd import Scenario, ScenarioError
from cwnd.page.html import check_page
from cwnd.reproduce import Setup
from cwnd.reproduce.discover import experiments
from cwnd.reproduce.experiment import AnyExperiment
from cwnd.scenario.builders import from_document
from tools import ROOT
from tools.docs.verdicts import on_record

TARGET = ROOT / "web" / "src" / "presets.json"
#: Of the papers, the figures; a page has room for so many claims of each.
FIGURES = {
    "ha2008": "sec3-6-beta sec3-7-fast-convergence fig4 fig5a fig5b fig6 fig8 fig9 fig10a fig10b fig10c",
    "rhee2005": "fig3-4 fig5 fig6",
    "leith2007": "fig2 fig12 fig14 fig15 fig16",
    "shanker": "alone shared-low-bdp queue-size",
}
CLAIMS = 3
#: What the link of a point carries at most (Mbit): more would take long.
MOST_MBIT = 80_000.0


def scenarios() -> Iterator[dict[str, object]]:
    """Those of scenarios/ that a page can run."""
    for path in sorted((ROOT / "scenarios").glob("*.toml")):
        text = path.read_text(encoding="utf-8")
        try:
            check_page(Scenario.from_toml(text))
        except ScenarioError:
            continue
        yield {"name": path.stem.replace("-", " "), "text": text}


def point_of(experiment: AnyExperiment, cubic: str, taken: set[str]) -> tuple[str, str] | None:
    """The first point of a figure that a page can run and no other figure has: its key, and the scenario as a text."""
    points = [point for point in experiment.grid(Setup(cubic)) if isinstance(point.scenario, Mapping)]
    # Those in which the most groups of flows meet come first.
    for point in sorted(points, key=lambda point: -len(cast("Mapping[str, Any]", point.scenario).get("flow", []))):
        document = {**cast("Mapping[str, Any]", point.scenario)}
        document.pop("record", None)
        try:
            scenario = from_document(document, {})
            check_page(scenario)
        except ScenarioError:
            continue
        if scenario.duration_s * (scenario.rate_mbps or 0.0) > MOST_MBIT:
            continue
        text = json.dumps(document, separators=(",", ":"))
        if text not in taken:
            taken.add(text)
            return point.key, text
    return None


def figures() -> Iterator[dict[str, object]]:
    """Points of the papers' figures, with what the papers say of the figures and what was found."""
    verdicts = {each["id"]: each for each in on_record("full")}
    known, taken = experiments(), set[str]()
    for name in (f"{paper}/{figure}" for paper, figures in FIGURES.items() for figure in figures.split()):
        entry = verdicts[name]
        found = point_of(known[name], entry["cubic"] or "cubic-2.2-linux", taken)
        if found is None:
            continue
        yield {
            "name": f"{name}: {entry['title']}",
            "text": found[1],
            "point": found[0],
            "claims": "\n".join(said(claim) for claim in sorted(entry["claims"], key=standing)[:CLAIMS]),
        }


def is_number(value: object) -> bool:
    """A value, not a text or a list."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def standing(claim: Mapping[str, object]) -> tuple[bool, bool]:
    """For sorting: claims with a number in the paper come first, claims that are only reported last."""
    return claim["holds"] is None, not is_number(claim["paper"])


def figures_of(value: object) -> str:
    """A number, or one of each algorithm, as a text; nothing where there is neither."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {figures_of(each)}" for name, each in value.items())
    return f"{value:.3g}" if is_number(value) else ""


def said(claim: Mapping[str, object]) -> str:
    """What the paper says, what was measured and where, the paper's number and ours, what was expected, and whether it holds."""
    what = f"{claim['metric']}, {claim['where']}" if claim.get("where") else f"{claim['metric']}"
    if criterion := claim.get("criterion"):
        # Its number is one for all; what was looked at says more.
        numbers = [f"{criterion}"]
    else:
        given = (("paper", claim["paper"]), ("here", claim["measured"]))
        numbers = [f"{who} {figures}" for who, value in given if (figures := figures_of(value))]
        if claim["tolerance"]:
            numbers.append(f"expected {claim['tolerance']}")
    holds = claim["holds"]
    verdict = "reported" if holds is None else "holds" if holds else "does not hold"
    return f"{claim['text']}: {', '.join([*numbers, verdict])}. Measure: {what}."


def document() -> str:
    """The file's text, an entry a line."""
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in (*scenarios(), *figures()))
    return f"[\n{lines}\n]\n"


def main() -> None:
    text = document()
    if "--check" in sys.argv[1:]:
        if TARGET.read_text(encoding="utf-8") != text:
            sys.exit(f"{TARGET.relative_to(ROOT)} is out of date; run make docs")
        return
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
