# SPDX-License-Identifier: MIT OR Apache-2.0
"""Folders of kernel traces that somebody else has written: each is drawn and written as qlog, or refused in one line."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Cli

import cwnd as package
from cwnd.load import NoResultError
from cwnd.plot.redraw import redraw
from cwnd.result.store import MANIFEST
from tools.fuzz.seeds import trace_folder, traced


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a trace of two connections."""
    trace_folder(tmp_path / "trace")
    return tmp_path / "trace"


def with_manifest(folder: Path, **changes: object) -> None:
    """Changes keys of the manifest."""
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps({**manifest, **changes}))


def test_a_trace_in_the_form_of_these_tests_is_read(folder: Path, cwnd: Cli) -> None:
    drawn = cwnd("plot", folder)
    assert (drawn.returncode, drawn.stdout.split()) == (0, [f"{folder}/trace.png", f"{folder}/trace.svg"]), drawn.stderr
    trace = package.load(folder)
    assert isinstance(trace, package.KernelTrace)
    assert [trace.rows(name) for name in ("flows", "cwnd", "hooks", "packets")] == [2] * 4
    trace.to_qlog(folder / "out.sqlog")


EMPTY = {name: traced("cwnd")[name].slice(0, 0) for name in traced("cwnd").column_names}


@pytest.mark.parametrize(
    ("name", "changes", "says"),
    [
        ("cwnd", {"srtt_ms": None}, "no column srtt_ms; expected the columns time_s, flow, "),
        (
            "cwnd",
            {"time_s": pa.array([0.0, float("nan")])},
            r"column time_s has nan; expected numbers of up to 1e\+100",
        ),
        ("cwnd", {"time_s": pa.array([0.0, 1e300])}, "column time_s has 1e"),
        ("cwnd", {"time_s": pa.array([0.0, -1.0])}, r"column time_s has -1\.0; expected numbers from 0 on"),
        ("flows", {"first_s": pa.array([-1.0, 0.0])}, r"column first_s has -1\.0; expected numbers from 0 on"),
        ("cwnd", {"time_s": pa.array([0.0, None])}, "column time_s has gaps"),
        ("cwnd", {"srtt_ms": pa.array([0.0, float("inf")])}, "column srtt_ms has inf"),
        ("cwnd", {"flow": pa.array([0, -1])}, "column flow has -1; expected whole numbers of 32 bits"),
        ("cwnd", {"cwnd": pa.array([1, 2**32])}, "column cwnd has 4294967296"),
        ("cwnd", {"ca_state": pa.array(["open", None])}, "column ca_state has gaps"),
        ("flows", {"algorithm": None}, "no column algorithm"),
        ("flows", {"algorithm": pa.array(["cubic", None])}, "column algorithm has gaps"),
        ("flows", {"flow": pa.array([-5, 7])}, "column flow has -5"),
        ("packets", {"mss": None}, "no column mss"),
        ("hooks", {"connection": None}, "no column connection"),
    ],
)
def test_a_table_that_no_trace_has_is_refused(
    name: str, changes: dict[str, pa.Array | None], says: str, folder: Path
) -> None:
    pq.write_table(traced(name, **changes), folder / f"{name}.parquet")
    trace = package.load(folder)
    assert isinstance(trace, package.KernelTrace)
    with pytest.raises(NoResultError, match=rf'^{name}\.parquet: "{folder}" is not accepted; {says}'):
        trace.table(name)
    # A picture is of the table `cwnd` alone; a qlog needs packets for the size of a segment only where no hooks say it.
    for act, needs in (
        (lambda: redraw(folder), ("cwnd",)),
        (lambda: trace.to_qlog(folder / "q"), ("cwnd", "flows", "hooks")),
    ):
        with pytest.raises(NoResultError) if name in needs else nullcontext():
            act()


def test_a_trace_without_words_of_private_state_is_read(folder: Path) -> None:
    lacking = {name: None for name in traced("hooks").column_names if name.startswith(("priv", "state_"))}
    pq.write_table(traced("hooks", **lacking), folder / "hooks.parquet")
    trace = package.load(folder)
    assert isinstance(trace, package.KernelTrace) and trace.table("hooks").num_rows == 2


def test_a_trace_without_a_sample_is_not_drawn(folder: Path, cwnd: Cli) -> None:
    pq.write_table(traced("cwnd").slice(0, 0), folder / "cwnd.parquet")
    done = cwnd("plot", folder)
    expected = f'error: DIR: "{folder}" is not accepted; expected a kernel trace with samples of a window\n'
    assert (done.returncode, done.stderr) == (2, expected)
    assert cwnd("qlog", folder).returncode == 2


# A picture is made by matplotlib, to which dollars begin a formula; a name is no formula, and breaks no line.
@pytest.mark.parametrize("text", ["$\\frac{$", "$$", "a\nb\x1b[31m\u202e"])
def test_names_in_a_trace_are_drawn_as_they_are(text: str, folder: Path, cwnd: Cli) -> None:
    with_manifest(folder, algorithm=text, versions={"kernel": text})
    done = cwnd("plot", folder)
    assert done.returncode == 0, done.stderr
    assert cwnd("qlog", folder, "-o", folder / "out.sqlog").returncode == 0


def test_a_trace_of_an_unknown_kernel_is_drawn(folder: Path, cwnd: Cli) -> None:
    with_manifest(folder, versions={})
    assert cwnd("plot", folder).returncode == 0
    assert "Linux" not in (folder / "trace.svg").read_text()


# A command that a signal has ended has the signal as its negative exit code.
def test_of_a_trace_only_the_exit_code_may_be_negative(folder: Path) -> None:
    with_manifest(folder, exit=-9)
    package.load(folder)
    for change in ({"calls": -1}, {"seconds": -0.5}, {"differences": -1}):
        with_manifest(folder, **{"calls": 2, "seconds": 1.0, "differences": None, **change})
        (name, value) = next(iter(change.items()))
        with pytest.raises(NoResultError, match=rf"manifest\.json\.{name}: {value} is not accepted; expected a number"):
            package.load(folder)
