# SPDX-License-Identifier: MIT OR Apache-2.0
"""Results on disk: all of a run's files, or none."""

from __future__ import annotations

import importlib
import json
import os
import platform
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwnd import unfinished
from cwnd._native import Scenario, ScenarioError, Simulation, __version__
from cwnd.kernel.result import KIND as TRACE_KIND
from cwnd.kernel.result import KernelTrace
from cwnd.refused import flag_of, path_of, refused
from cwnd.result import ROWS_PER_BATCH, Progress, Result, Simulated, conclude, expect, simulate, summary_of, tables_of
from cwnd.result import run as run_in_memory

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MANIFEST = "manifest.json"
#: What the manifest of a folder that this program wrote has under "kind".
KIND = "cwnd run"
TRACE = TRACE_KIND
REPLICATES = "cwnd replicates"
REPRODUCE = "cwnd reproduce"
# The files of the kinds whose manifest does not list them. A seed of replicates is a folder of `KIND`.
SEED = re.compile(r"seed-\d{4,}")
REPRODUCED = re.compile(
    r"(manifest|verdicts)\.json|report\.html|points/[^/]+/[^/]+|[^/]+/[^/]+/(figure\.(svg|png)|data\.parquet|scenarios\.json)"
)
# Pictures of more take minutes and gigabytes.
MOST_FLOWS_DRAWN = 1000
MOST_ROWS_DRAWN = 5_000_000


class NotOursError(ValueError):
    """The folder that was to be written to holds something else than may be replaced; the message is one line."""


class NoResultError(ValueError):
    """The folder does not hold a result that can be read; the message is one line and says why."""


