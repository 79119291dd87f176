# SPDX-License-Identifier: MIT OR Apache-2.0
"""The web page from the command line and from Python."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import webbrowser
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from needs import needs

import cwnd as package
from cwnd.page import html as pages

needs_page = needs("page")


def state_in(html: str) -> Any:  # noqa: ANN401 -- a document
    """What a page begins with."""
    found = re.search(r'<script id="state" type="application/json">(.*?)</script>', html, re.S)
    assert found
    return json.loads(found[1])


@needs_page
def test_a_comparison_is_written_as_a_page_with_its_settings(cwnd: Cli, tmp_path: Path) -> None:
    options = ["--rate", "20Mbit/s", "--codel", "5ms..100ms", "--duration", "3s", "--measure", "1s..3s", "--seed", "7"]
    done = cwnd("compare", "cubic@beta=0.85", "reno", *options, "--page", "out.html", "--json", cwd=tmp_path)
    assert done.returncode == 0 and "written to out.html" in done.stderr, done.stderr
    html = (tmp_path / "out.html").read_text()
    settings = state_in(html)["settings"]
    assert settings == {
        "flows": ["cubic@beta=0.85", "reno"],
        "rate": "20Mbit/s",
        "rtt": "40ms",
        "buffer": "1bdp",
        "codel": {"target": "5ms", "interval": "100ms"},
        "duration": "3s",
        "measure": ["1s", "3s"],
        "seed": 7,
        "packet_size": "1500B",
    }
    # The command of these settings is the one that was given, in its own order.
    (flows, given) = settings.pop("flows"), settings
    command = package.compare_command(flows, **given)
    assert command is not None
    again = cwnd(*command.replace("'", "").split()[1:], "--json", cwd=tmp_path)
    assert json.loads(again.stdout)["flows"] == json.loads(done.stdout)["flows"]


@needs_page
def test_a_page_is_written_over_a_page_and_over_nothing_else(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes.html").write_text("mine")
    refused = cwnd("compare", "cubic", "--duration", "1s", "--page", "notes.html", cwd=tmp_path)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1, refused.stderr
    assert "a page that cwnd has written" in refused.stderr and (tmp_path / "notes.html").read_text() == "mine"
    for _ in range(2):
        assert cwnd("lab", "-o", "lab.html", cwd=tmp_path).returncode == 0
    assert (tmp_path / "lab.html").read_text() == pages.PAGE.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lab.html", "notes.html"]
    into = cwnd("lab", "-o", tmp_path, cwd=tmp_path)
    assert into.returncode == 2 and "the name of a file" in into.stderr
    live = cwnd("compare", "cubic", "--lane", "live", "--page", "live.html", cwd=tmp_path)
    assert live.returncode == 2 and "--page: not accepted with --lane live" in live.stderr


@needs_page
def test_a_scenario_s_page_has_the_scenario(cwnd: Cli, tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(
        'duration = "2s"\n[link]\nrate = "5Mbit/s"\nrtt = "20ms"\n[[flow]]\ncc = "reno"\nlabel = "</script>"\n'
    )
    done = cwnd("run", file, "--seed", "3", "--page", "run.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = state_in((tmp_path / "run.html").read_text())["text"]
    assert package.Scenario.from_toml(text) == package.Scenario.from_file(file).with_seed(3)
    shown = cwnd("lab", file, "-o", "lab.html", cwd=tmp_path)
    assert shown.returncode == 0 and "label" in state_in((tmp_path / "lab.html").read_text())["text"]
    result = package.run(file)
    assert state_in(result.to_html())["text"] == result.scenario.to_toml()
    assert result.to_html(tmp_path / "again.html") == (tmp_path / "again.html").read_text()


@needs_page
def test_what_a_page_cannot_run_is_refused_before_the_run(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "radio.trace").write_text("1\n2\n")
    file = tmp_path / "trace.toml"
    file.write_text('duration = "2s"\n[link]\nrate = { trace = "radio.trace" }\nrtt = "20ms"\n[[flow]]\ncc = "reno"\n')
    for words in (["run", file, "--page", "p.html"], ["lab", file]):
        refused = cwnd(*words, cwd=tmp_path)
        assert refused.returncode == 2 and "names no file" in refused.stderr, refused.stderr
        assert refused.stderr.count("\n") == 1 and not refused.stdout
    assert not (tmp_path / "p.html").exists()


@needs_page
def test_lab_opens_the_page_of_the_package(cwnd: Cli, tmp_path: Path) -> None:
    shown = cwnd("lab", "--no-open", cwd=tmp_path)
    assert shown.returncode == 0 and shown.stdout == f"{pages.PAGE.as_uri()}\n"


# test_guide.py leaves the page of the lab out, which needs the page.
@needs_page
def test_the_commands_of_the_guide_run(cwnd: Cli, tmp_path: Path) -> None:
    text = (Path(__file__).resolve().parents[3] / "docs/guide/lab.md").read_text()
    shells = re.findall(r"^```sh\n(.*?)^```$", text, re.S | re.M)
    for line in "".join(shells).splitlines():
        program, *words = shlex.split(line)
        done = cwnd(*words, cwd=tmp_path)
        assert (program, done.returncode) == ("cwnd", 0), (line, done.stderr)
    (python,) = re.findall(r"^```python\n(.*?)^```$", text, re.S | re.M)
    done = subprocess.run([sys.executable, "-c", python], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "cwnd compare 'cubic@beta=0.85' reno --rate 50Mbit/s\n"
    assert {"lab.html", "both.html", "result.html"} <= {path.name for path in tmp_path.iterdir()}


def test_a_package_without_a_page_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pages, "PAGE", tmp_path / "no.html")
    monkeypatch.setattr(webbrowser, "open", lambda _: pytest.fail("nothing is opened"))
    with pytest.raises(pages.NoPageError, match="make page"):
        pages.page()
