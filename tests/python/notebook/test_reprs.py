# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a notebook shows: one line of text, or a small picture and a table, whose texts are escaped and whose rows are few."""

from __future__ import annotations

import base64
import html
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from matplotlib.image import imread

import cwnd
from cwnd import Flow
from cwnd.fidelity.equivalence import Equivalence
from cwnd.fidelity.runner import Fidelity
from cwnd.kernel.result import KernelTrace

SMALL = {"rate": "10Mbit/s", "duration": "2s"}


class Page(HTMLParser):
    """The tables, texts and pictures of a fragment, whose tags are closed in order."""

    def __init__(self, fragment: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.text, self.pictures = "", 0
        self.feed(fragment)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {"div", "p", "img", "table", "thead", "tbody", "tr", "th", "td"}, tag
        self.pictures += tag == "img"
        if tag != "img":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data + "\n"
        if self.open[-1] in ("td", "th"):
            self.rows[-1].append(data)


def shown(thing: object) -> Page:
    fragment = thing._repr_html_()  # type: ignore[attr-defined]
    assert len(fragment) < 400_000
    page = Page(fragment)
    assert page.text.splitlines()[0] == repr(thing) and "\n" not in repr(thing)
    return page


def test_a_result_is_a_picture_and_its_tables(tmp_path: Path) -> None:
    result = cwnd.compare(["cubic", "reno"], **SMALL)
    page = shown(result)
    flow = result.summary["flows"][0]
    assert page.pictures == 1
    assert ["cubic", "40.0", f"{flow['throughput_mbps']:.2f}"] in [row[:3] for row in page.rows]
    assert "queueing delay" in page.text and "10.00 Mbit/s" in page.text
    data = re.search(r"data:image/png;base64,([^\"]+)", result._repr_html_() or "")
    assert data is not None
    (tmp_path / "x.png").write_bytes(base64.b64decode(data[1]))
    pixels = imread(tmp_path / "x.png")
    # 7.5 in at 96 pixels an inch, twice for fine screens; something is drawn.
    assert pixels.shape[1] == 2 * 96 * 7.5 and pixels.min() < 0.5 < pixels.mean()


def test_replicates_and_studies_are_means_with_intervals() -> None:
    replicates = cwnd.compare(["cubic", "reno"], **SMALL, seeds=2)
    page = shown(replicates)
    assert page.pictures == 1 and any("±" in cell for row in page.rows for cell in row)
    study = cwnd.sweep(["cubic@beta={0.7,0.85}", "reno"], **SMALL, rtt=["10ms", "40ms"], seeds=2)
    page = shown(study)
    assert page.pictures == 1
    assert ["flows", "beta", "rtt", "Mbit/s"] in [row[:4] for row in page.rows]
    assert ["cubic beta=0.85", "0.85", "40ms"] in [row[:3] for row in page.rows]
    assert cwnd.Replicates(None, 2, 0, 0, True)._repr_html_() is None


# 20 round trip times: 20 rows of flows and 20 of links, of which 12 each are shown.
def test_a_large_study_shows_a_few_rows_and_says_how_many_it_leaves_out() -> None:
    study = cwnd.sweep("cubic", rate="1Mbit/s", rtt="10..48ms/20", duration="1s")
    page = shown(study)
    assert [row[0] for row in page.rows].count("cubic") == 12 and page.text.count("and 8 more rows") == 2
    many = cwnd.run(cwnd.dumbbell({"cubic": 40}, rate="10Mbit/s", rtt="20ms", duration="1s"))
    assert "and 28 more rows" in shown(many).text


def test_a_study_without_flows_or_with_failures_is_shown_too() -> None:
    study = cwnd.sweep("cubic", rate="10Mbit/s", rtt=["0ms", "10ms"], duration="1s")
    assert len(study.failed) == 1
    assert "failed: 1; the first: link.rtt" in shown(study).text
    table = study.means.slice(0, 0)
    assert shown(cwnd.Study([], table, table, [], 0, 0, 0)).pictures == 0


def test_texts_of_the_user_are_escaped() -> None:
    name = "<script>alert('x')</script> & $x_1$"
    flows = [Flow("cubic", label=name), Flow("reno", start={"uniform": ["0s", "100ms"]})]
    scenario = cwnd.dumbbell(flows, rtt="20ms", **SMALL)  # type: ignore[arg-type]
    for thing in (cwnd.run(scenario), cwnd.replicate(scenario, 2), cwnd.sweep(scenario, {"rtt": ["10ms", "20ms"]})):
        fragment = thing._repr_html_()
        assert fragment is not None and "<script" not in fragment and html.escape(name) in fragment
        assert name in shown(thing).text


def test_differences_and_fidelity_are_tables(tmp_path: Path) -> None:
    a, b = (cwnd.compare(f"cubic@beta={beta}", **SMALL, seeds=3) for beta in (0.7, 0.85))
    page = shown(cwnd.diff(a, b))
    assert "differences are decided" in page.text and any(row[0] == "throughput_mbps" for row in page.rows)
    result = cwnd.compare("cubic", **SMALL)
    live = cwnd.Result(result.scenario, {**result.summary, "live": {"kernel": "6.1"}}, None, lane="live")  # type: ignore[arg-type,typeddict-item]
    same = [Equivalence.of("goodput, cubic", "Mbit/s", [0.5, 0.6], [0.5, 0.6])]
    fidelity = Fidelity(result.scenario, "live", 2, None, same, result, live, 250, 0.1, "day")
    assert "1 of 1 numbers are equivalent" in shown(fidelity).text
    trace = KernelTrace.__new__(KernelTrace)
    assert trace._repr_html_() is None


@pytest.mark.slow
@pytest.mark.parametrize("what", ["cwnd.compare('cubic', rate='5Mbit/s', duration='1s')", "cwnd.compare('cubic', rate='5Mbit/s', duration='1s', seeds=2)", "cwnd.sweep('cubic@beta={0.7,0.85}', rate='5Mbit/s', rtt='40ms', duration='1s')"])  # fmt: skip
def test_a_picture_changes_nothing_of_matplotlib(what: str) -> None:
    code = f"""
import matplotlib, cwnd
matplotlib.use("svg")
import matplotlib.pyplot as plt
mine = plt.figure()
matplotlib.rcParams["font.size"] = 17
before = dict(matplotlib.rcParams)
assert "<img" in ({what})._repr_html_()
assert matplotlib.get_backend() == "svg" and plt.get_fignums() == [mine.number]
assert dict(matplotlib.rcParams) == before
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_text_is_one_line_and_objects_compare_and_pickle() -> None:
    scenario = cwnd.dumbbell("cubic", rtt="20ms", **SMALL)
    for thing in (scenario, Flow("cubic", 2, beta=0.8), cwnd.run(scenario), cwnd.replicate(scenario, 2)):
        assert "\n" not in repr(thing) and len(repr(thing)) < 300
