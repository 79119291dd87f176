# SPDX-License-Identifier: MIT OR Apache-2.0
"""CONTRIBUTING.md's algorithm as a crate of one's own: its page, and its response function."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from conftest import New, cargo
from test_contributing import steps
from test_response import RATES, RTT_S, TOLERANCE

import cwnd as package
from cwnd import _native
from tools.docs import pages
from tools.response.measure import mean_window
from tools.response.rules import rule_of


@pytest.fixture(scope="module")
def lull(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    """The guide's algorithm as a crate of one's own, so that this process knows it by its name."""
    crate = new_crate("lull", tmp_path_factory.mktemp("guide") / "lull")
    text = re.sub(r"crate::(conn::|hooks::)?", "cwnd::", steps()[0][1].replace("registration::", "registry::"))
    # In a crate of its own a table of parameters has no `for`: methods of the builder cannot be added there.
    (crate / "src" / "lull.rs").write_text(text.replace("LullParams for Lull", "LullParams"))
    package.load_plugin(crate)
    return crate


@cargo
def test_the_guides_page_is_one(lull: Path, tmp_path: Path) -> None:
    (tmp_path / "lull.toml").write_text(steps()[3][1])
    (algorithm,) = [each for each in _native.algorithms() if each["name"] == "lull"]
    assert pages.read(algorithm, tmp_path).about["title"] == "Lull"


@cargo
def test_the_guides_response_function_is_the_algorithms(lull: Path) -> None:
    fields = tomllib.loads(steps()[3][1])["response"]["lull"]
    rule = rule_of("lull.toml", "lull", fields, RTT_S)
    assert rule is not None and rule.formula is not None
    for p, cycles, skip in RATES:
        cycle = rule.cycle(p)
        window = mean_window("lull", p, RTT_S, cycle.w_max, cycle.rounds, cycles, skip)
        assert (window.cycles, window.timeouts) == (cycles, 0)
        assert window.mean == pytest.approx(cycle.mean, rel=TOLERANCE)
        if p <= rule.formula_to:
            assert window.mean == pytest.approx(rule.formula(p), rel=TOLERANCE)
