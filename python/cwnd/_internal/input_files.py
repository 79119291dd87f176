# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reads the files that a user names. Every reader of such a file uses `read_bytes`: it bounds size and time, whatever the path leads to.

A regular file that is too large is refused before it is read. A pipe is read up to the limit. A device is not read. A FIFO without a writer
is not waited for; one with a writer is, until Ctrl-C. `contents` also unpacks gzip, and bounds what it unpacks. Of a folder of results,
which may be anyone's, `stored_bytes` reads regular files alone, and waits for nothing.
"""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cwnd._internal.file_kinds import described, kind_of_no_table
from cwnd._internal.gzip_files import HEAD_BYTES
from cwnd._internal.gzip_files import MAX_FILE_BYTES as MAX_FILE_BYTES
from cwnd._internal.gzip_files import InputFileError as InputFileError
from cwnd._internal.gzip_files import size_in_words as size_in_words
from cwnd._internal.gzip_files import unpacked as unpacked

#: Most bytes of a document: a scenario, a study, test vectors.
MAX_DOCUMENT_BYTES = 16 * 1024 * 1024
#: How long a FIFO may be without a process that writes to it, s.
WRITER_WAIT_S = 0.5
#: How long a signal may have to wait, s.
WAIT_S = 0.1
_CHUNK = 1 << 20


#: Ctrl-C or TERM during the last reading by the native module, which treats each exception as a reason not to read the file: the caller checks
#: here whether it was one.
_ended: list[BaseException] = []


def raise_ended() -> None:
    """Raises what Ctrl-C or TERM has raised during the last reading by the native module, if it did."""
    if _ended:
        raise _ended.pop()


def forget_ended() -> None:
    """Call this before the native module: a signal that ended an earlier call must not end this one."""
    _ended.clear()


def read_for_native(path: str | os.PathLike[str]) -> bytes:
    """`read_bytes` for the native module; `raise_ended` raises Ctrl-C and TERM after it."""
    forget_ended()
    try:
        return read_bytes(path)
    except (KeyboardInterrupt, SystemExit) as ended:
        _ended.append(ended)
        raise


def read_bytes(path: str | os.PathLike[str], limit: int = MAX_FILE_BYTES) -> bytes:
    """The bytes of a file of at most `limit` bytes. A FIFO is waited for as long as a process has it open for writing.

    Raises `OSError` where the system refuses (no such file, a directory, no permission), and `InputFileError` where this function does.
    """
    with _opened(path) as (descriptor, status):
        is_pipe = stat.S_ISFIFO(status.st_mode)
        if not (is_pipe or stat.S_ISREG(status.st_mode)):
            raise InputFileError("a file or a pipe; this is a device")
        if status.st_size > limit:
            raise _too_large(limit)
        return _read(descriptor, limit, is_pipe=is_pipe)


def stored_bytes(path: str | os.PathLike[str], limit: int) -> bytes:
    """The bytes of a file in an untrusted folder: a regular file, read up to its stated size, so that reading never blocks.

    A link in such a folder may lead to files of the kernel (`/proc/kmsg`): these say that they have none. Raises as `read_bytes`.
    """
    with _opened(path) as (descriptor, status):
        if not stat.S_ISREG(status.st_mode):
            raise InputFileError("a regular file")
        if status.st_size > limit:
            raise _too_large(limit)
        return _read(descriptor, status.st_size, is_pipe=False) if status.st_size else b""


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[tuple[int, os.stat_result]]:
    """A descriptor of what the path leads to, and what it is; a directory is refused."""
    # Not blocking: opening a FIFO would wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(21, os.strerror(21), os.fspath(path))
        yield descriptor, status
    finally:
        os.close(descriptor)


def _too_large(limit: int) -> InputFileError:
    return InputFileError(f"a file of at most {size_in_words(limit)}")


def _read(descriptor: int, limit: int, *, is_pipe: bool) -> bytes:
    """Reads up to the end. A file in `/proc` has more than its size says."""
    pieces: list[bytes] = []
    size, begin = 0, time.monotonic()
    while True:
        try:
            piece = os.read(descriptor, min(_CHUNK, limit + 1 - size))
        except BlockingIOError:
            if not is_pipe:  # of the kernel, such as its log
                raise InputFileError("a file with an end; this one waits for more data") from None
            # A process has it open for writing. A signal just before a wait does not end it: a wait is short.
            select.select([descriptor], [], [], WAIT_S)
            continue
        if not piece:
            if is_pipe and size == 0 and time.monotonic() - begin < WRITER_WAIT_S:
                time.sleep(0.01)
                continue
            if is_pipe and size == 0:
                raise InputFileError("a pipe that a process writes to")
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise _too_large(limit)


def contents(path: str | os.PathLike[str], limit: int = MAX_FILE_BYTES) -> bytes:
    """The bytes of a file, unpacked if it is gzip. Raises as `read_bytes`."""
    return unpacked(read_bytes(path, limit), limit)


def text_in(data: bytes) -> str:
    """The text of a file, UTF-8; a byte order mark is skipped. Raises `InputFileError`, which says what the file is."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputFileError(f"text in UTF-8; this is {described(data)}") from None


def file_text(data: bytes) -> str:
    """The text of a file that a scenario names, which is a table of numbers, given its bytes: unpacked and decoded. Raises `InputFileError`."""
    text = text_in(unpacked(data))
    if kind := kind_of_no_table(text):
        raise InputFileError(f"rows of numbers; this is {kind.name}: {kind.use}")
    return text


def head_of(path: Path, size: int = HEAD_BYTES) -> bytes:
    """The first bytes of a file, to recognise it by; empty where it cannot be read."""
    try:
        if not path.is_file():
            return b""
        with _opened(path) as (descriptor, _):
            return os.read(descriptor, size)
    except OSError:
        return b""
