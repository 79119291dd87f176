# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd build-kernel`: the kernel object of a user's algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    crate: Annotated[Path, typer.Argument(metavar="CRATE", help="The folder of an algorithm of your own.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="KEY=VALUE", help="Override a parameter. May be repeated."),
    ] = None,
    cc: Annotated[
        str | None, typer.Option("--cc", metavar="NAME", help="The parameter set to build.", show_default="its first")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", show_default="NAME.bpf.o in the crate")
    ] = None,
) -> None:
    """Build the kernel object of an algorithm of your own; needs a Rust compiler for BPF, clang and LLVM."""
    from cwnd.plugin.crate import build_kernel as build

    print(build(crate, out, cc=cc, settings=settings or []))
