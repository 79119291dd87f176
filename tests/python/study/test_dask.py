# SPDX-License-Identifier: MIT OR Apache-2.0
"""Studies on a Dask cluster: a real scheduler and workers on this machine, some of which are killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from in_kernel import PATIENCE_S
from needs import needs

import cwnd
from cwnd.replicates.executor import Context, run_all
from cwnd.study.batches import batches
from cwnd.study.dask_engine import DaskExecutor, connected
from cwnd.study.dask_worker import Build
from cwnd.study.task import Outcome

HERE = Path(__file__).parents[1]
TABLES = ("runs.parquet", "means.parquet", "means.csv")


class Cluster:
    """A scheduler and its workers, processes of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = str(folder / "scheduler.json")
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, module: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Starts one of Dask's programs."""
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--scheduler-file", self.file, *arguments]
        with (self.folder / f"{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [*command, "--no-dashboard"], cwd=self.folder, stdout=log, stderr=log, env={**os.environ, **environment}
            )
        self.processes.append(process)
        return process

    def worker(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Starts a worker of one thread, which ends when the scheduler does."""
        folder = str(self.folder / f"worker{len(self.processes)}")
        options = ["--nthreads", "1", "--local-directory", folder, "--death-timeout", "60", *arguments]
        return self.start("dask_worker", *options, **environment)

    def wait(self, workers: int) -> None:
        """Waits until so many workers have joined."""
        with connected(self.file, print) as client:
            until(lambda: len(client.nthreads()) >= workers)

    def end(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def until(holds: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Waits until something holds, while a process goes on."""
    start = time.monotonic()
    while not holds():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() - start < PATIENCE_S
        time.sleep(0.02)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = Cluster(folder)
    try:
        cluster.start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        until(lambda: Path(cluster.file).exists())
        yield cluster
    finally:
        cluster.end()


def sweep(*arguments: object, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "cwnd", "sweep", *map(str, arguments)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code of a process, and its standard error."""
    _, said = process.communicate(timeout=PATIENCE_S)
    return process.returncode, said


def same_tables(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in TABLES)


# A run of cost 1e6 is taken to last 1e6/5e6 + 0.002 = 0.202 s: nine are 1.818 s, and ten are more than 2 s.
def test_a_batch_takes_about_two_seconds_and_has_at_most_500_runs() -> None:
    sizes = [len(batch) for batch in batches(range(1000), dict.fromkeys(range(1000), 1e6), workers=2)]
    assert sizes == [9] * 111 + [1]
    assert [len(batch) for batch in batches(range(3), dict.fromkeys(range(3), 1e9), 1)] == [1, 1, 1]
    # A run without packets takes 2 ms: 1000 of them would be a batch of 2 s.
    assert max(len(batch) for batch in batches(range(10_000), dict.fromkeys(range(10_000), 0.0), 1)) == 500
    # Ninety runs of 0.202 s on four workers, at least four batches each: 18.18/16 = 1.136 s are five runs.
    assert [len(batch) for batch in batches(range(90), dict.fromkeys(range(90), 1e6), 4)] == [5] * 18
    assert [number for batch in batches([5, 3, 4], {3: 1.0, 4: 1.0, 5: 1.0}, 1) for number in batch] == [5, 3, 4]


def test_a_study_whose_worker_and_whose_client_are_killed_has_every_point_once(
    cluster: Cluster, tmp_path: Path
) -> None:
    options = ["cubic", "--rate", "100Mbit/s", "--rtt", "10..200ms/20", "--buffer", "10..100packets/10"]
    options += ["--duration", "10s"]
    first, _ = cluster.worker("--no-nanny"), cluster.worker("--no-nanny")

    def kept() -> int:
        return len(list((tmp_path / "killed").glob("points/*/*.json")))

    client = sweep(*options, "-o", "killed", "--dask", cluster.file, cwd=tmp_path)
    until(lambda: kept() > 0, client)
    first.kill()
    before = kept()
    until(lambda: kept() > before, client)
    client.kill()
    client.communicate()
    before = kept()
    assert 0 < before < 200
    assert ended(sweep(*options, "-o", "whole", cwd=tmp_path))[0] == 0
    code, said = ended(sweep(*options, "-o", "killed", "--dask", cluster.file, cwd=tmp_path))
    assert code == 0 and "200 runs in" in said and f"{before} of them reused" in said, said
    assert kept() == 200
    assert {path.name for path in (tmp_path / "killed").glob("points/*/*")} == {
        path.name for path in (tmp_path / "whole").glob("points/*/*")
    }
    assert same_tables(tmp_path / "killed", tmp_path / "whole")


def test_runs_begin_when_workers_join_and_ctrl_c_keeps_what_is_done(cluster: Cluster, tmp_path: Path) -> None:
    options = ["cubic", "--rate", "100Mbit/s", "--rtt", "10..100ms/10", "--duration", "100s", "--seeds", "4"]
    process = sweep(*options, "-o", "s", "--dask", cluster.file, cwd=tmp_path)
    assert process.stderr is not None
    assert "has no workers yet; the runs begin when some join" in process.stderr.readline()
    cluster.worker("--no-nanny")
    until(lambda: list((tmp_path / "s").glob("points/*/*.json")), process)
    process.send_signal(signal.SIGINT)
    code, said = ended(process)
    assert code == 130 and "the same command resumes the work" in said and "Traceback" not in said, said
    stopped = cwnd.load(tmp_path / "s")
    assert stopped.stopped and 0 < stopped.done < 40


def test_a_scheduler_that_ends_is_said_in_one_line(cluster: Cluster, tmp_path: Path) -> None:
    cluster.worker("--no-nanny")
    options = ["cubic", "--rate", "100Mbit/s", "--rtt", "10..100ms/10", "--duration", "100s", "--seeds", "4"]
    process = sweep(*options, "-o", "s", "--dask", cluster.file, cwd=tmp_path)
    until(lambda: list((tmp_path / "s").glob("points/*/*.json")), process)
    cluster.processes[0].kill()
    code, said = ended(process)
    assert code == 1 and "ended; finished runs are kept" in said.splitlines()[-1], said
    assert "Traceback" not in said


def test_a_study_of_python_runs_on_a_client_that_it_leaves_open(cluster: Cluster) -> None:
    from distributed import Client

    cluster.worker("--no-nanny")
    cluster.wait(1)
    settings = {"rate": "20Mbit/s", "duration": "4s", "rtt": ["10ms", "40ms"]}
    seen: dict[int, float] = {}
    with Client(scheduler_file=cluster.file, set_as_default=False) as client:
        study = cwnd.sweep(
            ["cubic", "reno"],
            **settings,
            until="20%",
            most_seeds=20,
            dask=client,
            watch=lambda number, _, part: seen.update({number: part}),
        )
        assert client.status == "running"
    local = cwnd.sweep(["cubic", "reno"], **settings, until="20%", most_seeds=20)
    assert study.runs.equals(local.runs) and study.means.equals(local.means)
    assert set(seen.values()) == {1.0}
    with pytest.raises(cwnd.ScenarioError, match=r"^dask: .*a distributed\.Client that is connected"):
        cwnd.sweep(["cubic"], **settings, dask=client)


def test_a_worker_of_another_build_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    package = Path(cwnd.__file__).parent
    other = tmp_path / "other" / "cwnd"
    shutil.copytree(package, other, ignore=shutil.ignore_patterns("source", "__pycache__", "*.so"))
    for library in package.glob("_native*.so"):
        (other / library.name).symlink_to(library)
    # An installed module finds the wheel's libraries beside its package.
    if (libraries := package.with_name("cwnd.libs")).exists():
        (tmp_path / "other" / "cwnd.libs").symlink_to(libraries)
    rows = other / "replicates" / "rows.py"
    text = rows.read_text()
    changed = text.replace("value = total / len(flows)", "value = 2 * total / len(flows)")
    assert changed != text
    rows.write_text(changed)
    cluster.worker("--no-nanny", PYTHONPATH=str(other.parent))
    cluster.wait(1)
    code, said = ended(sweep("cubic", "--duration", "2s", "-o", "s", "--dask", cluster.file, cwd=tmp_path))
    assert code == 2 and said.count("\n") == 1, said
    assert "workers with this build of cwnd; tcp://" in said and f"has another build of cwnd {cwnd.__version__}" in said


@dataclass(frozen=True)
class Harmless:
    """A run."""

    def run(self, context: Context) -> Outcome:
        return Outcome({"packets": 1, "rows": []})


@dataclass(frozen=True)
class Fatal:
    """A run that ends its worker, as one does that needs more memory than it has."""

    folder: Path

    def run(self, context: Context) -> Outcome:
        (self.folder / f"begun{os.getpid()}").touch()
        # At its second and third try, what else the worker has done is delivered first.
        tries = len(list(self.folder.glob("begun*")))
        until(lambda: len(list(self.folder.glob("taken*"))) >= min(tries - 1, 2))
        os._exit(1)


@pytest.mark.slow
def test_a_run_that_ends_its_workers_fails_and_the_others_of_its_batch_do_not(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    try:
        once = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
        cluster.start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", **once)
        until(lambda: Path(cluster.file).exists())
        # It reads this file's tasks.
        cluster.worker(PYTHONPATH=os.pathsep.join([str(HERE), *sys.path]))
        taken: dict[int, Outcome] = {}

        def take(number: int, outcome: Outcome) -> None:
            taken[number] = outcome
            (tmp_path / f"taken{number}").touch()

        tasks = {0: Harmless(), 1: Harmless(), 2: Fatal(tmp_path)}
        with connected(cluster.file, print) as client:
            run_all(DaskExecutor(client, Build.here(), dict.fromkeys(tasks, 0.0), None), tasks, take)
    finally:
        cluster.end()
    assert [taken[number].numbers is not None for number in range(3)] == [True, True, False]
    assert taken[2].why == "every worker that started this run ended"


@needs("rust")
def test_plugins_are_sent_to_workers(cluster: Cluster, tmp_path: Path) -> None:
    from cwnd.plugin import crate as plugin

    crate = plugin.new("sent", tmp_path / "sent")
    cluster.worker("--no-nanny")
    options = ["sent", "--plugin", crate, "--duration", "2s", "--rtt", "10ms,40ms"]
    code, said = ended(sweep(*options, "-o", "far", "--dask", cluster.file, cwd=tmp_path))
    assert code == 0, said
    assert ended(sweep(*options, "-o", "here", cwd=tmp_path))[0] == 0
    assert same_tables(tmp_path / "far", tmp_path / "here")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--dask", "somewhere"], 'dask: "somewhere" is not accepted; expected a Dask scheduler\'s address'),
        (["--dask", "none.json"], "expected an existing scheduler file"),
        (["--dask", "tcp://127.0.0.1:1", "--jobs", "2"], 'jobs: "2" is not accepted; expected no jobs with dask'),
        (["--dask", "tcp://127.0.0.1:1", "--lane", "live"], "expected lane sim with it"),
    ],
)
def test_what_does_not_go_with_a_cluster_is_refused(options: list[str], says: str, tmp_path: Path) -> None:
    code, said = ended(sweep("cubic", "--duration", "1s", *options, cwd=tmp_path))
    assert code == 2 and says in said and said.count("\n") == 1, said


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_said_in_one_line(tmp_path: Path) -> None:
    code, said = ended(sweep("cubic", "-o", "s", "--dask", "tcp://127.0.0.1:1", cwd=tmp_path))
    waiting, error = said.splitlines()
    assert code == 1 and waiting.endswith("no answer from tcp://127.0.0.1:1 yet; waiting for 10 s"), said
    assert error == "error: dask: no scheduler answers at tcp://127.0.0.1:1 within 10 s"
    assert not (tmp_path / "s").exists()


def test_without_dask_the_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "distributed.py").write_text("raise ImportError\n")
    code, said = ended(
        sweep(
            "cubic", "--dask", "tcp://127.0.0.1:1", cwd=tmp_path, PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path])
        )
    )
    assert code == 2 and said.count("\n") == 1 and "pip install 'cwnd[dask]'" in said, said
