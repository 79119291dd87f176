# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd qlog`: what it writes, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli
from test_lanes import trace  # noqa: F401 (a fixture)

import cwnd as package
from cwnd import ScenarioError


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = package.run(package.dumbbell({"cubic": 2, "reno": 1}, rate="5Mbit/s", rtt="20ms", duration="2s"))
    return package.save(result, tmp_path_factory.mktemp("qlog") / "run", pictures=False)


def test_the_command_writes_what_python_does(run: Path, tmp_path: Path, cwnd: Cli) -> None:
    wanted = package.qlog(run, tmp_path / "wanted.sqlog").read_text()
    done = cwnd("qlog", run, "-o", "run.sqlog", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "written to run.sqlog\n")
    assert (tmp_path / "run.sqlog").read_text() == wanted
    assert cwnd("qlog", run, cwd=tmp_path).stdout == wanted
    some = package.qlog(run, tmp_path / "some.sqlog", flow=["cubic 2", 2], format="0.3").read_text()
    assert cwnd("qlog", run, "--flow", "cubic 2,2", "--format", "0.3", cwd=tmp_path).stdout == some
    assert cwnd("qlog", run, "--flow", "cubic 2", "-o", "run.sqlog", cwd=tmp_path).returncode == 0
    assert (tmp_path / "run.sqlog").read_text() != wanted, "an earlier qlog is replaced"


@pytest.mark.parametrize(
    ("arguments", "says", "code"),
    [
        (["nothing"], 'RUN: "nothing" is not accepted; expected the folder of a result, with its manifest.json', 2),
        (
            ["RUN", "--flow", "cubik 1"],
            '--flow: "cubik 1" is not accepted; expected the name of a flow (did you mean cubic 1',
            2,
        ),
        (["RUN", "--flow", "3"], "--flow: 3 is not accepted; expected a flow's name, or its number from 0 to 2", 2),
        (["RUN", "--format", "1.0"], '--format: "1.0" is not accepted; expected a form of qlog', 2),
        (["RUN", "--mss", "many"], "--mss: many is not accepted; expected a whole number of bytes", 2),
        (
            ["RUN", "--mss", "1448"],
            "--mss: 1448 is not accepted; expected none: a run of lane sim has that of its scenario",
            2,
        ),
        (["RUN", "--mss", "0"], "--mss: 0 is not accepted; expected bytes of a segment, from 1 to 65535", 2),
        (["RUN", "-o", "notes.txt"], '-o: "notes.txt" is not accepted; expected a free name, or an earlier qlog', 2),
        (["RUN", "-o", "link.sqlog"], '-o: "link.sqlog" is not accepted; expected a free name, or an earlier qlog', 2),
        (["RUN", "-o", "."], '-o: "." is not accepted; expected the name of a file, such as run.sqlog', 2),
        (["RUN", "-o", "no/where.sqlog"], "no/where.sqlog: No such file or directory", 1),
    ],
)
def test_what_is_wrong_is_one_line(
    arguments: list[str], says: str, code: int, run: Path, tmp_path: Path, cwnd: Cli
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "link.sqlog").symlink_to("notes.txt")
    done = cwnd("qlog", *(run if each == "RUN" else each for each in arguments), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "") and done.stderr.startswith(f"error: {says}"), done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.sqlog", "notes.txt"]
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_what_has_no_samples_is_refused(tmp_path: Path, trace: Path) -> None:  # noqa: F811
    silent = package.run(package.dumbbell("cubic", rate="10Mbit/s", rtt="20ms", duration="1s", record_flows="none"))
    with pytest.raises(ScenarioError, match=r"^result: .* expected one with the table cwnd; this one has no samples"):
        silent.to_qlog(tmp_path / "run.sqlog")
    replicates = tmp_path / "seeds"
    package.replicate(package.dumbbell("cubic", rate="10Mbit/s", rtt="20ms", duration="1s"), 2, folder=replicates)
    with pytest.raises(ScenarioError, match=r"^folder: .*; each seed of replicates is such a folder$"):
        package.qlog(replicates, tmp_path / "run.sqlog")
    (trace / "cwnd.parquet").unlink()
    manifest = json.loads((trace / "manifest.json").read_text())
    (trace / "manifest.json").write_text(json.dumps(manifest | {"files": ["flows.parquet", "manifest.json"]}))
    with pytest.raises(ScenarioError, match=r"expected one with the table cwnd"):
        package.qlog(trace, tmp_path / "run.sqlog")
    for wrong in (1, None, [], silent.cwnd):
        with pytest.raises(ScenarioError, match=r"^result: .* expected a cwnd.Result, or the folder of a run"):
            package.qlog(wrong, tmp_path / "run.sqlog")  # type: ignore[arg-type]
    assert not (tmp_path / "run.sqlog").exists()


def test_wrong_flows_are_refused_in_python(run: Path, tmp_path: Path) -> None:
    result = package.load(run)
    for wrong in (True, 1.5, [], [True], {"a": 1}, -1):
        with pytest.raises(ScenarioError, match=r"^flow: "):
            package.qlog(result, tmp_path / "run.sqlog", flow=wrong)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_what_fails(run: Path, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    scenario = package.dumbbell("cubic", rtt="20ms", rate="10Mbit/s", duration="20s", per_ack=True)
    with pytest.raises(KeyboardInterrupt):
        package.qlog(package.run(scenario), tmp_path / "run.sqlog", progress=stop)
    assert list(tmp_path.iterdir()) == []


# A row takes about 48 bytes in memory, and its record about 200; what is held is a batch of 65 536 rows at most, some tens of MB.
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc: Linux")
def test_memory_does_not_grow_with_the_run(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    peaks = []
    for times in (1, 8):
        folder = tmp_path / f"run-{times}"
        package.run(
            package.dumbbell("cubic", rate="10Mbit/s", rtt="20ms", duration="1s"), folder=folder, pictures=False
        )
        table = pq.read_table(folder / "cwnd.parquet")
        rows = 65_536
        with pq.ParquetWriter(folder / "cwnd.parquet", table.schema) as writer:
            for number in range(times):
                columns = {name: [table[name][0].as_py()] * rows for name in table.column_names}
                columns["time_s"] = [1e-5 * (number * rows + row) for row in range(rows)]
                columns["cwnd"] = [10 + row % 2 for row in range(rows)]
                writer.write_table(pa.table(columns, schema=table.schema))
        code = (
            f"import cwnd; cwnd.qlog({str(folder)!r}, {str(tmp_path / 'big.sqlog')!r})\n"
            "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
        peaks.append(int(done.stdout) // 1024)
    assert (tmp_path / "big.sqlog").stat().st_size > 8 * 65_536 * 60
    assert peaks[1] - peaks[0] < 60, peaks
