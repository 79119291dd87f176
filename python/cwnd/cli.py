# SPDX-License-Identifier: MIT OR Apache-2.0
"""The program `cwnd`.

Exit codes: 0 done, 2 the input was refused, 1 the environment failed (disk, permissions), or an algorithm of one's own did
(a panic, a broken promise), 130 stopped by Ctrl-C.
What a command computes goes to standard output, everything else to standard error.
"""

from __future__ import annotations

import dataclasses
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from cwnd import _native
from cwnd._native import Scenario, ScenarioError
from cwnd.entry import enter, fail
from cwnd.experiments import command as reproduction
from cwnd.flowspec import parse
from cwnd.flowspec import traffic as parse_traffic
from cwnd.kernel.cli import app as kernel
from cwnd.options import Plugins
from cwnd.refused import refused
from cwnd.scenario import dumbbell

if TYPE_CHECKING:
    from cwnd.result import Progress

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Congestion control, simulated: compare algorithms on a bottleneck, measure them, draw them.",
)
app.add_typer(kernel, name="kernel")
reproduction.add(app)

Out = Annotated[
    Path | None,
    typer.Option(
        "-o", "--out", metavar="DIR", help="Write tables (Parquet), pictures and the scenario to this folder."
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="With -o: replace a kernel trace, replicates or a reproduction that is there.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]
Seeds = Annotated[
    str | None,
    typer.Option(metavar="N", help="Run N seeds, from the seed on: means with 95 % confidence intervals, no pictures."),
]
Jobs = Annotated[
    str | None, typer.Option(metavar="N", help="With --seeds: how many at a time.", show_default="all processors")
]
NoPlots = Annotated[bool, typer.Option("--no-plots", help="With -o: tables and scenario only.")]


def version(wanted: bool) -> None:
    if wanted:
        print(f"cwnd {_native.__version__}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def compare(
    flows: Annotated[
        list[str],
        typer.Argument(metavar="FLOW...", help="NAME[:COUNT][@KEY=VALUE,...], such as cubic:2@rtt=160ms,beta=0.8"),
    ],
    rate: Annotated[str, typer.Option(help="Rate of the bottleneck, IP bits on the wire.")] = "100Mbit/s",
    rtt: Annotated[str, typer.Option(help="Round trip time without queueing, for flows that name none.")] = "40ms",
    buffer: Annotated[
        str, typer.Option(help="Queue: 1bdp ('0.1bdp, at least 4packets'), 1000packets, 500kB or 50ms.")
    ] = "1bdp",
    red: Annotated[
        str | None,
        typer.Option(
            metavar="MIN..MAX",
            help="Random Early Detection between these averages of the queue, such as 20packets..60packets.",
            show_default="DropTail",
        ),
    ] = None,
    duration: Annotated[str, typer.Option(help="Simulated time.")] = "60s",
    measure: Annotated[
        str | None, typer.Option(metavar="FROM..TO", help="What the summary measures. [default: the last four fifths]")
    ] = None,
    seed: Annotated[str, typer.Option(metavar="N", help="Seed of all that is random.")] = "1",
    loss: Annotated[
        str | None,
        typer.Option(
            help="Losses beside the queue's: every:1000 (or every:1000,FIRST), random:0.001, gilbert:P,R,1-K,1-H or at:5000,9000."
        ),
    ] = None,
    jitter: Annotated[
        str | None, typer.Option(metavar="TIME", help="Random time on the link, uniform from 0 to this, in order.")
    ] = None,
    reverse: Annotated[
        bool,
        typer.Option(
            "--reverse", help="The way back has a queue too, of the same rate and size (flows: @direction=reverse)."
        ),
    ] = False,
    traffic: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PRESET|KEYS",
            help="Traffic beside the flows: leith2007, leith2007-fig4, leith2007-fig6, ha2008, surge, ns2-web, "
            'ns2-pareto-on-off; or keys as in a file: \'model = "udp", rate = "5Mbit/s"\'. May be repeated.',
        ),
    ] = None,
    packet_size: Annotated[str, typer.Option(help="Size of a data packet on the wire.")] = "1500B",
    interval: Annotated[str, typer.Option(help="Distance of the samples in the tables.")] = "100ms",
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
            show_default="all",
        ),
    ] = None,
    record_limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="Most bytes that tables may be expected to hold, or none.", show_default="2GB"
        ),
    ] = None,
    seeds: Seeds = None,
    jobs: Jobs = None,
    plugins: Plugins = None,
    out: Out = None,
    force: Force = False,
    as_json: Json = False,
    no_plots: NoPlots = False,
) -> None:
    """Run flows through one bottleneck and say what each of them got.

    A flow's keys: rtt, start (10s, or 0s..100ms for a random one; the default), stop, recovery (sack, sack-prr, newreno,
    reno, tahoe), initial_cwnd, initial_ssthresh, ack_every, ack_delay, rwnd, min_rto, limited_transmit, overhead (up to
    300us, at random, before each packet: against phase effects), host_clock (100Hz: what the host's ticks are, 1000Hz if not
    given), size (10MB: a transfer), app_rate, pacing, burst, idle_restart, access (20Mbit/s: a link of its own), access_delay,
    direction (forward, reverse), and every parameter of its algorithm (see `cwnd show NAME`). All of them, and networks
    beyond one bottleneck: docs/scenarios.md.

    Example: cwnd compare cubic:4 sack:4 --rate 400Mbit/s --rtt 40ms --buffer 1bdp --duration 100s -o fig6
    """
    groups = [parse(flow) for flow in flows]
    background = [parse_traffic(one) for one in traffic or []]
    own_start = [("start" in group.table) for group in groups]
    thresholds = None
    if red is not None:
        least, dots, most = red.partition("..")
        if not dots:
            fail(f'--red: "{red}" is not accepted; expected MIN..MAX, such as 20packets..60packets')
        thresholds = {"min": least, "max": most}

    def build(interval_measured: tuple[str, str] | None) -> Scenario:
        return dumbbell(
            groups,
            rate=rate,
            rtt=rtt,
            buffer=buffer,
            red=thresholds,
            duration=duration,
            measure=interval_measured,
            seed=number(seed),
            loss=loss,
            jitter=jitter,
            reverse=reverse,
            traffic=background,
            packet_size=packet_size,
            interval=interval,
            per_ack=per_ack,
            inner=inner,
            record_flows=chosen(record_flows),
            record_limit=record_limit,
            name=" + ".join(flows),
        )

    duration_ns = round(build(None).duration_s * 1e9)
    # Against phase effects, flows that name no start begin at random within the first 100 ms (a tenth of a short run).
    spread = f"{min(100_000_000, max(1, duration_ns // 10))}ns"
    for group, own in zip(groups, own_start):
        if not own:
            group.table["start"] = {"uniform": ["0s", spread]}
    if measure is None:
        scenario = build((f"{duration_ns // 5}ns", duration))
    else:
        begin, dots, end = measure.partition("..")
        if not dots:
            fail(f'--measure: "{measure}" is not accepted; expected FROM..TO, such as 20s..100s')
        scenario = build((begin, end))
    work(scenario, out, (seeds, jobs), as_json=as_json, pictures=not no_plots, force=force)


