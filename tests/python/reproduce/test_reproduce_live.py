# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd reproduce --lane live`: the kernel's column, labs beside each other, and what Ctrl-C keeps. Labs need root, TUN and namespaces."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import PROGRAM
from in_kernel import until
from in_lab import NEEDS_LAB, outside, run, threads
from needs import needs

from cwnd import Flow, dumbbell
from cwnd._internal.json_types import JsonObject
from cwnd.papers.freebsd.setups import Iperf
from cwnd.replicates.executor import ThreadContext
from cwnd.replicates.number_cache import Cache
from cwnd.reproduce import Answer, Experiment, Point, Setup, live, runner
from cwnd.reproduce.discover import experiments
from cwnd.reproduce.experiment import AnyExperiment
from cwnd.reproduce.live import TOGETHER_MBPS, Together
from cwnd.result.result import Result
from cwnd.result.result import run as run_once
from cwnd.scenario.builders import from_document
from cwnd.scenario.snapshot import scenario_document


def needs_lab(test: object) -> object:
    """Skips a test where labs cannot run."""
    for mark in NEEDS_LAB:
        test = mark(test)
    return test


@dataclass(frozen=True, slots=True)
class Shown:
    """What a run comes to."""

    utilisation: float
    #: Lists have no place beside each other.
    windows: list[float]


class Points(Experiment[Shown]):
    """A flow on some links; a key says which: its rate, and `window` for an initial window that the kernel does not have."""

    title = "Some points that go through lane live"
    cubic = "cubic-linux"
    live = True
    keys: tuple[str, ...] = ()
    duration = "3s"

    def grid(self, setup: Setup) -> list[Point]:
        return [
            Point(
                key,
                dumbbell(
                    [Flow(setup.cubic, initial_cwnd=4 if "window" in key else 10)],
                    rate=key.split()[0],
                    rtt="80ms",
                    duration=self.duration,
                ),
                seeds=2,
            )
            for key in self.keys
        ]

    def reduce(self, run: Result, point: Point) -> Shown:
        return Shown(run.summary["link"]["utilization"], run.cwnd["cwnd"].to_pylist()[:3])

    def claims(self, results: object) -> dict[str, Answer]:
        return {}


class Three(Points):
    keys = ("10Mbit/s", "500Mbit/s", "10Mbit/s window")


class Beside(Points):
    """The last one is the first one again: another point with the same scenario."""

    keys = ("9Mbit/s", "8Mbit/s", "7Mbit/s", "9Mbit/s again")
    duration = "4s"


class Long(Points):
    """Each longer than any test waits."""

    keys = ("5Mbit/s", "6Mbit/s")
    duration = "600s"


def column_of(experiment: AnyExperiment) -> tuple[runner.Column, list[runner.Task]]:
    tasks: dict[str, runner.Task] = {}
    column = runner.column(experiment, Setup(experiment.cubic or "cubic-linux"), tasks)
    return column, list(tasks.values())


# Of 3 s of 10 Mbit/s the handshake takes one round trip of 80 ms in lane live.
@needs_lab
def test_points_in_lane_live_stand_beside_the_simulators_or_have_their_reason(tmp_path: Path) -> None:
    column, tasks = column_of(Three())
    cache = Cache(tmp_path / "points")
    runner.run_tasks(tasks, cache, 2)
    wants = live.wanted(column, 1)
    runs, why = live.missing(wants, cache)
    assert (len(wants), len(runs), len(why)) == (3, 1, 2)
    assert live.measure(runs, cache) == (False, 1, {})
    slow, fast, window = live.points(column, wants, cache, why)
    assert (slow["seeds"], [number["name"] for number in slow["numbers"]]) == (1, ["utilisation"])
    assert abs(slow["numbers"][0]["sim"] - slow["numbers"][0]["live"]) < 0.06
    assert "500 Mbit/s" in fast["not_run"] and "expected 10, the kernel's, in lane live" in window["not_run"]
    assert fast["numbers"] == window["numbers"] == []
    # What is done is not done again.
    assert live.missing(wants, cache) == ([], why)


# 9, 8 and 7 Mbit/s are 24 of the 40 that may run at once. On a machine that does not keep up runs have their reason.
@needs_lab
def test_labs_run_beside_each_other_and_a_scenario_once(tmp_path: Path) -> None:
    column, _ = column_of(Beside())
    cache = Cache(tmp_path / "points")
    wants = live.wanted(column, 1)
    runs, why = live.missing(wants, cache)
    assert (len(wants), [each.scenario.rate_mbps for each in runs], why) == (4, [7, 8, 9], {})
    parts: dict[int, float] = {}
    most = 0

    def watch(number: int, packets: int, part: float) -> None:
        nonlocal most
        parts[number] = part
        most = max(most, sum(0 < part < 0.9 for part in dict(parts).values()))

    before = outside()
    stopped, done, failed = live.measure(runs, cache, watch=watch)
    assert (stopped, done) == (False, 3)
    # Every run ends at 1, whatever it came to: the bar counts it.
    assert (most, parts) == (3, {0: 1.0, 1: 1.0, 2: 1.0})
    until(lambda: outside() <= before)
    if not failed:
        names = [want.numbers.name for want in wants]
        numbers = [cache.get(name) for name in names]
        assert numbers[0] == numbers[3] is not None and names[0] != names[3]
    assert all("did not keep up" in reason for reason in failed.values())


