# SPDX-License-Identifier: MIT OR Apache-2.0
"""The web page in Firefox; what it does in Chromium is in web/test/browser.mjs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from marionette import firefox
from needs import needs

import cwnd
from cwnd.page.html import PAGE

pytestmark = needs("page", "firefox")


@pytest.mark.slow
def test_the_page_simulates_in_firefox_what_the_package_simulates(tmp_path: Path) -> None:
    settings = {"flows": ["cubic@beta=0.85", "reno"], "rate": "20Mbit/s", "duration": "10s"}
    theirs = cwnd.compare(**settings).summary  # type: ignore[arg-type]
    with firefox(tmp_path) as browser:
        browser.send("WebDriver:Navigate", {"url": PAGE.as_uri()})
        first = browser.run(
            "return (async () => { await window.lab.settled(); return window.lab.result().flows.length })()"
        )
        assert first == 2, "CUBIC and Reno at first"
        script = f"window.lab.set({json.dumps(settings)}); await window.lab.settled(); return window.lab.result()"
        ours = browser.run(f"return (async () => {{ {script} }})()")
        assert isinstance(ours, dict)
        for mine, other in zip(ours["flows"], theirs["flows"], strict=True):
            assert mine == {key: other[key] for key in mine}  # type: ignore[literal-required]
        wide = browser.run("return [document.documentElement.scrollWidth, window.innerWidth]")
        assert isinstance(wide, list) and wide[0] <= wide[1], "no horizontal scroll"
        # The sentence follows when the settings rest.
        says = "document.getElementById('sentence').textContent"
        wait = f"while (!{says}.includes('%')) await new Promise((done) => setTimeout(done, 50))"
        assert "CUBIC" in str(browser.run(f"return (async () => {{ {wait}; return {says} }})()"))
