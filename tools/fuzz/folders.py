# SPDX-License-Identifier: MIT OR Apache-2.0
"""Changes files in folders of results at random, and reads all that is in them: python -m tools.fuzz.folders SECONDS SEED.

The nearest to a libFuzzer target that Python has without a package of its own: seeded mutation without coverage. A folder is read or refused
in one line; anything else is a failure, and leaves its folder in target/fuzz/left.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cwnd
from cwnd.load import NoResultError
from cwnd.notebook.html import HtmlPrinter
from cwnd.plot.redraw import redraw
from cwnd.result.report import table
from cwnd.study.folder import StudyFolder
from cwnd.study.manifest import whole_of
from cwnd.study.runner import StudyRun, gathered
from tools.fuzz.seeds import MAKERS, run_folder

LEFT = Path("target/fuzz/left")
#: What a file of JSON may have in place of any of its values.
STRANGE: list[Any] = [
    *(None, True, -1, 0, -0.0, 1e300, float("nan"), float("inf"), 2**63, 2**64, 10**400, "", "x" * 5000),
    *("\x1b[31m\u202e", "<script>", "../../x", [], {}, [1], {"a": 1}),
]


class BrokenError(Exception):
    """A folder was neither read nor refused in one line."""


@contextmanager
def seed_folder() -> Iterator[Path]:
    """The folder of a short run."""
    with tempfile.TemporaryDirectory(prefix="cwnd-fuzz-") as folder:
        run_folder(Path(folder) / "run")
        yield Path(folder) / "run"


@contextmanager
def seed_folders() -> Iterator[dict[str, Path]]:
    """Folders of all kinds, by their kinds."""
    with tempfile.TemporaryDirectory(prefix="cwnd-fuzz-") as folder:
        paths = {kind: Path(folder) / kind for kind in MAKERS}
        for kind, make in MAKERS.items():
            make(paths[kind])
        yield paths


def changed_bytes(chance: random.Random, contents: bytes) -> bytes:
    """Bytes with some of them changed, removed, added or repeated."""
    data = bytearray(contents)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(data) + 1)
        length = chance.randrange(1, 40)
        kind = chance.randrange(4)
        if kind == 0:
            data[at : at + 1] = bytes([chance.randrange(256)])
        elif kind == 1:
            del data[at : at + length]
        elif kind == 2:
            data[at:at] = chance.randbytes(length)
        else:
            data[at:at] = data[at : at + length] * chance.randrange(1, 20)
    return bytes(data)


def changed_json(chance: random.Random, document: Any) -> Any:  # noqa: ANN401 -- a document
    """A document with one value removed or replaced."""
    document = copy.deepcopy(document)
    places: list[tuple[Any, Any]] = []

    def collect(value: object) -> None:
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in pairs:
            places.append((value, key))
            collect(inner)

    collect(document)
    container, key = chance.choice(places)
    if chance.random() < 0.3:
        del container[key]
    else:
        container[key] = chance.choice(STRANGE)
    return document


def change(chance: random.Random, seed: Path, folder: Path) -> str:
    """Makes a copy of the folder with one file changed; returns which."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(seed, folder)
    file = chance.choice(sorted(str(path.relative_to(seed)) for path in seed.rglob("*") if path.is_file()))
    contents = (seed / file).read_bytes()
    if file.endswith(".json") and chance.random() < 0.7:
        (folder / file).write_text(json.dumps(changed_json(chance, json.loads(contents))))
    else:
        (folder / file).write_bytes(changed_bytes(chance, contents))
    return file


def ways(folder: Path, seed: Path, *, draws: bool) -> Iterator[Callable[[], object]]:
    """What the commands do with a folder, one after the other; `draws` with pictures, which take longest. `seed` is the folder unchanged."""
    result = cwnd.load(folder)
    yield lambda: repr(result)
    if isinstance(result, cwnd.Study):
        yield lambda: merged(folder, folder.with_name("merged"))
        yield lambda: cwnd.diff(folder, seed)
        if draws:
            yield lambda: cwnd.plot.response(result)
            yield lambda: cwnd.plot.delay_throughput(result)
        return
    if isinstance(result, cwnd.Replicates):
        yield lambda: (result.runs, result.means, result.failures)
        yield lambda: cwnd.diff(folder, seed)
        yield result._repr_html_
        if draws:
            yield lambda: cwnd.plot.cdf(folder)
        return
    for name in result.names:
        yield lambda name=name: result.table(name)  # type: ignore[misc]
    yield lambda: result.to_qlog(folder / "written.sqlog", mss=1448 if isinstance(result, cwnd.KernelTrace) else None)
    if draws:
        yield lambda: redraw(folder)
    if not isinstance(result, cwnd.KernelTrace):
        yield lambda: table(result.summary, HtmlPrinter())
        yield lambda: (result.measures, result.summary_table)
        yield lambda: cwnd.diff(folder, seed)
        if draws:
            yield lambda: [kind(result) for kind in (cwnd.plot.windows, cwnd.plot.queue, cwnd.plot.cdf)]


def merged(folder: Path, out: Path) -> object:
    """The study whose part a folder is."""
    shutil.rmtree(out, ignore_errors=True)
    points, settings = whole_of([folder])
    # Of a study of many runs each would be looked for.
    return gathered(StudyRun(points, settings, StudyFolder(out)), [folder]) if len(points.points) < 100 else None


def read_all(folder: Path, seed: Path | None = None, *, draws: bool = False) -> bool:
    """Reads what is in a folder, as the commands do; whether all of it was accepted. Raises `BrokenError`."""
    is_accepted = True

    def attempt(act: Callable[[], object]) -> object:
        nonlocal is_accepted
        try:
            with warnings.catch_warnings(action="ignore"):
                return act()
        except (NoResultError, cwnd.ScenarioError, cwnd.FolderError) as error:
            if "\n" in str(error):
                raise BrokenError(f"more than a line: {error}") from error
            is_accepted = False
        except Exception as error:
            raise BrokenError(f"{type(error).__name__}: {error}") from error
        return None

    acts = ways(folder, seed or folder, draws=draws)
    while act := attempt(lambda: next(acts, None)):
        assert callable(act)
        attempt(act)
    return is_accepted


def main() -> int:
    seconds, seed = float(sys.argv[1]), int(sys.argv[2])
    chance, until, count, accepted = random.Random(seed), time.monotonic() + seconds, 0, 0
    with seed_folders() as origins:
        while time.monotonic() < until:
            origin = origins[chance.choice(sorted(origins))]
            folder = origin.with_name("changed")
            file = change(chance, origin, folder)
            count += 1
            try:
                accepted += read_all(folder, origin, draws=count % 10 == 0)
            except BrokenError as error:
                kept = LEFT / f"folder-{seed}-{count}"
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(folder, kept)
                print(f"{kept}, a {origin.name} in which {file} was changed (seed {seed}): {error}")
                return 1
    print(f"folder: {count} folders from seed {seed}, {accepted} of them read and the others refused in a line")
    return 0


if __name__ == "__main__":
    sys.exit(main())