@needs_lab
def test_one_job_is_one_lab_at_a_time(tmp_path: Path) -> None:
    column, _ = column_of(Beside())
    cache = Cache(tmp_path / "points")
    runs, _ = live.missing(live.wanted(column, 1), cache)
    begun = time.monotonic()
    assert live.measure(runs[:2], cache, labs=1)[:2] == (False, 2)
    assert time.monotonic() - begun > 8


# Three of 15 Mbit/s are more than 40: two at once. One of 100 Mbit/s is more by itself: alone.
def test_rates_of_runs_in_progress_stay_below_a_sum_or_one_is_alone() -> None:
    together = Together(TOGETHER_MBPS)
    context = ThreadContext(0, threading.Event(), None)
    lock, now, seen = threading.Lock(), [], []

    def go(mbps: float) -> None:
        with together.part(mbps, context):
            with lock:
                now.append(mbps)
                seen.append(sorted(now))
            time.sleep(0.05)
            with lock:
                now.remove(mbps)

    runs = [threading.Thread(target=go, args=(mbps,)) for mbps in (15.0, 100.0, 15.0, 2.64, 15.0, 100.0, 2.64)]
    for thread in runs:
        thread.start()
    for thread in runs:
        thread.join()
    assert len(seen) == len(runs) and max(map(len, seen)) > 1
    assert all(sum(rates) <= TOGETHER_MBPS or rates == [100.0] for rates in seen), seen


