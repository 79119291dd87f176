# SPDX-License-Identifier: MIT OR Apache-2.0
"""The folder of `cwnd reproduce`: what is done, verdicts, pictures, numbers.

`points/` the numbers of finished points; `verdicts.json` an entry per experiment, in the order of the documents; `<document>/<figure>/` the
picture (figure.svg, figure.png), the numbers (data.parquet) and the scenarios (scenarios.json); `manifest.json` who wrote it,
and times, which are nowhere else.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cwnd
from cwnd.experiments.cache import Cache
from cwnd.experiments.find import Experiment
from cwnd.experiments.frame import Results
from cwnd.experiments.picture import draw
from cwnd.experiments.runner import ERRORS, Column
from cwnd.experiments.verdict import Verdict, judge, summary
from cwnd.replicates.folder import alone, read, write
from cwnd.store import MANIFEST, REPRODUCE, origin
from cwnd.store import check as check_result

VERDICTS = "verdicts.json"
#: The last full list, where the source tree is at hand.
COMMITTED = Path(cwnd.__file__).parents[2] / "docs" / "experiments" / VERDICTS

Entry = dict[str, Any]


class Book:
    """A folder of `cwnd reproduce`."""

    def __init__(self, path: Path, *, force: bool = False) -> None:
        self.path = path
        self._force = force
        self.cache = Cache(path / "points")

    def check(self) -> None:
        """Refuses a folder that holds something else."""
        if self.path.is_symlink() or read(self.path / MANIFEST).get("kind") != REPRODUCE:
            check_result(self.path, REPRODUCE, force=self._force)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Makes the folder and keeps others out while the body runs."""
        self.check()
        self.path.mkdir(parents=True, exist_ok=True)
        with alone(self.path):
            if read(self.path / MANIFEST).get("kind") != REPRODUCE:
                for path in self.path.iterdir():  # another result, which `check` has let go
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            self.cache.sweep()
            write(self.path / MANIFEST, {**read(self.path / MANIFEST), "kind": REPRODUCE, **origin()})
            yield

    def entries(self) -> list[Entry]:
        """The verdicts so far."""
        return entries(self.path / VERDICTS)

    def keep(self, new: Sequence[Entry], order: Sequence[str]) -> None:
        """Writes the verdicts, the new ones in the place of those of the same experiments; of others only what is in `order`."""
        found = {one["id"]: one for one in [*self.entries(), *new]}
        write(self.path / VERDICTS, [found[name] for name in order if name in found])

    def finish(self, times: dict[str, Any]) -> None:
        """Notes when, and how long it took."""
        write(self.path / MANIFEST, {**read(self.path / MANIFEST), **times})

    def folder(self, experiment: str) -> Path:
        """Where an experiment's picture and numbers are."""
        return self.path / experiment


def entries(path: Path) -> list[Entry]:
    """A file of verdicts; nothing where there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return found if isinstance(found, list) else []


def verdicts(experiment: Experiment, results: Results) -> list[Verdict]:
    """On each of its claims."""
    return [judge(experiment.stated[name], answer) for name, answer in experiment.answers(results).items()]


def entry(experiment: Experiment, column: Column, results: Results) -> Entry:
    """An experiment's verdict with those on its claims."""
    found = verdicts(experiment, results)
    rows = []
    for one in found:
        row = one.document()
        if one.holds is False:
            row["why"] = experiment.why(one.claim.name)
        rows.append(row)
    return {
        "id": experiment.id,
        "title": experiment.title,
        "verdict": summary(found),
        "full": column.setup.full,
        "seeds": max((len(names) for names in column.names.values()), default=0),
        "scenarios": column.digest,
        "cubic": column.setup.cubic if experiment.cubic else None,
        "claims": rows,
    }


def beside(made: Entry, experiment: Experiment, column: Column, results: Results) -> Entry:
    """The entry with the verdicts of its second column: the same with another version of CUBIC."""
    theirs = verdicts(experiment, results)
    keys = ("measured", "ci95", "holds", "near", "at", "undecidable")
    documents = [one.document() for one in theirs]
    rows = [
        {**row, "second": {key: document[key] for key in keys if key in document}}
        for row, document in zip(made["claims"], documents)
    ]
    return {**made, "second": {"cubic": column.setup.cubic, "verdict": summary(theirs)}, "claims": rows}


@dataclass(frozen=True)
class Second:
    """The second column of an experiment: what is laid out, or why it could not be."""

    cubic: str
    column: Column | None
    failed: str = ""


def keep(book: Book, experiment: Experiment, first: Column, second: Second | None) -> Entry | None:
    """Judges, draws and writes an experiment; `None` while something of it is missing. The first column is the document's, and
    whatever goes wrong with the second is said in its place."""
    results = first.results(book.cache)
    other = second.column.results(book.cache) if second and second.column and not second.failed else None
    if results is None or (second and not second.failed and other is None):
        return None
    made = entry(experiment, first, results)
    columns = [(first, results)]
    if second and second.failed:
        made["second"] = {"cubic": second.cubic, "failed": second.failed}
    elif second and second.column and other is not None and second.column.digest != first.digest:
        try:
            made = beside(made, experiment, second.column, other)
            columns.append((second.column, other))
        except ERRORS as error:
            made["second"] = {"cubic": second.cubic, "failed": f"{type(error).__name__}: {error}"}
    folder = book.folder(experiment.id)
    folder.mkdir(parents=True, exist_ok=True)
    draw(experiment, results, first.digest, folder)
    numbers(folder / "data.parquet", columns)
    scenarios = {key: json.loads(one.to_json()) for key, one in first.scenarios.items()}
    write(folder / "scenarios.json", scenarios)
    return made


def numbers(path: Path, columns: Sequence[tuple[Column, Results]]) -> None:
    """The numbers of all points, a row each: which CUBIC, point, seed, name, place in a list, number or text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows: list[tuple[str, str, int, str, int | None, float | None, str | None]] = []
    for column, results in columns:
        for key in results:
            for place, run in enumerate(results[key], start=1):
                for name, index, value in flat("", run):
                    text = value if isinstance(value, str) else None
                    number = None if text is not None or value is None else float(value)
                    rows.append((column.setup.cubic, key, place, name, index, number, text))
    kinds = (pa.string(), pa.string(), pa.int32(), pa.string(), pa.int32(), pa.float64(), pa.string())
    names = ("cubic", "point", "seed", "name", "index", "value", "text")
    arrays = [pa.array(values, kind) for values, kind in zip(zip(*rows) if rows else [[]] * len(kinds), kinds)]
    beside = path.with_name(f".{path.name}")
    try:
        pq.write_table(pa.table(arrays, names=list(names)), beside, compression="zstd")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def flat(name: str, value: Any, index: int | None = None) -> Iterator[tuple[str, int | None, Any]]:  # noqa: ANN401
    """Names, places and values of nested numbers."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from flat(f"{name}.{key}" if name else key, one)
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from flat(name if index is None else f"{name}[{index}]", one, place)
    else:
        yield name, index, value
