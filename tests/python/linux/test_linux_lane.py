# SPDX-License-Identifier: MIT OR Apache-2.0
"""Lane linux: real Linux TCP in virtual time gives the same bytes each time, and what the simulator gives where a run is deterministic."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import Cli
from in_kernel import PROGRAM, until
from needs import needs

import cwnd as package
from cwnd.linux import Kernel
from cwnd.linux.engine import VirtualRun

pytestmark = [pytest.mark.slow, needs("linux"), pytest.mark.usefixtures("virtual_kernel")]

PATH = {
    "rate": "20Mbit/s",
    "rtt": "40ms",
    "buffer": "1bdp",
    "duration": "10s",
    "measure": ["2s", "10s"],
}
TABLES = ("flows", "links", "rates", "cwnd", "queue", "events", "transfers", "waits")


def run(*flows: str | package.Flow, lane: str = "linux", **settings: object) -> package.Result:
    return package.run(package.dumbbell(list(flows), **{**PATH, "seed": 1, **settings}), lane=lane)


def bytes_of(result: package.Result) -> dict[str, object]:
    """All that a run has measured."""
    return {"summary": {k: v for k, v in result.summary.items() if k != "perf"}} | {
        name: result.table(name).to_pydict() for name in TABLES
    }


# BBR draws the phase of its cycle from the kernel's generator: it is the seed's.
def test_a_run_is_the_same_bytes_each_time() -> None:
    flows = {"loss": "random:0.002", "rate": "50Mbit/s"}
    with ThreadPoolExecutor(10) as threads:
        runs = [
            threads.submit(run, "kernel/bbr:2", "kernel/cubic:2", "cubic", "reno-linux", **flows) for _ in range(10)
        ]
    first, *others = [bytes_of(each.result()) for each in runs]
    assert all(other == first for other in others)
    assert bytes_of(run("kernel/bbr:2", "kernel/cubic:2", "cubic", "reno-linux", seed=2, **flows)) != first


# Both have a clock of 250 Hz. What is not the same packet for packet (where slow start ends, to a segment) is within these borders.
@pytest.mark.parametrize("cc", ["cubic-linux", "reno-linux"])
@pytest.mark.parametrize(
    "path", [{}, {"rate": "100Mbit/s"}, {"rtt": "80ms", "rate": "10Mbit/s"}, {"loss": "every:1000"}]
)
def test_a_single_flow_has_the_simulators_goodput_and_window(cc: str, path: dict[str, object]) -> None:
    linux = run(cc, **path)
    sim = run(package.Flow(cc, recovery="linux", host_clock="250Hz"), lane="sim", **path)
    of_linux, of_sim = linux.summary["flows"][0], sim.summary["flows"][0]
    assert of_linux["goodput_mbps"] == pytest.approx(of_sim["goodput_mbps"], rel=0.01)
    assert of_linux["cwnd_mean"] == pytest.approx(of_sim["cwnd_mean"], rel=0.01)
    assert of_linux["retransmits_run"] == pytest.approx(of_sim["retransmits_run"], rel=0.03, abs=1)
    assert of_linux["timeouts_run"] == of_sim["timeouts_run"]
    # A process that reads the clock moves it by 256 ns.
    assert linux.summary["linux"]["late_worst_ms"] < 0.001


# The sets are called as the kernel's own: what a set does not have of its module would show in the first loss.
@pytest.mark.parametrize("name", ["reno", "bic", "htcp", "vegas", "westwood", "illinois"])
def test_our_algorithm_in_the_kernel_does_what_the_kernels_own_does(name: str) -> None:
    settings = {"loss": "every:3000"}
    theirs, ours = run(f"kernel/{name}", **settings), run("reno" if name == "reno" else f"{name}-linux", **settings)
    assert ours.summary["linux"]["algorithms"] != theirs.summary["linux"]["algorithms"]
    for table in ("cwnd", "queue"):
        assert ours.table(table) == theirs.table(table), table


def test_a_set_with_parameters_runs_in_the_kernel() -> None:
    gentle, usual = run(package.Flow("cubic", beta=0.9)), run("cubic")
    assert gentle.summary["flows"][0]["cwnd_mean"] > usual.summary["flows"][0]["cwnd_mean"]
    assert gentle.summary["linux"]["algorithms"] == ["r_cubic"]


def test_a_diff_of_hosts_with_other_clocks_says_so() -> None:
    linux = run("cubic-linux")
    for clock, says in (("1000Hz", 1), ("250Hz", 0)):
        sim = run(package.Flow("cubic-linux", host_clock=clock), lane="sim")
        notes = package.diff(sim, linux).notes
        assert len(notes) == says and all("1000 Hz, B's of 250 Hz" in note for note in notes)


# Ten sets of one name, and two more.
def test_many_sets_of_one_algorithm_run_and_results_keep_no_descriptors() -> None:
    flows = [package.Flow("cubic-linux", beta=0.5 + number / 100) for number in range(12)]
    open_before = len(list(Path("/proc/self/fd").iterdir()))
    kept = [run(*flows, duration="1s", measure=["0s", "1s"]) for _ in range(3)]
    assert len(set(kept[0].summary["linux"]["algorithms"])) == 12
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before


def test_a_kernel_that_is_killed_says_so() -> None:
    scenario = package.dumbbell(["cubic-linux:8"], **{**PATH, "rate": "1Gbit/s", "duration": "100s"})
    engine = VirtualRun(scenario, package.linux.find())
    assert not engine.step(200)
    engine.process.send_signal(signal.SIGKILL)
    with pytest.raises(OSError, match="ended without a result: SIGKILL ended it"):
        while not engine.step(50):
            pass


def test_traffic_captures_and_tables_are_those_of_lane_live(cwnd: Cli, tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        "duration = '5s'\n[link]\nrate = '10Mbit/s'\nrtt = '30ms'\nqueue = { kind = 'droptail', limit = '1bdp' }\n"
        "[record]\npackets = 'both'\n[[flow]]\ncc = 'cubic-linux'\nsize = '2MB'\n[[traffic]]\npreset = 'ha2008'\ncc = 'reno-linux'\n"
    )
    done = cwnd("run", scenario, "--lane", "linux", "-o", tmp_path / "out", "--force")
    assert done.returncode == 0, done.stderr
    result = package.load(tmp_path / "out")
    assert result.lane == "linux"
    # 2 MB at 9.65 Mbit/s of payload take 1.66 s, and some more to begin with.
    (end,) = [row["end_s"] for row in result.table("transfers").to_pylist() if row["group"] is None]
    assert 1.66 < end < 2.5
    assert len(result.table("transfers")) > 1
    assert sorted(result.packets) == ["receivers", "senders"]
    assert "Linux " in done.stdout and "in virtual time" in done.stdout


def test_what_the_lane_does_not_do_is_refused_in_a_line(cwnd: Cli, virtual_kernel: Kernel) -> None:
    for arguments, says in [
        (["kernel/cubik"], "expected an algorithm that this kernel has, behind `kernel/` (did you mean cubic?)"),
        (["cubic", "--lane", "linux:9.9"], '--lane: "9.9" is not accepted; expected one that is built'),
        (["cubic", "--lane", "linux:6.12:7"], '--lane: "6.12:7" is not accepted'),
        (["cubic", "--lane", "linux:"], '--lane: "linux:" is not accepted; expected a lane'),
        (["cubic", "--threads", "2"], "--threads"),
        (["cubic@stack=quinn"], "there are no stacks in lane linux"),
        (
            ["cubic@host_clock=2000Hz"],
            f'flow[0].host_clock: "2000Hz" is not accepted; expected "{virtual_kernel.hz}Hz", the clock of',
        ),
    ]:
        done = cwnd(
            "compare",
            *arguments,
            *([] if "--lane" in arguments else ["--lane", "linux"]),
            "--rate",
            "10Mbit/s",
            "--rtt",
            "40ms",
            "--duration",
            "1s",
        )
        assert done.returncode == 2, done
        assert says in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    with pytest.raises(package.ScenarioError) as caught:
        run("kernel/cubik")
    assert (caught.value.field, caught.value.value) == ("flow.cc", '"kernel/cubik"')
    assert caught.value.expected.startswith("an algorithm that this kernel has")
    done = cwnd("compare", "kernel/htcp", "--rate", "10Mbit/s", "--rtt", "40ms", "--duration", "1s")
    assert done.returncode == 2
    assert "expected an algorithm of cwnd in lane sim (did you mean htcp-linux?)" in done.stderr


def kernels_of(mark: str) -> list[int]:
    """Processes with this mark in their environment, without those that have ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


