# SPDX-License-Identifier: MIT OR Apache-2.0
"""Unpacks gzip within a limit, for `input_files`, which reads files, and `file_kinds`, which tells what they are."""

from __future__ import annotations

import zlib

#: Most bytes of a file: a trace, a series, points of a distribution. The same holds for its contents if it is packed.
MAX_FILE_BYTES = 64 * 1024 * 1024
#: The beginning of a file that tells its kind, bytes.
HEAD_BYTES = 1 << 16
#: First bytes of a gzip file (RFC 1952).
GZIP = b"\x1f\x8b"


class InputFileError(ValueError):
    """A file that is not read. The message is what was expected, without the file's name."""


def size_in_words(size: int) -> str:
    """A limit, such as `64 MiB`."""
    return f"{size >> 20} MiB"


def unpacked(data: bytes, limit: int = MAX_FILE_BYTES) -> bytes:
    """The contents of a gzip file of one or several members, at most `limit` bytes; other data as it is. Raises `InputFileError`."""
    if not data.startswith(GZIP):
        return data
    pieces: list[bytes] = []
    size = 0
    while data.startswith(GZIP):
        member = zlib.decompressobj(wbits=31)
        try:
            piece = member.decompress(data, limit + 1 - size)
        except zlib.error:
            raise InputFileError("a gzip file that can be unpacked") from None
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise InputFileError(f"a gzip file that unpacks to at most {size_in_words(limit)}")
        if not member.eof:
            raise InputFileError("a complete gzip file")
        data = member.unused_data
    return b"".join(pieces)
