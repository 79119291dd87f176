# SPDX-License-Identifier: MIT OR Apache-2.0
"""The folder of a kernel trace, as root writes it where another user may own the folder around it."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from cwnd._internal import partial_folders
from cwnd._internal.temporary_files import named_as
from cwnd.kernel.result import KernelTrace as StoredTrace
from cwnd.kernel.result import Manifest
from cwnd.result.store import MANIFEST, TRACE, check_folder, replace

ROWS_PER_GROUP = 1 << 16


def hand_over(folder: Path) -> None:
    """Gives a new folder of root's with its files to the user who has called `sudo`, who can read it then.

    That user may own the parent folder and replace this one: only files that root created are handed over, by descriptor.
    """
    user, group = os.environ.get("SUDO_UID", ""), os.environ.get("SUDO_GID", "")
    if os.geteuid() != 0 or not (user.isdecimal() and group.isdecimal()):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        about = os.fstat(descriptor)
        if about.st_uid != 0 or about.st_mode & 0o077:
            raise replaced(folder)
        for name in os.listdir(descriptor):  # noqa: PTH208 -- of a descriptor
            os.chown(name, int(user), int(group), dir_fd=descriptor, follow_symlinks=False)
        os.fchown(descriptor, int(user), int(group))
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[int]:
    """The descriptor of a folder that was just created for this user only; a replacement or a link is refused."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        about = os.fstat(descriptor)
        if about.st_uid != os.geteuid() or about.st_mode & 0o077 or os.listdir(descriptor):  # noqa: PTH208 -- of a descriptor
            raise replaced(folder)
        yield descriptor
    finally:
        os.close(descriptor)


def replaced(folder: Path) -> OSError:
    """The error for a folder that another user has put in place of cwnd's."""
    return OSError(errno.EPERM, "another user has put a folder in its place", str(folder))


class TraceWriter:
    """Writes Parquet files to a folder, `partial`, which gets the name `folder` when they are complete.

    The folder around both may be another user's, who can give the name `partial` to a folder with links. Files are written by way of the
    descriptor of the folder that was made, in which this user alone can put anything.
    """

    def __init__(self, partial: Path, folder: Path, descriptor: int, *, force: bool) -> None:
        self.partial = partial
        self.folder = folder
        self.force = force
        self.descriptor = descriptor
        #: The same folder, whatever has its name now.
        self.inside = Path(f"/proc/self/fd/{descriptor}")
        self.writers: dict[str, pq.ParquetWriter] = {}
        self.buffered: dict[str, list[pa.RecordBatch]] = {}

    def write(self, name: str, rows: pa.RecordBatch) -> None:
        """Buffers rows up to a full row group, because each row group costs time for every column."""
        if not rows.num_rows:
            return
        buffered = self.buffered.setdefault(name, [])
        buffered.append(rows)
        if sum(batch.num_rows for batch in buffered) >= ROWS_PER_GROUP:
            self.flush(name)

    def flush(self, name: str) -> None:
        table = pa.Table.from_batches(self.buffered.pop(name, [])).combine_chunks()
        if name not in self.writers:
            self.writers[name] = pq.ParquetWriter(
                self.inside / f"{name}.parquet",
                table.schema,
                compression="zstd",
                compression_level=1,
                use_dictionary=[name for name in ("hook", "kind") if name in table.column_names] or False,
                write_statistics=False,
            )
        self.writers[name].write_table(table)

    def finish(self, flows: pa.RecordBatch, manifest: Manifest, *, pictures: bool) -> None:
        """Writes the table of flows and the manifest, draws the picture, and gives the folder its name."""
        self.write("flows", flows)
        for name in list(self.buffered):
            self.flush(name)
        for writer in self.writers.values():
            writer.close()
        files = sorted([f"{name}.parquet" for name in self.writers] + [MANIFEST])
        if pictures and "cwnd" in self.writers:
            from cwnd.plot.kernel import draw

            drawn = draw(StoredTrace(self.inside, {**manifest, "files": files}), self.inside)
            files = sorted([*files, *(file.name for file in drawn)])
        (self.inside / MANIFEST).write_text(json.dumps({**manifest, "files": files}, indent=1) + "\n")
        if not os.path.samestat(os.fstat(self.descriptor), self.partial.lstat()):
            raise replaced(self.partial)
        # Something may have come there meanwhile.
        check_folder(self.folder, TRACE, force=self.force)
        hand_over(self.partial)
        replace(self.partial, self.folder)


@contextlib.contextmanager
def trace_writer(folder: Path | None, *, force: bool = False) -> Iterator[TraceWriter | None]:
    """A writer into a temporary folder, which is removed unless the writer has finished; `None` without a folder. With `force` it replaces
    what `check_folder` lets it replace."""
    if folder is None:
        yield None
        return
    partial_folders.make_parent(folder)
    # It says who was connected to whom: it is for no other user.
    with (
        partial_folders.temporary_folder(folder, 0o700) as partial,
        opened(partial) as descriptor,
        # Errors of files that are opened by way of the descriptor have its path.
        named_as(folder, Path(f"/proc/self/fd/{descriptor}")),
    ):
        yield TraceWriter(partial, folder, descriptor, force=force)
