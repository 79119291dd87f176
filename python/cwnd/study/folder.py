# SPDX-License-Identifier: MIT OR Apache-2.0
"""A study on disk: `points/`, a file per run that is done, complete or absent; and the tables over them, written when the command ends.

A run's file is named by the hash of all that its numbers depend on (`points.key_of`): the same run of another study is the same file.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from cwnd.flow_and_link import Value
from cwnd.number_cache import Cache
from cwnd.replicates.folder import folder_lock, read
from cwnd.replicates.rows import RunNumbers, has_numbers
from cwnd.scenario import plain
from cwnd.store import MANIFEST, STUDY, STUDY_DRAWN, FolderError, check_folder, kind_of_result, origin
from cwnd.stored_json import ShapeError, check_shape, read_json
from cwnd.study.design import Design
from cwnd.study.points import Base, Files, Points
from cwnd.study.results import Failed, Study
from cwnd.study.values import Range, Values
from cwnd.tables import for_spreadsheets, read_table
from cwnd.temporary_files import replacing, sweep

FAILED = "failed.json"
RUNS, MEANS, TEXT = "runs.parquet", "means.parquet", "means.csv"
#: Columns behind those of what is varied, and whether they hold numbers.
RUN_COLUMNS = {
    "seed": True,
    "of": False,
    "name": False,
    "label": False,
    "measure": False,
    "value": True,
    "unit": False,
    "why": False,
}
MEAN_COLUMNS = {
    **{
        "of": False,
        "name": False,
        "label": False,
        "measure": False,
        "centre": False,
        "value": True,
        "low": True,
        "high": True,
    },
    **{"n": True, "undefined": True, "unit": False, "why": False},
}
#: The files of a study's own folder.
WRITTEN = (MANIFEST, FAILED, RUNS, MEANS, TEXT)


class BaseRow(TypedDict):
    """What a study varies, in its manifest."""

    scenario: dict[str, object]
    printed: bool
    folder: NotRequired[str]
    files: NotRequired[dict[str, str]]


class Described(TypedDict):
    """What a manifest says of what is run."""

    lane: str
    seeds: int
    base: BaseRow
    axes: dict[str, list[object] | str]
    zipped: list[list[str]]
    latin: int | None
    drawn_with: int


class Concluded(TypedDict):
    """What a manifest says of the tables."""

    factors: list[str]
    asked: int
    done: int
    stopped: NotRequired[bool]
    fixed: NotRequired[dict[str, str]]
    wide: NotRequired[list[dict[str, object]]]


class StudyFolder:
    """The folder of a study, and that of its runs, which studies may share."""

    def __init__(self, path: Path, points: Path | None = None, *, force: bool = False) -> None:
        self.path = path
        self.cache = Cache(points or path / "points")
        self._owns_points = points is None
        self._force = force
        #: Whether the folder had another study's tables.
        self.replaced = False

    def check(self) -> None:
        """Refuses, before any work, a folder that holds something else than a study."""
        # Files of others, such as pictures, may lie in the folder of a study: it writes its own names only.
        if self.path.is_symlink() or read(self.path / MANIFEST).get("kind") != STUDY:
            check_folder(self.path, STUDY, force=self._force)

    @contextmanager
    def locked(self, *, alone: bool) -> Iterator[None]:
        """Makes the folder; with `alone`, locks it against other processes while the body runs. Removes it if the body wrote nothing."""
        self.check()
        is_new = not self.path.exists()
        self.path.mkdir(parents=True, exist_ok=True)
        if kind_of_result(self.path) not in (None, STUDY):  # with force
            for path in self.path.iterdir():
                clear(path)
        if not alone:
            yield
            return
        with folder_lock(self.path):
            # Parts of the study take no lock, and may be writing runs.
            for name in WRITTEN:
                sweep(self.path, f".{name}.*")
            self.cache.sweep()
            try:
                yield
            finally:
                if is_new:
                    with suppress(OSError):
                        self.path.rmdir()

    def get(self, key: str) -> RunNumbers | None:
        """The numbers of a run, if they are there."""
        found = self.cache.get(key)
        return cast("RunNumbers", found) if has_numbers(found) else None

    def put(self, key: str, numbers: RunNumbers) -> None:
        """Keeps the numbers of a run."""
        self.cache.put(key, cast("dict[str, str]", numbers))

    def why_failed(self, key: str) -> str | None:
        """Why a run failed when it was last tried, if it did. It is tried again by every command that is to run it."""
        found = self.cache.get(key)
        return str(found["why"]) if found is not None and "why" in found else None

    def put_failed(self, key: str, why: str) -> None:
        """Keeps why a run failed, unless another command has its numbers."""
        if self.get(key) is None:
            self.cache.put(key, {"why": why})

    def adopt(self, others: Iterable[Path]) -> None:
        """Takes over the runs that other folders of studies have, and why runs failed."""
        for other in others:
            theirs = Cache(Path(str(read(other / MANIFEST).get("points", other / "points"))))
            for file in sorted(theirs.folder.glob("??/*.json")) if other.resolve() != self.path.resolve() else []:
                found = theirs.get(file.stem)
                if found is not None and has_numbers(found):
                    self.cache.put(file.stem, found)
                elif found is not None and "why" in found:
                    self.put_failed(file.stem, str(found["why"]))

    def describe(self, points: Points, settings: Mapping[str, object], *, is_part: bool) -> None:
        """Writes what the study is, beside what the tables are that an earlier command has written: these stay until `conclude`.

        Raises `FolderError` if it is a part of another study than the one in the folder, whose parts it would hide.
        """
        design = points.design
        manifest = {
            "kind": STUDY,
            **settings,
            "base": base_document(points.base),
            "axes": {key: axis_document(values) for key, values in design.axes.items()},
            "zipped": [list(group) for group in design.zipped],
            "latin": design.latin,
            "drawn_with": design.seed,
            **({} if self._owns_points else {"points": str(self.cache.folder.resolve())}),
            **origin(),
        }
        before = read(self.path / MANIFEST)
        is_same = all(before.get(key) == manifest.get(key) for key in DESCRIBED)
        # More points or seeds of a study that is done are what its parts may add.
        may_differ = (
            ("seeds", "until", "most_seeds", "axes", "zipped", "latin")
            if "done" in before and "extended" not in before
            else ()
        )
        if (
            is_part
            and before
            and any(before.get(key) != manifest.get(key) for key in DESCRIBED if key not in may_differ)
        ):
            raise FolderError(
                f'folder: "{self.path}" is not accepted; expected the study that this is a part of, or a free name (it holds parts of another one)'
            )
        # A study of other flows or another link: what was drawn of the one before is none of it.
        self.replaced = not is_part and "done" in before and before.get("base") != manifest["base"]
        if self.replaced:
            for path in self.path.iterdir():
                if re.fullmatch(STUDY_DRAWN, path.name):
                    path.unlink()
        if "done" in before:
            manifest |= {key: before[key] for key in CONCLUDED if key in before}
            if not is_same or "extended" in before:
                manifest["extended"] = True
        # Parts of a study write the same at once.
        if before != manifest:
            with replacing(self.path / MANIFEST) as part:
                part.write_text(as_text(manifest), encoding="utf-8")

    def conclude(self, study: Study) -> None:
        """Writes the tables, and what failed. They take their names at once, the manifest last."""
        import pyarrow.parquet as pq
        from pyarrow import csv

        manifest = read(self.path / MANIFEST)
        manifest.pop("extended", None)
        with ExitStack() as names:

            def part(name: str) -> Path:
                return names.enter_context(replacing(self.path / name))

            manifest |= {key: getattr(study, key) for key in CONCLUDED}
            part(MANIFEST).write_text(as_text(manifest), encoding="utf-8")
            csv.write_csv(for_spreadsheets(study.means), part(TEXT))
            pq.write_table(study.means, part(MEANS))
            pq.write_table(study.runs, part(RUNS))
            if study.failed:
                part(FAILED).write_text(as_text(study.failed), encoding="utf-8")
            else:
                (self.path / FAILED).unlink(missing_ok=True)


def as_text(document: object) -> str:
    """A document as the files of a study have it."""
    return json.dumps(document, indent=1) + "\n"


def clear(path: Path) -> None:
    import shutil

    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def base_document(base: Base) -> dict[str, object]:
    """A base as JSON: its keys, and the files that they may name."""
    document: dict[str, object] = {"scenario": plain("", base.document), "printed": base.printed}
    if isinstance(base.files, Path):
        document["folder"] = str(base.files.resolve())
    elif base.files is not None:
        document["files"] = {path: b64encode(contents).decode() for path, contents in base.files.items()}
    return document


def base_of(document: Mapping[str, object]) -> Base:
    """The base that `base_document` wrote."""
    contents = cast("Mapping[str, str]", document.get("files", {}))
    files: Files = {path: b64decode(text) for path, text in contents.items()} if contents else None
    if "folder" in document:
        files = Path(str(document["folder"]))
    return Base(cast("Mapping[str, object]", document["scenario"]), files, printed=bool(document["printed"]))


def axis_document(values: Values) -> object:
    """The values of an axis as JSON; of a range to draw from, its text."""
    if isinstance(values, Range):
        return f"{values.begin}..{values.end}{values.unit}{'log' if values.log else ''}"
    return plain("", list(values))


def whole_of(shards: Sequence[Path]) -> tuple[Points, Mapping[str, object]]:
    """The study that these folders have parts of, and its manifest; raises `FolderError` if they are of different ones."""
    manifests = {shard: read(shard / MANIFEST) for shard in shards}
    for shard, manifest in manifests.items():
        if manifest.get("kind") != STUDY:
            raise FolderError(f'DIR: "{shard}" is not accepted; expected a part of a study, of cwnd sweep --shard -o')
        if any(manifest.get(key) != manifests[shards[0]].get(key) for key in IDENTITY):
            raise FolderError(f'DIR: "{shard}" is not accepted; expected a part of the same study as "{shards[0]}"')
    first = manifests[shards[0]]
    try:
        check_shape(first, Described, MANIFEST)
    except ShapeError as error:
        raise FolderError(f'DIR: "{shards[0]}" is not accepted; expected a part of a study ({error})') from None
    axes: dict[str, Values] = {}
    for key, given in cast("Mapping[str, object]", first["axes"]).items():
        axes[key] = Range.of(key, given) if isinstance(given, str) else cast("list[Value]", given)
    design = Design(
        axes,
        cast("list[list[str]]", first["zipped"]),
        cast("int | None", first["latin"]),
        cast("int", first["drawn_with"]),
    )
    return Points(base_of(cast("Mapping[str, object]", first["base"])), design), first


#: Keys of a manifest that say what the study is.
DESCRIBED = ("lane", "seeds", "until", "most_seeds", "base", "axes", "zipped", "latin", "drawn_with")
#: Keys that parts which are merged share.
IDENTITY = (*DESCRIBED, "versions", "plugins")
#: Keys that say what the tables are: fields of the study by their names.
CONCLUDED = ("factors", "asked", "done", "stopped", "fixed", "wide")


def load_study(folder: Path) -> Study:
    """The study in a folder, as the last command that wrote to it left it; raises `FolderError` where there is none."""
    manifest = read(folder / MANIFEST)
    if manifest.get("kind") != STUDY:
        raise FolderError(f'folder: "{folder}" is not accepted; expected a {STUDY}, of cwnd sweep -o')
    if "done" not in manifest:
        raise FolderError(
            f'folder: "{folder}" is not accepted; expected a study with its tables: the command that was stopped, again, writes them'
        )
    check_shape(manifest, Concluded, MANIFEST)
    failed = read_json(folder / FAILED) if (folder / FAILED).exists() else []
    check_shape(failed, list[dict[str, object]], FAILED)
    done, asked = cast("int", manifest["done"]), cast("int", manifest["asked"])
    return Study(
        cast("list[str]", manifest["factors"]),
        read_table(folder / RUNS, RUN_COLUMNS),
        read_table(folder / MEANS, MEAN_COLUMNS),
        cast("list[Failed]", failed),
        asked,
        done,
        done,
        bool(manifest.get("stopped", False)),
        cast("dict[str, str]", manifest.get("fixed", {})),
        cast("list[dict[str, Value]]", manifest.get("wide", [])),
    )
