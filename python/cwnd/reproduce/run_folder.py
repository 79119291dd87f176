# SPDX-License-Identifier: MIT OR Apache-2.0
"""The folder that `cwnd reproduce` writes.

`points/` holds the numbers of finished points, `verdicts.json` an entry per experiment in the order of claims.toml, and
`<document>/<figure>/` the picture (figure.svg, figure.png), the numbers (data.parquet) and the scenarios (scenarios.json) of an
experiment. `manifest.json` holds versions and machine, and is the only file with times.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired, TypedDict, cast

import cwnd
from cwnd._internal.json_files import XZ, ShapeError, check_shape, read_json
from cwnd._internal.temporary_files import replacing
from cwnd.replicates.folder import folder_lock, read, write
from cwnd.replicates.number_cache import Cache
from cwnd.reproduce.experiment import AnyExperiment, Results
from cwnd.reproduce.live import LivePoint
from cwnd.reproduce.numbers import Json, JsonObject, to_json
from cwnd.reproduce.picture import draw
from cwnd.reproduce.runner import ERRORS, Column
from cwnd.reproduce.verdict import SecondVerdict, Shown, ShownInterval, Verdict, VerdictDocument, judge, summary
from cwnd.result.store import MANIFEST, REPRODUCE, FolderError, origin
from cwnd.result.store import check_folder as check_result
from cwnd.scenario.snapshot import scenario_document

VERDICTS = "verdicts.json"
#: An experiment: a document and its figure, names of folders too.
ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*")
#: What verdicts.json has of a claim in the second column.
SECOND = SecondVerdict.__annotations__.keys()
#: The verdicts of the last shortened run, which a source tree has, compressed.
COMMITTED = Path(cwnd.__file__).parents[2] / "docs" / "results" / f"{VERDICTS}{XZ}"


class SecondEntry(TypedDict):
    """The second column of an experiment: its verdict, or why it failed."""

    cubic: str
    verdict: NotRequired[str]
    failed: NotRequired[str]


class Entry(TypedDict):
    """An experiment in verdicts.json."""

    id: str
    title: str
    verdict: str
    full: bool
    #: how many, at the point with most of them
    seeds: int
    #: hash of all its scenarios
    scenarios: str
    #: CUBIC's version; null: no CUBIC runs
    cubic: str | None
    claims: list[VerdictDocument]
    second: NotRequired[SecondEntry]
    #: its points in lane live, or linux, with the simulator's numbers
    live: NotRequired[list[LivePoint]]
    #: that lane, such as `linux:6.12`; of earlier versions none, which is `live`
    lane: NotRequired[str]


class RunFolder:
    """A folder that `cwnd reproduce` writes."""

    def __init__(self, path: Path, *, force: bool = False) -> None:
        self.path = path
        self._force = force
        self.cache = Cache(path / "points")

    def check(self) -> None:
        """Refuses a folder that holds something else."""
        if self.path.is_symlink() or read(self.path / MANIFEST).get("kind") != REPRODUCE:
            check_result(self.path, REPRODUCE, force=self._force)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Makes the folder and locks it against other processes while the body runs."""
        self.check()
        self.path.mkdir(parents=True, exist_ok=True)
        with folder_lock(self.path):
            if read(self.path / MANIFEST).get("kind") != REPRODUCE:
                for path in self.path.iterdir():  # another result, which `check` allows to replace
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            self.cache.sweep()
            write(self.path / MANIFEST, {**read(self.path / MANIFEST), "kind": REPRODUCE, **origin()})
            yield

    def entries(self) -> list[Entry]:
        """The entries of the experiments that are done."""
        return entries(self.path / VERDICTS)

    def write_entries(self, new: Sequence[Entry], order: Sequence[str]) -> None:
        """Writes verdicts.json: the new entries replace those of the same experiments; experiments that are not in `order` are left out."""
        by_id = {entry["id"]: entry for entry in [*self.entries(), *new]}
        write(self.path / VERDICTS, [by_id[name] for name in order if name in by_id])

    def finish(self, times: JsonObject) -> None:
        """Adds the time of the end and the duration to the manifest."""
        write(self.path / MANIFEST, {**read(self.path / MANIFEST), **times})

    def folder(self, experiment: str) -> Path:
        """The folder of an experiment's picture and numbers."""
        return self.path / experiment


def entries(path: Path) -> list[Entry]:
    """The entries of a verdicts.json, or of a compressed one; none if there is no such file. Raises `FolderError` for what no `cwnd reproduce` has written."""
    try:
        document = read_json(path)
    except (OSError, ValueError):
        return []
    try:
        check_shape(document, list[Entry], path.name, {"Shown": Shown, "ShownInterval": ShownInterval})
        if strange := [entry["id"] for entry in document if not ID.fullmatch(entry["id"])]:
            raise ShapeError(f"{path.name}: {json.dumps(strange[0])} is not accepted; expected document/figure")
    except ShapeError as error:
        raise FolderError(
            f'folder: "{path.parent}" is not accepted; expected a result of cwnd reproduce ({error})'
        ) from None
    return cast("list[Entry]", document)


