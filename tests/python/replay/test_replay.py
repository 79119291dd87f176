# SPDX-License-Identifier: MIT OR Apache-2.0
"""Recorded kernel calls, replayed: no difference where there must be none, and found where there is one."""

from __future__ import annotations

import importlib.util
import json
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Cli

from cwnd.replay.trace import replay

GOLDEN = Path(__file__).parents[3] / "vectors" / "golden"
RECORDED = tomllib.loads((GOLDEN / "replay.toml").read_text())["trace"]
#: Of kernels in virtual time: every module that one of our sets follows, with `init`.
VIRTUAL = [
    {"file": str(path.relative_to(GOLDEN)), "cc": each["cc"], "not": each["not"]}
    for path in sorted(GOLDEN.glob("virtual/*/*.parquet"))
    for each in {trace["cc"]: trace for trace in RECORDED}.values()
    if each["cc"] == f"{path.stem}-linux"
]
TRACES = [*RECORDED, *VIRTUAL]
#: Modules whose rules no set of ours has yet.
WITHOUT_A_SET = {"bbr", "cdg", "dctcp", "lp", "nv"}


# Rows NS1, LR2: equal to the kernel at every call, and another set is not.
@pytest.mark.parametrize("trace", TRACES, ids=[trace["file"] for trace in TRACES])
def test_ours_does_what_the_kernel_did_at_every_call(trace: dict[str, str]) -> None:
    path = GOLDEN / trace["file"]
    outcome = replay(path, trace["cc"])
    assert (outcome["calls"], outcome["first"]) == (pq.ParquetFile(path).metadata.num_rows, None)
    assert outcome["differences"] == 0
    # Named: Linux's `init` of Veno leaves the count of samples, which is 1 after the handshake; ours begins with 0. No window differs.
    counts_handshake = "virtual" in path.parts and trace["cc"] == "veno-linux"
    assert bool(outcome["state_differences"]) == counts_handshake, "the inner state, where the algorithm reads it"
    assert "virtual" not in path.parts or outcome["loaded"] <= 1, "what precedes `init` is the only beginning"
    assert outcome["loaded"] <= 32, "the calls missing from a record are those before its probes were all in place"
    assert replay(path, trace["not"])["differences"] > 0


def test_a_record_that_begins_within_a_connection_needs_its_private_words(tmp_path: Path) -> None:
    table = pq.read_table(GOLDEN / "linux-6.1" / "veno_12M_40ms.parquet").slice(1000)
    pq.write_table(table, tmp_path / "tail.parquet")
    outcome = replay(tmp_path / "tail.parquet", "veno-linux")
    assert (outcome["differences"], outcome["loaded"], outcome["state_differences"]) == (0, 1, 0)
    without = table.drop_columns([name for name in table.column_names if name.startswith("priv")])
    pq.write_table(without, tmp_path / "without.parquet")
    outcome = replay(tmp_path / "without.parquet", "veno-linux")
    assert (outcome["loaded"], outcome["state_differences"]) == (0, None) and outcome["differences"] > 0


def test_every_trace_that_is_carried_is_replayed() -> None:
    carried = {str(path.relative_to(GOLDEN)) for path in GOLDEN.rglob("*.parquet")}
    without = {name for name in carried if Path(name).stem in WITHOUT_A_SET}
    assert carried - without == {trace["file"] for trace in TRACES}
    assert len(without) == 3 * len(WITHOUT_A_SET)


@pytest.mark.parametrize(
    "path", sorted(GOLDEN.glob("virtual/*/*.parquet")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_a_trace_of_virtual_time_has_init_and_every_call(path: Path) -> None:
    calls = pq.read_table(path)
    hooks = calls["hook"].to_pylist()
    assert hooks.count("init") == 1 and hooks.index("init") < 5 and hooks[-1] == "release"
    assert hooks.count("ssthresh") >= 2 or path.stem in ("bbr", "dctcp"), "the window was reduced"
    if path.stem == "bbr":
        assert "rs_delivered" in calls.column_names


def test_the_cores_excerpts_are_the_beginnings_of_the_traces() -> None:
    path = GOLDEN / "excerpt.py"
    spec = importlib.util.spec_from_file_location("excerpt", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for trace in TRACES:
        if trace["file"].startswith("linux-6.1/"):
            carried = (module.TARGET / f"{trace['cc']}.txt").read_text().partition("\n")[2]
            assert carried == module.excerpt(GOLDEN / trace["file"]), "run python vectors/golden/excerpt.py"


def test_one_changed_row_is_found_and_named(cwnd: Cli, tmp_path: Path) -> None:
    table = pq.read_table(GOLDEN / "linux-6.1" / "reno_12M_40ms.parquet")
    windows = table["cwnd_after"].to_pylist()
    windows[4711] += 1
    column = table.schema.get_field_index("cwnd_after")
    changed = table.set_column(column, "cwnd_after", pa.array(windows, pa.uint32()))
    pq.write_table(changed, tmp_path / "changed.parquet")
    done = cwnd("replay", tmp_path / "changed.parquet", "--cc", "reno-linux", "--json")
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["differences"]) == (1, 1)
    assert outcome["first"].startswith("row 4711, cong_avoid: cwnd ")


def test_what_is_no_trace_is_refused_in_a_line(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("no Parquet")
    pq.write_table(pa.table({"hook": ["init"]}), tmp_path / "short.parquet")
    table = pq.read_table(GOLDEN / "linux-6.1" / "reno_12M_40ms.parquet").slice(0, 2)
    strange = table.set_column(0, "hook", pa.array(["cong_avoid", "cong_void"]))
    pq.write_table(strange, tmp_path / "strange.parquet")
    for name, word in (("text", "Parquet"), ("short", "now_us"), ("strange", "cong_void"), ("none", "exists")):
        done = cwnd("replay", tmp_path / f"{name}.parquet", "--cc", "reno-linux")
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and word in done.stderr, done.stderr
    done = cwnd("replay", GOLDEN / "linux-6.1" / "reno_12M_40ms.parquet", "--cc", "renoo")
    assert done.returncode == 2 and "reno" in done.stderr
