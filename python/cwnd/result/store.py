# SPDX-License-Identifier: MIT OR Apache-2.0
"""Results on disk. A folder has all files of a run, or none."""

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
from typing import TYPE_CHECKING, NotRequired, TypedDict, Unpack

from cwnd._internal import partial_folders
from cwnd._internal.input_errors import flag_of, path_of, refused, scenario_of
from cwnd._internal.json_files import read_json
from cwnd._internal.keyword_names import check_keywords
from cwnd._internal.temporary_files import SUFFIX
from cwnd._native import Scenario, __version__
from cwnd.result.failures import warn_of_failures
from cwnd.result.lanes import LANES, SIM, Engine, check_lane, check_threads
from cwnd.result.packets import FolderPackets, Keep, PacketsWriter
from cwnd.result.result import Progress, Result, conclude, drop, run_engine, summary_of, tables_of
from cwnd.result.result import run as run_in_memory
from cwnd.result.tables import ROWS_PER_BATCH, EngineTables, FolderTables
from cwnd.scenario.snapshot import inputs, names_in_folder, scenario_document, write_scenario

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MANIFEST = "manifest.json"
#: What the manifest of a folder that this program wrote has under "kind".
KIND = "cwnd run"
TRACE = "cwnd kernel trace"
REPLICATES = "cwnd replicates"
REPRODUCE = "cwnd reproduce"
STUDY = "cwnd study"
# Files of the kinds whose manifest does not list them. Each seed of replicates is a folder of `KIND`.
SEED = re.compile(r"seed-\d{4,}")
REPRODUCED = re.compile(
    r"(manifest|verdicts|\.reported|\.reported-before)\.json|(report|lab)\.html|points/[^/]+/[^/]+|[^/]+/[^/]+/(figure\.(svg|png)|data\.parquet|scenarios\.json)"
)
#: The pictures that `cwnd plot` puts into the folder of a study, and of a run or of replicates.
STUDY_DRAWN = r"(response|heatmap|fairness|delay-throughput|cdf)\.(png|svg|pdf)"
DRAWN = re.compile(r"(windows|throughput|queue|cdf)\.(png|svg|pdf)")
#: With the pictures that `cwnd plot` writes to the same folder.
STUDIED = re.compile(
    r"\.?(manifest\.json|failed\.json|(runs|means)\.parquet|means\.csv"
    rf"|{STUDY_DRAWN})({SUFFIX})?|points/[^/]+/[^/]+"
)
#: A temporary file that a killed command has left.
LEFT_OVER = re.compile(rf"\..+{SUFFIX}")
# Pictures of more flows or rows take minutes and gigabytes.
MOST_FLOWS_DRAWN = 1000
MOST_ROWS_DRAWN = 5_000_000


class FolderError(ValueError):
    """The folder to write to holds something that may not be replaced; the message is one line."""


def kind_of_result(folder: Path) -> str | None:
    """The kind of result in a folder that holds nothing else; `None` for any other folder."""
    try:
        manifest = read_json(folder / MANIFEST)
        kind = manifest["kind"]
        names = {
            path.name
            for path in folder.iterdir()
            if not (LEFT_OVER.fullmatch(path.name) or (kind in (KIND, REPLICATES) and DRAWN.fullmatch(path.name)))
        }
        if kind in (KIND, TRACE):
            ours = names <= set(manifest["files"])
        elif kind == REPLICATES:
            seeds = {name for name in names if SEED.fullmatch(name)}
            ours = names - seeds <= {MANIFEST, "summary.json"} and all(
                kind_of_result(folder / seed) == KIND for seed in seeds
            )
        else:
            files = [
                str(path.relative_to(folder))
                for path in folder.rglob("*")
                if not (path.is_dir() or LEFT_OVER.fullmatch(path.name))
            ]
            form = {REPRODUCE: REPRODUCED, STUDY: STUDIED}[kind]
            ours = all(form.fullmatch(name) for name in files)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return str(kind) if ours else None


