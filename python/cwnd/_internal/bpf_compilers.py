# SPDX-License-Identifier: MIT OR Apache-2.0
"""What this machine lacks to compile kernel objects: `python3 -m cwnd._internal.bpf_compilers` prints it, a line for each. Python's standard library is enough."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

#: As in crates/cwnd-bpf-build/src/toolchain.rs, which chooses what it compiles with in the same way.
TARGET = "bpfel-unknown-none"


def printed(*command: str) -> str | None:
    """What a program prints; none if it cannot run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def missing() -> list[str]:
    """What is not there, in words that name Debian's packages."""
    if sys.platform != "linux":
        return ["Linux"]
    lacks = []
    rustc = os.environ.get("CWND_BPF_RUSTC", "/usr/bin/rustc")
    libraries = printed(rustc, "--print", "target-libdir", "--target", TARGET)
    version = re.search(r"^LLVM version: (\d+)", printed(rustc, "-vV") or "", re.MULTILINE)
    if libraries is None or version is None or not list(Path(libraries.strip()).glob("libcore-*")):
        lacks.append("a rustc with core for BPF (Debian: rustc-web libstd-rust-web-dev-bpf)")
    else:
        lacks += missing_llvm(int(version[1]))
    if not Path("/usr/include/bpf/bpf_helpers.h").is_file():
        lacks.append("libbpf's headers (Debian: libbpf-dev)")
    if printed("pkg-config", "--exists", "libelf", "zlib") is None:
        lacks.append("libelf's and zlib's headers (Debian: libelf-dev zlib1g-dev pkg-config)")
    return lacks


def missing_llvm(of_rustc: int) -> list[str]:
    """What is not there of LLVM's tools and clang: older tools cannot read this rustc's bitcode."""
    named, lacks = os.environ.get("CWND_BPF_LLVM"), []
    folders = [Path(named)] if named else newer(of_rustc)
    if not folders:
        lacks.append(f"LLVM's tools {of_rustc} or newer (Debian: llvm-{of_rustc})")
    clangs = [folder / "clang" for folder in (*folders, *Path("/usr/lib").glob("llvm-*/bin"))]
    if "CWND_BPF_CLANG" not in os.environ and not any(shutil.which(clang) for clang in clangs):
        lacks.append(f"clang (Debian: clang-{of_rustc})")
    return lacks


def newer(version: int) -> list[Path]:
    """Folders of LLVM's tools of this version or a newer one."""
    folders = [
        (int(folder.parent.name.removeprefix("llvm-")), folder)
        for folder in Path("/usr/lib").glob("llvm-*/bin")
        if folder.parent.name.removeprefix("llvm-").isdecimal()
    ]
    return [folder for of, folder in sorted(folders) if of >= version and shutil.which(folder / "llc")]


if __name__ == "__main__":
    print(*missing(), sep="\n")
