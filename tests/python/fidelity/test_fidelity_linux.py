# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd fidelity` with lane linux: a deterministic path packet by packet, a random one in pairs, a folder that is resumed, Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest
from conftest import Cli, refused
from in_kernel import PROGRAM, started, until
from needs import needs

import cwnd as package
from cwnd.linux import Kernel

pytestmark = [needs("linux"), pytest.mark.usefixtures("virtual_kernel")]

#: The window of ten segments is what the flow may have: nothing is lost, and nothing grows.
WINDOW_LIMITED = """
duration = '2s'
[link]
rate = '10Mbit/s'
rtt = '50ms'
queue = { kind = 'droptail', limit = '50packets' }
[[flow]]
cc = 'reno-linux'
recovery = 'linux'
size = '14480B'
gso = false
"""
LOSS = WINDOW_LIMITED.replace("queue", "loss = 'random:0.02'\nqueue").replace("size = '14480B'\n", "")


# Ten segments of 1448 bytes leave at once, after a handshake of one round trip: 50 ms, and what the guest reads of its clock.
def test_a_transfer_of_the_initial_window_is_the_same_packets(virtual_kernel: Kernel) -> None:
    found = package.fidelity(package.Scenario.from_toml(WINDOW_LIMITED), lane=f"linux:{virtual_kernel.name}")
    assert found.packets is not None and found.packets.first is None, found.packets
    assert (found.packets.agree, found.packets.simulated, found.packets.measured) == (10, 10, 10)
    assert 0 < found.packets.largest_time_us < 10
    assert found.packets.window_largest == 0
    assert found.runs == 1 and found.numbers == [] and found.hz == virtual_kernel.hz
    assert "all 10 packets are the same" in repr(found)


# Both lanes draw the same losses: 2 % of the packets of a window of ten.
def test_a_random_scenario_is_compared_packet_by_packet_too() -> None:
    found = package.fidelity(package.Scenario.from_toml(LOSS), packets=True)
    assert found.packets is not None and found.numbers == [] and found.runs == 1
    assert found.packets.agree > 100, found.packets
    assert found.simulated.summary["flows"][0]["retransmits"] > 0
    with pytest.raises(package.ScenarioError, match="jobs: 0 is not accepted; expected a whole number from 1"):
        package.fidelity(package.Scenario.from_toml(LOSS), packets=True, jobs=0)


# The kernel's flow is limited to a window of ten, the simulator's to eleven: the eleventh packet is sent by one of them only.
def test_another_window_is_found_at_its_packet(monkeypatch: pytest.MonkeyPatch) -> None:
    text = WINDOW_LIMITED.replace("14480B", "20MB")
    real = package.fidelity.__globals__["run"]

    def with_eleven(scenario: package.Scenario, *others: object) -> package.Result:
        text = scenario.to_toml()
        assert "initial_cwnd = 10" in text
        return real(package.Scenario.from_toml(text.replace("initial_cwnd = 10", "initial_cwnd = 11")), *others)

    monkeypatch.setitem(package.fidelity.__globals__, "run", with_eleven)
    found = package.fidelity(package.Scenario.from_toml(text))
    assert found.packets is not None and found.packets.first is not None
    assert (found.packets.agree, found.packets.first["what"], found.packets.first["packet"]) == (10, "time", 10)
    assert "10 of" in repr(found) and "before the first difference" in repr(found)
    assert found.packets.window_largest >= 1