# A folder of 600 s of runs: Ctrl-C ends it at once, keeps what was done, and says what was not.
@needs_lab
def test_ctrl_c_among_labs_keeps_what_is_done_and_leaves_nothing(tmp_path: Path) -> None:
    script = f"""
import sys, threading
sys.path[:0] = [{str(Path(__file__).parents[1])!r}, {str(Path(__file__).parent)!r}]
from pathlib import Path
from test_reproduce_live import Long, Three, column_of
from cwnd.reproduce import live
from cwnd.replicates.number_cache import Cache

cache = Cache(Path(sys.argv[1]))
wants = [want for experiment in (Three(), Long()) for want in live.wanted(column_of(experiment)[0], 1)]
runs, why = live.missing(wants, cache)
print(*live.measure(runs, cache))
"""
    before, folder = outside(), tmp_path / "points"
    command = [sys.executable, "-c", script, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        until(lambda: list(folder.rglob("*.json")) and threads(child.pid).count("cwnd-link") >= 2)
        begun = time.monotonic()
        child.send_signal(signal.SIGINT)
        said, errors = child.communicate(timeout=60)
    assert (child.returncode, said.split()[:2]) == (0, ["True", "1"]), (said, errors)
    assert time.monotonic() - begun < 10
    until(lambda: outside() <= before)
    assert len([path for path in folder.rglob("*") if path.is_file()]) == 1


@needs_lab
def test_ctrl_c_in_the_command_writes_what_it_has(tmp_path: Path) -> None:
    before, folder = outside(), tmp_path / "out"
    command = [PROGRAM, "reproduce", "shanker/queue-size", "--seeds", "1", "--cubic", "none", "--lane", "live"]
    with subprocess.Popen([*command, "-o", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        # All seven at once: 7 x 2.64 Mbit/s.
        until(lambda: threads(child.pid).count("cwnd-link") == 7)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
    kept = f"0 of 7 runs in lane live are done and kept in {folder}; the same command resumes the work\n"
    assert child.returncode == 130 and said.startswith(kept) and "Traceback" not in said, said
    until(lambda: outside() <= before)
    (entry,) = json.loads((folder / "verdicts.json").read_text())
    assert entry["claims"] and [point.get("not_run") for point in entry["live"]] == ["stopped before this point"] * 7


# 1 Gbit/s for 0.1 ms are the 12 500 bytes of 2.5 Mbit/s for 40 ms. Four clocks of tick CUBIC are one run: the kernel has a clock.
def test_the_loss_table_is_run_400_times_slower() -> None:
    experiment = experiments()["freebsd/table"]
    column, _ = column_of(experiment)
    wants = live.wanted(column, 1)
    assert [live.why_not(want.scenario) for want in wants] == [""] * 12
    assert len({want.document for want in wants}) == 6
    for want in wants:
        point = want.numbers.point.scenario
        assert isinstance(point, Mapping)
        assert (from_document(point).rate_mbps, want.scenario.rate_mbps) == (1000, 2.5)
        assert f'"loss":"random:{want.numbers.point.number("loss")}"' in want.scenario.to_json()
    assert "400-fold" in experiment.live_note


# Without losses the link is full: 2.5 Mbit/s, of which 1448 of 1500 bytes are payload, count as 400 times 2.41.
@needs_lab
def test_throughput_of_the_stretched_table_is_that_of_its_link() -> None:
    experiment = experiments()["freebsd/table"]
    column, _ = column_of(experiment)
    document = experiment.live_scenario(column.points[0])
    assert isinstance(document, Mapping) and isinstance(document["link"], Mapping)
    link = {key: value for key, value in document["link"].items() if key != "loss"}
    lossless = from_document({**document, "link": link, "duration": "4s", "measure": ["2s", "4s"]})
    numbers = experiment.reduce(run(lossless), column.points[0])
    assert isinstance(numbers, Iperf) and numbers.mbps == pytest.approx(400 * 2.5 * 1448 / 1500, rel=0.03)


# A hundred and four hundred times slower come to the same: what the losses leave is a number of segments, not a time.
def test_how_much_slower_does_not_matter() -> None:
    experiment = experiments()["freebsd/table"]
    column, _ = column_of(experiment)
    point = next(point for point in column.points if point.key == "newreno-100hz-loss-1")
    document = experiment.live_scenario(point)
    assert isinstance(document, Mapping) and isinstance(document["link"], Mapping)
    flow = [{"cc": "reno", "recovery": "linux"}]
    windows = []
    for rate, rtt in (("10Mbit/s", "10ms"), ("2.5Mbit/s", "40ms")):
        link = {**document["link"], "rate": rate, "rtt": rtt}
        windows.append(
            run_once(from_document({**document, "link": link, "flow": flow})).summary["flows"][0]["cwnd_mean"]
        )
    assert windows[0] == pytest.approx(windows[1], rel=0.05), windows


# Its slopes need K, which lane live records as the simulator does. Flows without a random overhead get one; figure 10b's have a packet's time.
@needs("kernel")
def test_points_run_as_they_are_written_but_for_an_overhead() -> None:
    def in_lane(name: str) -> list[tuple[JsonObject, JsonObject]]:
        column, _ = column_of(experiments()[name])
        wants = live.wanted(column, 1)
        assert {live.why_not(want.scenario) for want in wants} == {""}
        points = [runner.scenario_of(point).with_seed(1) for point in column.points]
        return [
            (scenario_document(point), scenario_document(want.scenario))
            for point, want in zip(points, wants, strict=True)
        ]

    for written, lane in in_lane("shanker/alone"):
        flows = written["flow"]
        assert isinstance(flows, list) and {flow["overhead"] for flow in flows} == {"0s"}
        assert lane == {**written, "flow": [{**flow, "overhead": "10us"} for flow in flows]}
    for written, lane in in_lane("ha2008/fig10b"):
        assert lane == written and '"overhead": "0s"' not in json.dumps(lane)


# Two flows of 120 and 162 ms, which are 100 and 135 packet times of 10 Mbit/s, come to the full queue at one instant, and again and again: who is
# then first decides. 0.1 microseconds make it the one or the other, and the shares with it; the lane would always choose one of them.
def test_what_comes_at_one_instant_decides_and_an_overhead_makes_it_chance() -> None:
    def ratio(later_us: tuple[float, float], overhead: str = "0s") -> float:
        flows = [
            Flow("sack", recovery="linux", rtt=f"{1000 * ms + us}us", start=f"{start}s", overhead=overhead)
            for ms, us, start in zip((162, 120), later_us, (0, 17.77))
        ]
        scenario = dumbbell(
            flows, rate="10Mbit/s", rtt="162ms", buffer="135packets", duration="500s", measure=("100s", "500s")
        )
        first, second = run_once(scenario).summary["flows"]
        return first["throughput_mbps"] / second["throughput_mbps"]

    assert ratio((0.1, 0)) < 0.8 and ratio((0, 0.1)) > 1.25
    assert 0.6 < ratio((0, 0), overhead="10us") < 1.25


# Of 1.0 and 1.2 the mean is 1.1: 1.15 is between them, 1.2001 less than 0.11 off; 1.25 and 0.98 are neither.
def test_a_number_of_linux_differs_where_it_is_far_off_and_outside_the_seeds() -> None:
    from tools.docs.live_points import differs

    assert [differs([1.0, 1.2], live) for live in (1.15, 1.2001, 1.25, 0.98)] == [False, False, True, True]
    # One that is always 0 differs from any other.
    assert [differs([0.0, 0.0], live) for live in (0.0, 1.0)] == [False, True]
