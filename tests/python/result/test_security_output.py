# SPDX-License-Identifier: MIT OR Apache-2.0
"""What comes from files of others, as terminals, browsers and spreadsheets are given it."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd._internal.escapes import harmless
from cwnd.reproduce.claims import claims_of
from cwnd.reproduce.html_report import is_drawing
from cwnd.result.store import MANIFEST

CLAIM = {
    **{
        "id": f"ha2008/fig1/{next(iter(claims_of('ha2008/fig1')))}",
        "text": "t",
        "metric": "m",
        "where": "w",
        "kind": "empirical",
        "op": "holds",
        "paper": 1.0,
    },
    **{"measured": 1.0, "ci95": None, "tolerance": "", "tolerance_ours": False, "holds": True, "seeds": 1},
}
ENTRY = {
    **{
        "id": "ha2008/fig1",
        "title": "t",
        "verdict": "holds",
        "full": False,
        "seeds": 1,
        "scenarios": "0",
        "cubic": "cubic",
    },
    "claims": [CLAIM],
}
SCRIPT = "<img src=x onerror=alert(1)><script>alert(1)</script>"
#: Pictures with something that a browser would run, or fetch.
HOSTILE = (
    "<svg><script>alert(1)</script></svg>",
    "<svg><SCRIPT/></svg>",
    '<svg onload="alert(1)"></svg>',
    "<svg><g\nonclick='alert(1)'/></svg>",
    '<svg><rect/onmouseover="alert(1)"/></svg>',
    "<svg><foreignObject><iframe src='//x'></iframe></foreignObject></svg>",
    '<svg><use href="https://example.org/x.svg#a"/></svg>',
    '<svg><use xlink:href="data:image/svg+xml;base64,AAAA"/></svg>',
    '<svg><a href="javascript:alert(1)"><text>x</text></a></svg>',
    "<svg><style>@import url(https://example.org/x.css);</style></svg>",
    "<svg><style>g { fill: url('https://example.org/x') }</style></svg>",
    "<svg><text>x</text></svg><script>alert(1)</script>",
    '<svg><animate attributeName="href" to="javascript:alert(1)"/></svg>',
    "<svg><set/></svg>",
)


def strings(value: Any, to: str) -> Any:  # noqa: ANN401 -- a document
    """The document with every text replaced that is no name of a folder."""
    if isinstance(value, dict):
        return {key: inner if key == "id" else strings(inner, to) for key, inner in value.items()}
    return [strings(each, to) for each in value] if isinstance(value, list) else to if isinstance(value, str) else value


@pytest.fixture
def reproduced(tmp_path: Path) -> Callable[..., Path]:
    """Makes the folder of `cwnd reproduce` with these entries and this picture."""

    def make(entries: object, picture: str = "") -> Path:
        (tmp_path / "ha2008/fig1").mkdir(parents=True, exist_ok=True)
        (tmp_path / MANIFEST).write_text(
            json.dumps({"kind": "cwnd reproduce", "versions": {"cwnd": SCRIPT}, "finished": SCRIPT})
        )
        (tmp_path / "verdicts.json").write_text(json.dumps(entries))
        (tmp_path / "ha2008/fig1/figure.svg").write_text(picture)
        return tmp_path

    return make


@pytest.mark.parametrize("picture", HOSTILE)
def test_a_report_has_no_picture_that_a_browser_would_run(picture: str) -> None:
    assert not is_drawing(picture)


def test_a_drawing_of_ours_is_one(tmp_path: Path) -> None:
    package.run(package.dumbbell("cubic", rate="5Mbit/s", rtt="20ms", duration="1s"), folder=tmp_path / "run")
    pictures = sorted((tmp_path / "run").glob("*.svg"))
    assert len(pictures) == 5
    for picture in pictures:
        assert is_drawing(picture.read_text()[picture.read_text().index("<svg") :]), picture.name


def test_a_report_runs_nothing_that_its_folder_says(reproduced: Callable[..., Path], cwnd: Cli) -> None:
    folder = reproduced(strings([ENTRY], SCRIPT), HOSTILE[0])
    done = cwnd("report", folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "report.html").read_text()
    assert "<script" not in page and "<img" not in page
    assert "figure.svg is not shown" in page and "&lt;script&gt;" in page
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    assert (
        policy
        and policy[1].startswith("default-src 'none'; style-src 'unsafe-inline'")
        and "script-src" not in policy[1]
    )


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({**ENTRY, "seeds": SCRIPT}, "seeds"),
        ({**ENTRY, "id": "../../etc"}, "document/figure"),
        ({**ENTRY, "id": "/etc/passwd"}, "document/figure"),
        ({**ENTRY, "claims": [{**CLAIM, "tolerance": 3}]}, "tolerance"),
        ({**ENTRY, "claims": [{**CLAIM, "id": "ha2008/fig1/none"}]}, "no ha2008/fig1/none"),
        ({**ENTRY, "claims": [{**CLAIM, "ci95": 3}]}, "ci95"),
        ({**ENTRY, "claims": 7}, "claims"),
        (5, "a table"),
    ],
)
def test_verdicts_of_another_form_are_refused_in_one_line(
    wrong: object, word: str, reproduced: Callable[..., Path], cwnd: Cli
) -> None:
    done = cwnd("report", reproduced([wrong]))
    refused(done, word)


# ESC ] 0 ; ... BEL sets the title of a terminal; U+202E turns the order of letters around; U+009B is ESC [ in one character.
@pytest.mark.parametrize("letter", ["\x1b", "\x07", "\x9b", "\u202e", "\u2066", "\u2028", "\x7f", "\x08"])
def test_no_error_or_table_gives_a_terminal_something_to_act_on(letter: str, tmp_path: Path, cwnd: Cli) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(f'duration = "1s"\nzzz{letter}[31m = 1\n', encoding="utf-8")
    missing = tmp_path / f"no{letter}file"
    for arguments in (("run", scenario), ("run", missing), ("plot", missing), ("diff", missing, missing)):
        done = cwnd(*arguments)
        assert done.returncode == 2 and letter not in done.stderr, (arguments, done.stderr)
    folder = tmp_path / "run"
    package.run(package.dumbbell("cubic", rate="5Mbit/s", rtt="20ms", duration="1s"), folder=folder, pictures=False)
    summary = json.loads((folder / "summary.json").read_text())
    summary["flows"][0]["name"] = summary["links"][0]["name"] = f"a{letter}b"
    (folder / "summary.json").write_text(json.dumps(summary))
    from cwnd.notebook.html import HtmlPrinter
    from cwnd.result import report

    printer = HtmlPrinter()
    report.table(package.load(folder).summary, printer)
    assert "".join(printer.parts).count(harmless(letter)) >= 1
    assert letter not in "".join(printer.parts)


def test_what_is_harmless_stays_as_it_is() -> None:
    for text in ("β = 0.7", "40.1 ± 2.2", "a\tb\n", "日本", "é"):
        assert harmless(text) == text
    assert harmless("\x1b[31m\u202e") == r"\x1b[31m\u202e"


# A spreadsheet runs what begins with one of these; a label may.
@pytest.mark.parametrize("label", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_no_cell_of_a_table_is_a_formula(label: str, tmp_path: Path, cwnd: Cli) -> None:
    sweep = ("sweep", f"cubic@label={label}", "--axis", "rtt=10ms,20ms", "--rate", "5Mbit/s", "--duration", "1s")
    done = cwnd(*sweep, "-o", tmp_path / "study")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "study/means.csv").open(newline="") as file:
        cells = [text for row in csv.reader(file) for text in row]
    assert f"'{label}" in cells and label not in cells
    # The table that programs read has the label as it is.
    study = package.load(tmp_path / "study")
    assert isinstance(study, package.Study)
    assert label in study.means["label"].to_pylist()


# A file's name may hold a command, which the shell would run with the line that Tab has completed.
def test_bash_completes_no_name_that_it_would_run(tmp_path: Path) -> None:
    from cwnd.cli.commands.completion import script

    (tmp_path / "a$(touch x).toml").touch()
    stub = tmp_path / "stub"
    stub.write_text("#!/bin/sh\nprintf 'word\\tabc\\t\\nfile\\t\\t\\n'\n")
    stub.chmod(0o755)
    (tmp_path / "script").write_text(script("bash"))
    line = 'compopt() { :; }; source ./script; COMP_LINE="cwnd sweep a"; COMP_POINT=12; _cwnd ./stub a; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "--norc", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["abc", r"a\$\(touch\ x\).toml"], done


# The user names these files, or a script does that takes the name from elsewhere: an archive, a download.
def test_the_name_of_a_file_is_one_line_of_what_a_terminal_shows(tmp_path: Path, cwnd: Cli) -> None:
    folder = tmp_path / "a\nb\x1b[31m"
    done = cwnd("compare", "cubic", "--rate", "5Mbit/s", "--rtt", "20ms", "--duration", "1s", "-q", "-o", folder)
    assert done.returncode == 0, done.stderr
    for command in (
        ("plot", folder, "--kind", "windows", "-o", tmp_path / "q\n\x1b[31m.svg"),
        ("qlog", folder, "-o", tmp_path / "q\n\x1b[31m.sqlog"),
    ):
        done = cwnd(*command)
        assert (done.returncode, (done.stdout + done.stderr).count("\n")) == (0, 1), done
        assert r"q\n\x1b[31m.s" in done.stdout + done.stderr and "\x1b" not in done.stdout + done.stderr
