# SPDX-License-Identifier: MIT OR Apache-2.0
"""The simulator in WebAssembly gives the same bits as the native one, and the same numbers as the command line."""

from __future__ import annotations

import itertools
import json
import math
import random
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli
from needs import CI, needs

from cwnd import Scenario, _native
from cwnd import run as run_scenario
from cwnd.fidelity.scenarios import own_scenarios
from cwnd.metrics.confidence_intervals import mean_interval
from tools import ROOT
from tools.bench.page import native_digest
from tools.web.build import MODULE
from tools.web.node import Module, module

PAGE = ROOT / "python/cwnd/page/lab.html"
#: What the module is built of, beside what the package is built of.
READS = ("crates/cwnd-wasm/**/*", "web/src/presets.json", "web/src/keywords.json")

pytestmark = [
    needs("page", "node"),
    pytest.mark.skipif(
        not MODULE.exists() and not CI, reason="needs the page's module, which `make page` leaves in target"
    ),
]

SEED = 20_261_125
#: A scenario that names a file is none of a page's.
SCENARIOS = sorted(path for path in (ROOT / "scenarios").rglob("*.toml") if "trace = " not in path.read_text())


@pytest.fixture(scope="module")
def wasm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Module]:
    with module(tmp_path_factory.mktemp("module")) as running:
        yield running


@pytest.mark.parametrize(
    "text",
    [path.read_text() for path in SCENARIOS] + [scenario.to_toml() for scenario in own_scenarios().values()],
    ids=[*(path.stem for path in SCENARIOS), *own_scenarios()],
)
def test_named_scenarios_have_the_native_digest(text: str, wasm: Module) -> None:
    assert wasm.ask(digest=text) == {"digest": native_digest(text)}


def compared(draw: random.Random) -> dict[str, Any]:
    """Random settings of a comparison."""
    flows = []
    for _ in range(draw.randint(1, 3)):
        cc = draw.choice(["cubic", "reno", "cubic-linux", "bic", "htcp", "vegas", "westwood", "illinois", "sack"])
        keys = [f"rtt={draw.choice([5, 20, 80])}ms"] if draw.random() < 0.3 else []
        if cc == "cubic" and draw.random() < 0.6:
            keys += [f"beta={draw.randint(30, 95) / 100}", f"c={draw.randint(1, 30) / 10}"]
        count = f":{draw.randint(1, 4)}" if draw.random() < 0.5 else ""
        flows.append(f"{cc}{count}{'@' if keys else ''}{','.join(keys)}")
    settings: dict[str, Any] = {
        "flows": flows,
        "rate": f"{draw.choice([1, 3, 10, 30, 100])}Mbit/s",
        "rtt": f"{draw.choice([2, 10, 40, 150])}ms",
        "buffer": draw.choice(["0.3bdp, at least 2packets", "1bdp, at least 2packets", "4bdp", "25packets", "60ms"]),
        "duration": f"{draw.randint(2, 9)}s",
        "seed": draw.randint(1, 1000),
    }
    if draw.random() < 0.3:
        settings["loss"] = draw.choice(["random:0.001", "every:500", "gilbert:0.001,0.2,0,0.5"])
    if draw.random() < 0.2:
        settings["jitter"] = "3ms"
    if draw.random() < 0.2:
        settings["reverse"] = True
    if draw.random() < 0.2:
        settings["codel"] = {"target": "5ms", "interval": "100ms"}
    return settings


# The command is the module's own; it is run as a user would run it.
def test_fifty_random_comparisons_have_the_numbers_of_their_commands(wasm: Module, cwnd: Cli) -> None:
    print(f"seed {SEED}")
    draw = random.Random(SEED)
    fields = 0
    for number in range(50):
        settings = compared(draw)
        answer = wasm.ask(run=settings, columns=draw.randint(50, 1000))
        assert "refused" not in answer, (number, settings, answer)
        command = answer["description"]["command"]
        assert command is not None, settings
        program, *words = shlex.split(command)
        assert program == "cwnd"
        done = cwnd(*words, "--json")
        assert done.returncode == 0, (command, done.stderr)
        theirs, ours = json.loads(done.stdout), answer["summary"]
        for key in ("jain", "measured_s", "traffic"):
            assert ours[key] == theirs[key], (command, key)
        for kind in ("flows", "links"):
            assert len(ours[kind]) == len(theirs[kind])
            for mine, other in zip(ours[kind], theirs[kind]):
                # Bit by bit: JSON writes and reads doubles exactly.
                assert mine == {key: other[key] for key in mine}, command
                assert mine.keys() == other.keys(), command
                fields += len(mine)
    assert fields > 2000


