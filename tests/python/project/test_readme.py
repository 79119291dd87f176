# SPDX-License-Identifier: MIT OR Apache-2.0
"""The README's table beside ns-3 and netem has the numbers of the pages that it links to, and each of its seven things a picture."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli
from needs import needs

from tools.docs import readme_pictures

ROOT = Path(__file__).parents[3]
README = ROOT / "README.md"
RESULTS = ROOT / "docs" / "results"


def cells(page: Path, *starts: str) -> list[list[str]]:
    """The cells of the first rows that begin with these texts, one after the other, without the marks of bold and italics."""
    rows = [line.strip("|").split("|") for line in page.read_text().splitlines() if line.startswith("|")]
    stripped = ([cell.strip().replace("*", "") for cell in row] for row in rows)
    return [next(row for row in stripped if " | ".join(row).startswith(start)) for start in starts]


def speed(scenario: str) -> tuple[list[str], list[str]]:
    """What speed.md says of cwnd and of ns-3 in a scenario, from its simulated seconds on."""
    cwnd, ns3 = cells(RESULTS / "speed.md", f"{scenario} | cwnd", " | ns-3")
    return cwnd[2:], ns3[2:]


def share(cell: str) -> str:
    """The share of the first group: "80.8 ± 3.9 · 19.2 ± 3.9"."""
    return f"{cell.split(' · ')[0]} %"


def expected(forms: int) -> list[list[str]]:
    """The numbers of the table, row by row, as the pages have them."""
    figure_6, at_ns3 = speed("figure 6 of the CUBIC paper: 400 Mbit/s, 40 ms")
    large, large_at_ns3 = speed("the same, buffer 200 % of the BDP")
    _, ours, theirs = cells(RESULTS / "peers.md", "figure 6: 400 Mbit/s, 40 ms (4 CUBIC", " | cwnd as ns-3", " | ns-3")
    points = (RESULTS / "log" / "live-points.md").read_text().partition("\n## ha2008/fig6\n")[2]
    alone = re.search(r"^\| alone \| cubic \| \S+ \(.*?\) \| (\S+) \(.*?\) \| \*?([\d.]+)\*? \|", points, re.MULTILINE)
    agree = re.search(r"Clock of 250 Hz.*; (\d+ of \d+) numbers are equivalent", (RESULTS / "fidelity.md").read_text())
    five = cells(RESULTS / "hook-order.md", "together")[0]
    assert alone and agree
    assert re.search(r"and ns-3 that of Linux 3\.14\b", (RESULTS / "peers.md").read_text())
    packet = [row[2].partition(" ")[0] for row in (figure_6, at_ns3)]
    return [
        [f"{packet[0]} ns", f"{float(packet[1]):,.0f} ns".replace(",", " "), "real time"],
        [figure_6[7], at_ns3[7], "1"],
        [f"{large[4]} MB for {large[0]} s", f"{large_at_ns3[4]} MB for {large_at_ns3[0]} s", "not measured"],
        [share(ours[2]), share(theirs[2]), "none"],
        [f"{float(alone[1]):.1%}".replace("%", " %"), "none", f"{float(alone[2]):.1%}".replace("%", " %")],
        [agree[1], "not measured", "it is Linux"],
        [f"{five[3]}, of {five[1]} compared", "not measured", "it is Linux"],
        [str(forms), "1, of Linux 3.14", "1, of the running kernel"],
    ]


def table(text: str) -> list[list[str]]:
    """The numbers of the README's table."""
    _, _, part = text.partition("\n## Why not ns-3 or netem?\n")
    rows = [line for line in part.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")[1:4]] for row in rows[2:]]


def test_the_table_has_the_numbers_of_the_pages(cwnd: Cli) -> None:
    algorithms = json.loads(cwnd("algorithms", "--json").stdout)
    forms = sum(len(algorithm["sets"]) for algorithm in algorithms if algorithm["name"].startswith("cubic"))
    rows = table(README.read_text())
    assert len(rows) == 8
    assert rows == expected(forms)


def test_each_of_the_seven_things_has_a_picture() -> None:
    _, *things = re.split(r"^\*\*\d\.\*\* ", README.read_text().partition("\n## In numbers\n")[0], flags=re.MULTILINE)
    assert [len(re.findall(r"^!\[[^]]+\]\(", thing, re.MULTILINE)) for thing in things] == [1] * 7


def test_the_folder_of_the_readmes_pictures_has_them_and_no_others() -> None:
    text = README.read_text()
    drawn = {f"{name}.png" for name in (*readme_pictures.PICTURES, "lab")}
    assert {path.name for path in readme_pictures.FOLDER.iterdir()} == drawn
    assert all(f"](docs/pictures/readme/{name})" in text for name in drawn)


@pytest.mark.slow
@needs("rust")
def test_the_pictures_are_what_the_readmes_commands_draw(tmp_path: Path) -> None:
    from matplotlib.image import imread

    readme_pictures.draw(tmp_path)
    for name in readme_pictures.PICTURES:
        shown, drawn = (imread(folder / f"{name}.png") for folder in (readme_pictures.FOLDER, tmp_path))
        # Every pixel, not the file: another zlib compresses otherwise.
        assert shown.shape == drawn.shape and np.array_equal(shown, drawn), f"{name}: run make docs"
