# SPDX-License-Identifier: MIT OR Apache-2.0
"""The commands of `cwnd kernel`; each imports what it needs when it runs.

Exit codes: 0 done, 2 the input was refused, 1 the kernel refused or this build lacks its kernel part.
"""

from __future__ import annotations

import json
from typing import Annotated

import typer

from cwnd.kernel.native import required

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="The algorithms in the running Linux kernel: loaded, used, switched, and taken out again.",
)

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME[:SET]", help="An algorithm, one of its parameter sets, or an object of cwnd build-kernel."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="KEY=VALUE", help="Another value of a parameter. May be repeated."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


@app.callback(invoke_without_command=True)
def group(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List what is loaded, what the kernel has itself, and what there is to load."""
    required()
    from cwnd.kernel.listing import collect, show

    found = collect()
    if as_json:
        print(json.dumps(found))
    else:
        show(found)


@app.command()
def load(
    name: Name,
    settings: Settings = None,
    kernel_name: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Its name in the kernel, up to 15 letters.", show_default="cwnd_SET"),
    ] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Let it stay when this command ends.")] = False,
) -> None:
    """Load an algorithm into the kernel; without --pin it goes when this command ends.

    Nothing uses it that does not ask for it.
    """
    required()
    from cwnd.kernel.hold import load as hold
    from cwnd.kernel.spec import module

    asked = module(name, settings or [])
    hold(asked, asked.kernel_name if kernel_name is None else kernel_name, pin=pin)


@app.command()
def unload(
    name: Annotated[str, typer.Argument(help="Its name in the kernel, or its parameter set.")],
) -> None:
    """Take an algorithm out that cwnd has loaded; connections that run on it keep it until they end."""
    required()
    from cwnd.kernel.hold import unload as take_out

    take_out(name)
