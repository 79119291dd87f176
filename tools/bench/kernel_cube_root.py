# SPDX-License-Identifier: MIT OR Apache-2.0
"""Asks the running kernel's cubic for K and compares it with our table's root: every distance from 1 to 786 432, and as many
as fit beside them, random on a logarithmic scale up to 2^32 - 11.

Needs root, a kernel with BTF and the built-in cubic, clang, bpftool and libbpf's headers. Registers the algorithm `cwnd_ask`
for the time that it takes.
"""

from __future__ import annotations

import json
import random
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tools import ROOT

HERE = ROOT / "bench" / "cube-root"
EVERY = 3 << 18
ALL = 1 << 20
LARGEST = 2**32 - 11  # plus the window of 10 it fits 32 bits


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def clang() -> str:
    """The newest clang: a file of the system's LLVM, else the one in the path."""
    compilers = sorted(
        Path("/usr/lib").glob("llvm-*/bin/clang"), key=lambda path: int(path.parts[3].removeprefix("llvm-"))
    )
    path = str(compilers[-1]) if compilers else shutil.which("clang")
    return path or sys.exit("needs clang")


def traffic(until: float) -> None:
    """A connection of the algorithm over the loopback, until that time or the last answer."""
    server = socket.create_server(("127.0.0.1", 0))

    def read() -> None:
        with server.accept()[0] as peer:
            while peer.recv(1 << 20):
                pass

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    with socket.socket() as sender:
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cwnd_ask")
        sender.connect(server.getsockname())
        block, sent = bytes(1 << 20), 0
        while time.monotonic() < until and sent < 1 << 33:
            sent += sender.send(block)
    reader.join()
    server.close()


def little(values: list[str]) -> int:
    return int.from_bytes(bytes(int(value, 16) for value in values), "little")


def bytes_of(value: int) -> str:
    return " ".join(str(byte) for byte in struct.pack("<I", value))


def main() -> None:
    draw = random.Random(1)
    wide = [round(2 ** draw.uniform(18, 32)) for _ in range(ALL - EVERY - 1)]
    asked = [*range(1, EVERY + 1), *(min(distance, LARGEST) for distance in wide), LARGEST]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "vmlinux.h").write_text(
            run("bpftool", "btf", "dump", "file", "/sys/kernel/btf/vmlinux", "format", "c")
        )
        flags: list[str | Path] = ["-O2", "-g", "-target", "bpf", "-mcpu=v3", "-w", "-I", folder]
        run(clang(), *flags, "-c", HERE / "ask.bpf.c", "-o", folder / "ask.o")
        run("bpftool", "struct_ops", "register", folder / "ask.o")
        try:
            lines = (
                f"map update name distances key {bytes_of(at)} value {bytes_of(distance)}\n"
                for at, distance in enumerate(asked)
            )
            (folder / "batch").write_text("".join(lines))
            run("bpftool", "batch", "file", folder / "batch")
            traffic(time.monotonic() + 30)
            dump = json.loads(run("bpftool", "-j", "map", "dump", "name", "answers"))
        finally:
            run("bpftool", "struct_ops", "unregister", "name", "cwnd_ask")
    answers = {little(entry["key"]): little(entry["value"]) for entry in dump}
    ours = subprocess.run(
        ["cargo", "run", "--quiet", "--locked", "--release", "--", "k"],
        cwd=HERE,
        input="\n".join(map(str, asked)),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    missing = sum(1 for at in range(len(asked)) if not answers.get(at))
    wrong = [(asked[at], answers[at], int(k)) for at, k in enumerate(ours) if answers[at] != int(k)]
    print(f"{len(asked):,} distances, {missing:,} without an answer, {len(wrong):,} differences {wrong[:3]}")
    sys.exit(bool(missing or wrong))


if __name__ == "__main__":
    main()
