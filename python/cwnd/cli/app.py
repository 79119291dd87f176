# SPDX-License-Identifier: MIT OR Apache-2.0
"""The program `cwnd`.

Exit codes: 0 done, 2 the input was refused, 1 the environment failed (disk, permissions) or the user's algorithm did (a panic,
a broken promise), 130 stopped by Ctrl-C.
What a command computes goes to standard output, everything else to standard error.
"""

from __future__ import annotations

from typing import Annotated, NoReturn

import typer

from cwnd import _native
from cwnd.cli.application import Application
from cwnd.cli.commands import (
    algorithms,
    build_kernel,
    check,
    compare,
    complete,
    completion,
    diff,
    doctor,
    fidelity,
    kernel,
    lab,
    linux,
    merge,
    new,
    plot,
    qlog,
    replay,
    report,
    reproduce,
    run,
    shell,
    show,
    step,
    sweep,
)
from cwnd.cli.commands.compare import COMPARE
from cwnd.cli.commands.diff import DIFF
from cwnd.cli.commands.sweep import SWEEP
from cwnd.cli.defaults import default_map
from cwnd.cli.entry import enter

app = Application("Congestion control, simulated: compare algorithms on a bottleneck, measure them, draw them.")
app.add_typer(kernel.app, name="kernel")
app.add_typer(linux.app, name="linux")


def version(wanted: bool) -> None:
    if wanted:
        print(f"cwnd {_native.__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")
    ] = False,
    no_defaults: Annotated[
        bool, typer.Option("--no-defaults", help="Ignore the user's file of defaults (docs/guide/install.md).")
    ] = False,
) -> None:
    if not no_defaults:
        context.default_map = default_map(context)


# In the order of the help.
app.command("compare", help=COMPARE)(compare.command)
app.command("run")(run.command)
app.command("fidelity")(fidelity.command)
app.command("sweep", help=SWEEP)(sweep.command)
app.command("merge")(merge.command)
app.command("diff", help=DIFF)(diff.command)
app.command("plot")(plot.command)
app.command("lab")(lab.command)
app.command("step")(step.command)
app.command("qlog")(qlog.command)
app.command("replay")(replay.command)
# What follows its command is another program's.
app.command("shell", context_settings={"allow_interspersed_args": False})(shell.command)
app.command("algorithms")(algorithms.command)
app.command("show")(show.command)
app.command("new")(new.command)
app.command("check")(check.command)
app.command("build-kernel")(build_kernel.command)
app.command("reproduce")(reproduce.command)
app.command("report")(report.command)
app.command("completion")(completion.command)
app.command("complete", hidden=True)(complete.command)
app.command("doctor")(doctor.command)


def main() -> NoReturn:
    """Runs the program."""
    enter(app)
