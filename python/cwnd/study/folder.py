# SPDX-License-Identifier: MIT OR Apache-2.0
"""A study on disk: `points/`, a file per run that is done, complete or absent; and the tables over them, written when the command ends.

A run's file is named by the hash of all that its numbers depend on (`points.key_of`): the same run of another study is the same file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NotRequired, TypedDict, TypeGuard, cast

from cwnd._internal.json_files import check_shape, read_json
from cwnd._internal.temporary_files import replacing, sweep
from cwnd.replicates.folder import folder_lock, read
from cwnd.replicates.number_cache import Cache
from cwnd.replicates.rows import RunNumbers, has_numbers
from cwnd.result.store import MANIFEST, STUDY, STUDY_DRAWN, FolderError, check_folder, kind_of_result, origin
from cwnd.result.tables import for_spreadsheets, read_table
from cwnd.scenario.flow import Value
from cwnd.study.manifest import DESCRIBED, axis_document, base_document
from cwnd.study.points import Points
from cwnd.study.results import Failed, Study

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
#: The name of a run's numbers.
KEY = re.compile(r"[0-9a-f]{32}")
#: The files of a study's own folder.
WRITTEN = (MANIFEST, FAILED, RUNS, MEANS, TEXT)


class Failure(TypedDict):
    """What is kept of a run that failed."""

    why: str


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
        #: Folders of runs that parts of the study share.
        self._shared: list[Cache] = []
        #: Whether the folder had another study's tables.
        self.replaced = False

    def check(self) -> None:
        """Refuses, before any work, a folder that holds something else than a study."""
        # Files of others, such as pictures, may lie in the folder of a study: it writes its own names only.
        if self.path.is_symlink() or read(self.path / MANIFEST).get("kind") != STUDY:
            check_folder(self.path, STUDY, force=self._force)
        own = self.path / "points"
        if self._owns_points and (linked := next((each for each in (own, *own.glob("??")) if each.is_symlink()), None)):
            name = linked.relative_to(self.path)
            raise FolderError(
                f'folder: "{self.path}" is not accepted; expected a study with its own runs; {name} is a link, which is not followed'
            )

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
        """The numbers of a run, if they are there, or in a folder that `adopt` has found; from there they are taken over."""
        found = self.cache.get(key)
        for shared in self._shared if not has_numbers(found) else ():
            theirs = shared.get(key)
            if has_numbers(theirs):
                self.put(key, cast("RunNumbers", theirs))
                return cast("RunNumbers", theirs)
        return cast("RunNumbers", found) if has_numbers(found) else None

    def put(self, key: str, numbers: RunNumbers) -> None:
        """Keeps the numbers of a run."""
        self.cache.put(key, cast("dict[str, str]", numbers))

    def why_failed(self, key: str) -> str | None:
        """Why a run failed when it was last tried, if it did. It is tried again by every command that is to run it."""
        found = (cache.get(key) for cache in (self.cache, *self._shared))
        return next((each["why"] for each in found if each is not None and is_failure(each)), None)

    def put_failed(self, key: str, why: str) -> None:
        """Keeps why a run failed, unless another command has its numbers."""
        if self.get(key) is None:
            self.cache.put(key, {"why": why})

    def adopt(self, others: Iterable[Path]) -> None:
        """Takes over the runs that other folders of studies have, and why runs failed.

        A manifest may name a folder of runs outside its own (`--points`). It is not listed: `get` looks there for the runs of this study
        alone, by the digests that are their names. So the manifest of a folder that is another user's names no other file.
        """
        for other in others:
            named, inside = read(other / MANIFEST).get("points"), other.resolve()
            points = Path(named) if isinstance(named, str) and "\0" not in named else other / "points"
            theirs = Cache(points)
            if not points.resolve().is_relative_to(inside):
                self._shared.append(theirs)
                continue
            for file in sorted(points.glob("??/*.json")) if inside != self.path.resolve() else []:
                # By way of a link it would be a file elsewhere.
                if not (KEY.fullmatch(file.stem) and file.resolve().is_relative_to(inside)):
                    continue
                found = theirs.get(file.stem)
                if found is not None and has_numbers(found):
                    self.cache.put(file.stem, found)
                elif found is not None and is_failure(found):
                    self.put_failed(file.stem, found["why"])

    def describe(self, points: Points, settings: Mapping[str, object], *, is_part: bool) -> None:
        """Writes the study's description. Tables of an earlier command stay until `conclude`.

        Raises `FolderError` if it is a part of another study than the one in the folder, whose parts it would hide.
        """
        design = points.design
        manifest = {
            "kind": STUDY,
            **settings,
            "base": base_document(points),
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
                f'folder: "{self.path}" is not accepted; expected a folder with parts of this study, or a free name (it holds parts of another study)'
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


def is_failure(found: Mapping[str, object]) -> TypeGuard[Failure]:
    """Whether what was read says why a run failed, and nothing else."""
    return found.keys() == {"why"} and isinstance(found["why"], str)


def as_text(document: object) -> str:
    """A document as the files of a study have it."""
    return json.dumps(document, indent=1) + "\n"


def clear(path: Path) -> None:
    import shutil

    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


#: Keys that say what the tables are: fields of the study by their names.
CONCLUDED = ("factors", "asked", "done", "stopped", "fixed", "wide")


def load_study(folder: Path) -> Study:
    """The study in a folder, as the last command that wrote to it left it; raises `FolderError` where there is none."""
    manifest = read(folder / MANIFEST)
    if manifest.get("kind") != STUDY:
        raise FolderError(f'folder: "{folder}" is not accepted; expected a {STUDY}, of cwnd sweep -o')
    if "done" not in manifest:
        raise FolderError(
            f'folder: "{folder}" is not accepted; expected a study with its tables: run the interrupted command again to write them'
        )
    check_shape(manifest, Concluded, MANIFEST, signed=False)
    failed = read_json(folder / FAILED) if (folder / FAILED).exists() else []
    check_shape(failed, list[dict[str, object]], FAILED)
    done, asked = cast("int", manifest["done"]), cast("int", manifest["asked"])
    return Study(
        cast("list[str]", manifest["factors"]),
        read_table(folder / RUNS, RUN_COLUMNS),
        read_table(folder / MEANS, MEAN_COLUMNS, signed=("low",)),
        cast("list[Failed]", failed),
        asked,
        done,
        done,
        bool(manifest.get("stopped", False)),
        cast("dict[str, str]", manifest.get("fixed", {})),
        cast("list[dict[str, Value]]", manifest.get("wide", [])),
    )
