# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd new`: a crate for a user's algorithm."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the algorithm, up to ten letters.")],
    path: Annotated[
        Path | None, typer.Option("--path", metavar="DIR", help="The folder to create.", show_default="./NAME")
    ] = None,
) -> None:
    """Create a crate for an algorithm of your own, with tests.

    The simulator runs it like the built-in algorithms (--plugin); cwnd build-kernel builds its kernel object.
    """
    from cwnd.plugin.crate import new as make

    folder = shlex.quote(str(make(name, path)))
    print(f"Created {folder}: the rule is in {folder}/src/{name}.rs, its tests in {folder}/tests/{name}.rs. Next:")
    print(f"  cargo test --manifest-path {folder}/Cargo.toml")
    print(f"  cwnd compare {name}:2 cubic:2 --plugin {folder}")
    print(f"  cwnd check {folder}")
    print(f"  cwnd build-kernel {folder}")