def verdicts(experiment: AnyExperiment, results: Results[object]) -> list[Verdict]:
    """The verdict on each claim of an experiment."""
    return [judge(experiment.paper_claims[name], answer) for name, answer in experiment.answers(results).items()]


def entry(experiment: AnyExperiment, column: Column, results: Results[object]) -> Entry:
    """The entry of an experiment in verdicts.json: its verdict and those on its claims."""
    judged = verdicts(experiment, results)
    rows = []
    for verdict in judged:
        row = verdict.document()
        if verdict.holds is False:
            row["why"] = experiment.why(verdict.claim.name)
        rows.append(row)
    return {
        "id": experiment.id,
        "title": experiment.title,
        "verdict": summary(judged),
        "full": column.setup.full,
        "seeds": max((len(names) for names in column.names.values()), default=0),
        "scenarios": column.digest,
        "cubic": column.setup.cubic if experiment.cubic else None,
        "claims": rows,
    }


def with_second(entry: Entry, experiment: AnyExperiment, column: Column, results: Results[object]) -> Entry:
    """The entry with the verdicts of its second column: the same experiment with another version of CUBIC."""
    judged = verdicts(experiment, results)
    documents = [verdict.document() for verdict in judged]
    rows: list[VerdictDocument] = [
        {**row, "second": cast("SecondVerdict", {key: value for key, value in document.items() if key in SECOND})}
        for row, document in zip(entry["claims"], documents)
    ]
    return {**entry, "second": {"cubic": column.setup.cubic, "verdict": summary(judged)}, "claims": rows}


@dataclass(frozen=True)
class SecondColumn:
    """The second column of an experiment, or why it failed."""

    cubic: str
    column: Column | None
    failed: str = ""


def judge_and_write(
    run_folder: RunFolder, experiment: AnyExperiment, first: Column, second: SecondColumn | None
) -> Entry | None:
    """Judges an experiment and writes its picture, numbers and scenarios; `None` while a point is missing.

    The first column has the document's CUBIC. An error in the second column is reported in that column.
    """
    results = first.results(run_folder.cache)
    other = second.column.results(run_folder.cache) if second and second.column and not second.failed else None
    if results is None or (second and not second.failed and other is None):
        return None
    new = entry(experiment, first, results)
    columns = [(first, results)]
    if second and second.failed:
        new["second"] = {"cubic": second.cubic, "failed": second.failed}
    elif second and second.column and other is not None and second.column.digest != first.digest:
        try:
            new = with_second(new, experiment, second.column, other)
            columns.append((second.column, other))
        except ERRORS as error:
            new["second"] = {"cubic": second.cubic, "failed": f"{type(error).__name__}: {error}"}
    folder = run_folder.folder(experiment.id)
    folder.mkdir(parents=True, exist_ok=True)
    draw(experiment, results, first.digest, folder)
    write_numbers(folder / "data.parquet", columns)
    scenarios = {key: scenario_document(scenario) for key, scenario in first.scenarios.items()}
    write(folder / "scenarios.json", scenarios)
    return new


def write_numbers(path: Path, columns: Sequence[tuple[Column, Results[object]]]) -> None:
    """Writes the numbers of all points, a row each: CUBIC's version, point, seed, name, index in a list, number or text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows: list[tuple[str, str, int, str, int | None, float | None, str | None]] = []
    for column, results in columns:
        for key in results:
            for seed, run in enumerate(results[key], start=1):
                for name, index, value in flat("", to_json(run, key)):
                    text = value if isinstance(value, str) else None
                    number = None if text is not None or value is None else float(value)
                    rows.append((column.setup.cubic, key, seed, name, index, number, text))
    kinds = (pa.string(), pa.string(), pa.int32(), pa.string(), pa.int32(), pa.float64(), pa.string())
    names = ("cubic", "point", "seed", "name", "index", "value", "text")
    arrays = [pa.array(values, kind) for values, kind in zip(zip(*rows) if rows else [[]] * len(kinds), kinds)]
    with replacing(path) as part:
        pq.write_table(pa.table(arrays, names=list(names)), part, compression="zstd")


def flat(name: str, value: Json, index: int | None = None) -> Iterator[tuple[str, int | None, str | float | None]]:
    """Name, index and value of each number in nested dictionaries and lists."""
    if value is None or isinstance(value, str | int | float):
        yield name, index, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flat(f"{name}.{key}" if name else key, inner)
    else:
        for position, element in enumerate(value):
            yield from flat(name if index is None else f"{name}[{index}]", element, position)
