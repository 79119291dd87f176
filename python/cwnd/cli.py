# SPDX-License-Identifier: MIT OR Apache-2.0
"""The program `cwnd`.

Exit codes: 0 done, 2 the input was refused, 1 the environment failed (disk, permissions) or the user's algorithm did (a panic,
a broken promise), 130 stopped by Ctrl-C.
What a command computes goes to standard output, everything else to standard error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from cwnd import (
    _native,
    algorithms_command,
    optional_parts,
    page_command,
    plot_command,
    plugin_commands,
    qlog_command,
    replay_command,
    shell,
    step_command,
)
from cwnd.compare_help import COMPARE
from cwnd.compared import compared_document, measured_pair, number
from cwnd.comparison import command as comparison_command
from cwnd.completion import command as completion
from cwnd.defaults import default_map
from cwnd.difference import command as difference_command
from cwnd.difference.command import DIFF
from cwnd.discipline_options import DropHead, Ecn, discipline_options, discipline_settings
from cwnd.exit_codes import enter, fail
from cwnd.flowspec import live as live_keys
from cwnd.flowspec import parse
from cwnd.flowspec import traffic as parse_traffic
from cwnd.kernel.cli import app as kernel
from cwnd.keywords import DEFAULTS
from cwnd.netem_words import FileNetem, Netem, naming_rtt, say_netem, with_netem
from cwnd.options import (
    AllowExec,
    Force,
    Jobs,
    Json,
    LiveKeys,
    Plugins,
    Seeds,
    SnapLength,
    Threads,
    with_options,
)
from cwnd.packets import check_options
from cwnd.page import compared_state, state_of
from cwnd.page_command import PageFile, written_page
from cwnd.program import Application
from cwnd.programs import BY_OPTION, check_programs
from cwnd.reproduce import command as reproduction
from cwnd.run_and_report import run_and_report
from cwnd.scenario import from_document
from cwnd.scenario_file import scenario_file
from cwnd.study import command as study_command
from cwnd.study.help import SWEEP
from cwnd.traced import Trace, rate_of

app = Application("Congestion control, simulated: compare algorithms on a bottleneck, measure them, draw them.")
app.add_typer(kernel, name="kernel")

Out = Annotated[
    Path | None,
    typer.Option(
        "-o", "--out", metavar="DIR", help="Write tables (Parquet), pictures and the scenario to this folder."
    ),
]
Lane = Annotated[
    str,
    typer.Option(
        "--lane",
        metavar="LANE",
        help="Where the flows run: sim, the simulator; live, the running kernel's TCP through the links in real time (root).",
    ),
]
Pcap = Annotated[
    Path | None,
    typer.Option(
        "--pcap",
        metavar="FILE",
        help="Write the packets that the senders' host sends and receives to this file (pcapng, for Wireshark).",
    ),
]
NoPlots = Annotated[bool, typer.Option("--no-plots", help="With -o: tables and scenario only.")]


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
        bool, typer.Option("--no-defaults", help="Leave the user's file of defaults out (docs/guide/install.md).")
    ] = False,
) -> None:
    if not no_defaults:
        context.default_map = default_map(context)


@app.command(help=COMPARE)
@with_options(discipline_options(), after="buffer")
def compare(
    flows: Annotated[
        list[str],
        typer.Argument(metavar="FLOW...", help="NAME[:COUNT][@KEY=VALUE,...], such as cubic:2@rtt=160ms,beta=0.8"),
    ],
    rate: Annotated[
        str | None,
        typer.Option(
            help="Rate of the bottleneck, IP bits on the wire; none: without a rate, and so without a queue.",
            show_default=DEFAULTS["rate"],
        ),
    ] = None,
    trace: Trace = None,
    netem: Netem = None,
    rtt: Annotated[str, typer.Option(help="Round trip time without queueing, for flows that name none.")] = DEFAULTS[
        "rtt"
    ],
    buffer: Annotated[
        str | None,
        typer.Option(
            help="Queue: 1bdp ('0.1bdp, at least 4packets'), 1000packets, 500kB or 50ms.",
            show_default=DEFAULTS["buffer"],
        ),
    ] = None,
    drop_head: DropHead = False,
    ecn: Ecn = False,
    duration: Annotated[str, typer.Option(help="Simulated time.")] = DEFAULTS["duration"],
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="FROM..TO",
            help="What the summary measures. [default: the last four fifths; the whole run if every flow has a size]",
        ),
    ] = None,
    seed: Annotated[str, typer.Option(metavar="N", help="Seed of all that is random.")] = DEFAULTS["seed"],
    loss: Annotated[
        str | None,
        typer.Option(
            help="Losses on the link, besides the queue's drops: every:1000 (or every:1000,FIRST), random:0.001, gilbert:P,R,1-K,1-H, gemodel:P,R,1-H,1-K (the order of tc netem) or at:5000,9000."
        ),
    ] = None,
    jitter: Annotated[
        str | None, typer.Option(metavar="TIME", help="Random time on the link, uniform from 0 to this, in order.")
    ] = None,
    reverse: Annotated[
        bool,
        typer.Option(
            "--reverse",
            help="The reverse path is a link with a queue too, of the same rate and size (flows: @direction=reverse).",
        ),
    ] = False,
    traffic: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PRESET|KEYS",
            help="Background traffic: leith2007, leith2007-fig4, leith2007-fig6, ha2008, surge, ns2-web, "
            'ns2-pareto-on-off; or keys as in a file: \'model = "udp", rate = "5Mbit/s"\', \'preset = "ha2008", cc = "cubic@beta=0.85"\'. '
            "Its senders have cc (sack if not given), host and other keys of a flow. May be repeated.",
        ),
    ] = None,
    packet_size: Annotated[str, typer.Option(help="Size of a data packet on the wire.")] = DEFAULTS["packet_size"],
    interval: Annotated[str, typer.Option(help="Distance of the samples in the tables.")] = DEFAULTS["interval"],
    per_ack: Annotated[
        bool, typer.Option("--per-ack", help="A row of the table cwnd at every acknowledgement.")
    ] = False,
    inner: Annotated[
        bool, typer.Option("--inner", help="Record the algorithms' inner variables, in the table inner.")
    ] = False,
    record_flows: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Whose samples are recorded: all, none, or flows by name or number, such as 'cubic 1,reno,7'.",
            show_default=DEFAULTS["record_flows"],
        ),
    ] = None,
    record_limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Most bytes that tables may be expected to hold, or none.",
            show_default=DEFAULTS["record_limit"],
        ),
    ] = None,
    snap_length: SnapLength = None,
    seeds: Seeds = None,
    jobs: Jobs = None,
    threads: Threads = None,
    lane: Lane = "sim",
    live: LiveKeys = None,
    plugins: Plugins = None,
    out: Out = None,
    pcap: Pcap = None,
    page: PageFile = None,
    force: Force = False,
    as_json: Json = False,
    no_plots: NoPlots = False,
    **disciplines: str | None,
) -> None:
    """Runs flows through one bottleneck; `COMPARE` is the help."""
    check_options(pcap, snap_length, out)
    if page is not None and netem is not None:
        fail("--page: not accepted with --netem; expected the options of the link, which pages have")
    options = {"rate": rate_of(rate, trace), "buffer": buffer, "loss": loss, "jitter": jitter}
    link_settings, meanings = with_netem(netem, options)
    with naming_rtt(netem, rtt):
        scenario = from_document(
            compared_document(
                [parse(flow, f"flow[{number}]") for number, flow in enumerate(flows)],
                measure=measure,
                ecn=ecn,
                disciplines=disciplines,
                traffic=traffic,
                seed=seed,
                sized=(),
                rtt=rtt,
                drop_head=drop_head or None,
                duration=duration,
                reverse=reverse,
                packet_size=packet_size,
                interval=interval,
                per_ack=per_ack,
                inner=inner,
                record_flows=recorded_flows(record_flows),
                record_limit=record_limit,
                snap_length=snap_length,
                live=live_keys(live, lane),
                name=" + ".join(flows),
                **link_settings,
            )
        )
    say_netem(meanings)

    def state() -> dict[str, object]:
        rate_and_queue = {"rate": rate or DEFAULTS["rate"], "buffer": buffer or DEFAULTS["buffer"]}
        link = {**rate_and_queue, "rtt": rtt, "loss": loss, "jitter": jitter, "reverse": reverse}
        queue = {**discipline_settings(disciplines), **({"drop_head": True} if drop_head else {})}
        traffics = [parse_traffic(text) for text in traffic or []]
        time = {
            "duration": duration,
            "measure": measured_pair(measure),
            "seed": number(seed),
            "packet_size": packet_size,
        }
        return compared_state(scenario, {"flows": flows, **link, **queue, "ecn": ecn, "traffic": traffics, **time})

    with written_page(page, lane, state):
        run_and_report(
            scenario,
            out,
            (seeds, jobs, threads),
            lane=lane,
            pcap=pcap,
            as_json=as_json,
            pictures=not no_plots,
            force=force,
        )


@app.command()
def run(
    path: Annotated[
        Path,
        typer.Argument(metavar="SCENARIO.toml", help="A scenario, TOML or JSON; `cwnd compare -o DIR` writes one."),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Which of the scenarios of a JSON file with several (a reproduction's scenarios.json)."
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="The rate of the first link from this file, as in cwnd compare."),
    ] = None,
    netem: FileNetem = None,
    seed: Annotated[str | None, typer.Option(metavar="N", help="Another seed than the file's.")] = None,
    seeds: Seeds = None,
    jobs: Jobs = None,
    threads: Threads = None,
    lane: Lane = "sim",
    plugins: Plugins = None,
    allow_exec: AllowExec = False,
    out: Out = None,
    pcap: Pcap = None,
    page: PageFile = None,
    force: Force = False,
    as_json: Json = False,
    no_plots: NoPlots = False,
) -> None:
    """Run a scenario file: any network, traffic, actions.

    docs/guide/write-a-scenario.md explains the keys, with examples, and docs/reference/scenario.md lists them; scenarios/ holds some to begin with; `cwnd compare ... -o DIR` writes one with every
    default in it.
    """
    if trace is None and netem is None:
        scenario = scenario_file(path, name, allow_exec=allow_exec)
    else:
        from cwnd.study.link_options import changed_scenario

        scenario, meanings = changed_scenario(path, name, trace, netem)
        if not allow_exec:
            check_programs(scenario, BY_OPTION)
        say_netem(meanings)
    if seed is not None:
        scenario = scenario.with_seed(number(seed))
    with written_page(page, lane, lambda: state_of(scenario)):
        run_and_report(
            scenario,
            out,
            (seeds, jobs, threads),
            lane=lane,
            pcap=pcap,
            as_json=as_json,
            pictures=not no_plots,
            force=force,
        )


app.command("fidelity")(comparison_command.command)
app.command("sweep", help=SWEEP)(study_command.command)
app.command("merge")(study_command.merge)
app.command("diff", help=DIFF)(difference_command.command)
app.command("plot")(plot_command.command)
app.command("lab")(page_command.command)
app.command("step")(step_command.command)
app.command("qlog")(qlog_command.command)
app.command("replay")(replay_command.command)
app.command("shell", context_settings={"allow_interspersed_args": False})(shell.command)


def recorded_flows(text: str | None) -> str | list[str | int] | None:
    """`--record-flows`: a word, or a list of names and numbers."""
    if text is None or text in ("all", "none"):
        return text
    return [number(flow.strip()) for flow in text.split(",")]


for commands in (algorithms_command, plugin_commands, reproduction, completion, optional_parts):
    commands.add(app)


def main() -> NoReturn:
    """Runs the program."""
    enter(app)
