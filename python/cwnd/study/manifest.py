# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a study is, in the manifest of its folder: the scenario that is varied, with a copy of each file that it names, and the axes.

A folder may be anyone's. Its study is made of the manifest alone: no file is read that the manifest names.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from cwnd._internal.gzip_files import size_in_words
from cwnd._internal.input_errors import refused
from cwnd._internal.json_files import check_shape
from cwnd.replicates.folder import read
from cwnd.result.store import MANIFEST, STUDY, FolderError
from cwnd.scenario.builders import plain
from cwnd.scenario.flow import Value
from cwnd.study.design import Design
from cwnd.study.points import Base, Points
from cwnd.study.settings import Settings, settings_in
from cwnd.study.values import Range, Values, once

#: Bytes that the files which a study names have together: with them, in base64, a manifest is no longer than what is read.
MOST_FILE_BYTES = 512 << 20


class BaseRow(TypedDict):
    """What a study varies, in its manifest."""

    scenario: dict[str, object]
    printed: bool
    #: The contents in base64 of each file that a point names, by the path that the scenario has for it.
    files: NotRequired[dict[str, str]]
    #: Values of options at every point, by their keys.
    fixed: NotRequired[dict[str, object]]


class Described(TypedDict):
    """What a manifest says of what is run."""

    lane: str
    seeds: int
    until: NotRequired[str | None]
    most_seeds: NotRequired[int | None]
    base: BaseRow
    axes: dict[str, list[object] | str]
    zipped: list[list[str]]
    latin: int | None
    drawn_with: int


#: Keys of a manifest that say what the study is.
DESCRIBED = ("lane", "seeds", "until", "most_seeds", "base", "axes", "zipped", "latin", "drawn_with")
#: Keys that parts which are merged share.
IDENTITY = (*DESCRIBED, "versions", "plugins")


def base_document(points: Points) -> dict[str, object]:
    """The base of a study as JSON: its keys, and the files that its points name."""
    base = points.base
    document: dict[str, object] = {"scenario": plain("", base.document), "printed": base.printed}
    files = points.named_files()
    size = sum(map(len, files.values()))
    if size > MOST_FILE_BYTES:
        expected = f"files of at most {size_in_words(MOST_FILE_BYTES)} in total, because a study's folder keeps copies"
        raise refused("scenario", f"files of {size_in_words(size)}", expected)
    if base.fixed:
        document["fixed"] = plain("", dict(base.fixed))
    if files:
        document["files"] = {path: b64encode(contents).decode() for path, contents in sorted(files.items())}
    return document


def base_of(row: BaseRow) -> Base:
    """The base that `base_document` wrote. A file that is not in it does not belong to the study, and is not looked for. Raises `ValueError`."""
    files = {}
    for path, text in row.get("files", {}).items():
        try:
            files[path] = b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise refused(f"base.files.{path}", text, "the contents of a file in base64") from None
    return Base(row["scenario"], files, printed=row["printed"], fixed=cast("dict[str, Value]", row.get("fixed", {})))


def axis_document(values: Values) -> object:
    """The values of an axis as JSON; of a range to draw from, its text."""
    if isinstance(values, Range):
        return f"{values.begin}..{values.end}{values.unit}{'log' if values.log else ''}"
    return plain("", list(values))


def values_in(key: str, stored: list[object] | str) -> Values:
    """The values of an axis that `axis_document` wrote."""
    return Range.of(key, stored) if isinstance(stored, str) else once(key, cast("list[Value]", stored))


def whole_of(shards: Sequence[Path]) -> tuple[Points, Settings]:
    """The study that these folders have parts of, and how it is run; raises `FolderError` if they are of different ones."""
    manifests = {shard: read(shard / MANIFEST) for shard in shards}
    for shard, manifest in manifests.items():
        if manifest.get("kind") != STUDY:
            raise FolderError(f'DIR: "{shard}" is not accepted; expected a part of a study, of cwnd sweep --shard -o')
        if any(manifest.get(key) != manifests[shards[0]].get(key) for key in IDENTITY):
            raise FolderError(f'DIR: "{shard}" is not accepted; expected a part of the same study as "{shards[0]}"')
    try:
        return study_in(manifests[shards[0]])
    except ValueError as error:  # a `ShapeError` or a `ScenarioError`
        raise FolderError(f'DIR: "{shards[0]}" is not accepted; expected a part of a study ({error})') from None


def study_in(manifest: Mapping[str, object]) -> tuple[Points, Settings]:
    """The study that a manifest describes, and how it is run; raises `ValueError`."""
    check_shape(manifest, Described, MANIFEST)
    described = cast("Described", manifest)
    axes = {key: values_in(key, stored) for key, stored in described["axes"].items()}
    design = Design(axes, described["zipped"], described["latin"], described["drawn_with"])
    return Points(base_of(described["base"]), design), settings_in(manifest)
