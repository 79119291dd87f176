# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd compare`: flows through one bottleneck."""

from __future__ import annotations

from typing import Annotated

import typer

from cwnd.cli.actions.run import run_and_report
from cwnd.cli.commands.lab import PageFile, written_page
from cwnd.cli.comparison import compared_document, measured_pair, number
from cwnd.cli.disciplines import DropHead, Ecn, discipline_options, discipline_settings
from cwnd.cli.entry import fail
from cwnd.cli.options import (
    Force,
    Jobs,
    Json,
    Lane,
    LiveKeys,
    NoPlots,
    Out,
    Pcap,
    Plugins,
    Seeds,
    SnapLength,
    Threads,
    with_options,
)
from cwnd.cli.rate_file import Trace, rate_of
from cwnd.page.html import compared_state
from cwnd.result.packets import check_options
from cwnd.scenario.builders import from_document
from cwnd.scenario.flowspec import live as live_keys
from cwnd.scenario.flowspec import parse
from cwnd.scenario.flowspec import traffic as parse_traffic
from cwnd.scenario.keywords import DEFAULTS
from cwnd.scenario.netem import Netem, naming_rtt, say_netem, with_netem


@with_options(discipline_options(), after="buffer")
def command(
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


def recorded_flows(text: str | None) -> str | list[str | int] | None:
    """`--record-flows`: a word, or a list of names and numbers."""
    if text is None or text in ("all", "none"):
        return text
    return [number(flow.strip()) for flow in text.split(",")]
