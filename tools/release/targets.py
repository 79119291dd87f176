# SPDX-License-Identifier: MIT OR Apache-2.0
"""Toolchains for machines of another kind: where Rust's standard library comes from, and the linker."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from functools import cache
from pathlib import Path

from tools import ROOT
from tools.release.errors import NoToolchainError
from tools.release.running import run
from tools.unlinked import options

ARM = "aarch64-unknown-linux-gnu"
#: Other Unixes, for which the types of the simulator are checked.
UNIXES = ("x86_64-unknown-freebsd", "x86_64-apple-darwin")
#: Cargo's folder for them: what is built for this machine stays as it is.
OTHER = ROOT / "target" / "other"
#: Debian's compiler and its source of the standard library, which .ci/wasm uses too.
DEBIAN_RUSTC = Path("/usr/bin/rustc")
DEBIAN_SOURCE = Path("/usr/lib/rustlib/src/rust/library/std/Cargo.toml")
#: rustup without a network waits for ever, s.
PATIENCE_S = 30


def has_library(target: str) -> bool:
    """Whether rustc has the standard library of a target."""
    command = ["rustc", "--print", "target-libdir", "--target", target]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode == 0 and any(Path(done.stdout.strip()).glob("libstd-*"))


@cache
def ask_rustup() -> None:
    """Asks rustup for all that is missing, once."""
    missing = [target for target in (ARM, *UNIXES) if not has_library(target)]
    if missing and shutil.which("rustup"):
        try:
            subprocess.run(["rustup", "target", "add", *missing], timeout=PATIENCE_S, capture_output=True, check=False)
        except subprocess.TimeoutExpired:
            return


def library(target: str) -> dict[str, str]:
    """The variables with which cargo finds a target's standard library. Raises `NoToolchainError` where there is none."""
    if not has_library(target):
        ask_rustup()
    if has_library(target):
        return {}
    if DEBIAN_RUSTC.exists() and DEBIAN_SOURCE.exists():
        # It is compiled from source, which is an unstable option of cargo.
        return {"RUSTC": str(DEBIAN_RUSTC), "RUSTC_BOOTSTRAP": "1", "CARGO_UNSTABLE_BUILD_STD": "std,panic_unwind"}
    raise NoToolchainError(
        f"no standard library for {target}: rustc has none, `rustup target add {target}` brought none, "
        "and Debian's rustc-web and rust-web-src are not installed"
    )


def zig() -> None:
    """Raises `NoToolchainError` unless maturin finds zig, which links for other machines and old versions of glibc."""
    if shutil.which("zig") is None and importlib.util.find_spec("ziglang") is None:
        raise NoToolchainError("no linker for other machines: .venv/bin/python -m pip install ziglang")


def check_types(target: str) -> None:
    """Checks that the Python module compiles for a target, without code for it and without its libraries in C."""
    variables = library(target)
    command: list[str | Path] = ["cargo", "check", "--quiet", "--locked", "--target", target, "--target-dir", OTHER]
    run([*command, "-p", "cwnd-python", "--no-default-features", *options(target)], variables)