def test_a_comparison_is_printed_written_and_gone_on_from(cwnd: Cli, tmp_path: Path) -> None:
    file, folder = tmp_path / "brief.toml", tmp_path / "out"
    file.write_text(LOSS)
    done = cwnd("fidelity", file, "--runs", "3", "-o", folder)
    assert done.returncode in (0, 1) and "goodput, reno-linux" in done.stdout, done.stderr
    assert "hosts with a clock of" in done.stdout and "pairs of runs: 3" in done.stdout
    assert {path.name for path in folder.iterdir()} == {"manifest.json", "brief.json", "brief.png", "brief.svg", "runs"}
    kept = folder / "runs" / "brief"
    assert sorted(path.name for path in kept.iterdir()) == ["seed-1", "seed-2", "seed-3"]
    result = package.load(kept / "seed-2")
    assert isinstance(result, package.Result) and result.lane == "linux"
    before = (kept / "seed-2" / "manifest.json").stat().st_mtime_ns
    again = cwnd("fidelity", file, "--runs", "3", "-o", folder, "--json")
    (document,) = json.loads(again.stdout)
    # The kernel's runs were not made again, and the numbers are those of the first time.
    assert (kept / "seed-2" / "manifest.json").stat().st_mtime_ns == before
    assert document == json.loads((folder / "brief.json").read_text())[1]
    # A comparison of another kind is not replaced.
    refused(cwnd("fidelity", file, "--packets", "-o", folder), "-o", 'without a comparison of "brief" by its numbers')
    # The first packets of each run are the same in both lanes: a number of a pair is near its partner's, or the same.
    (goodput,) = [each for each in document["numbers"] if each["name"] == "goodput, reno-linux"]
    assert 0.7 < goodput["ratio"] < 1.4 and goodput["low"] <= goodput["ratio"] <= goodput["high"]


# Each damage is as a full disk or another program leaves it; the run is made again, and is the same bytes.
@pytest.mark.parametrize(
    ("file", "length"), [("cwnd.parquet", 300), ("senders.pcapng", 250), ("summary.json", 40), ("manifest.json", 0)]
)
def test_a_damaged_run_is_made_again(cwnd: Cli, tmp_path: Path, file: str, length: int) -> None:
    scenario, folder = tmp_path / "brief.toml", tmp_path / "out"
    scenario.write_text(WINDOW_LIMITED)
    first = cwnd("fidelity", scenario, "-o", folder, "--json")
    assert first.returncode == 0, first.stderr
    damaged = folder / "runs" / "brief" / "seed-1" / file
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:length])
    again = cwnd("fidelity", scenario, "-o", folder, "--json")
    assert (again.returncode, again.stdout) == (0, first.stdout), again.stderr
    assert len(damaged.read_bytes()) > length


# Without a handshake the simulated flow begins at time 0, Linux's a round trip later.
def test_a_recovery_that_linux_does_not_have_is_named(cwnd: Cli, tmp_path: Path) -> None:
    file = tmp_path / "brief.toml"
    file.write_text(WINDOW_LIMITED.replace("recovery = 'linux'\n", "").replace("reno-linux", "cubic-2.6.18"))
    done = cwnd("fidelity", file)
    said = " ".join(done.stdout.split())
    assert done.returncode == 1
    assert 'brief: cubic-2.6.18 recovers as "sack", which Linux does not have' in said
    assert "no cause is recorded" not in said


def test_another_scenario_of_the_same_name_is_not_replaced(cwnd: Cli, tmp_path: Path) -> None:
    scenario, folder = tmp_path / "brief.toml", tmp_path / "out"
    scenario.write_text(WINDOW_LIMITED)
    assert cwnd("fidelity", scenario, "-o", folder).returncode == 0
    before = (folder / "brief.json").read_bytes()
    scenario.write_text(WINDOW_LIMITED.replace("50ms", "60ms"))
    done = cwnd("fidelity", scenario, "-o", folder)
    refused(done, f'-o: "{folder}" is not accepted; expected one without another scenario called "brief"')
    assert (folder / "brief.json").read_bytes() == before


def children(pid: int) -> list[str]:
    """Numbers of the processes that it started."""
    try:
        return [
            number for task in Path(f"/proc/{pid}/task").iterdir() for number in (task / "children").read_text().split()
        ]
    except FileNotFoundError:
        return []


@pytest.mark.parametrize("keeps", [True, False])
def test_ctrl_c_says_what_is_kept(tmp_path: Path, keeps: bool) -> None:
    out = tmp_path / "out"
    command = [str(PROGRAM), "fidelity", "loss-30-percent", *(["-o", str(out)] if keeps else [])]
    with started(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
        until(lambda: children(child.pid) != [])
        child.send_signal(signal.SIGINT)
        _, said = child.communicate()
    assert child.returncode == 130
    expected = f"kept in {out}; the same command resumes the work" if keeps else "nothing is kept without -o DIR"
    assert expected in said and "stopped" in said and "Traceback" not in said, said
