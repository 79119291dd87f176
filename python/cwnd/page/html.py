# SPDX-License-Identifier: MIT OR Apache-2.0
"""The web page that simulates: as it is in the package, or with a scenario in it (`cwnd lab`, `--page`, `Result.to_html`)."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from pathlib import Path

from cwnd import _native
from cwnd._internal.input_errors import missing, refused
from cwnd._internal.temporary_files import replacing
from cwnd._native import Scenario
from cwnd.scenario.algorithms import built_in_sets

#: Built by `make page` and in every wheel.
PAGE = Path(__file__).with_name("lab.html")
#: What the page has in place of a scenario, and what says that a file is one of these pages.
STATE = '<script id="state" type="application/json">null</script>'
GENERATOR = '<meta name="generator" content="cwnd">'


class NoPageError(OSError):
    """The package has no page: it was built without one."""

    def __init__(self) -> None:
        super().__init__(
            "this installation has no web page: `make page` in a cwnd checkout builds it; a wheel from `make wheel` includes it (`cwnd doctor page`)"
        )


def check_page(scenario: Scenario) -> None:
    """Refuses what a page cannot run: plugins, real stacks, and scenarios that name files. Raises `ScenarioError`."""
    _native.refuse_stacks(scenario, "in a page")
    for number, group in enumerate(scenario.groups):
        if group.cc not in built_in_sets():
            raise refused(f"flow[{number}].cc", group.cc, "an algorithm of the package: a page has no plugins")
    if any(link.queue is None for link in scenario.links):
        raise missing("link.rate", "a rate, which pages draw; the command line runs links without one")
    if scenario.files:
        raise refused("page", next(iter(scenario.files)), "a scenario that names no file")


def state_of(scenario: Scenario) -> dict[str, object]:
    """What a page begins with to simulate this scenario. Raises `ScenarioError`."""
    check_page(scenario)
    return {"text": scenario.to_toml()}


def compared_state(scenario: Scenario, settings: Mapping[str, object]) -> dict[str, object]:
    """What a page begins with to simulate a comparison: its settings, for which the page has sliders. Raises `ScenarioError`."""
    check_page(scenario)
    return {"settings": {key: value for key, value in settings.items() if value not in (None, False, [], ())}}


def page(state: Mapping[str, object] | None = None) -> str:
    """The page, which begins with these settings of a comparison (`{"settings": …}`) or this scenario (`{"text": …}`)."""
    try:
        html = PAGE.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NoPageError from None
    if state is None:
        return html
    # Nothing in it ends the element that it stands in.
    text = json.dumps(state, ensure_ascii=True).replace("<", "\\u003c")
    return html.replace(STATE, STATE.replace("null", text), 1)


def link_to(scenario: str) -> str:
    """The part of a page's address that has it begin with this scenario: what `web/src/settings.ts` reads."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(scenario.encode()) + deflate.flush()
    return f"#z:{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def check_target(path: Path) -> None:
    """Refuses a file that is no such page. Raises `ScenarioError`."""
    if path.is_dir():
        raise refused("--page", str(path), "the name of a file, such as out.html")
    if path.exists() and GENERATOR not in path.read_text(encoding="utf-8", errors="replace")[:4096]:
        raise refused("--page", str(path), "a new file, or a page that cwnd has written")


def write_page(path: Path, state: Mapping[str, object] | None = None) -> None:
    """Writes the page, whole or not at all."""
    check_target(path)
    html = page(state)
    with replacing(path) as part:
        part.write_text(html, encoding="utf-8")
