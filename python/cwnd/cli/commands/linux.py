# SPDX-License-Identifier: MIT OR Apache-2.0
"""The commands of `cwnd linux`: the kernels of lane linux, and traces of what connections do in them.

Exit codes: 0 done, 2 the input was refused, 1 a tool is missing, the disk is full, make failed or the kernel does not run here; of `trace`,
also 1 if a call's result on the host differs from the kernel's.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from cwnd.cli.application import Application
from cwnd.cli.options import Json, Plugins

app = Application(
    "Build the user-mode Linux kernels of lane linux, list them, remove them, trace connections in them, and send packets through their queues."
)

#: The kernel that runs it.
KernelName = Annotated[
    str | None,
    typer.Option(
        "--kernel",
        metavar="NAME",
        help="Kernel, as cwnd linux list shows it.",
        show_default="the newest with HZ 250",
    ),
]


@app.callback(invoke_without_command=True)
def group(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def build(
    version: Annotated[
        str | None,
        typer.Argument(
            metavar="[VERSION]",
            help="Version of Linux, such as 6.12.",
            show_default="the newest linux-source-* in /usr/src",
        ),
    ] = None,
    hz: Annotated[int, typer.Option("--hz", metavar="HZ", help="Ticks of a second: 100, 250 or 1000.")] = 250,
    source: Annotated[
        Path | None,
        typer.Option(
            "--source",
            metavar="FILE",
            help="A tarball (.tar.xz, .tar.gz, .tar.bz2) or an unpacked folder of Linux's source.",
            show_default="that of Debian's package",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", help="Processes of make at a time.", show_default="one for each processor"),
    ] = None,
) -> None:
    """Build a kernel for lane linux, unless it is built already; takes minutes, and needs a C compiler and the source of Linux.

    The kernel is a program that runs as any user. It is kept in ~/.cache/cwnd/linux, or in the folder that CWND_LINUX names.

    Example: cwnd linux build 6.12
    """
    from cwnd.cli.progress import shown_build
    from cwnd.linux.build_kernel import build as make

    with shown_build() as watch:
        kernel = make(version, hz=hz, source=source, jobs=jobs, watch=watch)
    print(f"{kernel.name}: Linux {kernel.release}, HZ {kernel.hz}: {kernel.path}")


@app.command("list")
def list_(as_json: Json = False) -> None:
    """List the kernels that are built for lane linux."""
    from dataclasses import asdict

    from cwnd._internal.terminal import Printer
    from cwnd.linux.kernels import STALE, cache, kernels

    built = kernels()
    if as_json:
        print(json.dumps([{**asdict(kernel), "path": str(kernel.path)} for kernel in built]))
        return
    if not built:
        Printer().paragraph(f"no kernel is built in {cache()}; cwnd linux build builds one")
        return
    printer, width = Printer(), max(len(kernel.name) for kernel in built)
    for kernel in built:
        where = STALE if kernel.stale else str(kernel.path)
        words = f"Linux {kernel.release}, HZ {kernel.hz}, built {kernel.about['date'][:10]}: {where}"
        printer.paragraph(f"{kernel.name:{width}}  {words}", hang=width + 2)


@app.command()
def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The kernel's name, as cwnd linux list shows it.")],
) -> None:
    """Remove a kernel of lane linux."""
    from cwnd._internal.messages import note
    from cwnd.linux.kernels import remove as delete

    for folder in delete(name):
        note(f"removed {folder}")


@app.command()
def trace(
    path: Annotated[Path, typer.Argument(metavar="SCENARIO", help="Scenario file (.toml, .json).")],
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="Write the tables of the trace to this folder.")
    ],
    cc: Annotated[
        str | None,
        typer.Option(
            "--cc",
            metavar="NAME",
            help="Algorithm of the scenario to trace, such as cubic or kernel/bbr.",
            show_default="the scenario's only one",
        ),
    ] = None,
    kernel: KernelName = None,
    plugins: Plugins = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an earlier trace or another result in the folder.")
    ] = False,
    no_plots: Annotated[bool, typer.Option("--no-plots", help="Write no picture.")] = False,
    as_json: Json = False,
) -> None:
    """Run a scenario in lane linux, and record the hook calls, segments and expired timers of an algorithm's connections.

    The algorithm is one of cwnd, of a plugin or of the kernel. If cwnd has it, this program repeats each call; exit code 1 if a result differs.
    cwnd replay reads the folder, with --transport too. docs/guide/linux.md says what is recorded.

    Example: cwnd linux trace x.toml -o trace
    """
    from contextlib import nullcontext

    del plugins  # loaded by their option
    from cwnd._internal.messages import shows_progress
    from cwnd.cli.progress import shown
    from cwnd.kernel.trace import report
    from cwnd.kernel.virtual_trace import trace as record
    from cwnd.scenario.file import scenario_file

    scenario = scenario_file(path)
    with shown("tracing") if shows_progress() else nullcontext() as watch:
        stored = record(scenario, out, cc=cc, kernel=kernel, force=force, pictures=not no_plots, progress=watch)
    if as_json:
        print(json.dumps(stored.summary))
    else:
        report(stored.summary, out)
    if stored.summary["differences"]:
        raise typer.Exit(1)


@app.command()
def queue(
    arrivals: Annotated[
        Path,
        typer.Argument(
            metavar="ARRIVALS",
            help="Packets that arrive: a table (.csv, .parquet) with time_s or time_ns, bytes, and optionally flow, ecn, dscp, from, to; or the folder of a run that recorded packets.",
        ),
    ],
    qdisc: Annotated[
        list[str],
        typer.Option(
            "--qdisc",
            metavar="WORDS",
            help='The qdisc, as tc has it: "fq_codel limit 1000 ecn". Given several times: commands of tc ("qdisc root handle 1: drr", "class …", "filter …").',
        ),
    ],
    rate: Annotated[str, typer.Option("--rate", metavar="RATE", help="Rate of the link, such as 10Mbit/s.")],
    beside: Annotated[
        str | None,
        typer.Option(
            "--beside",
            metavar="QUEUE",
            help='A queue of cwnd that gets the same arrivals, written as in a scenario: \'{ kind = "codel", limit = "1000packets" }\'.',
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            help="Write the fate of each packet to this file (.csv, .parquet); an existing file is replaced.",
        ),
    ] = None,
    kernel: KernelName = None,
    as_json: Json = False,
) -> None:
    """Send packets through a qdisc of the kernel at given times, and show which it drops, which it marks, and when each leaves.

    There are no connections: the arrivals do not depend on the queue. --beside compares a queue of cwnd packet by packet. See docs/guide/kernel-queues.md.

    Example: cwnd linux queue arrivals.csv --qdisc "fq_codel limit 1000 ecn" --rate 10Mbit/s
    """
    from contextlib import nullcontext

    from cwnd._internal.messages import shows_progress
    from cwnd.cli.progress import shown
    from cwnd.linux.queue_bench import queue as bench
    from cwnd.linux.queue_bench import write
    from cwnd.linux.queue_report import document, report, table_of, writable

    if out is not None:
        writable(out, arrivals)
    other = None if beside is None else table_of(beside)
    with shown("queueing") if shows_progress() else nullcontext() as watch:
        words = qdisc[0] if len(qdisc) == 1 else qdisc
        result = bench(arrivals, words, rate=rate, beside=other, kernel=kernel, progress=watch)
    if out is not None:
        write(result, out)
    if as_json:
        print(json.dumps(document(result)))
    else:
        report(result, "; ".join(qdisc), rate, beside)