@app.command()
def run(
    path: Annotated[
        Path, typer.Argument(metavar="SCENARIO.toml", help="A scenario; `cwnd compare -o DIR` writes one.")
    ],
    seed: Annotated[str | None, typer.Option(metavar="N", help="Another seed than the file's.")] = None,
    seeds: Seeds = None,
    jobs: Jobs = None,
    plugins: Plugins = None,
    out: Out = None,
    force: Force = False,
    as_json: Json = False,
    no_plots: NoPlots = False,
) -> None:
    """Run a scenario file: any network, traffic, actions.

    docs/scenarios.md lists every key, with examples; scenarios/ holds some to begin with; `cwnd compare ... -o DIR` writes one with every
    default in it.
    """
    try:
        scenario = Scenario.from_toml(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        fail(f'SCENARIO.toml: "{path}" is not accepted; expected a TOML document in UTF-8')
    except (FileNotFoundError, IsADirectoryError):
        fail(f'SCENARIO.toml: "{path}" is not accepted; expected a file that exists')
    if seed is not None:
        scenario = Scenario.from_json(json.dumps({**json.loads(scenario.to_json()), "seed": number(seed)}))
    work(scenario, out, (seeds, jobs), as_json=as_json, pictures=not no_plots, force=force)


@app.command()
def algorithms(plugins: Plugins = None, as_json: Json = False) -> None:
    """List the algorithms and their parameter sets."""
    known = _native.algorithms()
    if as_json:
        print(json.dumps(known))
        return
    width = max(len(one["name"]) for algorithm in known for one in algorithm["sets"])
    for algorithm in known:
        print(f"{algorithm['name']}: {algorithm['summary']}")
        for one in algorithm["sets"]:
            print(f"  {one['name']:{width}}  {one['summary']} ({one['source']})")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="An algorithm, one of its parameter sets, or a slow start.")],
    plugins: Plugins = None,
    as_json: Json = False,
) -> None:
    """Explain an algorithm: its parameters with unit, range, default, help and source, and its inner variables.

    `standard`, `hystart++` and `hystart` explain the slow starts that a flow's `slow_start` chooses.
    """
    starts = {start["name"]: start for start in _native.slow_starts()}
    if start := starts.get(name):
        show_slow_start(start, as_json=as_json)
        return
    algorithm, one = found("NAME", name, more=list(starts))
    if as_json:
        params = [{**param, "default": one["params"][param["name"]]} for param in algorithm["params"]]
        document = {**one, "algorithm": algorithm["name"], "params": params, "inner": algorithm["inner"]}
        print(json.dumps(document))
        return
    print(f"{name}: {one['summary']}")
    print(f"  algorithm {algorithm['name']}, recovery {one['recovery']}, source: {one['source']}\n")
    print_params(algorithm["params"], one["params"])
    if algorithm["inner"]:
        print("\n  inner variables (record.inner, --inner):")
    for variable in algorithm["inner"]:
        scaled = variable["scale"] > 1
        unit = variable["unit"] or ("" if scaled else "segments, or a number")
        scale = f"in 1/{variable['scale']} " if scaled else ""
        print(f"  {variable['name']:24} {scale}{unit}".rstrip())


