# SPDX-License-Identifier: MIT OR Apache-2.0
"""The Python objects: listed, printed, compared, pickled; and what is refused, always in the scenario's own words."""

from __future__ import annotations

import copy
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd import Flow, Link, Scenario, ScenarioError, dumbbell, graph, parking_lot, replicate, run
from cwnd.plugin import crate

ROOT = Path(__file__).parents[2]
LINK = {"rate": "10Mbit/s", "rtt": "20ms", "duration": "2s"}


def small(**more: object) -> Scenario:
    return dumbbell({"cubic": 1, "reno": 1}, **{**LINK, **more})  # type: ignore[arg-type]


def test_dir_lists_what_there_is() -> None:
    fresh = "import cwnd; print(set(cwnd.__all__) < set(dir(cwnd)), all(hasattr(cwnd, n) for n in dir(cwnd)))"
    done = subprocess.run([sys.executable, "-c", fresh], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"
    assert {"Flow", "PluginError", "check", "dumbbell", "load", "replicate", "run", "save"} <= set(dir(package))
    # Tab offers the modules that the guide and the reference use as attributes of the package.
    pages = [*(ROOT / "docs" / "guide").glob("*.md"), *(ROOT / "docs" / "reference").glob("*.md")]
    used = {
        name for page in pages for name in re.findall(r"\bcwnd\.(linux|plot|metrics|reproduce)\b", page.read_text())
    }
    assert set(dir(package)) - set(package.__all__) == used == {"linux", "metrics", "plot", "reproduce"}


ERRORS = ("NoResultError", "FolderError", "CrateError", "PluginError", "ScenarioError")


def refusal_of(name: str, folder: Path) -> Exception:
    """An error as the package raises it."""
    (folder / "mine").write_text("mine")
    given: dict[str, Make] = {
        "NoResultError": lambda: package.load(folder),
        "FolderError": lambda: package.save(run(small()), folder, pictures=False),
        "CrateError": lambda: crate.new("Not A Name"),
        "ScenarioError": lambda: small(rate=40),
    }
    with pytest.raises(getattr(package, name)) as caught:
        given[name]()
    return caught.value


def test_every_error_that_is_raised_is_in_the_package_with_its_meaning() -> None:
    assert set(ERRORS) <= set(package.__all__) and set(ERRORS) <= set(dir(package))
    fresh = f"import cwnd, json; print(json.dumps([getattr(cwnd, name).__doc__ for name in {ERRORS}]))"
    done = subprocess.run([sys.executable, "-c", fresh], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(meaning and meaning.endswith(".") for meaning in json.loads(done.stdout)), done.stdout
    assert issubclass(package.CrateError, ScenarioError)
    assert all(issubclass(getattr(package, name), ValueError) for name in ERRORS if name != "PluginError")


# A study over processes gets them through a pickle. (How PluginError travels, test_plugin has.)
@pytest.mark.parametrize("name", [name for name in ERRORS if name != "PluginError"])
def test_an_error_pickles_with_all_that_it_says(name: str, tmp_path: Path) -> None:
    error = refusal_of(name, tmp_path)
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is type(error) and str(twin) == str(error)
        assert twin.args == error.args and vars(twin) == vars(error)


def test_everything_says_what_it_is() -> None:
    result = run(small(seed=7))
    assert repr(Flow("cubic", beta=0.8)) == "Flow(cc='cubic', count=1, beta=0.8)"
    assert repr(Link("a", "b", rate="1Mbit/s")) == "Link(from='a', to='b', rate='1Mbit/s')"
    for word in ("cubic", "reno", "10 Mbit/s", "2 s", "seed 7"):
        assert word in repr(result.scenario) and word in repr(result), word
    assert len(repr(small())) < 200 and "40 in all" in repr(dumbbell({"cubic": 40}, **LINK))  # type: ignore[arg-type]
    study = replicate(small(), 2, jobs=1)
    assert repr(study).startswith("Replicates(2 of 2 runs; cubic ")


def test_scenarios_compare_hash_copy_and_pickle() -> None:
    scenario, other = small(), small(seed=2)
    assert scenario == small() and scenario != other and scenario != "text"
    assert len({scenario, small(), other}) == 2
    for twin in (pickle.loads(pickle.dumps(scenario)), copy.copy(scenario), copy.deepcopy(scenario)):
        assert twin == scenario and twin.to_toml() == scenario.to_toml()
    assert Flow("cubic", beta=0.8) == Flow("cubic", beta=0.8) != Flow("cubic", beta=0.7)


def test_results_compare_and_pickle_with_their_tables(tmp_path: Path) -> None:
    result = run(small(inner=True))
    again = run(small(inner=True))
    assert result == again != run(small(inner=True, seed=2)) and hash(result) == hash(again)
    twin = pickle.loads(pickle.dumps(result))
    assert twin == result and twin.summary == result.summary
    assert {name: table.num_rows for name, table in twin.tables.items()} == {
        name: result.rows(name) for name in result.tables
    }
    package.save(twin, tmp_path / "run", pictures=False)
    assert package.load(tmp_path / "run") == result


def test_files_are_read(tmp_path: Path) -> None:
    scenario = small()
    (tmp_path / "one.toml").write_text(scenario.to_toml())
    (tmp_path / "one.json").write_text(scenario.to_json())
    assert Scenario.from_file(tmp_path / "one.toml") == scenario == Scenario.from_file(str(tmp_path / "one.json"))
    (tmp_path / "latin.toml").write_bytes(b'name = "caf\xe9"')
    for path, words in (("none.toml", "a file that exists"), ("latin.toml", "UTF-8"), ("", "scenario.toml")):
        with pytest.raises(ScenarioError, match=words) as caught:
            Scenario.from_file(tmp_path / path)
        assert caught.value.field == "path" and path in str(caught.value.value)


@pytest.mark.slow
def test_a_picture_leaves_the_callers_matplotlib_alone(tmp_path: Path) -> None:
    code = f"""
import matplotlib, cwnd
matplotlib.use("svg")
import matplotlib.pyplot as plt
import cwnd.plot
mine = plt.figure()
before = dict(matplotlib.rcParams)
cwnd.save(cwnd.run(cwnd.dumbbell("cubic", rate="10Mbit/s", rtt="20ms", duration="1s")), {str(tmp_path / "run")!r})
assert matplotlib.get_backend() == "svg" and plt.get_fignums() == [mine.number], matplotlib.get_backend()
assert dict(matplotlib.rcParams) == before
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "overview.png").stat().st_size > 5000


def test_a_computed_number_is_as_good_as_a_written_one() -> None:
    for beta in (0.1 * 7, 0.1 + 0.2, 1 / 3, np.float32(0.8), *np.arange(0.5, 0.95, 0.1)):
        flow = package.dumbbell([package.Flow("cubic", beta=beta)], rate="1Mbit/s", rtt="20ms").to_json()
        used = float(json.loads(flow)["flow"][0]["beta"])
        assert abs(used - float(beta)) <= 1.5e-5, (beta, used)  # 1/65536, and the five digits that are printed


def test_texts_are_flows_as_on_the_command_line() -> None:
    assert dumbbell("cubic:2@beta=0.8", **LINK).flow_names == ["cubic 1", "cubic 2"]  # type: ignore[arg-type]
    mixed = dumbbell(["cubic", Flow("reno"), "sack:2"], **LINK)  # type: ignore[arg-type]
    assert mixed.flow_names == ["cubic", "reno", "sack 1", "sack 2"]
    assert dumbbell("cubic", **LINK) == dumbbell({"cubic": 1}, **LINK)  # type: ignore[arg-type]
    assert dumbbell("cubic", **LINK, traffic="ha2008") == dumbbell("cubic", **LINK, traffic=["ha2008"])  # type: ignore[arg-type]


Make = Callable[[], object]
NAN, INF = float("nan"), float("inf")

# What is no path, wherever one is asked for.
NO_PATHS = (3, None, b"folder", ["folder"], "a\0b")
TAKES_A_PATH: dict[str, tuple[Callable[[Any], object], str]] = {
    "load": (lambda path: package.load(path), "folder"),
    "save": (lambda path: package.save(result_of_small(), path, pictures=False), "folder"),
    "run": (lambda path: run(small(), folder=path if path is not None else 3), "folder"),
    "replicate": (lambda path: replicate(small(), 2, folder=path if path is not None else 3), "folder"),
    "check": (lambda path: package.check(path, seconds=0), "crate"),
    "load_plugin": (lambda path: package.load_plugin(path), "plugin"),
    "from_file": (lambda path: Scenario.from_file(path), "path"),
}


@cache
def result_of_small() -> package.Result:
    return run(small())


@pytest.mark.parametrize("value", NO_PATHS, ids=repr)
@pytest.mark.parametrize("name", TAKES_A_PATH)
def test_what_is_no_path_is_refused_in_one_line(
    name: str, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    take, field = TAKES_A_PATH[name]
    with pytest.raises(ScenarioError) as caught:
        take(value)
    error = caught.value
    assert error.field == field and "path" in error.expected, str(error)
    assert str(error).startswith(f"{field}: ") and "\n" not in str(error)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_and_what_is_not_there_are_no_scenario_files(tmp_path: Path) -> None:
    for path, word in ((tmp_path, "a file"), (str(tmp_path), "a file"), (tmp_path / "none.toml", "exists")):
        with pytest.raises(ScenarioError, match=word) as caught:
            Scenario.from_file(path)
        assert caught.value.field == "path" and str(path) in str(caught.value)


def looped() -> dict[str, Any]:
    """A table that holds itself."""
    table: dict[str, Any] = {}
    table["inner"] = [table]
    return table


# What is given, the field that is named, and a word of what is expected.
REFUSED: list[tuple[Make, str, str]] = [
    (lambda: small(seed=NAN), "seed", "whole number"),
    (lambda: dumbbell([Flow("cubic", beta=NAN)], **LINK), "flow[0].beta", "0.1"),
    (lambda: dumbbell([Flow("cubic", beta=INF)], **LINK), "flow[0].beta", "0.1"),
    (lambda: dumbbell([Flow("cubic", count=-1)], **LINK), "flow[0].count", "whole number"),
    (lambda: dumbbell([Flow("cubic", count=1.5)], **LINK), "flow[0].count", "whole number"),
    (lambda: dumbbell([Flow(7)], **LINK), "flow[0].cc", "algorithm"),
    (lambda: dumbbell([Flow("cubicc")], **LINK), "flow[0].cc", "did you mean cubic?"),
    (lambda: dumbbell([Flow("CUBIC")], **LINK), "flow[0].cc", "did you mean cubic?"),
    (lambda: dumbbell("cubicc", **LINK), "flow[0].cc", "did you mean cubic?"),
    (lambda: dumbbell({"cubicc": 2}, **LINK), "flow[0].cc", "did you mean cubic?"),
    (lambda: dumbbell({"cubic": "two"}, **LINK), "flow[0].count", "whole number"),
    (lambda: dumbbell({2: "cubic"}, **LINK), "flow[0].cc", "algorithm"),
    (lambda: dumbbell([7], **LINK), "flows[0]", "cwnd.Flow"),
    (lambda: dumbbell([["cubic"]], **LINK), "flows[0]", "cwnd.Flow"),
    (lambda: dumbbell(7, **LINK), "flows", "cwnd.Flow"),
    (lambda: dumbbell(None, **LINK), "flows", "cwnd.Flow"),
    (lambda: dumbbell([], **LINK), "flow", "flow"),
    (lambda: dumbbell([Flow("cubic", bata=0.7)], **LINK), "flow[0].bata", "did you mean beta?"),
    (lambda: dumbbell([Flow("cubic", rtt=40)], **LINK), "flow[0].rtt", "did you mean 40ms or 40s?"),
    (lambda: dumbbell([Flow("cubic", start=object())], **LINK), "flow[0].start", "text, a number"),
    (lambda: dumbbell([Flow("cub\udcff")], **LINK), "flow[0].cc", "UTF-8"),
    (lambda: small(rate="100Mbps"), "link.rate", "did you mean 100Mbit/s?"),
    (lambda: small(rate="100Mb/s"), "link.rate", "did you mean 100Mbit/s?"),
    (lambda: small(rate="40"), "link.rate", "did you mean 40Mbit/s?"),
    (lambda: small(rate=40), "link.rate", "did you mean 40Mbit/s?"),
    (lambda: small(rate=NAN), "link.rate", "unit"),
    (lambda: small(rate=None), "flow[0].rwnd", "no link on its path limits its window"),
    (lambda: small(rtt="10msec"), "link.rtt", "did you mean 10ms?"),
    (lambda: small(duration="2m"), "duration", "did you mean 2min?"),
    (lambda: small(duration=5), "duration", "did you mean 5ms or 5s?"),
    (lambda: small(duration="-5s"), "duration", "above 0"),
    (lambda: small(packet_size="1500"), "packet_size", "did you mean 1500B?"),
    (lambda: small(buffer="100pkts"), "link.queue.limit", "did you mean 100packets?"),
    (lambda: small(buffer=100), "link.queue.limit", "did you mean 100packets"),
    (lambda: small(red="20..60"), "red", "thresholds"),
    (lambda: small(codel="5ms..100ms"), "codel", "settings"),
    (lambda: small(codel={"target": "0s"}), "link.queue.target", "above 0"),
    (lambda: small(codel={"intervall": "1s"}), "link.queue.intervall", "did you mean interval?"),
    (lambda: small(codel={}, red={"min": "2packets", "max": "9packets"}), "codel", "one queue discipline"),
    (lambda: small(seed=-1), "seed", "whole number"),
    (lambda: small(seed=2**70), "seed", "whole number"),
    (lambda: small(traffic="ha2080"), "traffic[0].preset", "did you mean ha2008?"),
    (lambda: small(traffic=7), "traffic", "preset"),
    (lambda: small(traffic=[7]), "traffic[0]", "table"),
    (lambda: small(actions="switch"), "actions", "table"),
    (lambda: small(durration="5s"), "durration", "a keyword of dumbbell (did you mean duration?)"),
    (lambda: small(bufer="1bdp"), "bufer", "a keyword of dumbbell (did you mean buffer?)"),
    (lambda: small(record_inner=True), "record_inner", "a keyword of dumbbell (did you mean inner?)"),
    (lambda: small(record={"inner": True}), "record", "a keyword of dumbbell: flows, rtt, duration, measure"),
    (lambda: small(live={"sak": False}), "live.sak", "did you mean sack?"),
    (lambda: graph([Link("a", "b", rate="1Mbit/s")], "cubic", durration="1s"), "durration", "a keyword of graph (did you mean duration?)"),
    (lambda: parking_lot("cubic", hops=2, rate="1Mbit/s", dely="1ms", delay="1ms"), "dely", "a keyword of parking_lot (did you mean delay?)"),
    (lambda: small(rtt="0ms"), "link.rtt", "more than 0, because the queue's limit is a multiple of the BDP"),
    (lambda: run(small(), lane="liv"), "lane", "a lane (did you mean live?)"),
    (lambda: small(name="\udcff"), "name", "UTF-8"),
    (lambda: small(interval=[1]), "record.interval", "time"),
    (lambda: graph(["ab"], [Flow("cubic")]), "links[0]", "cwnd.Link"),
    (lambda: graph(Link("a", "b"), Flow("cubic", from_="a", to="b")), "flow[0].rwnd", "no link on its path limits its window"),
    (lambda: run("x.toml"), "path", "exists"),
    (lambda: run("name = 'x'"), "scenario", "cwnd.Scenario.from_toml(text) takes a text"),
    (lambda: run(None), "scenario", "cwnd.dumbbell"),
    (lambda: replicate(small(), 0), "seeds", "from 1"),
    (lambda: replicate(small(), []), "seeds", "from 1"),
    (lambda: replicate(small(), 2, jobs=0), "jobs", "from 1"),
    (lambda: replicate("x.toml", 2), "path", "exists"),
    (lambda: package.compare("cubic", sedes=3), "sedes", "a keyword of compare (did you mean seeds?)"),
    (lambda: package.compare("cubic", rtt="40msec", duration="1s"), "link.rtt", "did you mean 40ms?"),
    (lambda: package.compare("cubic", jobs=2, duration="1s"), "jobs", "seeds="),
    (lambda: package.compare("cubic", seeds=2, pictures=False, duration="1s"), "pictures", "no seeds="),
    (lambda: package.compare("cubic", ecn=True, duration="1s"), "ecn", "red or codel"),
    (lambda: package.compare("cubicc", duration="1s"), "flow[0].cc", "did you mean cubic?"),
    (lambda: package.sweep("cubic", rate="1Mbit/s", rtt="9ms", untill="2%"), "untill", "a keyword of sweep (did you mean until?)"),
    (lambda: Scenario.from_file("/nonexistent.toml"), "path", "exists"),
    (lambda: Scenario.from_toml(7), "text", "TOML"),
    (lambda: Scenario.from_toml(b"name = 'x'"), "text", "TOML"),
    (lambda: Scenario.from_json(None), "text", "JSON"),
    (lambda: dumbbell("cubic@", **LINK), "flow[0]", "NAME[:COUNT]"),
    (lambda: dumbbell("", **LINK), "flow[0]", "NAME[:COUNT]"),
    (lambda: dumbbell(["sack", "cubic:two"], **LINK), "flow[1]", "NAME[:COUNT]"),
    (lambda: dumbbell("cubic@beta=0.7,beta=0.8", **LINK), "flow[0]", "once"),
    (lambda: small(name=NAN), "name", "a string"),
    (lambda: small(name=-INF), "name", "a string"),
    (lambda: dumbbell([Flow("cubic", label=NAN)], **LINK), "flow[0].label", "printable"),
    (lambda: dumbbell([Flow(NAN)], **LINK), "flow[0].cc", "algorithm"),
    (lambda: small(traffic=[{"preset": "ha2008", "name": NAN}]), "traffic[0].name", "a string"),
    (lambda: dumbbell([Flow("cubic", beta=10**400)], **LINK), "flow[0].beta", "0.1"),
    (lambda: dumbbell([Flow("cubic", beta=10**5000)], **LINK), "flow[0].beta", "0.1"),
    (lambda: small(seed=-(10**400)), "seed", "whole number"),
    (lambda: dumbbell([Flow("cubic", start=looped())], **LINK), "flow[0].start.inner[0]", "not contain itself"),
    (lambda: small(actions=[looped()]), "action[0].inner[0]", "not contain itself"),
    (lambda: run(small(), 7), "progress", "function"),
    (lambda: run(small(), 7, folder="out"), "progress", "function"),
    (lambda: package.save(result_of_small(), "out", pictures="no"), "pictures", "True or False"),
    (lambda: package.save(result_of_small(), "out", force="no"), "force", "True or False"),
    (lambda: run(small(), folder="out", pictures="no"), "pictures", "True or False"),
    (lambda: Scenario.from_json("[]"), "scenario", "table"),
    (lambda: package.save(3, "out"), "result", "cwnd.Result"),
    (lambda: package.save(small(), "out"), "result", "cwnd.Result"),
    (lambda: package.check(".", simulations=-1), "simulations", "whole number"),
    (lambda: package.check(".", simulations=2.5), "simulations", "whole number"),
    (lambda: package.check(".", simulations=3, seconds=3), "simulations", "seconds"),
    (lambda: package.check("/nonexistent"), "crate", "cwnd new"),
    (lambda: package.check(".", seconds=NAN), "seconds", "86400"),
    (lambda: package.check(".", seed=-1), "seed", "2^63"),
    (lambda: package.check(".", excepted="NeverShrinks"), "excepted", "promise"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "field", "word"), REFUSED)
def test_what_python_gives_is_refused_in_one_line_with_its_field(make: Make, field: str, word: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        make()
    error = caught.value
    assert error.field == field and word in error.expected, str(error)
    assert str(error).startswith(f"{field}: ") and "\n" not in str(error) and error.expected in str(error)


def test_a_name_is_no_quantity_that_lacks_its_unit() -> None:
    for make in (lambda: small(name=7), lambda: dumbbell([Flow("cubic", label=7)], **LINK)):  # type: ignore[arg-type]
        with pytest.raises(ScenarioError) as caught:
            make()
        assert "did you mean" not in str(caught.value)


def test_a_flow_that_is_no_flow_is_a_scenario_error_that_pickles() -> None:
    with pytest.raises(ScenarioError) as caught:
        dumbbell("cubic:two", rate="10Mbit/s", rtt="20ms")
    error = caught.value
    assert (error.field, error.value) == ("flow[0]", '"cubic:two"') and "NAME[:COUNT]" in error.expected
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is type(error) and str(twin) == str(error) and vars(twin) == vars(error)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("compare", "cubicc"), ("flow[0].cc", '"cubicc"', "did you mean cubic?")),
        (("compare", "cubic", "--rate", "100Mbps"), ("link.rate", "did you mean 100Mbit/s?")),
        (("compare", "cubic", "--rate", "100"), ("link.rate", "did you mean 100Mbit/s?")),
        (("compare", "cubic", "--rtt", "40"), ("link.rtt", "did you mean 40ms or 40s?")),
        (("compare", "cubic", "--duration", "10sec"), ("duration", "did you mean 10s?")),
        (("compare", "cubic@rtt=10msec"), ("flow[0].rtt", "did you mean 10ms?")),
        (("compare", "cubic", "--buffer", "64KB"), ("link.queue.limit", "did you mean 64kB?")),
        (("compare", "cubic", "--traffic", "ha208"), ("traffic[0].preset", "did you mean ha2008?")),
        (("compare", b"cubic\xff"), ("UTF-8",)),
        (("compare", "htpc"), ("flow[0].cc", "did you mean htcp")),
        (("compare", "cubic", "--duration", "1h"), ("duration", "did you mean 60min?")),
        (("compare", "cubic", "--rate", "1e8"), ("link.rate", "did you mean 100Mbit/s?")),
        (("compare", "cubic", "--buffer", "64KiB"), ("link.queue.limit", "did you mean 65536B?")),
        (("reproduce", "ha2080"), ("DOCUMENT[/FIGURE]", "did you mean ha2008?")),
        (("reproduce", "ha2008", "--cubic", "cubci"), ("--cubic", "did you mean cubic?")),
        (("show", "cubicc"), ("NAME", "did you mean cubic?")),
        (("show", b"cub\xff"), ("NAME",)),
        (("run", "."), ("a file, such as the scenario.toml",)),
        (("run", "none.toml"), ("a file that exists",)),
        (("check",), ("CRATE",)),
        (("check", "none"), ("crate", "none", "cwnd new")),
        (("check", "none", "--seconds", "soon"), ("--seconds", "soon")),
        (("check", "none", "--seconds", "nan"), ("--seconds", "nan")),
        (("check", "none", "--simulations", "2.5"), ("--simulations", "2.5")),
        (("check", "none", "--simulations", "2", "--seconds", "2"), ("--simulations", "--seconds")),
        (("check", "none", "--seed", "-1"), ("--seed", "-1")),
        (("check", "none", "--except", "NeverShrinksOnAck"), ("--except", "did you mean NeverShrinksOnAnAck?")),
    ],
)
def test_the_command_line_refuses_in_one_line(
    cwnd: Cli, tmp_path: Path, arguments: tuple[str | bytes, ...], words: tuple[str, ...]
) -> None:
    given = [each.decode(errors="surrogateescape") if isinstance(each, bytes) else each for each in arguments]
    done = cwnd(*given, cwd=tmp_path)
    refused(done, *words)


def test_not_a_number_in_a_file_is_named(cwnd: Cli, tmp_path: Path) -> None:
    text = small().to_toml().replace('rate = "10Mbit/s"', "rate = nan")
    assert "rate = nan" in text
    (tmp_path / "nan.toml").write_text(text)
    done = cwnd("run", tmp_path / "nan.toml")
    assert done.returncode == 2 and 'link.rate: "nan" is not accepted' in done.stderr, done.stderr
