# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd replay`: recorded or prescribed hook calls on an algorithm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cwnd._internal.file_kinds import described
from cwnd._internal.input_files import head_of
from cwnd._native import ScenarioError
from cwnd.cli.entry import fail
from cwnd.cli.options import Json, Plugins
from cwnd.scenario.algorithms import find

if TYPE_CHECKING:
    from cwnd._native import TransportOutcome

#: First bytes of a Parquet file.
PARQUET = b"PAR1"
#: What can be replayed.
REPLAYED = "recorded hook calls in Parquet, the folder of a cwnd kernel trace, or test vectors (.toml)"


def settings_of(params: list[str] | None) -> list[tuple[str, str]]:
    """`--param K=V`, as names and values."""
    pairs = [(text, *text.partition("=")) for text in params or []]
    for text, name, separator, value in pairs:
        if not (name and separator and value):
            fail(f'--param: "{text}" is not accepted; expected NAME=VALUE, such as beta=0.8')
    return [(name, value) for _, name, _, value in pairs]


def command(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Recorded hook calls (.parquet), the folder of cwnd kernel trace or linux trace, or test vectors (.toml).",
        ),
    ],
    cc: Annotated[
        str | None,
        typer.Option(
            "--cc",
            metavar="NAME",
            help="The parameter set to replay on; a trace's folder and test vectors name their own.",
        ),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="K=V", help="A parameter of the algorithm; may be repeated. For traces only."),
    ] = None,
    transport: Annotated[
        bool,
        typer.Option(
            "--transport",
            help="Repeat the connections of cwnd kernel trace --transport or cwnd linux trace on the simulator's sender.",
        ),
    ] = False,
    plugins: Plugins = None,
    as_json: Json = False,
) -> None:
    """Replay recorded or prescribed hook calls on an algorithm; exit code 1 if the result of any call differs.

    With --transport, the simulator's TCP makes the calls from the recorded acknowledgements, and their order and arguments are compared.
    """
    from cwnd.replay import vectors

    if transport:
        replayed_transport(file, cc, param, as_json=as_json)
        return

    if cc is not None:
        find("--cc", cc)
    settings = settings_of(param)
    if file.is_dir():
        from cwnd.kernel.result import replayed

        file, cc, settings = replayed(file, cc, settings)
        find("--cc", cc)
    if not file.exists():
        fail(f'FILE: "{file}" is not accepted; expected a file that exists')
    head = head_of(file)
    if file.suffix != ".toml" and not head.startswith(PARQUET):
        what = described(head) if file.is_file() else "a device or a pipe"
        fail(f'FILE: "{file}" is not accepted; expected {REPLAYED}; this is {what}')
    compared, loaded = "", 0
    outcome: vectors.Outcome
    if file.suffix == ".toml":
        try:
            outcome = vectors.replay(file, cc)
        except vectors.VectorError as error:
            fail(str(error))
    else:
        from cwnd.replay.trace import TraceError, what_is_compared
        from cwnd.replay.trace import replay as feed

        if cc is None:
            fail("--cc: missing; expected the parameter set to replay the trace on")
        try:
            outcome = counted = feed(file, cc, params=settings)
        except (TraceError, ScenarioError) as error:
            fail(str(error))
        compared = what_is_compared(counted["calls"], counted["pacing_compared"], counted["states_compared"])
        loaded = counted["loaded"]
    if as_json:
        print(json.dumps(outcome))
    else:
        print(f"{outcome['calls']:,} calls, {outcome['differences']:,} differences")
        if compared:
            print(f"compared after every call: {compared}")
        if outcome["first"]:
            print(f"first: {outcome['first']}")
        if loaded:
            print(f"state loaded from the record at {loaded:,} rows that follow no recorded call")
    if outcome["differences"]:
        raise typer.Exit(1)


def replayed_transport(folder: Path, cc: str | None, param: list[str] | None, *, as_json: bool) -> None:
    """`cwnd replay --transport`: the exit code is 1 when a call or a window differs, or when not enough was compared."""
    for option, value in (("--cc", cc), ("--param", param[0] if param else None)):
        if value is not None:
            fail(f'{option}: "{value}" is not accepted; expected none with --transport, which compares what was traced')
    from cwnd.replay.trace import TraceError
    from cwnd.replay.transport import replay_transport

    try:
        outcome = replay_transport(folder)
    except TraceError as error:
        fail(str(error))
    if as_json:
        print(json.dumps(outcome))
    else:
        report_transport(outcome)
    if outcome["divergent"] or outcome["windows"] or not outcome["complete"]:
        raise SystemExit(1)


def report_transport(outcome: TransportOutcome) -> None:
    """Prints the result of a comparison."""
    connections = outcome["connections"]
    left_out = f"{outcome['not_compared']:,} not compared, {outcome['gaps']:,} gaps"
    if not outcome["complete"]:
        of = outcome["events"] + outcome["not_compared"]
        print(f"NOT ENOUGH WAS COMPARED: {outcome['events']:,} of {of:,} events ({left_out})")
    print(
        f"{outcome['calls']:,} calls at {outcome['events']:,} events of {connections:,} connection{'' if connections == 1 else 's'}: "
        f"{outcome['divergent']:,} events with other calls in the simulator; {left_out}"
    )
    print(
        "compared: the order of the calls, their arguments except in_flight, the results of ssthresh and undo_cwnd, window and threshold before each event"
    )
    for what, (count, others) in (
        ("retransmitted segments", outcome["retransmissions"]),
        ("expired timers", outcome["timers"]),
    ):
        print(f"{what}: {count:,}; different in the simulator: {others:,}")
    print(f"events before which the simulator's view of outstanding data differed: {outcome['out_of_step']:,}")
    print(f"events before which the simulator's window or slow start threshold differed: {outcome['windows']:,}")
    for connections, why in (
        (outcome["gaps"], "data missing from the record (docs/adr/0007-missing-hook-results.md)"),
        (outcome["no_sack"], "losses without selective acknowledgements"),
    ):
        if connections:
            print(f"compared only in part: {connections:,} connections: {why}")
    if outcome["closing"]:
        print(f"left out: {outcome['closing']:,} events of closing connections")
    for what, why, events in outcome["explained"]:
        print(f"not counted: {what}, at {events:,} events: {why}")
    for title, kinds in (("calls that differ", outcome["kinds"]), ("other differences", outcome["states"])):
        if kinds:
            print(f"{title} (events; of these, with both sides equal before):")
        for kind in kinds:
            print(f"  {kind['events']:>7,} {kind['fresh']:>7,}  {kind['kind']}")
    windows = [kind for kind in outcome["states"] if kind["kind"].startswith("window: ")]
    if outcome["first"]:
        print(f"first: {outcome['first']}", end="")
    if windows:
        print(f"first {windows[0]['kind']}: {windows[0]['first']}", end="")