def print_params(params: list[_native.Param], values: dict[str, str]) -> None:
    """Parameters with their values; those that the other values leave without effect come last, with what they need."""
    idle: dict[tuple[str, str], list[_native.Param]] = {}
    for param in params:
        if (needs := param["needs"]) and values.get(needs[0]) != needs[1]:
            idle.setdefault(needs, []).append(param)
        else:
            print_param(param, values)
    for (name, value), without_effect in idle.items():
        print(f"\n  without effect while {name} is {values.get(name)}; with {name}={value}:")
        for param in without_effect:
            print_param(param, values)


def print_param(param: _native.Param, values: dict[str, str]) -> None:
    """One parameter with its value."""
    unit = f" {param['unit']}" if param["unit"] else ""
    allowed = ", ".join(param["choices"]) if param["choices"] else f"{param['min']} to {param['max']}{unit}"
    print(f"  {param['name']} = {values[param['name']]}{unit}   ({allowed})")
    print(f"      {param['help'] if not param['needs'] else param['help'].partition(': ')[2]}  [{param['source']}]")


def show_slow_start(start: _native.SlowStart, *, as_json: bool) -> None:
    """What a slow start is, its settings, and which algorithms can have it."""
    if as_json:
        print(json.dumps(start))
        return
    print(f"{start['name']}: {start['summary']}")
    print(
        f"  a slow start: slow_start={start['name']} of {', '.join(start['algorithms'])}; source: {start['source']}\n"
    )
    values = {"slow_start": start["name"], **{param["name"]: param["default"] for param in start["params"]}}
    print_params(start["params"], values)
    if not start["params"]:
        print("  no settings of its own")


def settings_of(params: list[str] | None) -> list[tuple[str, str]]:
    """`--param K=V` as names and values."""
    pairs = [(text, *text.partition("=")) for text in params or []]
    for text, name, separator, value in pairs:
        if not (name and separator and value):
            fail(f'--param: "{text}" is not accepted; expected NAME=VALUE, such as beta=0.8')
    return [(name, value) for _, name, _, value in pairs]


