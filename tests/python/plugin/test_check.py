# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd check`: what `cwnd new` makes keeps the contract; faults are found, named, and shown again by the command that is printed."""

from __future__ import annotations

import dataclasses
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, New
from needs import needs
from watched import Watched

from cwnd.cli.entry import run_guarded
from cwnd.plugin import crate as plugin
from cwnd.plugin.check import Failure, promises

cargo = needs("rust")

SAFE = """        let window = conn.cwnd;
        additive_increase(conn, window, acked);
"""
# As `cwnd new` once made it: credit of a large window is spent at a small one.
BURST = """        let credit = conn.cwnd_cnt.saturating_add(acked);
        let window = conn.cwnd.max(1);
        conn.grow(credit / window);
        conn.cwnd_cnt = credit % window;
"""


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    """A crate as `cwnd new` makes it."""
    return new_crate("pace", tmp_path_factory.mktemp("check") / "pace")


@pytest.fixture
def rule(crate: Path) -> Iterator[Path]:
    """The crate's rule, to be changed: afterwards it is as it was."""
    file = crate / "src" / "pace.rs"
    text = file.read_text()
    yield file
    file.write_text(text)


def python(code: str, *arguments: object) -> str:
    """What this prints in an interpreter of its own: what it loads stays out of this one's registry."""
    command = [
        sys.executable,
        "-c",
        f"import dataclasses, json, sys, cwnd, cwnd.plugin.crate\n{code}",
        *map(str, arguments),
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def checked(crate: Path, seed: int) -> dict[str, Any]:
    """What `cwnd.check` finds, without simulations; the interpreter lives on to print it."""
    code = "print(json.dumps(dataclasses.asdict(cwnd.check(sys.argv[1], seconds=0, seed=int(sys.argv[2])))))"
    check: dict[str, Any] = json.loads(python(code, crate, seed))
    return check


def change(rule: Path, old: str, new: str) -> None:
    text = rule.read_text()
    assert text.count(old) == 1
    rule.write_text(text.replace(old, new))


@cargo
def test_what_new_makes_keeps_the_contract_and_stands_the_fuzzing(cwnd: Cli, crate: Path) -> None:
    done = cwnd("check", crate, "--simulations", "40", "--seed", "5")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    first, second = done.stdout.splitlines()
    assert first == "pace: keeps the contract"
    words = second.split()
    assert words[:4] == ["3,000", "histories,", "40", "simulations"] and second.endswith("(seed 5)")


@cargo
def test_the_burst_after_idle_is_found_said_in_a_line_and_shown_again(cwnd: Cli, crate: Path, rule: Path) -> None:
    change(rule, SAFE, BURST)
    done = cwnd("check", crate, "--json", "--seconds", "0", "--seed", "1")
    # Histories and a fixed one show it: each promise that it breaks has a line.
    failures = json.loads(done.stdout)["failures"]
    assert done.returncode == 1 and done.stderr.count("\n") == len(failures), done.stderr
    assert [each["promise"] for each in failures] == ["GrowthIsBackedByAcknowledgements"], failures
    [failure] = failures
    assert failure["promise"] == "GrowthIsBackedByAcknowledgements" and failure["event"].startswith("Ack {")
    assert failure["history"][0].startswith("connection: cwnd ") and failure["history"][-1] == failure["event"]
    assert len(failure["history"]) < 40, "made small, of some hundred steps"
    for words in ("error: pace: ", failure["promise"], failure["event"], failure["seen"], f"seed {failure['seed']}"):
        assert words in done.stderr, done.stderr
    program, *arguments = shlex.split(failure["again"])
    assert program == "cwnd"
    again = cwnd(*arguments)
    assert again.returncode == 1 and again.stderr == done.stderr
    assert f"again: {failure['again']}" in again.stdout and "pace: breaks a promise" in again.stdout


@cargo
def test_a_promise_that_is_broken_on_purpose_can_be_excepted(cwnd: Cli, crate: Path, rule: Path) -> None:
    change(
        rule,
        "        if self.queueing_us() > params.rest_us {\n",
        "        if self.queueing_us() > params.rest_us {\n            conn.cwnd = (conn.cwnd - 1).max(2);\n",
    )
    done = cwnd("check", crate, "--seconds", "0", "--seed", "1")
    assert done.returncode == 1 and "NeverShrinksOnAnAck" in done.stderr, done.stderr
    excepted = cwnd("check", crate, "--seconds", "0", "--seed", "1", "--except", "NeverShrinksOnAnAck")
    assert "NeverShrinksOnAnAck:" not in excepted.stderr, excepted.stderr


# 2³² is one too many; in the simulator's own build it would wrap.
@cargo
def test_an_overflow_is_a_panic_with_its_place_and_python_lives(crate: Path, rule: Path) -> None:
    change(
        rule, "self.last_rtt_us.saturating_sub(self.base_rtt_us)", "self.last_rtt_us + 4_000_000_000 - self.base_rtt_us"
    )
    line = next(n for n, text in enumerate(rule.read_text().splitlines(), 1) if "4_000_000_000" in text)
    check = checked(crate, seed=3)
    # What follows a panic is listed behind it: nothing is called any more.
    failure = check["failures"][0]
    assert failure["promise"] == "NoHookPanics"
    assert f"pace.rs:{line}: attempt to add with overflow" in failure["seen"]
    assert failure["history"] and f"{failure['seed']}" in failure["again"]


# Contract kept, but not in company: nothing but a simulation grows a window beyond 3000 segments on a path of more than 300 ms.
@cargo
def test_a_fault_that_only_a_simulation_meets_comes_with_its_scenario(cwnd: Cli, crate: Path, rule: Path) -> None:
    change(
        rule,
        "        if !conn.cwnd_limited() {",
        '        assert!(conn.lsndtime_ticks == conn.ticks || conn.now_us % 7 != 3, "sent {}", 1);\n        if !conn.cwnd_limited() {',
    )
    done = cwnd("check", crate, "--seed", "1", "--simulations", "1000", "--json")
    assert done.returncode == 1, done.stdout + done.stderr
    [failure] = json.loads(done.stdout)["failures"]
    assert failure["promise"] == "NoHookPanics" and "pace.rs" in failure["seen"] and "sent 1" in failure["seen"]
    scenario = "\n".join(failure["history"])
    names = "print(cwnd.Scenario.from_toml(sys.argv[2]).flow_names)"
    assert "pace" in scenario and "pace" in python(
        f"cwnd.load_plugin(cwnd.plugin.crate.build(sys.argv[1])); {names}", crate, scenario
    )


# Each of these breaks another promise; the constructor is called once for each controller.
SINNER = """
use core::sync::atomic::{AtomicU32, Ordering};

static CALLS: AtomicU32 = AtomicU32::new(0);
"""
SINS = """        let calls = CALLS.fetch_add(1, Ordering::Relaxed);
        assert!(conn.cwnd % 89 != 88, "a window of {}", conn.cwnd);
        self.last_rtt_us ^= calls;
        conn.packets_out += 1;
        conn.cwnd = (conn.cwnd - 1) & calls;
"""


@cargo
def test_every_promise_that_is_printed_can_be_excepted(crate: Path, rule: Path) -> None:
    change(
        rule,
        "        if self.queueing_us() > params.rest_us {\n",
        f"{SINS}        if self.queueing_us() > params.rest_us {{\n",
    )
    change(rule, "cwnd::state! {\n", f"{SINNER}\ncwnd::state! {{\n")
    code = (
        "from cwnd.plugin import check as check_command\n"
        "broken = []\n"
        "while True:\n"
        "    found = check_command.check(sys.argv[1], simulations=150, seed=1, excepted=broken)\n"
        "    new = [each.promise for each in found.failures if each.promise not in broken]\n"
        "    if not new: break\n"
        "    broken += new\n"
        "    first = len(broken) if len(broken) == len(new) else first\n"
        "print(json.dumps([broken, str(found), list(check_command.promises()), first]))"
    )
    broken, last, promises, first = json.loads(python(code, crate))
    assert "kept" in last, last
    # The first run lists all that a history shows at once; after a panic nothing is called, so what comes behind it waits for its exception.
    assert first >= 3, broken
    assert {"NeverShrinksOnAnAck", "NeverBelowItsFloor", "NoHookPanics", "HooksKeepToTheirFields"} <= set(broken)
    assert {"SameHistorySameState", "SimulationRepeats"} & set(broken), broken
    assert set(broken) <= set(promises)
    for name in ("NoHookPanics", "InitForgets", "SameHistorySameState", "SoundSimulation", "TenYears"):
        assert name in promises


def test_a_fault_of_cwnd_is_said_to_be_one() -> None:
    scenario = ("duration = '1s'",)
    words = ("SoundSimulation", "a simulation conserves packets", "", "packets are not conserved", scenario)
    theirs = Failure("pace", *words, seed=7, again="cwnd check pace --seed 7 --simulations 1")
    ours = dataclasses.replace(theirs, of_cwnd=True)
    assert str(theirs).startswith("pace: SoundSimulation: packets are not conserved (")
    assert str(ours).startswith("a bug in cwnd, not in pace; ") and "report it with the scenario" in str(ours)


# What pyo3 makes of a panic in the engine is no Exception.
def test_a_panic_of_the_engine_is_a_line_on_the_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class PanicException(BaseException):
        pass

    def app(*_: object, **__: object) -> None:
        raise PanicException("panicked at crates/cwnd-sim/src/link.rs:7:3:\nno such link")

    monkeypatch.setattr("sys.argv", ["cwnd", "compare", "cubic"])
    assert run_guarded(app) == 1  # type: ignore[arg-type]
    said = capsys.readouterr().err
    assert said == "error: a bug in cwnd, please report it: panicked at crates/cwnd-sim/src/link.rs:7:3: no such link\n"


@cargo
def test_an_algorithm_with_cong_control_is_checked_too(new_crate: New, tmp_path: Path) -> None:
    steer = new_crate("steer", tmp_path / "steer")
    shutil.copy(Path(__file__).parent / "steer.rs", steer / "src" / "steer.rs")
    assert checked(steer, seed=1)["algorithm"] == "steer"


@cargo
def test_ctrl_c_ends_a_check_in_a_line(crate: Path) -> None:
    plugin.build(crate, "crate", profile="checked")
    run = Watched(["check", crate, "--seconds", "600"])
    run.until_said(r"\d[\d,]* simulations|left")
    code, _, said, _ = run.interrupt()
    assert (code, said[-1]) == (130, "stopped")


def test_except_takes_every_promise_that_there_is(cwnd: Cli) -> None:
    named = [word for name in promises() for word in ("--except", name)]
    done = cwnd("check", "none", *named)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith("error: crate: "), done.stderr
