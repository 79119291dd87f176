# SPDX-License-Identifier: MIT OR Apache-2.0
"""Plugins in lane linux: the kernel's TCP calls an algorithm of one's own, which does there what it does on the host."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Cli, cargo, refused
from needs import needs

import cwnd as package
from cwnd.plugin.crate import LIBRARIES

pytestmark = [pytest.mark.slow, needs("linux"), cargo, pytest.mark.usefixtures("virtual_kernel")]

PATH = {"rate": "20Mbit/s", "rtt": "40ms", "buffer": "1bdp", "duration": "5s", "seed": 1}


def scenario(*flows: package.Flow, **settings: object) -> package.Scenario:
    return package.dumbbell(list(flows), **{**PATH, **settings})


def test_a_plugin_in_the_kernel_does_what_it_does_here_to_the_byte(ease: Path, tmp_path: Path) -> None:
    package.load_plugin(ease)
    given = scenario(package.Flow("ease", rest_us=20000), loss="random:0.001")
    one, other = (package.linux.trace(given, tmp_path / name) for name in ("one", "other"))
    about = one.summary
    assert (about["algorithm"], about["set"], about["params"]) == ("ease", "ease", {"rest_us": "20000"})
    assert (about["differences"], about["first"]) == (0, None)
    assert about["states_compared"] == about["calls"] > 5000
    assert all(one.table(name).equals(other.table(name)) for name in ("hooks", "packets", "cwnd", "flows"))


# A window that a loss has halved grows until the queue takes `rest_us`: on average the queue takes less, and with twice of it more than before.
def test_runs_and_studies_take_plugins_with_parameters(cwnd: Cli, ease: Path, tmp_path: Path) -> None:
    package.load_plugin(ease)
    delays = []
    for rest in (5000, 10000):
        flow = package.Flow("ease", rest_us=rest)
        result = package.run(scenario(flow, loss="random:0.001", duration="20s", measure=["5s", "20s"]), lane="linux")
        delays.append(result.summary["links"][0]["queue_mean_ms"])
    assert delays[0] < 5 and delays[0] < delays[1] < 10
    given = scenario(package.Flow("ease", beta=0.5), package.Flow("cubic-linux"), duration="2s")
    (tmp_path / "x.toml").write_text(given.to_toml())
    lane = ("--lane", "linux", "--plugin", ease)
    for arguments, words in (
        (("run", "x.toml", "-o", "out", "--no-plots"), "in virtual time"),
        (("compare", "ease:2@rest_us=2000", "cubic", "--duration", "1s", "--seeds", "2"), "2 of 2 seeds"),
        (("sweep", "x.toml", "--axis", "link.rtt=20ms,40ms", "--seeds", "1", "-o", "study"), "study"),
    ):
        done = cwnd(*arguments, *lane, cwd=tmp_path)
        assert done.returncode == 0 and words in done.stdout + done.stderr, done.stderr
    assert package.load(tmp_path / "out").summary["linux"]["algorithms"] == ["r_ease", "cubic"]


# The window of a flow alone passes 60 segments in slow start: 10, 20, 40, 80 after three round trips of 40 ms, and a little for the handshake.
def test_a_panic_is_the_error_that_the_simulator_raises(cwnd: Cli, ease: Path, rule: Path, tmp_path: Path) -> None:
    lines = rule.read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if "fn cong_avoid(" in line) + 1
    lines.insert(at, "        let _ = 1 / u32::from(conn.cwnd < 60);")
    rule.write_text("\n".join(lines) + "\n")
    package.load_plugin(ease)
    errors = []
    for lane in ("sim", "linux"):
        with pytest.raises(package.PluginError) as caught:
            package.run(scenario(package.Flow("ease"), duration="1000s"), lane=lane)
        errors.append(caught.value)
    sim, linux = ({name: value for name, value in vars(each).items() if name != "time_s"} for each in errors)
    assert sim == linux and linux["flow"] == "ease" and linux["line"] == at + 1
    assert 0.16 < errors[1].time_s < 0.21
    done = cwnd("compare", "ease:2", "--duration", "5s", "--lane", "linux", "--plugin", ease)
    refused(done, "ease: panicked in cong_avoid", f"ease.rs:{at + 1}", "divide by zero", code=1)


def test_a_library_that_has_changed_since_it_was_loaded_is_refused(ease: Path, tmp_path: Path) -> None:
    name = package.load_plugin(ease)
    copy = tmp_path / "copy.so"
    copy.write_bytes(LIBRARIES[name].read_bytes())
    assert package.load_plugin(copy) == name
    # By a file that takes its place: this process has mapped it.
    (tmp_path / "empty.so").touch()
    for change in (lambda: (tmp_path / "empty.so").replace(copy), copy.unlink):
        change()
        with pytest.raises(package.ScenarioError, match="expected a library that is unchanged since it was loaded"):
            package.run(scenario(package.Flow("ease"), duration="1s"), lane="linux")
    package.load_plugin(ease)