@app.command()
def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Recorded hook calls (.parquet), the folder of a cwnd kernel trace, or test vectors (.toml).",
        ),
    ],
    cc: Annotated[
        str | None,
        typer.Option(
            "--cc",
            metavar="NAME",
            help="The parameter set to replay it on; a trace's folder and vectors name one themselves.",
        ),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="K=V", help="A parameter of the algorithm; may be repeated. For traces only."),
    ] = None,
    plugins: Plugins = None,
    as_json: Json = False,
) -> None:
    """Replay recorded or prescribed hook calls on an algorithm; exit code 1 if any of them ends otherwise."""
    if cc is not None:
        found("--cc", cc)
    settings = settings_of(param)
    if file.is_dir():
        from cwnd.kernel.result import replayed

        file, cc, settings = replayed(file, cc, settings)
        found("--cc", cc)
    if not file.is_file():
        fail(f'FILE: "{file}" is not accepted; expected a file that exists')
    if file.suffix == ".toml":
        from cwnd import vectors

        try:
            outcome = vectors.replay(file, cc)
        except vectors.VectorError as error:
            fail(str(error))
    else:
        from cwnd.replay import TraceError
        from cwnd.replay import replay as feed

        if cc is None:
            fail("--cc: missing; expected the parameter set to replay the trace on")
        try:
            outcome = feed(file, cc, params=settings)
        except (TraceError, ScenarioError) as error:
            fail(str(error))
    if as_json:
        print(json.dumps(outcome))
    else:
        print(f"{outcome['calls']:,} calls, {outcome['differences']:,} differences")
        if "states_compared" in outcome:
            from cwnd.replay import what_is_compared

            counts = (outcome[name] for name in ("calls", "pacing_compared", "states_compared"))
            print(f"compared after every call: {what_is_compared(*counts)}")
        if outcome["first"]:
            print(f"first: {outcome['first']}")
        if outcome.get("loaded"):
            print(f"state taken from the record at {outcome['loaded']:,} rows that follow no recorded call")
    if outcome["differences"]:
        raise typer.Exit(1)


@app.command()
def plot(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="What cwnd compare, cwnd run or cwnd kernel trace wrote with -o."),
    ],
    plugins: Plugins = None,
) -> None:
    """Draw the pictures of a run or of a kernel trace again, into its folder."""
    from cwnd.redraw import redraw
    from cwnd.store import NoResultError

    try:
        pictures = redraw(folder)
    except NoResultError as error:
        fail(f"DIR: {error}")
    for picture in pictures:
        print(picture)


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the algorithm, up to ten letters.")],
    path: Annotated[
        Path | None, typer.Option("--path", metavar="DIR", help="The folder to make.", show_default="./NAME")
    ] = None,
) -> None:
    """Make a crate with an algorithm of your own in it, and its tests.

    It runs in the simulator beside the others (--plugin), and becomes a kernel object (cwnd build-kernel).
    """
    from cwnd.own import new as make

    folder = shlex.quote(str(make(name, path)))
    print(f"{folder} is made: the rule is in {folder}/src/{name}.rs, its tests in {folder}/tests/{name}.rs. Next:")
    print(f"  cargo test --manifest-path {folder}/Cargo.toml")
    print(f"  cwnd compare {name}:2 cubic:2 --plugin {folder}")
    print(f"  cwnd check {folder}")
    print(f"  cwnd build-kernel {folder}")