def holds(folder: Path) -> str | None:
    """The kind of result that is in a folder, with nothing else in it; `None` for any other folder."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        kind, names = manifest["kind"], {path.name for path in folder.iterdir()}
        if kind in (KIND, TRACE):
            ours = names <= set(manifest["files"])
        elif kind == REPLICATES:
            seeds = {name for name in names if SEED.fullmatch(name)}
            ours = names - seeds <= {MANIFEST, "summary.json"} and all(holds(folder / seed) == KIND for seed in seeds)
        else:
            files = [str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()]
            ours = kind == REPRODUCE and all(REPRODUCED.fullmatch(name) for name in files)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return str(kind) if ours else None


def check(folder: Path, kind: str = KIND, *, force: bool = False) -> None:
    """Refuses a folder that a result of this kind may not take, before the work is done.

    A run may take the place of an earlier run, which can be repeated, and of what a killed one has left. With `force` it may take that of anything that this program
    wrote. What holds anything else is never replaced.
    """
    if folder.resolve() == Path.cwd():
        raise NotOursError(f'folder: "{folder}" is not accepted; expected another folder than the current one')
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise NotOursError(f'folder: "{folder}" is not accepted; expected a folder, or a name that is free')
    if not folder.exists() or not any(folder.iterdir()):
        return
    if unfinished.is_part(folder):
        if unfinished.goes_on(folder):
            raise NotOursError(f'folder: "{folder}" is not accepted; another cwnd writes to it now')
        return
    found = holds(folder)
    if found is None:
        raise NotOursError(
            f'folder: "{folder}" is not accepted; expected a free name, an empty folder, or an earlier result and nothing else'
        )
    if not (force or (found == kind == KIND)):
        raise NotOursError(
            f'folder: "{folder}" is not accepted; expected a free name, or --force (force=True in Python) to replace '
            f"the {found.removeprefix('cwnd ')} in it"
        )


def origin() -> dict[str, Any]:
    """Versions, algorithms from outside the tree, and machine; nothing that differs between two runs on one machine."""
    import pyarrow as pa

    from cwnd.own import LOADED

    # The file of an algorithm of somebody's own is known by its digest only: where it lay says nothing elsewhere.
    plugins = {"plugins": dict(sorted(LOADED.items()))} if LOADED else {}
    return {
        "versions": {"cwnd": __version__, "python": platform.python_version(), "pyarrow": pa.__version__},
        **plugins,
        "machine": {"system": platform.system(), "architecture": platform.machine(), "cpus": os.cpu_count()},
    }


def manifest(result: Result, files: list[str]) -> dict[str, object]:
    """What it takes to know where the tables came from."""
    return {
        "kind": KIND,
        "lane": "sim",
        "seed": result.scenario.seed,
        "scenario": json.loads(result.scenario.to_json()),
        "files": files,
        **origin(),
    }


def save(
    result: Result,
    folder: str | Path,
    *,
    pictures: bool = True,
    force: bool = False,
    between: Callable[[], None] = lambda: None,
) -> Path:
    """Writes tables (Parquet), `scenario.toml`, `summary.json`, `manifest.json` and pictures to `folder`.

    Everything goes to a sibling folder first, which then takes the name: a free one, or that of an earlier run, or with `force`
    that of any other result (a kernel trace, replicates). `between` is called between two pieces of a
    table, and what it raises ends the writing. Raises `NotOursError`, or `OSError` when the disk says no; nothing is left
    behind then. What a process that was killed has left beside `folder` is removed. Raises `ScenarioError` for what is no
    result or no path. `cwnd.run(scenario, folder=...)` does the same without holding the tables in memory.
    """
    if not isinstance(result, Result):
        raise refused("result", result, "a cwnd.Result, such as cwnd.run returns")
    folder = path_of("folder", folder)
    pictures, force = flag_of("pictures", pictures), flag_of("force", force)
    with whole(folder, force=force) as beside:
        with Writer(beside) as writer:
            for name in result.tables:
                for batch in result.batches(name):
                    writer.write(name, batch)
                    between()
        finish(result, beside, pictures=pictures)
    return folder


def run(
    scenario: Scenario,
    progress: Progress | None = None,
    *,
    folder: str | Path | None = None,
    pictures: bool = True,
    force: bool = False,
) -> Result:
    """Simulates `scenario` to its end; `progress` is called every few hundredths of a second of work.

    Without `folder` the tables stay in memory. With it they are written there while the run goes on, in as much memory however
    long it lasts, with what `cwnd.save` writes beside them (`pictures`, `force`: as there); a run that does not come to its end
    leaves nothing there. Raises `ScenarioError` for what is no scenario, and before it starts when the tables are expected to hold
    more than `record.limit`; `PluginError` where an algorithm of one's own panics.
    """
    pictures, force = flag_of("pictures", pictures), flag_of("force", force)
    if folder is None:
        return run_in_memory(scenario, progress)
    expect(scenario, progress)
    return record(scenario, folder, progress, pictures=pictures, force=force)


def record(
    scenario: Scenario,
    folder: str | Path,
    progress: Progress | None = None,
    *,
    pictures: bool = True,
    force: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Result:
    """Simulates, and writes the tables to `folder` while the run goes on; the rest as `save` does. `tell` gets a line about what a killed
    run has left."""
    import pyarrow as pa

    folder = path_of("folder", folder)
    scenario.check_size()
    with whole(folder, force=force, tell=tell) as beside:
        with Writer(beside) as writer:

            def take(simulation: Simulation) -> None:
                for name, batch in simulation.take(ROWS_PER_BATCH):
                    writer.write(name, pa.record_batch(batch))

            simulation = simulate(scenario, progress, take)
            # Those that are made at the end, and the columns of those that got no row.
            for name in (name for name in tables_of(scenario) if name not in writer.names):
                for batch in Simulated(simulation).batches(name):
                    writer.write(name, batch)
        result = Result(scenario, summary_of(scenario, simulation), Stored(beside))
        del simulation
        finish(conclude(result), beside, pictures=pictures)
    return Result(scenario, result.summary, Stored(folder))


@contextmanager
def whole(folder: Path, *, force: bool, tell: Callable[[str], None] = lambda _: None) -> Iterator[Path]:
    """A new folder beside `folder`, which takes its name if the body comes to its end, and else goes away."""
    for line in unfinished.sweep(folder, lambda old: holds(old) is not None):
        tell(line)
    check(folder, force=force)
    # Takes a while, in which Ctrl-C is not heard: before anything is there that has to go away.
    importlib.import_module("pyarrow.parquet")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with unfinished.made(folder) as beside:
        yield beside
        beside.chmod(0o755)
        replace(beside, folder)


class Writer:
    """Tables as Parquet files in a folder, batch by batch."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, pq.ParquetWriter] = {}

    @property
    def names(self) -> set[str]:
        """The tables that have been written to."""
        return set(self._open)

    def write(self, name: str, batch: pa.RecordBatch) -> None:
        """Adds rows to a table."""
        import pyarrow.parquet as pq

        if name not in self._open:
            self._open[name] = pq.ParquetWriter(self._folder / f"{name}.parquet", batch.schema, compression="zstd")
        self._open[name].write_batch(batch, row_group_size=ROWS_PER_BATCH)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for writer in self._open.values():
            # After a failure the files go away, and so may what closing them says.
            with suppress(*([OSError] if kind is not None else [])):
                writer.close()


