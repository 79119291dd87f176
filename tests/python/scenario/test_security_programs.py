# SPDX-License-Identifier: MIT OR Apache-2.0
"""A file of a scenario that names a program (`exec`): nothing starts it but a run that its user has allowed."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
import sys
import warnings
from functools import partial
from pathlib import Path

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd import Scenario, ScenarioError


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with scenarios and a study, of which a run starts a program that leaves a file."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    program.chmod(0o755)
    flow = {"cc": "stock-x", "stack": "exec", "exec": str(program)}
    document = {"duration": "1s", "link": {"rate": "5Mbit/s", "rtt": "20ms"}, "flow": [{"cc": "cubic"}, flow]}
    # A letter of the key by its number: a file does not have to say "exec" to mean it.
    (tmp_path / "x.json").write_text(json.dumps(document).replace('"exec":', r'"\u0065xec":'))
    (tmp_path / "x.toml").write_text(Scenario.from_json(json.dumps(document)).to_toml())
    harmless = {**document, "flow": [{"cc": "cubic"}]}
    axes = {f"flow[0].{key}": [value] for key, value in flow.items()}
    (tmp_path / "study.json").write_text(json.dumps({"scenario": harmless, "axes": axes}))
    return tmp_path


COMMANDS = [
    ("run", "x.toml"),
    ("run", "x.json"),
    ("run", "x.toml", "--seeds", "2"),
    ("run", "x.toml", "--lane", "live"),
    ("sweep", "x.toml", "--axis", "rtt=10ms,20ms"),
    ("sweep", "x.json", "--dry-run"),
    ("sweep", "study.json"),
    ("step", "x.toml"),
    ("lab", "x.toml", "-o", "lab.html"),
    ("fidelity", "x.toml"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_program_of_a_file_is_not_started_without_consent(command: tuple[str, ...], files: Path, cwnd: Cli) -> None:
    has_option = command[0] in ("run", "sweep")
    expected = (
        "--allow-exec with a file that names a program" if has_option else "a file that names no program; cwnd run"
    )
    refused(cwnd(*command, cwd=files), "flow.exec: ", f"expected {expected}")
    assert not (files / "started").exists()


@pytest.mark.parametrize("name", ["x.toml", "x.json", "study.json"])
def test_nor_is_it_from_python(name: str, files: Path) -> None:
    path = files / name
    ways = [lambda: package.sweep(path), lambda: package.sweep(str(path))]
    if name != "study.json":
        ways += [lambda: package.run(path), lambda: Scenario.from_file(path), lambda: package.replicate(path, 2)]
    for way in ways:
        with pytest.raises(ScenarioError, match=r"^flow.exec: .*expected allow_exec=True with a file that names a pro"):
            way()
    with pytest.raises(ScenarioError, match=r"^allow_exec: 1 is not accepted; expected True or False"):
        package.sweep(path, allow_exec=1)  # type: ignore[arg-type]
    assert not (files / "started").exists()


# The program ends at once, which is refused, and in a study a failed run.
def test_it_is_started_with_consent(files: Path, cwnd: Cli) -> None:
    started = files / "started"
    for command, code in (("run", "x.toml"), 2), (("sweep", "study.json"), 1):
        done = cwnd(*command, "--allow-exec", cwd=files)
        assert done.returncode == code and started.exists(), (command, done.stdout, done.stderr)
        started.unlink()
    scenario = Scenario.from_file(files / "x.toml", allow_exec=True)
    assert scenario.programs == [str(files / "program")] and not started.exists()
    with pytest.raises(ScenarioError, match="a command that starts and speaks the protocol"):
        package.run(scenario)
    assert started.exists()


def test_a_file_of_defaults_gives_no_consent(files: Path, cwnd: Cli) -> None:
    (files / "defaults.toml").write_text("[run]\nallow-exec = true\n")
    done = cwnd("run", "x.toml", cwd=files, env={"CWND_DEFAULTS": str(files / "defaults.toml")})
    refused(done, "run.allow-exec", "expected it on the command line only")
    assert not (files / "started").exists()


# What Python or the command line names itself is its caller's word; of a result everything is read, and nothing started.
def test_a_result_starts_nothing(tmp_path: Path, cwnd: Cli) -> None:
    started = tmp_path / "started"
    child = tmp_path / "child.py"
    child.write_text(
        f"import sys\nfrom pathlib import Path\nfrom cwnd.stacks.exec_child import Aimd, serve\n"
        f"Path({str(started)!r}).touch()\nserve(Aimd, sys.stdin.buffer, sys.stdout.buffer)\n"
    )
    flow = f"stock-aimd@stack=exec,exec={sys.executable} {child}"
    compare = ("compare", flow, "cubic", "--rate", "5Mbit/s", "--rtt", "20ms", "--duration", "200ms")
    done = cwnd(*compare, "-o", "one", "--no-plots", cwd=tmp_path)
    assert done.returncode == 0 and started.exists(), done.stderr
    started.unlink()
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = package.load(tmp_path / "one")
    assert isinstance(result, package.Result) and result.scenario.programs == [f"{sys.executable} {child}"]
    assert result.measures.link.utilization.value
    # Nor does a run of its scenario, however it is changed, until the user takes the folder's scenario as his own.
    scenario = result.scenario
    copies = (scenario, scenario.with_seed(2), copy.deepcopy(scenario), pickle.loads(pickle.dumps(scenario)))
    ways = [partial(package.run, each) for each in copies]
    ways += [partial(package.replicate, scenario, 2), partial(package.run, scenario, lane="live")]
    ways += [partial(package.sweep, scenario, {"link.rtt": ["10ms", "20ms"]})]
    for way in ways:
        with pytest.raises(ScenarioError, match=r"^flow(\[0\])?\.(exec|stack): "):
            way()
    assert not started.exists()
    package.run(Scenario.from_file(tmp_path / "one" / "scenario.toml", allow_exec=True))
    assert started.exists()
    started.unlink()
    for command in (("plot", "one", "--kind", "windows"), ("diff", "one", "two"), ("qlog", "one")):
        done = cwnd(*command, cwd=tmp_path)
        assert done.returncode == 0, (command, done.stderr)
    assert not started.exists()