@app.command()
def check(
    crate: Annotated[Path, typer.Argument(metavar="CRATE", help="The folder of an algorithm of your own.")],
    seconds: Annotated[str, typer.Option(metavar="N", help="How long to run random simulations; 0 for none.")] = "60",
    seed: Annotated[
        str | None, typer.Option(metavar="N", help="Seed of all that is random.", show_default="another each time")
    ] = None,
    excepted: Annotated[
        list[str] | None,
        typer.Option("--except", metavar="PROMISE", help="A promise that it breaks on purpose. May be repeated."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Hold an algorithm of your own to the contract that the built-in ones keep, then run random simulations with it.

    Exit code 1 if it breaks a promise: the line says which, at what event, and the command that shows it again.
    """
    from cwnd import contract
    from cwnd.progress import shown_check

    try:
        limit = float(seconds) if seconds.isascii() else -1.0
    except ValueError:
        limit = -1.0
    if not 0 <= limit <= 86_400:
        fail(f'--seconds: "{seconds}" is not accepted; expected a number of seconds from 0 to 86400')
    if seed is not None and not (seed.isascii() and seed.isdigit() and int(seed) < contract.MOST_SEED):
        fail(f'--seed: "{seed}" is not accepted; expected a whole number from 0 to 2^63 - 1')
    for name in excepted or []:
        if name not in contract.promises():
            raise refused("--except", name, "the name of a promise", contract.promises())
    start = None if seed is None else int(seed)
    with shown_check(limit) as progress:
        found = contract.check(crate, seconds=limit, seed=start, excepted=excepted or [], progress=progress)
    failure = found.failure
    if as_json:
        print(json.dumps(dataclasses.asdict(found)))
    else:
        for name in found.sets:
            state = "breaks a promise" if failure is not None and failure.set == name else "keeps the contract"
            if failure is None or found.sets.index(name) <= found.sets.index(failure.set):
                print(f"{name}: {state}" + (f", except {', '.join(found.excepted)}" if found.excepted else ""))
        done = f"{found.histories:,} histories, {found.simulations:,} simulations"
        print(f"{done} in {found.seconds:.0f} s (seed {found.seed})")
        if failure is not None:
            print(*failure.history, sep="\n")
            print(f"again: {failure.again}")
    if failure is not None:
        fail(str(failure), 1)


@app.command()
def build_kernel(
    crate: Annotated[Path, typer.Argument(metavar="CRATE", help="The folder of an algorithm of your own.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="KEY=VALUE", help="Another value of a parameter. May be repeated."),
    ] = None,
    cc: Annotated[
        str | None, typer.Option("--cc", metavar="NAME", help="Which of its parameter sets.", show_default="its first")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", show_default="NAME.bpf.o in the crate")
    ] = None,
) -> None:
    """Build the kernel object of an algorithm of your own; needs a Rust compiler for BPF, clang and LLVM."""
    from cwnd.own import build_kernel as build

    print(build(crate, out, cc=cc, settings=settings or []))


def found(field: str, name: str, more: list[str] | None = None) -> tuple[_native.Algorithm, _native.Set]:
    """The algorithm and parameter set called `name`; without one the program ends, offering the nearest, of `more` too."""
    known = _native.algorithms()
    for algorithm in known:
        for one in algorithm["sets"]:
            if one["name"] == name:
                return algorithm, one
    names = [one["name"] for algorithm in known for one in algorithm["sets"]] + (more or [])
    raise refused(field, name, "the name of an algorithm", names)


def work(
    scenario: Scenario,
    out: Path | None,
    many: tuple[str | None, str | None],
    *,
    as_json: bool,
    pictures: bool,
    force: bool,
) -> None:
    """Runs, reports, saves; `many` are --seeds and --jobs."""
    if force and out is None:
        fail("--force: not accepted without -o; expected -o DIR with it")
    if many != (None, None):
        from cwnd.replicates.command import study

        study(scenario, out, *many, as_json=as_json, force=force)
        return
    if sys.stderr.isatty():
        from cwnd.progress import shown

        with shown() as report:
            summary, said = one(scenario, out, report, pictures=pictures, force=force)
    else:
        summary, said = one(scenario, out, None, pictures=pictures, force=force)
    if as_json:
        print(json.dumps(summary))
        return
    from cwnd.report import table

    table(summary)
    for line in said:
        print(line, file=sys.stderr)


def one(
    scenario: Scenario, out: Path | None, progress: Progress | None, *, pictures: bool, force: bool
) -> tuple[dict[str, Any], list[str]]:
    """A run's summary, and what there is to say of its folder."""
    from cwnd.result import summarise
    from cwnd.store import record, why_not_drawn

    if out is None:
        return summarise(scenario, progress), []
    result = record(scenario, out, progress, pictures=pictures, force=force)
    why = why_not_drawn(result) if pictures else None
    return result.summary, [*([f"no pictures: {why}"] if why else []), f"written to {out}"]


def chosen(text: str | None) -> str | list[str | int] | None:
    """`--record-flows`: a word, or a list of names and numbers."""
    if text is None or text in ("all", "none"):
        return text
    return [number(one.strip()) for one in text.split(",")]


def number(text: str) -> int | str:
    """A whole number where it is one; anything else is for the scenario's validation to refuse."""
    return int(text) if text.isascii() and text.isdigit() else text


def main() -> NoReturn:
    """Runs the program."""
    enter(app)
