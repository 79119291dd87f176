# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd lab`: the web page in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from cwnd.result.lanes import SIM


@contextmanager
def written_page(target: Path | None, lane: str, state: Callable[[], Mapping[str, object]]) -> Iterator[None]:
    """Writes the page of --page when the run is over; what is refused is refused before it."""
    if target is None:
        yield
        return
    from cwnd._internal.messages import note
    from cwnd.cli.entry import fail
    from cwnd.page import html as page

    if lane != SIM:
        fail(f"--page: not accepted with --lane {lane}; expected the simulator, which pages have")
    begin = state()
    page.check_target(target)
    page.page()
    yield
    page.write_page(target, begin)
    note(f"written to {target}")


def command(
    scenario: Annotated[
        Path | None,
        typer.Argument(metavar="[SCENARIO.toml]", help="A scenario to begin with.", show_default="CUBIC and Reno"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE.html", help="Write the page to this file instead.")
    ] = None,
    essay: Annotated[
        bool,
        typer.Option("--essay", help="Open the page at its essay: nine figures, in the order of the paper on CUBIC."),
    ] = False,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Only print the address of the page; do not open a browser.")
    ] = False,
) -> None:
    """Open the web page, which simulates a minute again, packet by packet, whenever you move a slider.

    It is one file, works without a network, and contains this program's simulator: its numbers are those of `cwnd compare`. docs/guide/lab.md says what it can do.
    """
    import tempfile
    import webbrowser

    from cwnd._internal.messages import note
    from cwnd.cli.entry import fail
    from cwnd.page import html as page
    from cwnd.scenario.file import scenario_file

    if essay and scenario is not None:
        fail(f"--essay: not accepted with {scenario}; expected one of them: the essay has its own scenarios")
    state = None if scenario is None else page.state_of(scenario_file(scenario))
    if out is not None:
        page.write_page(out, state)
        note(f"written to {out}")
        return
    if state is None:
        target = page.PAGE
        if not target.exists():
            raise page.NoPageError
    else:
        # It stays: a browser reads it again when it is asked to.
        html = page.page(state)
        target = Path(tempfile.mkdtemp(prefix="cwnd-lab-")) / "lab.html"
        target.write_text(html, encoding="utf-8")
    address = target.as_uri() + ("#essay" if essay else "")
    print(address)
    if not no_open and not webbrowser.open(address):
        fail("no browser could be opened; open the address above yourself")
