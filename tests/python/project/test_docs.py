# SPDX-License-Identifier: MIT OR Apache-2.0
"""The generated pages: in step with the code, complete, and refusing what does not fit."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from conftest import Cli

from tools.docs import generate, pages, pictures, verdicts

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_pages_are_what_code_and_fragments_say() -> None:
    assert generate.stale(generate.texts()) == [], "out of date: run make docs"


def test_the_page_of_the_experiments_shows_the_committed_verdicts() -> None:
    text = verdicts.PAGE.read_text()
    for begin, lines, end in (
        (verdicts.BEGIN_DATES, verdicts.dates(), verdicts.END_DATES),
        (verdicts.BEGIN, verdicts.lines(), verdicts.END),
    ):
        shown = text.split(begin)[1].split(end)[0]
        assert shown.strip().splitlines() == lines, "out of date: run python -m tools.docs.verdicts"


def test_every_algorithm_has_a_page_with_its_picture_and_stands_in_the_gallery() -> None:
    gallery = (DOCS / "reference" / "algorithms" / "README.md").read_text()
    for algorithm in pages.built_in():
        text = (DOCS / "reference" / "algorithms" / f"{algorithm['name']}.md").read_text()
        assert (DOCS / "pictures" / "algorithms" / f"{algorithm['name']}.png").stat().st_size > 5000
        assert f"]({algorithm['name']}.md)" in gallery
        for name in [*algorithm["sets"], *algorithm["params"], *algorithm["inner"]]:
            assert f"| `{name['name']}` |" in text, f"{algorithm['name']}: {name['name']}"


def test_every_link_and_picture_of_the_pages_exists() -> None:
    count = 0
    for path in [*DOCS.glob("reference/algorithms/*.md"), DOCS / "results" / "response.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
            count += 1
    assert count > 50


def test_a_missing_or_ill_fitting_fragment_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "about"
    shutil.copytree(pages.ABOUT, folder)
    (folder / "bic.toml").unlink()
    with pytest.raises(
        pages.FragmentError, match=r"the registry has bic, but docs/reference/algorithms/about/bic.toml is missing"
    ):
        pages.pages(folder)
    text = (pages.ABOUT / "bic.toml").read_text()
    for change, message in [
        (text.replace("rule =", "rul ="), r"bic.toml: keys: rule missing"),
        (text + "colour = 1\n", r"\[picture\]: colour not among"),
        (text.replace("[inner]", "[inner]\nw_mx = 'x'"), r"\[inner\]: w_mx not among"),
    ]:
        (folder / "bic.toml").write_text(change)
        with pytest.raises(pages.FragmentError, match=message):
            pages.pages(folder)
    (folder / "bic.toml").write_text(text)
    (folder / "lull.toml").write_text(text)
    with pytest.raises(pages.FragmentError, match=r"lull.toml is about no algorithm"):
        pages.pages(folder)


# Ha, Rhee and Xu 2008, figure 1. CUBIC: W(K) = W_max within a segment, within 1 % of it from 0.64 K to 1.36 K
# ((0.36)³ · 0.2 = 0.93 %). BIC: S_max = 16 per round trip at first, the smallest growth at W_max, then 16 again.
def test_figure_1_shows_the_two_growth_functions() -> None:
    cubic = pictures.after_one_loss("cubic-2.2", 1000, 17.0)
    epoch = cubic.time - pictures.RTT_S
    k = (1000 * 0.2 / 0.4) ** (1 / 3)
    window = {share: int(cubic.window[abs(epoch - share * k).argmin()]) for share in (0, 0.5, 0.64, 1, 1.36, 1.5)}
    assert abs(window[1] - 1000) <= 1
    near = cubic.window[(epoch >= 0.64 * k) & (epoch <= 1.36 * k)]
    assert abs(near - 1000).max() <= 10
    assert window[0.5] < 990 and window[1.5] > 1010
    bic = pictures.after_one_loss("bic", 1000, 11.0)
    # Growth of a round trip, four samples.
    growth = bic.window[4:] - bic.window[:-4]
    at = bic.window[4:]
    assert growth[(at > 830) & (at < 920)].mean() == pytest.approx(16, abs=1)
    assert growth[(at > 996) & (at < 1003)].max() <= 1
    assert growth[(at > 1080) & (at < 1250)].mean() == pytest.approx(16, abs=1)


def test_the_readme_counts_algorithms_and_parameter_sets_right(cwnd: Cli) -> None:
    # A process of its own knows no plugin of another test.
    # Those of real stacks have no parameter sets.
    algorithms = [each for each in json.loads(cwnd("algorithms", "--json").stdout) if each["sets"]]
    names = [one["name"] for algorithm in algorithms for one in algorithm["sets"]]
    cubic = [one for algorithm in algorithms if algorithm["name"].startswith("cubic") for one in algorithm["sets"]]
    readme = (DOCS.parent / "README.md").read_text()
    assert f"**{len(algorithms)} algorithms, {len(names)} parameter sets**" in readme
    assert len(cubic) == 12 and "twelve forms of CUBIC" in readme
