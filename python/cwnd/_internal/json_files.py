# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reads JSON from untrusted folders of results: of bounded size, and of the form that its reader expects."""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ForwardRef,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from cwnd._internal import input_files
from cwnd._internal.json_types import SIGNED

#: Bytes of the longest file that is read: the summary of 100,000 flows has a tenth of it.
MOST_BYTES = 1 << 30
#: What the name of a compressed file ends in.
XZ = ".xz"
#: Digits of the longest whole number: more than 64 bits have.
MOST_DIGITS = 20
#: The largest number: sums and products of some are finite, and nothing that is measured comes near it.
MOST = 1e100


class ShapeError(ValueError):
    """A value is not of the form that its reader expects: one line that names it."""


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The contents of a regular file of up to so many bytes; a folder holds no pipes. Raises `OSError`, and `ValueError` for what is too long."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return input_files.stored_bytes(path, most)


def read_json(path: Path) -> Any:  # noqa: ANN401 -- what is in it is checked by the caller
    """The document in a file, compressed if its name ends in `.xz`.

    Raises `OSError`, and `ValueError` for what is no JSON (as `NaN` is none), nested too deeply, or too large a number.
    """
    data = read_bytes(path)
    if path.suffix == XZ:
        data = unpacked_xz(data)
    try:
        return json.loads(data.decode(), parse_int=whole, parse_float=decimal, parse_constant=no_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def unpacked_xz(data: bytes, most: int = MOST_BYTES) -> bytes:
    """The contents of an xz file, at most so many bytes. Raises `ValueError`."""
    # Python can be built without it, and few commands need it.
    import lzma

    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    try:
        contents = reader.decompress(data, most)
    except lzma.LZMAError as error:
        raise ValueError(f"no xz file: {error}") from None
    if not reader.eof:
        raise ValueError(f"an xz file that is incomplete, or has more than {most} bytes when it is unpacked")
    return contents


def whole(text: str) -> int:
    """A whole number of 64 bits, as all that are written."""
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    value = int(text)
    if not -(1 << 63) <= value < 1 << 64:
        raise ValueError(f"{text} is not accepted; expected a number of 64 bits")
    return value


def decimal(text: str) -> float:
    """A number of no more than `MOST`."""
    value = float(text)
    if abs(value) > MOST:
        raise ValueError(f"{text[:20]} is not accepted; expected a number of up to {MOST:g}")
    return value


def no_number(text: str) -> float:
    """Refuses what Python reads and JSON does not have."""
    raise ValueError(f"{text} is not a JSON number")


@cache
def hints(form: type) -> dict[str, Any]:
    """The types of a typed dictionary's keys."""
    return get_type_hints(form, include_extras=True)


def check_shape(
    value: object,
    form: Any,  # noqa: ANN401 -- a type
    where: str,
    names: Mapping[str, object] | None = None,
    *,
    signed: bool = True,
) -> None:
    """Raises `ShapeError` unless the value is of the type `form`: typed dictionaries, lists, mappings, unions, texts, numbers.

    `where` is what the value is called; `names` are those that forward references in `form` mean. Without `signed`, numbers are at least 0
    whose type is not annotated as `SIGNED`.
    """
    names = names or {}
    if isinstance(form, ForwardRef):
        form = names[form.__forward_arg__]
    origin = get_origin(form)
    if origin in (Required, NotRequired):
        check_shape(value, get_args(form)[0], where, names, signed=signed)
    elif origin is Annotated:
        form, *marks = get_args(form)
        check_shape(value, form, where, names, signed=signed or SIGNED in marks)
    elif form in (Any, object):
        return
    elif form is None or form is NoneType:
        expect(value is None, value, where, "null")
    elif origin in (Union, UnionType):
        check_union(value, get_args(form), where, names, signed=signed)
    elif origin is Literal:
        expect(value in get_args(form), value, where, f"one of {', '.join(map(str, get_args(form)))}")
    elif is_typeddict(form):
        check_table(value, form, where, names, signed=signed)
    elif origin is not None and issubclass(origin, Mapping):
        expect(isinstance(value, dict), value, where, "a table")
        assert isinstance(value, dict)
        for key, inner in value.items():
            check_shape(inner, get_args(form)[1], f"{where}.{key}", names, signed=signed)
    elif origin is not None and issubclass(origin, Sequence):
        expect(isinstance(value, list), value, where, "a list")
        assert isinstance(value, list)
        for place, inner in enumerate(value):
            check_shape(inner, get_args(form)[0], f"{where}[{place}]", names, signed=signed)
    else:
        kinds: dict[object, tuple[type | tuple[type, ...], str]] = {
            str: (str, "a text"),
            bool: (bool, "true or false"),
            int: (int, "a whole number"),
            float: ((int, float), "a number"),
            dict: (dict, "a table"),
            list: (list, "a list"),
        }
        kind, words = kinds[form]
        is_flag = isinstance(value, bool) and form is not bool
        expect(isinstance(value, kind) and not is_flag, value, where, words)
        if not signed:
            check_signs(value, where)


def check_union(value: object, forms: Sequence[Any], where: str, names: Mapping[str, object], *, signed: bool) -> None:
    """Raises `ShapeError` unless the value is of one of the types; the reason is that of the last one that could be meant, null last of all."""
    why = None
    for form in forms:
        try:
            check_shape(value, form, where, names, signed=signed)
        except ShapeError as error:
            why = error if why is None or form is not NoneType else why
        else:
            return
    assert why is not None
    raise why


def check_table(value: object, form: type, where: str, names: Mapping[str, object], *, signed: bool) -> None:
    """Raises `ShapeError` unless the value is a typed dictionary; keys that it does not have may be there."""
    expect(isinstance(value, dict), value, where, "a table")
    assert isinstance(value, dict)
    required = vars(form)["__required_keys__"]
    for key, inner in types_of(form, names).items():
        if key in value:
            check_shape(value[key], inner, f"{where}.{key}", names, signed=signed)
        elif key in required and get_origin(inner) is not NotRequired:
            raise ShapeError(f"{where}.{key}: missing")


def check_signs(value: object, where: str) -> None:
    """Raises `ShapeError` for a negative number, also one in a value whose parts have no types."""
    if isinstance(value, dict):
        for key, inner in value.items():
            check_signs(inner, f"{where}.{key}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            check_signs(inner, f"{where}[{place}]")
    elif isinstance(value, int | float):
        expect(value >= 0, value, where, "a number, 0 or more")


def types_of(form: type, names: Mapping[str, object]) -> dict[str, Any]:
    """The types of a typed dictionary's keys; of those that only a type checker imports, what `names` has."""
    return hints(form) if not names else get_type_hints(form, localns=dict(names), include_extras=True)


def expect(is_so: bool, value: object, where: str, words: str) -> None:
    """Raises `ShapeError` unless the condition holds."""
    if not is_so:
        text = json.dumps(value)
        raise ShapeError(f"{where}: {text if len(text) <= 60 else f'{text[:57]}...'} is not accepted; expected {words}")
