# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd reproduce` and `cwnd report`: what is done stays done, and the page is complete in itself."""

from __future__ import annotations

import base64
import html
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import PROGRAM, Cli
from in_kernel import PATIENCE_S, until
from needs import needs, skip_without

from cwnd.page.html import PAGE
from cwnd.reproduce import Point, Setup
from cwnd.reproduce.claims import claims, claims_of
from cwnd.reproduce.discover import experiments
from cwnd.result.result import Result

QUICK = "ha2008/eq3-4"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def outcome(folder: Path) -> dict[str, bytes]:
    """All that must not depend on how often the program was stopped: everything but the manifest, which has the times."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An undisturbed run."""
    folder = tmp_path_factory.mktemp("undisturbed") / "r"
    subprocess.run([PROGRAM, "reproduce", QUICK, "--cubic", "none", "-o", folder], check=True, capture_output=True)
    return folder


@pytest.mark.slow
def test_every_claim_has_its_verdict_in_the_files_schema(done: Path) -> None:
    (entry,) = json.loads((done / "verdicts.json").read_text())
    assert entry["id"] == QUICK
    assert [row["id"].rpartition("/")[2] for row in entry["claims"]] == list(claims_of(QUICK))
    for row in entry["claims"]:
        assert {"id", "paper", "measured", "ci95", "tolerance", "holds"} <= row.keys()
    assert {path.name for path in (done / QUICK).iterdir()} == {
        "figure.svg",
        "figure.png",
        "data.parquet",
        "scenarios.json",
    }
    assert f"scenario {entry['scenarios']}".encode() in (done / QUICK / "figure.svg").read_bytes()
    assert f"scenario {entry['scenarios']}".encode() in (done / QUICK / "figure.png").read_bytes()


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_to_the_same_result(done: Path, tmp_path: Path) -> None:
    seed = int(os.environ.get("CWND_SEED", time.time_ns() % 2**32))
    print(f"CWND_SEED={seed}")
    chance = random.Random(seed)
    command = [PROGRAM, "reproduce", QUICK, "--cubic", "none", "-o", tmp_path / "r"]
    done_after_each = []
    for _ in range(int(os.environ.get("CWND_KILLS", "4"))):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(0.5, 4))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        done_after_each.append(len(list((tmp_path / "r" / "points").glob("*/*.json"))))
    assert done_after_each == sorted(done_after_each), "what was done has gone"
    last = subprocess.run(command, capture_output=True, text=True)
    assert last.returncode == 0, last.stderr
    assert outcome(tmp_path / "r") == outcome(done)


# The program; when a point is done, the next one waits for Ctrl-C, so that the end cannot come before it.
ONE = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from cwnd.reproduce import runner

run = runner.run

def one(scenario, between):
    while any(Path(sys.argv[-1], "points").glob("*/*.json")):
        between(SimpleNamespace(packets=0, progress=0.0))
        time.sleep(0.01)
    return run(scenario, between)

