# SPDX-License-Identifier: MIT OR Apache-2.0
"""Changes files in the folder of a run at random, and reads all that is in it: python -m tools.fuzz.folders SECONDS SEED.

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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cwnd
from cwnd.notebook_html import HtmlPrinter
from cwnd.reading import NoResultError
from cwnd.report import table

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
    """The folder of a short run with everything in it: flows, traffic, losses."""
    scenario = cwnd.dumbbell(["cubic", "reno"], rate="5Mbit/s", rtt="20ms", loss="random:0.01", duration="1s")
    with tempfile.TemporaryDirectory(prefix="cwnd-fuzz-") as folder:
        cwnd.run(scenario, folder=Path(folder) / "run", pictures=False)
        yield Path(folder) / "run"


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
    file = chance.choice(sorted(path.name for path in seed.iterdir()))
    contents = (seed / file).read_bytes()
    if file.endswith(".json") and chance.random() < 0.7:
        (folder / file).write_text(json.dumps(changed_json(chance, json.loads(contents))))
    else:
        (folder / file).write_bytes(changed_bytes(chance, contents))
    return file


def read_all(folder: Path) -> bool:
    """Reads what is in a folder, as the commands do; whether it was accepted. Raises `BrokenError`."""
    try:
        result = cwnd.load(folder)
        if not isinstance(result, cwnd.Result):
            return True
        repr(result)
        for name in result.names:
            result.table(name)
        table(result.summary, HtmlPrinter())
        result.to_qlog(folder / "written.sqlog")
        _ = result.measures
    except (NoResultError, cwnd.ScenarioError) as error:
        if "\n" in str(error):
            raise BrokenError(f"more than a line: {error}") from error
        return False
    except Exception as error:
        raise BrokenError(f"{type(error).__name__}: {error}") from error
    return True


def main() -> int:
    seconds, seed = float(sys.argv[1]), int(sys.argv[2])
    chance, until, count, accepted = random.Random(seed), time.monotonic() + seconds, 0, 0
    with seed_folder() as origin:
        while time.monotonic() < until:
            folder = origin.with_name("changed")
            file = change(chance, origin, folder)
            count += 1
            try:
                accepted += read_all(folder)
            except BrokenError as error:
                kept = LEFT / f"folder-{seed}-{count}"
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(folder, kept)
                print(f"{kept}, in which {file} was changed (seed {seed}): {error}")
                return 1
    print(f"folder: {count} folders from seed {seed}, {accepted} of them read and the others refused in a line")
    return 0


if __name__ == "__main__":
    sys.exit(main())