def check_folder(folder: Path, kind: str = KIND, *, force: bool = False) -> None:
    """Refuses a folder that a result of this kind may not take, before the work is done.

    A run may replace an earlier run, which can be repeated, and the folder of a killed run. With `force` it may replace any result of
    this program. A folder with anything else in it is never replaced.
    """
    if folder.resolve() == Path.cwd():
        raise FolderError(f'folder: "{folder}" is not accepted; expected a folder other than the current one')
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise FolderError(f'folder: "{folder}" is not accepted; expected a folder, or a free name')
    if not folder.exists() or not any(folder.iterdir()):
        return
    if partial_folders.is_unfinished(folder):
        if partial_folders.is_in_progress(folder):
            raise FolderError(f'folder: "{folder}" is not accepted; another cwnd process is writing to it')
        return
    earlier = kind_of_result(folder)
    if earlier is None:
        raise FolderError(
            f'folder: "{folder}" is not accepted; expected a free name, an empty folder, or an earlier result and nothing else'
        )
    if not (force or (earlier == kind == KIND)):
        raise FolderError(
            f'folder: "{folder}" is not accepted; expected a free name, or --force (force=True in Python) to replace '
            f"the {earlier.removeprefix('cwnd ')} in it"
        )


class Machine(TypedDict):
    """The machine of a result."""

    system: str
    architecture: str
    cpus: int | None


class Origin(TypedDict):
    """Where a result is from."""

    versions: dict[str, str]
    #: digests of the libraries of plugins
    plugins: NotRequired[dict[str, str]]
    machine: Machine


def origin() -> Origin:
    """Versions, plugins and machine; nothing that differs between two runs on one machine."""
    import pyarrow as pa

    from cwnd.plugin.crate import LOADED

    versions = {"cwnd": __version__, "python": platform.python_version(), "pyarrow": pa.__version__}
    machine: Machine = {"system": platform.system(), "architecture": platform.machine(), "cpus": os.cpu_count()}
    if not LOADED:
        return {"versions": versions, "machine": machine}
    # A plugin is identified by its digest only: its path means nothing on another machine.
    return {"versions": versions, "plugins": dict(sorted(LOADED.items())), "machine": machine}