runner.run = one
from cwnd.cli.app import main
main()
"""


def test_ctrl_c_leaves_nothing_half_written_and_says_how_to_go_on(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ONE, "reproduce", QUICK, "--jobs", "1", "-o", tmp_path / "r"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    points = tmp_path / "r" / "points"
    until(lambda: any(points.glob("*/*.json")) or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=PATIENCE_S)[1]
    assert process.returncode == 130, errors
    assert "the same command resumes the work" in errors
    for path in points.rglob("*"):
        assert not path.name.startswith("."), path
        if path.is_file():
            json.loads(path.read_text())


@pytest.mark.slow
def test_what_is_done_is_not_done_again(done: Path, cwnd: Cli, tmp_path: Path) -> None:
    shutil.copytree(done, tmp_path / "r")
    again = cwnd("reproduce", QUICK, "--cubic", "none", "-o", tmp_path / "r")
    total, there = re.search(r"(\d+) points in .* s, (\d+) of them reused", again.stderr).groups()  # type: ignore[union-attr]
    assert total == there
    assert outcome(tmp_path / "r") == outcome(done)


def test_a_second_column_that_cannot_be_run_costs_itself_alone(done: Path, cwnd: Cli, tmp_path: Path) -> None:
    name = "ha2008/eq1-2"
    alone = cwnd("reproduce", name, "--cubic", "none", "-o", tmp_path / "alone")
    both = cwnd("reproduce", name, "--cubic", "reno", "-o", tmp_path / "both")
    assert alone.returncode == 0, alone.stderr
    assert both.returncode == 1
    assert f"error: {name}, second column, reno: " in both.stderr and "expected a set of CUBIC" in both.stderr
    (first,), (entry,) = (json.loads((tmp_path / name / "verdicts.json").read_text()) for name in ("alone", "both"))
    failed = entry.pop("second")
    assert entry == first
    assert failed["cubic"] == "reno" and "expected a set of CUBIC" in failed["failed"]
    assert cwnd("report", tmp_path / "both").returncode == 0
    assert "The run with reno failed" in (tmp_path / "both" / "report.html").read_text()


def test_a_point_that_fails_while_it_runs_costs_its_own_column_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from cwnd.reproduce import runner
    from cwnd.reproduce.run_folder import RunFolder, SecondColumn, judge_and_write

    experiment = experiments()["ha2008/eq1-2"]
    tasks: dict[str, runner.Task] = {}
    first = runner.column(experiment, Setup("cubic-2.2"), tasks)
    first_tasks = set(tasks)
    second = runner.column(experiment, Setup("cubic-2.1"), tasks)
    reduce = experiment.reduce

    def broken(run: Result, point: Point) -> object:
        if run.scenario.to_json() not in first_tasks:
            raise ValueError("not with this one")
        return reduce(run, point)

    monkeypatch.setattr(experiment, "reduce", broken)
    run_folder = RunFolder(tmp_path / "r")
    with run_folder.locked():
        outcome = runner.run_tasks(list(tasks.values()), run_folder.cache, 2)
        assert first.failure(outcome.failures) == ""
        assert "not with this one" in second.failure(outcome.failures)
        entry = judge_and_write(
            run_folder, experiment, first, SecondColumn("cubic-2.1", second, second.failure(outcome.failures))
        )
    assert entry is not None and "not with this one" in entry["second"]["failed"]
    assert all("second" not in row for row in entry["claims"])


def test_the_report_has_the_numbers_of_both_lanes(done: Path) -> None:
    from cwnd.reproduce.html_report import in_lane_live
    from cwnd.reproduce.run_folder import entries

    (entry,) = entries(done / "verdicts.json")
    assert in_lane_live(entry) == ""
    entry["live"] = [
        {"point": "10 <ms>", "seeds": 1, "numbers": [{"name": "ratio", "sim": 1.25, "live": 1.5}]},
        {"point": "20 ms", "seeds": 0, "numbers": [], "not_run": "too fast"},
    ]
    shown = in_lane_live(entry)
    assert "1 of 2 points" in shown and "not run: too fast" in shown
    assert "<td>10 &lt;ms&gt;</td><td>ratio</td><td>1.25</td><td>1.5</td>" in shown
    # What an experiment's runs do not have there stands with them.
    assert "400-fold" not in shown and "400-fold" in in_lane_live(entry, experiments()["freebsd/table"])


def test_the_end_of_a_run_says_the_four_numbers(done: Path, cwnd: Cli) -> None:
    again = cwnd("reproduce", QUICK, "--cubic", "none", "-o", done)
    assert "arithmetic and conformance: " in again.stdout and "empirical, without an interval: " in again.stdout


def test_the_list_has_every_experiment_and_the_last_verdicts_of_a_folder(done: Path, cwnd: Cli) -> None:
    rows = json.loads(cwnd("reproduce", "--list", "--json", "-o", done).stdout)
    assert [row["id"] for row in rows] == list(experiments())
    by_id = {row["id"]: row for row in rows}
    assert by_id[QUICK]["claims"] and by_id[QUICK]["verdict"]
    plain = cwnd("reproduce", "ha2008", "--list", "-o", done).stdout
    assert QUICK in plain and "leith2007" not in plain


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("ha2008/fig77",), "DOCUMENT[/FIGURE]"),
        (("--seeds", "0"), "--seeds"),
        (("--jobs", "x"), "--jobs"),
        (("--cubic", "cubci"), "--cubic"),
        (("--json",), "--json"),
        (("--lane", "lvie"), "--lane"),
    ],
)
def test_what_is_not_accepted_is_said_in_a_line(
    arguments: tuple[str, ...], field: str, cwnd: Cli, tmp_path: Path
) -> None:
    refused = cwnd("reproduce", *arguments, "-o", tmp_path / "r")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert refused.stderr.startswith(f"error: {field}")
    assert not (tmp_path / "r").exists()


def test_a_folder_with_something_else_is_left_alone(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    for command in (("reproduce", QUICK, "-o", tmp_path), ("report", tmp_path)):
        refused = cwnd(*command)
        assert (refused.returncode, refused.stdout) == (2, "")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.fixture
def reported(done: Path, cwnd: Cli, tmp_path: Path) -> Path:
    """A copy with its report."""
    shutil.copytree(done, tmp_path / "r")
    command = cwnd("report", tmp_path / "r")
    assert (command.returncode, command.stdout.strip()) == (0, str(tmp_path / "r" / "report.html"))
    return tmp_path / "r"


def test_the_report_has_all_claims_and_asks_nothing_of_the_network(reported: Path) -> None:
    page = (reported / "report.html").read_text()
    for claim in claims_of(QUICK).values():
        assert f'id="{claim.id}"' in page
        assert html.escape(claim.text) in page
    assert page.count("<svg") == 1
    # Addresses of schemas are names; nothing else may point outside, and what points to a file points to one that is there.
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    assert "<script" not in page and "@import" not in page
    for target in re.findall(r'href="([^"#:]+)["#]', page):
        assert (reported / target).exists(), target
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    for target in re.findall(r'(?:href="|url\()#(?!z:)([^")]+)', page):
        assert target in identifiers, target
    assert f"cwnd reproduce {QUICK}" in page
    assert f">{len(claims()) - len(claims_of(QUICK))}</td>" in page, "claims that were not run are counted"


# Where the web page has been built; what it makes of such an address is in web/test/browser.mjs.
@needs("page")
def test_points_of_a_figure_are_links_that_hold_their_scenarios(reported: Path) -> None:
    links = re.findall(r'<a href="lab.html#z:([A-Za-z0-9_-]+)">(.*?)</a>', (reported / "report.html").read_text())
    scenarios = json.loads((reported / QUICK / "scenarios.json").read_text())
    assert links and (reported / "lab.html").read_bytes() == PAGE.read_bytes()
    for packed, key in links:
        text = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), wbits=-15)
        assert json.loads(text) == scenarios[html.unescape(key)]


def test_changes_from_the_last_report_are_marked_until_the_next(reported: Path, cwnd: Cli) -> None:
    first = (reported / "report.html").read_bytes()
    assert b'class="changed"' not in first
    verdicts = json.loads((reported / "verdicts.json").read_text())
    row = verdicts[0]["claims"][1]
    row["holds"] = not row["holds"]
    (reported / "verdicts.json").write_text(json.dumps(verdicts))
    for _ in range(2):  # the same verdicts again are the same report
        cwnd("report", reported)
        page = (reported / "report.html").read_text()
        assert page.count('class="changed"') == 1
        assert f"was: {'does not hold' if row['holds'] else 'holds'}" in page


@pytest.fixture
def chromium() -> Iterator[str]:
    skip_without("chromium")
    assert CHROMIUM is not None, "CI has a browser: install the package chromium"
    yield CHROMIUM


@pytest.mark.parametrize("width", [1280, 400])
def test_a_browser_shows_the_page_without_an_error_and_without_scrolling_sideways(
    width: int, chromium: str, reported: Path, tmp_path: Path
) -> None:
    # A frame of the width that is asked for: a browser's own window has a least one. The page is looked at from outside it.
    (tmp_path / "look.html").write_text(
        f"""<iframe id="page" src="r/report.html" style="width:{width}px;height:900px;border:0"></iframe><pre id="found"></pre>
        <script>document.getElementById("page").onload = event => {{
            const page = event.target.contentDocument, root = page.documentElement;
            const pictures = [...page.querySelectorAll("figure svg")].map(one => one.getBoundingClientRect());
            document.getElementById("found").textContent = JSON.stringify({{
                inside: root.clientWidth, wide: root.scrollWidth, title: page.title,
                pictures: pictures.filter(one => one.width > 100 && one.height > 100 && one.right <= root.clientWidth).length,
            }});
        }};</script>"""
    )
    command = [
        chromium,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--allow-file-access-from-files",
        "--enable-logging=stderr",
        "--virtual-time-budget=10000",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--window-size=1400,1000",
        "--dump-dom",
        (tmp_path / "look.html").as_uri(),
    ]
    seen = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    result = re.search(r'<pre id="found">(.+?)</pre>', seen.stdout)
    assert result, seen.stderr[-2000:]
    looked = json.loads(html.unescape(result[1]))
    assert looked["title"]
    assert looked["wide"] <= looked["inside"] <= width, looked
    assert looked["pictures"] == 1, looked
    assert "CONSOLE" not in seen.stderr, seen.stderr