def finish(result: Result, folder: Path, *, pictures: bool) -> None:
    """Writes what lies beside the tables."""
    (folder / "scenario.toml").write_text(result.scenario.to_toml())
    with (folder / "summary.json").open("w") as file:
        json.dump(result.summary, file, indent=1)
        file.write("\n")
    if pictures and why_not_drawn(result) is None:
        from cwnd.plot import draw

        draw(result, folder)
    # Last: a folder without it is not taken for a result.
    files = sorted([MANIFEST, *(path.name for path in folder.iterdir())])
    (folder / MANIFEST).write_text(json.dumps(manifest(result, files), indent=1) + "\n")


def why_not_drawn(result: Result) -> str | None:
    """Why a run is not drawn, if it is too large for that."""
    rows, flows = sum(result.rows(name) for name in ("cwnd", "queue", "events")), len(result.summary["flows"])
    if flows > MOST_FLOWS_DRAWN:
        return f"{flows:,} flows are more than the {MOST_FLOWS_DRAWN:,} that are drawn"
    if rows > MOST_ROWS_DRAWN:
        return f"{rows:,} rows are more than the {MOST_ROWS_DRAWN:,} that are drawn"
    return None


def replace(new: Path, folder: Path) -> None:
    """Gives `new` the name `folder`; what was there goes away only when that has worked."""
    if not folder.exists():
        new.rename(folder)
        return
    old = new.with_name(new.name + ".old")
    folder.rename(old)
    try:
        new.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


class Stored:
    """The tables of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def rows(self, name: str) -> int:
        import pyarrow.parquet as pq

        return int(pq.read_metadata(self._folder / f"{name}.parquet").num_rows)

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with pq.ParquetFile(self._folder / f"{name}.parquet") as file:
            if not file.metadata.num_rows:
                yield pa.RecordBatch.from_pylist([], schema=file.schema_arrow)
                return
            yield from file.iter_batches()


def load(folder: str | Path) -> Result | KernelTrace:
    """Reads what `save`, `cwnd run -o` or `cwnd compare -o` wrote: the scenario, the summary, and the tables when asked for;
    of `cwnd kernel trace -o`, a `KernelTrace`.

    Raises `NoResultError`, saying why, for a folder that holds no run, one that was stopped half-way, one of an earlier version that kept fewer tables, or one
    whose scenario needs something that is not there (an algorithm of one's own, the file of a trace).
    """
    folder = path_of("folder", folder)

    def refuse(expected: str) -> NoResultError:
        return NoResultError(f'folder: "{folder}" is not accepted; expected {expected}')

    try:
        known = json.loads((folder / MANIFEST).read_text())
        kind, files = known["kind"], set(known["files"])
    except (OSError, ValueError, KeyError, TypeError):
        raise refuse(unfinished.why(folder) or "the folder of a result, with its manifest.json") from None
    if kind == TRACE:
        return KernelTrace(folder, known)
    if kind != KIND:
        raise refuse(f"a {KIND}, not a {kind}")
    try:
        scenario = Scenario.from_toml((folder / "scenario.toml").read_text())
        summary = json.loads((folder / "summary.json").read_text())
    except ScenarioError as error:
        raise refuse(f"a scenario that can be read: {error}") from error
    except (OSError, ValueError) as error:
        raise refuse(f"scenario.toml and summary.json ({error})") from error
    if lacking := [name for name in tables_of(scenario) if f"{name}.parquet" not in files]:
        raise refuse(
            f"the tables {', '.join(lacking)}, which the version that wrote it did not keep; cwnd run {folder}/scenario.toml makes them"
        )
    return Result(scenario, summary, Stored(folder))
