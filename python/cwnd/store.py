# SPDX-License-Identifier: MIT OR Apache-2.0
"""Results on disk: all of a run's files, or none."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwnd._native import Scenario, ScenarioError, __version__
from cwnd.kernel.result import KIND as TRACE_KIND
from cwnd.kernel.result import KernelTrace
from cwnd.result import TABLES, Result

if TYPE_CHECKING:
    import pyarrow as pa

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


class NotOursError(ValueError):
    """The output folder exists and holds something that this program did not write."""


class NoResultError(ValueError):
    """The folder does not hold a result that can be read; the message says why."""


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

    A run may take the place of an earlier run: it can be repeated. With `force` it may take that of anything that this program
    wrote. What holds anything else is never replaced.
    """
    if folder.resolve() == Path.cwd():
        raise NotOursError(f'-o: "{folder}" is not accepted; expected another folder than the current one')
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise NotOursError(f'-o: "{folder}" is not accepted; expected a folder, or a name that is free')
    if not folder.exists() or not any(folder.iterdir()):
        return
    found = holds(folder)
    if found is None:
        raise NotOursError(
            f'-o: "{folder}" is not accepted; expected a free name, an empty folder, or an earlier result and nothing else'
        )
    if not (force or (found == kind == KIND)):
        raise NotOursError(
            f'-o: "{folder}" is not accepted; expected a free name, or --force (force=True in Python) to replace '
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
    behind then.
    """
    folder = Path(folder)
    check(folder, force=force)
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        write(result, beside, pictures=pictures, between=between)
        beside.chmod(0o755)
        replace(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder


def write(result: Result, folder: Path, *, pictures: bool, between: Callable[[], None]) -> None:
    """Writes the files into an empty folder."""
    import pyarrow.parquet as pq

    for name in result.tables:
        batches = result.batches(name)
        first = next(batches)
        with pq.ParquetWriter(folder / f"{name}.parquet", first.schema, compression="zstd") as writer:
            writer.write_batch(first)
            for batch in batches:
                between()
                writer.write_batch(batch)
    (folder / "scenario.toml").write_text(result.scenario.to_toml())
    (folder / "summary.json").write_text(json.dumps(result.summary, indent=1) + "\n")
    if pictures:
        from cwnd.plot import draw

        draw(result, folder)
    # Last: a folder without it is not taken for a result.
    files = sorted([MANIFEST, *(path.name for path in folder.iterdir())])
    (folder / MANIFEST).write_text(json.dumps(manifest(result, files), indent=1) + "\n")


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
            pieces = file.iter_batches()
            first = next(pieces, None)
            if first is None:  # which must not be asked a second time
                yield pa.RecordBatch.from_pylist([], schema=file.schema_arrow)
                return
            yield first
            yield from pieces


def load(folder: str | Path) -> Result | KernelTrace:
    """Reads what `save`, `cwnd run -o` or `cwnd compare -o` wrote: the scenario, the summary, and the tables when asked for;
    of `cwnd kernel trace -o`, a `KernelTrace`.

    Raises `NoResultError`, saying why, for a folder that holds no run, one of an earlier version that kept fewer tables, or one
    whose scenario needs something that is not there (an algorithm of one's own, the file of a trace).
    """
    folder = Path(folder)

    def refuse(expected: str) -> NoResultError:
        return NoResultError(f'"{folder}" is not accepted; expected {expected}')

    try:
        known = json.loads((folder / MANIFEST).read_text())
        kind, files = known["kind"], set(known["files"])
    except (OSError, ValueError, KeyError, TypeError):
        raise refuse("the folder of a result, with its manifest.json") from None
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
    needed = [name for name in TABLES if name != "inner" or scenario.records_inner]
    if lacking := [name for name in needed if f"{name}.parquet" not in files]:
        raise refuse(
            f"the tables {', '.join(lacking)}, which the version that wrote it did not keep; cwnd run {folder}/scenario.toml makes them"
        )
    return Result(scenario, summary, Stored(folder))
