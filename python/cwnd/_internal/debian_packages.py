# SPDX-License-Identifier: MIT OR Apache-2.0
"""Debian's packages for the optional parts: `python3 -m cwnd._internal.debian_packages [--install] PART...`.

It prints the packages' names; with --install it installs them where it may, and else prints the command that does. Python's standard
library is enough.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence

#: `{llvm}`: the newest version that the machine's Debian has. rustc-web is built with one of them, and security updates move both.
#: `{linux}`: the newest version of Linux's source that it has.
PACKAGES = {
    "kernel": (
        "rustc-web",
        "libstd-rust-web-dev-bpf",
        "clang-{llvm}",
        "llvm-{llvm}",
        "libbpf-dev",
        "libelf-dev",
        "zlib1g-dev",
        "pkg-config",
    ),
    "linux": ("linux-source-{linux}", "gcc", "libc6-dev", "make", "flex", "bison", "bc"),
    # Where rustup has no standard library for WebAssembly, Debian's source of one.
    "wasm": ("rustc-web", "rust-web-src", "lld-{llvm}"),
    "node": ("nodejs", "npm"),
    "tshark": ("tshark",),
    "iperf3": ("iperf3",),
    "iproute2": ("iproute2",),
    "chromium": ("chromium",),
    "firefox": ("firefox-esr",),
    "ns2": ("ns2",),
    "ns3": ("libns3-dev", "g++"),
    "valgrind": ("valgrind",),
    "zsh": ("zsh",),
    "fish": ("fish",),
    "groff": ("groff",),
    "mandoc": ("mandoc",),
    "bare-root": ("bubblewrap", "debootstrap"),
}
#: The fallbacks without apt: the version of Debian 12's and 13's rustc-web, and Debian 13's Linux.
USUAL_LLVM = 19
USUAL_LINUX = "6.12"
#: The oldest version that lane linux was tried with.
OLDEST_LINUX = "6.1"


def listed(package: str, version: str) -> list[str]:
    """The versions of which this Debian has a package of this name, in no order; the version is a regular expression."""
    command = ["apt-cache", "search", "--names-only", f"^{package}-{version}$"]
    try:
        names = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return []
    return re.findall(rf"^{package}-({version}) ", names, re.MULTILINE)


def newest_llvm() -> int:
    """The newest version of clang that this Debian has."""
    return max(map(int, listed("clang", "[0-9]+")), default=USUAL_LLVM)


def newest_linux() -> str:
    """The newest version of Linux whose source this Debian has, of those that the lane can use."""
    versions = (tuple(map(int, version.split("."))) for version in listed("linux-source", r"[0-9]+\.[0-9]+"))
    newest = max(versions, default=(0,))
    return ".".join(map(str, newest)) if newest >= tuple(map(int, OLDEST_LINUX.split("."))) else USUAL_LINUX


NEWEST = {"llvm": newest_llvm, "linux": newest_linux}


def packages(parts: Iterable[str]) -> list[str]:
    """The packages of some parts, each once."""
    names = list(dict.fromkeys(name for part in parts for name in PACKAGES[part]))
    # Asking apt takes half a second.
    newest = {key: find() for key, find in NEWEST.items() if any(f"{{{key}}}" in name for name in names)}
    return [name.format(**newest) for name in names]


def command(parts: Iterable[str]) -> str:
    """The command that installs them."""
    sudo = "" if os.geteuid() == 0 else "sudo "
    return f"{sudo}apt-get install {' '.join(packages(parts))}"


def install(parts: Sequence[str]) -> int:
    """Installs them where this process is root and the system has apt; else says how, on standard error, and returns 1."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        print(f"needs packages; on Debian:\n    {command(parts)}", file=sys.stderr)
        return 1
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], env=environment, check=False)
    names = packages(parts)
    print(f"apt-get install {' '.join(names)}", file=sys.stderr, flush=True)
    installed = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *names]
    return subprocess.run(installed, env=environment, stdout=sys.stderr, check=False).returncode


def main(arguments: Sequence[str]) -> int:
    """Prints or installs the packages."""
    parts = [part for part in arguments if part != "--install"]
    if unknown := [part for part in parts if part not in PACKAGES]:
        print(f"error: {unknown[0]!r} is not accepted; expected {', '.join(PACKAGES)}", file=sys.stderr)
        return 2
    if "--install" in arguments:
        return install(parts)
    print(*packages(parts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
