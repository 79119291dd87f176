# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd new`: a crate with an algorithm of one's own."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the algorithm, up to ten letters.")],
    path: Annotated[
        Path | None, typer.Option("--path", metavar="DIR", help="The folder to make.", show_default="./NAME")
    ] = None,
) -> None:
    """Make a crate with an algorithm of your own in it, and its tests.

    It runs in the simulator beside the others (--plugin), and becomes a kernel object (cwnd build-kernel).
    """
    from cwnd.plugin.crate import new as make

    folder = shlex.quote(str(make(name, path)))
    print(f"{folder} is made: the rule is in {folder}/src/{name}.rs, its tests in {folder}/tests/{name}.rs. Next:")
    print(f"  cargo test --manifest-path {folder}/Cargo.toml")
    print(f"  cwnd compare {name}:2 cubic:2 --plugin {folder}")
    print(f"  cwnd check {folder}")
    print(f"  cwnd build-kernel {folder}")
