# SPDX-License-Identifier: MIT OR Apache-2.0
"""Captured packets (`record.packets`): a pcapng file for each host, in a result's folder, in memory, or as a separate file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO

from cwnd._internal.input_errors import refused
from cwnd._internal.json_files import read_bytes
from cwnd._internal.parquet_files import NoResultError, memory_bytes
from cwnd._internal.temporary_files import new_file
from cwnd._native import Scenario

#: Ending of a file's name, behind the name of the host.
SUFFIX = ".pcapng"
#: First bytes of a file of pcapng.
MAGIC = b"\n\r\r\n"

#: Takes the name of a host and the next piece of its file.
Keep = Callable[[str, bytes], object]


class MemoryPackets:
    """Files in memory."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[bytes]] = {}

    def keep(self, host: str, piece: bytes) -> None:
        """Adds a piece to the file of a host."""
        self._pieces.setdefault(host, []).append(piece)

    def files(self) -> dict[str, bytes]:
        """The whole files."""
        return {host: b"".join(pieces) for host, pieces in self._pieces.items()}


class FolderPackets(Mapping[str, bytes]):
    """Files of a folder, read when they are asked for. What is not a regular file, or has no room in memory, is a `NoResultError` of one line."""

    def __init__(self, folder: Path, hosts: list[str]) -> None:
        self._folder = folder
        self._hosts = hosts

    def __getitem__(self, host: str) -> bytes:
        if host not in self._hosts:
            raise KeyError(host)
        path = self._folder / f"{host}{SUFFIX}"
        try:
            return read_bytes(path, memory_bytes())
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise NoResultError(f'{path.name}: "{path}" is not accepted; expected a capture in pcapng: {why}') from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._hosts)

    def __len__(self) -> int:
        return len(self._hosts)


class PacketsWriter:
    """Writes files to a folder, piece by piece."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, IO[bytes]] = {}

    def keep(self, host: str, piece: bytes) -> None:
        """Adds a piece to the file of a host."""
        if host not in self._open:
            self._open[host] = (self._folder / f"{host}{SUFFIX}").open("wb")
        self._open[host].write(piece)

    def __enter__(self) -> PacketsWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for file in self._open.values():
            file.close()


def check_options(pcap: Path | None, snap_length: str | None, out: Path | None = None) -> None:
    """Refuses `--snap-length` without `--pcap`, and a file of packets that is the folder of results or in it."""
    if snap_length is not None and pcap is None:
        raise refused("--snap-length", snap_length, "--pcap FILE with it")
    if pcap is not None and out is not None and out.resolve() in (pcap.resolve(), *pcap.resolve().parents):
        raise refused("--pcap", str(pcap), f"a file outside the folder of results, {out}")


def capturing(scenario: Scenario, option: str, path: Path) -> Scenario:
    """The scenario with one host's packets captured, for the file at `path`: the senders', if it names none. Refuses what else would be lost."""
    hosts = scenario.captured_hosts
    if len(hosts) > 1:
        raise refused(option, str(path), f"-o DIR, because the scenario captures {' and '.join(hosts)}, a file each")
    if not path.parent.is_dir() or path.is_dir():
        raise refused(option, str(path), "a file in a folder that exists")
    if path.exists() and not replaceable(path):
        raise refused(option, str(path), "a free name, or an earlier capture")
    return scenario if hosts else scenario.capturing_senders()


def replaceable(path: Path) -> bool:
    """Whether a file is a capture, or empty."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) in (MAGIC, b"")


@contextmanager
def capture_file(path: Path, *, private: bool = False) -> Iterator[Keep]:
    """A file next to `path`, renamed to `path` when the body ends; if the body raises, it is removed. No other user can read a `private` one."""
    # Never reopened by name: root may write to a folder whose owner can replace the file with a link.
    with new_file(path, 0o600 if private else 0o666) as file:
        yield lambda _, piece: file.write(piece)