def manifest(result: Result, files: list[str]) -> dict[str, object]:
    """The manifest: kind, scenario, files, versions and machine."""
    return {
        "kind": KIND,
        "lane": result.lane,
        "seed": result.scenario.seed,
        "scenario": scenario_document(result.scenario),
        **inputs(result.scenario, names_in_folder(result.scenario)),
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
    """Writes tables (Parquet), captured packets, `scenario.toml` and the files that it names, `summary.json`, `manifest.json` and pictures to `folder`.

    Everything is written to a temporary folder next to `folder`, which is then renamed to it: `folder` must be unused, an earlier run or, with
    `force`, any other result (a kernel trace, replicates). `between` is called between two pieces of a table; if it raises,
    writing ends. Raises `FolderError`, or `OSError` when writing fails; then nothing is left behind. Leftovers of a killed process
    next to `folder` are removed. Raises `ScenarioError` for an invalid result or path.
    `cwnd.run(scenario, folder=...)` does the same without holding the tables in memory.
    """
    if not isinstance(result, Result):
        raise refused("result", result, "a cwnd.Result, such as cwnd.run returns")
    if result.lane not in LANES:
        raise refused(
            "result",
            result,
            f"a cwnd.Result of lane {' or '.join(LANES)}, such as cwnd.run returns; this one is in its folder",
        )
    folder = path_of("folder", folder)
    pictures, force = flag_of("pictures", pictures), flag_of("force", force)
    with new_folder(folder, force=force) as beside:
        with PacketsWriter(beside) as packets:
            for host, file in result.packets.items():
                packets.keep(host, file)
        with Writer(beside) as writer:
            for name in result.tables:
                for batch in result.batches(name):
                    writer.write(name, batch)
                    between()
        finish(result, beside, pictures=pictures)
    return folder


class WriteSettings(TypedDict, total=False):
    """Keywords of `cwnd.run` for what it writes to `folder`."""

    #: whether pictures are drawn
    pictures: bool
    #: replace another result of cwnd in the folder
    force: bool


def run(
    scenario: Scenario | str | os.PathLike[str],
    progress: Progress | None = None,
    *,
    folder: str | Path | None = None,
    lane: str = SIM,
    threads: int = 1,
    **settings: Unpack[WriteSettings],
) -> Result:
    """Runs `scenario`, or the one in the file at this path, to its end; `progress` is called with the engine every few hundredths of a second of work.

    In lane `sim` it is simulated. In lane `live` its flows are connections of the running kernel, and its links are emulated in real
    time, which needs root. In lane `linux` (`linux:6.12`) they are connections of a kernel in virtual time. Several `threads` speed up one
    simulation if many flows meet in a single queue; the result does not depend on them.

    Without `folder` the tables stay in memory. With it they are written there during the run, so that memory does not grow with
    the run's length, together with everything else that `cwnd.save` writes (`pictures` and `force` as there); an unfinished run leaves
    nothing there.

    Raises `ScenarioError` for an invalid scenario or path, and before the run if the tables are expected to exceed `record.limit`;
    `PluginError` if a plugin's algorithm panics. In lanes `live` and `linux` it also raises `ScenarioError` for what the kernel cannot do, and
    `OSError` for what the system refuses; in lane `live` `FellBehindError` if this machine did not keep up: such a run has no result. Warns (`ConnectionWarning`) if
    a connection of a real stack ended by a fault or never opened: `Result.failures`.
    """
    check_keywords(settings, run)
    scenario = scenario_of(scenario)
    if progress is not None and not callable(progress):
        raise refused("progress", progress, "a function that takes the simulation")
    pictures, force = (
        flag_of("pictures", settings.get("pictures", True)),
        flag_of("force", settings.get("force", False)),
    )
    lane = check_lane(lane)
    threads = check_threads(threads, lane)
    if folder is None:
        result = run_in_memory(scenario, progress, lane, threads)
    else:
        result = record(scenario, folder, progress, pictures=pictures, force=force, lane=lane, threads=threads)
    warn_of_failures(result.summary, 2)
    return result


def record(
    scenario: Scenario,
    folder: str | Path,
    progress: Progress | None = None,
    *,
    pictures: bool = True,
    force: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    lane: str = SIM,
    threads: int = 1,
    keep: Keep = drop,
) -> Result:
    """Runs, and writes the tables and captured packets to `folder` during the run; otherwise as `save`. `tell` gets a message about
    each folder that a killed run has left, `keep` the captured packets."""
    import pyarrow as pa

    folder = path_of("folder", folder)
    scenario.check_size()
    with new_folder(folder, force=force, tell=tell) as beside:
        with Writer(beside) as writer, PacketsWriter(beside) as packets:

            def write_packets(host: str, piece: bytes) -> None:
                packets.keep(host, piece)
                keep(host, piece)

            def take(engine: Engine) -> None:
                for name, batch in engine.take(ROWS_PER_BATCH):
                    writer.write(name, pa.record_batch(batch))

            engine = run_engine(scenario, progress, take, lane=lane, threads=threads, keep=write_packets)
            # Tables that are made at the end, and the columns of tables without a row.
            for name in (name for name in tables_of(scenario, engine.LANE) if name not in writer.names):
                for batch in EngineTables(engine).batches(name):
                    writer.write(name, batch)
        result = Result(scenario, summary_of(scenario, engine), FolderTables(beside), lane=engine.LANE)
        ran = engine.LANE
        del engine
        finish(conclude(result), beside, pictures=pictures)
    captured = FolderPackets(folder, scenario.captured_hosts)
    return Result(scenario, result.summary, FolderTables(folder), lane=ran, packets=captured)


@contextmanager
def new_folder(folder: Path, *, force: bool, tell: Callable[[str], None] = lambda _: None) -> Iterator[Path]:
    """A temporary folder next to `folder`, renamed to `folder` when the body ends; if the body raises, it is removed."""
    for line in partial_folders.remove_leftovers(folder, lambda old: kind_of_result(old) is not None):
        tell(line)
    check_folder(folder, force=force)
    # The import takes a while, in which Ctrl-C is not handled: before there is anything to remove.
    importlib.import_module("pyarrow.parquet")
    partial_folders.make_parent(folder)
    with partial_folders.temporary_folder(folder) as beside:
        yield beside
        # Something may have come there meanwhile.
        check_folder(folder, force=force)
        replace(beside, folder)


class Writer:
    """Tables as Parquet files in a folder, batch by batch, in groups of `ROWS_PER_BATCH` rows, however many rows a batch has."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, pq.ParquetWriter] = {}
        self._waiting: dict[str, list[pa.RecordBatch]] = {}

    @property
    def names(self) -> set[str]:
        """The tables that have been written to."""
        return set(self._open)

    def write(self, name: str, batch: pa.RecordBatch) -> None:
        """Adds rows to a table."""
        import pyarrow.parquet as pq

        if name not in self._open:
            self._open[name] = pq.ParquetWriter(self._folder / f"{name}.parquet", batch.schema, compression="zstd")
            self._waiting[name] = []
        self._waiting[name].append(batch)
        if sum(waiting.num_rows for waiting in self._waiting[name]) >= ROWS_PER_BATCH:
            self._write_groups(name)

    def _write_groups(self, name: str, least: int = ROWS_PER_BATCH) -> None:
        """Writes what waits, in groups of `ROWS_PER_BATCH` rows, and the rest if it has at least so many."""
        import pyarrow as pa

        waiting = pa.Table.from_batches(self._waiting[name])
        while waiting.num_rows >= least:
            self._open[name].write_table(waiting.slice(0, ROWS_PER_BATCH), row_group_size=ROWS_PER_BATCH)
            waiting = waiting.slice(ROWS_PER_BATCH)
        self._waiting[name] = waiting.to_batches()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for name, writer in self._open.items():
            if kind is None and self._waiting[name]:
                self._write_groups(name, 1)
            # After a failure the files are removed, and errors of closing them do not matter.
            with suppress(*([OSError] if kind is not None else [])):
                writer.close()


def finish(result: Result, folder: Path, *, pictures: bool) -> None:
    """Writes the files other than the tables: scenario, summary, pictures, manifest."""
    write_scenario(result.scenario, folder)
    with (folder / "summary.json").open("w") as file:
        json.dump(result.summary, file, indent=1)
        file.write("\n")
    if pictures and why_not_drawn(result) is None:
        from cwnd.plot import draw

        draw(result, folder)
    # The manifest last: a folder without it is no result.
    files = sorted([MANIFEST, *(path.name for path in folder.iterdir())])
    (folder / MANIFEST).write_text(json.dumps(manifest(result, files), indent=1) + "\n")


def why_not_drawn(result: Result) -> str | None:
    """The reason if a run is too large to be drawn; else `None`."""
    rows, flows = sum(result.rows(name) for name in ("cwnd", "queue", "events")), len(result.summary["flows"])
    if flows > MOST_FLOWS_DRAWN:
        return f"{flows:,} flows are more than the {MOST_FLOWS_DRAWN:,} that are drawn"
    if rows > MOST_ROWS_DRAWN:
        return f"{rows:,} rows are more than the {MOST_ROWS_DRAWN:,} that are drawn"
    return None


def replace(new: Path, folder: Path) -> None:
    """Gives `new` the name `folder`, and then removes what had the name before."""
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