# The kernel's processes end with the command: their memory has no name, and no folder is made.
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_a_signal_ends_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    mark = f"CWND_TEST_MARK={random.random()}"
    name, _, value = mark.partition("=")
    environment = {**os.environ, name: value, "TMPDIR": str(tmp_path), "HOME": str(tmp_path)}
    environment["CWND_LINUX"] = str(package.linux.find().path.parents[1])
    command = [
        str(PROGRAM),
        "compare",
        "cubic:8",
        "--rate",
        "100Mbit/s",
        "--rtt",
        "40ms",
        "--duration",
        "1000s",
        "--lane",
        "linux",
    ]
    before = set(Path("/dev/shm").iterdir())
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until(lambda: len(kernels_of(f"CWND_LINUX_PARENT={process.pid}")) > 0)
        time.sleep(0.5)
        process.send_signal(number)
        process.wait(30)
        until(lambda: kernels_of(f"CWND_LINUX_PARENT={process.pid}") == [])
    assert set(Path("/dev/shm").iterdir()) == before
    assert list(tmp_path.iterdir()) == []


def test_a_run_needs_no_rights() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root, to become somebody else")
    # What is imported may lie in somebody's home: the first run reads it.
    code = (
        "import os, cwnd\n"
        "def goodput():\n"
        "    scenario = cwnd.dumbbell(['cubic-linux'], rate='10Mbit/s', rtt='20ms', duration='2s')\n"
        "    return cwnd.run(scenario, lane='linux').summary['flows'][0]['goodput_mbps']\n"
        "before = goodput(); os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "assert goodput() == before > 8\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        shutil.copytree(package.linux.find().path.parent, Path(folder) / "kernel")
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "CWND_LINUX": folder, "HOME": "/nonexistent"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr


def test_points_of_a_paper_run_beside_their_simulations(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd("reproduce", "shanker/alone", "--lane", "linux", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0 and "lane linux:" in done.stdout, done.stderr
    (entry,) = [each for each in json.loads((tmp_path / "out" / "verdicts.json").read_text()) if "live" in each]
    points = {point["point"]: point for point in entry["live"]}
    assert entry["lane"].startswith("linux:") and points.keys() == {"cubic", "tahoe"}
    # The point with CUBIC records inner variables.
    for (number,) in (point["numbers"] for point in points.values()):
        assert number["live"] == pytest.approx(number["sim"], rel=0.1)
    again = cwnd("reproduce", "shanker/alone", "--lane", "linux", "-o", "out", cwd=tmp_path)
    assert "12 of them reused" in again.stderr
    refused = cwnd("reproduce", "shanker/alone", "--lane", "linux:9.9", cwd=tmp_path)
    assert refused.returncode == 2 and '--lane: "9.9" is not accepted' in refused.stderr


def test_the_windows_of_a_run_become_a_qlog(cwnd: Cli, tmp_path: Path) -> None:
    package.save(run("cubic-linux", duration="2s", measure=["0s", "2s"]), tmp_path / "run", pictures=False)
    done = cwnd("qlog", tmp_path / "run")
    assert done.returncode == 0 and "cubic-linux" in done.stdout, done.stderr
