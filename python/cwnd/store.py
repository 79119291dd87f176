# SPDX-License-Identifier: MIT OR Apache-2.0
"""Results on disk: all of a run's files, or none."""

from __future__ import annotations

import json
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwnd._native import Scenario, ScenarioError, __version__
from cwnd.result import TABLES, Result

if TYPE_CHECKING:
    import pyarrow as pa

MANIFEST = "manifest.json"
# What a manifest of ours has under "kind"; a folder with such a manifest may be replaced, if it holds nothing more.
KIND = "cwnd run"
KINDS = (KIND, "cwnd kernel trace")


class NotOursError(ValueError):
    """The output folder exists and holds something that this program did not write."""


class NoResultError(ValueError):
    """The folder does not hold a result that can be read; the message says why."""


def check(folder: Path) -> None:
    """Refuses a folder that `save` would refuse, before the work is done."""
    if folder.resolve() == Path.cwd():
        raise NotOursError(f'-o: "{folder}" is not accepted; expected another folder than the current one')
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise NotOursError(f'-o: "{folder}" is not accepted; expected a folder, or a name that is free')
    if not folder.exists() or not any(folder.iterdir()):
        return
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        ours = manifest["kind"] in KINDS and {path.name for path in folder.iterdir()} <= set(manifest["files"])
    except (OSError, ValueError, KeyError, TypeError):
        ours = False
    if not ours:
        raise NotOursError(
            f'-o: "{folder}" is not accepted; expected a free name, an empty folder, or an earlier result and nothing else'
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
    result: Result, folder: str | Path, *, pictures: bool = True, between: Callable[[], None] = lambda: None
) -> Path:
    """Writes tables (Parquet), `scenario.toml`, `summary.json`, `manifest.json` and pictures to `folder`.

    Everything goes to a sibling folder first, which then takes the name. `between` is called between two pieces of a
    table, and what it raises ends the writing. Raises `NotOursError`, or `OSError` when the disk says no; nothing is left
    behind then.
    """
    folder = Path(folder)
    check(folder)
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
            yield first if first is not None else pa.RecordBatch.from_pylist([], schema=file.schema_arrow)
            yield from pieces


def load(folder: str | Path) -> Result:
    """Reads what `save`, `cwnd run -o` or `cwnd compare -o` wrote: the scenario, the summary, and the tables when asked for.

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
