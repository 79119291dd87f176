# SPDX-License-Identifier: MIT OR Apache-2.0
"""The commands of `cwnd kernel`. Each imports what it needs when it runs.

Exit codes: 0 done, 2 the input was refused, 1 the kernel refused or this build lacks its kernel part; of `trace`, also that kernel
and host differ or that nothing was recorded, of `use`, what its command ended with, of `switch`, that a connection was refused.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from cwnd.cli.application import Application
from cwnd.cli.options import Plugins, takes
from cwnd.kernel.native import required

app = Application(
    "Load algorithms into the running Linux kernel, use them, switch connections to them, and unload them."
)

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME[:SET]", help="An algorithm, one of its parameter sets, or an object of cwnd build-kernel."
    ),
]
Target = Annotated[
    str,
    typer.Argument(
        metavar="NAME[:SET]",
        help="As for load, or the kernel name of a loaded algorithm, or kernel/NAME for one of the kernel's own.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="KEY=VALUE", help="Override a parameter. May be repeated."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


@app.callback(invoke_without_command=True)
def group(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the loaded algorithms, the kernel's own, and those that can be loaded."""
    required()
    from cwnd.kernel.listing import collect, show

    listing = collect()
    if as_json:
        print(json.dumps(listing))
    else:
        show(listing)


@app.command()
def load(
    name: Name,
    settings: Settings = None,
    kernel_name: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Its name in the kernel, up to 15 letters.", show_default="cwnd_SET"),
    ] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Keep it loaded after this command ends.")] = False,
) -> None:
    """Load an algorithm into the kernel; without --pin it is unloaded when this command ends.

    Only connections that ask for the algorithm use it.
    """
    required()
    from cwnd.kernel.load import load as load_module
    from cwnd.kernel.spec import module

    asked = module(name, settings or [])
    load_module(asked, asked.kernel_name if kernel_name is None else kernel_name, pin=pin)


@app.command()
def unload(
    name: Annotated[str, typer.Argument(help="Its name in the kernel, or its parameter set.")],
) -> None:
    """Unload an algorithm that cwnd loaded; connections that use it keep it until they end."""
    required()
    from cwnd.kernel.load import unload as unload_module

    unload_module(name)


@app.command()
def use(
    name: Target,
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND...", help="The command and its arguments, after --.")
    ],
    settings: Settings = None,
) -> None:
    """Run a command with an algorithm for all its TCP connections and its children's, whatever they ask for.

    Loads the algorithm if necessary, and exits with the command's code. Nothing else on the machine changes.

    Example: cwnd kernel use htcp -- iperf3 -c 192.0.2.1
    """
    required()
    from cwnd.kernel.use import use as run

    raise typer.Exit(run(name, settings or [], command))


@app.command()
def switch(
    name: Target,
    port: Annotated[str | None, typer.Option(metavar="N", help="Connections with this port, at either end.")] = None,
    origin: Annotated[
        str | None,
        typer.Option("--from", metavar="CC", help="Connections that use this algorithm, named as in `ss -ti`."),
    ] = None,
    settings: Settings = None,
) -> None:
    """Move live connections of this network namespace to another algorithm."""
    required()
    from cwnd.kernel.switch import switch as move

    if move(name, settings or [], port=port, origin=origin):
        raise typer.Exit(1)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Check what this kernel and your permissions allow, and print how to fix each failed check; exit code 1 if nothing can be loaded."""
    required()
    from cwnd.kernel.doctor import can_load, show
    from cwnd.kernel.native import kernel_doctor

    checks = kernel_doctor()
    if as_json:
        print(json.dumps(checks))
    else:
        show(checks)
    if not can_load(checks):
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceCommand:
    """What `cwnd kernel trace` is given."""

    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- COMMAND…]", help="Run this command during the trace; its connections use the traced algorithm."
        ),
    ] = None
    cc: Annotated[
        str,
        typer.Option(
            "--cc",
            metavar="NAME[:SET]",
            help="What to trace. Call by call: an algorithm of cwnd, an object of cwnd build-kernel, kernel/cubic or kernel/reno (the "
            "kernel's own) or, with a command, the name of a loaded algorithm. Acknowledgement by acknowledgement: "
            "any other name, or no name for all algorithms.",
        ),
    ] = ""
    settings: Settings = None
    kernel_name: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Its name in the kernel, up to 15 letters.", show_default="cwnd_SET"),
    ] = None
    port: Annotated[
        int,
        typer.Option("--port", metavar="N", min=0, max=65535, help="Only connections with this port, at either end."),
    ] = 0
    transport: Annotated[
        bool,
        typer.Option(
            "--transport",
            help="With kernel/cubic or kernel/reno and -o: also record packets and timers, for cwnd replay --transport.",
        ),
    ] = False
    duration: Annotated[
        str | None,
        typer.Option("--duration", metavar="S", help="Seconds to trace.", show_default="until Ctrl-C"),
    ] = None
    plugins: Plugins = None
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="DIR", help="Write the tables (Parquet) and a picture to this folder."),
    ] = None
    force: Annotated[
        bool, typer.Option("--force", help="With -o: replace an earlier trace or another result in the folder.")
    ] = False
    no_plots: Annotated[bool, typer.Option("--no-plots", help="With -o: write no picture.")] = False
    as_json: Json = False


@app.command(context_settings={"allow_interspersed_args": False})
@takes(TraceCommand)
def trace(options: TraceCommand) -> None:
    """Trace connections: every hook call of an algorithm, repeated at once in this program, or every acknowledgement.

    The calls of a kernel object are repeated if --plugin names its crate. Without -o nothing is kept. Exit code 1 if the two ever differ,
    or if nothing was recorded; otherwise the command's.
    """
    required()
    from cwnd.kernel import trace as tracing
    from cwnd.kernel.spec import seconds

    limit_s = None if options.duration is None else seconds("--duration", options.duration)
    wanted = tracing.TraceOptions(
        options.cc,
        options.settings or [],
        options.plugins or [],
        options.kernel_name,
        options.port,
        limit_s,
        options.out,
        options.force,
        pictures=not options.no_plots,
        transport=options.transport,
    )
    summary = tracing.main(wanted, options.command or [])
    if options.as_json:
        print(json.dumps(summary))
    if not summary["calls"]:
        print(f"error: {tracing.why_nothing_recorded(summary, options.port)}", file=sys.stderr)
        raise typer.Exit(1)
    if not options.as_json:
        tracing.report(summary, options.out)
    if summary["differences"]:
        raise typer.Exit(1)
    if code := summary.get("exit"):
        print(
            f"error: {summary['command'][0]} ended with exit code {code}; its connections were recorded",
            file=sys.stderr,
        )
        raise typer.Exit(code)