# One group with an end that is not reached, one of a flow that ended before the interval, and traffic of many sizes in both directions.
TRANSFERS = """duration = "20s"
measure = ["5s", "20s"]
[link]
rate = "20Mbit/s"
rtt = "40ms"
[[flow]]
cc = "cubic"
size = "100MB"
[[flow]]
cc = "reno"
size = "50kB"
count = 3
[[traffic]]
model = "request-response"
sessions = 20
request = "400B"
response = { kind = "lognormal", median = "20kB", sigma = 2 }
think = { kind = "exponential", mean = "1s" }
[[traffic]]
model = "list"
direction = "reverse"
list = [["1s", "10kB"], ["2s", "1MB"], ["19.9s", "10MB"]]
"""


def test_completion_times_are_those_of_the_command_line(wasm: Module, cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(TRANSFERS)
    done = cwnd("run", tmp_path / "x.toml", "--json")
    theirs = json.loads(done.stdout)["transfers"]
    ours = wasm.ask(run=TRANSFERS, columns=100)["summary"]["transfers"]
    assert [group["name"] for group in ours] == [group["name"] for group in theirs] and len(ours) >= 4
    assert {len(group["by_size"]) for group in ours} >= {1, 3} and any(group["ended_before"] for group in ours)
    for mine, other in zip(ours, theirs, strict=True):
        for key in ("of", "direction", "started", "finished", "ended_before"):
            assert mine[key] == other[key], (mine["name"], key)
        pairs = [(mine, other), *zip(mine["by_size"], other["by_size"], strict=True)]
        for one, same in pairs:
            assert [one.get("size"), one["started"], one["finished"]] == [
                same.get("size"),
                same["started"],
                same["finished"],
            ]
            for part in ("p50", "p95", "p99"):
                assert one["completion_s"][part] == same["completion_s"][part], (one, same)
            # The two sum in another order.
            means = [each["completion_s"]["mean"] for each in (one, same)]
            assert means[0] == means[1] is None or means[0] == pytest.approx(means[1], rel=1e-12)
    assert ours[0]["completion_s"]["mean"] is None


def test_what_is_refused_is_refused_as_everywhere(wasm: Module) -> None:
    refused = wasm.ask(run={"flows": ["cubik"], "rate": "10Mbit/s"})["refused"]
    assert refused["field"] == "flow[0].cc" and "did you mean cubic?" in refused["expected"]
    assert wasm.ask(run="duration = 5")["refused"]["field"] == "duration"
    assert wasm.ask(run="{")["refused"]["expected"]
    # The one before goes on.
    assert "summary" in wasm.ask(run={"flows": ["cubic"], "duration": "2s"})


# The curves of a page are what the tables of the same run show.
def test_curves_are_the_tables_of_the_run(wasm: Module) -> None:
    text = 'duration = "20s"\n[link]\nrate = "20Mbit/s"\nrtt = "40ms"\n[[flow]]\ncc = "cubic"\n[[flow]]\ncc = "reno"\n'
    columns = 100
    curves = wasm.ask(run=text, columns=columns, mean=1.0)["curves"]
    # 200 ms a column, four samples in each.
    result = run_scenario(Scenario.from_toml(text + '[record]\ninterval = "50ms"\n'))
    table = result.cwnd.to_pandas()
    for flow, drawn in enumerate(curves["flows"]):
        rows = table[table["flow"] == flow]
        column = np.minimum(np.floor(rows["time_s"] / 0.2 + 1e-9).astype(int), columns - 1)
        by_column = rows.groupby(column)["cwnd"]
        for name, values in (
            ("first", by_column.first()),
            ("min", by_column.min()),
            ("max", by_column.max()),
            ("last", by_column.last()),
        ):
            assert np.array_equal(np.array(drawn[f"cwnd.{name}"]), values.to_numpy()), (flow, name)
        forwarded = rows.groupby(column)["forwarded"].last().to_numpy()
        # A mean over the five columns up to each.
        mbps = (forwarded[5:] - forwarded[:-5]) * 1500 * 8 / 1e6
        assert np.allclose(np.array(drawn["rate_mbps"], dtype=float)[5:], mbps, rtol=1e-6)
        drops = result.events.to_pandas()
        lost = drops[(drops["flow"] == flow) & (drops["kind"] == "drop_queue")]
        assert sum(drawn["drops"]) == len(lost)
        # What the page draws of CUBIC: W_max, the curve over an epoch, W_est.
        needed = {f"inner.{name}" for name in ("w_max", "origin", "k_s_x1024", "in_epoch", "w_est")}
        assert flow == 1 or needed <= drawn.keys()


def test_calls_of_hooks_follow_from_each_other(wasm: Module) -> None:
    scenario = {"flows": ["cubic", "reno"], "rate": "20Mbit/s", "duration": "20s"}
    calls = wasm.ask(hooks=scenario, time=10.0, flow=0, count=400)
    assert len(calls) == 400 and all(call["t_s"] >= 10.0 for call in calls)
    assert {"pkts_acked", "cong_avoid"} <= {call["hook"] for call in calls}
    for earlier, later in itertools.pairwise(calls):
        state = {field["name"]: field["after"] for field in earlier["fields"]}
        inner = [field for field in later["fields"] if field["name"] in ("w_max", "k_s_x1024", "origin", "w_est")]
        # Nobody but its hooks writes an algorithm's state.
        assert all(field["before"] == state[field["name"]] for field in inner), (earlier, later)
    assert wasm.ask(hooks=scenario, time=10.0, flow=7, count=3) == []


@pytest.mark.parametrize("count", [2, 3, 10, 40])
def test_intervals_are_those_of_scipy(count: int, wasm: Module) -> None:
    draw = random.Random(SEED + count)
    values = [draw.gauss(60, 5) for _ in range(count)]
    ours, theirs = wasm.ask(interval=values), mean_interval(values)
    assert theirs.low is not None and theirs.high is not None
    assert math.isclose(ours["low"], theirs.low, rel_tol=1e-9) and math.isclose(ours["high"], theirs.high, rel_tol=1e-9)


def test_memory_stays_over_five_hundred_runs(wasm: Module) -> None:
    runs = wasm.ask(bench={"flows": ["cubic", "reno"], "rate": "10Mbit/s", "duration": "5s"}, times=500)
    assert len(runs) == 500 and runs[-1]["memory"] == runs[20]["memory"]


def test_the_catalog_is_the_registry(wasm: Module) -> None:
    # Other tests of this process may have loaded plugins.
    built_in = [algorithm for algorithm in _native.algorithms() if algorithm["built_in"]]
    assert wasm.ask(catalog=True)["algorithms"] == json.loads(json.dumps(built_in))


# A scenario under another seed, as the page asks for ten of them.
def test_a_scenario_runs_under_another_seed(wasm: Module) -> None:
    text = (ROOT / "scenarios/request-response.toml").read_text()
    assert "seed" not in text
    other = wasm.ask(digest={"scenario": text, "seed": 7})
    assert other == {"digest": native_digest(f"seed = 7\n{text}")} != wasm.ask(digest=text)


def test_more_flows_than_a_page_simulates_are_refused(wasm: Module) -> None:
    refused = wasm.ask(digest={"flows": ["cubic:4000", "reno:1001"], "rate": "10Mbit/s", "duration": "1s"})["refused"]
    assert (
        refused["field"] == "flow"
        and refused["value"] == "5001"
        and refused["expected"].startswith("at most 5000 flows")
    )
    assert "digest" in wasm.ask(digest={"flows": ["cubic:400"], "rate": "10Mbit/s", "duration": "1s"})


def test_what_the_page_offers_to_begin_with_is_up_to_date() -> None:
    from tools.docs.web_presets import TARGET, document

    assert TARGET.read_text(encoding="utf-8") == document(), "run make docs"


def test_links_of_the_page_have_the_keywords_and_disciplines_of_their_tables() -> None:
    from tools.docs.web_keywords import TARGET, text

    assert TARGET.read_text(encoding="utf-8") == text(), "run make docs"
